//! What every reader is given: the user's options, the budget, the progress.
use super::limits::{self, Budget};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What the user asks of the readers.
#[derive(Clone, Debug)]
pub struct Options {
    /// Relocatable code too, in files that have executable code.
    pub all: bool,
    /// Also look for device code outside the registered sections.
    pub outside: bool,
    /// Keep every image in file order.
    pub listing: bool,
    /// Keep where each container lies.
    pub places: bool,
    /// A folder into which members with device code are unpacked and stay; with it, they have places, too.
    pub unpack_to: Option<PathBuf>,
    /// Keep the names of kernels, for which device code is decompressed.
    pub kernels: bool,
    /// Levels of packing that are opened.
    pub max_depth: u32,
    /// Bytes that may be read from one input, counted at every level.
    pub max_size: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            all: false,
            outside: true,
            listing: false,
            places: false,
            unpack_to: None,
            kernels: false,
            max_depth: limits::MAX_DEPTH,
            max_size: limits::MAX_SIZE,
        }
    }
}

/// How far the work is, for a progress bar.
#[derive(Debug, Default)]
pub struct Meter {
    total: AtomicU64,
    done: AtomicU64,
}

impl Meter {
    /// Bytes on disk that are to be read, as far as they are known.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Bytes of them that are done.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    pub(super) fn expect(&self, bytes: u64) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn advance(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// What the readers of one input share.
#[derive(Clone, Copy)]
pub(super) struct Context<'c> {
    pub(super) options: &'c Options,
    pub(super) budget: &'c Budget<'c>,
    pub(super) meter: &'c Meter,
    /// The folder of an input that is a file on disk: where the members of a thin archive lie.
    pub(super) folder: Option<&'c Path>,
    /// Where members with device code are unpacked to, if they are.
    pub(super) unpack_to: Option<&'c Path>,
    /// Bytes of text that are kept to the end, as the lists of Python packages are.
    pub(super) held: &'c AtomicU64,
}

impl Context<'_> {
    /// Whether `bytes` more of text may be kept.
    pub(super) fn hold(&self, bytes: u64) -> bool {
        self.held.fetch_add(bytes, Ordering::Relaxed) + bytes <= limits::MAX_HELD
    }

    /// Does work on one member, within its share of the budget.
    pub(super) fn member<R>(&self, work: impl FnOnce(&Context) -> R) -> R {
        let budget = self.budget.half();
        work(&Context {
            budget: &budget,
            ..*self
        })
    }
}
