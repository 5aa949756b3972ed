//! Groovy as Jenkinsfiles write it: words, strings, brackets. Anything else is a sign.
use super::mapped::Mapped;
use crate::span::Span;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A name with its dots: `docker.image`.
    Word(String),
    /// A string, escapes taken out. In an interpolated one `$NAME` and `${…}` stand for values, and `$$` for a dollar.
    Text {
        /// The text.
        text: Mapped,
        /// In double quotes.
        interpolated: bool,
    },
    /// `(`, `[`, `{`.
    Open(u8),
    /// `)`, `]`, `}`.
    Close(u8),
    /// Any other character; a line break counts.
    Sign(u8),
}

/// The tokens of a text, each with its place. Comments are left out.
pub fn tokens(source: &str) -> Vec<(Token, Span)> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let rest = &bytes[at..];
        let token = match byte {
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                at = source
                    .get(at + 2..)
                    .and_then(|rest| rest.find("*/"))
                    .map_or(bytes.len(), |length| at + 2 + length + 2);
                continue;
            }
            // a shebang
            b'#' if at == 0 => {
                at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                continue;
            }
            b'\'' | b'"' => {
                let (text, end) = string(source, at);
                at = end;
                Token::Text {
                    text,
                    interpolated: byte == b'"',
                }
            }
            b'(' | b'[' | b'{' => Token::Open(byte),
            b')' | b']' | b'}' => Token::Close(byte),
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$');
                at += rest.iter().position(|b| !is_name(b)).unwrap_or(rest.len());
                Token::Word(source[start..at].trim_end_matches('.').to_owned())
            }
            // letters of other alphabets stand only in strings and comments
            byte if !byte.is_ascii() || matches!(byte, b' ' | b'\t' | b'\r') => {
                at += 1;
                continue;
            }
            byte => Token::Sign(byte),
        };
        at = at.max(start + 1);
        tokens.push((token, Span::new(start, at)));
    }
    tokens
}

/// The string at `at`, and where it ends; one that is never closed ends with its line, or with the text.
fn string(source: &str, at: usize) -> (Mapped, usize) {
    let bytes = source.as_bytes();
    let quote = &source[at..=at];
    let is_long = source[at..].starts_with(&quote.repeat(3));
    let closer = if is_long {
        quote.repeat(3)
    } else {
        quote.to_owned()
    };
    let interpolated = quote == "\"";
    let mut text = Mapped::default();
    let mut from = at + closer.len();
    let mut end = from;
    let push = |text: &mut Mapped, from: usize, to: usize| {
        text.push(source.get(from..to).unwrap_or_default(), from as u32)
    };
    while let Some(&byte) = bytes.get(end) {
        if source.as_bytes()[end..].starts_with(closer.as_bytes()) {
            push(&mut text, from, end);
            return (text, end + closer.len());
        }
        match byte {
            b'\n' if !is_long => break,
            b'\\' => {
                push(&mut text, from, end);
                let next = bytes.get(end + 1).copied();
                match next {
                    Some(b'n') => text.push("\n", end as u32 + 1),
                    Some(b't') => text.push("\t", end as u32 + 1),
                    Some(b'$') if interpolated => text.push("$$", end as u32),
                    Some(b'\n') => {}
                    Some(next) if next.is_ascii() => push(&mut text, end + 1, end + 2),
                    _ => {}
                }
                let length = if next.is_some_and(|next| next.is_ascii()) {
                    2
                } else {
                    1
                };
                end += length;
                from = end;
            }
            _ => end += 1,
        }
    }
    push(&mut text, from, end);
    (text, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(source: &str) -> String {
        let shown = tokens(source).into_iter().map(|(token, span)| {
            assert!(source.get(span.range()).is_some(), "{source}");
            match token {
                Token::Word(word) => word,
                Token::Text { text, interpolated } => format!(
                    "{}‹{}›",
                    if interpolated { "$" } else { "" },
                    text.text().replace('\n', "⏎")
                ),
                Token::Open(byte) | Token::Close(byte) | Token::Sign(byte) => {
                    (byte as char).to_string().replace('\n', "⏎")
                }
            }
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_read() {
        for (source, expected) in [
            ("sh 'a b'", "sh ‹a b›"),
            ("sh \"a ${b} \\$c\"", "sh $‹a ${b} $$c›"),
            ("sh '''a\n'b' \\\\\n  c'''", "sh ‹a⏎'b' \\⏎  c›"),
            ("sh '''a \\\n b'''", "sh ‹a  b›"),
            ("a.b(c: 'd') { // e\n}", "a.b ( c : ‹d› ) { ⏎ }"),
            ("/* 'a' */ b", "b"),
            ("'it\\'s' 'a\nb'", "‹it's› ‹a› ⏎ b ‹›"),
            ("'''a", "‹a›"),
            ("é '\\é'", "‹é›"),
        ] {
            assert_eq!(show(source), expected, "{source}");
        }
    }
}
