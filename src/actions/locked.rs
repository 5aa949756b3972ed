//! `poetry install` and `pdm install` with a lock file: what they build from source, and torch.
use super::args::{Arg, Argv};
use super::verb::Verb;
use super::{Action, Did, Source, Surroundings, Text, brought, named, project};
use crate::paths::join;
use crate::text::lock::{self, Lock, Package};
use crate::text::pyproject::{Pyproject, inside, normal};
use crate::value::Value;

/// What the command line asks for.
#[derive(Default)]
struct Asked {
    extras: Vec<String>,
    all_extras: bool,
    with: Vec<String>,
    without: Vec<String>,
    /// Nothing but these.
    only: Vec<String>,
    no_dev: bool,
    no_default: bool,
    no_root: bool,
}

/// The project of a directory of the image as its lock file has it; `None` where there is none that can be read.
pub(super) fn install(tool: &str, argv: &Argv<'_>, around: &Surroundings<'_>) -> Option<Vec<Did>> {
    let dir = &(around.resolve)(".");
    let path = join(dir, &format!("{tool}.lock"));
    let text = (around.open_if_there)(&path)?;
    let lock = match lock::read(&text.text) {
        Ok(lock) => lock,
        Err(why) => {
            (around.note)(format!("{path} is not understood: {why}"));
            return None;
        }
    };
    let own = project::open(dir, around).map(|(project, _)| project);
    let asked = asked(argv);
    let in_group = |group: &str| asked.takes(group, own.as_ref());
    let extra = |name: &str| {
        asked.all_extras
            || asked
                .extras
                .iter()
                .any(|extra| normal(extra) == normal(name))
    };
    let mut did = Vec::new();
    for package in lock.installed(&in_group, &extra) {
        did.extend(installed(package, &lock, &text, tool, dir));
    }
    if !asked.no_root && asked.only.is_empty() {
        let mut action = Action::new(Verb::Source, tool, Source::Project(dir.to_owned()));
        action.isolated = true;
        action.defines = super::cmake::defines_of_environment(around, &[]);
        did.push(Did::Action(action));
    }
    Some(did)
}

fn asked(argv: &Argv<'_>) -> Asked {
    let args = argv.tail(2).parse(|name| {
        matches!(
            name,
            "E" | "extras"
                | "with"
                | "without"
                | "only"
                | "G"
                | "group"
                | "C"
                | "directory"
                | "P"
                | "project"
                | "p"
                | "L"
                | "lockfile"
        )
    });
    let mut asked = Asked::default();
    for arg in args {
        let Arg::Option(name, value) = arg else {
            continue;
        };
        let value = value.map(|value| value.sketch()).unwrap_or_default();
        let list = value
            .split([',', ' '])
            .filter(|part| !part.is_empty())
            .map(str::to_owned);
        match name.as_str() {
            "E" | "extras" => asked.extras.extend(list),
            "all-extras" => asked.all_extras = true,
            "with" | "G" | "group" => asked.with.extend(list),
            "without" => asked.without.extend(list),
            "only" => asked.only.extend(list),
            "no-dev" | "prod" | "production" => asked.no_dev = true,
            "no-default" => asked.no_default = true,
            "no-root" | "no-self" => asked.no_root = true,
            _ => {}
        }
    }
    asked
}

impl Asked {
    /// Whether packages of a group are installed.
    fn takes(&self, group: &str, project: Option<&Pyproject>) -> bool {
        let named = |names: &[String]| names.iter().any(|name| normal(name) == normal(group));
        if !self.only.is_empty() {
            return named(&self.only);
        }
        if named(&self.with) || self.with.iter().any(|name| name == ":all") {
            return true;
        }
        match group {
            "main" | "default" => !self.no_default,
            _ if named(&self.without) || self.no_dev => false,
            "dev" => true,
            _ => project.is_some_and(|project| is_default(group, project)),
        }
    }
}

/// Whether a group is installed unless something is said: those of Poetry that are not optional, those of PDM for development.
fn is_default(group: &str, project: &Pyproject) -> bool {
    let of = |tool: &Option<toml::Value>, key: &str| {
        let groups = tool.as_ref().and_then(|tool| tool.get(key))?;
        groups.get(group).cloned()
    };
    let poetry = of(&project.tool.poetry, "group");
    let optional = poetry
        .as_ref()
        .and_then(|group| group.get("optional")?.as_bool());
    poetry.is_some() && optional != Some(true)
        || of(&project.tool.pdm, "dev-dependencies").is_some()
        || project.dependency_groups.contains_key(group)
}

/// What becomes of a package: one without a wheel is built.
fn installed(
    package: &Package,
    lock: &Lock,
    text: &Text<'_>,
    tool: &str,
    dir: &str,
) -> Option<Did> {
    let site = text.value(inside(&package.name)).site();
    let git = package.git.clone().or_else(|| {
        let own = (package.source.kind == "git").then_some(&package.source.url);
        own.cloned()
    });
    let folder = package.path.clone().or_else(|| {
        let own = (package.source.kind == "directory").then_some(&package.source.url);
        own.cloned()
    });
    let (verb, source) = if let Some(address) = git {
        let (name, _) = named::repository(&address);
        let commit = package
            .revision
            .as_ref()
            .or(package.source.resolved_reference.as_ref());
        let subdir = package
            .subdirectory
            .as_ref()
            .or(package.source.subdirectory.as_ref());
        let source = Source::Repo {
            name,
            reference: commit.cloned(),
            subdir: subdir.cloned().unwrap_or_default(),
        };
        (Verb::Source, source)
    } else if let Some(folder) = folder {
        (Verb::Source, Source::Tree(join(dir, &folder)))
    } else if package.url.is_some() || matches!(&*package.source.kind, "url" | "file") {
        return None;
    } else {
        let source = Source::Index {
            name: named::normalise(package.name.get_ref()),
            spec: Value::literal(&format!("=={}", package.version), site),
        };
        if !lock.has_no_wheel(package) {
            return brought::brought_by(&source).map(Did::Effect);
        }
        (Verb::Index, source)
    };
    let mut action = Action::new(verb, tool, source);
    action.no_binary = verb == Verb::Index;
    action.isolated = true;
    action.at = site;
    Some(Did::Action(action))
}
