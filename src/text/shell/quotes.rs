//! Quotes and escapes.
use super::super::word::Part;
use super::reader::{Broken, Reader};
use super::words::{Mode, Opening, push};

impl Reader<'_> {
    /// What the backslash at the cursor does.
    pub(super) fn escape(&self, mode: Mode) -> Opening {
        if self.line_break(1).is_some() {
            return Opening::Escape { length: None };
        }
        let Some(next) = self.slice(self.at + 1, self.source.len()).chars().next() else {
            return Opening::Text;
        };
        let escapes = match mode {
            Mode::Double => matches!(next, '$' | '`' | '"' | '\\'),
            Mode::Heredoc => matches!(next, '$' | '`' | '\\'),
            Mode::Brace { double: true } => matches!(next, '$' | '`' | '"' | '\\' | '}'),
            _ => true,
        };
        if escapes {
            let length = Some(next.len_utf8());
            Opening::Escape { length }
        } else {
            Opening::Text
        }
    }

    /// Goes past an escape, and gives where the text that is not yet a part begins: inside quotes the escaped character
    /// is text like what follows it, outside it is a quoted part of its own.
    pub(super) fn escaped(
        &mut self,
        length: Option<usize>,
        mode: Mode,
        parts: &mut Vec<Part>,
    ) -> Result<usize, Broken> {
        let text = self.at + 1;
        let Some(length) = length else {
            self.at = text + self.line_break(1).unwrap_or_default();
            return Ok(self.at);
        };
        self.at = text + length;
        if mode.quoted() {
            return Ok(text);
        }
        self.literal(parts, text, self.at, true)?;
        Ok(self.at)
    }

    pub(super) fn single_quoted(&mut self, parts: &mut Vec<Part>) -> Result<(), Broken> {
        let start = self.at + 1;
        let Some(length) = self.slice(start, self.source.len()).find('\'') else {
            return Err(Broken::Unclosed {
                at: self.at,
                what: "'",
            });
        };
        self.raw(parts, start, start + length)?;
        self.at = start + length + 1;
        Ok(())
    }

    /// Adds text in which nothing is special but template expressions, which are filled in before any shell runs.
    pub(super) fn raw(
        &mut self,
        parts: &mut Vec<Part>,
        start: usize,
        end: usize,
    ) -> Result<(), Broken> {
        let mut from = start;
        let mut look = start;
        while let Some(found) = self.slice(look, end).find("{{") {
            let brace = look + found;
            let open = if brace > from && self.slice(brace - 1, brace) == "$" {
                brace - 1
            } else {
                brace
            };
            match self.template_end(brace).filter(|&close| close <= end) {
                Some(close) => {
                    self.spend()?;
                    self.literal(parts, from, open, true)?;
                    self.at = close;
                    self.opaque(parts, open, true);
                    from = close;
                    look = close;
                }
                None => look = brace + 2,
            }
        }
        self.literal(parts, from, end, true)
    }

    /// Reads `"…"`, the opening quote at the cursor; `start` is where what is quoted begins.
    pub(super) fn double_quoted(
        &mut self,
        start: usize,
        parts: &mut Vec<Part>,
    ) -> Result<(), Broken> {
        self.at += 1;
        self.parts(Mode::Double, parts)?;
        if self.peek() != Some(b'"') {
            return Err(Broken::Unclosed {
                at: start,
                what: "\"",
            });
        }
        self.at += 1;
        Ok(())
    }

    /// `$'…'`: a decoded escape is a literal of its own, at the character after its backslash.
    pub(super) fn ansi_quoted(&mut self, parts: &mut Vec<Part>) -> Result<(), Broken> {
        let start = self.at;
        self.at += 2;
        let mut from = self.at;
        loop {
            match self.peek() {
                None => {
                    return Err(Broken::Unclosed {
                        at: start,
                        what: "$'",
                    });
                }
                Some(b'\'') => break,
                Some(b'\\') if self.byte(1).is_some() => {
                    self.literal(parts, from, self.at, true)?;
                    self.spend()?;
                    let (text, length) = decode_escape(self.slice(self.at + 1, self.source.len()));
                    let at = self.at + 1;
                    let decoded = Part::Literal {
                        text: text.into(),
                        span: self.span(at, at + length),
                        quoted: true,
                    };
                    push(parts, decoded);
                    self.at = at + length;
                    from = self.at;
                }
                Some(_) => self.at += 1,
            }
        }
        self.literal(parts, from, self.at, true)?;
        self.at += 1;
        Ok(())
    }
}

/// The character of an escape in `$'…'`, given what follows the backslash, and how many bytes of it the escape takes.
fn decode_escape(after: &str) -> (char, usize) {
    let Some(first) = after.chars().next() else {
        return ('\\', 0);
    };
    let number = |skip: usize, most: usize, radix: u32| {
        let digits = after
            .bytes()
            .skip(skip)
            .take(most)
            .take_while(|&b| char::from(b).is_digit(radix))
            .count();
        let value = after
            .get(skip..skip + digits)
            .and_then(|d| u32::from_str_radix(d, radix).ok());
        match value {
            Some(value) => (
                char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
                skip + digits,
            ),
            None => (first, 1),
        }
    };
    match first {
        'n' => ('\n', 1),
        't' => ('\t', 1),
        'r' => ('\r', 1),
        'a' => ('\u{7}', 1),
        'b' => ('\u{8}', 1),
        'e' | 'E' => ('\u{1b}', 1),
        'f' => ('\u{c}', 1),
        'v' => ('\u{b}', 1),
        'x' => number(1, 2, 16),
        'u' => number(1, 4, 16),
        'U' => number(1, 8, 16),
        '0'..='7' => number(0, 3, 8),
        other => (other, other.len_utf8()),
    }
}
