//! Fatbin containers and their entries. Nothing is decompressed: the headers say all that a list needs.
use super::kernels;
use super::le::{u16_at, u32_at, u64_at};
use super::limits::MAX_IMAGES;
use super::listing::{Container, Listing, image};
use super::tape::Tape;
use crate::cuda::{ImageKind, PtxIsa, Suffix};
use std::collections::BTreeSet;

/// The first bytes of a container: 0xBA55ED50.
pub(super) const MAGIC: [u8; 4] = [0x50, 0xed, 0x55, 0xba];
/// Said of a section's bytes between containers that are not padding.
pub(super) const NO_CONTAINER: &str = "bytes that are no fatbin container";
/// Size of a container's header.
pub(super) const HEADER: u64 = 16;
/// Size of an entry's header without its optional blocks.
const ENTRY: u64 = 0x40;
/// Entry headers seen are at most 0x108 bytes; a group's holds 64 bytes for each of its images.
const ENTRY_MOST: u64 = 0x48 + 64 * MAX_IMAGES as u64;

/// The longest name of a source file that is read.
const SOURCE_MOST: u32 = 4096;

const KIND_PTX: u16 = 1;
const KIND_CUBIN: u16 = 2;
const KIND_LTO: u16 = 8;
const KIND_GROUP: u16 = 0x100;
const FLAG_ACCELERATED: u64 = 0x10_0000;
const FLAG_FAMILY: u64 = 0x20_0000;

/// Reads the containers of a section that ends at `end`, with zero padding between them.
pub(super) fn section(tape: &mut impl Tape, end: u64, kernels: bool, listing: &mut Listing) {
    while tape.offset() < end {
        let start = tape.offset();
        let junk = skip_to_magic(tape, end);
        if let Some(at) = junk {
            listing.error(at, NO_CONTAINER);
        }
        if tape.offset() >= end || tape.peek(4) != MAGIC {
            break;
        }
        let container = container(tape, end, kernels);
        let stuck = tape.offset() == start;
        if !listing.add(container, false) {
            return;
        }
        if stuck {
            tape.skip(4);
        }
    }
}

/// Skips to the next aligned magic; the offset of the first byte on the way that was not zero.
fn skip_to_magic(tape: &mut impl Tape, end: u64) -> Option<u64> {
    let mut junk = None;
    loop {
        let at = tape.offset();
        let left = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
        let window = tape.peek(left.min(32 << 10));
        if window.is_empty() {
            return junk;
        }
        let found = memchr::memmem::find(window, &MAGIC);
        let clear = found.unwrap_or(window.len().saturating_sub(3).max(1));
        let dirty = window.iter().take(clear).position(|&b| b != 0);
        junk = junk.or(dirty.map(|n| at + n as u64));
        tape.skip(clear as u64);
        if found.is_some() {
            return junk;
        }
    }
}

/// Whether a container may begin with these bytes at `offset` of a file of `size` bytes:
/// the magic also occurs as a constant in code.
pub(super) fn plausible(bytes: &[u8], offset: u64, size: u64) -> bool {
    let body = u64_at(bytes, 8);
    bytes.starts_with(&MAGIC)
        && u16_at(bytes, 4) == Some(1)
        && u16_at(bytes, 6) == Some(HEADER as u16)
        && body.is_some_and(|body| {
            body >= ENTRY
                && offset
                    .checked_add(HEADER)
                    .and_then(|start| start.checked_add(body))
                    .is_some_and(|end| end <= size)
        })
        && u16_at(bytes, 16).is_some_and(known_kind)
        && u32_at(bytes, 20).is_some_and(|n| (ENTRY..=ENTRY_MOST).contains(&u64::from(n)))
}

fn known_kind(kind: u16) -> bool {
    matches!(kind, KIND_PTX | KIND_CUBIN | KIND_LTO | KIND_GROUP)
}

/// Reads the container whose magic the tape stands at, inside a section that ends at `end`.
/// What stands before damage is kept. `kernels`: their names are wanted, too.
pub(super) fn container(tape: &mut impl Tape, end: u64, kernels: bool) -> Container {
    let start = tape.offset();
    let mut out = Container {
        offset: start,
        end,
        fatbin: true,
        ..Container::default()
    };
    let head = tape.peek(HEADER as usize);
    let (Some(version), Some(header), Some(body)) =
        (u16_at(head, 4), u16_at(head, 6), u64_at(head, 8))
    else {
        out.damage(start, "the file ends in a container's header");
        tape.skip(HEADER);
        return out;
    };
    let header = u64::from(header);
    if header < HEADER {
        out.damage(start, format!("a container header of {header} bytes"));
        return out;
    }
    if version != 1 {
        // The driver refuses these (error 200), the lists of the CUDA tools show them.
        out.damage(
            start,
            format!("container version {version}: the driver knows only 1"),
        );
    }
    if body == 0 {
        out.damage(start, "an empty container");
    }
    let claimed = start
        .checked_add(header)
        .and_then(|at| at.checked_add(body));
    let stop = claimed.filter(|&stop| stop <= end).unwrap_or_else(|| {
        let left = end.saturating_sub(start.saturating_add(header));
        out.damage(
            start,
            format!("a container of {body} bytes where {left} are left"),
        );
        end
    });
    out.end = stop;
    tape.skip(header);
    if entries(tape, stop, kernels, &mut out) {
        tape.skip(stop.saturating_sub(tape.offset()));
    }
    out
}

