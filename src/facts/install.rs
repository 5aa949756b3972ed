//! Packages that bring device code of their own, or compile it where they run.
use super::{Confidence, FleetFit};
use crate::span::Place;
use serde::{Deserialize, Serialize};

/// A prebuilt package.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Install {
    /// Its name.
    pub name: String,
    /// Its version, or `unknown`.
    pub version: String,
    /// `cu124`, `cpu`, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// The file.
    pub path: String,
    /// The command, or the base image that brings it.
    pub span: Place,
    /// `likely` where a condition decides whether it is installed, or the table quotes others.
    #[serde(default)]
    pub confidence: Confidence,
    /// Architectures that every kernel of the package has.
    #[serde(default)]
    pub archs_full: Vec<String>,
    /// Architectures that only some kernels have.
    #[serde(default)]
    pub archs_partial: Vec<String>,
    /// What is wrong for the fleet.
    #[serde(default)]
    pub fleet: FleetFit,
    /// The nearest version and variant that serves the whole fleet, in words; empty if none is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suggest: String,
}
