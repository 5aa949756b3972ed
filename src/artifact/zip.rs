//! Zip archives and wheels. In memory the central directory is read and the members are read in parallel;
//! in a stream, where that directory would come last, the headers in front of the members are.
use super::content::Content;
use super::context::Context;
use super::inflate::Inflate;
use super::le::{clip, u16_at, u32_at, u64_at};
use super::limits::MAX_MEMBERS;
use super::read::{self, under};
use super::sniff::{self, Format};
use super::tape::{Stream, Tape};
use super::{decode, names, pool, summary};
use crate::facts::{Artifact, ArtifactKind, ArtifactProblem};
use std::io::Read;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END64: &[u8] = b"PK\x06\x06";
const LOCATOR64: &[u8] = b"PK\x06\x07";
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const ENCRYPTED: u16 = 1;
/// The sizes follow the member.
const DESCRIPTOR: u16 = 8;
/// Members smaller than this hold no device code: an empty fatbin entry is 80 bytes.
const TINY: u64 = 64;

struct Member {
    name: Vec<u8>,
    method: u16,
    flags: u16,
    crc: u32,
    packed: u64,
    size: u64,
    header_at: u64,
    link: bool,
}

impl Member {
    fn is_file(&self) -> bool {
        !self.name.ends_with(b"/") && !self.link && self.size >= TINY
    }
}

/// Reads every member.
pub(super) fn read(content: Content, depth: u32, context: &Context) -> Vec<Artifact> {
    let (mut found, errors, size) = match content {
        Content::Bytes(bytes) => {
            let (found, errors) = mapped(bytes, depth, context);
            (found, errors, bytes.len() as u64)
        }
        Content::Stream(mut tape) => {
            let (found, errors) = passing(&mut tape, depth, context);
            (found, errors, tape.offset())
        }
    };
    if !errors.is_empty() || found.is_empty() {
        let whole = summary::bare(ArtifactKind::Package, size);
        found.insert(0, Artifact { errors, ..whole });
    }
    found
}

type Found = (Vec<Artifact>, Vec<ArtifactProblem>);

fn mapped(bytes: &[u8], depth: u32, context: &Context) -> Found {
    let (members, mut errors) = match directory(bytes) {
        Ok(found) => found,
        Err(problem) => return (Vec::new(), vec![problem]),
    };
    overlapping(&members, bytes.len() as u64, &mut errors);
    let found = pool::map(
        &members,
        |member| member.packed.max(member.size / 4),
        |member| {
            let found = if member.is_file() {
                let read = context.member(|context| inside(bytes, member, depth, context));
                read.unwrap_or_else(|problem| {
                    vec![summary::unreadable(
                        ArtifactKind::Other,
                        member.size,
                        problem,
                    )]
                })
            } else {
                Vec::new()
            };
            if depth == 0 {
                context.meter.advance(member.packed);
            }
            named(&member.name, found)
        },
    );
    (found.into_iter().flatten().collect(), errors)
}

/// Puts what was found in a member under its name; a name that leads out is an error itself.
fn named(name: &[u8], found: Vec<Artifact>) -> Vec<Artifact> {
    match names::member(name) {
        Ok(name) => under(&name, found),
        Err(problem) => {
            let problem = ArtifactProblem::whole(problem);
            vec![summary::unreadable(ArtifactKind::Other, 0, problem)]
        }
    }
}

fn inside(
    bytes: &[u8],
    member: &Member,
    depth: u32,
    context: &Context,
) -> Result<Vec<Artifact>, ArtifactProblem> {
    let at = member.header_at;
    let header = clip(bytes, at, at.saturating_add(30));
    let lengths = (u16_at(header, 26), u16_at(header, 28));
    let (true, (Some(name), Some(extra))) = (header.starts_with(LOCAL), lengths) else {
        return Err(ArtifactProblem::at(
            at,
            "no member header where the directory says",
        ));
    };
    let start = at + 30 + u64::from(name) + u64::from(extra);
    let body = clip(bytes, start, start.saturating_add(member.packed));
    if (body.len() as u64) < member.packed {
        return Err(ArtifactProblem::at(at, "the file ends in this member"));
    }
    // Names that lead out are refused before anything is inflated.
    if names::member(&member.name).is_err() {
        return Ok(Vec::new());
    }
    let content = content(body, member, context)?;
    if let Content::Bytes(bytes) = &content
        && Format::of(bytes.get(..sniff::HEAD).unwrap_or(bytes)) != Format::Other
        && checksum(bytes) != member.crc
    {
        return Err(ArtifactProblem::at(at, "its checksum is wrong"));
    }
    Ok(read::read(content, depth + 1, context))
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

fn content<'c>(
    body: &'c [u8],
    member: &Member,
    context: &Context<'c>,
) -> Result<Content<'c>, ArtifactProblem> {
    let at = member.header_at;
    let refuse = |why: String| Err(ArtifactProblem::at(at, why));
    if member.flags & ENCRYPTED != 0 {
        return refuse("encrypted".to_owned());
    }
    match member.method {
        STORED if member.size == member.packed => {
            let spent = context.budget.spend(member.size);
            spent.map_err(|over| ArtifactProblem::at(at, over))?;
            Ok(Content::Bytes(body))
        }
        STORED => refuse(format!(
            "stored in {} bytes, {} long",
            member.packed, member.size
        )),
        DEFLATED => {
            let reader = decode::deflate(body, member.size, member.crc);
            let stream = Stream::new(reader, Some(member.size), context.budget);
            Ok(Content::Stream(stream))
        }
        other => refuse(format!(
            "compressed by method {other}, which is not supported"
        )),
    }
}

