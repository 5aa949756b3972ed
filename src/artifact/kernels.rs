//! The names of the kernels in an image: the one place where device code is decompressed.
use super::decode;
use super::le::{clip, u16_at, u32_at, u64_at};
use crate::cuda::ImageKind;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Read;

/// An image is decompressed up to this size, in bytes.
const MOST: u64 = 256 << 20;
const FLAG_LZ4: u64 = 0x2000;
const FLAG_ZSTD: u64 = 0x8000;
const SYMBOLS: u32 = 2;
const FUNCTION: u8 = 2;
/// A symbol's `st_other` of a function that the host launches.
const ENTRY: u8 = 0x10;

/// The kernels of an entry of a fatbin, given by its header and its payload; `None` where they cannot be read.
pub(super) fn of_entry(kind: ImageKind, head: &[u8], payload: &[u8]) -> Option<BTreeSet<String>> {
    let image = image(head, payload)?;
    match kind {
        ImageKind::Sass => of_cubin(&image),
        ImageKind::Ptx => Some(of_ptx(&image)),
        ImageKind::Lto => None,
    }
}

/// An image as it was before fatbinary compressed it.
fn image<'p>(head: &[u8], payload: &'p [u8]) -> Option<Cow<'p, [u8]>> {
    let flags = u64_at(head, 0x28)?;
    if flags & (FLAG_LZ4 | FLAG_ZSTD) == 0 {
        return Some(payload.into());
    }
    let packed = match u32_at(head, 0x10)? {
        0 => payload,
        exact => clip(payload, 0, u64::from(exact)),
    };
    let size = u64_at(head, 0x38).filter(|&size| size <= MOST)?;
    if flags & FLAG_LZ4 != 0 {
        let size = usize::try_from(size).ok()?;
        return lz4_flex::block::decompress(packed, size)
            .ok()
            .map(Cow::from);
    }
    let mut image = Vec::new();
    decode::zstd(packed)
        .take(size)
        .read_to_end(&mut image)
        .ok()?;
    Some(image.into())
}

/// The functions of a cubin's symbol table that the host launches.
fn of_cubin(bytes: &[u8]) -> Option<BTreeSet<String>> {
    let (start, row, count) = (
        u64_at(bytes, 0x28)?,
        u16_at(bytes, 0x3a)?,
        u16_at(bytes, 0x3c)?,
    );
    let section = |n: u64| {
        let at = start.checked_add(n * u64::from(row))?;
        let header = clip(bytes, at, at.checked_add(64)?);
        let (at, size) = (u64_at(header, 0x18)?, u64_at(header, 0x20)?);
        let body = clip(bytes, at, at.checked_add(size)?);
        Some((u32_at(header, 4)?, u32_at(header, 0x28)?, body))
    };
    let mut names = BTreeSet::new();
    let tables = (0..u64::from(count)).filter_map(section);
    let mut seen = false;
    for (_, strings, table) in tables.filter(|(kind, ..)| *kind == SYMBOLS) {
        seen = true;
        let (_, _, strings) = section(u64::from(strings))?;
        for symbol in table.chunks_exact(24) {
            let (Some(info), Some(other)) = (symbol.get(4), symbol.get(5)) else {
                continue;
            };
            if info & 0xf == FUNCTION && other & ENTRY != 0 {
                names.extend(text_at(strings, u32_at(symbol, 0)?));
            }
        }
    }
    seen.then_some(names)
}

fn text_at(strings: &[u8], at: u32) -> Option<String> {
    let text = strings.get(usize::try_from(at).ok()?..)?;
    let text = text.split(|&b| b == 0).next()?;
    Some(String::from_utf8_lossy(text).into_owned())
}

/// The names behind `.entry` in a PTX text.
fn of_ptx(text: &[u8]) -> BTreeSet<String> {
    const MARK: &[u8] = b".entry";
    let entries = memchr::memmem::find_iter(text, MARK).filter_map(|at| {
        let rest = text.get(at + MARK.len()..)?;
        let name = rest.trim_ascii_start();
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$');
        let end = name.iter().position(|b| !is_name(b))?;
        let name = name
            .get(..end)
            .filter(|name| !name.is_empty() && rest.len() > name.len())?;
        Some(String::from_utf8_lossy(name).into_owned())
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_text_are_found() {
        let text = b".version 8.0\n.visible .entry _Z1aPf(\n.param .u64 x)\n{}\n.weak .entry b ()\n.func c() // .entry\n";
        let names: Vec<_> = of_ptx(text).into_iter().collect();
        assert_eq!(names, ["_Z1aPf", "b"]);
        assert!(of_ptx(b".entry").is_empty());
    }

    #[test]
    fn what_is_no_cubin_has_no_names() {
        for bytes in [&b""[..], b"\x7fELF", &[0xff; 100], &[0; 100]] {
            assert_eq!(of_cubin(bytes), None);
        }
    }
}
