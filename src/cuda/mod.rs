//! The pure model of CUDA device code: capabilities, targets, images, devices and what runs where.
pub mod arch_list;
mod capability;
mod coverage;
mod device;
mod dispatch;
mod reach;
mod require;
mod suggest;
mod tables;
mod toolkit;
mod version;

pub use capability::{
    Capability, Image, ImageKind, NotACapability, NotAPtxIsa, NotATarget, PtxIsa, Suffix, Target,
};
pub use coverage::{Block, Coverage, Doubt, Gap, Jit, coverage, coverage_with_groups};
pub use device::{Device, DriverBranch, NotADriver, is_tegra};
pub use dispatch::{dispatch, is_special};
pub use reach::{Reach, reach};
pub use require::admits;
pub use suggest::{Suggestion, Unreached, suggest};
pub use tables::Toolkit;
pub use toolkit::{Support, renamed, support, toolkit, toolkits};
pub use version::{
    Bound, NotARange, NotAToolkitVersion, NotAVersion, Operator, Phase, Range, ToolkitVersion,
    Version,
};