/// Reads the central directory.
fn directory(bytes: &[u8]) -> Result<(Vec<Member>, Vec<ArtifactProblem>), ArtifactProblem> {
    let (count, start) = end_record(bytes).ok_or_else(|| {
        let problem = "no end of a zip directory: the file is cut off or damaged";
        ArtifactProblem::at(bytes.len() as u64, problem)
    })?;
    let mut members = Vec::new();
    let mut errors = Vec::new();
    let mut at = start;
    for n in 0..count {
        let Some((member, next)) = row(bytes, at) else {
            let problem = format!("the directory breaks off after {n} of {count} members");
            errors.push(ArtifactProblem::at(at, problem));
            break;
        };
        if members.len() >= MAX_MEMBERS {
            let problem = format!("more than {MAX_MEMBERS} members");
            errors.push(ArtifactProblem::at(at, problem));
            break;
        }
        members.push(member);
        at = next;
    }
    Ok((members, errors))
}

/// The number of members and where their directory starts.
fn end_record(bytes: &[u8]) -> Option<(u64, u64)> {
    let tail = bytes.len().saturating_sub(22 + 0xffff);
    let at = tail + memchr::memmem::rfind(bytes.get(tail..)?, END)?;
    let (count, start) = (u16_at(bytes, at + 10)?, u32_at(bytes, at + 16)?);
    let locator = at.checked_sub(20).and_then(|at| bytes.get(at..at + 20));
    if let Some(locator) = locator.filter(|l| l.starts_with(LOCATOR64)) {
        let at = usize::try_from(u64_at(locator, 8)?).ok()?;
        let record = bytes.get(at..)?;
        record.starts_with(END64).then_some(())?;
        return Some((u64_at(record, 32)?, u64_at(record, 48)?));
    }
    Some((u64::from(count), u64::from(start)))
}

/// One row of the central directory, and where the next one starts.
fn row(bytes: &[u8], at: u64) -> Option<(Member, u64)> {
    let row = clip(bytes, at, at.checked_add(46)?);
    (row.len() == 46 && row.starts_with(CENTRAL)).then_some(())?;
    let lengths = [u16_at(row, 28)?, u16_at(row, 30)?, u16_at(row, 32)?].map(u64::from);
    let name_at = at + 46;
    let extra_at = name_at + lengths[0];
    let next = extra_at + lengths[1] + lengths[2];
    let name = clip(bytes, name_at, extra_at).to_vec();
    let mut wide = Wide::of(clip(bytes, extra_at, extra_at + lengths[1]));
    // The order of the wide fields is fixed: size, packed size, offset.
    let size = wide.or(u32_at(row, 24)?)?;
    let packed = wide.or(u32_at(row, 20)?)?;
    let header_at = wide.or(u32_at(row, 42)?)?;
    let member = Member {
        name,
        method: u16_at(row, 10)?,
        flags: u16_at(row, 8)?,
        crc: u32_at(row, 16)?,
        packed,
        size,
        header_at,
        // The upper half of the external attributes is the Unix mode.
        link: u32_at(row, 38)? >> 28 == 0xa,
    };
    Some((member, next))
}

/// The 64-bit values that stand in for 32-bit fields of all ones.
struct Wide<'b>(&'b [u8]);

impl<'b> Wide<'b> {
    fn of(mut extra: &'b [u8]) -> Self {
        while let (Some(id), Some(size)) = (u16_at(extra, 0), u16_at(extra, 2)) {
            let end = 4 + usize::from(size);
            if id == 1 {
                return Self(extra.get(4..end).unwrap_or_default());
            }
            extra = extra.get(end..).unwrap_or_default();
        }
        Self(&[])
    }

    fn or(&mut self, narrow: u32) -> Option<u64> {
        if narrow != u32::MAX {
            return Some(u64::from(narrow));
        }
        let wide = u64_at(self.0, 0)?;
        self.0 = self.0.get(8..)?;
        Some(wide)
    }
}

