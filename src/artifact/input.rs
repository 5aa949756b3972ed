//! The paths that a user names: files, folders, image layouts, pipes, standard input.
use super::content::Content;
use super::context::{Context, Meter, Options};
use super::limits::{Budget, MAX_MEMBERS};
use super::map::Mapped;
use super::sniff::{self, Format};
use super::tape::Stream;
use super::{image, map, pool, promise, python, read, summary, tar, vendor};
use crate::facts::{Artifact, ArtifactKind, ArtifactProblem};
use crate::relative;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

/// Reads every path, `-` as standard input, and tells what device code lies where. Each path gives at
/// least one artifact; one that could not be read has errors.
pub fn archs(paths: &[PathBuf], options: &Options, meter: &Meter) -> Vec<Artifact> {
    let mut errors = Vec::new();
    let mut files = Vec::new();
    for (n, path) in paths.iter().enumerate() {
        if let Err(error) = collect(path, n, &mut files) {
            errors.push((n, problem(path, error.to_string())));
        }
    }
    meter.expect(files.iter().map(|file| file.size).sum());
    let found = pool::map(&files, |file| file.size, |file| file.read(options, meter));
    let mut by_path: Vec<Vec<Artifact>> = paths.iter().map(|_| Vec::new()).collect();
    let found = files.iter().map(|file| file.named).zip(found);
    for (n, found) in found.chain(errors.into_iter().map(|(n, error)| (n, vec![error]))) {
        if let Some(list) = by_path.get_mut(n) {
            list.extend(found);
        }
    }
    for (list, path) in by_path.iter_mut().zip(paths) {
        *list = python::group(std::mem::take(list));
        if list.is_empty() {
            let nothing = summary::bare(ArtifactKind::Package, 0);
            list.push(Artifact {
                path: relative::text(path).into_owned(),
                ..nothing
            });
        }
    }
    by_path.into_iter().flatten().collect()
}

fn problem(path: &Path, message: String) -> Artifact {
    let problem = ArtifactProblem::whole(message);
    Artifact {
        path: relative::text(path).into_owned(),
        ..summary::unreadable(ArtifactKind::Other, 0, problem)
    }
}

/// One file to read.
struct Input {
    path: PathBuf,
    /// Which of the user's paths it belongs to.
    named: usize,
    size: u64,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Standard input, a pipe, a device.
    Pipe,
    /// A file that the user named.
    File,
    /// A file found in a folder: listed only if there is something to say.
    Found,
    /// A folder that is an OCI image layout.
    Layout,
}

/// Where an image lies that is named as skopeo and buildah do: `oci:DIR`.
fn without_transport(path: &Path) -> &Path {
    const TRANSPORTS: [&str; 4] = ["oci:", "oci-archive:", "docker-archive:", "dir:"];
    let text = path.to_str().filter(|_| !path.exists());
    let place = TRANSPORTS
        .iter()
        .find_map(|transport| text?.strip_prefix(transport));
    place.map_or(path, Path::new)
}

fn collect(path: &Path, named: usize, files: &mut Vec<Input>) -> io::Result<()> {
    let path = without_transport(path);
    let input = |kind, size| Input {
        path: path.to_owned(),
        named,
        size,
        kind,
    };
    if path == Path::new("-") {
        files.push(input(Kind::Pipe, 0));
        return Ok(());
    }
    let meta = fs::metadata(path)?;
    if meta.is_file() {
        files.push(input(Kind::File, meta.len()));
    } else if !meta.is_dir() {
        files.push(input(Kind::Pipe, 0));
    } else if path.join("oci-layout").is_file() && path.join("index.json").is_file() {
        files.push(input(Kind::Layout, 0));
    } else {
        folder(path, named, files)?;
    }
    Ok(())
}

/// The regular files of a folder and its folders, by name. Links are not followed: what they name inside
/// is found anyway, what they name outside was not asked for.
fn folder(path: &Path, named: usize, files: &mut Vec<Input>) -> io::Result<()> {
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        let mut entries = fs::read_dir(&folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in &entries {
            let kind = entry.file_type()?;
            if kind.is_file() && files.len() < MAX_MEMBERS {
                files.push(Input {
                    path: entry.path(),
                    named,
                    size: entry.metadata()?.len(),
                    kind: Kind::Found,
                });
            }
        }
        for entry in entries.into_iter().rev() {
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            }
        }
    }
    Ok(())
}

