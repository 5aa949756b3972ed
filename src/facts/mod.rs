//! What the observers learn, in the shape that rules read and that `--format json` prints (version 1).
//!
//! Absent means not applicable; unknown is written as such.
mod artifact;
mod build;
mod drift;
mod finding;
mod fit;
mod fleet;
mod image;
mod input;
mod install;
mod probe;
pub mod sample;
mod setting;
mod suppression;
mod trace;

pub use artifact::{
    Artifact, ArtifactCoverage, ArtifactKind, ArtifactProblem, ContainerAt, Declared, DeclaredBy,
    GpusByVerdict, ImageCount, ImageSet, KernelGroup, Listed, PythonPackage,
};
pub use build::{
    Alternative, Arch, ArchSource, Build, Cause, Compiles, Diagnosis, Fault, FaultKind,
    GpuCoverage, Lost, LostWhy, Note, Outcome, SetAt, SetHow, Switch, Through, Tool, Verdict,
};
pub use drift::Drift;
pub use finding::{
    Confidence, Edit, Finding, Fix, Related, Role, Severity, Suppressed, SuppressedBy,
};
pub use fit::{CudaMatch, Fit, RuntimeCompiler, TorchSeen};
pub use fleet::{FleetFit, FleetGap, GapKind};
pub use image::BaseImage;
pub use input::{Input, InputProblem, ProblemKind, Unreadable};
pub use install::Install;
pub use probe::{
    BlockedPtx, Disagreement, FailureKind, KernelRun, LoadedArtifact, LoggedFailure, Probe,
    ProbeState, Program, StressRun, Values,
};
pub use setting::{Reader, Setting};
pub use suppression::{Covers, Ignore, SuppressionFault, SuppressionWhy};
pub use trace::{Candidate, RecordNote, RowNote, Trace};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that a run learned.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Places that build device code.
    pub builds: Vec<Build>,
    /// Lists that somebody set.
    pub settings: Vec<Setting>,
    /// Prebuilt packages.
    pub installs: Vec<Install>,
    /// Base images.
    pub images: Vec<BaseImage>,
    /// Files with device code.
    pub artifacts: Vec<Artifact>,
    /// GPUs that were asked.
    pub probes: Vec<Probe>,
    /// Programs that were watched.
    pub programs: Vec<Program>,
    /// Files that were read.
    pub inputs: Vec<Input>,
    /// Files that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Suppressions, by comments and by configuration.
    pub ignores: Vec<Ignore>,
    /// Suppressions at fault.
    pub suppressions: Vec<SuppressionFault>,
    /// The text of every file that a fact points into, by path: what reports quote.
    pub texts: BTreeMap<String, String>,
}

impl Facts {
    /// Adds what another file taught.
    pub fn append(&mut self, mut other: Self) {
        self.builds.append(&mut other.builds);
        self.settings.append(&mut other.settings);
        self.installs.append(&mut other.installs);
        self.images.append(&mut other.images);
        self.artifacts.append(&mut other.artifacts);
        self.probes.append(&mut other.probes);
        self.programs.append(&mut other.programs);
        self.inputs.append(&mut other.inputs);
        self.unreadable.append(&mut other.unreadable);
        self.ignores.append(&mut other.ignores);
        self.suppressions.append(&mut other.suppressions);
        self.texts.append(&mut other.texts);
    }
}

/// A question whose answer may not be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
