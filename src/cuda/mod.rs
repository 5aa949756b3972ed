//! The pure model of CUDA device code: capabilities, targets, images, devices and what runs where.
mod capability;

pub use capability::{Capability, Image, ImageKind, NotACapability, PtxIsa, Suffix, Target};
