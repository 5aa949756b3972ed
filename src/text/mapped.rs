//! Text put together from pieces of a file, which still knows where each byte came from.
use crate::span::Span;
use std::ops::Range;

/// A text whose bytes come from several places of the original file (continuations joined, comments dropped, quotes removed).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapped {
    text: String,
    /// `(offset in text, offset in the file)` of each run of bytes that is contiguous in both; sorted.
    pieces: Vec<(u32, u32)>,
    /// File offset just past the last byte.
    end: u32,
}

impl Mapped {
    /// Appends `text`, found in the file at `from`.
    pub fn push(&mut self, text: &str, from: u32) {
        if text.is_empty() {
            return;
        }
        let at = self.text.len() as u32;
        let contiguous = self
            .pieces
            .last()
            .is_some_and(|&(t, f)| f + (at - t) == from);
        if !contiguous {
            self.pieces.push((at, from));
        }
        self.text.push_str(text);
        self.end = from + text.len() as u32;
    }

    /// Appends the bytes `range` of another text of the same file, which keep their places.
    pub fn append(&mut self, other: &Self, range: Range<usize>) {
        for run in other.runs(range) {
            let from = other.origin(run.start);
            self.push(other.text.get(run).unwrap_or_default(), from);
        }
    }

    /// Appends text that the file does not hold: all of it counts as standing at the one byte `from`.
    pub fn push_all_from(&mut self, text: &str, from: u32) {
        for character in text.split_inclusive(|_| true) {
            self.push(character, from);
        }
    }

    /// A text that stands in the file as it is, at `from`.
    pub fn verbatim(text: &str, from: u32) -> Self {
        let mut mapped = Self::default();
        mapped.push(text, from);
        mapped
    }

    /// The bytes `range` of the text, which keep their places.
    pub fn slice(&self, range: Range<usize>) -> Self {
        let mut part = Self::default();
        part.append(self, range);
        part
    }

    /// Cuts a range of the text into runs of bytes that are contiguous in the file too.
    pub fn runs(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let mut at = range.start;
        std::iter::from_fn(move || {
            let run = at..self.run_end(at).min(range.end);
            at = run.end;
            (!run.is_empty()).then_some(run)
        })
    }

    /// How far the bytes from `offset` on are contiguous in the file too: an offset in the text.
    fn run_end(&self, offset: usize) -> usize {
        let next = self.pieces.partition_point(|&(t, _)| t as usize <= offset);
        self.pieces
            .get(next)
            .map_or(self.text.len(), |&(t, _)| t as usize)
    }

    /// The joined text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file offset of the byte at `offset` of the joined text; for the end of the text, just past its last byte.
    pub fn origin(&self, offset: usize) -> u32 {
        let offset = offset as u32;
        if offset as usize >= self.text.len() {
            return self.end;
        }
        let piece = self
            .pieces
            .partition_point(|&(t, _)| t <= offset)
            .saturating_sub(1);
        self.pieces
            .get(piece)
            .map_or(self.end, |&(t, f)| f + (offset - t))
    }

    /// The file span of a range of the joined text: from its first byte to just past its last one.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let from = self.origin(start);
        let to = if end > start {
            self.origin(end - 1) + 1
        } else {
            from
        };
        Span {
            start: from,
            end: to.max(from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_cross_the_gaps() {
        // file: "a \⏎  b"
        let mut mapped = Mapped::default();
        mapped.push("a ", 0);
        mapped.push("  b", 4);
        assert_eq!(mapped.text(), "a   b");
        assert_eq!(mapped.span(0, 5), Span::new(0, 7));
        assert_eq!(mapped.span(4, 5), Span::new(6, 7));
        assert_eq!(
            mapped.span(0, 2),
            Span::new(0, 2),
            "an end at a gap stays before it"
        );
        assert_eq!(mapped.span(5, 5), Span::new(7, 7));
    }

    #[test]
    fn a_slice_keeps_its_places() {
        let mut mapped = Mapped::default();
        mapped.push("abc", 10);
        mapped.push("def", 20);
        let part = mapped.slice(2..5);
        assert_eq!(part.text(), "cde");
        assert_eq!(part.span(0, 3), Span::new(12, 22));
        assert_eq!(part.runs(0..3).collect::<Vec<_>>(), [0..1, 1..3]);
        assert_eq!(mapped.slice(3..3), Mapped::default());
    }

    #[test]
    fn contiguous_pieces_join() {
        let mut mapped = Mapped::verbatim("ab", 3);
        mapped.push("cd", 5);
        assert_eq!(mapped.pieces.len(), 1);
    }
}
