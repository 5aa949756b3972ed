//! From the decoded text of a scalar back to its bytes in the file.
use super::super::mapped::Mapped;
use std::ops::Range;

/// How the text of a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Block,
}

/// Finds the bytes of `value`, which the scalar at `range` decodes to: of a quoted one with its quotes, of a block scalar
/// from its first character that is no blank. Should a byte not be found, the whole text counts as standing at its start.
pub(super) fn locate(source: &str, range: Range<usize>, written: Written, value: &str) -> Mapped {
    let inner = match written {
        Written::SingleQuoted | Written::DoubleQuoted => {
            range.start + 1..range.end.saturating_sub(1)
        }
        Written::Plain => {
            range.start..range.start + source.get(range).unwrap_or_default().trim_end().len()
        }
        Written::Block => range,
    };
    if source.get(inner.clone()) == Some(value) {
        return Mapped::verbatim(value, inner.start as u32);
    }
    let mapped = match written {
        Written::Block => block(source, inner.start, value),
        _ => flow(source, inner.clone(), written, value),
    };
    match mapped {
        Some(mapped) if mapped.text() == value => mapped,
        _ => Mapped::verbatim(value, inner.start as u32),
    }
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The end of the line at `at`, without its break.
fn line_end(bytes: &[u8], at: usize, end: usize) -> usize {
    let rest = bytes.get(at..end).unwrap_or_default();
    at + rest
        .iter()
        .position(|&byte| is_break(byte))
        .unwrap_or(rest.len())
}

/// Just past the line break at `at`, if there is one.
fn after_break(bytes: &[u8], at: usize) -> usize {
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => at + 2,
        (Some(b'\n' | b'\r'), _) => at + 1,
        _ => at,
    }
}

/// A block scalar: every line of the file stands in the text as it is, behind blanks and breaks that may have been changed.
fn block(source: &str, start: usize, value: &str) -> Option<Mapped> {
    let bytes = source.as_bytes();
    let mut mapped = Mapped::default();
    let mut from = start;
    let mut rest = value;
    // blank lines may stand before the first character
    let mut floor = 0;
    loop {
        let body = rest.trim_start_matches([' ', '\n']);
        let gap = &rest[..rest.len() - body.len()];
        if body.is_empty() {
            // where nothing but blanks is in it, its start is that of what follows
            let from = if floor == 0 {
                below_header(bytes, from)
            } else {
                from
            };
            trailing(bytes, from, gap, &mut mapped);
            return Some(mapped);
        }
        let blanks = bytes
            .get(from..)?
            .iter()
            .position(|&b| b != b' ' && !is_break(b))?;
        let at = from + blanks;
        between(bytes, floor, at, gap, &mut mapped);
        let end = line_end(bytes, at, bytes.len());
        let line = source.get(at..end)?;
        rest = body.strip_prefix(line)?;
        mapped.push(line, at as u32);
        from = end;
        floor = end;
    }
}

/// The line after the last one before `at` that is not blank.
fn below_header(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(..at).unwrap_or_default();
    let blank = |byte: u8| matches!(byte, b' ' | b'\t') || is_break(byte);
    let last = before.iter().rposition(|&byte| !blank(byte));
    after_break(
        bytes,
        line_end(bytes, last.map_or(0, |at| at + 1), bytes.len()),
    )
}

/// Gives the blanks and breaks of `gap` their places before `at`, from the last one back to `floor`.
fn between(bytes: &[u8], floor: usize, at: usize, gap: &str, mapped: &mut Mapped) {
    let mut places = Vec::with_capacity(gap.len());
    let mut to = at;
    for byte in gap.bytes().rev() {
        let before = |to: usize| {
            to.checked_sub(1)
                .filter(|&b| b >= floor)
                .and_then(|b| bytes.get(b))
        };
        if byte == b'\n' {
            while before(to).is_some_and(|&b| !is_break(b)) {
                to -= 1;
            }
        }
        let crossed = before(to).copied();
        to = to.saturating_sub(1).max(floor);
        places.push(to);
        if crossed == Some(b'\n') && before(to) == Some(&b'\r') {
            to -= 1;
        }
    }
    for (place, byte) in places.into_iter().rev().zip(gap.chars()) {
        mapped.push(byte.encode_utf8(&mut [0; 4]), place as u32);
    }
}

