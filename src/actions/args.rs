//! Command lines: options and operands.
use crate::value::Value;

/// A command line with the text of each word (`?` for what is unknown).
pub struct Argv<'v> {
    values: &'v [Value],
    texts: Vec<String>,
}

impl<'v> Argv<'v> {
    /// Over expanded words.
    pub fn new(values: &'v [Value]) -> Self {
        Self {
            values,
            texts: values.iter().map(Value::sketch).collect(),
        }
    }

    /// The program's name without its directory.
    pub fn program(&self) -> Option<&str> {
        let text = self.texts.first()?;
        Some(text.rsplit('/').next().unwrap_or(text))
    }

    /// Without the first `n` words.
    pub fn tail(&self, n: usize) -> Self {
        let n = n.min(self.values.len());
        Self {
            values: &self.values[n..],
            texts: self.texts[n..].to_vec(),
        }
    }

    /// The text of word `i`; empty past the end.
    pub fn text(&self, i: usize) -> &str {
        self.texts.get(i).map_or("", String::as_str)
    }

    /// All texts.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// All values.
    pub fn values(&self) -> &'v [Value] {
        self.values
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// No words.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Options and operands; `takes_value` says which option names (without dashes) have a value of their own.
    pub fn parse(&self, takes_value: impl Fn(&str) -> bool) -> Vec<Arg> {
        let mut args = Vec::new();
        let mut i = 0;
        let mut only_operands = false;
        while i < self.values.len() {
            let (text, value) = (self.texts[i].as_str(), &self.values[i]);
            i += 1;
            if only_operands || !text.starts_with('-') || text == "-" {
                args.push(Arg::Operand(value.clone()));
                continue;
            }
            if text == "--" {
                only_operands = true;
                continue;
            }
            let dashes = text.len() - text.trim_start_matches('-').len();
            let name = &text[dashes..];
            if let Some(cut) = name.find('=') {
                args.push(Arg::Option(
                    name[..cut].to_owned(),
                    Some(value.slice_from(dashes + cut + 1)),
                ));
            } else if takes_value(name) {
                args.push(Arg::Option(name.to_owned(), self.values.get(i).cloned()));
                i += 1;
            } else if dashes == 1
                && name.len() > 1
                && name.is_char_boundary(1)
                && takes_value(&name[..1])
            {
                args.push(Arg::Option(name[..1].to_owned(), Some(value.slice_from(2))));
            } else {
                args.push(Arg::Option(name.to_owned(), None));
            }
        }
        args
    }
}

/// An option or an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// `--name`, `--name=value`, `--name value`, without dashes.
    Option(String, Option<Value>),
    /// Anything else.
    Operand(Value),
}

/// `NAME=value`, if the text before the first `=` is a name.
pub fn named(value: &Value) -> Option<super::Named> {
    let text = value.sketch();
    let (name, _) = text.split_once('=')?;
    let plain = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':'));
    plain.then(|| super::Named {
        name: name.to_owned(),
        value: value.slice_from(name.len() + 1),
    })
}

/// The words of a text that is split at white space with quotes honoured, as `CMAKE_ARGS` is; places are kept.
pub fn split(value: &Value) -> Vec<Value> {
    let text = value.sketch();
    let mut words = Vec::new();
    let mut current = Value::default();
    let mut started = false;
    let mut quote: Option<char> = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), _) if q == c => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                started = true;
            }
            (None, _) if c.is_whitespace() => {
                if started {
                    words.push(std::mem::take(&mut current));
                }
                started = false;
            }
            _ => {
                current.append(&value.slice(at, at + c.len_utf8()));
                started = true;
            }
        }
    }
    if started {
        words.push(current);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(words: &[&str]) -> Vec<Value> {
        words.iter().map(|w| Value::literal(w, None)).collect()
    }

    #[test]
    fn options_and_operands() {
        let words = values(&[
            "install",
            "-f",
            "links",
            "--no-deps",
            "--index-url=https://i",
            "-ihttps://j",
            "--",
            "-x",
        ]);
        let args = Argv::new(&words).parse(|name| matches!(name, "f" | "i" | "index-url"));
        let option = |name: &str, value: Option<&str>| {
            Arg::Option(name.to_owned(), value.map(|v| Value::literal(v, None)))
        };
        let operand = |text: &str| Arg::Operand(Value::literal(text, None));
        assert_eq!(
            args,
            [
                operand("install"),
                option("f", Some("links")),
                option("no-deps", None),
                option("index-url", Some("https://i")),
                option("i", Some("https://j")),
                operand("-x")
            ]
        );
    }

    #[test]
    fn texts_split_with_quotes() {
        let words = split(&Value::literal("-DA=1  -DB='2 3' \"-DC=4;5\"", None));
        assert_eq!(
            words.iter().map(Value::sketch).collect::<Vec<_>>(),
            ["-DA=1", "-DB=2 3", "-DC=4;5"]
        );
    }
}
