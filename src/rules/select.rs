//! Choosing rules on the command line: by code, by the start of a code, or by name.
use super::rule::Rule;
use crate::facts::Finding;
use crate::spelling::{did_you_mean, nearest};
use std::collections::HashSet;

/// Which rules may speak.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// `None`: all.
    selected: Option<HashSet<&'static str>>,
    ignored: HashSet<&'static str>,
}

/// No rule fits what the user wrote.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rule is called `{written}`{}", did_you_mean(*.nearest))]
pub struct UnknownRule {
    /// What was written.
    pub written: String,
    /// The nearest code or name, if one is near.
    pub nearest: Option<&'static str>,
}

impl Selection {
    /// From the words of `--select` (none: every rule) and `--ignore`, which wins.
    pub fn new(
        select: &[String],
        ignore: &[String],
        rules: &[&'static Rule],
    ) -> Result<Self, UnknownRule> {
        let codes = |words: &[String]| -> Result<HashSet<&'static str>, UnknownRule> {
            let mut codes = HashSet::new();
            for word in words {
                codes.extend(find(word, rules)?.into_iter().map(|rule| rule.code.0));
            }
            Ok(codes)
        };
        Ok(Self {
            selected: if select.is_empty() {
                None
            } else {
                Some(codes(select)?)
            },
            ignored: codes(ignore)?,
        })
    }

    /// Whether the finding's rule may speak.
    pub fn takes(&self, finding: &Finding) -> bool {
        self.takes_code(&finding.code)
    }

    /// Whether the rule with this code may speak.
    pub fn takes_code(&self, code: &str) -> bool {
        !self.ignored.contains(code)
            && self
                .selected
                .as_ref()
                .is_none_or(|codes| codes.contains(code))
    }
}

/// The rules that a word means: `KIMG101`, `KIMG1`, `1xx`, `arch-list-missing`. Case does not matter. At least one.
pub fn find(word: &str, rules: &[&'static Rule]) -> Result<Vec<&'static Rule>, UnknownRule> {
    let found: Vec<_> = rules
        .iter()
        .copied()
        .filter(|rule| means(word, rule))
        .collect();
    if found.is_empty() {
        return Err(UnknownRule {
            written: word.to_owned(),
            nearest: nearest(
                word,
                rules.iter().flat_map(|rule| [rule.code.0, rule.name.0]),
            ),
        });
    }
    Ok(found)
}

fn means(word: &str, rule: &Rule) -> bool {
    let word = word.to_ascii_lowercase();
    let code = rule.code.to_ascii_lowercase();
    let letters = code.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &code[letters.len()..];
    if word.len() == number.len() && word.ends_with('x') {
        return number.starts_with(word.trim_end_matches('x'));
    }
    word == *rule.name || word == number || (word.len() >= letters.len() && code.starts_with(&word))
}

#[cfg(test)]
mod tests {
    use super::super::builtin;
    use super::*;

    fn codes(word: &str) -> Result<String, String> {
        let rules: Vec<_> = builtin().iter().collect();
        let found = find(word, &rules).map_err(|error| error.to_string())?;
        Ok(found
            .iter()
            .map(|rule| &rule.code[4..])
            .collect::<Vec<_>>()
            .join(" "))
    }

    #[test]
    fn rules_have_many_names() {
        for (word, expected) in [
            ("KIMG101", "101"),
            ("kimg101", "101"),
            ("101", "101"),
            ("arch-list-missing", "101"),
            ("KIMG30", "301 302 303 304 305 306 307 308 309"),
            ("0xx", "001 002 003 004 005"),
            ("31x", "310"),
            ("1xx", "101 102 103 104 105 106 107 108 109"),
        ] {
            assert_eq!(codes(word), Ok(expected.to_owned()), "{word}");
        }
        assert_eq!(codes("KIMG").unwrap().split(' ').count(), builtin().len());
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        for (word, expected) in [
            ("KIMG9999", "no rule is called `KIMG9999`"),
            ("9xx", "no rule is called `9xx`"),
            ("", "no rule is called ``"),
            ("K", "no rule is called `K`"),
            (
                "arch-list-mising",
                "no rule is called `arch-list-mising`; did you mean `arch-list-missing`?",
            ),
            (
                "no-such-thing-at-all",
                "no rule is called `no-such-thing-at-all`",
            ),
        ] {
            assert_eq!(codes(word).unwrap_err(), expected);
        }
    }
}
