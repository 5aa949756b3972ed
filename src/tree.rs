//! The files around a linted file: those of its repository, read as text, and none outside of it.
mod folders;

pub use folders::Folders;

use crate::read::ReadError;
use crate::relative;
use std::any::Any;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A folder and what lies below it. Paths are written from there, with `/` and without `.` and `..`; the folder is the empty path.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// What lies below the folder; `None` where nothing may be read.
    root: Option<Arc<Folders>>,
    /// The linted file's folder, seen from the root.
    folder: String,
    /// The same as the user wrote it.
    shown: String,
    /// Texts in the place of those that the files at these paths have.
    edited: Arc<BTreeMap<String, String>>,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file, or something else that is no folder.
    File,
    /// A folder.
    Folder,
}

impl Kind {
    fn of(is_folder: bool) -> Self {
        if is_folder { Self::Folder } else { Self::File }
    }
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
        Self::within(Folders::below(root).map(Arc::new), root, place, shown)
    }

    /// The same, with the folders below `root` as they were seen before.
    pub fn within(folders: Option<Arc<Folders>>, root: &Path, place: &Path, shown: &Path) -> Self {
        let folder = place
            .parent()
            .and_then(|folder| folder.strip_prefix(root).ok());
        Self {
            root: folders,
            folder: folder.map(words).unwrap_or_default(),
            shown: shown.parent().map(words_as_written).unwrap_or_default(),
            edited: Arc::default(),
        }
    }

    /// The same with other texts in some of its files.
    pub fn edited(self, texts: BTreeMap<String, String>) -> Self {
        Self {
            edited: Arc::new(texts),
            ..self
        }
    }

    /// The same without edits: for what hangs on where files are, and not on what they hold.
    pub fn unedited(&self) -> Self {
        self.clone().edited(BTreeMap::new())
    }

    /// The files were written: what is known of them no longer holds.
    pub fn forget_texts(&self) {
        if let Some(root) = &self.root {
            root.forget_texts();
        }
    }

    /// Where the system has the file at `path`.
    pub fn place(&self, path: &str) -> Option<PathBuf> {
        Some(self.root.as_deref()?.find(&normal(path)?).ok()?.1)
    }

    /// The path of a file that the system has at `place`; `None` outside of the tree.
    pub fn path_of(&self, place: &Path) -> Option<String> {
        self.root.as_deref()?.path_of(place)
    }

    /// The linted file's folder.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Whether there is anything that could be read.
    pub fn is_there(&self) -> bool {
        self.root.is_some()
    }

    /// What is learned of the whole tree, once for all files of a run; `None` where nothing may be read.
    pub fn once<T: Any + Send + Sync>(&self, learn: impl FnOnce() -> T) -> Option<Arc<T>> {
        let root = self.root.as_deref()?;
        if self.edited.is_empty() {
            root.once(learn)
        } else {
            Some(Arc::new(learn()))
        }
    }

    /// What is at `path`; `None` for nothing, and for what is outside.
    pub fn kind(&self, path: &str) -> Option<Kind> {
        let root = self.root.as_deref()?;
        Some(root.find(&normal(path)?).ok()?.0)
    }

    /// The names in the folder at `path`, sorted; none if it is no folder.
    pub fn names(&self, path: &str) -> Vec<String> {
        let listing = || self.root.as_deref()?.listing(&normal(path)?).ok();
        listing().map_or(Vec::new(), |listing| listing.keys().cloned().collect())
    }

    /// The text at `path`, of at most `largest` bytes.
    ///
    /// # Errors
    /// It may not or cannot be read.
    pub fn read(&self, path: &str, largest: u64) -> Result<String, Unread> {
        let root = self.root.as_deref().ok_or(Unread::Off)?;
        let path = normal(path).ok_or(Unread::Outside)?;
        match self.edited.get(&path) {
            Some(text) => Ok(text.clone()),
            None => root.text(&path, largest),
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
        Component::Normal(name) => Some(relative::text(Path::new(name))),
        _ => None,
    });
    names.collect::<Vec<_>>().join("/")
}

fn words_as_written(path: &Path) -> String {
    let text = relative::text(path).into_owned();
    match text.as_str() {
        "." => String::new(),
        _ => text.strip_prefix("./").unwrap_or(&text).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learned_of_a_tree_is_learned_once_a_run() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        let folders = Folders::below(&root).map(Arc::new);
        let tree = |file: &str| {
            let path = root.join(file);
            Tree::within(folders.clone(), &root, &path, Path::new(file))
        };
        let times = std::cell::Cell::new(0);
        let learn = || {
            times.set(times.get() + 1);
            times.get()
        };
        for file in ["bad/Dockerfile", "good/Dockerfile", "bad/Dockerfile"] {
            assert_eq!(tree(file).once(learn).as_deref(), Some(&1), "{file}");
        }
        // another question has an answer of its own
        assert_eq!(tree("a").once(|| "b").as_deref(), Some(&"b"));
        assert_eq!(times.get(), 1);
        assert_eq!(Tree::default().once(|| 1), None);
    }

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
                edited: Arc::default(),
            };
            assert_eq!(tree.shown(path), expected, "{linted}");
        }
    }
}
