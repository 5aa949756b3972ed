//! What the observers learn, in the shape that rules read and that `--format json` prints (version 1).
//!
//! Absent means not applicable; unknown is written as such.
mod artifact;
mod build;
mod caller;
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
    Alternative, Arch, ArchSource, Build, Cause, Comparison, Compiles, Diagnosis, Fault, FaultKind,
    GpuCoverage, Lost, LostWhy, Note, Outcome, SetAt, SetHow, ShellSyntax, Switch, Through, Tool,
    Verdict,
};
pub use caller::{Caller, CallerFile, GivenArgument};
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
    /// Who builds the linted Dockerfiles, where that was looked for.
    pub callers: Vec<CallerFile>,
    /// The text of every file that a fact points into, by path: what reports quote.
    pub texts: BTreeMap<String, String>,
}

impl Facts {
    /// Adds what another file taught.
    pub fn append(&mut self, other: Self) {
        join(&mut self.builds, other.builds);
        join(&mut self.settings, other.settings);
        join(&mut self.installs, other.installs);
        join(&mut self.images, other.images);
        join(&mut self.artifacts, other.artifacts);
        join(&mut self.probes, other.probes);
        join(&mut self.programs, other.programs);
        join(&mut self.inputs, other.inputs);
        join(&mut self.unreadable, other.unreadable);
        join(&mut self.ignores, other.ignores);
        join(&mut self.suppressions, other.suppressions);
        join(&mut self.callers, other.callers);
        // `append` would build the whole map again
        self.texts.extend(other.texts);
    }
}

/// Adds facts behind those that are there; what is added to nothing is not copied.
fn join<T>(known: &mut Vec<T>, mut more: Vec<T>) {
    if known.is_empty() {
        *known = more;
    } else {
        known.append(&mut more);
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
