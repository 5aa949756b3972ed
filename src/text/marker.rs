//! Environment markers: `sys_platform == "linux" and extra == "cuda"`.

/// Whether a marker holds, given the values of the names that are known; `None` where that cannot be told.
pub fn holds(marker: &str, known: &dyn Fn(&str) -> Option<String>) -> Option<bool> {
    let mut reader = Reader {
        tokens: tokens(marker),
        at: 0,
        depth: 0,
        known,
    };
    let answer = reader.any()?;
    // what cannot be read to its end says nothing
    (reader.at == reader.tokens.len())
        .then_some(answer)
        .flatten()
}

/// Parentheses are followed this deep.
const MAX_DEPTH: u8 = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Text(String),
    Sign(String),
}

fn tokens(marker: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = marker.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => {
                let inner = &rest[1..];
                let end = inner.find(first).unwrap_or(inner.len());
                tokens.push(Token::Text(inner[..end].to_owned()));
                (end + 2).min(rest.len())
            }
            '(' | ')' => {
                tokens.push(Token::Sign(first.to_string()));
                1
            }
            _ => {
                let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
                let word = is_word(first);
                let ends = |c: char| {
                    c.is_whitespace() || is_word(c) != word || matches!(c, '"' | '\'' | '(' | ')')
                };
                let end = rest.find(ends).unwrap_or(rest.len()).max(first.len_utf8());
                let text = rest[..end].to_owned();
                tokens.push(if word {
                    Token::Name(text)
                } else {
                    Token::Sign(text)
                });
                end
            }
        };
        rest = rest[length..].trim_start();
    }
    tokens
}

struct Reader<'k> {
    tokens: Vec<Token>,
    at: usize,
    depth: u8,
    known: &'k dyn Fn(&str) -> Option<String>,
}

/// The outer `Option` is `None` where the text is no marker, the inner one where the answer is not known.
impl Reader<'_> {
    fn take(&mut self, word: &str) -> bool {
        let found =
            matches!(self.tokens.get(self.at), Some(Token::Name(t) | Token::Sign(t)) if t == word);
        self.at += usize::from(found);
        found
    }

    fn any(&mut self) -> Option<Option<bool>> {
        let mut answer = self.all()?;
        while self.take("or") {
            let other = self.all()?;
            answer = match (answer, other) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        Some(answer)
    }

    fn all(&mut self) -> Option<Option<bool>> {
        let mut answer = self.one()?;
        while self.take("and") {
            let other = self.one()?;
            answer = match (answer, other) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        Some(answer)
    }

    fn one(&mut self) -> Option<Option<bool>> {
        if self.take("(") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return None;
            }
            let answer = self.any()?;
            self.depth -= 1;
            return self.take(")").then_some(answer);
        }
        let left = self.value()?;
        let negated = self.take("not");
        let sign = match self.tokens.get(self.at)? {
            Token::Name(t) | Token::Sign(t) => t.clone(),
            Token::Text(_) => return None,
        };
        self.at += 1;
        let right = self.value()?;
        let (Some(left), Some(right)) = (left, right) else {
            return Some(None);
        };
        let answer = match sign.as_str() {
            "==" | "===" => Some(left == right),
            "!=" => Some(left != right),
            "in" => Some(right.contains(&left)),
            // an order of versions: not needed for what is known here
            _ => None,
        };
        Some(answer.map(|yes| yes != negated))
    }

    fn value(&mut self) -> Option<Option<String>> {
        let token = self.tokens.get(self.at)?.clone();
        self.at += 1;
        match token {
            Token::Text(text) => Some(Some(text)),
            Token::Name(name) => Some((self.known)(&name)),
            Token::Sign(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_have_three_answers() {
        let known = |name: &str| match name {
            "sys_platform" => Some("linux".to_owned()),
            "extra" => Some("cuda".to_owned()),
            _ => None,
        };
        let (yes, no) = (Some(true), Some(false));
        for (marker, expected) in [
            ("sys_platform == 'linux'", yes),
            ("sys_platform=='win32'", no),
            ("sys_platform != \"win32\"", yes),
            ("'linux' in sys_platform", yes),
            ("sys_platform not in 'win32 darwin'", yes),
            ("python_version < '3.9'", None),
            ("python_version < '3.9' and sys_platform == 'darwin'", no),
            ("python_version < '3.9' or extra == 'cuda'", yes),
            (
                "(sys_platform == 'linux' or python_version > '3') and extra == 'x'",
                no,
            ),
            ("sys_platform == 'linux' and", None),
            ("sys_platform", None),
            ("é", None),
            ("(", None),
            ("", None),
            ("sys_platform == 'win32'", no),
        ] {
            assert_eq!(holds(marker, &known), expected, "{marker}");
        }
    }
}
