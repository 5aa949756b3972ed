//! Redirections and heredocs.
use super::super::mapped::Mapped;
use super::super::word::{Part, Word};
use super::super::{closing_quote, excerpt, find};
use super::reader::{Broken, HeredocLine, Reader};
use super::words::{Mode, ends_word};
use super::{Redirect, RedirectKind};

/// An operator with what it asks for.
#[derive(Clone, Copy)]
enum Operator {
    Read,
    Write,
    Append,
    HereString,
    Heredoc {
        strip_tabs: bool,
    },
    /// `>&` and `<&`: a descriptor, or (`>&` only) a file for both outputs.
    Duplicate {
        output: bool,
    },
    ReadWrite,
}

const OPERATORS: [(&str, Operator); 12] = [
    ("&>>", Operator::Append),
    ("&>", Operator::Write),
    ("<<<", Operator::HereString),
    ("<<-", Operator::Heredoc { strip_tabs: true }),
    ("<<", Operator::Heredoc { strip_tabs: false }),
    ("<&", Operator::Duplicate { output: false }),
    ("<>", Operator::ReadWrite),
    ("<", Operator::Read),
    (">>", Operator::Append),
    (">|", Operator::Write),
    (">&", Operator::Duplicate { output: true }),
    (">", Operator::Write),
];

