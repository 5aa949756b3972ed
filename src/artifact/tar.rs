//! Tar archives, as the file system that they unpack to: later members replace earlier ones, hard links
//! share what they name, and the whiteouts of image layers are kept for [`super::image`].
use super::content::Content;
use super::context::Context;
use super::limits::MAX_MEMBERS;
use super::read;
use super::sniff::{self, Format};
use super::tape::Stream;
use super::tree::{Entry, Inside, Other, Tree};
use super::{map, names, pool, summary};
use crate::facts::{ArtifactKind, ArtifactProblem};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use tar::{Archive, EntryType};

/// One JSON text.
const TEXT: u64 = 4 << 20;
/// Members read in parallel before their results are put away.
const BATCH: usize = 256;

/// Whether these bytes begin a tar archive.
pub(super) fn is_tar(head: &[u8]) -> bool {
    let Some(block) = head.get(..512) else {
        return false;
    };
    // Without the magic of POSIX and GNU, the checksum tells.
    block.get(257..262) == Some(b"ustar") || (block.first() != Some(&0) && sum_matches(block))
}

fn sum_matches(block: &[u8]) -> bool {
    let field = block.get(148..156).unwrap_or_default();
    let text = field
        .split(|b| matches!(b, 0 | b' '))
        .find(|t| !t.is_empty());
    let said = text
        .and_then(|text| std::str::from_utf8(text).ok())
        .and_then(|text| u32::from_str_radix(text, 8).ok());
    let blank = (148..156).len() as u32 * u32::from(b' ');
    let sum = |bytes: Option<&[u8]>| -> u32 {
        bytes
            .unwrap_or_default()
            .iter()
            .map(|&b| u32::from(b))
            .sum()
    };
    said == Some(sum(block.get(..148)) + blank + sum(block.get(156..)))
}

/// Reads an archive. `outer`: members may be the layers of an image.
pub(super) fn read(content: Content, depth: u32, context: &Context, outer: bool) -> Tree {
    match content {
        Content::Bytes(bytes) => mapped(bytes, depth, context, outer),
        Content::Stream(stream) => passing(stream, depth, context, outer),
    }
}

/// Reads a member that may be a layer; `None` for one that is no archive.
pub(super) fn layer(mut content: Content, depth: u32, context: &Context) -> Result<Tree, String> {
    match Format::of(content.head(sniff::HEAD)) {
        _ if depth >= context.options.max_depth => {
            let levels = context.options.max_depth;
            Err(format!(
                "packed more than {levels} levels deep (--max-depth)"
            ))
        }
        Format::Tar => Ok(read(content, depth, context, false)),
        format @ (Format::Gzip | Format::Zstd | Format::Xz | Format::Bzip2) => layer(
            read::unpacked(content, format, depth, context),
            depth + 1,
            context,
        ),
        _ => Err("no layer: neither a tar archive nor a compressed one".to_owned()),
    }
}

/// The tree of an OCI image layout in the folder `root`, whose files are given with their sizes.
pub(super) fn from_blobs(
    root: &Path,
    files: &[(PathBuf, u64)],
    context: &Context,
) -> io::Result<Tree> {
    let read = |(path, size): &(PathBuf, u64)| -> io::Result<Option<(String, Inside)>> {
        if *size == 0 {
            return Ok(None);
        }
        context.budget.spend(*size).map_err(io::Error::other)?;
        let file = File::open(path)?;
        let bytes = map::map(&file)?;
        let inside = path.strip_prefix(root).unwrap_or(path);
        let name = inside.to_string_lossy().into_owned();
        let found = member(&name, Content::Bytes(&bytes), 0, context, true);
        if bytes.has_changed() {
            return Err(io::Error::other(format!("{name}: {}", map::CHANGED)));
        }
        context.meter.advance(*size);
        Ok(Some((name, found)))
    };
    let mut tree = Tree::default();
    for found in pool::map(files, |file| file.1, read) {
        if let Some((name, found)) = found? {
            tree.put(name, found);
        }
    }
    Ok(tree)
}

