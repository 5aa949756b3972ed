//! Forward reading, of mapped bytes and of streams alike.
//!
//! Every reader of device code only ever looks ahead and skips, so that it works on a library that is
//! being inflated as well as on one that is mapped.
use super::limits::Budget;
use super::scratch::Scratch;
use std::io::{self, BufRead, Read};

/// A place in a file from which one can look ahead and skip, never go back.
pub(super) trait Tape {
    /// Byte offset in the file.
    fn offset(&self) -> u64;
    /// Up to `len` bytes from here on; fewer only at the end, or past what [`Tape::reach`] allows.
    fn peek(&mut self, len: usize) -> &[u8];
    /// Skips up to `len` bytes and says how many.
    fn skip(&mut self, len: u64) -> u64;
    /// The most bytes that one look ahead may ask for.
    fn reach(&self) -> u64;
    /// Why the tape ended early, if it did.
    fn failure(&self) -> Option<&str>;
}

/// A tape over bytes in memory.
pub(super) struct Mapped<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Mapped<'b> {
    /// From `start` to `end` of `bytes`; offsets count from the start of `bytes`.
    pub(super) fn new(bytes: &'b [u8], start: u64, end: u64) -> Self {
        let index = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(bytes.len());
        let end = index(end);
        Self {
            bytes: bytes.get(..end).unwrap_or_default(),
            at: index(start).min(end),
        }
    }
}

impl Tape for Mapped<'_> {
    fn offset(&self) -> u64 {
        self.at as u64
    }

    fn peek(&mut self, len: usize) -> &[u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.get(..len).unwrap_or(rest)
    }

    fn skip(&mut self, len: u64) -> u64 {
        let rest = (self.bytes.len() - self.at) as u64;
        let step = len.min(rest);
        self.at += step as usize;
        step
    }

    fn reach(&self) -> u64 {
        u64::MAX
    }

    fn failure(&self) -> Option<&str> {
        None
    }
}

/// What a buffer holds to begin with, and reads at a time: each time costs an inflater a copy of its 32 KiB of history, and what
/// was inflated should still be in the cache when it is looked at.
pub(super) const CHUNK: usize = 256 << 10;
/// What a buffer may grow to.
const REACH: usize = 4 << 20;

/// A tape over a reader.
pub(super) struct Stream<'r> {
    inner: Box<dyn Read + 'r>,
    budget: &'r Budget<'r>,
    buffer: Scratch,
    start: usize,
    filled: usize,
    offset: u64,
    size: Option<u64>,
    ended: bool,
    failure: Option<String>,
}

impl<'r> Stream<'r> {
    /// A tape over `inner`, whose length is `size` where that is known. What is read counts against `budget`.
    pub(super) fn new(
        inner: Box<dyn Read + 'r>,
        size: Option<u64>,
        budget: &'r Budget<'r>,
    ) -> Self {
        Self {
            inner,
            budget,
            buffer: Scratch::take(),
            start: 0,
            filled: 0,
            offset: 0,
            size,
            ended: false,
            failure: None,
        }
    }

    /// The length, where it is known.
    pub(super) fn size(&self) -> Option<u64> {
        self.size
    }

    /// Everything that is left of a tape whose length is known to be small, up to its failure if it has one.
    pub(super) fn rest(&mut self, size: usize) -> Scratch {
        let mut bytes = Scratch::take();
        bytes.clear();
        bytes.reserve_exact(size);
        while let Ok(1..) = self.by_ref().take(CHUNK as u64).read_to_end(&mut bytes) {}
        bytes
    }

    fn available(&self) -> usize {
        self.filled - self.start
    }