impl Reader<'_> {
    /// Reads a redirection if one stands here.
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>, Broken> {
        let start = self.at;
        let digits = self
            .rest()
            .bytes()
            .take_while(u8::is_ascii_digit)
            .take(10)
            .count();
        if !matches!(self.byte(digits), Some(b'<' | b'>' | b'&')) {
            return Ok(None);
        }
        let after = self.slice(start + digits, self.source.len());
        let process = after.starts_with("<(") || after.starts_with(">(");
        let Some(&(text, operator)) = OPERATORS
            .iter()
            .find(|(text, _)| after.starts_with(text) && !process)
        else {
            return Ok(None);
        };
        if digits > 0 && text.starts_with('&') {
            return Ok(None);
        }
        self.spend()?;
        let fd = self.slice(start, start + digits).parse().ok();
        self.at += digits + text.len();
        let kind = self.target(start, operator)?;
        Ok(Some(Redirect {
            fd,
            kind,
            span: self.span(start, self.at),
        }))
    }

    fn target(&mut self, start: usize, operator: Operator) -> Result<RedirectKind, Broken> {
        self.skip_blanks_before_target();
        if let Operator::Heredoc { strip_tabs } = operator {
            return self.heredoc(start, strip_tabs);
        }
        let word = self.word()?;
        if word.parts.is_empty() && !word.quoted {
            self.problem(start, self.at, "a redirection without a target");
            return Ok(RedirectKind::Other);
        }
        Ok(match operator {
            Operator::Read => RedirectKind::Read(word),
            Operator::Write => RedirectKind::Write(word),
            Operator::Append => RedirectKind::Append(word),
            Operator::HereString => RedirectKind::HereString(word),
            Operator::Duplicate { output: true } if !is_descriptor(&word) => {
                RedirectKind::Write(word)
            }
            _ => RedirectKind::Other,
        })
    }

    /// Blanks and continued line ends, but no comment: `> #x` lacks its target.
    fn skip_blanks_before_target(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') => match self.line_break(1) {
                    Some(length) => self.at += 1 + length,
                    None => return,
                },
                _ => return,
            }
        }
    }

    /// Reads the delimiter at the cursor and the body below the line; the cursor stays in the line.
    fn heredoc(&mut self, start: usize, strip_tabs: bool) -> Result<RedirectKind, Broken> {
        let (delimiter, quoted) = self.delimiter();
        if delimiter.is_empty() && !quoted {
            self.problem(start, self.at, "a heredoc without a delimiter");
            return Ok(RedirectKind::Other);
        }
        let line = match self.heredocs {
            Some(line) if line.newline >= self.at => line,
            _ => {
                let newline = self.command_line_end();
                HeredocLine {
                    newline,
                    resume: (newline + 1).min(self.source.len()),
                }
            }
        };
        let lines = self.heredoc_lines(line.resume, &delimiter, strip_tabs, !quoted);
        if !lines.ended {
            let message = format!(
                "the heredoc is not ended by a line `{}`",
                excerpt(&delimiter)
            );
            self.problem(start, self.at, message);
        }
        self.heredocs = Some(HeredocLine {
            newline: line.newline,
            resume: lines.resume,
        });
        let body = Word {
            span: self.span(line.resume, lines.body_end),
            ..self.body(&lines.body, quoted)?
        };
        Ok(RedirectKind::Heredoc { body })
    }

    /// A body as a word; nothing is expanded in it when the delimiter was quoted.
    fn body(&mut self, text: &Mapped, quoted: bool) -> Result<Word, Broken> {
        let mut reader = self.inner(text)?;
        let end = text.text().len();
        let mut word = Word {
            quoted,
            ..Word::default()
        };
        let read = if quoted {
            reader.raw(&mut word.parts, 0, end)
        } else {
            reader.parts(Mode::Heredoc, &mut word.parts).map(|_| ())
        };
        match read {
            Ok(()) => {}
            Err(Broken::GiveUp(why)) => return Err(Broken::GiveUp(why)),
            Err(Broken::Unclosed { at, what }) => {
                reader.problem(at, at + what.len(), format!("`{what}` is never closed"));
                reader.at = end;
                word.parts.clear();
                reader.opaque(&mut word.parts, 0, true);
            }
        }
        self.absorb(reader);
        Ok(word)
    }

    /// The delimiter without its quotes, and whether it had any. Nothing is expanded in it.
    fn delimiter(&mut self) -> (String, bool) {
        let mut delimiter = String::new();
        let mut quoted = false;
        let bytes = self.source.as_bytes();
        while let Some(byte) = self.peek() {
            let from = self.at;
            match byte {
                b'\'' | b'"' => {
                    quoted = true;
                    let length = self
                        .slice(from + 1, self.line_end(from))
                        .find(char::from(byte));
                    let end = length.map_or_else(|| self.line_end(from), |n| from + 1 + n);
                    delimiter.push_str(self.slice(from + 1, end));
                    self.at = (end + 1).min(bytes.len()).min(self.line_end(from));
                }
                b'\\' if self.line_break(1).is_none() => {
                    quoted = true;
                    self.at += 1;
                    if let Some(character) = self.rest().chars().next() {
                        delimiter.push(character);
                        self.at += character.len_utf8();
                    }
                }
                b'\\' => return (delimiter, quoted),
                _ if ends_word(byte) => return (delimiter, quoted),
                _ => {
                    let plain = self
                        .rest()
                        .bytes()
                        .position(|b| ends_word(b) || b"'\"\\".contains(&b));
                    self.at = plain.map_or(bytes.len(), |length| from + length);
                    delimiter.push_str(self.slice(from, self.at));
                }
            }
        }
        (delimiter, quoted)
    }

    /// The line break that ends the command line at the cursor: not one in quotes, nor a continued one.
    fn command_line_end(&self) -> usize {
        let bytes = self.source.as_bytes();
        let mut at = self.at;
        let mut between_words = false;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\n' => return at,
                b'#' if between_words => return self.line_end(at),
                b'\\' => at += 1,
                b'\'' => match find(bytes, at + 1, b'\'') {
                    Some(end) => at = end,
                    None => return self.line_end(at),
                },
                b'"' => match closing_quote(bytes, at + 1) {
                    Some(end) => at = end,
                    None => return self.line_end(at),
                },
                _ => {}
            }
            between_words = ends_word(byte);
            at += 1;
        }
        bytes.len()
    }

    /// The lines of a body that begins at `from`, up to the line that holds only the delimiter.
    fn heredoc_lines(
        &self,
        from: usize,
        delimiter: &str,
        strip_tabs: bool,
        continues: bool,
    ) -> HeredocLines {
        let mut body = Mapped::default();
        let mut at = from;
        let mut continued = false;
        while at < self.source.len() {
            let end = self.line_end(at);
            let next = (end + 1).min(self.source.len());
            let mut text_start = at;
            let line = self.slice(at, end);
            if strip_tabs && !continued {
                text_start += line.len() - line.trim_start_matches('\t').len();
            }
            let line = self.slice(text_start, end);
            let line = line.strip_suffix('\r').unwrap_or(line);
            if !continued && line == delimiter {
                return HeredocLines {
                    body,
                    body_end: at,
                    resume: next,
                    ended: true,
                };
            }
            body.append(self.text, text_start..text_start + line.len());
            body.append(self.text, end..next);
            let backslashes = line.bytes().rev().take_while(|&b| b == b'\\').count();
            continued = continues && backslashes % 2 == 1;
            at = next;
        }
        HeredocLines {
            body,
            body_end: at,
            resume: at,
            ended: false,
        }
    }
}

struct HeredocLines {
    body: Mapped,
    body_end: usize,
    /// Where the line after the delimiter begins.
    resume: usize,
    ended: bool,
}

fn is_descriptor(word: &Word) -> bool {
    match word.parts.as_slice() {
        [Part::Literal { text, .. }] => {
            let digits = text.strip_suffix('-').unwrap_or(text);
            !text.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        _ => false,
    }
}
