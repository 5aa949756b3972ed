//! Python's tokens: names, numbers, strings with their escapes and f-string holes taken apart, operators, and the line
//! structure. Nothing is refused: what is no token is skipped, and an open bracket ends with the file.
use crate::span::Span;

/// A token and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or keyword.
    Name,
    /// A number.
    Number,
    /// A string literal.
    Text(Vec<Piece>),
    /// An operator, bracket or separator.
    Mark,
    /// The end of a logical line.
    Line,
    /// A block begins.
    Indent,
    /// A block ends.
    Dedent,
}

/// A piece of a string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text, and the bytes that stand for it.
    Literal(String, Span),
    /// The expression of an f-string's braces, without format and conversion.
    Hole(Span),
}

/// Deeper indentation than this is read as this deep.
const MAX_INDENTS: usize = 100;

/// The tokens of `text`.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        brackets: 0,
        indents: vec![0],
        tokens: Vec::new(),
    };
    reader.all();
    reader.tokens
}

/// The tokens of the expression at `span`, which is on one logical line.
pub fn inside(text: &str, span: Span) -> Vec<Token> {
    let mut reader = Reader {
        text: text.get(..span.end as usize).unwrap_or_default(),
        bytes: text.as_bytes().get(..span.end as usize).unwrap_or_default(),
        at: span.start as usize,
        brackets: 1,
        indents: vec![0],
        tokens: Vec::new(),
    };
    while reader.at < reader.bytes.len() {
        reader.one();
    }
    reader.tokens
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    brackets: u32,
    indents: Vec<usize>,
    tokens: Vec<Token>,
}

impl Reader<'_> {
    fn all(&mut self) {
        while self.at < self.bytes.len() {
            let line_start = self.at == 0
                || (self.brackets == 0
                    && matches!(
                        self.tokens.last().map(|t| &t.kind),
                        None | Some(Kind::Line | Kind::Indent | Kind::Dedent)
                    ));
            if line_start && !self.indentation() {
                continue;
            }
            self.one();
        }
        self.line();
        for _ in 1..self.indents.len() {
            self.push(Kind::Dedent, self.at);
        }
    }

    fn push(&mut self, kind: Kind, from: usize) {
        self.tokens.push(Token {
            kind,
            span: Span::new(from, self.at),
        });
    }

    fn line(&mut self) {
        if !matches!(
            self.tokens.last().map(|t| &t.kind),
            None | Some(Kind::Line | Kind::Indent | Kind::Dedent)
        ) {
            self.push(Kind::Line, self.at);
        }
    }

    /// Reads the white space that begins a line; false for a line that holds nothing else.
    fn indentation(&mut self) -> bool {
        let mut width = 0;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b' ' => width += 1,
                b'\t' => width = (width / 8 + 1) * 8,
                b'\x0c' | b'\r' => {}
                _ => break,
            }
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            None => return false,
            Some(b'\n') => {
                self.at += 1;
                return false;
            }
            Some(b'#') => {
                self.comment();
                return false;
            }
            Some(_) => {}
        }
        let now = self.indents.last().copied().unwrap_or(0);
        if width > now && self.indents.len() < MAX_INDENTS {
            self.indents.push(width);
            self.push(Kind::Indent, self.at);
        }
        while self.indents.last().is_some_and(|&i| i > width) {
            self.indents.pop();
            self.push(Kind::Dedent, self.at);
        }
        true
    }

    fn comment(&mut self) {
        self.at = super::super::find(self.bytes, self.at, b'\n').unwrap_or(self.bytes.len());
    }

    fn one(&mut self) {
        let from = self.at;
        let byte = self.bytes[from];
        match byte {
            b'\n' => {
                self.at += 1;
                if self.brackets == 0 {
                    self.line();
                }
            }
            b' ' | b'\t' | b'\r' | b'\x0c' => self.at += 1,
            b'#' => self.comment(),
            b'\\' => {
                self.at += 1;
                while matches!(self.bytes.get(self.at), Some(b'\r')) {
                    self.at += 1;
                }
                if self.bytes.get(self.at) == Some(&b'\n') {
                    self.at += 1;
                }
            }
            b'"' | b'\'' => self.string(from, ""),
            b'0'..=b'9' => {
                self.take(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_');
                self.push(Kind::Number, from);
            }
            b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => {
                self.take(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80);
                let word = &self.text[from..self.at];
                let quote = matches!(self.bytes.get(self.at), Some(b'"' | b'\''));
                if quote && is_prefix(word) {
                    let prefix = word.to_ascii_lowercase();
                    self.string(from, &prefix);
                } else {
                    self.push(Kind::Name, from);
                }
            }
            _ => self.mark(),
        }
    }

    fn take(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|&b| wanted(b)) {
            self.at += 1;
        }
    }

    fn mark(&mut self) {
        const LONG: [&str; 21] = [
            "**=", "//=", ">>=", "<<=", "==", "!=", "<=", ">=", "->", ":=", "+=", "-=", "*=", "/=",
            "%=", "|=", "&=", "^=", "**", "//", "@=",
        ];
        let from = self.at;
        let rest = &self.bytes[from..];
        let long = LONG.iter().find(|m| rest.starts_with(m.as_bytes()));
        self.at += long.map_or(1, |m| m.len());
        match rest[0] {
            b'(' | b'[' | b'{' => self.brackets += 1,
            b')' | b']' | b'}' => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
        self.push(Kind::Mark, from);
    }

    /// A string literal whose quote is at hand.
    fn string(&mut self, from: usize, prefix: &str) {
        let (raw, formatted) = (prefix.contains('r'), prefix.contains('f'));
        let quote = self.bytes[self.at];
        let triple = self.bytes[self.at..].starts_with(&[quote; 3]);
        self.at += if triple { 3 } else { 1 };
        let mut pieces = Vec::new();
        let mut start = self.at;
        loop {
            let Some(&byte) = self.bytes.get(self.at) else {
                self.literal(&mut pieces, start, self.at);
                break;
            };
            let ends = byte == quote && (!triple || self.bytes[self.at..].starts_with(&[quote; 3]));
            if ends || (byte == b'\n' && !triple) {
                self.literal(&mut pieces, start, self.at);
                if ends {
                    self.at += if triple { 3 } else { 1 };
                }
                break;
            }
            match byte {
                b'\\' => {
                    self.literal(&mut pieces, start, self.at);
                    self.escape(&mut pieces, raw);
                    start = self.at;
                }
                b'{' | b'}' if formatted && self.bytes.get(self.at + 1) == Some(&byte) => {
                    self.literal(&mut pieces, start, self.at + 1);
                    self.at += 2;
                    start = self.at;
                }
                b'{' if formatted => {
                    self.literal(&mut pieces, start, self.at);
                    self.hole(&mut pieces, quote, triple);
                    start = self.at;
                }
                _ => self.at += 1,
            }
        }
        self.push(Kind::Text(pieces), from);
    }

    fn literal(&self, pieces: &mut Vec<Piece>, from: usize, to: usize) {
        if let Some(text) = self.text.get(from..to).filter(|t| !t.is_empty()) {
            pieces.push(Piece::Literal(text.to_owned(), Span::new(from, to)));
        }
    }

    fn escape(&mut self, pieces: &mut Vec<Piece>, raw: bool) {
        let from = self.at;
        let next = self.text[from + 1..].chars().next();
        self.at += 1 + next.map_or(0, char::len_utf8);
        let text = match next {
            _ if raw => self.text[from..self.at].to_owned(),
            None | Some('\n') => return,
            Some('n') => "\n".to_owned(),
            Some('t') => "\t".to_owned(),
            Some(c @ ('\\' | '\'' | '"')) => c.to_string(),
            Some(_) => self.text[from..self.at].to_owned(),
        };
        pieces.push(Piece::Literal(text, Span::new(from, self.at)));
    }

    /// `{expression!r:format}`.
    fn hole(&mut self, pieces: &mut Vec<Piece>, quote: u8, triple: bool) {
        self.at += 1;
        let from = self.at;
        let mut depth = 0_u32;
        let mut end = None;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b'}' if depth == 0 => break,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b':' if depth == 0 => {
                    end.get_or_insert(self.at);
                }
                b'!' if depth == 0 && self.bytes.get(self.at + 1) != Some(&b'=') => {
                    end.get_or_insert(self.at);
                }
                b'\n' if !triple => break,
                _ if byte == quote && !triple => break,
                _ => {}
            }
            self.at += 1;
        }
        pieces.push(Piece::Hole(Span::new(from, end.unwrap_or(self.at))));
        if self.bytes.get(self.at) == Some(&b'}') {
            self.at += 1;
        }
    }
}

