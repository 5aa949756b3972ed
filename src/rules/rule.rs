//! The shape of a rule file. Nothing else is allowed in one.
use crate::facts::{Role, Severity};
use crate::table::{List, Text};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A rule: which facts it looks at, when it speaks, how bad it is, and in which words.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// `KIMG103`; stable once released.
    pub code: Text,
    /// `arch-list-out-of-scope`.
    pub name: Text,
    /// The kind of fact it looks at; the fact has this name in conditions and messages.
    pub on: On,
    /// An expression that gives a list: one finding per element, bound to `it`.
    #[serde(default)]
    pub each: Option<Text>,
    /// An expression; one finding in a run for each of its values in a file.
    #[serde(default)]
    pub once: Option<Text>,
    /// The words of a closed vocabulary for which the rule is looked at at all; empty means all. Which word is meant
    /// says [`Head::kind_path`].
    #[serde(default)]
    pub kind: List<Text>,
    /// The condition: one line, at most 100 characters.
    pub when: Text,
    /// The first row that holds gives the severity; no row, no finding.
    pub severity: List<Row>,
    /// One sentence, a template.
    pub message: Text,
    /// What to do, a template.
    #[serde(default)]
    pub help: Option<Text>,
    /// Other places to show, the word at fault first.
    #[serde(default)]
    pub related: List<Pointer>,
    /// The edit that mends it.
    #[serde(default)]
    pub fix: Option<FixSpec>,
    /// Other kinds of fact that show the same, each with a condition and words of its own.
    #[serde(default)]
    pub also: List<Head>,
    /// The documentation: a summary line, then sections with fixed headings, in Markdown.
    pub docs: Text,
    /// Where its facts come from.
    #[serde(default)]
    pub sources: List<Text>,
    /// Small inputs with the findings to expect; they run as tests.
    #[serde(default)]
    pub examples: List<Example>,
}

impl Rule {
    /// The first paragraph of the documentation, on one line and without its full stop.
    pub fn summary(&self) -> String {
        let paragraph = self.docs.split("\n\n").next().unwrap_or_default();
        let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        line.trim_end_matches('.').to_owned()
    }

    /// The severities it can give, worst first.
    pub fn severities(&self) -> Vec<Severity> {
        let rows = self.heads().flat_map(|head| head.severity.into_iter());
        let mut all: Vec<_> = rows.filter_map(|row| row.get()).map(|(s, _)| s).collect();
        all.sort_by(|a, b| b.cmp(a));
        all.dedup();
        all
    }

    /// What it looks at and says, first its own, then those of `also`.
    pub fn heads(&self) -> impl Iterator<Item = Head> + use<> {
        let own = Head {
            on: self.on,
            each: self.each,
            once: self.once,
            kind: self.kind,
            when: self.when,
            severity: self.severity,
            message: self.message,
            help: self.help,
            related: self.related,
        };
        std::iter::once(own).chain(self.also.into_iter().copied())
    }

    /// Whether it speaks only of the GPUs of a fleet.
    pub fn needs_fleet(&self) -> bool {
        self.heads().all(|head| head.needs_fleet())
    }

    /// Its file's name under `rules/`.
    pub fn file_name(&self) -> String {
        format!("{}-{}.yaml", self.code, self.name)
    }
}

/// A kind of fact that a rule looks at, when it speaks of one, and in which words; the keys are those of [`Rule`].
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The kind of fact.
    pub on: On,
    /// An expression that gives a list.
    #[serde(default)]
    pub each: Option<Text>,
    /// One finding in a run for each of its values in a file.
    #[serde(default)]
    pub once: Option<Text>,
    /// The words for which it is looked at at all.
    #[serde(default)]
    pub kind: List<Text>,
    /// The condition.
    pub when: Text,
    /// The severity.
    pub severity: List<Row>,
    /// One sentence.
    pub message: Text,
    /// What to do.
    #[serde(default)]
    pub help: Option<Text>,
    /// Other places to show.
    #[serde(default)]
    pub related: List<Pointer>,
}

