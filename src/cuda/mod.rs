//! The pure model of CUDA device code: capabilities, targets, images, devices and what runs where.
mod capability;
mod tables;
mod version;

pub use capability::{
    Capability, Image, ImageKind, NotACapability, NotAPtxIsa, NotATarget, PtxIsa, Suffix, Target,
};
pub use version::{
    Bound, NotARange, NotAToolkitVersion, NotAVersion, Operator, Phase, Range, ToolkitVersion,
    Version,
};
