//! Suppressions: comments and configuration entries that take findings out of the count.
use crate::span::Place;
use serde::{Deserialize, Serialize};

/// A suppression that is at fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuppressionFault {
    /// The code or name that it suppresses, as written.
    pub rule: String,
    /// The file that holds it.
    pub path: String,
    /// The code or name.
    pub span: Place,
    /// What is wrong.
    pub why: SuppressionWhy,
}

/// What is wrong with a suppression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuppressionWhy {
    /// No rule has this code or name.
    UnknownRule,
    /// A reason is required and none is given.
    NoReason,
    /// Nothing is left to suppress.
    Unused,
}
