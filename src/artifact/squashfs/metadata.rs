//! Numbers out of an image's tables, which lie in compressed blocks of 8 KiB each.
use super::super::le::{clip, u16_at};
use super::super::limits::Budget;
use super::Image;
use crate::facts::ArtifactProblem;

/// Bytes of a block, once inflated.
const BLOCK: usize = 8192;
/// The bit of a block's length that says it is stored as it is.
const STORED: u16 = 0x8000;

/// Where something begins in the tables: a block, by its offset in the image, and a byte in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) block: u64,
    pub(super) byte: u16,
}

/// Reads on from a place; holds one block.
pub(super) struct Cursor<'i> {
    image: &'i Image<'i>,
    budget: &'i Budget<'i>,
    /// Where the block in hand lies, and the one after it.
    block: u64,
    next: u64,
    bytes: Vec<u8>,
    at: usize,
}

impl<'i> Cursor<'i> {
    /// At a place.
    pub(super) fn at(
        place: Place,
        image: &'i Image,
        budget: &'i Budget,
    ) -> Result<Self, ArtifactProblem> {
        let mut cursor = Self {
            image,
            budget,
            block: u64::MAX,
            next: 0,
            bytes: Vec::new(),
            at: 0,
        };
        cursor.seek(place)?;
        Ok(cursor)
    }

    /// Goes to a place. In the block in hand this costs nothing.
    pub(super) fn seek(&mut self, place: Place) -> Result<(), ArtifactProblem> {
        if self.block != place.block {
            self.load(place.block)?;
        }
        self.at = usize::from(place.byte);
        Ok(())
    }

    fn load(&mut self, block: u64) -> Result<(), ArtifactProblem> {
        let fail = |why: String| ArtifactProblem::at(block, why);
        self.budget.spend(BLOCK as u64).map_err(fail)?;
        let body = block.saturating_add(2);
        let header = u16_at(clip(self.image.bytes, block, body), 0)
            .ok_or_else(|| fail("the image ends in its tables".to_owned()))?;
        let length = header & !STORED;
        let end = body.saturating_add(u64::from(length));
        let packed = clip(self.image.bytes, body, end);
        if packed.len() < usize::from(length) || packed.is_empty() {
            return Err(fail("the image ends in its tables".to_owned()));
        }
        self.bytes = if header & STORED == 0 {
            let inflated = self.image.compression.inflate(packed, BLOCK);
            inflated.map_err(|error| fail(format!("a block of its tables: {error}")))?
        } else {
            packed.to_vec()
        };
        (self.block, self.next, self.at) = (block, end, 0);
        Ok(())
    }

    /// The next bytes.
    pub(super) fn bytes(&mut self, mut length: usize) -> Result<Vec<u8>, ArtifactProblem> {
        let mut taken = Vec::with_capacity(length.min(BLOCK));
        while length > 0 {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            if rest.is_empty() {
                self.load(self.next)?;
                continue;
            }
            let step = rest.len().min(length);
            taken.extend(rest.iter().take(step));
            self.at += step;
            length -= step;
        }
        Ok(taken)
    }

    /// Leaves out the next bytes.
    pub(super) fn skip(&mut self, length: usize) -> Result<(), ArtifactProblem> {
        self.bytes(length).map(drop)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ArtifactProblem> {
        let mut array = [0; N];
        array.copy_from_slice(&self.bytes(N)?);
        Ok(array)
    }

    pub(super) fn u16(&mut self) -> Result<u16, ArtifactProblem> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ArtifactProblem> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, ArtifactProblem> {
        self.array().map(u64::from_le_bytes)
    }
}
