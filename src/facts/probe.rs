//! What GPUs answered: kernels that ran, artifacts that were loaded, programs that were watched.
use super::Verdict;
use serde::{Deserialize, Serialize};

/// One GPU that was asked; or, where none could be, why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Probe {
    /// Where findings point: `GPU 0`, or `GPU` where there is none.
    pub path: String,
    /// What came of it.
    pub state: ProbeState,
    /// Why nothing ran, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Whether the user asked for a GPU to be here.
    pub required: bool,
    /// Its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gpu: String,
    /// Its number among those that are visible.
    pub index: u32,
    /// Its id: `GPU-…`, of a slice `MIG-…`, where the driver tells.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uuid: String,
    /// Its compute capability.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub capability: String,
    /// Who may use it, where that is not everybody: `exclusive process`, `prohibited`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mode: String,
    /// The driver's version, `580.159.04`; `unknown` where it does not show.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub driver: String,
    /// The CUDA version that the driver speaks, `13.0`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cuda: String,
    /// What creating a context took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_ms: Option<f64>,
    /// Our kernel as machine code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sass: Option<KernelRun>,
    /// Our kernel as PTX that the driver compiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ptx: Option<KernelRun>,
    /// The product that was computed again and again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stress: Option<StressRun>,
    /// The artifacts that were loaded.
    pub artifacts: Vec<LoadedArtifact>,
    /// PTX that the driver did not compile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<BlockedPtx>,
}

/// What came of asking a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ProbeState {
    /// There is none: no driver, or no GPU that it shows.
    #[default]
    Absent,
    /// Something is there and does not work.
    Unusable,
    /// Our kernel ran.
    Ran,
}

/// One run of our kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelRun {
    /// It was loaded and launched, and its values are right.
    pub ok: bool,
    /// The driver's answer to loading it: a `CUresult`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_code: Option<i32>,
    /// The answer at the launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch_code: Option<i32>,
    /// The answer after waiting for it. After a launch that failed, this is success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_code: Option<i32>,
    /// What it wrote.
    pub values: Values,
    /// From loading to comparing, in milliseconds.
    pub ms: f64,
    /// What went wrong, in words; the driver's log where there is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trouble: String,
}

/// What a kernel wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Values {
    /// Every value is what the CPU computes, and nothing else was touched.
    Right,
    /// At least one is not.
    Wrong,
    /// They were not read: it did not come that far.
    #[default]
    Unread,
}

/// A product of matrices that was computed several times and compared with the CPU's, bit by bit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StressRun {
    /// How many times it was computed.
    pub runs: u32,
    /// In how many of them a value was wrong.
    pub wrong_runs: u32,
    /// Wrong values of all runs.
    pub wrong_values: u64,
    /// Milliseconds.
    pub ms: f64,
    /// Why it ended early, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trouble: String,
}

/// An artifact whose containers were given to the driver, one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadedArtifact {
    /// The GPU's name.
    pub gpu: String,
    /// Its compute capability.
    pub capability: String,
    /// The file.
    pub path: String,
    /// The member inside it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub member: String,
    /// Containers that were given to the driver.
    pub loaded: u64,
    /// Those of which the driver said what was predicted.
    pub agree: u64,
    /// Those of which something was predicted.
    pub of: u64,
    /// Those of which nothing could be predicted, or the answer says nothing about their images.
    pub undecided: u64,
    /// Containers that were not given to the driver.
    pub skipped: u64,
    /// Why not, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub skipped_text: String,
    /// Containers in which the driver found no image (209), without those whose kernels are for other GPUs on purpose.
    pub missing: u64,
    /// Containers in which the driver found no image, and whose kernels are for other GPUs on purpose.
    pub dispatch: u64,
    /// Why images may be missing on purpose after all, as a clause; empty where nothing says so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excuse: String,
    /// Where driver and prediction differ.
    #[serde(default)]
    pub disagree: Vec<Disagreement>,
}

/// A container of which the driver says something else than the tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disagreement {
    /// Byte offset in the file.
    pub offset: u64,
    /// Its images: `sm_80 compute_90`.
    pub images: String,
    /// What the tables say.
    #[serde(rename = "static")]
    pub verdict: Verdict,
    /// What the driver says; absent where it did not come back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_code: Option<i32>,
    /// The same in words.
    pub driver: String,
}

/// PTX that the driver did not compile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlockedPtx {
    /// Whose: a file, or our own kernel.
    pub what: String,
    /// The driver's answer: 221, 222, 223.
    pub code: i32,
    /// Why, in words.
    pub reason: String,
    /// How many containers.
    pub count: u64,
}

/// A program that was watched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Program {
    /// Its name: where findings point.
    pub path: String,
    /// The whole command, on one line.
    pub command: String,
    /// Its exit status; absent where a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// How it ended, in words: `it exited with status 0`.
    pub ended: String,
    /// Whether the driver could tell: its log needs driver 575 or newer.
    pub watched: super::Known,
    /// The driver's version.
    pub driver: String,
    /// What failed inside it, equal failures counted.
    pub failures: Vec<LoggedFailure>,
}

/// A failure that the driver logged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoggedFailure {
    /// What kind.
    pub kind: FailureKind,
    /// The `CUresult`.
    pub code: i32,
    /// Its name.
    pub name: String,
    /// The function of the driver that returned it.
    pub function: String,
    /// The kernel, where the log names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kernel: String,
    /// How often.
    pub count: u64,
}

/// What failed inside a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// No image for the GPU (209).
    NoImage,
    /// PTX that the driver did not compile (218, 220, 221, 222, 223).
    PtxRefused,
    /// A launch that failed for another reason.
    Launch,
}
