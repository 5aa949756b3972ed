//! How code meets the GPUs of a fleet.
use super::{Confidence, Note};
use serde::{Deserialize, Serialize};

/// What is wrong for a fleet. Empty without one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetFit {
    /// GPUs that are not served as they should be, together where the reason is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<FleetGap>,
    /// Targets that no GPU of the fleet needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spare: Vec<Note>,
}

/// GPUs that are not served as they should be, for one reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetGap {
    /// What is wrong.
    pub kind: GapKind,
    /// Their names.
    pub gpus: Vec<String>,
    /// The same in words, with capabilities: `NVIDIA L4 (8.9) and Tesla T4 (7.5)`.
    pub gpus_text: String,
    /// Why, in words, as a clause.
    pub reason: String,
    /// `likely` where it holds in some alternative only.
    pub confidence: Confidence,
    /// Another build of the same, beside this one, is for them.
    #[serde(default, skip_serializing_if = "super::build::is_false")]
    pub elsewhere: bool,
}

/// What is wrong for a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GapKind {
    /// Nothing runs there, and the toolkit could compile for it.
    Missing,
    /// Nothing runs there, and the toolkit compiles nothing for it.
    Toolkit,
    /// What would run there has a suffix that does not carry so far.
    Suffix,
    /// What would run there is for desktop GPUs, and it is a Tegra chip; or the other way round.
    Tegra,
    /// PTX would run there, but its driver does not compile it.
    DriverPtx,
    /// Its driver is older than all that the toolkit's code runs on.
    Driver,
    /// The builder takes one architecture, and that does not serve it.
    OneArch,
    /// Only PTX reaches it.
    Jit,
    /// No GPU of the fleet: a suffix keeps the code from GPUs that it seems to cover.
    Bound,
}
