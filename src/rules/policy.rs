//! What the user wants: how much each rule matters, and what is allowed.
use crate::facts::Severity;
use serde::{Deserialize, Serialize};

/// What is allowed. Conditions and messages of rules see it as `policy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Policy {
    /// GPUs of the fleet that only PTX reaches.
    pub ptx: Allowance,
    /// PTX for GPUs newer than those of a list.
    pub forward_ptx: ForwardPtx,
    /// Code for GPUs that nobody declared.
    pub unexpected: Unexpected,
    /// The highest severity of a finding about a build that may compile nothing; `None`: no such findings.
    pub maybe: Option<Severity>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            ptx: Allowance::Warn,
            forward_ptx: ForwardPtx::Ignore,
            unexpected: Unexpected::Allow,
            maybe: Some(Severity::Info),
        }
    }
}

/// What is thought of a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Allowance {
    /// It is an info.
    Allow,
    /// It is a warning.
    Warn,
    /// It is an error.
    Deny,
}

/// Whether lists need PTX for newer GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ForwardPtx {
    /// A list without is an info.
    Ignore,
    /// A list without is an error.
    Require,
}

/// Whether code for GPUs that nobody declared may be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Unexpected {
    /// It is an info.
    Allow,
    /// It is an error.
    Deny,
}

/// How much a rule matters, whatever its file says; least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It does not speak.
    Off,
    /// Its findings are infos.
    Info,
    /// Its findings are warnings, as far as they are sure enough.
    Warning,
    /// Its findings are errors, as far as they are sure enough.
    Error,
}

impl Level {
    /// The severity; `None` for off.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Info => Some(Severity::Info),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
}