struct Job<'b> {
    path: String,
    bytes: &'b [u8],
}

fn mapped(bytes: &[u8], depth: u32, context: &Context, outer: bool) -> Tree {
    let mut tree = Tree::default();
    let mut archive = Archive::new(Cursor::new(bytes));
    let mut batch: Vec<Job> = Vec::new();
    match archive.entries_with_seek() {
        Ok(entries) => each(entries, &mut tree, |tree, met| {
            let (path, entry) = match met {
                Met::File(path, entry) => (path, entry),
                Met::Other(other) => {
                    // A hard link needs what it names to be there.
                    put_away(&mut batch, tree, depth, context, outer);
                    return tree.entries.push(other);
                }
            };
            let (at, size) = (entry.raw_file_position(), entry.size());
            if entry.header().entry_type() == EntryType::GNUSparse {
                put_away(&mut batch, tree, depth, context, outer);
                return put_passing(tree, path, entry, depth, context, outer);
            }
            let body = super::le::clip(bytes, at, at.saturating_add(size));
            if let Err(over) = context.budget.spend(size) {
                return tree.fail(at, over);
            }
            batch.push(Job { path, bytes: body });
            if (body.len() as u64) < size {
                tree.fail(at, format!("the archive ends in a member of {size} bytes"));
            }
            if batch.len() >= BATCH {
                put_away(&mut batch, tree, depth, context, outer);
            }
        }),
        Err(error) => tree.fail(0, error.to_string()),
    }
    put_away(&mut batch, &mut tree, depth, context, outer);
    tree
}

fn put_away(batch: &mut Vec<Job>, tree: &mut Tree, depth: u32, context: &Context, outer: bool) {
    let found = pool::map(
        batch,
        |job| job.bytes.len() as u64,
        |job| {
            let content = Content::Bytes(job.bytes);
            let found = context.member(|context| member(&job.path, content, depth, context, outer));
            if depth == 0 {
                context.meter.advance(job.bytes.len() as u64);
            }
            found
        },
    );
    for (job, found) in batch.drain(..).zip(found) {
        tree.put(job.path, found);
    }
}

fn passing(stream: Stream, depth: u32, context: &Context, outer: bool) -> Tree {
    let mut tree = Tree::default();
    let mut archive = Archive::new(stream);
    match archive.entries() {
        Ok(entries) => each(entries, &mut tree, |tree, met| {
            let (path, entry) = match met {
                Met::File(path, entry) => (path, entry),
                Met::Other(other) => return tree.entries.push(other),
            };
            put_passing(tree, path, entry, depth, context, outer);
        }),
        Err(error) => tree.fail(0, error.to_string()),
    }
    // Behind the archive's end a compressed stream still has its checksum.
    let mut rest = archive.into_inner();
    if let Err(error) = std::io::copy(&mut rest, &mut std::io::sink()) {
        tree.fail(super::tape::Tape::offset(&rest), error.to_string());
    }
    tree
}

/// Reads a member that passes by.
fn put_passing<R: Read>(
    tree: &mut Tree,
    path: String,
    entry: &mut tar::Entry<R>,
    depth: u32,
    context: &Context,
    outer: bool,
) {
    let size = entry.size();
    let found = context.member(|context| {
        let content = Stream::new(Box::new(entry), Some(size), context.budget);
        member(&path, Content::Stream(content), depth, context, outer)
    });
    tree.put(path, found);
}

/// What a walk over an archive meets.
enum Met<'e, 'a, R: Read> {
    File(String, &'e mut tar::Entry<'a, R>),
    Other(Entry),
}

