//! The knowledge tables, compiled from `rules/knowledge` by `build.rs`.
use super::record::{
    Ambiguous, CiAction, Cpu, Gpu, GpuName, ImageRow, Instance, NgcRelease, TagRow, TorchKind,
    TorchWheel,
};
use crate::cuda::{Capability, Phase, Suffix, Target, ToolkitVersion, Version};
use crate::table::{List, Text, Trust};

include!(concat!(env!("OUT_DIR"), "/knowledge.rs"));
