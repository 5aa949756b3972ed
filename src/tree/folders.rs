//! The folders below a root, each listed once: most files that are asked for are not there, and the listing of their folder
//! tells so without asking the system again. Small files are read once: every workflow leads to the same few.
use super::{Kind, Unread};
use crate::read::{self, ReadError};
use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A folder with all below it, as it was when it was first looked at.
#[derive(Debug)]
pub struct Folders {
    /// Absolute and without links.
    root: PathBuf,
    listed: Mutex<HashMap<String, Result<Arc<Listing>, Unread>>>,
    texts: Mutex<Texts>,
    learned: Mutex<HashMap<TypeId, Arc<Learned>>>,
}

/// What is learned of the whole, by who asks first; the others wait.
type Learned = OnceLock<Arc<dyn Any + Send + Sync>>;

/// The texts of small files, by path.
#[derive(Debug, Default)]
struct Texts {
    by_path: HashMap<String, Arc<str>>,
    bytes: usize,
}

/// A text that is kept has at most this many bytes, and all together have so many.
const SMALL: usize = 32 << 10;
const MOST_KEPT: usize = 4 << 20;

/// The names in a folder.
pub(super) type Listing = BTreeMap<String, Entry>;

/// What has a name, before links are followed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    /// A file or folder.
    Kind(Kind),
    /// A link to whatever.
    Link,
}

impl Folders {
    /// Those below the folder at `root`; `None` if it is not there.
    pub fn below(root: &Path) -> Option<Self> {
        Some(Self {
            root: root.canonicalize().ok()?,
            listed: Mutex::default(),
            texts: Mutex::default(),
            learned: Mutex::default(),
        })
    }

    /// What is learned of the whole: each type of answer once.
    pub(super) fn once<T: Any + Send + Sync>(&self, learn: impl FnOnce() -> T) -> Option<Arc<T>> {
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = learned.entry(TypeId::of::<T>()).or_default().clone();
        drop(learned);
        let answer = answer.get_or_init(|| Arc::new(learn()));
        answer.clone().downcast().ok()
    }

    /// Files were written: their texts are read again, and what was learned of the whole is learned again.
    pub(super) fn forget_texts(&self) {
        self.learned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        *self.texts.lock().unwrap_or_else(PoisonError::into_inner) = Texts::default();
    }

    /// The path of a file at an absolute place below the root.
    pub(super) fn path_of(&self, place: &Path) -> Option<String> {
        let below = place.strip_prefix(&self.root).ok()?;
        Some(super::words(below))
    }

    /// What is at a path without `.` and `..`, links followed, and where it is; never outside.
    pub(super) fn find(&self, path: &str) -> Result<(Kind, PathBuf), Unread> {
        if path.is_empty() {
            return Ok((Kind::Folder, self.root.clone()));
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        match self.listing(folder)?.get(name) {
            None => Err(ReadError::Missing.into()),
            Some(Entry::Kind(kind)) => Ok((*kind, self.root.join(path))),
            Some(Entry::Link) => self.follow(path),
        }
    }

    /// The text of the file at a path without `.` and `..`, of at most `largest` bytes.
    pub(super) fn text(&self, path: &str, largest: u64) -> Result<String, Unread> {
        let known = || self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = known().by_path.get(path).cloned();
        if let Some(text) = kept.filter(|text| text.len() as u64 <= largest) {
            return Ok(text.to_string());
        }
        let (_, place) = self.find(path)?;
        let text = read::file(&place, largest)?;
        known().keep(path, &text);
        Ok(text)
    }

    /// What lies in the folder at a path.
    pub(super) fn listing(&self, folder: &str) -> Result<Arc<Listing>, Unread> {
        let known = || self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = known().get(folder) {
            return listing.clone();
        }
        let listing = self.list(folder).map(Arc::new);
        known().insert(folder.to_owned(), listing.clone());
        listing
    }

    fn list(&self, folder: &str) -> Result<Listing, Unread> {
        let (kind, path) = self.find(folder)?;
        if kind == Kind::File {
            return Err(ReadError::Missing.into());
        }
        let entries = fs::read_dir(path).map_err(ReadError::from)?;
        Ok(entries.flatten().filter_map(named).collect())
    }

    fn follow(&self, path: &str) -> Result<(Kind, PathBuf), Unread> {
        let whole = self.root.join(path);
        let found = whole.canonicalize().map_err(ReadError::from)?;
        if !found.starts_with(&self.root) {
            return Err(Unread::Outside);
        }
        let kind = found.metadata().map_err(ReadError::from)?;
        Ok((Kind::of(kind.is_dir()), found))
    }
}

impl Texts {
    fn keep(&mut self, path: &str, text: &str) {
        if text.len() <= SMALL && self.bytes + text.len() <= MOST_KEPT {
            self.bytes += text.len();
            self.by_path.insert(path.to_owned(), text.into());
        }
    }
}

/// An entry with its name; `None` for a name that no text can hold.
fn named(entry: DirEntry) -> Option<(String, Entry)> {
    let kind = entry.file_type().ok()?;
    let entry_kind = if kind.is_symlink() {
        Entry::Link
    } else {
        Entry::Kind(Kind::of(kind.is_dir()))
    };
    Some((entry.file_name().into_string().ok()?, entry_kind))
}
