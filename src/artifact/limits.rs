//! What one input may cost: hostile files end in an error, not in a full disk or a full memory.
use std::sync::atomic::{AtomicU64, Ordering};

/// Levels of packing that are opened: an image in a zip in a tar is three.
pub const MAX_DEPTH: u32 = 10;
/// Bytes that may be read from one input, counted at every level: 128 GiB.
pub const MAX_SIZE: u64 = 128 << 30;
/// Images that one file may hold; the largest library seen has 6,000.
pub(super) const MAX_IMAGES: usize = 500_000;
/// Members that one package may have.
pub(super) const MAX_MEMBERS: usize = 1_000_000;
/// A member up to this size is read into memory, where every reader works; a larger one is streamed.
pub(super) const SMALL: usize = 2 << 20;

/// The bytes that may still be read from an input.
#[derive(Debug)]
pub(super) struct Budget {
    left: AtomicU64,
    most: u64,
}

impl Budget {
    /// A budget of `most` bytes.
    pub(super) fn new(most: u64) -> Self {
        Self {
            left: AtomicU64::new(most),
            most,
        }
    }

    /// Takes `bytes` off; an error in words once there is not enough left.
    pub(super) fn spend(&self, bytes: u64) -> Result<(), String> {
        let most = self.most;
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                Some(left.saturating_sub(bytes))
            })
            .ok()
            .filter(|&left| left >= bytes)
            .map(|_| ())
            .ok_or_else(|| format!("more than {most} bytes to read (--max-size)"))
    }
}