/// Members that share bytes are a way to make a small file inflate to a huge one.
fn overlapping(members: &[Member], size: u64, errors: &mut Vec<ArtifactProblem>) {
    let mut ranges: Vec<(u64, u64)> = members
        .iter()
        .map(|m| {
            (
                m.header_at,
                m.header_at.saturating_add(30).saturating_add(m.packed),
            )
        })
        .collect();
    ranges.sort_unstable();
    let overlap = ranges
        .windows(2)
        .find(|pair| matches!(pair, [a, b] if a.1 > b.0 && b.0 < size));
    if let Some([_, (at, _)]) = overlap {
        errors.push(ArtifactProblem::at(*at, "members overlap"));
    }
}

/// Reads members as they pass.
fn passing(tape: &mut Stream, depth: u32, context: &Context) -> Found {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    for n in 0.. {
        let at = tape.offset();
        let head = tape.peek(30).to_vec();
        if !head.starts_with(LOCAL) || n >= MAX_MEMBERS {
            let ends = head.starts_with(CENTRAL) || head.starts_with(END);
            if !ends {
                let why = tape
                    .failure()
                    .unwrap_or("no member header where one should be");
                errors.push(ArtifactProblem::at(at, why));
            }
            break;
        }
        match context.member(|context| next(tape, &head, depth, context)) {
            Ok((name, members)) => found.extend(named(&name, members)),
            Err(problem) => {
                errors.push(ArtifactProblem::at(at, problem));
                break;
            }
        }
    }
    tape.skip(u64::MAX);
    (found, errors)
}

/// Reads the member whose header the tape stands at.
fn next(
    tape: &mut Stream,
    head: &[u8],
    depth: u32,
    context: &Context,
) -> Result<(Vec<u8>, Vec<Artifact>), String> {
    let field = |at| u16_at(head, at).ok_or("the file ends in a member's header");
    let wide = |at| u32_at(head, at).ok_or("the file ends in a member's header");
    let (flags, method) = (field(6)?, field(8)?);
    let (crc, packed, size) = (wide(14)?, wide(18)?, wide(22)?);
    let (name_len, extra_len) = (usize::from(field(26)?), usize::from(field(28)?));
    tape.skip(30);
    let rest = tape.peek(name_len + extra_len).to_vec();
    let name = rest
        .get(..name_len)
        .ok_or("the file ends in a member's name")?;
    let mut wide = Wide::of(rest.get(name_len..).unwrap_or_default());
    let size = wide.or(size).ok_or("a size is missing")?;
    let packed = wide.or(packed).ok_or("a size is missing")?;
    tape.skip((name_len + extra_len) as u64);
    let sized = flags & DESCRIPTOR == 0;
    let member = Member {
        name: name.to_vec(),
        method,
        flags,
        crc,
        packed,
        size,
        header_at: 0,
        link: false,
    };
    if flags & ENCRYPTED != 0 {
        return Err(format!("{}: encrypted", String::from_utf8_lossy(name)));
    }
    let end = tape.offset().saturating_add(packed);
    let safe = names::member(name).is_ok();
    let found = match method {
        STORED | DEFLATED if sized && (!member.is_file() || !safe) => Vec::new(),
        STORED if sized && size == packed => {
            let body = decode::checked(Read::take(&mut *tape, packed), size, crc);
            let body = Stream::new(body, Some(size), context.budget);
            read::read(Content::Stream(body), depth + 1, context)
        }
        DEFLATED if sized => {
            let body = decode::deflate(Read::take(&mut *tape, packed), size, crc);
            let body = Stream::new(body, Some(size), context.budget);
            read::read(Content::Stream(body), depth + 1, context)
        }
        DEFLATED => {
            let found = unsized_member(tape, depth, context)?;
            return Ok((member.name, found));
        }
        _ => {
            let name = String::from_utf8_lossy(name);
            return Err(format!(
                "{name}: method {method} is read only in a file on disk"
            ));
        }
    };
    tape.skip(end.saturating_sub(tape.offset()));
    Ok((member.name, found))
}

/// Reads a member whose length only its own deflate stream tells, then the sizes behind it.
fn unsized_member(
    tape: &mut Stream,
    depth: u32,
    context: &Context,
) -> Result<Vec<Artifact>, String> {
    let start = tape.offset();
    let mut inflate = Inflate::new(&mut *tape);
    let body = Box::new(&mut inflate);
    let body = Stream::new(body, None, context.budget);
    let found = read::read(Content::Stream(body), depth + 1, context);
    std::io::copy(&mut inflate, &mut std::io::sink())
        .map_err(|error| format!("the member at {start}: {error}"))?;
    drop(inflate);
    // The descriptor: perhaps a signature, a checksum, two sizes of 4 or 8 bytes.
    let next = tape.peek(24);
    let signed = if next.starts_with(b"PK\x07\x08") {
        4
    } else {
        0
    };
    let step = [12, 20].into_iter().map(|n| n + signed).find(|&n| {
        let after = next.get(n..).unwrap_or_default();
        after.starts_with(b"PK") || after.len() < 2
    });
    tape.skip(step.unwrap_or(12 + signed) as u64);
    Ok(found)
}
