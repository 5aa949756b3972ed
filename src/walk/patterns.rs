//! Patterns of the shell, in parameters and `case`.

/// `${V%p}`, `${V##p}`: the text without what the pattern fits at one end.
pub(super) fn trim<'t>(text: &'t str, pattern: &str, suffix: bool, longest: bool) -> &'t str {
    let mut cuts: Vec<usize> = text
        .char_indices()
        .map(|(i, _)| i)
        .chain([text.len()])
        .collect();
    // the shortest match cuts nearest to the end that is trimmed
    if suffix != longest {
        cuts.reverse();
    }
    for cut in cuts {
        let (head, tail) = text.split_at(cut);
        if suffix && glob(pattern, tail) {
            return head;
        }
        if !suffix && glob(pattern, head) {
            return tail;
        }
    }
    text
}

/// `${V/p/r}`; `None` for a pattern that is more than text.
pub(super) fn replace(text: &str, pattern: &str, replacement: &str, all: bool) -> Option<String> {
    if pattern.contains(['*', '?', '[', '#', '%']) {
        return None;
    }
    if pattern.is_empty() {
        return Some(text.to_owned());
    }
    Some(if all {
        text.replace(pattern, replacement)
    } else {
        text.replacen(pattern, replacement, 1)
    })
}

/// Whether a shell pattern (`*`, `?`, `[…]`) matches all of `text`. Linear in the product of their lengths.
pub fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
                continue;
            }
            Some('?') if t < text.len() => Some(p + 1),
            Some('[') if t < text.len() => bracket(&pattern[p..], text[t]).map(|length| p + length),
            Some('\\') if pattern.get(p + 1).is_some_and(|c| text.get(t) == Some(c)) => Some(p + 2),
            Some(c) if text.get(t) == Some(c) => Some(p + 1),
            None if t == text.len() => return true,
            _ => None,
        };
        match (step, star) {
            (Some(next), _) => {
                p = next;
                t += 1;
            }
            (None, Some((at, from))) if from < text.len() => {
                star = Some((at, from + 1));
                p = at + 1;
                t = from + 1;
            }
            _ => return false,
        }
    }
}

/// Length of a `[…]` that holds `c`; `None` if it does not.
fn bracket(pattern: &[char], c: char) -> Option<usize> {
    let close = pattern.iter().skip(2).position(|&x| x == ']')? + 2;
    let negated = matches!(pattern[1], '!' | '^');
    let set = &pattern[if negated { 2 } else { 1 }..close];
    let mut held = false;
    let mut i = 0;
    while i < set.len() {
        if i + 2 < set.len() && set[i + 1] == '-' {
            held |= (set[i]..=set[i + 2]).contains(&c);
            i += 3;
        } else {
            held |= set[i] == c;
            i += 1;
        }
    }
    (held != negated).then_some(close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (pattern, text, want) in [
            ("*", "", true),
            ("12.*", "12.4", true),
            ("12.*", "11.4", false),
            ("*+cu*", "2.4+cu121", true),
            ("a?c", "abc", true),
            ("[0-9]*", "9x", true),
            ("[!0-9]*", "9x", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("x86_64|amd64", "amd64", false),
        ] {
            assert_eq!(glob(pattern, text), want, "{pattern} {text}");
        }
        assert!(!glob(&"*a".repeat(200), &"b".repeat(2000)));
    }

    #[test]
    fn trims() {
        assert_eq!(trim("12.4.1", ".*", true, false), "12.4");
        assert_eq!(trim("12.4.1", ".*", true, true), "12");
        assert_eq!(trim("12.4.1", "*.", false, false), "4.1");
        assert_eq!(trim("12.4.1", "*.", false, true), "1");
        assert_eq!(trim("abc", "x", true, false), "abc");
        assert_eq!(replace("12.4.1", ".", "", true).as_deref(), Some("1241"));
        assert_eq!(replace("12.4", ".", "-", false).as_deref(), Some("12-4"));
    }
}
