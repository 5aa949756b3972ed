//! One file or member of any format: its own device code, or that of everything packed in it.
use super::ar::{self, Member};
use super::content::Content;
use super::context::Context;
use super::decode;
use super::limits::{MAX_MEMBERS, SMALL};
use super::listing::{Container, Listing};
use super::python::{self, RECORD_MOST};
use super::sniff::{self, Format};
use super::tape::{Mapped, Stream, Tape};
use super::{
    cubin, fatbin, host, image, input, names, ptx, scan, sif, squashfs, summary, tar, unpack, zip,
};
use crate::facts::{Artifact, ArtifactKind, ArtifactProblem};
use std::io::Read;

/// Reads a file or member that lies `depth` levels deep. Names of members are relative to it.
pub(super) fn read(mut content: Content, depth: u32, context: &Context) -> Vec<Artifact> {
    let format = Format::of(content.head(sniff::HEAD));
    if let Content::Stream(stream) = &mut content
        && let Some(size) = stream.size().filter(|&size| size <= SMALL)
        && format != Format::Other
    {
        let bytes = stream.rest(size as usize);
        let mut found = read(Content::Bytes(&bytes), depth, context);
        if let (Some(failure), Some(first)) = (stream.failure(), found.first_mut()) {
            let problem = ArtifactProblem::at(stream.offset(), failure);
            first.errors.push(problem);
        }
        return found;
    }
    if let Format::Foreign(name) = format {
        let problem = ArtifactProblem::whole(format!("{name}, which is not supported"));
        let size = content.size().unwrap_or(0);
        return vec![summary::unreadable(ArtifactKind::Package, size, problem)];
    }
    if format == Format::Engine {
        let problem = "a TensorRT engine: it runs only on the kind of GPU that it was built on, which cannot be read here";
        let problem = ArtifactProblem::whole(problem);
        let size = content.size().unwrap_or(0);
        return vec![summary::unreadable(ArtifactKind::Other, size, problem)];
    }
    if format == Format::Record {
        return vec![record(content, context)];
    }
    if let Some(folder) = context.unpack_to
        && format.has_own_code()
        && (depth > 0 || matches!(content, Content::Stream(_)))
    {
        return unpack::read(content, folder, depth, context);
    }
    if !format.packs() {
        let artifact = single(content, format, depth, context);
        return vec![artifact];
    }
    let size = content.size().unwrap_or(0);
    if depth >= context.options.max_depth {
        let levels = context.options.max_depth;
        let problem = format!("packed more than {levels} levels deep (--max-depth)");
        let problem = ArtifactProblem::whole(problem);
        return vec![summary::unreadable(ArtifactKind::Package, size, problem)];
    }
    match format {
        Format::Zip => zip::read(content, depth, context),
        Format::Squashfs => in_memory(content, depth, context, squashfs::read),
        Format::Sif => in_memory(content, depth, context, sif::read),
        Format::Tar => {
            let tree = tar::read(content, depth, context, true);
            image::artifacts(tree, size)
        }
        Format::Ar => archive(content, depth, context),
        _ => read(
            unpacked(content, format, depth, context),
            depth + 1,
            context,
        ),
    }
}

/// Reads a file system, whose tables come last: in a stream that is too late.
fn in_memory(
    content: Content,
    depth: u32,
    context: &Context,
    reader: fn(&[u8], u32, &Context) -> Vec<Artifact>,
) -> Vec<Artifact> {
    let size = content.size().unwrap_or(0);
    match content {
        Content::Bytes(bytes) => {
            let found = reader(bytes, depth, context);
            if depth == 0 {
                context.meter.advance(size);
            }
            found
        }
        Content::Stream(_) => {
            let problem = "a file system inside a compressed file: unpack it, and it can be read";
            let problem = ArtifactProblem::whole(problem);
            vec![summary::unreadable(ArtifactKind::Package, size, problem)]
        }
    }
}

/// The inside of a compressed stream.
pub(super) fn unpacked<'c>(
    content: Content<'c>,
    format: Format,
    depth: u32,
    context: &Context<'c>,
) -> Content<'c> {
    let from = content.into_reader((depth == 0).then_some(context.meter));
    let reader = match format {
        Format::Gzip => decode::gzip(from),
        Format::Zstd => decode::zstd(from),
        Format::Xz => decode::xz(from),
        Format::Bzip2 => decode::bzip2(from),
        _ => from,
    };
    Content::Stream(Stream::new(reader, None, context.budget))
}

/// Reads the list of a Python package's files; one that is too long tells nothing.
fn record(content: Content, context: &Context) -> Artifact {
    let size = content.size().unwrap_or(0);
    let mut text = Vec::new();
    let mut reader = content.into_reader(None).take(RECORD_MOST);
    let artifact = summary::bare(ArtifactKind::Other, size);
    let read = reader.read_to_end(&mut text);
    if let Err(error) = read {
        let problem = ArtifactProblem::whole(error.to_string());
        return summary::unreadable(ArtifactKind::Other, size, problem);
    }
    let whole = (text.len() as u64) < RECORD_MOST && context.hold(text.len() as u64);
    Artifact {
        record: whole.then(|| python::files(&String::from_utf8_lossy(&text))),
        ..artifact
    }
}

