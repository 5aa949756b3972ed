//! The bytes of a file or member: in memory, or passing by.
use super::context::Meter;
use super::tape::{Stream, Tape};
use std::io::{self, Read};

/// The bytes of a file or member.
pub(super) enum Content<'c> {
    /// All of them, mapped or read.
    Bytes(&'c [u8]),
    /// One after the other.
    Stream(Stream<'c>),
}

impl<'c> Content<'c> {
    /// The first bytes, up to `len`.
    pub(super) fn head(&mut self, len: usize) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes.get(..len).unwrap_or(bytes),
            Self::Stream(stream) => stream.peek(len),
        }
    }

    /// The length, as far as it is known.
    pub(super) fn size(&self) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => Some(bytes.len() as u64),
            Self::Stream(stream) => stream.size(),
        }
    }

    /// For a decoder; bytes of a file on disk move the progress on.
    pub(super) fn into_reader(self, meter: Option<&'c Meter>) -> Box<dyn Read + 'c> {
        match self {
            Self::Bytes(bytes) => Box::new(Metered { bytes, meter }),
            Self::Stream(stream) => Box::new(stream),
        }
    }
}

struct Metered<'c> {
    bytes: &'c [u8],
    meter: Option<&'c Meter>,
}

impl Read for Metered<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(into)?;
        if let Some(meter) = self.meter {
            meter.advance(read as u64);
        }
        Ok(read)
    }
}
