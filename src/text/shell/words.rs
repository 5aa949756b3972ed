//! Words: quotes, escapes and expansions.
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

    const fn single_quotes(self) -> bool {
        matches!(
            self,
            Self::Word | Self::Split | Self::Brace { double: false } | Self::Pattern { .. }
        )
    }

    fn double_quotes(self) -> bool {
        !matches!(self, Self::Double | Self::Heredoc)
    }

    /// Whether `byte` may end the parts or mean something; all others are text.
    const fn special(self, byte: u8) -> bool {
        match byte {
            b'$' | b'`' | b'\\' | b'{' => true,
            b'"' => !matches!(self, Self::Heredoc),
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

    /// The answers of [`Self::special`] for all bytes.
    fn specials(self) -> &'static [bool; 256] {
        match self {
            Self::Word => &const { specials(Self::Word) },
            Self::Split => &const { specials(Self::Split) },
            Self::Double => &const { specials(Self::Double) },
            Self::Heredoc => &const { specials(Self::Heredoc) },
            Self::Brace { double: true } => &const { specials(Self::Brace { double: true }) },
            Self::Brace { double: false } => &const { specials(Self::Brace { double: false }) },
            Self::Pattern { .. } => &const { specials(Self::Pattern { double: false }) },
        }
    }
}

const fn specials(mode: Mode) -> [bool; 256] {
    let mut specials = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        specials[byte] = mode.special(byte as u8);
        byte += 1;
    }
    specials
}

/// Blanks, line breaks and operators.
pub(super) const fn ends_word(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
    )
}

/// What a special byte begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// Nothing: it ends the parts.
    End,
    /// Nothing: it is text.
    Text,
    /// A backslash, with what it takes: a character, or a line break that vanishes.
    Escape {
        /// How many bytes of text follow the backslash; `None` for a line break.
        length: Option<usize>,
    },
    SingleQuote,
    DoubleQuote,
    /// `$'`
    DollarSingleQuote,
    /// `$"`
    DollarDoubleQuote,
    Backtick,
    /// `$NAME`
    Parameter,
    /// `${`
    Brace,
    /// `$(` and `$((`
    Parenthesis,
    /// `<(` and `>(`
    Process,
    /// `(` after one of `?*+@!`
    PatternList,
    /// A template expression.
    Opaque {
        /// Where it ends.
        end: usize,
    },
}

impl Opening {
    fn quotes(self) -> bool {
        matches!(
            self,
            Self::SingleQuote
                | Self::DoubleQuote
                | Self::DollarSingleQuote
                | Self::DollarDoubleQuote
                | Self::Escape { length: Some(_) }
        )
    }
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
            self.spend()?;
            let start = self.at;
            let opening = match self.opening(byte, mode) {
                Opening::End => break,
                Opening::Text => {
                    self.at += 1;
                    continue;
                }
                opening => opening,
            };
            self.literal(parts, from, start, mode.quoted())?;
            any_quoted |= opening.quotes();
            from = match opening {
                Opening::Escape { length } => self.escaped(length, mode, parts)?,
                _ => {
                    self.part(opening, mode, parts)?;
                    self.at
                }
            };
        }
        self.literal(parts, from, self.at, mode.quoted())?;
        Ok(any_quoted)
    }

    /// What the special byte at the cursor does.
    fn opening(&mut self, byte: u8, mode: Mode) -> Opening {
        match byte {
            b'\\' => self.escape(mode),
            b'\'' if mode.single_quotes() => Opening::SingleQuote,
            b'"' if mode.double_quotes() => Opening::DoubleQuote,
            b'$' => self.dollar(mode),
            b'`' => Opening::Backtick,
            b'{' => match self.template_end(self.at) {
                Some(end) => Opening::Opaque { end },
                None => Opening::Text,
            },
            b'<' | b'>' if mode == Mode::Word && self.byte(1) == Some(b'(') => Opening::Process,
            b'(' if mode == Mode::Word && self.extended_glob() => Opening::PatternList,
            b'\r' if mode == Mode::Word && self.byte(1) != Some(b'\n') => Opening::Text,
            _ => Opening::End,
        }
    }

    /// Reads the part that `opening` begins at the cursor.
    fn part(&mut self, opening: Opening, mode: Mode, parts: &mut Vec<Part>) -> Result<(), Broken> {
        let start = self.at;
        let quoted = mode.quoted();
        match opening {
            Opening::SingleQuote => self.single_quoted(parts),
            Opening::DoubleQuote => self.double_quoted(start, parts),
            Opening::DollarSingleQuote => self.ansi_quoted(parts),
            Opening::DollarDoubleQuote => {
                self.at += 1;
                self.double_quoted(start, parts)
            }
            Opening::Backtick => self.backticks(quoted, parts),
            Opening::Parenthesis => self.dollar_parenthesis(quoted, parts),
            Opening::Process => self.process_substitution(parts),
            Opening::PatternList => self.pattern_list(parts),
            Opening::Opaque { end } => {
                self.at = end;
                self.opaque(parts, start, quoted);
                Ok(())
            }
            Opening::Brace => {
                let part = self.braced_parameter(quoted)?;
                push(parts, part);
                Ok(())
            }
            Opening::Parameter => {
                let part = self.plain_parameter(quoted);
                push(parts, part);
                Ok(())
            }
            Opening::End | Opening::Text | Opening::Escape { .. } => Ok(()),
        }
    }

    /// Goes to the next byte that is not plain text.
    fn next_special(&mut self, mode: Mode) -> Option<u8> {
        let rest = self.source.as_bytes().get(self.at..)?;
        let specials = mode.specials();
        match rest.iter().position(|&byte| specials[usize::from(byte)]) {
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
    pub(super) fn literal(
        &mut self,
        parts: &mut Vec<Part>,
        from: usize,
        to: usize,
        quoted: bool,
    ) -> Result<(), Broken> {
        for literal in Part::literals(self.text, from..to, quoted) {
            self.spend()?;
            push(parts, literal);
        }
        Ok(())
    }

    /// Adds the source text from `start` to the cursor as an opaque part.
    pub(super) fn opaque(&self, parts: &mut Vec<Part>, start: usize, quoted: bool) {
        let opaque = Part::Opaque {
            text: self.slice(start, self.at).to_owned(),
            quoted,
            span: self.span(start, self.at),
        };
        push(parts, opaque);
    }

    /// The end of the template expression whose `{{` is at `start`; it ends on its line.
    pub(super) fn template_end(&mut self, start: usize) -> Option<usize> {
        let rest = self.source.get(start..)?;
        if !rest.starts_with("{{") || self.no_template.contains(&start) {
            return None;
        }
        let end = template_length(rest).map(|length| start + length);
        if end.is_none() {
            self.no_template = start..self.line_end(start);
        }
        end
    }
}

/// Adds a part. Most words have one, and room for four costs memory in long texts.
pub(super) fn push(parts: &mut Vec<Part>, part: Part) {
    if parts.capacity() == 0 {
        parts.reserve_exact(1);
    }
    parts.push(part);
}
