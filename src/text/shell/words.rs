//! Words: quotes, escapes and expansions.
use super::super::mapped::Mapped;
use super::super::template::template_length;
use super::super::word::{Part, Word};
use super::reader::{Broken, Reader};

/// Where a run of parts stands, which decides what is special in it and what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A plain word: ends at a blank or an operator.
    Word,
    /// A word of text that is only split: ends at white space.
    Split,
    /// Inside `"…"`.
    Double,
    /// The body of a heredoc whose variables are expanded: ends with the text.
    Heredoc,
    /// The word of `${NAME:-word}`: ends at `}`.
    Brace {
        /// Inside double quotes, where single quotes are text.
        double: bool,
    },
    /// The pattern of `${NAME/pattern/…}`: ends at `/` or `}`.
    Pattern {
        /// Inside double quotes.
        double: bool,
    },
}

impl Mode {
    pub(super) fn quoted(self) -> bool {
        match self {
            Self::Word | Self::Split => false,
            Self::Double | Self::Heredoc => true,
            Self::Brace { double } | Self::Pattern { double } => double,
        }
    }

    fn single_quotes(self) -> bool {
        matches!(
            self,
            Self::Word | Self::Split | Self::Brace { double: false } | Self::Pattern { .. }
        )
    }

    fn double_quotes(self) -> bool {
        !matches!(self, Self::Double | Self::Heredoc)
    }

    /// Whether `byte` may end the parts or mean something; all others are text.
    fn special(self, byte: u8) -> bool {
        match byte {
            b'$' | b'`' | b'\\' | b'{' => true,
            b'"' => self != Self::Heredoc,
            b'\'' => self.single_quotes(),
            b'}' => matches!(self, Self::Brace { .. } | Self::Pattern { .. }),
            b'/' => matches!(self, Self::Pattern { .. }),
            _ => match self {
                Self::Word => ends_word(byte),
                Self::Split => byte.is_ascii_whitespace(),
                _ => false,
            },
        }
    }
}

/// Blanks, line breaks and operators.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
    )
}