impl Input {
    fn read(&self, options: &Options, meter: &Meter) -> Vec<Artifact> {
        let budget = Budget::new(options.max_size);
        let context = Context {
            options,
            budget: &budget,
            meter,
            folder: self.path.parent(),
            unpack_to: options.unpack_to.as_deref(),
            held: &AtomicU64::new(0),
        };
        let found = match self.kind {
            Kind::Pipe => pipe(&self.path, &context),
            Kind::File => file(&self.path, self.size, false, &context),
            Kind::Found => file(&self.path, self.size, true, &context),
            Kind::Layout => layout(&self.path, &context),
        };
        let mut found = found.unwrap_or_else(|error| vec![problem(&self.path, error.to_string())]);
        if self.kind == Kind::Found {
            let promised = promise::has_label(&self.path);
            found.retain(|artifact| promised || !summary::is_silent(artifact));
        }
        for artifact in &mut found {
            artifact.path = relative::text(&self.path).into_owned();
            let name = if artifact.member.is_empty() {
                &artifact.path
            } else {
                &artifact.member
            };
            artifact.vendor = vendor::name(name).to_owned();
        }
        found
    }
}

fn pipe(path: &Path, context: &Context) -> io::Result<Vec<Artifact>> {
    let from: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path)?)
    };
    let stream = Stream::new(from, None, context.budget);
    Ok(read::read(Content::Stream(stream), 0, context))
}

fn file(path: &Path, size: u64, quiet: bool, context: &Context) -> io::Result<Vec<Artifact>> {
    if size == 0 {
        return Ok(vec![summary::bare(ArtifactKind::Other, 0)]);
    }
    context.budget.spend(size).map_err(io::Error::other)?;
    let mut file = File::open(path)?;
    if quiet {
        let mut head = Vec::new();
        file.by_ref()
            .take(sniff::HEAD as u64)
            .read_to_end(&mut head)?;
        if Format::of(&head) == Format::Other {
            context.meter.advance(size);
            return Ok(Vec::new());
        }
    }
    let bytes = map::map(&file)?;
    let packs = Format::of(bytes.get(..sniff::HEAD).unwrap_or(&bytes)).packs();
    let found = whole(&bytes, 0, context);
    if !packs {
        context.meter.advance(size);
    }
    Ok(found)
}

/// Reads a mapped file; one that changes meanwhile is an error.
fn whole(bytes: &Mapped, depth: u32, context: &Context) -> Vec<Artifact> {
    let mut found = read::read(Content::Bytes(bytes), depth, context);
    if bytes.has_changed() {
        let problem = ArtifactProblem::whole(map::CHANGED);
        match found.first_mut() {
            Some(first) => first.errors.push(problem),
            None => found.push(summary::unreadable(ArtifactKind::Other, 0, problem)),
        }
    }
    found
}

/// Reads an OCI image layout as if it were the archive of it.
fn layout(path: &Path, context: &Context) -> io::Result<Vec<Artifact>> {
    let mut blobs = Vec::new();
    for algorithm in fs::read_dir(path.join("blobs"))? {
        for blob in fs::read_dir(algorithm?.path())? {
            let blob = blob?;
            if blob.file_type()?.is_file() {
                blobs.push((blob.path(), blob.metadata()?.len()));
            }
        }
    }
    blobs.push((
        path.join("index.json"),
        path.join("index.json").metadata()?.len(),
    ));
    context.meter.expect(blobs.iter().map(|blob| blob.1).sum());
    let tree = tar::from_blobs(path, &blobs, context)?;
    Ok(image::artifacts(tree, 0))
}

/// Reads a member of a thin archive, which lies next to the archive.
pub(super) fn beside(name: &str, depth: u32, context: &Context) -> Vec<Artifact> {
    let fail = |why: String| {
        let problem = ArtifactProblem::whole(why);
        vec![summary::unreadable(ArtifactKind::Other, 0, problem)]
    };
    let Some(folder) = context.folder.filter(|_| depth == 1) else {
        return fail("a thin archive's members lie outside of what is read here".to_owned());
    };
    let path = folder.join(name);
    let read = || -> io::Result<Vec<Artifact>> {
        let file = File::open(&path)?;
        let meta = file.metadata()?;
        if !meta.is_file() || meta.len() == 0 {
            return Err(io::Error::other("no regular file"));
        }
        context.budget.spend(meta.len()).map_err(io::Error::other)?;
        Ok(whole(&map::map(&file)?, depth, context))
    };
    read().unwrap_or_else(|error| fail(error.to_string()))
}
