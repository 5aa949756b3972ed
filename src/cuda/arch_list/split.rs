//! Splitting a list into tokens that keep their place.
use super::Token;

/// The pieces between separators, empty ones included. An empty piece's range is the separator before it, or the one after
/// it at the start, so that a report has something to point at.
pub(super) fn pieces(text: &str, separator: impl Fn(char) -> bool) -> Vec<Token> {
    let mut pieces = Vec::new();
    let mut start = 0;
    // `None`: the end of the text.
    let ends = text
        .char_indices()
        .filter(|&(_, c)| separator(c))
        .map(|(at, c)| (at, Some(c)))
        .chain([(text.len(), None)]);
    let mut before = None;
    for (end, after) in ends {
        let range = match (start == end, before, after) {
            (true, Some(before), _) => start - char::len_utf8(before)..start,
            (true, None, Some(after)) => end..end + after.len_utf8(),
            _ => start..end,
        };
        let text = text[start..end].to_owned();
        pieces.push(Token { text, range });
        start = end + after.map_or(0, char::len_utf8);
        before = after;
    }
    pieces
}

/// The pieces between separators without surrounding white space, empty ones dropped: for consumers of which no more is known.
pub(super) fn words(text: &str, separator: impl Fn(char) -> bool) -> Vec<Token> {
    let trim = |token: Token| {
        let lead = token.text.len() - token.text.trim_start().len();
        let text = token.text.trim().to_owned();
        let start = token.range.start + lead;
        let range = start..start + text.len();
        Token { text, range }
    };
    pieces(text, separator)
        .into_iter()
        .filter(|token| !token.text.trim().is_empty())
        .map(trim)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(tokens: &[Token]) -> Vec<(&str, usize, usize)> {
        let parts = tokens.iter();
        parts
            .map(|t| (t.text.as_str(), t.range.start, t.range.end))
            .collect()
    }

    #[test]
    fn pieces_keep_their_place() {
        let split = |text| pieces(text, |c| c == ';');
        assert_eq!(show(&split("8.0;9.0")), [("8.0", 0, 3), ("9.0", 4, 7)]);
        assert_eq!(show(&split("a;")), [("a", 0, 1), ("", 1, 2)]);
        assert_eq!(show(&split(";a")), [("", 0, 1), ("a", 1, 2)]);
        assert_eq!(show(&split("a;;b")), [("a", 0, 1), ("", 1, 2), ("b", 3, 4)]);
        assert_eq!(show(&split("")), [("", 0, 0)]);
    }

    #[test]
    fn words_are_trimmed() {
        assert_eq!(
            show(&words(" 80; 90 ;", |c| c == ';')),
            [("80", 1, 3), ("90", 5, 7)]
        );
    }
}
