//! The verbs, which builder records name.
#[path = "../src/actions/verb.rs"]
pub mod verb;
