//! Action + state + record → Build fact.
pub mod cond;
mod describe;
pub mod diagnose;
pub mod evaluate;
pub mod fit;
pub mod identify;
mod intent;
pub mod judge;
pub mod knobs;
pub mod lists;
pub mod record;
pub mod records;
pub mod settings;
mod show;
pub mod suggest;
pub mod trace;
