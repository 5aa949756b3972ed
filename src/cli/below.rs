//! The files of a folder that are worth linting.
use crate::front::kind::{is_known, is_of_service};
use crate::relative;
use ignore::{WalkBuilder, WalkState};
use std::path::{Path, PathBuf};
use std::sync::mpsc;

/// Folders in which services find what they run, at the top of a repository.
const OF_SERVICES: [&str; 5] = [
    ".github/workflows",
    ".gitea/workflows",
    ".forgejo/workflows",
    ".circleci",
    ".buildkite",
];

/// The files below `folder` whose place tells that they may be of a known kind, in the order of their paths. What git ignores
/// is left out, but for what services run: that is in the repository, or it would do nothing. What no service runs, since it came
/// with another project, is left out, too.
pub(super) fn below(folder: &Path) -> Vec<PathBuf> {
    let (sender, receiver) = mpsc::channel();
    let is_repository = folder.join(".git").exists();
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
            let is_ours = !is_repository || !is_of_another_project(entry.path(), folder);
            if is_file && is_known(&relative::text(entry.path())) && is_ours {
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
    paths.extend(of_services(folder));
    paths.sort();
    paths.dedup();
    paths
}

/// The configuration that services run, where they look for it.
fn of_services(folder: &Path) -> Vec<PathBuf> {
    let inside = OF_SERVICES.iter().map(|inside| folder.join(inside));
    let files = [folder.to_owned()]
        .into_iter()
        .chain(inside)
        .flat_map(|place| {
            let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        });
    let paths = files.map(|entry| entry.path());
    let run = paths.filter(|path| is_of_service(&relative::text(path)));
    run.map(|path| path.strip_prefix(".").map(Path::to_owned).unwrap_or(path))
        .collect()
}

/// Whether a service would run the file, were it not in a folder of the repository that is none of its own.
fn is_of_another_project(path: &Path, repository: &Path) -> bool {
    let path = relative::text(path.strip_prefix(repository).unwrap_or(path));
    let (above, own) = OF_SERVICES
        .iter()
        .find_map(|place| path.split_once(&format!("/{place}/")))
        .unwrap_or_default();
    !own.is_empty() && !repository.join(above).join(".git").exists()
}
