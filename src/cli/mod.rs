//! The commands, one file each: clap arguments and a short straight line through the modules below.
pub mod archs;
mod progress;
