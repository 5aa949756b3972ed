//! Compressed streams, each decoder behind one function, and the checks that a decoder leaves to its caller.
use super::inflate::Inflate;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::{self, BufRead, Read};

/// A decoder borrows what it decodes.
pub(super) type Reader<'r> = Box<dyn Read + 'r>;

/// Memory for an xz dictionary, in KiB: `xz -9` wants 64 MiB.
const XZ_MEMORY: u32 = 96 << 10;

pub(super) fn gzip<'r>(from: impl Read + 'r) -> Reader<'r> {
    Box::new(MultiGzDecoder::new(from))
}

pub(super) fn zlib<'r>(from: impl Read + 'r) -> Reader<'r> {
    Box::new(ZlibDecoder::new(from))
}

pub(super) fn xz<'r>(from: impl Read + 'r) -> Reader<'r> {
    Box::new(lzma_rust2::XzReader::new_mem_limit(from, true, XZ_MEMORY))
}

pub(super) fn bzip2<'r>(from: impl Read + 'r) -> Reader<'r> {
    Box::new(bzip2::read::MultiBzDecoder::new(from))
}

pub(super) fn zstd<'r>(from: impl Read + 'r) -> Reader<'r> {
    Box::new(Zstd {
        state: ZstdState::Between(from),
    })
}

/// A raw deflate stream that must give `size` bytes with this checksum.
pub(super) fn deflate<'r>(from: impl BufRead + 'r, size: u64, crc: u32) -> Reader<'r> {
    checked(Inflate::new(from), size, crc)
}

/// Bytes that must be `size` long and have this checksum.
pub(super) fn checked<'r>(from: impl Read + 'r, size: u64, crc: u32) -> Reader<'r> {
    Box::new(Checked {
        from,
        left: size,
        crc,
        sum: flate2::Crc::new(),
    })
}

struct Checked<R> {
    from: R,
    left: u64,
    crc: u32,
    sum: flate2::Crc,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into)?;
        let Some(left) = self.left.checked_sub(read as u64) else {
            return Err(io::Error::other("longer than its header says"));
        };
        self.left = left;
        self.sum.update(into.get(..read).unwrap_or_default());
        // The end: a short member is the tape's to notice, which knows its size.
        if read == 0 && !into.is_empty() && left == 0 && self.sum.sum() != self.crc {
            return Err(io::Error::other("its checksum is wrong"));
        }
        Ok(read)
    }
}

/// Frames one after the other, frames of other data skipped.
struct Zstd<R: Read> {
    state: ZstdState<R>,
}

enum ZstdState<R: Read> {
    Between(R),
    Frame(Box<StreamingDecoder<Replay<R>, FrameDecoder>>),
    Ended,
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, ZstdState::Ended) {
                ZstdState::Ended => return Ok(0),
                ZstdState::Between(from) => match next_frame(from)? {
                    Some(frame) => self.state = ZstdState::Frame(Box::new(frame)),
                    None => return Ok(0),
                },
                ZstdState::Frame(mut frame) => {
                    let read = frame.read(into)?;
                    if read > 0 {
                        self.state = ZstdState::Frame(frame);
                        return Ok(read);
                    }
                    let sums = &frame.decoder;
                    let said = sums.get_checksum_from_data();
                    if said.is_some() && said != sums.get_calculated_checksum() {
                        return Err(io::Error::other("its checksum is wrong"));
                    }
                    self.state = ZstdState::Between(frame.into_inner().inner);
                }
            }
        }
    }
}

fn next_frame<R: Read>(
    mut from: R,
) -> io::Result<Option<StreamingDecoder<Replay<R>, FrameDecoder>>> {
    loop {
        let mut magic = [0; 4];
        let mut read = 0;
        while let Some(rest) = magic.get_mut(read..).filter(|rest| !rest.is_empty()) {
            match from.read(rest)? {
                0 if read == 0 => return Ok(None),
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => read += n,
            }
        }
        if magic[0] & 0xf0 == 0x50 && magic[1..] == [0x2a, 0x4d, 0x18] {
            let mut size = [0; 4];
            from.read_exact(&mut size)?;
            let size = u64::from(u32::from_le_bytes(size));
            io::copy(&mut from.by_ref().take(size), &mut io::sink())?;
            continue;
        }
        let replay = Replay {
            head: magic,
            at: 0,
            inner: from,
        };
        return StreamingDecoder::new(replay)
            .map(Some)
            .map_err(|error| io::Error::other(error.to_string()));
    }
}

/// Gives four bytes that were read already, then the rest.
struct Replay<R> {
    head: [u8; 4],
    at: usize,
    inner: R,
}

impl<R: Read> Read for Replay<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut rest = self.head.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return self.inner.read(into);
        }
        let read = rest.read(into)?;
        self.at += read;
        Ok(read)
    }
}
