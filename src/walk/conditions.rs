//! Conditions over known text.
use super::patterns::glob;
use crate::value::Value;

/// The exit status of a command, as far as it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// It succeeds.
    True,
    /// It fails.
    False,
    /// An ordinary command: taken to succeed.
    Assumed,
    /// A test whose answer is not known.
    Undecided,
}

impl Truth {
    /// After `!`.
    pub(super) fn negated(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Assumed | Self::Undecided => Self::Undecided,
        }
    }
}

/// Whether a file is there that `-d`, `-e`, `-f` and the like ask for.
pub(super) type Asks<'a> = &'a dyn Fn(&str, &Value) -> Truth;

/// The answer of `[ words ]`; in `[[ ]]` the right side of `=` is a pattern.
pub(super) fn truth(words: &[Value], patterns: bool, asks: Asks<'_>) -> Truth {
    let texts: Vec<String> = words.iter().map(Value::sketch).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    if let Some(at) = texts.iter().position(|t| *t == "-a" && texts.len() > 3) {
        return both(
            truth(&words[..at], patterns, asks),
            truth(&words[at + 1..], patterns, asks),
        );
    }
    if let Some(at) = texts.iter().position(|t| *t == "-o" && texts.len() > 3) {
        return either(
            truth(&words[..at], patterns, asks),
            truth(&words[at + 1..], patterns, asks),
        );
    }
    match texts.as_slice() {
        ["!", ..] => truth(&words[1..], patterns, asks).negated(),
        [] => Truth::False,
        ["-z"] => Truth::True,
        ["-n"] => Truth::False,
        [_] => answer(words[0].is_empty().map(|e| !e)),
        ["-z", _] => answer(words[1].is_empty()),
        [operator @ ("-d" | "-e" | "-f" | "-s" | "-r" | "-x"), _] => asks(operator, &words[1]),
        ["-n", _] => answer(words[1].is_empty().map(|e| !e)),
        [_, "=" | "==", _] => answer(equal(&words[0], &words[2], patterns)),
        [_, "!=", _] => answer(equal(&words[0], &words[2], patterns).map(|e| !e)),
        [
            a,
            operator @ ("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"),
            b,
        ] => match (a.parse::<i64>(), b.parse::<i64>()) {
            (Ok(a), Ok(b)) => answer(Some(match *operator {
                "-eq" => a == b,
                "-ne" => a != b,
                "-lt" => a < b,
                "-le" => a <= b,
                "-gt" => a > b,
                _ => a >= b,
            })),
            _ => Truth::Undecided,
        },
        _ => Truth::Undecided,
    }
}

fn equal(a: &Value, b: &Value, patterns: bool) -> Option<bool> {
    match (a.known(), b.known()) {
        (Some(a), Some(b)) if patterns => Some(glob(&b, &a)),
        (Some(a), Some(b)) => Some(a == b),
        // a value that is never empty is not the empty string
        _ if a.is_empty() == Some(false) && b.is_empty() == Some(true) => Some(false),
        _ if a.is_empty() == Some(true) && b.is_empty() == Some(false) => Some(false),
        _ => None,
    }
}

fn answer(yes: Option<bool>) -> Truth {
    match yes {
        Some(true) => Truth::True,
        Some(false) => Truth::False,
        None => Truth::Undecided,
    }
}

fn both(a: Truth, b: Truth) -> Truth {
    match (a, b) {
        (Truth::False, _) | (_, Truth::False) => Truth::False,
        (Truth::True, Truth::True) => Truth::True,
        _ => Truth::Undecided,
    }
}

fn either(a: Truth, b: Truth) -> Truth {
    both(a.negated(), b.negated()).negated()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_over_known_text() {
        let hole = || Value::hole("x", None, true);
        let lit = |t: &str| Value::literal(t, None);
        let nobody = |_: &str, _: &Value| Truth::Undecided;
        for (words, want) in [
            (vec![lit("a"), lit("="), lit("a")], Truth::True),
            (vec![lit("a"), lit("!="), lit("a")], Truth::False),
            (vec![lit("!"), lit("-z"), lit("")], Truth::False),
            (vec![lit("-n"), hole()], Truth::True),
            (vec![hole(), lit("="), lit("a")], Truth::Undecided),
            (vec![hole(), lit("="), lit("")], Truth::False),
            (vec![lit("12"), lit("-ge"), lit("11")], Truth::True),
            (vec![lit("-f"), lit("/x")], Truth::Undecided),
            (
                vec![lit("-z"), lit("x"), lit("-o"), lit("a"), lit("="), lit("a")],
                Truth::True,
            ),
            (vec![], Truth::False),
        ] {
            assert_eq!(truth(&words, false, &nobody), want, "{words:?}");
        }
        assert_eq!(
            truth(&[lit("12.4"), lit("=="), lit("12.*")], true, &nobody),
            Truth::True
        );
    }
}
