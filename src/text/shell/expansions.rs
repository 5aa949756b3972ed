//! Substitutions and what else stands for text that only run time knows.
use super::super::mapped::Mapped;
use super::super::word::Part;
use super::super::{closing_quote, find};
use super::reader::{Broken, Reader};
use super::words::{Mode, Opening, push};

/// Longest arithmetic expression or pattern list looked for, so that an open one costs no search of the whole text.
const MAX_PARENTHESES: usize = 1 << 14;

impl Reader<'_> {
    /// What the `$` at the cursor begins.
    pub(super) fn dollar(&mut self, mode: Mode) -> Opening {
        match self.byte(1) {
            Some(b'{') => match self.template_end(self.at + 1) {
                Some(end) => Opening::Opaque { end },
                None => Opening::Brace,
            },
            Some(b'(') => Opening::Parenthesis,
            Some(b'\'') if !mode.quoted() => Opening::DollarSingleQuote,
            Some(b'"') if !mode.quoted() => Opening::DollarDoubleQuote,
            Some(byte) if starts_parameter(byte) => Opening::Parameter,
            _ => Opening::Text,
        }
    }

    pub(super) fn dollar_parenthesis(
        &mut self,
        quoted: bool,
        parts: &mut Vec<Part>,
    ) -> Result<(), Broken> {
        let start = self.at;
        if self.byte(2) == Some(b'(')
            && let Some(end) = self.arithmetic_end(start + 3)
        {
            self.at = end;
            self.opaque(parts, start, quoted);
            return Ok(());
        }
        self.at += 2;
        let script = self.parenthesised(start, "$(")?;
        let command = Part::Command {
            script: Box::new(script),
            quoted,
            span: self.span(start, self.at),
        };
        push(parts, command);
        Ok(())
    }

    /// `<(…)` and `>(…)`: a file name that only run time knows.
    pub(super) fn process_substitution(&mut self, parts: &mut Vec<Part>) -> Result<(), Broken> {
        let start = self.at;
        self.at += 2;
        self.parenthesised(start, "<(")?;
        self.opaque(parts, start, false);
        Ok(())
    }

    /// Whether the `(` at the cursor follows one of `?*+@!`, as in `!(a|b)`.
    pub(super) fn extended_glob(&self) -> bool {
        let before = self.slice(0, self.at);
        before.ends_with(['?', '*', '+', '@', '!'])
    }

    pub(super) fn pattern_list(&mut self, parts: &mut Vec<Part>) -> Result<(), Broken> {
        let start = self.at;
        match self.closing_parenthesis(start + 1) {
            Some(close) => self.at = close + 1,
            None => {
                return Err(Broken::Unclosed {
                    at: start,
                    what: "(",
                });
            }
        }
        self.opaque(parts, start, false);
        Ok(())
    }

    /// Just past the `))` that ends an arithmetic expression which begins at `from`; `None` if it is none.
    pub(super) fn arithmetic_end(&self, from: usize) -> Option<usize> {
        let close = self.closing_parenthesis(from)?;
        (self.source.as_bytes().get(close + 1) == Some(&b')')).then_some(close + 2)
    }

    /// The `)` that closes what was opened before `from`, quotes skipped.
    fn closing_parenthesis(&self, from: usize) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let bytes = bytes.get(..bytes.len().min(from + MAX_PARENTHESES))?;
        let mut depth = 0usize;
        let mut at = from;
        loop {
            match bytes.get(at)? {
                b'(' => depth += 1,
                b')' if depth == 0 => return Some(at),
                b')' => depth -= 1,
                b'\\' => at += 1,
                b'\'' => at = find(bytes, at + 1, b'\'')?,
                b'"' => at = closing_quote(bytes, at + 1)?,
                _ => {}
            }
            at += 1;
        }
    }

    pub(super) fn backticks(&mut self, quoted: bool, parts: &mut Vec<Part>) -> Result<(), Broken> {
        let start = self.at;
        let bytes = self.source.as_bytes();
        let mut inner = Mapped::default();
        let mut from = start + 1;
        let mut at = from;
        loop {
            match bytes.get(at) {
                None => {
                    return Err(Broken::Unclosed {
                        at: start,
                        what: "`",
                    });
                }
                Some(b'`') => break,
                Some(b'\\') => {
                    let escapes = match bytes.get(at + 1) {
                        Some(b'`' | b'\\' | b'$') => true,
                        Some(b'"') => quoted,
                        _ => false,
                    };
                    if escapes {
                        inner.append(self.text, from..at);
                        from = at + 1;
                    }
                    at += 2;
                }
                Some(_) => at += 1,
            }
        }
        inner.append(self.text, from..at);
        self.at = at + 1;
        let mut reader = self.inner(&inner)?;
        let script = reader.whole()?;
        self.absorb(reader);
        let command = Part::Command {
            script: Box::new(script),
            quoted,
            span: self.span(start, self.at),
        };
        push(parts, command);
        Ok(())
    }
}

/// Whether `byte` after `$` names a parameter.
pub(super) fn starts_parameter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_@*#?-$!".contains(&byte)
}
