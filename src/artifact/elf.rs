//! ELF: which sections hold device code. goblin reads the headers; nothing else of the file is parsed.
use super::layout::{Layout, Section};
use goblin::container::Ctx;
use goblin::elf::Elf;
use goblin::elf::section_header::{SHT_NOBITS, SHT_PROGBITS, SectionHeader};
use std::ops::Range;

/// Section headers read at most; objects with a section a function have some 100,000.
const MAX_SECTIONS: u64 = 1 << 18;
const SHF_ALLOC: u64 = 0x2;
const SHF_EXECINSTR: u64 = 0x4;
const SHF_COMPRESSED: u64 = 0x800;
/// `e_shstrndx` of files whose real index stands in the first section header.
const XINDEX: u16 = 0xffff;

/// What the file header says.
pub(super) struct Head {
    /// `e_machine`.
    pub(super) machine: u16,
    ctx: Ctx,
    table_at: u64,
    row: u64,
    rows: u64,
    names: u16,
}

/// What a section's name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// `.nv_fatbin`: executable code.
    Fatbin,
    /// `__nv_relfatbin`: relocatable code.
    Relocatable,
    /// `.nvFatBinSegment`: records that point at containers.
    Records,
    /// Debug information.
    Debug,
    /// Anything else.
    Other,
}

impl Name {
    /// Reads the name that begins these bytes.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let is = |name: &[u8]| bytes.starts_with(name);
        if is(b".nv_fatbin\0") {
            Self::Fatbin
        } else if is(b"__nv_relfatbin\0") {
            Self::Relocatable
        } else if is(b".nvFatBinSegment\0") {
            Self::Records
        } else if is(b".debug") || is(b".zdebug") {
            Self::Debug
        } else {
            Self::Other
        }
    }
}

/// Reads the file header.
pub(super) fn head(bytes: &[u8]) -> Result<Head, String> {
    let header = Elf::parse_header(bytes).map_err(|error| error.to_string())?;
    let (Ok(container), Ok(endian)) = (header.container(), header.endianness()) else {
        return Err("neither a 32-bit nor a 64-bit file".to_owned());
    };
    let ctx = Ctx::new(container, endian);
    let row = SectionHeader::size(ctx) as u64;
    if header.e_shoff != 0 && header.e_shnum != 0 && u64::from(header.e_shentsize) != row {
        return Err(format!("section headers of {} bytes", header.e_shentsize));
    }
    Ok(Head {
        machine: header.e_machine,
        ctx,
        table_at: header.e_shoff,
        row,
        rows: u64::from(header.e_shnum),
        names: header.e_shstrndx,
    })
}

impl Head {
    /// Where the section headers stand, if there are any. A count past 65,279 stands in the first of them,
    /// so that the range is then the longest that is read.
    pub(super) fn table(&self) -> Option<Range<u64>> {
        let rows = if self.rows == 0 {
            MAX_SECTIONS
        } else {
            self.rows
        };
        let end = self.table_at.saturating_add(rows * self.row);
        (self.table_at != 0).then_some(self.table_at..end)
    }

    /// The CPU in the words of reports.
    pub(super) fn host(&self) -> String {
        match self.machine {
            3 => "x86".to_owned(),
            21 => "ppc64".to_owned(),
            40 => "arm".to_owned(),
            62 => "x86-64".to_owned(),
            183 => "aarch64".to_owned(),
            243 => "riscv".to_owned(),
            other => format!("machine {other}"),
        }
    }

    /// Reads the section headers out of the bytes of [`Head::table`].
    pub(super) fn sections(&self, table: &[u8]) -> Result<Vec<SectionHeader>, String> {
        let parse = |rows: u64| {
            let room = table.len() as u64 / self.row;
            if rows > room.min(MAX_SECTIONS) {
                return Err(format!("{rows} section headers where {room} fit"));
            }
            SectionHeader::parse_from(table, 0, rows as usize, self.ctx)
                .map_err(|error| error.to_string())
        };
        if self.rows != 0 {
            return parse(self.rows);
        }
        let first = parse(1)?;
        parse(first.first().map_or(0, |row| row.sh_size).max(1))
    }

    /// Finds device code and data. `name_at` reads the name at an offset of the file; `all` takes
    /// relocatable code too where there is executable code.
    pub(super) fn layout(
        &self,
        sections: &[SectionHeader],
        all: bool,
        name_at: impl Fn(u64) -> Name,
    ) -> Result<Layout, String> {
        let names = match (self.names, sections.first()) {
            (XINDEX, Some(first)) => first.sh_link as usize,
            (index, _) => usize::from(index),
        };
        let names = sections
            .get(names)
            .ok_or("the section of the section names is not there")?
            .sh_offset;
        let mut layout = Layout {
            host: self.host(),
            ..Layout::default()
        };
        let mut relocatable = Vec::new();
        for section in sections {
            if section.sh_type == SHT_NOBITS || section.sh_size == 0 {
                continue;
            }
            let range = section.sh_offset..section.sh_offset.saturating_add(section.sh_size);
            let name = name_at(names.saturating_add(section.sh_name as u64));
            let found = |name| Section {
                name,
                range: range.clone(),
                compressed: section.sh_flags & SHF_COMPRESSED != 0,
            };
            match name {
                Name::Fatbin => layout.code.push(found(".nv_fatbin")),
                Name::Relocatable => relocatable.push(found("__nv_relfatbin")),
                Name::Records => layout.records = Some(range),
                Name::Debug => {}
                Name::Other if holds_data(section) => layout.data.push(range),
                Name::Other => {}
            }
        }
        if all || layout.code.is_empty() {
            layout.code.append(&mut relocatable);
        }
        if !layout.code.is_empty() {
            layout.records = None;
        }
        Ok(layout)
    }
}

fn holds_data(section: &SectionHeader) -> bool {
    section.sh_type == SHT_PROGBITS
        && section.sh_flags & SHF_EXECINSTR == 0
        // What is not loaded and small is a comment or a note.
        && (section.sh_flags & SHF_ALLOC != 0 || section.sh_size > 4096)
}
