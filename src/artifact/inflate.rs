//! Inflating raw deflate streams, with a state that is used again for the reason given in [`super::scratch`].
use flate2::{Decompress, FlushDecompress, Status};
use std::cell::RefCell;
use std::io::{self, BufRead, Read};

thread_local! {
    static SPARE: RefCell<Vec<Decompress>> = const { RefCell::new(Vec::new()) };
}

/// States kept by each thread: as many as streams are open at once, a zip in a zip.
const KEPT: usize = 4;

/// A reader of what a raw deflate stream holds; takes no byte behind its end.
pub(super) struct Inflate<R> {
    from: R,
    /// Always there, but while it is handed back.
    state: Option<Decompress>,
}

impl<R: BufRead> Inflate<R> {
    pub(super) fn new(from: R) -> Self {
        let spare = SPARE.with_borrow_mut(Vec::pop);
        let state = spare.map_or_else(
            || Decompress::new(false),
            |mut state| {
                state.reset(false);
                state
            },
        );
        Self {
            from,
            state: Some(state),
        }
    }
}

impl<R> Drop for Inflate<R> {
    fn drop(&mut self) {
        let state = self.state.take();
        // While a thread ends its states are gone already.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < KEPT {
                spare.extend(state);
            }
        });
    }
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(state) = &mut self.state else {
            return Ok(0);
        };
        loop {
            let packed = self.from.fill_buf()?;
            let ended = packed.is_empty();
            let (consumed, made) = (state.total_in(), state.total_out());
            let flush = if ended {
                FlushDecompress::Finish
            } else {
                FlushDecompress::None
            };
            let status = state
                .decompress(packed, into, flush)
                .map_err(|_| io::Error::other("damaged: no deflate stream"))?;
            self.from.consume((state.total_in() - consumed) as usize);
            let made = (state.total_out() - made) as usize;
            if made > 0 || ended || into.is_empty() || status == Status::StreamEnd {
                return Ok(made);
            }
        }
    }
}
