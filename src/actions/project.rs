//! What a Python project's own files say that it depends on.
use super::args::{Arg, Argv};
use super::named::{self, normalise};
use super::requirements::Wanted;
use super::verb::Verb;
use super::{Action, Did, Source, Surroundings, Text};
use super::{brought, pip};
use crate::paths::join;
use crate::span::Span;
use crate::text::marker;
use crate::text::pyproject::{self, Pyproject, inside, normal};
use crate::text::uv_lock::{self, Lock, Package};
use crate::value::{Site, Value};

/// The dependencies of the project in a directory of the image, with those of some extras; and the files that list more.
pub(super) fn dependencies(
    dir: &str,
    extras: &[String],
    around: &Surroundings<'_>,
) -> (Vec<Wanted>, Vec<String>) {
    let Some((project, text)) = open(dir, around) else {
        return Default::default();
    };
    let optional = project.project.optional_dependencies.iter();
    let optional = optional.filter(|(name, _)| extras.iter().any(|e| normal(e) == normal(name)));
    let listed = project.project.dependencies.iter();
    let spans = listed
        .chain(optional.flat_map(|(_, listed)| listed))
        .map(inside);
    let wanted = spans.filter_map(|span| wanted(&text, span)).collect();
    let files = project.dependency_files().into_iter();
    (wanted, files.map(|file| join(dir, &file)).collect())
}

pub(super) fn open<'s>(dir: &str, around: &Surroundings<'s>) -> Option<(Pyproject, Text<'s>)> {
    let path = join(dir, "pyproject.toml");
    let text = (around.open_if_there)(&path)?;
    match pyproject::read(&text.text) {
        Ok(project) => Some((project, text)),
        Err(why) => {
            (around.note)(format!("{path} is not understood: {why}"));
            None
        }
    }
}

/// A requirement with its marker.
fn wanted(text: &Text<'_>, span: Span) -> Option<Wanted> {
    let all = text.text.get(span.range())?;
    let cut = if all.contains("://") {
        all.find(" ;")
    } else {
        all.find(';')
    };
    let end = span.start as usize + cut.unwrap_or(all.len());
    let holds = cut.map_or(Some(true), |cut| {
        let marker = all[cut..].trim_start_matches([' ', ';']);
        marker::holds(marker, &super::requirements::environment)
    });
    let value = text.value(Span::new(span.start as usize, end));
    (holds != Some(false)).then(|| Wanted {
        at: value.site(),
        value,
        unsure: holds.is_none(),
    })
}

/// What the command line of `uv sync` says.
struct Sync {
    wanted: uv_lock::Wanted,
    without: Vec<String>,
    isolated: bool,
    not_isolated: Vec<String>,
    no_binary: Vec<String>,
    project: bool,
}

impl Sync {
    /// Whether a package is built in an environment of its own.
    fn isolates(&self, name: &str) -> bool {
        let listed = self.not_isolated.iter().any(|of| normalise(of) == name);
        self.isolated && !listed
    }
}

/// `uv sync` of a project whose files are known: what it builds from source, and torch. `None` where nothing is known of it.
pub(super) fn sync(argv: &Argv<'_>, around: &Surroundings<'_>) -> Option<Vec<Did>> {
    let mut words = argv.texts().iter();
    let named = words.find(|word| matches!(word.as_str(), "--project" | "--directory"));
    let dir = named.and_then(|_| words.next()).map_or(".", String::as_str);
    let dir = &(around.resolve)(dir);
    let (project, text) = open(dir, around)?;
    let asked = asked(argv, &project);
    let path = join(dir, "uv.lock");
    let Some(locked) = (around.open_if_there)(&path) else {
        return Some(unlocked(&project, &text, &asked, dir, around));
    };
    match uv_lock::read(&locked.text) {
        Ok(lock) => Some(of_lock(&lock, &locked, &asked, dir, around)),
        Err(why) => {
            (around.note)(format!("{path} is not understood: {why}"));
            Some(unlocked(&project, &text, &asked, dir, around))
        }
    }
}

fn asked(argv: &Argv<'_>, project: &Pyproject) -> Sync {
    let args = argv.tail(2).parse(|name| {
        matches!(
            name,
            "extra"
                | "group"
                | "only-group"
                | "no-group"
                | "no-install-package"
                | "package"
                | "no-build-isolation-package"
                | "no-binary-package"
                | "python"
                | "p"
                | "link-mode"
                | "project"
                | "directory"
                | "index"
                | "default-index"
                | "extra-index-url"
                | "index-url"
                | "no-extra"
                | "index-strategy"
                | "find-links"
                | "f"
                | "cache-dir"
                | "config-setting"
                | "C"
                | "resolution"
                | "prerelease"
                | "exclude-newer"
        )
    });
    let uv = &project.tool.uv;
    let mut sync = Sync {
        wanted: uv_lock::Wanted::default(),
        without: Vec::new(),
        isolated: !uv.no_build_isolation,
        not_isolated: uv.no_build_isolation_package.clone(),
        no_binary: uv.no_binary_package.clone(),
        project: true,
    };
    let mut groups = project.default_groups();
    for arg in args {
        let Arg::Option(name, value) = arg else {
            continue;
        };
        let value = value.map(|value| value.sketch()).unwrap_or_default();
        match name.as_str() {
            "extra" => sync.wanted.extras.push(value),
            "all-extras" => sync.wanted.all_extras = true,
            "group" => groups.push(value),
            "all-groups" => groups.extend(project.dependency_groups.keys().cloned()),
            "only-group" | "only-dev" => {
                let group = if value.is_empty() {
                    "dev".to_owned()
                } else {
                    value
                };
                if !std::mem::replace(&mut sync.wanted.only_groups, true) {
                    groups.clear();
                }
                groups.push(group);
            }
            "no-group" => groups.retain(|group| normal(group) != normal(&value)),
            "no-dev" => groups.retain(|group| group != "dev"),
            "no-default-groups" => {
                let defaults = project.default_groups();
                groups.retain(|group| !defaults.contains(group));
            }
            "no-install-package" => sync.without.push(normalise(&value)),
            "no-install-project" | "no-install-workspace" => sync.project = false,
            "no-build-isolation" => sync.isolated = false,
            "no-build-isolation-package" => sync.not_isolated.push(value),
            "no-binary-package" => sync.no_binary.push(value),
            _ => {}
        }
    }
    sync.wanted.groups = groups;
    sync
}

