//! Template text made harmless without moving a byte.
use super::super::template::{is_statement, template_length};
use crate::span::Span;
use std::borrow::Cow;

/// The text with empty lines in place of a byte order mark at its start.
pub(super) fn without_mark(source: &str) -> Cow<'_, str> {
    match source.strip_prefix('\u{feff}') {
        Some(rest) => Cow::Owned(format!("\n\n\n{rest}")),
        None => Cow::Borrowed(source),
    }
}

/// Whether a text has expressions or statements of a template language (`${{ … }}` is no such thing: it is text to YAML).
pub(super) fn is_template(source: &str) -> bool {
    mask(source) != source
}

/// The text with its expressions as letters and its statements as blanks, byte for byte as long. A line that is one
/// expression may be anything, and becomes blank too.
pub(super) fn mask(source: &str) -> String {
    let mut masked = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let content = line.trim();
        if is_statement(line)
            || (content.starts_with("{{") && template_length(content) == Some(content.len()))
        {
            blank(line, ' ', &mut masked);
        } else {
            inline(line, &mut masked);
        }
    }
    masked
}

/// Masks what stands between other text.
fn inline(line: &str, masked: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        masked.push_str(before);
        let is_ours = !before.ends_with('$');
        let (length, fill) = match (template_length(from), statement_length(from)) {
            (Some(length), _) if is_ours => (length, 'x'),
            (_, Some(length)) => (length, ' '),
            _ => {
                masked.push('{');
                rest = &from[1..];
                continue;
            }
        };
        let (template, after) = from.split_at(length);
        blank(template, fill, masked);
        rest = after;
    }
    masked.push_str(rest);
}

/// Length of the `{% … %}` or `{# … #}` that a text begins with.
fn statement_length(text: &str) -> Option<usize> {
    let closer = [("{%", "%}"), ("{#", "#}")]
        .into_iter()
        .find_map(|(opener, closer)| text.starts_with(opener).then_some(closer))?;
    Some(text.find(closer)? + closer.len())
}

/// JSON without its comments and the tabs around its values, byte for byte as long; and those comments that end with a line.
pub(super) fn json(source: &str) -> (String, Vec<Span>) {
    let mut masked = String::with_capacity(source.len());
    let mut comments = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (length, is_text) = match first {
            '"' => (string_length(rest), true),
            '/' if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), false),
            '/' if rest.starts_with("/*") => {
                (rest.find("*/").map_or(rest.len(), |end| end + 2), false)
            }
            first => (first.len_utf8(), first != '\t'),
        };
        let (piece, after) = rest.split_at(length);
        if piece.starts_with("//") {
            let from = masked.len();
            comments.push(Span::new(from, from + piece.trim_end().len()));
        }
        if is_text {
            masked.push_str(piece);
        } else {
            blank(piece, ' ', &mut masked);
        }
        rest = after;
    }
    (masked, comments)
}

/// Length of the string that a text begins with, its quotes included.
fn string_length(text: &str) -> usize {
    super::super::closing_quote(text.as_bytes(), 1).map_or(text.len(), |end| end + 1)
}

/// As many bytes of `fill`, line breaks kept.
fn blank(text: &str, fill: char, masked: &mut String) {
    for byte in text.bytes() {
        masked.push(match byte {
            b'\n' => '\n',
            b'\r' => '\r',
            _ => fill,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{json, mask};

    #[test]
    fn comments_of_json_keep_their_length() {
        for (text, expected) in [
            ("{\"a\": 1} // é\n", "{\"a\": 1}      \n"),
            ("/* a\n*/{}", "    \n  {}"),
            ("{\"a//b\": \"c\\\"//\"}", "{\"a//b\": \"c\\\"//\"}"),
            ("{\t\"a\tb\":\t1}", "{ \"a\tb\": 1}"),
            ("/* a", "    "),
            ("\"a", "\"a"),
        ] {
            assert_eq!(json(text).0, expected, "{text}");
        }
    }

    #[test]
    fn templates_keep_their_length() {
        for (text, expected) in [
            ("a: {{ b }}-c\n", "a: xxxxxxx-c\n"),
            ("{% if é %}\r\na: b", "           \r\na: b"),
            ("- a {% if b %}>1{% endif %}", "- a           >1           "),
            ("  {{ toYaml .x }}\n", "                 \n"),
            ("a: ${{ b }}", "a: ${{ b }}"),
            ("a: {b: c}", "a: {b: c}"),
            ("a: {% b", "a: {% b"),
            ("a: {{ é }}", "a: xxxxxxxx"),
        ] {
            assert_eq!(mask(text), expected, "{text}");
            assert_eq!(mask(text).len(), text.len(), "{text}");
        }
    }
}
