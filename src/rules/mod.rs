//! Rules: files that select, grade, word and document; an engine that applies them to facts.
//!
//! This floor knows facts only: no text, no ELF, no driver.
mod baseline;
mod check;
mod engine;
mod exclusive;
mod fingerprint;
mod grade;
mod judged;
mod load;
mod plain;
mod policy;
mod rule;
mod scope;
mod select;
mod settled;
mod subject;
mod suppress;
#[cfg(test)]
mod tests;
mod words;

pub use baseline::{Baseline, KnownFinding, NoBaseline};
pub use check::Fault;
pub use engine::{JudgeError, RuleSet};
pub use fingerprint::fingerprints;
pub use grade::grade;
pub use judged::by_place;
pub use load::{LoadError, builtin, load};
pub use policy::{Allowance, ForwardPtx, Level, Policy, Unexpected};
pub use rule::{Example, File, Files, FixAction, FixSpec, Head, On, Pointer, Row, Rule};
pub use select::{Selection, UnknownRule, find};
pub use settled::{Lock, Settings};
