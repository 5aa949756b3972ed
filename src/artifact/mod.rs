//! The artifact observer: which device code a built file carries, read without CUDA and, unless [`Options::unpack_to`] asks for
//! it, without unpacking.
//!
//! A path is opened by [`archs`]; `read` finds out what it is; packages hand their members back to `read`;
//! host files hand their sections to the readers of device code. Packages lie at most
//! [`Options::max_depth`] levels deep, and every step counts against [`Options::max_size`].
mod ar;
mod content;
mod context;
mod cubin;
mod decode;
mod elf;
mod fatbin;
mod host;
mod image;
mod inflate;
mod input;
mod kernels;
mod lacking;
mod layout;
mod le;
mod limits;
mod listing;
mod map;
mod names;
mod pe;
mod pool;
pub mod promise;
mod ptx;
mod python;
mod read;
mod registered;
mod scan;
mod scratch;
pub mod serves;
mod sif;
mod sniff;
mod squashfs;
mod summary;
mod tape;
mod tar;
mod tree;
mod unpack;
mod vendor;
pub mod verdict;
mod zip;

pub use context::{Meter, Options};
pub use input::archs;
pub use limits::{MAX_DEPTH, MAX_SIZE};

#[cfg(test)]
mod tests;