impl Reader<'_> {
    /// Reads one word; empty when no word stands here.
    pub(super) fn word(&mut self) -> Result<Word, Broken> {
        self.parts_as_word(Mode::Word)
    }

    /// Reads parts up to what ends them in `mode` and makes them a word.
    pub(super) fn parts_as_word(&mut self, mode: Mode) -> Result<Word, Broken> {
        let start = self.at;
        let mut parts = Vec::new();
        let quoted = self.parts(mode, &mut parts)?;
        Ok(Word {
            parts,
            quoted,
            span: self.span(start, self.at),
        })
    }

    /// Reads parts, and tells whether any quote or escape was among them. Stops before what ends them.
    pub(super) fn parts(&mut self, mode: Mode, parts: &mut Vec<Part>) -> Result<bool, Broken> {
        let mut any_quoted = false;
        let mut from = self.at;
        while let Some(byte) = self.next_special(mode) {
            let start = self.at;
            match byte {
                b'\\' => {
                    let Some(escaped) = self.escaped(mode) else {
                        self.at += 1;
                        continue;
                    };
                    self.literal(parts, from, start, mode.quoted());
                    self.at += 1 + escaped.length;
                    from = self.at;
                    if escaped.kept {
                        any_quoted = true;
                        from = start + 1;
                        if !mode.quoted() {
                            self.literal(parts, from, self.at, true);
                            from = self.at;
                        }
                    }
                }
                b'\'' if mode.single_quotes() => {
                    self.literal(parts, from, start, mode.quoted());
                    self.single_quoted(parts)?;
                    any_quoted = true;
                    from = self.at;
                }
                b'"' if mode.double_quotes() => {
                    self.literal(parts, from, start, mode.quoted());
                    self.double_quoted(start, parts)?;
                    any_quoted = true;
                    from = self.at;
                }
                b'$' if self.starts_expansion(mode) => {
                    self.literal(parts, from, start, mode.quoted());
                    any_quoted |= self.expansion(mode, parts)?;
                    from = self.at;
                }
                b'`' => {
                    self.literal(parts, from, start, mode.quoted());
                    self.backticks(mode.quoted(), parts)?;
                    from = self.at;
                }
                b'{' => match self.template_end(start) {
                    Some(end) => {
                        self.literal(parts, from, start, mode.quoted());
                        self.at = end;
                        self.opaque(parts, start, mode.quoted());
                        from = end;
                    }
                    None => self.at += 1,
                },
                b'<' | b'>' if mode == Mode::Word && self.byte(1) == Some(b'(') => {
                    self.literal(parts, from, start, false);
                    self.process_substitution(parts)?;
                    from = self.at;
                }
                b'(' if mode == Mode::Word && start > from && self.extended_glob() => {
                    self.literal(parts, from, start, false);
                    self.pattern_list(parts)?;
                    from = self.at;
                }
                b'$' => self.at += 1,
                b'\r' if mode == Mode::Word && self.byte(1) != Some(b'\n') => self.at += 1,
                _ => break,
            }
        }
        self.literal(parts, from, self.at, mode.quoted());
        Ok(any_quoted)
    }

    /// Goes to the next byte that is not plain text.
    fn next_special(&mut self, mode: Mode) -> Option<u8> {
        let rest = self.source.as_bytes().get(self.at..)?;
        match rest.iter().position(|&byte| mode.special(byte)) {
            Some(length) => {
                self.at += length;
                self.peek()
            }
            None => {
                self.at = self.source.len();
                None
            }
        }
    }

    /// Adds source text as literals, one for each run that is contiguous in the file.
    pub(super) fn literal(&self, parts: &mut Vec<Part>, from: usize, to: usize, quoted: bool) {
        let mut from = from;
        while from < to {
            let end = self.text.run_end(from).min(to);
            reserve_one(parts);
            parts.push(Part::Literal {
                text: self.slice(from, end).to_owned(),
                span: self.span(from, end),
                quoted,
            });
            from = end;
        }
    }

    /// Adds the source text from `start` to the cursor as an opaque part.
    pub(super) fn opaque(&self, parts: &mut Vec<Part>, start: usize, quoted: bool) {
        reserve_one(parts);
        parts.push(Part::Opaque {
            text: self.slice(start, self.at).to_owned(),
            quoted,
            span: self.span(start, self.at),
        });
    }

    /// What the backslash at the cursor takes with it; `None` if it stands for itself.
    fn escaped(&self, mode: Mode) -> Option<Escaped> {
        if let Some(length) = self.line_break(1) {
            return Some(Escaped {
                length,
                kept: false,
            });
        }
        let next = self.byte(1)?;
        let escapes = match mode {
            Mode::Word | Mode::Split | Mode::Brace { double: false } | Mode::Pattern { .. } => true,
            Mode::Double => matches!(next, b'$' | b'`' | b'"' | b'\\'),
            Mode::Heredoc => matches!(next, b'$' | b'`' | b'\\'),
            Mode::Brace { double: true } => matches!(next, b'$' | b'`' | b'"' | b'\\' | b'}'),
        };
        let length = self.slice(self.at + 1, self.source.len()).chars().next()?;
        escapes.then_some(Escaped {
            length: length.len_utf8(),
            kept: true,
        })
    }

    fn single_quoted(&mut self, parts: &mut Vec<Part>) -> Result<(), Broken> {
        let start = self.at + 1;
        let Some(length) = self.slice(start, self.source.len()).find('\'') else {
            return Err(Broken::Unclosed {
                at: self.at,
                what: "'",
            });
        };
        self.raw(parts, start, start + length);
        self.at = start + length + 1;
        Ok(())
    }

    /// Adds text in which nothing is special but template expressions, which are filled in before any shell runs.
    pub(super) fn raw(&mut self, parts: &mut Vec<Part>, start: usize, end: usize) {
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
                    self.literal(parts, from, open, true);
                    self.at = close;
                    self.opaque(parts, open, true);
                    from = close;
                    look = close;
                }
                None => look = brace + 2,
            }
        }
        self.literal(parts, from, end, true);
    }

    /// Reads `"…"`, the opening quote at the cursor; `start` is where what is quoted begins.
    fn double_quoted(&mut self, start: usize, parts: &mut Vec<Part>) -> Result<(), Broken> {
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

    /// The end of the template expression whose `{{` is at `start`; it ends on its line.
    pub(super) fn template_end(&mut self, start: usize) -> Option<usize> {
        let rest = self.source.get(start..)?;
        if !rest.starts_with("{{") || self.no_template.contains(&start) {
            return None;
        }
        let line = rest.get(..self.line_end(start) - start)?;
        match template_length(line) {
            Some(length) => Some(start + length),
            None => {
                self.no_template = start..start + line.len();
                None
            }
        }
    }

    fn starts_expansion(&self, mode: Mode) -> bool {
        match self.byte(1) {
            Some(b'{' | b'(') => true,
            Some(b'\'' | b'"') => !mode.quoted(),
            Some(byte) => starts_parameter(byte),
            None => false,
        }
    }

    /// Reads what `$` begins; tells whether it was a quote.
    fn expansion(&mut self, mode: Mode, parts: &mut Vec<Part>) -> Result<bool, Broken> {
        let start = self.at;
        let quoted = mode.quoted();
        match self.byte(1) {
            Some(b'{') => match self.template_end(start + 1) {
                Some(end) => {
                    self.at = end;
                    self.opaque(parts, start, quoted);
                }
                None => {
                    let part = self.braced_parameter(quoted)?;
                    reserve_one(parts);
                    parts.push(part);
                }
            },
            Some(b'(') => self.dollar_parenthesis(quoted, parts)?,
            Some(b'\'') => {
                self.ansi_quoted(parts)?;
                return Ok(true);
            }
            Some(b'"') => {
                self.at += 1;
                self.double_quoted(start, parts)?;
                return Ok(true);
            }
            _ => {
                let part = self.plain_parameter(quoted);
                reserve_one(parts);
                parts.push(part);
            }
        }
        Ok(false)
    }

    fn dollar_parenthesis(&mut self, quoted: bool, parts: &mut Vec<Part>) -> Result<(), Broken> {
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
        reserve_one(parts);
        parts.push(Part::Command {
            script: Box::new(script),
            quoted,
            span: self.span(start, self.at),
        });
        Ok(())
    }

    /// `<(…)` and `>(…)`: a file name that only run time knows.
    fn process_substitution(&mut self, parts: &mut Vec<Part>) -> Result<(), Broken> {
        let start = self.at;
        self.at += 2;
        self.parenthesised(start, "<(")?;
        self.opaque(parts, start, false);
        Ok(())
    }

    /// Whether the `(` at the cursor follows one of `?*+@!`, as in `!(a|b)`.
    fn extended_glob(&self) -> bool {
        let before = self.at.checked_sub(1);
        before
            .and_then(|at| self.source.as_bytes().get(at))
            .is_some_and(|byte| b"?*+@!".contains(byte))
    }

    fn pattern_list(&mut self, parts: &mut Vec<Part>) -> Result<(), Broken> {
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
        let mut depth = 0usize;
        let mut at = from;
        loop {
            match bytes.get(at)? {
                b'(' => depth += 1,
                b')' if depth == 0 => return Some(at),
                b')' => depth -= 1,
                b'\\' => at += 1,
                b'\'' => at += 1 + bytes.get(at + 1..)?.iter().position(|&b| b == b'\'')?,
                b'"' => at = closing_quote(bytes, at + 1)?,
                _ => {}
            }
            at += 1;
        }
    }

    fn backticks(&mut self, quoted: bool, parts: &mut Vec<Part>) -> Result<(), Broken> {
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
                        self.copy(&mut inner, from, at);
                        from = at + 1;
                    }
                    at += 2;
                }
                Some(_) => at += 1,
            }
        }
        self.copy(&mut inner, from, at);
        self.at = at + 1;
        self.enter()?;
        let mut reader = Reader::new(&inner, self.depth);
        let script = reader.whole()?;
        self.absorb(reader.problems);
        self.leave();
        reserve_one(parts);
        parts.push(Part::Command {
            script: Box::new(script),
            quoted,
            span: self.span(start, self.at),
        });
        Ok(())
    }

    /// Appends a range of the text to another text, places kept.
    pub(super) fn copy(&self, into: &mut Mapped, from: usize, to: usize) {
        let mut from = from;
        while from < to {
            let end = self.text.run_end(from).min(to);
            into.push(self.slice(from, end), self.text.origin(from));
            from = end;
        }
    }

    /// `$'…'`: a decoded escape is a literal of its own, at the character after its backslash.
    fn ansi_quoted(&mut self, parts: &mut Vec<Part>) -> Result<(), Broken> {
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
                    self.literal(parts, from, self.at, true);
                    let (text, length) = decode_escape(self.slice(self.at + 1, self.source.len()));
                    let at = self.at + 1;
                    reserve_one(parts);
                    parts.push(Part::Literal {
                        text: text.into(),
                        span: self.span(at, at + length),
                        quoted: true,
                    });
                    self.at = at + length;
                    from = self.at;
                }
                Some(_) => self.at += 1,
            }
        }
        self.literal(parts, from, self.at, true);
        self.at += 1;
        Ok(())
    }
}

/// What follows a backslash.
struct Escaped {
    /// Its length in bytes.
    length: usize,
    /// Whether it is text; a continued line end is not.
    kept: bool,
}

/// Most words have one part, and room for four costs memory in long texts.
fn reserve_one(parts: &mut Vec<Part>) {
    if parts.capacity() == 0 {
        parts.reserve_exact(1);
    }
}

/// Whether `byte` after `$` names a parameter.
pub(super) fn starts_parameter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_@*#?-$!".contains(&byte)
}

/// The unescaped `"` at or after `from`.
pub(super) fn closing_quote(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
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
