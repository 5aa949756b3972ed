//! Template expressions, `{{ … }}` and `${{ … }}`, which some other program fills in before the text is read as what it is.

/// Length of the template expression at the start of `line`, if one begins and ends there. `}}` inside its strings does not end it.
pub(super) fn template_length(line: &str) -> Option<usize> {
    let bytes = line.strip_prefix("{{")?.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'}' if bytes.get(at + 1) == Some(&b'}') => return Some("{{".len() + at + "}}".len()),
            b'\'' => match bytes.get(at + 1..)?.iter().position(|&b| b == b'\'') {
                Some(length) => at += length + 2,
                None => at += 1,
            },
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::template_length;

    #[test]
    fn where_an_expression_ends() {
        for (line, expected) in [
            ("{{x}}", Some(5)),
            ("{{ x }} y }}", Some(7)),
            ("{{ f('}}') }}z", Some(13)),
            ("{{ it's }}", Some(10)),
            ("{{ x }", None),
            ("{x}", None),
            ("", None),
        ] {
            assert_eq!(template_length(line), expected, "{line}");
        }
    }
}