/// Gives the blanks and breaks at the end of a block scalar their places from `from` on.
fn trailing(bytes: &[u8], from: usize, gap: &str, mapped: &mut Mapped) {
    let mut at = from;
    for byte in gap.bytes() {
        if byte == b'\n' {
            at = line_end(bytes, at, bytes.len());
        }
        let next = if byte == b'\n' {
            after_break(bytes, at)
        } else {
            at + 1
        };
        let place = next.clamp(1, bytes.len().max(1)) - 1;
        mapped.push(if byte == b'\n' { "\n" } else { " " }, place as u32);
        at = next.min(bytes.len());
    }
}

/// A plain or quoted scalar: lines are trimmed and folded; quotes and escapes are taken out.
fn flow(source: &str, range: Range<usize>, written: Written, value: &str) -> Option<Mapped> {
    let bytes = source.as_bytes();
    let mut mapped = Mapped::default();
    let mut at = range.start;
    loop {
        let end = line_end(bytes, at, range.end);
        let is_last = end == range.end;
        let mut line = at..end;
        let mut joined = false;
        if !is_last {
            let text = source.get(line.clone())?;
            let escaped = written == Written::DoubleQuoted && ends_in_escape(text);
            let kept = text.trim_end_matches([' ', '\t']);
            joined = escaped && kept.len() == text.len();
            // an escaped blank at the end of a line stays
            let blank =
                written == Written::DoubleQuoted && kept.len() < text.len() && ends_in_escape(kept);
            line.end = line.start + kept.len() - usize::from(joined) + usize::from(blank);
        }
        decode(source, line, written, value, &mut mapped)?;
        if is_last {
            return Some(mapped);
        }
        let mut breaks = 0;
        let first = end;
        at = end;
        while at < range.end && bytes.get(at).is_some_and(|&b| is_break(b)) {
            if breaks > 0 {
                mapped.push("\n", at as u32);
            }
            breaks += 1;
            at = after_break(bytes, at);
            while at < range.end && matches!(bytes.get(at), Some(b' ' | b'\t')) {
                at += 1;
            }
        }
        if breaks == 1 && !joined {
            mapped.push(" ", (at - 1).max(first) as u32);
        }
    }
}

/// Whether a text ends in a backslash that is not escaped itself.
fn ends_in_escape(text: &str) -> bool {
    (text.len() - text.trim_end_matches('\\').len()) % 2 == 1
}

/// One line without the blanks around it: its text, with the decoded characters taken from `value`.
fn decode(
    source: &str,
    line: Range<usize>,
    written: Written,
    value: &str,
    mapped: &mut Mapped,
) -> Option<()> {
    let special = match written {
        Written::SingleQuoted => '\'',
        Written::DoubleQuoted => '\\',
        Written::Plain | Written::Block => '\0',
    };
    let mut at = line.start;
    while let Some(length) = source.get(at..line.end)?.find(special) {
        mapped.push(source.get(at..at + length)?, at as u32);
        at += length;
        if written == Written::SingleQuoted {
            mapped.push("'", at as u32 + 1);
            at += 2;
        } else {
            let decoded = value.get(mapped.text().len()..)?.chars().next()?;
            mapped.push(decoded.encode_utf8(&mut [0; 4]), at as u32 + 1);
            at += escape_length(source.as_bytes(), at, decoded);
        }
    }
    mapped.push(source.get(at..line.end)?, at as u32);
    Some(())
}

/// Length of the escape at `at`, backslash included; a character beyond 16 bits may be written as two of `\uXXXX`.
fn escape_length(bytes: &[u8], at: usize, decoded: char) -> usize {
    match bytes.get(at + 1) {
        Some(b'x') => 4,
        Some(b'u') if decoded.len_utf16() == 2 => 12,
        Some(b'u') => 6,
        Some(b'U') => 10,
        _ => 2,
    }
}
