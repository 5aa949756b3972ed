//! Rust source as tokens: enough to see which strings and names a build script holds, and in which order.
use crate::span::Span;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its bytes; of a string, those between its quotes.
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a number.
    Word(String),
    /// A string or a character, without escapes.
    Text(String),
    /// Any other character.
    Sign(char),
}

impl Token {
    /// Whether it is this name.
    pub fn is(&self, word: &str) -> bool {
        matches!(&self.kind, Kind::Word(own) if own == word)
    }

    /// Whether it is this character.
    pub fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }

    /// The string that it is.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The name that it is.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// The tokens of a text; comments are none, nor are the signs of lifetimes.
pub fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = &text[at..];
        let start = at;
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += comment(rest);
        } else if let Some(hashes) = raw(rest) {
            let open = at + 1 + usize::from(rest.starts_with("br")) + hashes + 1;
            let close = format!("\"{}", "#".repeat(hashes));
            let length = text[open..].find(&close).unwrap_or(text.len() - open);
            found.push(Token {
                kind: Kind::Text(text[open..open + length].to_owned()),
                span: Span::new(open, open + length),
            });
            at = (open + length + close.len()).min(text.len());
        } else if c == '"' {
            let end = super::closing_quote(bytes, at + 1).unwrap_or(text.len());
            let inner = text.get(at + 1..end).unwrap_or_default();
            found.push(Token {
                kind: Kind::Text(unescaped(inner)),
                span: Span::new(at + 1, end),
            });
            at = (end + 1).min(text.len());
        } else if c == '\'' {
            let length = character(rest);
            if length > 1 && rest[..length].ends_with('\'') {
                found.push(Token {
                    kind: Kind::Text(unescaped(&rest[1..length - 1])),
                    span: Span::new(at + 1, at + length - 1),
                });
            }
            at += length;
        } else if c.is_alphanumeric() || c == '_' {
            let length = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            at += length;
            found.push(Token {
                kind: Kind::Word(rest[..length].to_owned()),
                span: Span::new(start, at),
            });
        } else {
            at += c.len_utf8();
            if !c.is_whitespace() {
                found.push(Token {
                    kind: Kind::Sign(c),
                    span: Span::new(start, at),
                });
            }
        }
    }
    found
}

/// The length of a comment, with those in it.
fn comment(rest: &str) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The hashes of a raw string that begins here.
fn raw(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = inner.len() - inner.trim_start_matches('#').len();
    inner[hashes..].starts_with('"').then_some(hashes)
}

/// The length of a character literal, or of the sign that begins a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            // what is escaped may be a quote
            let after = rest.get(3..).and_then(|rest| rest.find('\''));
            after.map_or(rest.len(), |end| end + 4)
        }
        Some(_) => match chars.next() {
            Some((end, '\'')) => end + 1,
            _ => 1,
        },
        None => 1,
    }
}

/// A string without its escapes.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(|c| match c {
                'n' => '\n',
                't' => '\t',
                other => other,
            })),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_names_are_found() {
        let text = "fn a<'b>() { // \"no\"\n let c = '\"'; /* \" /* x */ */ r#\"raw \"\"#.x(\"t\\\"e\", b'\\'') }";
        let shown: Vec<String> = tokens(text)
            .iter()
            .map(|token| match &token.kind {
                Kind::Word(word) => word.clone(),
                Kind::Text(text) => format!("<{text}>"),
                Kind::Sign(sign) => sign.to_string(),
            })
            .collect();
        assert_eq!(
            shown.join(" "),
            "fn a < b > ( ) { let c = <\"> ; <raw \"> . x ( <t\"e> , b <'> ) }"
        );
        for odd in ["\"", "'", "'\\", "r#\"", "/*", "é'ü", "r", "'é'"] {
            tokens(odd);
        }
    }
}
