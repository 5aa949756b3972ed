//! One file of an image: blocks of a fixed size one after the other, and an end that shares a block with the ends of others.
use super::super::le::clip;
use super::super::limits::Budget;
use super::Image;
use super::metadata::{Cursor, Place};
use crate::facts::ArtifactProblem;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// An inode of a file, and one with room for large numbers.
pub(super) const BASIC: u16 = 2;
pub(super) const EXTENDED: u16 = 9;
/// The fragment of a file that has none.
const NONE: u32 = u32::MAX;
/// The bit of a block's length that says it is stored as it is.
const STORED: u32 = 1 << 24;
/// Lines of a block of the table of fragments, and the bytes of one.
const LINES: u32 = 512;
const LINE: u16 = 16;

/// Where a file lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct File {
    kind: u16,
    inode: Place,
    blocks: u64,
    pub(super) size: u64,
    fragment: u32,
    /// Where its end begins in the fragment.
    end_at: u32,
}

impl File {
    /// From an inode behind its common head.
    pub(super) fn read(
        kind: u16,
        inode: Place,
        from: &mut Cursor,
    ) -> Result<Self, ArtifactProblem> {
        let file = |blocks, size, fragment, end_at| Self {
            kind,
            inode,
            blocks,
            size,
            fragment,
            end_at,
        };
        if kind == BASIC {
            let (blocks, fragment, end_at) = (from.u32()?, from.u32()?, from.u32()?);
            return Ok(file(
                u64::from(blocks),
                u64::from(from.u32()?),
                fragment,
                end_at,
            ));
        }
        let (blocks, size) = (from.u64()?, from.u64()?);
        from.skip(12)?;
        let (fragment, end_at) = (from.u32()?, from.u32()?);
        Ok(file(blocks, size, fragment, end_at))
    }

    /// Whether the whole file lies in a block that it shares.
    pub(super) fn is_small(&self, image: &Image) -> bool {
        self.fragment != NONE && self.size < u64::from(image.block_size)
    }

    /// Its bytes.
    pub(super) fn open<'i>(
        &self,
        image: &'i Image<'i>,
        fragments: &'i Fragments,
        budget: &'i Budget<'i>,
    ) -> Result<Reader<'i>, ArtifactProblem> {
        let head = if self.kind == BASIC { 32 } else { 56 };
        let mut lengths = Cursor::at(self.inode, image, budget)?;
        lengths.skip(head)?;
        Ok(Reader {
            image,
            fragments,
            budget,
            lengths,
            file: *self,
            at: self.blocks,
            left: self.size,
            block: Arc::default(),
            read: 0,
        })
    }
}

/// Shared blocks that were inflated last: small files lie beside each other.
#[derive(Default)]
pub(super) struct Fragments {
    last: Mutex<VecDeque<(u32, Arc<Vec<u8>>)>>,
}

impl Fragments {
    /// Blocks that are kept.
    const KEPT: usize = 8;

    fn block(&self, number: u32, image: &Image, budget: &Budget) -> io::Result<Arc<Vec<u8>>> {
        let lock = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, block)) = lock().iter().find(|(kept, _)| *kept == number) {
            return Ok(block.clone());
        }
        let (at, length) = line(number, image, budget).map_err(|p| io::Error::other(p.message))?;
        budget
            .spend(u64::from(image.block_size))
            .map_err(io::Error::other)?;
        let block = Arc::new(block(at, length, image)?);
        let mut last = lock();
        last.truncate(Self::KEPT - 1);
        last.push_front((number, block.clone()));
        Ok(block)
    }
}

/// Where a shared block lies, and its length with its bit.
fn line(number: u32, image: &Image, budget: &Budget) -> Result<(u64, u32), ArtifactProblem> {
    if number >= image.fragment_count {
        let problem = format!("no fragment {number} in its table");
        return Err(ArtifactProblem::at(image.fragments, problem));
    }
    let pointer = image.fragments + u64::from(number / LINES) * 8;
    let block = super::super::le::u64_at(clip(image.bytes, pointer, pointer + 8), 0);
    let block =
        block.ok_or_else(|| ArtifactProblem::at(pointer, "the image ends in its tables"))?;
    let byte = (number % LINES) as u16 * LINE;
    let mut table = Cursor::at(Place { block, byte }, image, budget)?;
    Ok((table.u64()?, table.u32()?))
}

/// A block of a file.
fn block(at: u64, length: u32, image: &Image) -> io::Result<Vec<u8>> {
    let size = u64::from(length & !STORED);
    let packed = clip(image.bytes, at, at.saturating_add(size));
    if (packed.len() as u64) < size {
        return Err(io::Error::other("the image ends in this file"));
    }
    if length & STORED != 0 {
        return Ok(packed.to_vec());
    }
    image.compression.inflate(packed, image.block_size as usize)
}

/// The bytes of a file, one after the other.
pub(super) struct Reader<'i> {
    image: &'i Image<'i>,
    fragments: &'i Fragments,
    budget: &'i Budget<'i>,
    /// Gives the length of each block in turn.
    lengths: Cursor<'i>,
    file: File,
    /// Where the next block lies.
    at: u64,
    /// Bytes that are in no block in hand yet.
    left: u64,
    block: Arc<Vec<u8>>,
    read: usize,
}

impl Reader<'_> {
    /// Takes the next block in hand.
    fn next(&mut self) -> io::Result<()> {
        let block_size = u64::from(self.image.block_size);
        let size = self.left.min(block_size) as usize;
        if size < block_size as usize && self.file.fragment != NONE {
            self.block = self
                .fragments
                .block(self.file.fragment, self.image, self.budget)?;
            self.read = self.file.end_at as usize;
            let whole = self.block.len() >= self.read.saturating_add(size);
            if !whole {
                return Err(io::Error::other("its end lies behind its fragment's"));
            }
            Arc::make_mut(&mut self.block).truncate(self.read + size);
        } else {
            let length = self.lengths.u32();
            let length = length.map_err(|problem| io::Error::other(problem.message))?;
            // A block without bytes is a hole of the file.
            self.block = Arc::new(match length & !STORED {
                0 => vec![0; size],
                _ => block(self.at, length, self.image)?,
            });
            if self.block.len() != size {
                return Err(io::Error::other(
                    "a block has another size than its file says",
                ));
            }
            self.at = self.at.saturating_add(u64::from(length & !STORED));
            self.read = 0;
        }
        self.left -= size as u64;
        Ok(())
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read >= self.block.len() && self.left > 0 {
            self.next()?;
        }
        let mut rest = self.block.get(self.read..).unwrap_or_default();
        let read = rest.read(into)?;
        self.read += read;
        Ok(read)
    }
}
