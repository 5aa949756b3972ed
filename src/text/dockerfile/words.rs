//! Words as BuildKit expands them: quotes, escapes, `$NAME` and `${NAME…}`; no command runs here and no file name matches.
use super::super::mapped::Mapped;
use super::super::template::template_length;
use super::super::word::{Part, Word};
use super::super::{MAX_PROBLEMS, Problem};
use std::ops::Range;

/// How deep `${A:-${B:-…}}` is followed.
const MAX_DEPTH: usize = 50;

/// What ends a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// White space.
    Blank,
    /// The end of the text.
    End,
    /// `}`
    Brace,
    /// `/` or `}`
    Slash,
    /// `"`
    Quote,
}

/// A place in an instruction's text.
pub(super) struct Words<'t> {
    pub(super) text: &'t Mapped,
    pub(super) source: &'t str,
    pub(super) at: usize,
    escape: u8,
    depth: usize,
    /// Nested too deeply: nothing more is read, and nothing more is said.
    gave_up: bool,
    /// Here no `}}` was found.
    no_template: Range<usize>,
    problems: &'t mut Vec<Problem>,
}

impl<'t> Words<'t> {
    pub(super) fn new(text: &'t Mapped, escape: u8, problems: &'t mut Vec<Problem>) -> Self {
        Self {
            text,
            source: text.text(),
            at: 0,
            escape,
            depth: 0,
            gave_up: false,
            no_template: 0..0,
            problems,
        }
    }

    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'t str {
        self.source.get(from..to).unwrap_or_default()
    }

    pub(super) fn rest(&self) -> &'t str {
        self.source.get(self.at..).unwrap_or_default()
    }

    pub(super) fn problem(&mut self, from: usize, to: usize, message: impl Into<String>) {
        if !self.gave_up && self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem {
                span: self.text.span(from, to),
                message: message.into(),
            });
        }
    }

    /// Goes one level deeper, or gives up the rest of the text. [`Self::leave`] comes back.
    pub(super) fn enter(&mut self) {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.problem(
                self.at,
                self.source.len(),
                "nested too deeply: the rest is not read",
            );
            self.gave_up = true;
            self.at = self.source.len();
        }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Goes to the next word; tells whether there is one.
    pub(super) fn next(&mut self) -> bool {
        while self.byte(0).is_some_and(is_blank) {
            self.at += 1;
        }
        self.at < self.source.len()
    }

    /// All words that are left, without those that begin in one of the ranges, which are in order.
    pub(super) fn all(&mut self, without: impl IntoIterator<Item = Range<usize>>) -> Vec<Word> {
        let mut without = without.into_iter().peekable();
        let mut words = Vec::new();
        while self.next() {
            while without.next_if(|range| range.end <= self.at).is_some() {}
            match without.peek() {
                Some(range) if range.contains(&self.at) => self.at = range.end,
                _ => words.push(self.word(Until::Blank)),
            }
        }
        words
    }

    /// Reads a word up to what ends it.
    pub(super) fn word(&mut self, until: Until) -> Word {
        let start = self.at;
        let mut parts = Vec::new();
        let quoted = self.parts(until, &mut parts);
        Word {
            parts,
            quoted,
            span: self.text.span(start, self.at),
        }
    }

    /// Skips what may stand before the `=` of a pair and gives its range; the cursor is then at `=`, a blank or the end.
    pub(super) fn name(&mut self) -> Range<usize> {
        let start = self.at;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'=' => break,
                b'\'' | b'"' => self.at = self.closing_quote(byte).unwrap_or(self.source.len()),
                b'{' => self.at = self.template_end(self.at).unwrap_or(self.at + 1),
                _ if byte == self.escape => self.at += 2,
                _ if is_blank(byte) => break,
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.source.len());
        start..self.at
    }

    /// Reads `=value`, if that is what stands at the cursor.
    pub(super) fn value(&mut self) -> Option<Word> {
        (self.byte(0) == Some(b'=')).then(|| {
            self.at += 1;
            self.word(Until::Blank)
        })
    }

    /// Just past the quote that closes the one at the cursor.
    fn closing_quote(&self, quote: u8) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let mut at = self.at + 1;
        loop {
            match *bytes.get(at)? {
                byte if byte == quote => return Some(at + 1),
                byte if byte == self.escape && quote == b'"' => at += 2,
                _ => at += 1,
            }
        }
    }

    fn ends(&self, byte: u8, until: Until) -> bool {
        match until {
            Until::Blank => is_blank(byte),
            Until::End => false,
            Until::Brace => byte == b'}',
            Until::Slash => matches!(byte, b'/' | b'}'),
            Until::Quote => byte == b'"',
        }
    }

    /// Reads parts; tells whether a quote or an escape was among them.
    fn parts(&mut self, until: Until, parts: &mut Vec<Part>) -> bool {
        let double = until == Until::Quote;
        let mut any_quoted = false;
        let mut from = self.at;
        while let Some(byte) = self.byte(0) {
            let start = self.at;
            match byte {
                _ if self.ends(byte, until) => break,
                _ if byte == self.escape => {
                    let Some(next) = self.rest().chars().nth(1) else {
                        self.literal(parts, from, start, double);
                        self.at += 1; // an escape at the end of a word stands for nothing
                        from = self.at;
                        break;
                    };
                    self.at += 1 + next.len_utf8();
                    if double && !matches!(next, '"' | '$') && next != char::from(self.escape) {
                        continue;
                    }
                    self.literal(parts, from, start, double);
                    self.literal(parts, start + 1, self.at, true);
                    any_quoted = true;
                    from = self.at;
                }
                b'\'' | b'"' if !double => {
                    self.literal(parts, from, start, false);
                    self.quoted(byte, parts);
                    any_quoted = true;
                    from = self.at;
                }
                b'$' if self.starts_parameter() => {
                    self.literal(parts, from, start, double);
                    let part = self.parameter(double);
                    parts.push(part);
                    from = self.at;
                }
                b'{' => match self.template_end(start) {
                    Some(end) => {
                        self.literal(parts, from, start, double);
                        self.at = end;
                        parts.push(self.opaque(start, double));
                        from = end;
                    }
                    None => self.at += 1,
                },
                _ => self.at += 1,
            }
        }
        self.literal(parts, from, self.at, double);
        any_quoted
    }

    fn literal(&self, parts: &mut Vec<Part>, from: usize, to: usize, quoted: bool) {
        parts.extend(Part::literals(self.text, from..to, quoted));
    }

    pub(super) fn opaque(&self, start: usize, quoted: bool) -> Part {
        Part::Opaque {
            text: self.slice(start, self.at).to_owned(),
            quoted,
            span: self.text.span(start, self.at),
        }
    }

    /// Reads `'…'` or `"…"`; an open one reaches to the end of the text.
    fn quoted(&mut self, quote: u8, parts: &mut Vec<Part>) {
        let start = self.at;
        self.at += 1;
        if quote == b'"' {
            self.parts(Until::Quote, parts);
        } else {
            let inside = self.rest().find('\'').unwrap_or(self.rest().len());
            self.at += inside;
            self.literal(parts, start + 1, self.at, true);
        }
        if self.byte(0) == Some(quote) {
            self.at += 1;
        } else {
            let message = format!("`{}` is never closed", char::from(quote));
            self.problem(start, start + 1, message);
        }
    }

    pub(super) fn template_end(&mut self, start: usize) -> Option<usize> {
        let rest = self.source.get(start..)?;
        if !rest.starts_with("{{") || self.no_template.contains(&start) {
            return None;
        }
        let end = template_length(rest).map(|length| start + length);
        if end.is_none() {
            self.no_template = start..self.source.len();
        }
        end
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}
