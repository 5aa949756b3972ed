//! The shapes of the knowledge tables, shared with `build.rs`.
use crate::cuda::{Capability, Target, ToolkitVersion, Version};
use crate::table::{List, Text, Trust};
use serde::{Deserialize, Serialize};

/// A GPU product.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Gpu {
    /// What nvidia-smi and torch print.
    pub name: Text,
    /// Its compute capability.
    pub capability: Capability,
    /// How well that is known.
    pub trust: Trust,
}

/// One way to write a GPU's name, reduced to its key.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct GpuName {
    /// The key.
    pub key: Text,
    /// Where in the table of GPUs it stands.
    pub gpu: usize,
}

/// A name that fits GPUs of several capabilities.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ambiguous {
    /// The name.
    pub name: Text,
    /// The names of the GPUs.
    pub gpus: List<Text>,
}

/// Names under which somebody rents GPUs.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Who: `aws`.
    pub provider: Text,
    /// The GPU's name; several if one name means all of them, none if there is no NVIDIA GPU.
    pub gpus: List<Text>,
    /// Patterns of names.
    pub names: List<Text>,
    /// Where this is known from.
    pub source: Text,
    /// When that was looked at.
    pub checked: Text,
    /// How well it is known.
    pub trust: Trust,
}

/// An action or workflow that jobs run.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CiAction {
    /// A pattern of names: `owner/name`.
    pub name: Text,
    /// The input that names the version of the CUDA toolkit it installs.
    #[serde(default)]
    pub toolkit: Option<Text>,
    /// The input whose text it runs.
    #[serde(default)]
    pub script: Option<Text>,
    /// The input that names the machine it runs on.
    #[serde(default)]
    pub machine: Option<Text>,
    /// The input that names the image it runs in.
    #[serde(default)]
    pub image: Option<Text>,
    /// The command that it runs. A word with `{input}` holds what that input says and is left out without it; `{input*}` stands
    /// for the words of an input.
    #[serde(default)]
    pub command: List<Text>,
    /// Where this is known from.
    pub source: Text,
}

/// A run of torch releases whose wheels carry the same architectures.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TorchWheel {
    /// The first minor release.
    pub from: Version,
    /// The last one.
    pub to: Version,
    /// The index variant: `cu124`.
    pub variant: Text,
    /// The CPU it is built for.
    pub cpu: Cpu,
    /// Whether the default index serves this variant.
    #[serde(default)]
    pub default: bool,
    /// Targets that (nearly) every kernel has.
    pub full: List<Target>,
    /// Targets of some kernels only: no support.
    #[serde(default)]
    pub partial: List<Target>,
    /// Targets whose PTX the build script asks for, not seen in any wheel that was measured.
    #[serde(default)]
    pub ptx: List<Target>,
    /// Where this is known from.
    pub source: Text,
    /// When that was looked at.
    pub checked: Text,
    /// How well it is known.
    pub trust: Trust,
}

/// The CPU that host code is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cpu {
    /// `linux/amd64`
    #[default]
    #[serde(rename(deserialize = "x86_64"))]
    X86,
    /// `linux/arm64`
    #[serde(rename(deserialize = "aarch64"))]
    Arm,
}

/// Base images that are much alike.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all(deserialize = "kebab-case"))]
pub struct ImageRow {
    /// Patterns of repositories.
    pub repos: List<Text>,
    /// Whether nvcc is in them.
    #[serde(default)]
    pub nvcc: Option<bool>,
    /// Whether torch is, and which.
    #[serde(default)]
    pub torch: Option<TorchKind>,
    /// No variable that builders read is set but those in `env`.
    #[serde(default)]
    pub closed: bool,
    /// Made for GPUs of another maker.
    #[serde(default)]
    pub other_gpu: bool,
    /// The tag names an NGC release.
    #[serde(default)]
    pub ngc: bool,
    /// The directory that a stage on them begins in.
    #[serde(default)]
    pub workdir: Option<Text>,
    /// What `/bin/sh` is in them.
    #[serde(default)]
    pub sh: Option<Sh>,
    /// Variables; a value that is not known, or has braces that caught nothing, is set but unknown.
    #[serde(default)]
    pub env: List<(Text, Option<Text>)>,
    /// What tags tell.
    #[serde(default)]
    pub tags: List<TagRow>,
    /// Where this is known from.
    pub source: Text,
    /// When that was looked at.
    pub checked: Text,
    /// How well it is known.
    pub trust: Trust,
}

/// What a tag tells.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TagRow {
    /// The pattern.
    pub tag: Text,
    /// Whether nvcc is in it.
    #[serde(default)]
    pub nvcc: Option<bool>,
    /// The toolkit, where the pattern does not catch it.
    #[serde(default)]
    pub toolkit: Option<ToolkitVersion>,
    /// The operating system, with braces filled.
    #[serde(default)]
    pub os: Option<Text>,
    /// What `/bin/sh` is in it, where the row does not tell.
    #[serde(default)]
    pub sh: Option<Sh>,
    /// Variables that differ from the row's.
    #[serde(default)]
    pub env: List<(Text, Option<Text>)>,
    /// Driver branches older than the toolkit's, which its `NVIDIA_REQUIRE_CUDA` admits on GPUs that are not for consumers; empty:
    /// not known.
    #[serde(default)]
    pub drivers: List<u16>,
}

/// The program that `/bin/sh` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum Sh {
    /// Fedora, Red Hat and their relatives, Amazon Linux, openSUSE, Arch.
    Bash,
    /// Debian and Ubuntu.
    Dash,
    /// Alpine.
    Busybox,
}

/// The torch of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum TorchKind {
    /// None.
    Absent,
    /// The public wheel for the image's toolkit.
    Wheel,
    /// Built by the image's maker.
    Own,
    /// For another GPU, or for none.
    Other,
}

/// A release of the images of NGC.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NgcRelease {
    /// `24.10`
    pub release: Text,
    /// The full CUDA version.
    pub toolkit: Text,
    /// The torch of the PyTorch image.
    pub torch: Version,
    /// Its `TORCH_CUDA_ARCH_LIST`.
    pub list: Text,
    /// The same on arm64, where it differs.
    #[serde(default)]
    pub arm64: Option<Text>,
    /// Where this is known from.
    pub source: Text,
    /// How well the list is known.
    pub trust: Trust,
}

/// An error of CUDA, or of a tool above it, that has to do with architectures.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CudaError {
    /// The code, where it has one, and the message.
    pub title: Text,
    /// Its numbers.
    #[serde(default)]
    pub codes: List<u16>,
    /// Its names in the driver and in the runtime.
    #[serde(default)]
    pub names: List<Text>,
    /// Pieces of its message, any of which tells it; `…` stands for any text.
    pub messages: List<Text>,
    /// What it means.
    pub cause: Text,
    /// What else it can be.
    pub others: List<Text>,
    /// The commands that tell more.
    pub next: List<NextStep>,
    /// Where this is known from.
    pub sources: List<Text>,
}

/// A command, and what it tells.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextStep {
    /// The command.
    pub run: Text,
    /// What it tells.
    pub why: Text,
}