/// Reads entries up to `stop`; `false` where the chain broke and the rest cannot be followed.
fn entries(tape: &mut impl Tape, stop: u64, kernels: bool, out: &mut Container) -> bool {
    while stop.saturating_sub(tape.offset()) >= ENTRY {
        let at = tape.offset();
        let head = tape.peek(ENTRY as usize);
        let (Some(kind), Some(header), Some(payload)) =
            (u16_at(head, 0), u32_at(head, 4), u64_at(head, 8))
        else {
            out.damage(at, "the file ends in an entry's header");
            return false;
        };
        let header = u64::from(header);
        let next = at
            .checked_add(header)
            .and_then(|body| body.checked_add(payload))
            .filter(|&next| next <= stop && header >= ENTRY && payload > 0);
        let Some(next) = next else {
            out.damage(
                at,
                format!("an entry with a header of {header} and a payload of {payload} bytes does not fit its container"),
            );
            return false;
        };
        let before = out.images.len();
        if kind == KIND_GROUP {
            group(tape, header, out);
            out.grouped.extend(before..out.images.len());
        } else {
            let head = tape.peek(ENTRY as usize);
            entry(kind, head, at, out);
            if out.images.len() > before
                && let Some(name) = source(tape, header)
            {
                out.sources.push((before, name));
            }
            if kernels && out.kernels.is_none() && out.images.len() > before {
                out.kernels = names(tape, header, payload, out.images.last().map(|i| i.kind));
            }
        }
        // the images of a group share one payload
        let new = (out.images.len() - before) as u64;
        let share = (header + payload).checked_div(new).unwrap_or_default();
        out.bytes.resize(out.images.len(), share);
        if out.images.len() > MAX_IMAGES {
            out.damage(at, format!("more than {MAX_IMAGES} images"));
            return false;
        }
        tape.skip(next.saturating_sub(tape.offset()));
        if tape.offset() < next {
            out.images.truncate(before);
            out.bytes.truncate(before);
            out.damage(at, "the file ends in an entry's payload");
            return false;
        }
    }
    true
}

/// The kernels of the entry that the tape stands at, if all of it can be looked at.
fn names(
    tape: &mut impl Tape,
    header: u64,
    payload: u64,
    kind: Option<ImageKind>,
) -> Option<BTreeSet<String>> {
    let size = header.checked_add(payload)?;
    if size > tape.reach() {
        return None;
    }
    let entry = tape.peek(usize::try_from(size).ok()?);
    let (head, payload) = entry.split_at_checked(usize::try_from(header).ok()?)?;
    kernels::of_entry(kind?, head, payload)
}

/// The name of the source file, which `-lineinfo`, `-G` and `-ident` put behind the header's fixed part.
fn source(tape: &mut impl Tape, header: u64) -> Option<String> {
    let head = tape.peek(ENTRY as usize);
    let (at, len) = (u32_at(head, 0x20)?, u32_at(head, 0x24)?);
    let end = at
        .checked_add(len)
        .filter(|&end| u64::from(end) <= header)?;
    if len == 0 || len > SOURCE_MOST {
        return None;
    }
    let name = tape.peek(end as usize).get(at as usize..)?;
    let name = name.split(|&b| b == 0).next()?;
    (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned())
}

/// Reads a group: images that share one compressed payload, with a header each.
fn group(tape: &mut impl Tape, header: u64, out: &mut Container) {
    let at = tape.offset();
    let Some(count) = u32_at(tape.peek(ENTRY as usize + 4), ENTRY as usize) else {
        out.damage(at, "the file ends in a group's header");
        return;
    };
    if u64::from(count) * ENTRY + 0x48 > header {
        out.damage(
            at,
            format!("a group of {count} images does not fit its header"),
        );
        return;
    }
    tape.skip(0x48);
    for _ in 0..count {
        let at = tape.offset();
        let head = tape.peek(ENTRY as usize);
        let Some(kind) = u16_at(head, 0).filter(|_| head.len() == ENTRY as usize) else {
            out.damage(at, "the file ends in a group's table");
            return;
        };
        entry(kind, head, at, out);
        tape.skip(ENTRY);
    }
}

/// Reads one image's header.
fn entry(kind: u16, head: &[u8], at: u64, out: &mut Container) {
    let kind = match kind {
        KIND_PTX => ImageKind::Ptx,
        KIND_CUBIN => ImageKind::Sass,
        KIND_LTO => ImageKind::Lto,
        other => {
            out.incomplete = true;
            out.notes.push(crate::facts::ArtifactProblem::at(
                at,
                format!("an entry of the unknown kind {other:#x}"),
            ));
            return;
        }
    };
    let flags = u64_at(head, 0x28).unwrap_or(0);
    let suffix = if flags & FLAG_ACCELERATED != 0 {
        Suffix::Accelerated
    } else if flags & FLAG_FAMILY != 0 {
        Suffix::Family
    } else {
        Suffix::None
    };
    let isa = match (kind, u16_at(head, 0x1a), u16_at(head, 0x18)) {
        (ImageKind::Ptx, Some(major), Some(minor)) => Some(PtxIsa { major, minor }),
        _ => None,
    };
    let number = u32_at(head, 0x1c).unwrap_or(0);
    match image(kind, number, suffix, isa) {
        Some(image) => out.images.push(image),
        None => out.damage(at, format!("architecture number {number} is none")),
    }
}
