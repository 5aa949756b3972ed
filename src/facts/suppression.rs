//! Suppressions: comments and configuration entries that take findings out of the count.
use super::SuppressedBy;
use crate::date::Date;
use crate::span::{Place, Span};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A comment or entry that takes findings out of the count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// The codes or names, as written, each with its place.
    pub rules: Vec<(String, Place)>,
    /// The file that holds it.
    pub path: String,
    /// The findings that it is about.
    pub covers: Covers,
    /// Why, as the user put it.
    pub reason: String,
    /// The last day on which it holds.
    pub until: Option<Date>,
    /// Comment or configuration.
    pub by: SuppressedBy,
    /// How far the configuration file that holds it is from the linted files: 0 for the nearest; `None` for a comment.
    pub depth: Option<usize>,
}

/// Which findings a suppression is about, by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Covers {
    /// Those in a part of its own file.
    Part(Span),
    /// All in its own file.
    File,
    /// Those in a part of its own file, to which other files may lead, too, that this run does not see.
    Shared(Span),
    /// All in these files.
    Paths {
        /// The paths of linted files.
        paths: BTreeSet<String>,
        /// Other files may be meant, too, that this run does not see.
        and_others: bool,
    },
}

/// A suppression that is at fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuppressionFault {
    /// The code or name that it suppresses, or the builder that it declares, as written.
    pub rule: String,
    /// The file that holds it.
    pub path: String,
    /// The code or name.
    pub span: Place,
    /// What is wrong.
    pub why: SuppressionWhy,
    /// The name that may be meant, the day that has passed, or the file that locks the rule.
    pub detail: String,
}

/// What is wrong with a suppression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuppressionWhy {
    /// The comment is addressed to this tool and not understood.
    Malformed,
    /// No rule has this code or name.
    UnknownRule,
    /// A reason is required and none is given.
    NoReason,
    /// Its day has passed.
    Expired,
    /// Nothing is left to suppress.
    Unused,
    /// The rule is locked by a configuration file farther away.
    Locked,
    /// It declares what a command builds, and no builder has this id.
    UnknownBuilder,
    /// It declares what a command builds, and the instruction builds nothing from source.
    NoBuild,
}
