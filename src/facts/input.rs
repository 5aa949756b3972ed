//! The files themselves.
use crate::span::Place;
use serde::{Deserialize, Serialize};

/// A file that was read, with what could not be read in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The file.
    pub path: String,
    /// What was not understood or not read in it.
    pub problems: Vec<InputProblem>,
}

/// A place that counts as unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputProblem {
    /// Where.
    pub span: Place,
    /// What is wrong.
    pub message: String,
    /// What it means for the answer.
    pub kind: ProblemKind,
}

/// Why a place counts as unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// The format does not allow what stands there.
    Syntax,
    /// It is right, and this tool does not follow it: another language, a file that is not here.
    PassedOver,
    /// The file is too much to follow: what comes later was not looked at.
    CutShort,
}

/// A file that could not be read or decoded: exit status 2, never a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unreadable {
    /// The file.
    pub path: String,
    /// Why.
    pub reason: String,
}
