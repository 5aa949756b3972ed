//! Heredoc markers in an instruction's line.
use super::super::mapped::Mapped;
use super::super::{closing_quote, find};
use crate::span::Span;
use std::ops::Range;

/// Nobody writes more in one instruction; the bound keeps the reading of bodies short.
const MAX_MARKERS: usize = 1000;

/// `<<EOF` in the line of an instruction.
pub(super) struct Marker {
    /// Where it stands in the line.
    pub(super) range: Range<usize>,
    /// Where it stands in the file.
    pub(super) span: Span,
    pub(super) delimiter: String,
    /// `<<-`: tabs at the start of the body's lines are dropped.
    pub(super) strip_tabs: bool,
    /// The delimiter is not quoted.
    pub(super) expand: bool,
}

/// Finds the heredoc markers of a line as BuildKit does: a whole word of the form `[digits]<<[-][blanks]NAME`,
/// whatever the escape character of the file. In a line with an open quote there are none.
pub(super) fn markers(line: &Mapped) -> Vec<Marker> {
    let text = line.text();
    let mut markers = Vec::new();
    if !text.contains("<<") {
        return markers;
    }
    let mut at = 0;
    while markers.len() < MAX_MARKERS
        && let Some(start) = text
            .get(at..)
            .and_then(|rest| rest.find(|c: char| !c.is_whitespace()))
    {
        let start = at + start;
        let Some(end) = word_end(text, start) else {
            return Vec::new();
        };
        if let Some(word) = text.get(start..end) {
            markers.extend(marker(word, start, line));
        }
        at = end;
    }
    markers
}

/// The end of the word at `start`; `None` if a quote or brace is open at the end of the line.
fn word_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\'' => at = find(bytes, at + 1, b'\'')?,
            b'"' => at = closing_quote(bytes, at + 1)?,
            b'$' if bytes.get(at + 1) == Some(&b'{') => at = closing_brace(bytes, at + 2)?,
            b'<' if bytes.get(at + 1) == Some(&b'<') => {
                at += 1;
                while matches!(bytes.get(at + 1), Some(b' ' | b'\t')) {
                    at += 1;
                }
            }
            byte if byte.is_ascii_whitespace() => return Some(at),
            _ => {}
        }
        at += 1;
    }
    Some(bytes.len())
}

/// The `}` of a `${` that opens before `from`; braces inside it count.
fn closing_brace(bytes: &[u8], from: usize) -> Option<usize> {
    let mut open = 0usize;
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'{' => open += 1,
            b'}' if open == 0 => return Some(at),
            b'}' => open -= 1,
            b'\\' => at += 1,
            b'\'' => at = find(bytes, at + 1, b'\'')?,
            b'"' => at = closing_quote(bytes, at + 1)?,
            _ => {}
        }
        at += 1;
    }
}

fn marker(word: &str, start: usize, line: &Mapped) -> Option<Marker> {
    let after_digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = after_digits.strip_prefix("<<")?;
    let (rest, strip_tabs) = match rest.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let name = rest.trim_start();
    if name.is_empty() || name.contains('<') {
        return None;
    }
    let (delimiter, expand) = unquote(name);
    if delimiter.is_empty() {
        return None;
    }
    Some(Marker {
        range: start..start + word.len(),
        span: line.span(start, start + word.len()),
        delimiter,
        strip_tabs,
        expand,
    })
}

/// A delimiter without quotes and escapes, and whether it had no quotes.
fn unquote(name: &str) -> (String, bool) {
    let mut delimiter = String::with_capacity(name.len());
    let mut quote = None;
    let mut expand = true;
    let mut characters = name.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' | '"' if quote.is_none() => {
                quote = Some(character);
                expand = false;
            }
            _ if quote == Some(character) => quote = None,
            '\\' if quote.is_none() => delimiter.extend(characters.next()),
            _ => delimiter.push(character),
        }
    }
    (delimiter, expand)
}
