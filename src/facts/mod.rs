//! What the observers learn, in the shape that rules read and that `--format json` prints (version 1).
//!
//! Absent means not applicable; unknown is written as such.
mod artifact;
mod build;
mod finding;
mod image;
mod input;
mod install;

pub use artifact::{
    Artifact, ArtifactCoverage, ArtifactKind, ArtifactProblem, ImageCount, ImageSet, Listed,
};
pub use build::{
    Alternative, Arch, ArchSource, Build, Compiles, Diagnosis, Fault, FaultKind, GpuCoverage, Lost,
    LostWhy, Note, Outcome, SetAt, SetHow, Switch, Tool, Verdict,
};
pub use finding::{
    Confidence, Edit, Finding, Fix, Related, Role, Severity, Suppressed, SuppressedBy,
};
pub use image::BaseImage;
pub use input::{Input, InputProblem, Unreadable};
pub use install::Install;

use serde::{Deserialize, Serialize};

/// A question whose answer may not be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Known {
    /// Yes.
    Yes,
    /// No.
    No,
    /// It cannot be known from what was read.
    #[default]
    Unknown,
}

impl From<bool> for Known {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}
