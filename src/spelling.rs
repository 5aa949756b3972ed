//! Words that differ little: what somebody who misspelled one may have meant.

/// The fewest characters to insert, remove or replace.
pub fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let mut row: Vec<usize> = (0..=from.len()).collect();
    for (i, t) in to.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, f) in from.iter().enumerate() {
            let replaced = corner + usize::from(*f != t);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

/// The candidate that differs least from `word`, if it differs in less than a third of its characters. Case does not count.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word = word.to_ascii_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &candidate.to_ascii_lowercase()), candidate))
        .filter(|(distance, candidate)| distance * 3 < candidate.len())
        .min()
        .map(|(_, candidate)| candidate)
}

/// What follows a message about a word that nobody knows: nothing, or the word that may be meant.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest
        .map(|word| format!("; did you mean `{word}`?"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (from, to, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("h10o", "h100", 1),
        ] {
            assert_eq!(distance(from, to), expected);
        }
    }

    #[test]
    fn only_what_is_near_is_meant() {
        let known = ["fleet", "policy", "rule-files"];
        for (word, expected) in [
            ("flet", Some("fleet")),
            ("Policy", Some("policy")),
            ("rule_files", Some("rule-files")),
            ("gpus", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
    }
}
