//! Positions in a file: byte spans, and the lines and columns that people read.
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A half-open range of byte offsets in the original file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end`; offsets past 4 GiB are clamped (inputs are refused long before).
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self {
            start: clamp(start),
            end: clamp(end.max(start)),
        }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Whether `other` lies inside.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the span holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The range for slicing the original text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A span as reports print it. Lines and columns are 1-based, columns count Unicode scalar values, offsets bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// Byte offset of the first byte.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
    /// Line of the first byte.
    pub line: u32,
    /// Column of the first byte.
    pub column: u32,
    /// Line of the last byte.
    pub end_line: u32,
    /// Column just past the last byte.
    pub end_column: u32,
}

impl Place {
    /// The byte span of this place.
    pub fn span(self) -> Span {
        Span {
            start: self.offset,
            end: self.offset + self.length,
        }
    }
}

/// Finds the line and column of byte offsets in one text.
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: Cow<'t, str>,
    starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    /// Indexes the line starts of `text`.
    pub fn new(text: impl Into<Cow<'t, str>>) -> Self {
        let text = text.into();
        let mut starts = vec![0];
        starts.extend(
            text.bytes()
                .enumerate()
                .filter(|&(_, b)| b == b'\n')
                .map(|(i, _)| Span::new(i + 1, i + 1).start),
        );
        Self { text, starts }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// 1-based line and column of a byte offset; an offset inside a character counts as its start.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|&s| s <= offset) - 1;
        let from = self.starts[line] as usize;
        let mut to = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(to) {
            to -= 1;
        }
        let column = self.text[from..to.max(from)].chars().count();
        (line as u32 + 1, column as u32 + 1)
    }

    /// The byte offset and the text of a line (1-based), line break excluded; `None` past the last line.
    pub fn line(&self, number: u32) -> Option<(u32, &str)> {
        let index = (number as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let rest = self.text.get(start as usize..)?;
        let line = rest.split('\n').next().unwrap_or_default();
        Some((start, line.strip_suffix('\r').unwrap_or(line)))
    }

    /// The place of a span.
    pub fn place(&self, span: Span) -> Place {
        let (line, column) = self.line_column(span.start);
        let (end_line, end_column) = self.line_column(span.end);
        Place {
            offset: span.start,
            length: span.end - span.start,
            line,
            column,
            end_line,
            end_column,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_offsets_bytes() {
        let lines = Lines::new("añ b\nc\n");
        assert_eq!(lines.line_column(0), (1, 1));
        assert_eq!(lines.line_column(4), (1, 4));
        assert_eq!(lines.line_column(2), (1, 2), "inside a character");
        assert_eq!(lines.line_column(6), (2, 1));
        assert_eq!(lines.line_column(8), (3, 1), "end of text");
        assert_eq!(lines.line_column(99), (3, 1), "past the end");
    }

    #[test]
    fn lines_come_without_their_break() {
        let lines = Lines::new("a\r\nbc\n");
        assert_eq!(lines.line(1), Some((0, "a")));
        assert_eq!(lines.line(2), Some((3, "bc")));
        assert_eq!(lines.line(3), Some((6, "")));
        assert_eq!(lines.line(4), None);
        assert_eq!(lines.line(0), None);
    }

    #[test]
    fn a_place_keeps_both_ends() {
        let place = Lines::new("ab\ncd\n").place(Span::new(1, 4));
        assert_eq!(
            (place.line, place.column, place.end_line, place.end_column),
            (1, 2, 2, 2)
        );
        assert_eq!(place.span(), Span::new(1, 4));
    }
}
