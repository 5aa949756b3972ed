//! The files of a repository that may build images.
use super::ignored::Ignored;
use crate::front::kind::{is_known, named};
use crate::front::makefile;
use crate::tree::{Kind, Tree};
use std::sync::Arc;

/// A folder that holds nothing of the project's own is passed over.
const SKIPPED: [&str; 7] = [
    ".git",
    "node_modules",
    "third_party",
    "thirdparty",
    "vendor",
    "external",
    "submodules",
];
/// How deep folders are searched, and how many names are looked at.
const MAX_DEPTH: usize = 6;
const MAX_NAMES: usize = 20_000;

/// The files in which images are built: CI configurations, Compose, scripts. Those next to the top come first; what git
/// ignores is no part of the repository. A run finds them once.
pub(super) struct Candidates(pub(super) Vec<String>);

impl Candidates {
    /// Those of a repository, found once in a run, also while its files are edited; `None` where nothing may be read.
    pub(super) fn of_run(tree: &Tree) -> Option<Arc<Self>> {
        let unedited = tree.unedited();
        unedited.once(|| Self::of(&unedited))
    }

    fn of(tree: &Tree) -> Self {
        let mut found = Vec::new();
        let mut folders = vec![(String::new(), Ignored::default())];
        let mut names = 0;
        for _ in 0..=MAX_DEPTH {
            let mut below = Vec::new();
            for (folder, ignored) in folders {
                let all = tree.names(&folder);
                let ignored = ignored.within(tree, &folder, &all);
                for name in all {
                    names += 1;
                    let path = if folder.is_empty() {
                        name.clone()
                    } else {
                        format!("{folder}/{name}")
                    };
                    let may_be_folder = !name.contains('.') || name.starts_with('.');
                    if is_candidate(&path, &name) {
                        if !ignored.has(&path, false) {
                            found.push(path);
                        }
                    } else if names < MAX_NAMES
                        && may_be_folder
                        && !SKIPPED.contains(&name.as_str())
                        && !ignored.has(&path, true)
                        && tree.kind(&path) == Some(Kind::Folder)
                    {
                        below.push((path, ignored.clone()));
                    }
                }
            }
            folders = below;
        }
        Self(found)
    }
}

fn is_candidate(path: &str, name: &str) -> bool {
    let is_script = name.ends_with(".sh") || name.ends_with(".bash") || makefile::is_makefile(name);
    let is_dockerfile =
        named("dockerfile").is_some_and(|kind| (kind.is_at)(&path.to_ascii_lowercase()));
    is_script || (!is_dockerfile && is_known(path))
}
