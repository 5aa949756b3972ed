//! Whether the parts of a build's toolchain fit together.
use serde::{Deserialize, Serialize};

/// How torch, nvcc and the compilers of run time fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fit {
    /// The torch that the build sees, against the one that the image or job has.
    pub torch_seen: TorchSeen,
    /// nvcc's CUDA version, against the one that torch was built with.
    pub cuda_match: CudaMatch,
    /// The compiler that is needed when the program runs.
    pub runtime_compiler: RuntimeCompiler,
}

/// The torch that a build sees, against the one that the image or job has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TorchSeen {
    /// The same, or the build wants none.
    Same,
    /// Build isolation installs another one.
    Other,
    /// The build wants one and there is none.
    None,
    /// It cannot be known.
    #[default]
    Unknown,
}

/// nvcc's CUDA version, against the one that torch was built with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CudaMatch {
    /// Equal, or the build wants no torch.
    Same,
    /// Another minor version, which the builder takes.
    Minor,
    /// Another minor version, which the builder refuses.
    MinorRefused,
    /// Another major version.
    Major,
    /// It cannot be known.
    #[default]
    Unknown,
}

/// The compiler (nvcc, ptxas, NVRTC) that a program needs when it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RuntimeCompiler {
    /// None is needed, or the package brings its own.
    NotNeeded,
    /// It is there and new enough.
    Present,
    /// It is not there.
    Missing,
    /// It is older than a GPU of the fleet.
    TooOld,
    /// It cannot be known.
    #[default]
    Unknown,
}
