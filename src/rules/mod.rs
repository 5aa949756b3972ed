//! Rules: files that select, grade, word and document; an engine that applies them to facts.
//!
//! This floor knows facts only: no text, no ELF, no driver.
mod check;
mod engine;
mod exclusive;
mod grade;
mod judged;
mod load;
mod plain;
mod rule;
mod scope;
mod select;
mod subject;
#[cfg(test)]
mod tests;
mod words;

pub use check::Fault;
pub use engine::{JudgeError, RuleSet};
pub use grade::{Policy, grade};
pub use load::{LoadError, builtin, load};
pub use rule::{Example, File, Files, FixAction, FixSpec, On, Pointer, Row, Rule};
pub use select::{Selection, UnknownRule, find};
