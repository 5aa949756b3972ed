//! The files themselves.
use crate::span::Place;
use serde::{Deserialize, Serialize};

/// A file that was read, with what could not be read in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The file.
    pub path: String,
    /// Located syntax problems.
    pub problems: Vec<InputProblem>,
}

/// A located syntax problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputProblem {
    /// Where.
    pub span: Place,
    /// What is wrong.
    pub message: String,
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
