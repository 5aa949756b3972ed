//! The shapes of the model's tables, shared with `build.rs`.
use crate::cuda::{Capability, PtxIsa, Target, ToolkitVersion, Version};
use crate::table::{List, Text, Trust};
use serde::{Deserialize, Serialize};

/// A released CUDA toolkit.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Toolkit {
    /// Its version.
    pub version: ToolkitVersion,
    /// The PTX language version that its nvcc writes, whatever the target.
    pub isa: PtxIsa,
    /// The driver branch that came with it, which its PTX needs.
    pub driver: u16,
    /// Whether that branch is only a lower bound.
    #[serde(default)]
    pub driver_at_least: bool,
    /// The oldest driver branch on which its machine code runs.
    pub floor: u16,
    /// What nvcc compiles for when told nothing, as machine code and PTX.
    pub default: Target,
    /// What nvcc accepts, as machine code and as PTX.
    pub targets: List<Target>,
    /// Which GPUs each `f` target carries to.
    #[serde(default)]
    pub families: List<Family>,
    /// Where this is known from.
    pub source: Text,
    /// When that was looked at.
    pub checked: Text,
    /// How well it is known.
    pub trust: Trust,
}

/// The GPUs that an `f` target runs on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The target, such as `100f`.
    pub target: Target,
    /// Their capabilities.
    pub members: List<Capability>,
}

/// What the compatibility rules need to know beside the toolkits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compat {
    /// Capabilities of Tegra chips, which run exactly their own machine code.
    pub tegra: List<Capability>,
    /// Capabilities that a toolkit renamed.
    pub renamed: List<Renamed>,
    /// Targets that the oldest toolkit of the table had already dropped.
    pub gone: List<Gone>,
    /// Names of GPU generations as build systems take them.
    pub generations: List<Generation>,
}

/// A capability with two names.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renamed {
    /// The old name.
    pub from: Capability,
    /// The new one.
    pub to: Capability,
    /// Where this is known from.
    pub source: Text,
}

/// A target older than the table.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gone {
    /// The target.
    pub target: Target,
    /// The last toolkit that had it.
    pub last: ToolkitVersion,
}

/// A GPU generation.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    /// Its name, such as Ampere.
    pub name: Text,
    /// The targets that build systems mean by it.
    pub targets: List<Target>,
}

/// How torch reads `TORCH_CUDA_ARCH_LIST` (`torch.utils.cpp_extension._get_cuda_arch_flags`) in a run of releases.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TorchParser {
    /// The first release known to read so.
    pub from: Version,
    /// The last one known to.
    pub to: Version,
    /// Whether `native` as the whole value means the visible GPUs.
    pub native: bool,
    /// The targets that it knows.
    pub targets: List<Target>,
    /// Names and what each stands for; replaced anywhere in the text, in this order.
    pub names: List<(Text, Text)>,
    /// Where this is known from.
    pub source: Text,
    /// When that was looked at.
    pub checked: Text,
    /// How well it is known.
    pub trust: Trust,
}
