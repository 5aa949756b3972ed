//! Conditions that are looked up, not run: names, alone or compared with words, joined by `and`. Most are of this kind.
use minijinja::Value;

/// Tests that must all hold.
#[derive(Debug, PartialEq)]
pub(super) struct Plain(Vec<Test>);

#[derive(Debug, PartialEq)]
struct Test {
    /// The parts of `build.arch.source`.
    name: Vec<&'static str>,
    is: Is,
}

#[derive(Debug, PartialEq)]
enum Is {
    /// Neither absent nor empty.
    True,
    Equal(&'static str),
    Different(&'static str),
    OneOf(Vec<&'static str>),
}

impl Plain {
    /// `None` for a condition that says more than this.
    pub(super) fn read(text: &'static str) -> Option<Self> {
        if text == "true" {
            return Some(Self(Vec::new()));
        }
        text.split(" and ")
            .map(Test::read)
            .collect::<Option<_>>()
            .map(Self)
    }

    /// The thing that a name alone names; else whether the condition holds.
    pub(super) fn value(&self, names: &Value) -> Value {
        match self.0.as_slice() {
            [Test { name, is: Is::True }] => look_up(name, names),
            tests => Value::from(tests.iter().all(|test| test.holds(names))),
        }
    }

    /// Whether it holds.
    pub(super) fn holds(&self, names: &Value) -> bool {
        self.0.iter().all(|test| test.holds(names))
    }
}

impl Test {
    fn read(text: &'static str) -> Option<Self> {
        let (left, is) = if let Some((left, right)) = text.split_once(" == ") {
            (left, Is::Equal(word(right)?))
        } else if let Some((left, right)) = text.split_once(" != ") {
            (left, Is::Different(word(right)?))
        } else if let Some((left, right)) = text.split_once(" in [") {
            let words = right.strip_suffix(']')?.split(", ").map(word);
            (left, Is::OneOf(words.collect::<Option<_>>()?))
        } else {
            (text, Is::True)
        };
        let name = name(left)?.split('.').collect();
        Some(Self { name, is })
    }

    fn holds(&self, names: &Value) -> bool {
        let value = look_up(&self.name, names);
        match &self.is {
            Is::True => value.is_true(),
            Is::Equal(word) => value.as_str() == Some(*word),
            Is::Different(word) => value.as_str() != Some(*word),
            Is::OneOf(words) => value.as_str().is_some_and(|text| words.contains(&text)),
        }
    }
}

/// What a name stands for; undefined where there is nothing.
fn look_up(name: &[&str], names: &Value) -> Value {
    name.iter().fold(names.clone(), |value, part| {
        value.get_attr(part).unwrap_or_default()
    })
}

/// A word in quotes.
fn word(text: &'static str) -> Option<&'static str> {
    let word = text.strip_prefix('"')?.strip_suffix('"')?;
    (!word.contains(['"', '\\'])).then_some(word)
}

/// A name with its dots; a value that is written like a name is none.
fn name(text: &'static str) -> Option<&'static str> {
    let letters = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
    };
    let value = matches!(text, "true" | "false" | "none");
    (!value && text.split('.').all(letters)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::builtin;
    use crate::rules::words::LENIENT;

    fn names() -> Value {
        let build = minijinja::context! {
            outcome => "error", empty => "", none => Vec::<u8>::new(), some => vec![1], number => 1,
        };
        minijinja::context! { build }
    }

    #[test]
    fn plain_conditions_say_what_the_language_says() {
        for (text, expected) in [
            ("true", true),
            ("build.outcome", true),
            ("build.empty", false),
            ("build.none", false),
            ("build.some", true),
            ("build.absent", false),
            ("build.absent.more", false),
            ("build.outcome == \"error\"", true),
            ("build.outcome != \"error\"", false),
            ("build.absent == \"error\"", false),
            ("build.absent != \"error\"", true),
            ("build.number == \"1\"", false),
            ("build.outcome in [\"list\", \"error\"]", true),
            ("build.outcome in [\"list\"]", false),
            ("build.absent in [\"list\"]", false),
            ("build.some and build.outcome == \"error\"", true),
            ("build.none and build.outcome == \"error\"", false),
        ] {
            let plain = Plain::read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(plain.holds(&names()), expected, "{text}");
            let full = LENIENT.compile_expression(text).unwrap();
            assert_eq!(full.eval(names()).unwrap().is_true(), expected, "{text}");
        }
    }

    #[test]
    fn others_are_left_to_the_language() {
        for text in [
            "not build.outcome",
            "false",
            "build.outcome or build.some",
            "build.some | length",
            "build.some[0]",
            "(build.some)",
            "build.outcome == 'error'",
            "build.outcome == \"a and b\"",
            "build.outcome == build.empty",
            "build.some in build.none",
            "\"x\" not in build.some",
        ] {
            assert_eq!(Plain::read(text), None, "{text}");
        }
    }

    #[test]
    fn most_conditions_of_rules_are_plain() {
        let whens = || builtin().iter().map(|rule| rule.when.0);
        let plain = whens().filter(|when| Plain::read(when).is_some()).count();
        assert!(plain * 10 > whens().count() * 9, "{plain}");
    }
}
