//! Host files, ELF and PE, whether they lie in memory or pass by.
use super::context::Context;
use super::fatbin::NO_CONTAINER;
use super::layout::{Layout, Section};
use super::listing::Listing;
use super::scan::{Found, scan};
use super::tape::{Mapped, Stream, Tape};
use super::{decode, elf, fatbin, le, pe, registered};
use std::collections::HashSet;
use std::io::Read;

const NO_SECTIONS: &str = "no section headers";

/// Reads an ELF file in memory; the CPU it is for.
pub(super) fn elf_mapped(bytes: &[u8], context: &Context, listing: &mut Listing) -> String {
    let head = match elf::head(bytes) {
        Ok(head) => head,
        Err(error) => {
            listing.error(0, format!("ELF header: {error}"));
            return String::new();
        }
    };
    let size = bytes.len() as u64;
    let Some(table) = head.table() else {
        everything(bytes, context, listing, NO_SECTIONS);
        return head.host();
    };
    let names = |at: u64| elf::Name::of(le::clip(bytes, at, at.saturating_add(32)));
    let sections = head.sections(le::clip(bytes, table.start, table.end));
    let layout = sections.and_then(|sections| {
        let layout = head.layout(&sections, context.options.all, names)?;
        Ok((sections, layout))
    });
    let (sections, mut layout) = match layout {
        Ok(layout) => layout,
        Err(error) => {
            listing.error(table.start, format!("section headers: {error}"));
            everything(bytes, context, listing, "found without section headers");
            return head.host();
        }
    };
    report(&mut layout, size, listing);
    for section in &layout.code {
        if section.compressed {
            compressed(bytes, section, context, listing);
        } else {
            code(bytes, section, context, listing);
        }
    }
    if let Some(records) = &layout.records {
        for at in registered::containers(bytes, records, &sections) {
            let mut tape = Mapped::new(bytes, at, size);
            let container = fatbin::container(&mut tape, size, context.options.kernels);
            listing.add(container, false);
        }
    }
    data(bytes, &layout, context, listing);
    layout.host
}

/// Reads a PE image or a COFF object in memory; the CPU it is for.
pub(super) fn pe_mapped(bytes: &[u8], context: &Context, listing: &mut Listing) -> String {
    let head = le::clip(bytes, 0, pe::HEAD as u64);
    let mut layout = match pe::layout(head, context.options.all) {
        Ok(layout) => layout,
        Err(error) => {
            listing.error(0, error);
            return String::new();
        }
    };
    report(&mut layout, bytes.len() as u64, listing);
    for section in &layout.code {
        code(bytes, section, context, listing);
    }
    data(bytes, &layout, context, listing);
    layout.host
}

/// Reads an ELF file that passes by: its section headers come last, so everything that looks like a
/// container is followed, and what the section headers confirm is kept.
pub(super) fn elf_passing(tape: &mut Stream, context: &Context, listing: &mut Listing) -> String {
    let head = match elf::head(tape.peek(64)) {
        Ok(head) => head,
        Err(error) => {
            listing.error(0, format!("ELF header: {error}"));
            return String::new();
        }
    };
    let end = tape.size().unwrap_or(u64::MAX);
    let found = scan(tape, end, head.table(), context.options.kernels);
    let Some(table) = head.table() else {
        unsorted(found, listing, NO_SECTIONS);
        return head.host();
    };
    let name_at = |at: u64| {
        let n = found.names.binary_search_by_key(&at, |&(at, _)| at);
        n.ok()
            .and_then(|n| found.names.get(n))
            .map_or(elf::Name::Other, |&(_, name)| name)
    };
    let layout = head
        .sections(&found.kept)
        .and_then(|sections| head.layout(&sections, context.options.all, name_at));
    match layout {
        Ok(layout) => sort_out(found, layout, tape.offset(), listing),
        Err(error) => {
            listing.error(table.start, format!("section headers: {error}"));
            unsorted(found, listing, "found without section headers");
        }
    }
    head.host()
}

/// Reads a PE image that passes by.
pub(super) fn pe_passing(tape: &mut Stream, context: &Context, listing: &mut Listing) -> String {
    match pe::layout(tape.peek(pe::HEAD), context.options.all) {
        Ok(layout) => {
            let host = layout.host.clone();
            let end = tape.size().unwrap_or(u64::MAX);
            let found = scan(tape, end, None, context.options.kernels);
            sort_out(found, layout, tape.offset(), listing);
            host
        }
        Err(error) => {
            listing.error(0, error);
            String::new()
        }
    }
}

