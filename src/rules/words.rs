//! The template language of conditions and messages, compiled on first use.
use super::plain::Plain;
use crate::table::Text;
use minijinja::{Environment, Error, Expression, Template, UndefinedBehavior, Value};
use std::sync::{LazyLock, OnceLock};

/// Names were checked when the rule was read, so what is undefined here is merely absent: it is false and prints nothing.
pub(super) static LENIENT: LazyLock<Environment<'static>> =
    LazyLock::new(|| environment(UndefinedBehavior::Chainable));

/// Anything undefined is an error: for checking rules against the sample facts.
pub(super) static STRICT: LazyLock<Environment<'static>> =
    LazyLock::new(|| environment(UndefinedBehavior::Strict));

fn environment(undefined: UndefinedBehavior) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(undefined);
    environment.add_filter("short", short);
    environment.add_filter("line", line);
    environment
}

/// Longest command in a message.
const SHORT: usize = 60;

/// `{{ build.command | short }}`: the first words, with an ellipsis where more follow.
fn short(text: &str) -> String {
    if text.chars().count() <= SHORT {
        return text.to_owned();
    }
    let cut = text
        .char_indices()
        .nth(SHORT)
        .map_or(text.len(), |(at, _)| at);
    let words = text[..cut]
        .rsplit_once(' ')
        .map_or(&text[..cut], |(words, _)| words);
    format!("{words} …")
}

/// `{{ it | line(build.path) }}`: where a thing stands, seen from a file: `line 3`, or `ext/setup.py:12`.
fn line(thing: &Value, from: &str) -> Result<String, Error> {
    let path = thing.get_attr("path")?;
    let line = thing.get_attr("span")?.get_attr("line")?;
    Ok(match path.as_str() {
        Some(path) if path != from => format!("{path}:{line}"),
        _ => format!("line {line}"),
    })
}

/// A text that is compiled when it is first needed.
pub(super) struct Lazy<T> {
    text: Text,
    compiled: OnceLock<T>,
}

impl<T> Lazy<T> {
    fn new(text: Text) -> Self {
        Self {
            text,
            compiled: OnceLock::new(),
        }
    }

    fn get(&self, compile: impl FnOnce(&'static str) -> Result<T, Error>) -> Result<&T, Error> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let fresh = compile(self.text.0)?;
        Ok(self.compiled.get_or_init(|| fresh))
    }
}

/// A condition, or any other expression.
pub(super) enum Condition {
    Plain(Plain),
    Full(Lazy<Expression<'static, 'static>>),
}

impl Condition {
    pub(super) fn new(text: Text) -> Self {
        Plain::read(text.0).map_or_else(|| Self::Full(Lazy::new(text)), Self::Plain)
    }

    /// Its value over `names`.
    pub(super) fn value(&self, names: &Value) -> Result<Value, Error> {
        match self {
            Self::Plain(plain) => Ok(plain.value(names)),
            Self::Full(text) => text
                .get(|text| LENIENT.compile_expression(text))?
                .eval(names),
        }
    }

    /// Whether it holds over `names`.
    pub(super) fn holds(&self, names: &Value) -> Result<bool, Error> {
        match self {
            Self::Plain(plain) => Ok(plain.holds(names)),
            Self::Full(_) => Ok(self.value(names)?.is_true()),
        }
    }
}

/// A message.
pub(super) struct Message(Lazy<Template<'static, 'static>>);

impl Message {
    pub(super) fn new(text: Text) -> Self {
        Self(Lazy::new(text))
    }

    /// Its words over `names`, on one line.
    pub(super) fn render(&self, names: &Value) -> Result<String, Error> {
        let template = self.0.get(|text| LENIENT.template_from_str(text))?;
        Ok(one_line(&template.render(names)?))
    }
}

/// Joins lines, which a folded text in a rule file may hold, and drops spaces at both ends.
pub(super) fn one_line(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_commands_end_at_a_word() {
        for (text, expected) in [
            ("pip install ./ext", "pip install ./ext"),
            (
                "pip install --no-build-isolation --no-cache-dir --verbose git+https://example.org/a/b",
                "pip install --no-build-isolation --no-cache-dir --verbose …",
            ),
            (
                "ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé",
                "éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé …",
            ),
        ] {
            assert_eq!(short(text), expected);
        }
    }

    #[test]
    fn a_line_in_another_file_names_the_file() {
        let thing = minijinja::context! { path => "a", span => minijinja::context! { line => 3 } };
        assert_eq!(line(&thing, "a").unwrap(), "line 3");
        assert_eq!(line(&thing, "b").unwrap(), "a:3");
    }
}
