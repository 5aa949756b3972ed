//! A line of source cut to a width, and where its bytes went.
use super::plain::{is_printable, shown};

/// Columns of a tab.
const TAB: usize = 4;

/// A line cut to a width, safe to print; an ellipsis stands for what is cut.
#[derive(Debug)]
pub(super) struct Clipped {
    pub(super) text: String,
    /// `(byte of the line, byte of the text)` for each character kept and for the end of the last one; sorted. `None` where the
    /// text is the line.
    kept: Option<Vec<(usize, usize)>>,
}

impl Clipped {
    /// Cuts `line` to `width` columns so that the byte at `focus` stays visible.
    pub(super) fn new(line: &str, focus: usize, width: usize) -> Self {
        if line.len() <= width && line.bytes().all(is_printable) {
            return Self {
                text: line.to_owned(),
                kept: None,
            };
        }
        let begin = begin(line, focus, width);
        let mut text = String::with_capacity(line.len().min(2 * width));
        let mut used = 0;
        if begin > 0 {
            text.push('…');
            used += 1;
        }
        let mut kept = Vec::with_capacity(line.len().min(width) + 1);
        let mut rest = line[begin..].char_indices().peekable();
        while let Some((at, c)) = rest.next() {
            kept.push((begin + at, text.len()));
            used += columns(c);
            let last = rest.peek().is_none();
            if used > width || (used == width && !last) {
                text.push('…');
                return Self {
                    text,
                    kept: Some(kept),
                };
            }
            text.push(if c == '\t' { c } else { shown(c) });
        }
        kept.push((line.len(), text.len()));
        Self {
            text,
            kept: Some(kept),
        }
    }

    /// Where a byte of the line is in the text: at the ellipsis, if it was cut.
    pub(super) fn offset(&self, byte: usize) -> usize {
        let Some(kept) = &self.kept else {
            return byte.min(self.text.len());
        };
        let next = kept.partition_point(|&(at, _)| at < byte);
        match kept.get(next) {
            Some(&(at, _)) if next == 0 && byte < at => 0,
            Some(&(_, offset)) => offset,
            None => self.text.len(),
        }
    }
}

/// The byte to begin with: a few characters before `focus` where that is far to the right in a line that is too long.
fn begin(line: &str, focus: usize, width: usize) -> usize {
    if fits(line, width) {
        return 0;
    }
    let before: Vec<usize> = line[..focus]
        .char_indices()
        .rev()
        .map(|(at, _)| at)
        .take(width)
        .collect();
    if before.len() < width * 2 / 3 {
        return 0;
    }
    before.get(width / 4).copied().unwrap_or(0)
}

fn fits(line: &str, width: usize) -> bool {
    line.chars().take(width + 1).map(columns).sum::<usize>() <= width
}

fn columns(c: char) -> usize {
    if c == '\t' { TAB } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_the_focus() {
        let digits = "0123456789abcdefghijklmnopqrstuvwxyz";
        //  line, focus, width, text
        for (line, focus, width, expected) in [
            ("short", 0, 10, "short"),
            ("exactly-10", 0, 10, "exactly-10"),
            ("exactly-ten", 0, 10, "exactly-t…"),
            (digits, 0, 10, "012345678…"),
            (digits, 5, 10, "012345678…"),
            (digits, 20, 12, "…ghijklmnop…"),
            (digits, 35, 12, "…vwxyz"),
            (digits, 35, 36, digits),
            ("ééééééééééé", 0, 10, "ééééééééé…"),
            ("\ta\u{1b}[0m", 0, 20, "\ta␛[0m"),
        ] {
            assert_eq!(
                Clipped::new(line, focus, width).text,
                expected,
                "{line} {focus}"
            );
        }
    }

    #[test]
    fn bytes_are_found_again() {
        let clipped = Clipped::new("0123456789abcdefghijklmnopqrstuvwxyz", 20, 12);
        let at = |byte| &clipped.text[clipped.offset(byte)..];
        assert_eq!(at(0), "…ghijklmnop…", "cut at the start");
        assert_eq!(at(20), "klmnop…");
        assert_eq!(at(30), "", "cut at the end");
        let whole = Clipped::new("é=\"8.0\"", 0, 20);
        assert_eq!(&whole.text[whole.offset(2)..whole.offset(8)], "=\"8.0\"");
    }
}