/// Reads a file that holds no others.
fn single(mut content: Content, format: Format, depth: u32, context: &Context) -> Artifact {
    let mut listing = Listing::default();
    let mut host = String::new();
    let kind = match format {
        Format::Elf => ArtifactKind::Elf,
        Format::Pe => ArtifactKind::Pe,
        Format::Cubin => ArtifactKind::Cubin,
        Format::Fatbin => ArtifactKind::Fatbin,
        Format::Ptx => ArtifactKind::Ptx,
        _ => ArtifactKind::Other,
    };
    match (format, &mut content) {
        (Format::Elf, Content::Bytes(bytes)) => {
            host = host::elf_mapped(bytes, context, &mut listing)
        }
        (Format::Elf, Content::Stream(tape)) => {
            host = host::elf_passing(tape, context, &mut listing)
        }
        (Format::Pe, Content::Bytes(bytes)) => host = host::pe_mapped(bytes, context, &mut listing),
        (Format::Pe, Content::Stream(tape)) => host = host::pe_passing(tape, context, &mut listing),
        (Format::Fatbin, Content::Bytes(bytes)) => {
            let end = bytes.len() as u64;
            let mut tape = Mapped::new(bytes, 0, end);
            fatbin::section(&mut tape, end, context.options.kernels, &mut listing);
        }
        (Format::Fatbin, Content::Stream(tape)) => {
            let end = tape.size().unwrap_or(u64::MAX);
            fatbin::section(tape, end, context.options.kernels, &mut listing);
        }
        (Format::Cubin, Content::Bytes(bytes)) => {
            listing.add(cubin::read(bytes, 0), false);
        }
        (Format::Cubin, Content::Stream(tape)) => large_cubin(tape, &mut listing),
        (Format::Ptx, content) => {
            if let Some(image) = ptx::read(content.head(ptx::HEAD)) {
                let end = content.size().unwrap_or(0);
                listing.add(Container::loose(0, end, image), false);
            }
        }
        // Unknown data inside a package is left alone: it need not even be inflated.
        (_, Content::Bytes(bytes)) if depth == 0 => {
            host::everything(bytes, context, &mut listing, "found by a search");
        }
        (_, Content::Stream(tape)) if depth == 0 && context.options.outside => {
            for container in scan::scan(tape, u64::MAX, None, false).containers {
                listing.add(container, true);
            }
        }
        _ => {}
    }
    let size = finish(content, kind != ArtifactKind::Other, &mut listing);
    summary::artifact(kind, host, size, listing, context.options)
}

/// Reads to the end of a stream, so that damage behind the last thing read is noticed; the size.
fn finish(content: Content, to_the_end: bool, listing: &mut Listing) -> u64 {
    match content {
        Content::Bytes(bytes) => bytes.len() as u64,
        Content::Stream(mut tape) => {
            if to_the_end {
                tape.skip(u64::MAX);
            }
            if let Some(failure) = tape.failure() {
                listing.error(tape.offset(), failure.to_owned());
            }
            tape.size().unwrap_or(tape.offset())
        }
    }
}

/// A cubin that is too large to be read whole shows its number, and `a` in some encodings only.
fn large_cubin(tape: &mut Stream, listing: &mut Listing) {
    let reach = tape.reach();
    let bytes = tape.peek(reach as usize);
    let mut container = cubin::read(bytes, 0);
    if bytes.len() as u64 >= reach {
        container.incomplete = true;
        container.errors.clear();
        listing.error(
            0,
            format!("a cubin over {reach} bytes: its suffix is read only in a file on disk"),
        );
    }
    listing.add(container, false);
}

/// Reads an `ar` archive: objects make up one static library, packages in it stay members.
fn archive(content: Content, depth: u32, context: &Context) -> Vec<Artifact> {
    let size = content.size().unwrap_or(0);
    let mut whole = summary::bare(ArtifactKind::Archive, size);
    let mut packed = Vec::new();
    let mut members = 0;
    // The places of its members count in the archive.
    let context = &Context {
        unpack_to: None,
        ..*context
    };
    ar::walk(content, context, |member, context| {
        members += 1;
        if members > MAX_MEMBERS {
            return;
        }
        let (name, start, found) = match member {
            Member::Inside(name, at, content) => {
                (name, Some(at), read(content, depth + 1, context))
            }
            Member::Beside(name) => {
                let found = input::beside(&name, depth + 1, context);
                (name, None, found)
            }
            Member::Damage(at, message) => {
                whole.errors.push(ArtifactProblem::at(at, message));
                return;
            }
        };
        for artifact in found {
            if artifact.member.is_empty() && artifact.kind != ArtifactKind::Package {
                summary::absorb(&mut whole, artifact, &name, start);
            } else if !summary::is_silent(&artifact) {
                packed.push(Artifact {
                    member: names::join(&name, &artifact.member),
                    ..artifact
                });
            }
        }
    });
    if members > MAX_MEMBERS {
        let problem = format!("more than {MAX_MEMBERS} members");
        whole.errors.push(ArtifactProblem::whole(problem));
    }
    if packed.is_empty() || !summary::is_silent(&whole) {
        packed.insert(0, whole);
    }
    packed
}

/// The artifacts of a member, under its name; those with nothing to say are left out.
pub(super) fn under(name: &str, found: Vec<Artifact>) -> Vec<Artifact> {
    found
        .into_iter()
        .filter(|artifact| !summary::is_silent(artifact))
        .map(|artifact| Artifact {
            member: names::join(name, &artifact.member),
            ..artifact
        })
        .collect()
}
