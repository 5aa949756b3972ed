//! The files around a linted file: those of its repository, read as text, and none outside of it.
use crate::read::{self, ReadError};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A folder and what lies below it. Paths are written from there, with `/` and without `.` and `..`; the folder is the empty path.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The folder, absolute and without links; `None` where nothing may be read.
    root: Option<PathBuf>,
    /// The linted file's folder, seen from the root.
    folder: String,
    /// The same as the user wrote it.
    shown: String,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file, or something else that is no folder.
    File,
    /// A folder.
    Folder,
}

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// Reading other files is switched off, or there is no place that they could be read from.
    #[error("other files are not read")]
    Off,
    /// It lies, or a link leads, outside of the tree.
    #[error("it is outside of the repository")]
    Outside,
    /// Enough was read.
    #[error("{0} files and bytes were read before it, and no more are")]
    Enough(&'static str),
    /// It is not there, or no text.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Tree {
    /// The tree at `root` around the linted file at the absolute path `place`, whom the user calls `shown`.
    pub fn new(root: &Path, place: &Path, shown: &Path) -> Self {
        let folder = place
            .parent()
            .and_then(|folder| folder.strip_prefix(root).ok());
        Self {
            root: root.canonicalize().ok(),
            folder: folder.map(words).unwrap_or_default(),
            shown: shown.parent().map(words_as_written).unwrap_or_default(),
        }
    }

    /// The linted file's folder.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Whether there is anything that could be read.
    pub fn is_there(&self) -> bool {
        self.root.is_some()
    }

    /// What is at `path`; `None` for nothing, and for what is outside.
    pub fn kind(&self, path: &str) -> Option<Kind> {
        let kind = fs::metadata(self.inside(path).ok()?).ok()?.file_type();
        Some(if kind.is_dir() {
            Kind::Folder
        } else {
            Kind::File
        })
    }

    /// The names in the folder at `path`, sorted; none if it is no folder.
    pub fn names(&self, path: &str) -> Vec<String> {
        let entries = self.inside(path).ok().and_then(|p| fs::read_dir(p).ok());
        let names = entries.into_iter().flatten().flatten();
        let mut names: Vec<String> = names
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort_unstable();
        names
    }

    /// The text at `path`, of at most `largest` bytes.
    ///
    /// # Errors
    /// It may not or cannot be read.
    pub fn read(&self, path: &str, largest: u64) -> Result<String, Unread> {
        Ok(read::file(&self.inside(path)?, largest)?)
    }

    /// Where `path` is, links followed; never outside.
    fn inside(&self, path: &str) -> Result<PathBuf, Unread> {
        let root = self.root.as_deref().ok_or(Unread::Off)?;
        let path = normal(path).ok_or(Unread::Outside)?;
        let whole = root.join(path);
        // most names that are tried are not there: that takes one call to learn, following links one for each folder
        whole.symlink_metadata().map_err(ReadError::from)?;
        let found = whole.canonicalize().map_err(ReadError::from)?;
        if found.starts_with(root) {
            Ok(found)
        } else {
            Err(Unread::Outside)
        }
    }

    /// `path` as the user would write it who wrote the linted file's path.
    pub fn shown(&self, path: &str) -> String {
        let (from, to) = (parts(&self.folder), parts(path));
        let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        let mut shown = self.shown.clone();
        for _ in shared..from.len() {
            shown = above(&shown);
        }
        let below = to[shared..].join("/");
        match shown.as_str() {
            "" => below,
            _ if shown.ends_with('/') => shown + &below,
            _ => format!("{shown}/{below}"),
        }
    }
}

/// A path without `.`, `..` and double slashes; `None` if it leads out of the tree.
pub fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// The folder above a folder as the user writes it.
fn above(shown: &str) -> String {
    match shown.rsplit_once('/') {
        None if shown.is_empty() => "..".to_owned(),
        Some((_, "..")) => format!("{shown}/.."),
        None if shown == ".." => "../..".to_owned(),
        Some(("", _)) => "/".to_owned(),
        Some((above, _)) => above.to_owned(),
        None => String::new(),
    }
}

/// The names of a relative path.
fn words(path: &Path) -> String {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    names.collect::<Vec<_>>().join("/")
}

fn words_as_written(path: &Path) -> String {
    let text = path.to_string_lossy().into_owned();
    match text.as_str() {
        "." => String::new(),
        _ => text.strip_prefix("./").unwrap_or(&text).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_as_the_user_calls_the_linted_one() {
        for (linted, path, expected) in [
            ("/r/Dockerfile => Dockerfile", "a/b.sh", "a/b.sh"),
            (
                "/r/docker/Dockerfile => docker/Dockerfile",
                "a/b.sh",
                "a/b.sh",
            ),
            (
                "/r/docker/Dockerfile => docker/Dockerfile",
                "docker/b.sh",
                "docker/b.sh",
            ),
            (
                "/r/docker/Dockerfile => ./docker/Dockerfile",
                "b.sh",
                "b.sh",
            ),
            ("/r/docker/Dockerfile => Dockerfile", "a/b.sh", "../a/b.sh"),
            ("/r/x/docker/Dockerfile => Dockerfile", "b.sh", "../../b.sh"),
            (
                "/r/docker/Dockerfile => ../docker/Dockerfile",
                "b.sh",
                "../b.sh",
            ),
            ("/r/x/y/Dockerfile => ../Dockerfile", "x/b.sh", "../../b.sh"),
            (
                "/r/docker/Dockerfile => /r/docker/Dockerfile",
                "b.sh",
                "/r/b.sh",
            ),
            ("/docker/Dockerfile => /docker/Dockerfile", "b.sh", "/b.sh"),
        ] {
            let (place, shown) = linted.split_once(" => ").unwrap();
            let folder = place.trim_start_matches("/r").trim_start_matches('/');
            let tree = Tree {
                root: None,
                folder: words(Path::new(folder).parent().unwrap()),
                shown: words_as_written(Path::new(shown).parent().unwrap()),
            };
            assert_eq!(tree.shown(path), expected, "{linted}");
        }
    }
}
