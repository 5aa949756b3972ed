//! The words of findings, which rule files name.
#[path = "../src/facts/finding.rs"]
mod finding;

pub use finding::{Role, Severity};
