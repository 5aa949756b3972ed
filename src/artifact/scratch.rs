//! Buffers that are used again. A wheel may have 16,000 members: a new buffer for each, between the results
//! that stay, would leave the heap full of holes that add up to several times what is in use.
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Buffers kept by each thread, and the largest that is kept.
const KEPT: usize = 8;
const LARGEST: usize = 8 << 20;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// A buffer with what somebody left in it.
pub(super) struct Scratch(Vec<u8>);

impl Scratch {
    /// A buffer, used before if there is one.
    pub(super) fn take() -> Self {
        Self(SPARE.with_borrow_mut(Vec::pop).unwrap_or_default())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.0);
        if buffer.capacity() <= LARGEST {
            // While a thread ends its buffers are gone already.
            let _ = SPARE.try_with(|spare| {
                let mut spare = spare.borrow_mut();
                if spare.len() < KEPT {
                    spare.push(buffer);
                }
            });
        }
    }
}

impl Deref for Scratch {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Scratch {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}
