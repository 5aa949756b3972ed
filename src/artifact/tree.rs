//! The files of a tar archive as the file system that they unpack to.
use super::summary;
use crate::facts::{Artifact, ArtifactProblem};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// JSON texts kept of one archive, in bytes.
const TEXTS: usize = 32 << 20;

/// The files of an archive, as far as they matter.
#[derive(Default)]
pub(super) struct Tree {
    /// In the order of the archive.
    pub(super) entries: Vec<Entry>,
    /// Every other path, by hash: what it is, so that it can hide a file of a lower layer.
    pub(super) others: HashMap<u64, Other>,
    /// Members that may be layers of an image.
    pub(super) layers: HashMap<String, Tree>,
    /// Members that may describe an image.
    pub(super) texts: HashMap<String, Vec<u8>>,
    /// Symbolic links between layers, as old versions of Docker write them.
    pub(super) links: HashMap<String, String>,
    /// What could not be read.
    pub(super) errors: Vec<ArtifactProblem>,
    hasher: RandomState,
}

/// A path of an archive with something to say.
pub(super) enum Entry {
    /// A file with device code or errors.
    File(String, Vec<Artifact>),
    /// A hard link.
    Link(String, String),
    /// A file or folder of a lower layer that is gone.
    Whiteout(String),
    /// A folder that hides what lower layers have in it.
    Opaque(String),
}

/// What a path without device code is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Other {
    Folder,
    File,
}

/// What one member turned out to be.
pub(super) enum Inside {
    Files(Vec<Artifact>),
    Layer(Box<Tree>),
    Text(Vec<u8>),
}

impl Tree {
    /// What is known of a path that has no entry.
    pub(super) fn other(&self, path: &str) -> Option<Other> {
        self.others.get(&self.hasher.hash_one(path)).copied()
    }

    /// Adds an error at an offset of the archive.
    pub(super) fn fail(&mut self, at: u64, message: impl Into<String>) {
        if self.errors.len() < 100 {
            self.errors.push(ArtifactProblem::at(at, message));
        }
    }

    /// Notes a path that has nothing to say.
    pub(super) fn put_other(&mut self, path: &str, other: Other) {
        let hash = self.hasher.hash_one(path);
        self.others.insert(hash, other);
    }

    /// Adds what a member turned out to be.
    pub(super) fn put(&mut self, path: String, read: Inside) {
        match read {
            Inside::Files(found) => {
                let found: Vec<Artifact> = found
                    .into_iter()
                    .filter(|artifact| !summary::is_silent(artifact))
                    .collect();
                self.put_other(&path, Other::File);
                if !found.is_empty() {
                    self.entries.push(Entry::File(path, found));
                }
            }
            Inside::Layer(tree) => {
                self.layers.insert(path, *tree);
            }
            Inside::Text(text) => {
                let held: usize = self.texts.values().map(Vec::len).sum();
                if held + text.len() <= TEXTS {
                    self.texts.insert(path, text);
                }
            }
        }
    }
}