fn is_prefix(word: &str) -> bool {
    word.len() <= 2
        && word
            .bytes()
            .all(|b| matches!(b.to_ascii_lowercase(), b'r' | b'b' | b'f' | b'u' | b't'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let word = |token: &Token| match &token.kind {
            Kind::Line => "NL".to_owned(),
            Kind::Indent => "IN".to_owned(),
            Kind::Dedent => "OUT".to_owned(),
            Kind::Text(pieces) => {
                let piece = |p: &Piece| match p {
                    Piece::Literal(text, _) => text.clone(),
                    Piece::Hole(span) => format!("{{{}}}", &text[span.range()]),
                };
                format!("'{}'", pieces.iter().map(piece).collect::<String>())
            }
            _ => text[token.span.range()].to_owned(),
        };
        tokens(text).iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_blocks_and_strings_are_found() {
        for (text, want) in [
            ("a = 1\r\nb += '2'\r\n", "a = 1 NL b += '2' NL"),
            (
                "if a:\n\tb\n\n# c\n    \n\tc\nd",
                "if a : NL IN b NL c NL OUT d NL",
            ),
            ("x = [1,\n  2] # no\ny", "x = [ 1 , 2 ] NL y NL"),
            ("a \\\n  b\n", "a b NL"),
            (r#"f"a{b:>3}c{{d}}" r'\n' "\n""#, "'a{b}c{d}' '\\n' '\n' NL"),
            ("'''a\nb''' 'open\nc", "'a\nb' 'open' NL c NL"),
            (r#"f"{x!r}{d['k']}""#, "'{x}{d['k']}' NL"),
            ("é = ü", "é = ü NL"),
            ("", ""),
            ("f\"{", "'{}' NL"),
            ("(((", "( ( ( NL"),
        ] {
            assert_eq!(show(text), want, "{text:?}");
        }
    }
}
