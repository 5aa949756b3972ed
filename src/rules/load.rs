//! Reading rule files: the built-in ones and the user's, by one loader.
use super::check::Fault;
use super::rule::{Example, File, Files, FixAction, FixSpec, Head, On, Pointer, Row, Rule};
use crate::facts::Role;
use crate::table::{List, Text};
use crate::yaml;

/// Why a rule file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It has another shape.
    #[error("{path}:{fault}")]
    Shape {
        /// The file.
        path: String,
        /// Why.
        fault: yaml::Fault,
    },
    /// There is nothing in it.
    #[error("{path}: it is empty")]
    Empty {
        /// The file.
        path: String,
    },
    /// It has the shape of a rule and means nothing.
    #[error("{path}: {fault}")]
    Meaning {
        /// The file.
        path: String,
        /// Why.
        fault: Fault,
    },
}

/// Reads and checks the rule file at `path` (used in errors only). Its texts live as long as the program.
pub fn load(path: &str, text: &str) -> Result<&'static Rule, LoadError> {
    let path = || path.to_owned();
    let rule: Option<Rule> = yaml::one(text).map_err(|fault| LoadError::Shape {
        path: path(),
        fault,
    })?;
    let rule = rule.ok_or_else(|| LoadError::Empty { path: path() })?;
    rule.check().map_err(|fault| LoadError::Meaning {
        path: path(),
        fault,
    })?;
    Ok(Box::leak(Box::new(rule)))
}

/// The built-in rules, in order of their codes.
pub fn builtin() -> &'static [Rule] {
    RULES
}

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_built_in_rule_means_something_and_names_its_file() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
        for rule in builtin() {
            let path = folder.join(rule.file_name());
            let text = std::fs::read_to_string(&path).unwrap();
            let read =
                load(&path.to_string_lossy(), &text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(read, rule);
        }
    }

    #[test]
    fn the_documentation_has_its_headings() {
        let headings = [
            "What it says",
            "Why it matters",
            "Example",
            "Instead",
            "When not to listen",
        ];
        for rule in builtin() {
            let found: Vec<_> = rule
                .docs
                .lines()
                .filter_map(|line| line.strip_prefix("## "))
                .collect();
            assert_eq!(found, headings, "{}", rule.code);
            assert!(!rule.summary().is_empty(), "{}", rule.code);
        }
    }
}
