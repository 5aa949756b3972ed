//! `$NAME` and `${NAME…}` as BuildKit knows them.
use super::super::word::{ParameterOp, Part};
use super::words::{Until, Words};

impl<'t> Words<'t> {
    /// Whether a parameter begins with the `$` at the cursor.
    pub(super) fn starts_parameter(&self) -> bool {
        let next = self.slice(self.at + 1, self.source.len()).chars().next();
        next.is_some_and(|c| c == '{' || c == '_' || c.is_alphanumeric() || is_special(c))
    }

    /// Reads `$NAME` or `${NAME…}`, the cursor at the `$`.
    pub(super) fn parameter(&mut self, quoted: bool) -> Part {
        let start = self.at;
        if self.byte(1) != Some(b'{') {
            self.at += 1;
            let name = self.parameter_name();
            return Part::Parameter {
                name: name.to_owned(),
                op: ParameterOp::Plain,
                quoted,
                span: self.text.span(start, self.at),
            };
        }
        if let Some(end) = self.template_end(start + 1) {
            self.at = end;
            return self.opaque(start, quoted);
        }
        self.at += "${".len();
        self.enter();
        let name = self.parameter_name();
        let op = if name.is_empty() {
            None
        } else {
            self.operator()
        };
        if op.is_none() {
            self.problem(start, self.at, "BuildKit does not know this substitution");
            self.word(Until::Brace);
        }
        if self.byte(0) == Some(b'}') {
            self.at += 1;
        } else {
            self.problem(start, start + "${".len(), "`${` is never closed");
        }
        self.leave();
        match op {
            Some(op) => Part::Parameter {
                name: name.to_owned(),
                op,
                quoted,
                span: self.text.span(start, self.at),
            },
            None => self.opaque(start, quoted),
        }
    }

    /// Reads digits, one special character, or letters, digits and underscores.
    fn parameter_name(&mut self) -> &'t str {
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or(' ');
        let length = if is_special(first) {
            1
        } else if first.is_numeric() {
            rest.find(|c: char| !c.is_numeric()).unwrap_or(rest.len())
        } else {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len())
        };
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Reads what follows the name inside the braces; `None` for a form that BuildKit refuses.
    fn operator(&mut self) -> Option<ParameterOp> {
        let or_empty = self.byte(0) == Some(b':');
        let operator = self.byte(usize::from(or_empty));
        if operator == Some(b'}') && !or_empty {
            return Some(ParameterOp::Plain);
        }
        let taken = usize::from(or_empty) + 1;
        match operator? {
            b'-' => {
                self.at += taken;
                Some(ParameterOp::Default {
                    or_empty,
                    assign: false,
                    word: self.word(Until::Brace),
                })
            }
            b'+' => {
                self.at += taken;
                Some(ParameterOp::Alternate {
                    or_empty,
                    word: self.word(Until::Brace),
                })
            }
            b'?' => {
                self.at += taken;
                self.word(Until::Brace);
                Some(ParameterOp::Required { or_empty })
            }
            byte @ (b'#' | b'%') if !or_empty => {
                self.at += 1;
                let longest = self.byte(0) == Some(byte);
                self.at += usize::from(longest);
                Some(ParameterOp::Trim {
                    suffix: byte == b'%',
                    longest,
                    pattern: self.word(Until::Brace),
                })
            }
            b'/' if !or_empty => {
                self.at += 1;
                let all = self.byte(0) == Some(b'/');
                self.at += usize::from(all);
                let pattern = self.word(Until::Slash);
                self.at += usize::from(self.byte(0) == Some(b'/'));
                Some(ParameterOp::Replace {
                    all,
                    pattern,
                    replacement: self.word(Until::Brace),
                })
            }
            _ => None,
        }
    }
}

fn is_special(character: char) -> bool {
    matches!(character, '@' | '*' | '#' | '?' | '-' | '$' | '!')
}
