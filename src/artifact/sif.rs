//! Singularity images (SIF): a table of objects, of which those that are file systems are read.
//! Layout: the package `sif` of Apptainer, `pkg/sif/sif.go` (read 2026-11).
use super::content::Content;
use super::context::Context;
use super::le::{clip, u32_at, u64_at};
use super::limits::MAX_MEMBERS;
use super::{read, summary};
use crate::facts::{Artifact, ArtifactKind, ArtifactProblem};

/// A row of the table, in bytes.
const ROW: u64 = 585;
/// The kind of an object that is a partition.
const PARTITION: u32 = 0x4004;
/// The file system of a partition that is squashfs.
const SQUASHFS: u32 = 1;

/// An object of the image.
struct Object {
    kind: u32,
    start: u64,
    size: u64,
    file_system: u32,
}

/// Reads the partitions of an image.
pub(super) fn read(bytes: &[u8], depth: u32, context: &Context) -> Vec<Artifact> {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    match objects(bytes) {
        Ok(objects) => {
            for object in objects.iter().filter(|object| object.kind == PARTITION) {
                match partition(object, bytes) {
                    Ok(part) => found.extend(read::read(Content::Bytes(part), depth + 1, context)),
                    Err(problem) => errors.push(problem),
                }
            }
            if found.is_empty() && errors.is_empty() {
                errors.push(ArtifactProblem::whole(
                    "a Singularity image without a file system",
                ));
            }
        }
        Err(problem) => errors.push(problem),
    }
    if !errors.is_empty() {
        let whole = summary::bare(ArtifactKind::Package, bytes.len() as u64);
        found.insert(0, Artifact { errors, ..whole });
    }
    found
}

fn objects(bytes: &[u8]) -> Result<Vec<Object>, ArtifactProblem> {
    let short = || ArtifactProblem::whole("the Singularity image ends in its table of objects");
    let (count, table) = (u64_at(bytes, 88), u64_at(bytes, 96));
    let (count, table) = count.zip(table).ok_or_else(short)?;
    let rows = 0..count.min(MAX_MEMBERS as u64);
    rows.map(|n| {
        let at = table.saturating_add(n * ROW);
        object(clip(bytes, at, at.saturating_add(ROW))).ok_or_else(short)
    })
    .filter(|object| object.as_ref().map_or(true, |(used, _)| *used))
    .map(|object| object.map(|(_, object)| object))
    .collect()
}

/// A row, and whether it is in use.
fn object(row: &[u8]) -> Option<(bool, Object)> {
    let object = Object {
        kind: u32_at(row, 0)?,
        start: u64_at(row, 17)?,
        size: u64_at(row, 25)?,
        file_system: u32_at(row, 201)?,
    };
    Some((*row.get(4)? != 0, object))
}

fn partition<'b>(object: &Object, bytes: &'b [u8]) -> Result<&'b [u8], ArtifactProblem> {
    let fail = |why: &str| Err(ArtifactProblem::at(object.start, why));
    match object.file_system {
        SQUASHFS => {}
        2 => return fail("an ext3 partition, which is not read"),
        5 => return fail("an encrypted partition, which is not read"),
        _ => return fail("a partition with a file system that is not read"),
    }
    let part = clip(
        bytes,
        object.start,
        object.start.saturating_add(object.size),
    );
    if (part.len() as u64) < object.size {
        return fail("the file ends in this partition");
    }
    Ok(part)
}
