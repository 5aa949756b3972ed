//! PE images and COFF objects: which sections hold device code. Their names are cut to 8 bytes.
use super::layout::{Layout, Section};
use super::le::{u16_at, u32_at};

/// How far into a file its section table may end.
pub(super) const HEAD: usize = 1 << 20;
const CODE: u32 = 0x20;
const ROW: usize = 40;

/// Whether these bytes begin a PE image.
pub(super) fn is_image(head: &[u8]) -> bool {
    head.starts_with(b"MZ") && header_at(head).is_some()
}

/// Whether these bytes begin a COFF object for a CPU that CUDA knows.
pub(super) fn is_object(head: &[u8]) -> bool {
    matches!(u16_at(head, 0), Some(0x8664 | 0xaa64))
        && u16_at(head, 2).is_some_and(|sections| (1..=4096).contains(&sections))
        && u16_at(head, 16) == Some(0)
        && head
            .get(20..28)
            .is_some_and(|name| name.is_ascii() && name.first() != Some(&0))
}

fn header_at(head: &[u8]) -> Option<usize> {
    let at = u32_at(head, 0x3c)? as usize;
    (head.get(at..at.checked_add(4)?)? == b"PE\0\0").then_some(at + 4)
}

/// Finds device code and data, given the first [`HEAD`] bytes.
pub(super) fn layout(head: &[u8], all: bool) -> Result<Layout, String> {
    let at = if head.starts_with(b"MZ") {
        header_at(head).ok_or("no PE header")?
    } else {
        0
    };
    let field = |n: usize| u16_at(head, at + n).ok_or("the file ends in its header");
    let (machine, count, optional) = (field(0)?, field(2)?, field(16)?);
    let table = at + 20 + usize::from(optional);
    let mut layout = Layout {
        host: match machine {
            0x8664 => "x86-64".to_owned(),
            0xaa64 => "aarch64".to_owned(),
            0x14c => "x86".to_owned(),
            other => format!("machine {other:#x}"),
        },
        ..Layout::default()
    };
    let mut relocatable = Vec::new();
    for n in 0..usize::from(count) {
        let row = head
            .get(table + n * ROW..table + (n + 1) * ROW)
            .ok_or("the file ends in its section table")?;
        let (Some(size), Some(start), Some(flags)) =
            (u32_at(row, 16), u32_at(row, 20), u32_at(row, 36))
        else {
            continue;
        };
        let range = u64::from(start)..u64::from(start) + u64::from(size);
        if range.is_empty() || start == 0 {
            continue;
        }
        let found = |name| Section {
            name,
            range: range.clone(),
            compressed: false,
        };
        if row.starts_with(b".nv_fatb") {
            layout.code.push(found(".nv_fatb"));
        } else if row.starts_with(b"__nv_rel") {
            relocatable.push(found("__nv_rel"));
        } else if flags & CODE == 0 {
            layout.data.push(range);
        }
    }
    if all || layout.code.is_empty() {
        layout.code.append(&mut relocatable);
    }
    Ok(layout)
}
