//! Patterns for repositories, tags and machine types: `{cuda}-*-ubuntu{version}`.
//!
//! `*` is any text. Braces catch what they name: digits and dots, from a digit on; `{cu}` digits alone. Case does not matter.

/// What the braces of a pattern caught.
pub(crate) type Caught<'t> = Vec<(&'static str, &'t str)>;

/// Longer texts fit nothing: a tag has at most 128 characters, and trying every split of a long one takes time.
const LONGEST: usize = 256;

/// Whether all of `text` fits, and what the braces caught.
pub(crate) fn fit<'t>(pattern: &'static str, text: &'t str) -> Option<Caught<'t>> {
    // most patterns of a table are about something else
    let first = pattern
        .as_bytes()
        .first()
        .filter(|b| !matches!(b, b'*' | b'{'));
    if first.is_some_and(|p| {
        text.as_bytes()
            .first()
            .is_none_or(|t| !p.eq_ignore_ascii_case(t))
    }) {
        return None;
    }
    let mut caught = Caught::new();
    (text.len() <= LONGEST && fits(pattern, text, &mut caught)).then_some(caught)
}

fn fits<'t>(pattern: &'static str, text: &'t str, caught: &mut Caught<'t>) -> bool {
    if let Some(rest) = pattern.strip_prefix('*') {
        let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        return ends.any(|end| fits(rest, &text[end..], caught));
    }
    if let Some((name, rest)) = pattern.strip_prefix('{').and_then(|p| p.split_once('}')) {
        return text.starts_with(|c: char| c.is_ascii_digit()) && catches(name, rest, text, caught);
    }
    match (pattern.chars().next(), text.chars().next()) {
        (None, None) => true,
        (Some(p), Some(t)) if p.eq_ignore_ascii_case(&t) => {
            fits(&pattern[p.len_utf8()..], &text[t.len_utf8()..], caught)
        }
        _ => false,
    }
}

/// Whether the braces `name` catch a number so that `rest` fits what follows; the longest that does.
fn catches<'t>(
    name: &'static str,
    rest: &'static str,
    text: &'t str,
    caught: &mut Caught<'t>,
) -> bool {
    let number = |c: char| c.is_ascii_digit() || (c == '.' && name != "cu");
    let longest = text.find(|c| !number(c)).unwrap_or(text.len());
    let depth = caught.len();
    for end in (1..=longest).rev() {
        caught.push((name, &text[..end]));
        if fits(rest, &text[end..], caught) {
            return true;
        }
        caught.truncate(depth);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_catch_numbers() {
        for (pattern, text, expected) in [
            (
                "{cuda}-*",
                "12.4.1-devel-ubuntu22.04",
                Some(vec![("cuda", "12.4.1")]),
            ),
            (
                "*-ubuntu{version}",
                "12.4.1-devel-ubuntu22.04",
                Some(vec![("version", "22.04")]),
            ),
            (
                "{torch}-cuda{cuda}-*",
                "2.4.1-cuda12.1-cudnn9-devel",
                Some(vec![("torch", "2.4.1"), ("cuda", "12.1")]),
            ),
            (
                "*-cu{cu}-*",
                "1.0.2-cu1281-torch280-ubuntu2404",
                Some(vec![("cu", "1281")]),
            ),
            ("*-devel*", "12.4.1-cudnn-devel-ubi9", Some(vec![])),
            ("rocm/*", "rocm/pytorch", Some(vec![])),
            ("python", "python", Some(vec![])),
            ("python", "python3", None),
            ("{cuda}", "latest", None),
            ("{cuda}", ".5", None),
            ("*-cu{cu}", "x-cu12.1", None),
            ("", "", Some(vec![])),
        ] {
            assert_eq!(fit(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn long_texts_fit_nothing() {
        assert_eq!(fit("*-*-*-*-{cuda}", &"1-".repeat(5000)), None);
    }
}