/// Reads bytes of a format that is not known for whatever device code lies in them.
pub(super) fn everything(bytes: &[u8], context: &Context, listing: &mut Listing, note: &str) {
    if context.options.outside {
        let size = bytes.len() as u64;
        let found = scan(&mut Mapped::new(bytes, 0, size), size, None, false);
        unsorted(found, listing, note);
    }
}

/// Reads a section of containers.
fn code(bytes: &[u8], section: &Section, context: &Context, listing: &mut Listing) {
    let before = listing.containers.len();
    let mut tape = Mapped::new(bytes, section.range.start, section.range.end);
    fatbin::section(
        &mut tape,
        section.range.end,
        context.options.kernels,
        listing,
    );
    for container in listing.containers.iter_mut().skip(before) {
        container.relocatable = section.relocatable();
    }
}

fn report(layout: &mut Layout, size: u64, listing: &mut Listing) {
    for (at, message) in layout.settle(size) {
        listing.error(at, message);
    }
}

/// Reads a compressed section (SHF_COMPRESSED): a header of kind, size and alignment, then the stream.
fn compressed(bytes: &[u8], section: &Section, context: &Context, listing: &mut Listing) {
    let at = section.range.start;
    let body = le::clip(bytes, at, section.range.end);
    let packed = body.get(24..).unwrap_or_default();
    let reader: Box<dyn Read + '_> = match le::u32_at(body, 0) {
        Some(1) => decode::zlib(packed),
        Some(2) => decode::zstd(packed),
        _ => {
            listing.error(
                at,
                format!("section {} is compressed in an unknown way", section.name),
            );
            return;
        }
    };
    let size = le::u64_at(body, 8).unwrap_or(0);
    listing.note(
        at,
        format!(
            "section {} is compressed: offsets in it count from its start",
            section.name
        ),
    );
    let mut tape = Stream::new(reader, Some(size), context.budget);
    fatbin::section(&mut tape, size, context.options.kernels, listing);
    if let Some(failure) = tape.failure() {
        listing.error(at, format!("section {}: {failure}", section.name));
    }
}

/// Looks for device code in data sections.
fn data(bytes: &[u8], layout: &Layout, context: &Context, listing: &mut Listing) {
    if !context.options.outside {
        return;
    }
    let registered: HashSet<u64> = listing.containers.iter().map(|c| c.offset).collect();
    for range in &layout.data {
        let mut tape = Mapped::new(bytes, range.start, range.end);
        let found = scan(&mut tape, range.end, None, false);
        if listing.states.is_empty() {
            listing.states = found.states;
        }
        for container in found.containers {
            if !registered.contains(&container.offset) && !listing.add(container, true) {
                return;
            }
        }
    }
}

/// Files what a scan found under the sections in which it lies.
fn sort_out(found: Found, mut layout: Layout, size: u64, listing: &mut Listing) {
    report(&mut layout, size, listing);
    listing.states = found.states;
    if layout.records.is_some() {
        listing.note(
            0,
            "its device code section has another name: sorted out only in a file on disk",
        );
    }
    for &at in &found.suffix_unknown {
        listing.note(
            at,
            "too large a cubin to tell here whether it is for `a` only",
        );
    }
    let mut by_section: Vec<Vec<_>> = layout.code.iter().map(|_| Vec::new()).collect();
    let mut outside = Vec::new();
    for container in found.containers {
        match layout.in_code(container.offset) {
            // A loose cubin in such a section is the payload of an entry whose header is damaged.
            Some(n) => {
                if let Some(containers) = by_section.get_mut(n).filter(|_| container.fatbin) {
                    containers.push(container);
                }
            }
            None if layout.in_data(container.offset) => outside.push(container),
            None => {}
        }
    }
    for (section, containers) in layout.code.iter().zip(by_section) {
        let start = section.range.start;
        if section.compressed {
            let name = section.name;
            listing.error(
                start,
                format!("section {name} is compressed: read only in a file on disk"),
            );
            continue;
        }
        let mut clear = start;
        for container in containers {
            if container.offset > clear {
                listing.error(clear, NO_CONTAINER);
            }
            clear = container.clear_to;
            if !listing.add(container, false) {
                return;
            }
        }
        if clear < section.range.end {
            listing.error(clear, NO_CONTAINER);
        }
    }
    for container in outside {
        if !listing.add(container, true) {
            return;
        }
    }
}

/// Files what a scan found in a file without sections.
fn unsorted(found: Found, listing: &mut Listing, note: &str) {
    if !found.containers.is_empty() {
        listing.note(0, note);
    }
    for container in found.containers {
        if !listing.add(container, true) {
            return;
        }
    }
}
