//! Action + state + record → Build fact.
mod check;
pub mod cond;
mod describe;
pub mod diagnose;
pub mod evaluate;
pub mod fit;
mod fleet;
pub mod identify;
pub mod installs;
pub mod judge;
pub mod knobs;
pub mod lists;
pub mod load;
pub mod record;
pub mod records;
pub mod settings;
pub mod suggest;
