//! From a text to its report: observe, judge.
use crate::facts::{Facts, Input};
use crate::report::Report;
use crate::rules::{JudgeError, Policy, RuleSet, builtin};
use std::path::PathBuf;

/// What the caller knows that the files do not say.
#[derive(Clone, Debug)]
pub struct Options {
    /// Values of `ARG`s and of what CI configs call build arguments.
    pub build_args: Vec<(String, String)>,
    /// Variables that every build starts with.
    pub env: Vec<(String, String)>,
    /// The only stage to look at.
    pub target: Option<String>,
    /// The platform that is built for: `linux/arm64`.
    pub platform: Option<String>,
    /// nvcc's version where the files leave it open: `12.4`.
    pub cuda: Option<String>,
    /// GPUs by name, capability or instance type; empty: those of the configuration.
    pub fleet: Vec<String>,
    /// The configuration file; `None`: the one that is found.
    pub config: Option<PathBuf>,
    /// Whether files are read that a linted file leads to.
    pub links: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            build_args: Vec::new(),
            env: Vec::new(),
            target: None,
            platform: None,
            cuda: None,
            fleet: Vec::new(),
            config: None,
            links: true,
        }
    }
}

/// What one file teaches. A stub until the observers are there: it knows that the file was read, and its text.
pub fn observe(path: &str, text: String, _options: &Options) -> Facts {
    let mut facts = Facts::default();
    facts.inputs.push(Input {
        path: path.to_owned(),
        problems: Vec::new(),
    });
    facts.texts.insert(path.to_owned(), text);
    facts
}

/// The report about one text, by the built-in rules.
pub fn lint_text(path: &str, text: &str, options: &Options) -> Result<Report, JudgeError> {
    let facts = observe(path, text.to_owned(), options);
    let findings = RuleSet::new(builtin()).judge(&facts, Policy::default())?;
    Ok(Report::new(facts, findings))
}
