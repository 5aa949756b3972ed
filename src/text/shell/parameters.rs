//! `$NAME` and `${NAME…}`.
use super::super::word::{ParameterOp, Part, Word};
use super::super::{closing_quote, find};
use super::reader::{Broken, Reader};
use super::words::Mode;

impl<'m> Reader<'m> {
    /// Reads `$NAME`, `$1`, `$@`; the cursor is at the `$`, and a parameter follows.
    pub(super) fn plain_parameter(&mut self, quoted: bool) -> Part {
        let start = self.at;
        self.at += 1;
        let length = name_length(self.rest());
        self.at += length.max(1);
        Part::Parameter {
            name: self.slice(start + 1, self.at).to_owned(),
            op: ParameterOp::Plain,
            quoted,
            span: self.span(start, self.at),
        }
    }

    /// Reads `${…}`, the cursor at the `$`. What is no parameter of a shell is opaque.
    pub(super) fn braced_parameter(&mut self, quoted: bool) -> Result<Part, Broken> {
        let start = self.at;
        self.enter()?;
        self.at += 2;
        let prefix = self.prefix();
        if prefix != Prefix::None {
            self.at += 1;
        }
        let name_start = self.at;
        self.at += parameter_length(self.rest());
        let name = self.slice(name_start, self.at).to_owned();
        let subscript = self.subscript(start)?;
        let op = match prefix {
            _ if name.is_empty() => None,
            Prefix::Length => Some(ParameterOp::Length),
            Prefix::Indirect => Some(ParameterOp::Other),
            Prefix::None => self.operator(quoted)?,
        };
        if self.peek() != Some(b'}') {
            self.parts(Mode::Brace { double: quoted }, &mut Vec::new())?;
        }
        if self.peek() != Some(b'}') {
            return Err(Broken::Unclosed {
                at: start,
                what: "${",
            });
        }
        self.at += 1;
        self.leave();
        let span = self.span(start, self.at);
        Ok(match op {
            Some(op) => Part::Parameter {
                name,
                op: match (subscript, op) {
                    ("*", ParameterOp::Plain) => ParameterOp::Joined,
                    ("" | "@" | "*", op) => op,
                    // the value of one element is not known
                    _ => ParameterOp::Other,
                },
                quoted,
                span,
            },
            None => Part::Opaque {
                text: self.slice(start, self.at).to_owned(),
                quoted,
                span,
            },
        })
    }

    /// Whether `#` or `!` stands before a name, and is not the name itself.
    fn prefix(&self) -> Prefix {
        let named = parameter_length(self.slice(self.at + 1, self.source.len())) > 0;
        match self.peek() {
            Some(b'#') if named && !self.hash_is_the_name() => Prefix::Length,
            Some(b'!') if named => Prefix::Indirect,
            _ => Prefix::None,
        }
    }

    /// `${#-word}`, `${#?word}` and `${##…}` are about `$#`; `${#-}`, `${#?}` and `${##}` are lengths.
    fn hash_is_the_name(&self) -> bool {
        matches!(self.byte(1), Some(b'-' | b'?' | b'#')) && self.byte(2) != Some(b'}')
    }

    /// Skips `[…]`, and gives what stands in it; nothing where there is none.
    fn subscript(&mut self, start: usize) -> Result<&'m str, Broken> {
        if self.peek() != Some(b'[') {
            return Ok("");
        }
        let from = self.at;
        let Some(end) = closing_bracket(self.source.as_bytes(), from + 1) else {
            return Err(Broken::Unclosed {
                at: start,
                what: "${",
            });
        };
        self.at = end + 1;
        Ok(self.slice(from + 1, end))
    }

    /// Reads the operator and its words; `None` if this is no parameter of a shell.
    fn operator(&mut self, quoted: bool) -> Result<Option<ParameterOp>, Broken> {
        let colon = self.peek() == Some(b':');
        let ahead = usize::from(colon);
        let op = match self.byte(ahead) {
            Some(b'}') if !colon => return Ok(Some(ParameterOp::Plain)),
            Some(byte @ (b'-' | b'=' | b'+' | b'?')) => {
                self.at += ahead + 1;
                let word = self.brace_word(quoted)?;
                match byte {
                    b'+' => ParameterOp::Alternate {
                        or_empty: colon,
                        word,
                    },
                    b'?' => ParameterOp::Required { or_empty: colon },
                    _ => ParameterOp::Default {
                        or_empty: colon,
                        assign: byte == b'=',
                        word,
                    },
                }
            }
            Some(byte @ (b'#' | b'%')) if !colon => {
                self.at += 1;
                let longest = self.peek() == Some(byte);
                self.at += usize::from(longest);
                ParameterOp::Trim {
                    suffix: byte == b'%',
                    longest,
                    pattern: self.parts_as_word(Mode::Brace { double: false })?,
                }
            }
            Some(b'/') if !colon => self.replacement(quoted)?,
            Some(b'^' | b',' | b'@') if !colon => ParameterOp::Other,
            Some(_) if colon => ParameterOp::Other,
            _ => return Ok(None),
        };
        Ok(Some(op))
    }

    /// `/pattern/replacement`, the cursor at the first slash. The tree does not tell anchored patterns (`/#`, `/%`)
    /// from others, so their value is unknown.
    fn replacement(&mut self, quoted: bool) -> Result<ParameterOp, Broken> {
        self.at += 1;
        let all = self.peek() == Some(b'/');
        self.at += usize::from(all);
        let anchored = !all && matches!(self.peek(), Some(b'#' | b'%'));
        let pattern = self.parts_as_word(Mode::Pattern { double: quoted })?;
        if self.peek() == Some(b'/') {
            self.at += 1;
        }
        let replacement = self.brace_word(quoted)?;
        Ok(if anchored {
            ParameterOp::Other
        } else {
            ParameterOp::Replace {
                all,
                pattern,
                replacement,
            }
        })
    }

    fn brace_word(&mut self, quoted: bool) -> Result<Word, Broken> {
        self.parts_as_word(Mode::Brace { double: quoted })
    }
}

/// What stands between `${` and the name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    None,
    Length,
    Indirect,
}

/// Length of the identifier at the start of `text`.
pub(super) fn name_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    text.bytes()
        .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))
        .unwrap_or(text.len())
}

/// Length of what names a parameter inside braces: an identifier, digits or one special character.
fn parameter_length(text: &str) -> usize {
    let digits = text
        .bytes()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    if digits > 0 {
        return digits;
    }
    match name_length(text) {
        0 => usize::from(text.starts_with(['@', '*', '#', '?', '-', '$', '!'])),
        length => length,
    }
}

/// The `]` that closes a subscript which begins at `from`; it ends on its line.
pub(super) fn closing_bracket(bytes: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'[' => depth += 1,
            b']' if depth == 0 => return Some(at),
            b']' => depth -= 1,
            b'\n' => return None,
            b'\\' => at += 1,
            b'\'' => at = find(bytes, at + 1, b'\'')?,
            b'"' => at = closing_quote(bytes, at + 1)?,
            _ => {}
        }
        at += 1;
    }
}
