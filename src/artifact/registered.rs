//! Containers of a library whose device code section was renamed: the records that the CUDA runtime
//! registers point at them.
use super::le::{clip, u32_at, u64_at};
use goblin::elf::section_header::{SHT_NOBITS, SHT_RELA, SectionHeader};
use std::ops::Range;

/// First word of a record of `.nvFatBinSegment`.
const RECORD_MAGIC: u32 = 0x4662_43b1;
const RECORD: u64 = 24;
/// Records followed at most.
const MOST: u64 = 100_000;

/// File offsets of the containers that the records in `range` point at, each once, in order.
pub(super) fn containers(bytes: &[u8], range: &Range<u64>, sections: &[SectionHeader]) -> Vec<u64> {
    let Some(home) = sections.iter().find(|s| s.sh_offset == range.start) else {
        return Vec::new();
    };
    let count = ((range.end - range.start) / RECORD).min(MOST);
    let mut offsets: Vec<u64> = (0..count)
        .filter_map(|n| {
            let at = range.start + n * RECORD;
            let record = clip(bytes, at, at + RECORD);
            (u32_at(record, 0)? == RECORD_MAGIC).then_some(())?;
            let field = home.sh_addr.checked_add(n * RECORD + 8)?;
            let address = match u64_at(record, 8)? {
                0 => addend(bytes, sections, field)?,
                address => address,
            };
            file_offset(sections, address)
        })
        .filter(|&at| clip(bytes, at, at.saturating_add(4)) == super::fatbin::MAGIC)
        .collect();
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}

/// What a relocation puts at an address: linkers may leave the bytes themselves zero.
fn addend(bytes: &[u8], sections: &[SectionHeader], address: u64) -> Option<u64> {
    let rows = sections
        .iter()
        .filter(|s| s.sh_type == SHT_RELA && s.sh_info == 0);
    rows.flat_map(|s| {
        clip(bytes, s.sh_offset, s.sh_offset.saturating_add(s.sh_size)).chunks_exact(24)
    })
    .find(|row| u64_at(row, 0) == Some(address))
    .and_then(|row| u64_at(row, 16))
}

fn file_offset(sections: &[SectionHeader], address: u64) -> Option<u64> {
    sections
        .iter()
        .filter(|s| s.sh_type != SHT_NOBITS && s.sh_addr != 0)
        .find_map(|s| {
            let within = address.checked_sub(s.sh_addr)?;
            (within < s.sh_size).then(|| s.sh_offset.checked_add(within))?
        })
}
