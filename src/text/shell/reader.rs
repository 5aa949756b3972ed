//! The cursor that all parts of the shell reader share: blanks, comments, line ends, limits and problems.
use super::super::mapped::Mapped;
use super::super::{MAX_PROBLEMS, Problem};
use crate::span::Span;
use std::ops::Range;

/// How deep substitutions, groups and compound commands may nest. Hand-written text stays below 20;
/// the bound keeps recursion inside a small stack.
const MAX_DEPTH: usize = 100;
/// How many levels a text inside the text counts for: it is a copy, and few may exist at once.
const COPY_DEPTH: usize = 20;
/// How often an unclosed quote is read as one broken line before it takes the rest of the text:
/// each time costs a second look at that text.
const MAX_RESCANS: u8 = 16;
/// How many commands and parts of words one text may hold, which bounds the memory that its tree takes.
/// A script of 10,000 lines has about 200,000.
const MAX_PARTS: usize = 1_000_000;

/// Why a command could not be read.
#[derive(Debug)]
pub(super) enum Broken {
    /// A quote, brace or bracket that never ends.
    Unclosed {
        /// Where it opens, in the text.
        at: usize,
        /// What opens there.
        what: &'static str,
    },
    /// A limit is reached: the rest of the text is given up, for this reason.
    GiveUp(&'static str),
}

/// The line whose heredoc bodies are already read.
#[derive(Clone, Copy)]
pub(super) struct HeredocLine {
    /// The line break that ends it.
    pub(super) newline: usize,
    /// Where reading goes on after the bodies.
    pub(super) resume: usize,
}

/// A place in shell text, with what is open there.
pub(super) struct Reader<'m> {
    pub(super) text: &'m Mapped,
    pub(super) source: &'m str,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) problems: Vec<Problem>,
    /// The tokens that would end each open construct, outermost first.
    pub(super) open: Vec<&'static [&'static str]>,
    pub(super) heredocs: Option<HeredocLine>,
    /// Where the last item of the outermost list begins.
    pub(super) item_start: usize,
    /// Here no `}}` was found, so that no `{{` in it needs another search.
    pub(super) no_template: Range<usize>,
    rescans: u8,
    /// How many commands and parts may still be read.
    left: usize,
}

impl<'m> Reader<'m> {
    pub(super) fn new(text: &'m Mapped) -> Self {
        Self {
            text,
            source: text.text(),
            at: 0,
            depth: 0,
            problems: Vec::new(),
            open: Vec::new(),
            heredocs: None,
            item_start: 0,
            no_template: 0..0,
            rescans: MAX_RESCANS,
            left: MAX_PARTS,
        }
    }

    /// A reader for a text inside this one, such as the body of a heredoc. [`Self::absorb`] takes it back.
    pub(super) fn inner<'i>(&self, text: &'i Mapped) -> Result<Reader<'i>, Broken> {
        let mut reader = Reader::new(text);
        reader.depth = self.depth + COPY_DEPTH;
        reader.left = self.left;
        reader.enter()?;
        Ok(reader)
    }

    /// Takes over what an inner reader found and spent.
    pub(super) fn absorb(&mut self, inner: Reader<'_>) {
        let room = MAX_PROBLEMS.saturating_sub(self.problems.len());
        self.problems.extend(inner.problems.into_iter().take(room));
        self.left = inner.left;
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.byte(0)
    }

    /// The byte `ahead` of the cursor.
    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    /// The source text of a range; the reader only makes ranges at character boundaries.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'m str {
        self.source.get(from..to).unwrap_or_default()
    }

    pub(super) fn rest(&self) -> &'m str {
        self.source.get(self.at..).unwrap_or_default()
    }

    pub(super) fn span(&self, from: usize, to: usize) -> Span {
        self.text.span(from, to)
    }

    pub(super) fn problem(&mut self, from: usize, to: usize, message: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem {
                span: self.span(from, to),
                message: message.into(),
            });
        }
    }

    /// Goes one level deeper; the caller comes back with [`Self::leave`].
    pub(super) fn enter(&mut self) -> Result<(), Broken> {
        if self.depth >= MAX_DEPTH {
            return Err(Broken::GiveUp("nested too deeply"));
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Counts one command or part.
    pub(super) fn spend(&mut self) -> Result<(), Broken> {
        self.left = self.left.checked_sub(1).ok_or(Broken::GiveUp("too long"))?;
        Ok(())
    }

    /// Whether a line break stands `ahead` of the cursor, and how long it is.
    pub(super) fn line_break(&self, ahead: usize) -> Option<usize> {
        match (self.byte(ahead), self.byte(ahead + 1)) {
            (Some(b'\n'), _) => Some(1),
            (Some(b'\r'), Some(b'\n')) => Some(2),
            _ => None,
        }
    }

    /// Skips spaces, continued line ends and a comment; stops before a line break. Call it between words only.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\r') if self.byte(1) == Some(b'\n') => self.at += 1,
                Some(b'\\') => match self.line_break(1) {
                    Some(length) => self.at += 1 + length,
                    None => return,
                },
                Some(b'#') => {
                    self.at = self.line_end(self.at);
                    return;
                }
                _ => return,
            }
        }
    }

    /// Skips blanks, comments and line breaks, with the heredoc bodies that follow them.
    pub(super) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            match self.heredocs {
                Some(line) if line.newline == self.at => {
                    self.at = line.resume;
                    self.heredocs = None;
                }
                _ => self.at += 1,
            }
        }
    }

    /// The offset of the next line break at or after `from`, or the end.
    pub(super) fn line_end(&self, from: usize) -> usize {
        self.source
            .get(from..)
            .and_then(|rest| rest.find('\n'))
            .map_or(self.source.len(), |length| from + length)
    }

    /// Goes from `start`, where something is never closed, to the end of that line,
    /// or to the end of the text when that happened too often.
    pub(super) fn abandon_line(&mut self, start: usize) {
        self.at = if self.rescans > 0 {
            self.rescans -= 1;
            self.line_end(start)
        } else {
            self.source.len()
        };
    }
}
