//! Who the source of an action is: a repository, a folder by its names, a version.
use super::catalogue::without_owner;
use super::records::RECORDS;
use crate::actions::{Action, Source, normalise};
use crate::walk::content::Content;
use crate::walk::state::State;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::OnceLock;

/// Who the source of an action is.
#[derive(Default)]
pub(super) struct Who {
    pub(super) repo: Option<Checkout>,
    pub(super) subdir: String,
    /// `(directory name, the path below it)`, outermost first.
    pub(super) dirs: Vec<(String, String)>,
    pub(super) version: Option<String>,
    /// The name that the project's own files give it, normalised.
    pub(super) name: Option<String>,
}

/// `owner/name`.
pub(super) struct Checkout {
    pub(super) whole: String,
    /// Where the name starts.
    pub(super) name: usize,
}

impl Checkout {
    fn new(whole: String) -> Self {
        let name = whole.len() - without_owner(&whole).len();
        Self { whole, name }
    }

    /// All but the owner.
    pub(super) fn name(&self) -> &str {
        &self.whole[self.name..]
    }

    pub(super) fn owner(&self) -> &str {
        self.whole[..self.name].trim_end_matches('/')
    }

    /// The last part of the name.
    pub(super) fn last(&self) -> &str {
        last_part(self.name())
    }
}

impl Who {
    /// The source of an action.
    pub(super) fn of(action: &Action, state: &State) -> Self {
        let mut who = Self::default();
        match &action.source {
            Source::Repo {
                name,
                reference,
                subdir,
            } => {
                who.repo = Some(Checkout::new(name.clone()));
                who.subdir = subdir.clone();
                who.version = reference.as_deref().and_then(tag_version);
            }
            Source::Tree(path) | Source::Project(path) => who.take_place(path, state),
            Source::Archive(path) => match crate::walk::context::content_at(state, path) {
                Some(Content::Url(url)) => who.take_archive(&url),
                _ => who.take_archive(path),
            },
            Source::Index { spec, .. } => {
                who.version = crate::actions::pinned(spec).or_else(|| at_version(&spec.sketch()))
            }
            Source::Requirements(_) | Source::Wheel(_) | Source::Nothing => {}
        }
        who
    }

    /// `apex-22.4.tar.gz`
    fn take_archive(&mut self, path: &str) {
        let file = path.rsplit('/').next().unwrap_or(path);
        let stem = file
            .split(".tar")
            .next()
            .unwrap_or(file)
            .trim_end_matches(".zip");
        let (name, version) = match stem.rsplit_once('-') {
            Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => {
                (name, Some(version.to_owned()))
            }
            _ => (stem, None),
        };
        self.dirs.push((name.to_owned(), String::new()));
        self.version = version;
    }

    /// What a directory is: a checkout, or a path whose names say something.
    fn take_place(&mut self, path: &str, state: &State) {
        let mut trail = path.to_owned();
        if let Some((content, below)) = state.content(path) {
            match content {
                Content::Context(base) if !state.repository.is_empty() => {
                    let inside = format!("{base}/{below}");
                    self.subdir = inside.trim_matches('/').to_owned();
                    self.repo = own_repository(&state.repository).map(Checkout::new);
                    self.take_names(&inside);
                }
                Content::Repo {
                    name, reference, ..
                } => {
                    self.repo = Some(Checkout::new(name.to_string()));
                    self.subdir = below;
                    self.version = reference.as_deref().and_then(tag_version);
                }
                // the path in the build context says more than where it was copied to
                Content::Context(base) if !base.is_empty() || !below.is_empty() => {
                    let context = format!("{base}/{below}");
                    self.take_names(&context);
                }
                Content::Url(url) => self.take_archive(url),
                _ => {}
            }
        }
        if trail.starts_with('?') {
            trail.remove(0);
        }
        self.take_names(&trail);
    }

    /// The names in a path.
    fn take_names(&mut self, path: &str) {
        let parts: Vec<&str> = path
            .split('/')
            .filter(|p| !p.is_empty() && *p != "?")
            .collect();
        for (index, part) in parts.iter().enumerate() {
            self.dirs
                .push(((*part).to_owned(), parts[index + 1..].join("/")));
        }
    }
}

/// `@2.8.3` of cargo.
fn at_version(spec: &str) -> Option<String> {
    spec.strip_prefix('@')
        .filter(|v| v.starts_with(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
}

/// The name under which some record knows the linted file's repository: `?/name`, whoever owns it.
fn own_repository(names: &[Rc<str>]) -> Option<String> {
    let known = names.iter().find_map(|name| match name.strip_prefix("?/") {
        None => Some(name.to_string()),
        Some(name) => known_as(name).map(|repo| format!("?/{repo}")),
    });
    known.or_else(|| names.first().map(|name| name.to_string()))
}

fn last_part(repo: &str) -> &str {
    repo.rsplit('/').next().unwrap_or(repo)
}

/// The repository that a record names and that a project which calls itself so may be. A separator tells names apart, whichever
/// it is; only one run together, `FlashAttention`, or a title in words, may stand for a name that has others.
fn known_as(name: &str) -> Option<&'static str> {
    static NAMES: OnceLock<Repositories> = OnceLock::new();
    let names = NAMES.get_or_init(Repositories::of_records);
    let exact = normalise(&name.replace(' ', "-"));
    if let Some(repo) = names.exact.get(&exact) {
        return Some(repo);
    }
    if names.packages.contains(exact.as_str()) || name.contains(['-', '_', '.']) {
        return None;
    }
    names.plain.get(&plain(name)).copied()
}

/// The repositories that the records name, without their owners.
struct Repositories {
    /// By name, whatever separates its words.
    exact: HashMap<String, &'static str>,
    /// By name without what separates its words.
    plain: HashMap<String, &'static str>,
    /// Names that are a package's, too.
    packages: HashSet<&'static str>,
}

impl Repositories {
    fn of_records() -> Self {
        let matches = || RECORDS.iter().flat_map(|record| record.matches.iter());
        // the first record of several wins
        let repos = || matches().rev().filter_map(|m| Some(last_part(m.repo?.0)));
        Self {
            exact: repos().map(|repo| (normalise(repo), repo)).collect(),
            plain: repos().map(|repo| (plain(repo), repo)).collect(),
            packages: matches().filter_map(|m| Some(m.pypi?.0)).collect(),
        }
    }
}

/// A name in lower case, without what separates its words.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '_', '.', ' '], "")
}

/// `v2.7.3`, FFmpeg's `n7.1`, the branch `release/2.5` and `2.7.3` are versions, and so is the build `b7600` of llama.cpp; `main` is not.
fn tag_version(reference: &str) -> Option<String> {
    let text = reference.trim_start_matches("refs/tags/");
    let build = text.strip_prefix('b').unwrap_or_default();
    if build.len() > 2 && build.bytes().all(|b| b.is_ascii_digit()) {
        return Some(build.to_owned());
    }
    let text = text.strip_prefix("release/").unwrap_or(text);
    let text = text.strip_prefix(['v', 'V', 'n']).unwrap_or(text);
    let versioned = text.starts_with(|c: char| c.is_ascii_digit()) && text.contains('.');
    versioned.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::tag_version;

    #[test]
    fn tags_are_versions() {
        for (tag, version) in [
            ("v2.7.3", Some("2.7.3")),
            ("n7.1", Some("7.1")),
            ("release/2.5", Some("2.5")),
            ("refs/tags/1.0.2", Some("1.0.2")),
            ("main", None),
            ("nightly-2.1", None),
        ] {
            assert_eq!(tag_version(tag).as_deref(), version, "{tag}");
        }
    }
}