/// Visits what has an entry in a tree; what has none is put into it here.
fn each<'a, R: Read + 'a>(
    entries: tar::Entries<'a, R>,
    tree: &mut Tree,
    mut visit: impl FnMut(&mut Tree, Met<'_, 'a, R>),
) {
    for (n, entry) in entries.enumerate() {
        let mut entry = match entry {
            Ok(entry) if n < MAX_MEMBERS => entry,
            Ok(entry) => {
                let at = entry.raw_header_position();
                return tree.fail(at, format!("more than {MAX_MEMBERS} members"));
            }
            Err(error) => return tree.errors.push(ArtifactProblem::whole(error.to_string())),
        };
        let at = entry.raw_header_position();
        let path = match names::member(&entry.path_bytes()) {
            Ok(path) => path,
            Err(problem) => {
                tree.fail(at, problem);
                continue;
            }
        };
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                match special(&path) {
                    Some(special) => visit(tree, Met::Other(special)),
                    None => visit(tree, Met::File(path, &mut entry)),
                }
            }
            EntryType::Link => match names::member(&entry.link_name_bytes().unwrap_or_default()) {
                Ok(target) => {
                    tree.put_other(&path, Other::File);
                    visit(tree, Met::Other(Entry::Link(path, target)));
                }
                Err(problem) => tree.fail(at, format!("hard link {path} to {problem}")),
            },
            EntryType::Symlink => {
                let target = entry.link_name_bytes().unwrap_or_default().into_owned();
                if names::leads_out(&path, &target) {
                    tree.fail(at, format!("the link {path} leads out of the archive"));
                }
                if path.ends_with("layer.tar") {
                    let target = String::from_utf8_lossy(&target).into_owned();
                    tree.links.insert(path.clone(), target);
                }
                tree.put_other(&path, Other::File);
            }
            EntryType::Directory => tree.put_other(&path, Other::Folder),
            _ => tree.put_other(&path, Other::File),
        }
    }
}

/// The whiteouts of image layers.
fn special(path: &str) -> Option<Entry> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let hidden = name.strip_prefix(".wh.")?;
    if hidden == ".wh..opq" {
        return Some(Entry::Opaque(folder.to_owned()));
    }
    // Other names of this form are bookkeeping of aufs.
    (!hidden.starts_with(".wh.")).then(|| {
        Entry::Whiteout(if folder.is_empty() {
            hidden.to_owned()
        } else {
            format!("{folder}/{hidden}")
        })
    })
}

fn member(path: &str, mut content: Content, depth: u32, context: &Context, outer: bool) -> Inside {
    let size = content.size().unwrap_or(0);
    if !outer || !may_be_image(path) {
        return Inside::Files(read::read(content, depth + 1, context));
    }
    let head = content.head(sniff::HEAD);
    if head.trim_ascii_start().starts_with(b"{") || head.trim_ascii_start().starts_with(b"[") {
        return match text(content) {
            Some(text) => Inside::Text(text),
            None => Inside::Files(Vec::new()),
        };
    }
    if !Format::of(head).packs() {
        return Inside::Files(read::read(content, depth + 1, context));
    }
    match layer(content, depth + 1, context) {
        Ok(tree) => Inside::Layer(Box::new(tree)),
        Err(problem) => {
            let problem = ArtifactProblem::whole(problem);
            Inside::Files(vec![summary::unreadable(
                ArtifactKind::Package,
                size,
                problem,
            )])
        }
    }
}

/// Whether a member's name is one that images in an archive use.
fn may_be_image(path: &str) -> bool {
    path.starts_with("blobs/")
        || path.ends_with("/layer.tar")
        || matches!(path, "manifest.json" | "index.json")
        || path.strip_suffix(".json").is_some_and(is_hex)
        || path.strip_suffix(".tar").is_some_and(is_hex)
        || path.strip_suffix(".tar.gz").is_some_and(is_hex)
}

fn is_hex(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn text(content: Content) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut reader = content.into_reader(None).take(TEXT + 1);
    reader.read_to_end(&mut text).ok()?;
    (text.len() as u64 <= TEXT).then_some(text)
}
