//! The GPU observer: asks the driver instead of predicting.
//!
//! The driver is opened at run time and only ever in a process of our own: `worker` is what such a child does, `child` starts it,
//! follows it and notices when it dies or hangs, `protocol` is what the two say to each other. [`probe`] runs a kernel on
//! every GPU, [`load`] gives the containers of artifacts to the driver and compares, [`watch`] runs somebody else's program.
mod ask;
mod child;
mod code;
mod driver;
mod kernel;
mod load;
mod log;
mod predicted;
mod probe;
mod protocol;
mod stress;
mod system;
mod watch;
mod worker;

pub use child::Launcher;
pub use load::{is_packed, load};
pub use probe::{Wanted, probe};
pub use watch::watch;
pub use worker::serve;
