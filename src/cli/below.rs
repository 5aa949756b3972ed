//! The files of a folder that are worth linting.
use crate::front::kind::is_known;
use crate::relative;
use ignore::{WalkBuilder, WalkState};
use std::path::{Path, PathBuf};
use std::sync::mpsc;

/// The files below `folder` whose place tells that they may be of a known kind, in the order of their paths. What git ignores
/// is left out.
pub(super) fn below(folder: &Path) -> Vec<PathBuf> {
    let (sender, receiver) = mpsc::channel();
    let walk = WalkBuilder::new(folder)
        .hidden(false)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build_parallel();
    walk.run(|| {
        let sender = sender.clone();
        Box::new(move |entry| {
            // what cannot be listed cannot be known to matter
            let Ok(entry) = entry else {
                return WalkState::Continue;
            };
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if is_file && is_known(&relative::text(entry.path())) {
                let path = entry.into_path();
                let path = path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
                if sender.send(path).is_err() {
                    return WalkState::Quit;
                }
            }
            WalkState::Continue
        })
    });
    drop(sender);
    let mut paths: Vec<PathBuf> = receiver.into_iter().collect();
    paths.sort();
    paths
}
