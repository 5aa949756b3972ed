//! A place where device code is, or may be, compiled.
use super::{Confidence, Drift, Fit, FleetFit, Known};
use crate::span::Place;
use serde::{Deserialize, Serialize};

/// One command that builds, with everything the tool knows of the architectures it builds for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Build {
    /// Id of the builder record.
    pub builder: String,
    /// The builder in words.
    pub title: String,
    /// Title and builder do not tell of which project it is.
    #[serde(skip)]
    pub of_any_project: bool,
    /// `likely` for a builder known by directory name only, a forked repository, a record of low confidence.
    pub confidence: Confidence,
    /// The command as written, on one line, shortened past 200 characters.
    pub command: String,
    /// The file.
    pub path: String,
    /// The command's words.
    pub span: Place,
    /// The whole instruction or step.
    pub instruction: Place,
    /// The commands in other files that it leads to; the last one is what compiles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Through>,
    /// The stage or job.
    pub scope: String,
    /// The shell that reads the command.
    #[serde(default, skip_serializing_if = "ShellSyntax::is_posix")]
    pub shell: ShellSyntax,
    /// Matrix rows or callers in which this holds; empty when there is only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worlds: Vec<String>,
    /// Whether device code is compiled here.
    pub compiles: Compiles,
    /// Why, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// The architectures.
    pub arch: Arch,
    /// What is wrong with the way the list is given: exactly one.
    pub diagnosis: Diagnosis,
    /// Malformed tokens of the list.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// Settings meant for this build that do not reach it.
    #[serde(default)]
    pub lost: Vec<Lost>,
    /// What the builder does with what it gets.
    pub outcome: Outcome,
    /// The same in words, as a clause that says what will happen: `without a GPU the build stops with IndexError: …`.
    pub outcome_text: String,
    /// The switch without which the build leaves device code out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switch: Option<Switch>,
    /// The line of the project's own files that decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Texts with which the builder compares the whole list, and that name a part of it only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<Comparison>,
    /// nvcc's CUDA version.
    pub toolkit: Tool,
    /// The torch that the build compiles against.
    pub torch: Tool,
    /// Whether nvcc is there.
    pub nvcc: Known,
    /// Whether a GPU is visible to the build.
    pub gpu_visible: Known,
    /// A failure of the command does not stop the build (`|| true`, or the package swallows it).
    pub swallowed: bool,
    /// Per GPU of the fleet: what the images mean for it. Empty without a fleet.
    #[serde(default)]
    pub coverage: Vec<GpuCoverage>,
    /// What is wrong for the fleet.
    #[serde(default)]
    pub fleet: FleetFit,
    /// The line to write, and nothing else: `ENV TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suggest: String,
    /// Targets of the list that this toolkit cannot compile for, spelled `sm_120`, because it is older than them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub too_new_for_toolkit: Vec<Note>,
    /// Targets of the list that this toolkit no longer knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped_by_toolkit: Vec<Note>,
    /// Whether the parts of the toolchain fit together.
    #[serde(default)]
    pub fit: Fit,
    /// Lists for the same builder in other files of the run that disagree with this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drifts: Vec<Drift>,
    /// It is compiled in a CI job, and no job beside it runs what was compiled, or looks into it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unproven: bool,
}

pub(super) fn is_false(value: &bool) -> bool {
    !value
}

/// A shell, by the way in which it sets variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ShellSyntax {
    /// bash, sh and their like.
    #[default]
    Posix,
    /// PowerShell.
    Pwsh,
    /// The command prompt of Windows.
    Cmd,
}

impl ShellSyntax {
    /// Whether it is that of bash, sh and their like.
    pub fn is_posix(&self) -> bool {
        *self == Self::Posix
    }
}

/// A line of a project's own files that decides what its build does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cause {
    /// The file.
    pub path: String,
    /// The place.
    pub span: Place,
    /// What it does, as a clause: `these flags switch torch's own list off`.
    pub say: String,
}

/// A text with which a builder compares the whole of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The text: `9.0`.
    pub text: String,
    /// What follows for any other text, as a clause.
    pub say: String,
    /// The line that compares, in the project's own files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

/// A command in another file than the linted one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Through {
    /// The file.
    pub path: String,
    /// The command's words.
    pub span: Place,
}

/// A target or token with the reason why it is named, and where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Note {
    /// The token or target.
    pub token: String,
    /// Why it is named.
    pub reason: String,
    /// The file that holds it.
    pub path: String,
    /// Its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Place>,
}

/// Whether a command compiles device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Compiles {
    /// Always.
    Yes,
    /// It depends on something that is not known here (a wheel that may exist, a condition).
    Maybe,
    /// Never.
    No,
}

/// The architectures of a build.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Arch {
    /// Whence the list that is really used.
    pub source: ArchSource,
    /// The variable, define or flag that decides.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub knob: String,
    /// Its text as it reaches the consumer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The images it makes the compiler embed: `sm_80`, `compute_90`.
    #[serde(default)]
    pub images: Vec<String>,
    /// Targets to which the builder gives a suffix: `120 into 120a`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rewritten: String,
    /// It is known that there is machine code and no PTX.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sass_only: bool,
    /// Where it was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_at: Option<SetAt>,
    /// Other lists that may hold instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
}

/// Whence the list that is really used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ArchSource {
    /// The user wrote it.
    Explicit,
    /// The base image sets it.
    Preset,
    /// The package has a list of its own.
    Package,
    /// nvcc's default.
    Compiler,
    /// The GPU of the build machine.
    Gpu,
    /// No device code at all.
    None,
    /// It cannot be known.
    #[default]
    Unknown,
}

