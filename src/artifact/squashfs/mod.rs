//! Squashfs images, version 4: the file system of a Singularity image. Tables and files are read where they lie,
//! a block at a time, so that neither their number nor their size takes memory.
//! Layout: "Squashfs 4.0 filesystem" in the documentation of Linux. The crate backhand reads it too, but follows
//! folders that contain themselves without end and lets a block inflate to any size (0.25.1, 2026-11).
mod block;
mod file;
mod metadata;
mod tree;

use super::content::Content;
use super::context::Context;
use super::le::{u16_at, u32_at, u64_at};
use super::read::{self, under};
use super::tape::Stream;
use super::{pool, summary};
use crate::facts::{Artifact, ArtifactKind, ArtifactProblem};
use block::Compression;
use file::{File, Fragments};
use metadata::Place;
use std::ops::RangeInclusive;

/// Files read in parallel before the walk goes on.
const BATCH: usize = 256;
/// What a block of a file may hold, in bytes.
const BLOCK_SIZES: RangeInclusive<u32> = 4096..=1 << 20;

/// Where the tables of an image lie, in bytes from its start.
struct Image<'c> {
    bytes: &'c [u8],
    compression: Compression,
    block_size: u32,
    inodes: u64,
    folders: u64,
    fragments: u64,
    fragment_count: u32,
    root: u64,
}

/// Reads the files of an image.
pub(super) fn read(bytes: &[u8], depth: u32, context: &Context) -> Vec<Artifact> {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    match Image::open(bytes) {
        Ok(image) => {
            let mut batch = Vec::new();
            problems.extend(tree::walk(&image, context, |path, file| {
                batch.push((path, file));
                if batch.len() >= BATCH {
                    found.extend(files(&batch, &image, depth, context));
                    batch.clear();
                }
            }));
            found.extend(files(&batch, &image, depth, context));
        }
        Err(problem) => problems.push(problem),
    }
    if !problems.is_empty() || found.is_empty() {
        let whole = summary::bare(ArtifactKind::Package, bytes.len() as u64);
        let errors = problems;
        found.insert(0, Artifact { errors, ..whole });
    }
    found
}

fn files(files: &[(String, File)], image: &Image, depth: u32, context: &Context) -> Vec<Artifact> {
    let fragments = Fragments::default();
    // Files of one shared block are left in their order, so that it is inflated once.
    let weight = |(_, file): &(String, File)| if file.is_small(image) { 0 } else { file.size };
    let found = pool::map(files, weight, |(path, file)| {
        let found = context.member(
            |context| match file.open(image, &fragments, context.budget) {
                Ok(reader) => {
                    let stream = Stream::new(Box::new(reader), Some(file.size), context.budget);
                    read::read(Content::Stream(stream), depth + 1, context)
                }
                Err(problem) => vec![summary::unreadable(ArtifactKind::Other, file.size, problem)],
            },
        );
        under(path, found)
    });
    found.into_iter().flatten().collect()
}

impl<'c> Image<'c> {
    fn open(bytes: &'c [u8]) -> Result<Self, ArtifactProblem> {
        let short = || ArtifactProblem::whole("the image ends in its first block");
        let u16_of = |at| u16_at(bytes, at).ok_or_else(short);
        let u32_of = |at| u32_at(bytes, at).ok_or_else(short);
        let u64_of = |at| u64_at(bytes, at).ok_or_else(short);
        let (major, block_size) = (u16_of(28)?, u32_of(12)?);
        if major != 4 {
            let problem = format!("squashfs version {major}, which is not supported");
            return Err(ArtifactProblem::at(28, problem));
        }
        if !(BLOCK_SIZES.contains(&block_size) && block_size.is_power_of_two()) {
            let problem = format!("a squashfs image with blocks of {block_size} bytes");
            return Err(ArtifactProblem::at(12, problem));
        }
        let compression = Compression::numbered(u16_of(20)?).map_err(|name| {
            let problem = format!("compressed with {name}, which is not supported");
            ArtifactProblem::at(20, problem)
        })?;
        let used = u64_of(40)?;
        if used > bytes.len() as u64 {
            let problem = format!("the image is {used} bytes long, the file ends before");
            return Err(ArtifactProblem::at(bytes.len() as u64, problem));
        }
        Ok(Self {
            bytes,
            compression,
            block_size,
            fragment_count: u32_of(16)?,
            root: u64_of(32)?,
            inodes: u64_of(64)?,
            folders: u64_of(72)?,
            fragments: u64_of(80)?,
        })
    }

    /// An inode, by its block's offset in their table.
    fn inode(&self, block: u64, byte: u16) -> Place {
        Place {
            block: self.inodes.saturating_add(block),
            byte,
        }
    }

    /// A folder's listing, by its block's offset in their table.
    fn listing(&self, block: u32, byte: u16) -> Place {
        Place {
            block: self.folders.saturating_add(u64::from(block)),
            byte,
        }
    }
}
