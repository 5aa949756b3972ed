//! The model's own tables: toolkits, compatibility and torch's parser, compiled from `rules/knowledge` by `build.rs`.
mod record;

use super::capability::{Capability, PtxIsa, Suffix, Target};
use super::version::{Phase, ToolkitVersion, Version};
use crate::table::{List, Text, Trust};
pub use record::{Compat, Family, Generation, Gone, Renamed, Toolkit, TorchParser};

include!(concat!(env!("OUT_DIR"), "/cuda.rs"));