/// Where a list was set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetAt {
    /// In which form.
    pub how: SetHow,
    /// The file; a base image's reference for a preset.
    pub path: String,
    /// The place; absent for a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Place>,
}

/// The form in which a variable was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SetHow {
    /// Dockerfile `ENV`.
    #[serde(rename = "ENV")]
    Env,
    /// Dockerfile `ARG`.
    #[serde(rename = "ARG")]
    Arg,
    /// Shell `export`.
    #[serde(rename = "export")]
    Export,
    /// `NAME=value command`, `env NAME=value command`.
    #[serde(rename = "inline")]
    Inline,
    /// A shell variable that is not exported.
    #[serde(rename = "shell")]
    Shell,
    /// `env:` of a CI config, or `--env`.
    #[serde(rename = "env")]
    ConfigEnv,
    /// `--build-arg`.
    #[serde(rename = "build-arg")]
    BuildArg,
    /// `-DNAME=value`.
    #[serde(rename = "define")]
    Define,
    /// A command-line flag.
    #[serde(rename = "flag")]
    Flag,
    /// A make variable.
    #[serde(rename = "make")]
    Make,
    /// The base image.
    #[serde(rename = "preset")]
    Preset,
    /// A called script.
    #[serde(rename = "script")]
    Script,
    /// A matrix row.
    #[serde(rename = "matrix")]
    Matrix,
    /// `$GITHUB_ENV`.
    #[serde(rename = "github-env")]
    GithubEnv,
    /// A build file of the project itself.
    #[serde(rename = "project")]
    Project,
}

/// Another list that may hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alternative {
    /// Its text.
    pub text: String,
    /// Its images.
    pub images: Vec<String>,
    /// When it holds.
    pub when: String,
}

/// What is wrong with the way a list is given, most specific first (each is a rule).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Diagnosis {
    /// Nothing.
    Ok,
    /// KIMG105.
    Malformed,
    /// KIMG106.
    Empty,
    /// KIMG107.
    Native,
    /// KIMG104.
    Ignored,
    /// KIMG103.
    Lost,
    /// KIMG102.
    Late,
    /// KIMG101.
    Missing,
    /// KIMG004.
    Undecidable,
}

/// A token that the consumer's parser rejects or drops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fault {
    /// What happens to it.
    pub kind: FaultKind,
    /// The token.
    pub token: String,
    /// The file that holds it.
    pub path: String,
    /// Its place; absent where the text has none (a preset, a computed value).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Place>,
    /// Why, in words.
    pub reason: String,
}

/// What a consumer does with a token it does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// The build stops.
    Rejected,
    /// The token is left out without a word.
    Dropped,
}

/// A setting that does not reach the build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lost {
    /// The variable.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The file that sets it.
    pub path: String,
    /// Where it is set; for a preset, where the base image is named.
    pub span: Place,
    /// In which form.
    pub how: SetHow,
    /// Why it does not arrive.
    pub why: LostWhy,
    /// The same in words, as a clause about the setting: `it is set after the build`.
    pub why_text: String,
}

/// Why a setting does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LostWhy {
    /// A shell variable without `export`.
    NotExported,
    /// Exported in an earlier `RUN` or step.
    EndedWithRun,
    /// Written before another command only.
    OneCommand,
    /// Set in a stage that this one does not inherit from.
    OtherStage,
    /// `ARG` before the first `FROM`, not declared again.
    GlobalArg,
    /// Written to `$GITHUB_ENV` in the same step.
    SameStep,
    /// Not passed into the container.
    NotForwarded,
    /// Quotes that the shell left in are part of its name.
    Quoted,
    /// `sudo` or `su -` drops it.
    Sudo,
    /// Written to a file that only interactive or login shells read.
    RcFile,
    /// The tool runs the build in an environment of its own.
    Isolated,
    /// Set after the build.
    Late,
    /// Another variable of the builder, or a flag, wins.
    Overridden,
    /// This builder does not read it.
    NotRead,
}

/// What the builder does with what it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It compiles for the list it was given.
    List,
    /// It compiles for a list of its own.
    Fixed,
    /// It compiles for nvcc's default.
    CompilerDefault,
    /// It compiles for the GPU it sees.
    VisibleGpu,
    /// It leaves device code out and succeeds.
    CpuOnly,
    /// It fails.
    Error,
    /// It compiles on the machine where it runs.
    Runtime,
    /// It compiles nothing.
    None,
    /// It cannot be known.
    Unknown,
}

/// A switch that a builder wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Switch {
    /// The variable or define.
    pub name: String,
    /// The value.
    pub value: String,
}

/// A version and where it is known from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tool {
    /// `12.4`, `none` where it is known to be absent, `unknown`.
    pub version: String,
    /// `+cu124` and the like, for torch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// The base image, the install command, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub from: String,
}

/// What a set of images means for one GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GpuCoverage {
    /// The GPU's name.
    pub gpu: String,
    /// Its compute capability.
    pub capability: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The image that serves it, or why none does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
}

/// What a set of images means for a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Machine code that runs there.
    Native,
    /// Only PTX, compiled by the driver at load.
    Jit,
    /// For artifacts: some kernels run, some do not.
    Partial,
    /// Nothing runs there.
    Missing,
    /// PTX would run, but the driver or the policy refuses it.
    Blocked,
    /// It cannot be known; never a pass.
    Unknown,
}
