//! One compressed block, inflated up to a bound.
use super::super::decode;
use std::io::{self, Read};

/// How an image's blocks are compressed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compression {
    Zlib,
    Xz,
    Lz4,
    Zstd,
}

impl Compression {
    /// By its number in the superblock; the name of one that has no decoder here.
    pub(super) fn numbered(number: u16) -> Result<Self, String> {
        match number {
            1 => Ok(Self::Zlib),
            2 => Err("lzma".to_owned()),
            3 => Err("lzo".to_owned()),
            4 => Ok(Self::Xz),
            5 => Ok(Self::Lz4),
            6 => Ok(Self::Zstd),
            _ => Err(format!("method {number}")),
        }
    }

    /// A block of at most `most` bytes.
    pub(super) fn inflate(self, packed: &[u8], most: usize) -> io::Result<Vec<u8>> {
        let from = match self {
            Self::Zlib => decode::zlib(packed),
            Self::Xz => decode::xz(packed),
            Self::Zstd => decode::zstd(packed),
            Self::Lz4 => {
                return lz4_flex::block::decompress(packed, most).map_err(io::Error::other);
            }
        };
        let mut block = Vec::with_capacity(most);
        from.take(most as u64 + 1).read_to_end(&mut block)?;
        if block.len() > most {
            return Err(io::Error::other(format!("a block of over {most} bytes")));
        }
        Ok(block)
    }
}
