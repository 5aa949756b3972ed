//! The shape of `.kimg-lint.yaml`: every key is optional, and there are no others.
use super::at::At;
use super::map::Map;
use crate::date::Date;
use crate::facts::Severity;
use crate::rules::{Allowance, ForwardPtx, Level, Unexpected};
use crate::spelling::{did_you_mean, nearest};
use crate::table::{Text, from_text};
use serde::de::value::{self, MapAccessDeserializer, StrDeserializer};
use serde::de::{IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The configuration of kimg-lint for the files below its folder.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ConfigFile {
    /// No configuration is looked for in the folders above.
    pub root: bool,
    /// The GPUs that code has to run on, under names of yours. A file is judged against all fleets that apply to it.
    pub fleet: Map<FleetEntry>,
    /// What is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyEntries>,
    /// A severity, or `off`, for rules by code or name; `{severity: error, locked: true}` keeps comments and nearer files from
    /// suppressing or lowering it.
    pub rules: Map<At<RuleEntry>>,
    /// Findings that are listed and not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore: Option<Vec<IgnoreEntry>>,
    /// A file of findings that are known, written by `--write-baseline`: they are listed and not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<At<Text>>,
    /// Files that are not linted, also when they are named: globs relative to this folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Vec<At<Text>>>,
    /// Base images of your own, by patterns of their references; the first that fits describes an image.
    pub images: Map<ImageEntry>,
    /// The GPU of the machines that have a runner label.
    pub runners: Map<At<Text>>,
    /// Files with builder records of your own: globs relative to this folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builders: Option<Vec<At<Text>>>,
    /// Files with rules of your own: globs relative to this folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_files: Option<Vec<At<Text>>>,
    /// The least severity that makes the exit status 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_on: Option<FailOn>,
}

/// GPUs that code has to run on.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FleetEntry {
    /// Names of products, compute capabilities or instance types: `H100`, `8.9`, `aws:p5.48xlarge`.
    pub gpus: Vec<At<Text>>,
    /// The branch or version of the oldest driver that the GPUs run under: `550`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<At<Text>>,
    /// The files that it applies to: globs relative to this folder. Without: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<At<Text>>>,
}

/// What is allowed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PolicyEntries {
    /// GPUs of the fleet that only PTX reaches: an info, a warning (as without this key), an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ptx: Option<Allowance>,
    /// Lists without PTX for newer GPUs: an info (as without this key), an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_ptx: Option<ForwardPtx>,
    /// Code for GPUs that no fleet has: an info (as without this key), an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unexpected: Option<Unexpected>,
    /// The highest severity for builds that may compile nothing: `info` without this key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maybe: Option<Maybe>,
    /// Whether every suppression needs a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_reason: Option<bool>,
}

/// The highest severity for builds that may compile nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Maybe {
    /// Nothing is said.
    Off,
    /// Infos.
    Info,
    /// Warnings.
    Warning,
}

impl Maybe {
    /// The severity; `None` for off.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Info => Some(Severity::Info),
            Self::Warning => Some(Severity::Warning),
        }
    }
}

/// How much a rule matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum RuleEntry {
    /// A severity, or `off`; as it is written, so that another word is told with its place.
    Level(#[cfg_attr(feature = "schema", schemars(with = "Level"))] Text),
    /// The same, and whether it is locked.
    Table(RuleTable),
}

/// How much a rule matters, and whether that is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RuleTable {
    /// A severity, or `off`; without: as the rule says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Level>,
    /// Comments and nearer files can neither suppress nor lower it.
    #[serde(default)]
    pub locked: bool,
}

impl RuleEntry {
    /// The table, also where only a word is written.
    ///
    /// # Errors
    /// The word is no level: what to say about it.
    pub fn table(&self) -> Result<RuleTable, String> {
        let word = match self {
            Self::Table(table) => return Ok(*table),
            Self::Level(word) => word.0,
        };
        let deserializer: StrDeserializer<'_, value::Error> = word.into_deserializer();
        match Level::deserialize(deserializer) {
            Ok(level) => Ok(RuleTable {
                severity: Some(level),
                locked: false,
            }),
            Err(_) => {
                let levels = ["off", "info", "warning", "error"];
                let near = did_you_mean(nearest(word, levels));
                Err(format!("`{word}` is none of {}{near}", levels.join(", ")))
            }
        }
    }

    /// Whether comments and nearer files can neither suppress nor lower the rule.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Table(RuleTable { locked: true, .. }))
    }
}

impl<'de> Deserialize<'de> for RuleEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = RuleEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a severity, `off`, or a map with `severity` and `locked`")
            }
            fn visit_str<E>(self, word: &str) -> Result<RuleEntry, E> {
                Ok(RuleEntry::Level(Text(word.to_owned().leak())))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RuleEntry, A::Error> {
                RuleTable::deserialize(MapAccessDeserializer::new(map)).map(RuleEntry::Table)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

/// Findings that are listed and not counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct IgnoreEntry {
    /// The rule, by code or name.
    pub rule: At<Text>,
    /// The files: a glob relative to this folder. Without: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<At<Text>>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text>,
    /// The last day on which it holds: `2027-03-01`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
}

/// The last day on which something holds.
#[derive(Clone, Copy, Debug)]
pub struct Until(pub Date);

impl<'de> Deserialize<'de> for Until {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer).map(Self)
    }
}

impl Serialize for Until {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A base image of your own.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ImageEntry {
    /// The public image that it resembles: `nvidia/cuda:12.4.1-devel-ubuntu22.04`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<At<Text>>,
    /// Variables that it sets.
    #[serde(default)]
    pub env: Map<Text>,
    /// Its torch: `2.6.0`, `2.6.0+cu124` for the public wheel of that variant, `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torch: Option<Text>,
    /// Whether nvcc is in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvcc: Option<bool>,
}

/// The least severity that makes the exit status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FailOn {
    /// Errors.
    Error,
    /// Warnings and errors.
    Warning,
    /// Anything.
    Info,
    /// Nothing.
    Never,
}

impl FailOn {
    /// Whether a finding of this severity makes the exit status 1.
    pub fn includes(self, severity: Severity) -> bool {
        match self {
            Self::Error => severity >= Severity::Error,
            Self::Warning => severity >= Severity::Warning,
            Self::Info => true,
            Self::Never => false,
        }
    }
}
