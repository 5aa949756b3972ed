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
/// Bytes of the lists of Python packages that are kept of one input.
pub(super) const MAX_HELD: u64 = 64 << 20;
/// A member up to this size is read into memory, where every reader works; a larger one is streamed.
pub(super) const SMALL: u64 = 2 << 20;

/// The bytes that may still be read from an input.
#[derive(Debug)]
pub(super) struct Budget<'b> {
    left: AtomicU64,
    most: u64,
    whole: Option<&'b Budget<'b>>,
}

impl Budget<'_> {
    /// A budget of `most` bytes.
    pub(super) fn new(most: u64) -> Self {
        Self {
            left: AtomicU64::new(most),
            most,
            whole: None,
        }
    }

    /// The budget of one member: half of what is left, so that one that never ends leaves enough for the others.
    pub(super) fn half(&self) -> Budget<'_> {
        let left = self.left.load(Ordering::Relaxed);
        Budget {
            left: AtomicU64::new(left.div_ceil(2)),
            most: self.most,
            whole: Some(self),
        }
    }

    /// Takes `bytes` off; an error in words once there is not enough left.
    pub(super) fn spend(&self, bytes: u64) -> Result<(), String> {
        let take = |left: u64| Some(left.saturating_sub(bytes));
        let before = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        if before.is_ok_and(|left| left >= bytes) {
            return self.whole.map_or(Ok(()), |whole| whole.spend(bytes));
        }
        let most = self.most;
        Err(format!(
            "too much to read within the limit of {most} bytes (--max-size)"
        ))
    }
}
