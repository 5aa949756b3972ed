//! How a text is laid out: its lines, their indentation and their ends.

/// A text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'t>(pub(super) &'t str);

impl<'t> Layout<'t> {
    /// Where the line of a byte starts.
    pub(super) fn line_start(self, offset: usize) -> usize {
        let before = self.0.get(..offset).unwrap_or_default();
        before.rfind('\n').map_or(0, |at| at + 1)
    }

    /// Where the line after that of a byte starts: the end of the text, where there is none.
    pub(super) fn next_line(self, offset: usize) -> usize {
        let rest = self.0.get(offset..).unwrap_or_default();
        rest.find('\n').map_or(self.0.len(), |at| offset + at + 1)
    }

    /// The spaces and tabs before a byte, if nothing else stands before it in its line.
    pub(super) fn indent(self, offset: usize) -> Option<&'t str> {
        let indent = self.0.get(self.line_start(offset)..offset)?;
        indent.trim().is_empty().then_some(indent)
    }

    /// How its lines end.
    pub(super) fn line_end(self) -> &'static str {
        match self.0.find('\n') {
            Some(at) if self.0[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// Lines to write where the line after that of a byte starts, and where that is. The last line may have no end yet.
    pub(super) fn lines_below(self, offset: usize, lines: &[String]) -> (usize, String) {
        let end = self.line_end();
        let at = self.next_line(offset);
        if self.0.get(..at).is_some_and(|above| above.ends_with('\n')) {
            let lines: String = lines.iter().map(|line| format!("{line}{end}")).collect();
            (at, lines)
        } else {
            let lines: String = lines.iter().map(|line| format!("{end}{line}")).collect();
            (at, lines)
        }
    }
}