/// Without a lock file: what the project names, and itself.
fn unlocked(
    project: &Pyproject,
    text: &Text<'_>,
    asked: &Sync,
    dir: &str,
    around: &Surroundings<'_>,
) -> Vec<Did> {
    let mut spans: Vec<Span> = Vec::new();
    if !asked.wanted.only_groups {
        spans.extend(project.project.dependencies.iter().map(inside));
        for (name, listed) in &project.project.optional_dependencies {
            let is_asked = asked
                .wanted
                .extras
                .iter()
                .any(|e| normal(e) == normal(name));
            if is_asked || asked.wanted.all_extras {
                spans.extend(listed.iter().map(inside));
            }
        }
    }
    for group in &asked.wanted.groups {
        spans.extend(project.group(group));
    }
    let mut did = Vec::new();
    for wanted in spans.into_iter().filter_map(|span| wanted(text, span)) {
        for mut one in pip::installed(&wanted, "uv", around) {
            if let Did::Action(action) = &mut one
                && let Source::Index { name, .. } = action.source.clone()
            {
                let mut sources = project.tool.uv.sources.iter();
                let source = sources.find(|(of, _)| normalise(of) == name);
                if let Some(repo) = source.and_then(|(_, source)| repository(source)) {
                    action.source = repo;
                    action.verb = Verb::Source;
                }
                action.no_binary |= asked.no_binary.iter().any(|of| normalise(of) == name);
                action.isolated &= asked.isolates(&name);
            }
            did.push(one);
        }
    }
    did.extend(own(asked, dir, around));
    did
}

/// `{ git = "…", rev = "…" }`, or the first of several.
fn repository(source: &toml::Value) -> Option<Source> {
    let source = source.as_array().map_or(Some(source), |all| all.first())?;
    let of = |key: &str| source.get(key).and_then(toml::Value::as_str);
    let (name, _) = named::repository(of("git")?);
    let reference = of("tag").or_else(|| of("rev")).or_else(|| of("branch"));
    Some(Source::Repo {
        name,
        reference: reference.map(str::to_owned),
        subdir: of("subdirectory").unwrap_or_default().to_owned(),
    })
}

/// With a lock file: what has no wheel is built.
fn of_lock(
    lock: &Lock,
    text: &Text<'_>,
    asked: &Sync,
    dir: &str,
    around: &Surroundings<'_>,
) -> Vec<Did> {
    let holds = |text: &str| marker::holds(text, &super::requirements::environment);
    let mut did = Vec::new();
    for package in lock.installed(&asked.wanted, &holds) {
        let name = package.name.get_ref();
        if asked.without.iter().any(|without| without == name) || package.is_root() {
            continue;
        }
        let forced = asked.no_binary.iter().any(|of| normalise(of) == *name);
        let Some(source) = source_of(package, text, dir) else {
            continue;
        };
        let indexed = matches!(source, Source::Index { .. });
        if indexed && !forced && !package.has_no_wheel() {
            did.extend(brought::brought_by(&source).map(Did::Effect));
            continue;
        }
        let verb = if indexed { Verb::Index } else { Verb::Source };
        let mut action = Action::new(verb, "uv", source);
        action.no_binary = indexed;
        action.isolated = asked.isolates(name);
        action.at = place(package, text);
        did.push(Did::Action(action));
    }
    did.extend(own(asked, dir, around));
    did
}

fn place(package: &Package, text: &Text<'_>) -> Option<Site> {
    text.value(inside(&package.name)).site()
}

fn source_of(package: &Package, text: &Text<'_>, dir: &str) -> Option<Source> {
    let source = &package.source;
    let path = source.editable.as_ref().or(source.directory.as_ref());
    if let Some(path) = path {
        return Some(Source::Tree(join(dir, path)));
    }
    if let Some(address) = &source.git {
        let (address, commit) = address.split_once('#').unwrap_or((address, ""));
        let (address, query) = address.split_once('?').unwrap_or((address, ""));
        let of = |key: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value.to_owned())
        };
        let (name, _) = named::repository(address);
        return Some(Source::Repo {
            name,
            reference: of("tag").or_else(|| of("rev")).or(Some(commit.to_owned())),
            subdir: of("subdirectory").unwrap_or_default().replace("%2F", "/"),
        });
    }
    source.registry.as_ref()?;
    let site = place(package, text);
    Some(Source::Index {
        name: package.name.get_ref().clone(),
        spec: Value::literal(&format!("=={}", package.version), site),
    })
}

/// The project itself.
fn own(asked: &Sync, dir: &str, around: &Surroundings<'_>) -> Option<Did> {
    if !asked.project || asked.wanted.only_groups {
        return None;
    }
    let mut action = Action::new(Verb::Source, "uv", Source::Project(dir.to_owned()));
    action.isolated = asked.isolated;
    action.defines = super::cmake::defines_of_environment(around, &[]);
    Some(Did::Action(action))
}
