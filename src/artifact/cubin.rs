//! Raw cubins: ELF files of machine 190, in three encodings of the architecture.
use super::le::{clip, u16_at, u32_at, u64_at};
use super::listing::{Container, image};
use crate::cuda::{ImageKind, Suffix};

/// `e_machine` of CUDA device code.
pub(super) const MACHINE: u16 = 190;
/// OSABI byte since CUDA 12.8 (sm_100 and later) and 13 (all).
const OSABI_NEW: u8 = 0x41;
/// OSABI byte before.
const OSABI_OLD: u8 = 0x33;
/// Section type of `.nv.compat`.
const COMPAT: u32 = 0x7000_0086;
/// The attribute of `.nv.compat` that says `a`.
const COMPAT_ACCELERATED: u8 = 9;

/// Whether these bytes begin a raw cubin.
pub(super) fn is_cubin(head: &[u8]) -> bool {
    head.starts_with(b"\x7fELF\x02\x01\x01")
        && matches!(head.get(7), Some(&(OSABI_OLD | OSABI_NEW)))
        && u16_at(head, 18) == Some(MACHINE)
}

/// Bytes from the header to the end of the tables it names: with nvcc's layout, the whole file.
pub(super) fn extent(head: &[u8]) -> Option<u64> {
    let table = |at: u64, size: u16, count: u16| at.checked_add(u64::from(size) * u64::from(count));
    let sections = table(
        u64_at(head, 0x28)?,
        u16_at(head, 0x3a)?,
        u16_at(head, 0x3c)?,
    )?;
    let programs = table(
        u64_at(head, 0x20)?,
        u16_at(head, 0x36)?,
        u16_at(head, 0x38)?,
    )?;
    Some(sections.max(programs).max(64))
}

/// Reads the cubin in `bytes`, which begin at `offset` of the file. `f` is not recorded in a cubin.
pub(super) fn read(bytes: &[u8], offset: u64) -> Container {
    let mut out = Container {
        offset,
        end: offset.saturating_add(bytes.len() as u64),
        ..Container::default()
    };
    let (Some(&osabi), Some(flags)) = (bytes.get(7), u32_at(bytes, 0x30)) else {
        out.damage(offset, "the file ends in a cubin's header");
        return out;
    };
    let whole = extent(bytes).is_some_and(|extent| extent <= bytes.len() as u64);
    let (number, accelerated) = if osabi == OSABI_NEW {
        let accelerated = flags & 0x8 != 0 || compat_says_accelerated(bytes);
        ((flags >> 8) & 0xff, accelerated)
    } else {
        (flags & 0xff, flags & 0x800 != 0)
    };
    let suffix = if accelerated {
        Suffix::Accelerated
    } else {
        Suffix::None
    };
    match image(ImageKind::Sass, number, suffix, None) {
        Some(image) => {
            out.images.push(image);
            out.bytes.push(bytes.len() as u64);
        }
        None => out.damage(offset, format!("architecture number {number} is none")),
    }
    if !whole {
        out.damage(offset, "the cubin's section headers lie past its end");
    }
    out
}

fn compat_says_accelerated(bytes: &[u8]) -> bool {
    let (Some(at), Some(row), Some(count)) = (
        u64_at(bytes, 0x28),
        u16_at(bytes, 0x3a),
        u16_at(bytes, 0x3c),
    ) else {
        return false;
    };
    (0..u64::from(count)).any(|n| {
        let header = at
            .checked_add(n * u64::from(row))
            .map(|at| clip(bytes, at, at.saturating_add(64)))
            .unwrap_or_default();
        let (Some(COMPAT), Some(start), Some(size)) = (
            u32_at(header, 4),
            u64_at(header, 0x18),
            u64_at(header, 0x20),
        ) else {
            return false;
        };
        attribute(
            clip(bytes, start, start.saturating_add(size)),
            COMPAT_ACCELERATED,
        ) == Some(1)
    })
}

/// The value of an attribute of `.nv.compat`: records of format, id and a value of 1, 2 or n bytes.
fn attribute(mut bytes: &[u8], wanted: u8) -> Option<u16> {
    while let (Some(&format), Some(&id), Some(value)) =
        (bytes.first(), bytes.get(1), u16_at(bytes, 2))
    {
        let (value, step) = match format {
            2 => (value & 0xff, 4),
            4 => (0, 4 + usize::from(value)),
            _ => (value, 4),
        };
        if id == wanted && format != 4 {
            return Some(value);
        }
        bytes = bytes.get(step..)?;
    }
    None
}