impl Head {
    /// The name whose value `kind` lists: of the element where there is one, else of the fact.
    pub fn kind_path(&self) -> Option<(&'static str, &'static str)> {
        match (self.on, self.each.as_deref()) {
            (On::Build, None) => Some(("build", "diagnosis")),
            (On::Build, Some("build.lost")) => Some(("it", "why")),
            (On::Build, Some("build.faults")) => Some(("it", "kind")),
            (On::Build, Some("build.fleet.gaps")) => Some(("it", "kind")),
            (On::Install, Some("install.fleet.gaps")) => Some(("it", "kind")),
            (On::Image, Some("image.fleet.gaps")) => Some(("it", "kind")),
            (On::Artifact, Some("artifact.verdicts")) => Some(("it", "verdict")),
            (On::Setting, None) => Some(("setting", "reader")),
            (On::Suppression, None) => Some(("suppression", "why")),
            _ => None,
        }
    }

    /// Whether it speaks only of the GPUs of a fleet.
    pub fn needs_fleet(&self) -> bool {
        let texts = [Some(self.when), self.each];
        texts.iter().flatten().any(|text| text.contains(".fleet."))
    }
}

/// The kind of fact a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum On {
    /// A place where device code is, or may be, compiled.
    Build,
    /// A list of architectures that somebody set.
    Setting,
    /// A prebuilt package.
    Install,
    /// A base image.
    Image,
    /// A GPU that was asked, or why there is none.
    Probe,
    /// An artifact that was loaded on a GPU.
    Load,
    /// A program that was watched.
    Program,
    /// A built file.
    Artifact,
    /// A file that was read.
    Input,
    /// A file that could not be read.
    Unreadable,
    /// A suppression that is at fault.
    Suppression,
}

impl On {
    /// The name that the fact has in conditions and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Setting => "setting",
            Self::Install => "install",
            Self::Image => "image",
            Self::Probe => "probe",
            Self::Load => "load",
            Self::Program => "program",
            Self::Artifact => "artifact",
            Self::Input => "input",
            Self::Unreadable => "unreadable",
            Self::Suppression => "suppression",
        }
    }
}

/// A severity with the condition under which it holds: exactly one of the three is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Row {
    /// Condition for an error.
    pub error: Option<Text>,
    /// Condition for a warning.
    pub warning: Option<Text>,
    /// Condition for an info.
    pub info: Option<Text>,
}

impl Row {
    /// The severity and its condition; `None` unless exactly one is given.
    pub fn get(&self) -> Option<(Severity, Text)> {
        match (self.error, self.warning, self.info) {
            (Some(when), None, None) => Some((Severity::Error, when)),
            (None, Some(when), None) => Some((Severity::Warning, when)),
            (None, None, Some(when)) => Some((Severity::Info, when)),
            _ => None,
        }
    }
}

/// A place to show next to a finding.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pointer {
    /// What the place is to the finding.
    pub role: Role,
    /// An expression that gives one thing, or a list of things, with `path` and `span`; those without are left out.
    pub at: Text,
    /// A few words, a template; `it` is the thing.
    pub say: Text,
}

/// The edit that mends a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FixSpec {
    /// What is done.
    #[serde(rename(deserialize = "do"))]
    pub action: FixAction,
    /// Whether it cannot change anything else.
    pub safe: bool,
}

/// What an edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FixAction {
    /// Sets the variable that decides.
    SetKnob,
    /// Writes another value in place of the one at fault.
    ReplaceValue,
    /// Gives the build argument that nobody gives.
    SetArgument,
    /// Moves a setting before the build.
    MoveSetting,
    /// Sets the switch without which no device code is built.
    SetSwitch,
    /// Takes the base image that has a compiler.
    UseDevel,
}

/// A small input with the findings to expect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Example {
    /// Files that the rule speaks about, the first one linted.
    pub bad: Option<Files>,
    /// Files that it does not speak about.
    pub good: Option<Files>,
    /// Where it speaks about the bad ones: `Dockerfile:4`.
    pub at: List<Text>,
}

/// Files by path, in the order in which they were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Files(pub List<File>);

/// A file of an example.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct File {
    /// Its path.
    pub path: Text,
    /// Its text.
    pub text: Text,
}

impl<'de> Deserialize<'de> for Files {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Files;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from paths to texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Files, A::Error> {
                let mut files = Vec::new();
                while let Some((path, text)) = map.next_entry()? {
                    files.push(File { path, text });
                }
                Ok(Files(List(files.leak())))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
