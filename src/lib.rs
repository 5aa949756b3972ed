//! kimg-lint: finds CUDA builds that will die with error 209, "no kernel image is available for execution on the device".
//!
//! Data flows one way: text or bytes or device → facts → rules → findings → report.
//! A module uses only those above it in this list.
pub mod date;
pub mod paths;
pub mod read;
pub mod relative;
pub mod span;
pub mod spelling;
pub mod table;
pub mod tree;
pub mod value;
pub mod yaml;

pub mod cuda;
pub mod facts;

pub mod text;

pub mod knowledge;

pub mod fleet;
pub mod front;

pub mod actions;
pub mod walk;

pub mod artifact;
pub mod builders;
#[cfg(feature = "probe")]
pub mod gpu;
pub mod projects;

pub mod rules;

pub mod config;
pub mod fix;

pub mod report;

pub mod lint;

pub mod cli;
