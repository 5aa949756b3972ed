//! Whether a rule means anything: every name in it is a field of the facts, every word of `kind` is in its vocabulary.
use super::policy::Policy;
use super::rule::{Head, On, Rule};
use super::scope::Allowed;
use super::words::STRICT;
use crate::facts::{
    Diagnosis, FaultKind, GapKind, LostWhy, Reader, SuppressionWhy, Verdict, sample,
};
use crate::table::Text;
use minijinja::value::ValueKind;
use minijinja::{Error, Value};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as WordError, StrDeserializer};

/// Longest condition, in characters.
const LONGEST_CONDITION: usize = 100;

/// What is wrong with a rule.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The code has another form.
    #[error("a code is capital letters and three digits, such as KIMG101")]
    Code,
    /// The name has another form.
    #[error("a name is lower-case words joined by hyphens, such as arch-list-missing")]
    Name,
    /// A row has no severity or several.
    #[error("each row of `severity` has one of error, warning, info")]
    Row,
    /// No row at all.
    #[error("`severity` has no row")]
    NoSeverity,
    /// Two conditions for one kind of fact.
    #[error("the rule looks at `{0}` twice")]
    Twice(&'static str),
    /// Too long for a condition.
    #[error("a condition has at most {LONGEST_CONDITION} characters on one line: `{0}`")]
    Long(String),
    /// Not in the vocabulary.
    #[error("`{0}` is no word that `kind` could be here")]
    Kind(String),
    /// Not a field of any fact.
    #[error("no fact has `{name}`, which `{text}` reads")]
    Unknown {
        /// The name.
        name: String,
        /// The text that reads it.
        text: String,
    },
    /// `each` gives no list.
    #[error("`each` gives no list: `{0}`")]
    Each(String),
    /// The text cannot be compiled, or fails on the sample facts.
    #[error("`{text}`: {error}")]
    Text {
        /// The text.
        text: String,
        /// Why.
        error: Error,
    },
}

impl Rule {
    /// Checks the rule against the shape of the facts. Errors: [`Fault`], the first one met.
    pub fn check(&self) -> Result<(), Fault> {
        self.check_form()?;
        for (index, head) in self.heads().enumerate() {
            if self.heads().take(index).any(|other| other.on == head.on) {
                return Err(Fault::Twice(head.on.name()));
            }
            head.check()?;
        }
        Ok(())
    }

    fn check_form(&self) -> Result<(), Fault> {
        let letters = self.code.trim_end_matches(|c: char| c.is_ascii_digit());
        let capital = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_uppercase());
        if !capital(letters) || self.code.len() != letters.len() + 3 {
            return Err(Fault::Code);
        }
        let word = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        if !self.name.split('-').all(word) {
            return Err(Fault::Name);
        }
        Ok(())
    }
}

impl Head {
    fn check(&self) -> Result<(), Fault> {
        self.check_form()?;
        self.check_kind()?;
        let fact = sample_value(self.on);
        let allowed = Allowed::new(Policy::default());
        let scope = |it: Option<&Value>| allowed.scope(self.on, &fact, it);
        let names = match self.each {
            Some(each) => {
                let list = condition(each, &scope(None))?;
                let first = list.get_item_by_index(0).unwrap_or_default();
                if list.kind() != ValueKind::Seq || first.is_undefined() {
                    return Err(Fault::Each(each.to_string()));
                }
                scope(Some(&first))
            }
            None => scope(None),
        };
        let conditions = [Some(self.when), self.once];
        for text in conditions.into_iter().flatten() {
            condition(text, &names)?;
        }
        for row in self.severity.iter() {
            let (_, when) = row.get().ok_or(Fault::Row)?;
            condition(when, &names)?;
        }
        for text in [Some(self.message), self.help].into_iter().flatten() {
            message(text, &names)?;
        }
        for pointer in self.related.iter() {
            let at = condition(pointer.at, &names)?;
            let thing = if at.kind() == ValueKind::Seq {
                at.get_item_by_index(0).unwrap_or_default()
            } else {
                at
            };
            message(pointer.say, &scope(Some(&thing)))?;
        }
        Ok(())
    }

    fn check_form(&self) -> Result<(), Fault> {
        if self.severity.is_empty() {
            return Err(Fault::NoSeverity);
        }
        let rows = self
            .severity
            .iter()
            .filter_map(|row| row.get().map(|(_, when)| when));
        for text in rows.chain([self.when]) {
            if text.chars().count() > LONGEST_CONDITION || text.contains('\n') {
                return Err(Fault::Long(text.to_string()));
            }
        }
        Ok(())
    }

    fn check_kind(&self) -> Result<(), Fault> {
        for word in self.kind.iter() {
            let known = match self.kind_path() {
                Some(("build", "diagnosis")) => is_word::<Diagnosis>(word),
                Some(("it", "why")) => is_word::<LostWhy>(word),
                Some(("it", "kind")) if self.needs_fleet() => is_word::<GapKind>(word),
                Some(("it", "kind")) => is_word::<FaultKind>(word),
                Some(("it", "verdict")) => is_word::<Verdict>(word),
                Some(("setting", "reader")) => is_word::<Reader>(word),
                Some(("suppression", "why")) => is_word::<SuppressionWhy>(word),
                _ => false,
            };
            if !known {
                return Err(Fault::Kind(word.to_string()));
            }
        }
        Ok(())
    }
}

/// Whether a vocabulary has the word.
pub(super) fn is_word<'de, T: Deserialize<'de>>(word: &'de str) -> bool {
    let deserializer: StrDeserializer<'_, WordError> = word.into_deserializer();
    T::deserialize(deserializer).is_ok()
}

