//! Action + state + record → Build fact.
pub mod record;
