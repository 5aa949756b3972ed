//! The knowledge tables, compiled from `rules/knowledge` by `build.rs`.
use super::record::{
    Ambiguous, CiAction, Cpu, CudaError, Gpu, GpuName, ImageRow, Instance, NextStep, NgcRelease,
    Sh, TagRow, TorchKind, TorchWheel,
};
use crate::cuda::{Capability, Phase, Suffix, Target, ToolkitVersion, Version};
use crate::table::{List, Text, Trust};

include!(concat!(env!("OUT_DIR"), "/knowledge.rs"));