/// The sample fact of a kind.
fn sample_value(on: On) -> Value {
    let facts = sample::facts();
    match on {
        On::Build => Value::from_serialize(facts.builds.first()),
        On::Setting => Value::from_serialize(facts.settings.first()),
        On::Install => Value::from_serialize(facts.installs.first()),
        On::Image => Value::from_serialize(facts.images.first()),
        On::Probe => Value::from_serialize(facts.probes.first()),
        On::Load => Value::from_serialize(facts.probes.first().and_then(|p| p.artifacts.first())),
        On::Program => Value::from_serialize(facts.programs.first()),
        On::Artifact => Value::from_serialize(facts.artifacts.first()),
        On::Input => Value::from_serialize(facts.inputs.first()),
        On::Unreadable => Value::from_serialize(facts.unreadable.first()),
        On::Suppression => Value::from_serialize(facts.suppressions.first()),
    }
}

fn condition(text: Text, names: &Value) -> Result<Value, Fault> {
    let failed = |error| Fault::Text {
        text: text.to_string(),
        error,
    };
    let expression = STRICT.compile_expression(text.0).map_err(failed)?;
    check_names(text, expression.undeclared_variables(true), names)?;
    expression.eval(names).map_err(failed)
}

fn message(text: Text, names: &Value) -> Result<(), Fault> {
    let failed = |error| Fault::Text {
        text: text.to_string(),
        error,
    };
    let template = STRICT.template_from_str(text.0).map_err(failed)?;
    check_names(text, template.undeclared_variables(true), names)?;
    template.render(names).map(drop).map_err(failed)
}

fn check_names(
    text: Text,
    read: impl IntoIterator<Item = String>,
    names: &Value,
) -> Result<(), Fault> {
    for name in read {
        let found = name.split('.').try_fold(names.clone(), |value, part| {
            value
                .get_attr(part)
                .ok()
                .filter(|value| !value.is_undefined())
        });
        if found.is_none() {
            return Err(Fault::Unknown {
                name,
                text: text.to_string(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::load;
    use crate::facts::Severity;

    const RULE: &str = "\
code: TEST001
name: a-test
on: build
when: build.diagnosis == \"missing\"
severity: [{error: \"true\"}]
message: \"{{ build.title }}\"
docs: Says something.
";

    #[test]
    fn a_rule_that_means_nothing_is_refused() {
        load("test", RULE).unwrap();
        //  what is replaced, by what, what the error says
        let table = [
            ("TEST001", "Test1", "capital letters"),
            ("TEST001", "TEST1001", "capital letters"),
            ("a-test", "A test", "lower-case words"),
            ("on: build", "on: house", "`house` is none of"),
            ("on: build", "on: build\nwhat: ever", "unknown key"),
            ("on: build", "on: install", "no fact has `build.diagnosis`"),
            (
                "build.diagnosis",
                "build.diagnose",
                "no fact has `build.diagnose`",
            ),
            (
                "build.diagnosis",
                "build.arch.list.text",
                "no fact has `build.arch.list.text`",
            ),
            ("== \"missing\"", "== ", "unexpected end"),
            ("\"true\"}", "\"build.lots\"}", "no fact has `build.lots`"),
            (
                "{error: \"true\"}",
                "{error: \"true\", info: \"true\"}",
                "one of error, warning, info",
            ),
            ("[{error: \"true\"}]", "[]", "no row"),
            ("build.title", "it.name", "no fact has `it.name`"),
            ("build.title", "build.title | loud", "unknown filter"),
            (
                "{{ build.title }}",
                "{% for l in build.lost %}{{ l.nmae }}{% endfor %}",
                "undefined value",
            ),
            ("on: build", "on: build\neach: build.title", "gives no list"),
            (
                "on: build",
                "on: build\nhelp: '{{ build.lots }}'",
                "no fact has `build.lots`",
            ),
            (
                "on: build",
                "on: build\nonce: build.lots",
                "no fact has `build.lots`",
            ),
            (
                "on: build",
                "on: build\nkind: [mising]",
                "no word that `kind`",
            ),
            (
                "on: build",
                "on: build\neach: build.lost\nkind: [missing]",
                "no word that `kind`",
            ),
            (
                "on: build",
                "on: build\nrelated: [{role: cause, at: build.arch, say: '{{ it.txet }}'}]",
                "it.txet",
            ),
            (
                "build.diagnosis == \"missing\"",
                "build.title == \"a very long title\" and build.builder == \"a very long name\" and build.because == \"some reason\"",
                "at most 100 characters",
            ),
        ];
        for (from, to, expected) in table {
            let text = RULE.replacen(from, to, 1);
            assert_ne!(text, RULE);
            let error = load("test", &text).unwrap_err().to_string();
            assert!(error.contains(expected), "{from} -> {to}: {error}");
        }
    }

    #[test]
    fn a_rule_may_look_at_several_kinds_of_fact() {
        let also = |on: &str, condition: &str| {
            let head = "severity: [{info: 'true'}], message: x";
            format!("{RULE}also: [{{on: {on}, when: '{condition}', {head}}}]\n")
        };
        let rule = load("test", &also("install", "install.name == \"torch\"")).unwrap();
        assert_eq!(rule.severities(), [Severity::Error, Severity::Info]);
        for (on, condition, expected) in [
            (
                "install",
                "build.swallowed",
                "no fact has `build.swallowed`",
            ),
            ("build", "build.swallowed", "looks at `build` twice"),
        ] {
            let error = load("test", &also(on, condition)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn an_element_has_the_name_it() {
        let text = RULE.replacen("on: build", "on: build\neach: build.lost\nkind: [late]", 1);
        load("test", &text.replacen("build.title", "it.why_text", 1)).unwrap();
    }
}
