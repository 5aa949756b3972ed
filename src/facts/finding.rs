//! What a rule says.
use crate::span::Place;
use serde::{Deserialize, Serialize};

/// How bad: severity follows harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Costs time or size, or cannot be decided here.
    Info,
    /// Depends on luck: the runner, the driver, a package's default.
    Warning,
    /// Will fail, or silently do nothing, on a GPU that matters.
    Error,
}

/// How sure.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// It rests on an alternative, a name only, or a record of low confidence: never above a warning.
    Likely,
    /// It holds.
    #[default]
    Certain,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// `KIMG101`.
    pub code: String,
    /// `arch-list-missing`.
    pub rule: String,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// The file.
    pub path: String,
    /// The command that compiles, or the statement.
    pub span: Place,
    /// The whole instruction or step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<Place>,
    /// One sentence.
    pub message: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub help: String,
    /// The rule's documentation.
    pub url: String,
    /// The builder's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builder: Option<String>,
    /// GPUs of the fleet that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<String>,
    /// Worlds in which it holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worlds: Vec<String>,
    /// Other places; the word at fault first, as `cause`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// An edit that mends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
    /// Why it is listed but not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Suppressed>,
}

/// A place that belongs to a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Related {
    /// What it is to the finding.
    pub role: Role,
    /// The file.
    pub path: String,
    /// The place.
    pub span: Place,
    /// A few words.
    pub message: String,
}

/// What a related place is to its finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The word at fault.
    Cause,
    /// Where a value was set.
    SetHere,
    /// Where it stops.
    LostHere,
    /// Where it is read.
    ReadHere,
    /// The command itself, in a file that the finding's place leads to.
    RunsHere,
}

/// Edits that mend a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fix {
    /// Whether it cannot change anything else.
    pub safe: bool,
    /// The edits, in order of their places.
    pub edits: Vec<Edit>,
}

/// Replaces `length` bytes at `offset` by `text`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edit {
    /// The file.
    pub path: String,
    /// Byte offset.
    pub offset: u32,
    /// Bytes replaced.
    pub length: u32,
    /// What stands there instead.
    pub text: String,
}

/// Why a finding is not counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suppressed {
    /// By what.
    pub by: SuppressedBy,
    /// The reason given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// What suppressed a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SuppressedBy {
    /// A comment in the file.
    Comment,
    /// The configuration.
    Config,
    /// The baseline.
    Baseline,
}

impl SuppressedBy {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Config => "config",
            Self::Baseline => "baseline",
        }
    }
}