    /// Reads at least `want` bytes ahead, or to the end.
    fn fill(&mut self, want: usize) {
        let want = want.min(REACH + CHUNK);
        if self.available() >= want || self.ended {
            return;
        }
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        // Small members are many: no more room than they need, and a byte to see their end.
        let known = self.size.and_then(|size| usize::try_from(size).ok());
        let room = want.max(CHUNK.min(known.unwrap_or(CHUNK).saturating_add(1)));
        if self.buffer.len() < room {
            self.buffer.resize(room, 0);
        }
        while self.filled < want && !self.ended {
            let (filled, space) = (self.filled, self.buffer.len());
            let Some(free) = self.buffer.get_mut(filled..space) else {
                return;
            };
            match read_some(&mut self.inner, free) {
                Ok(0) => self.end(None),
                Ok(n) => {
                    self.filled += n.min(space - filled);
                    if let Err(over) = self.budget.spend(n as u64) {
                        self.end(Some(over));
                    }
                }
                Err(error) => self.end(Some(error.to_string())),
            }
        }
    }

    fn end(&mut self, failure: Option<String>) {
        self.ended = true;
        let read = self.offset + self.available() as u64;
        self.failure = failure.or_else(|| {
            let size = self.size.filter(|&size| read < size)?;
            Some(format!("ends after {read} of {size} bytes"))
        });
    }
}

fn read_some(from: &mut dyn Read, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

impl Tape for Stream<'_> {
    fn offset(&self) -> u64 {
        self.offset
    }

    fn peek(&mut self, len: usize) -> &[u8] {
        self.fill(len);
        let end = self.filled.min(self.start.saturating_add(len));
        self.buffer.get(self.start..end).unwrap_or_default()
    }

    fn skip(&mut self, len: u64) -> u64 {
        let mut left = len;
        while left > 0 {
            if self.available() == 0 {
                self.fill(1);
            }
            let step = left.min(self.available() as u64);
            if step == 0 {
                break;
            }
            self.start += step as usize;
            self.offset += step;
            left -= step;
        }
        len - left
    }

    fn reach(&self) -> u64 {
        REACH as u64
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

/// For decoders: reading takes from the tape. A failure of the tape is an error of the reader.
impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.available() == 0 {
            self.fill(1);
        }
        let step = self.available().min(into.len());
        if step == 0 && !into.is_empty() {
            return match &self.failure {
                Some(failure) => Err(io::Error::other(failure.clone())),
                None => Ok(0),
            };
        }
        let from = self.buffer.get(self.start..self.start + step);
        if let (Some(from), Some(to)) = (from, into.get_mut(..step)) {
            to.copy_from_slice(from);
        }
        self.start += step;
        self.offset += step as u64;
        Ok(step)
    }
}

/// For decoders that must not take more than their own bytes.
impl BufRead for Stream<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.fill(1);
        match &self.failure {
            Some(failure) if self.available() == 0 => Err(io::Error::other(failure.clone())),
            _ => Ok(self.buffer.get(self.start..self.filled).unwrap_or_default()),
        }
    }

    fn consume(&mut self, len: usize) {
        let step = len.min(self.available());
        self.start += step;
        self.offset += step as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tape<'r>(bytes: &'r [u8], size: u64, budget: &'r Budget<'r>) -> Stream<'r> {
        Stream::new(Box::new(bytes), Some(size), budget)
    }

    #[test]
    fn both_tapes_look_ahead_and_skip_alike() {
        let bytes: Vec<u8> = (0..300_000_u32).map(|n| n as u8).collect();
        let budget = Budget::new(u64::MAX);
        let mut stream = tape(&bytes, 300_000, &budget);
        let mut mapped = Mapped::new(&bytes, 0, u64::MAX);
        for step in [1, 0, 64, 70_000, 100_000, 200_000] {
            assert_eq!(stream.peek(100), mapped.peek(100));
            assert_eq!(stream.skip(step), mapped.skip(step));
            assert_eq!(stream.offset(), mapped.offset());
        }
        assert_eq!((stream.peek(1).len(), stream.failure()), (0, None));
    }

    #[test]
    fn an_early_end_and_a_spent_budget_are_failures() {
        let budget = Budget::new(u64::MAX);
        let mut short = tape(b"abc", 5, &budget);
        assert_eq!(short.skip(9), 3);
        assert_eq!(short.failure(), Some("ends after 3 of 5 bytes"));
        let budget = Budget::new(2);
        let mut over = tape(b"abc", 3, &budget);
        over.skip(9);
        assert!(over.failure().is_some_and(|f| f.contains("--max-size")));
    }
}
