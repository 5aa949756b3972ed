//! `uv.lock`: the packages that `uv sync` installs.
use super::pyproject::normal;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet};
use toml::Spanned;

/// A lock file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Lock {
    /// Its packages.
    pub package: Vec<Package>,
}

/// A package.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Package {
    /// Its name, normalised.
    pub name: Spanned<String>,
    /// Its version.
    #[serde(default)]
    pub version: String,
    /// Whence it comes.
    #[serde(default)]
    pub source: Source,
    #[serde(default)]
    dependencies: Vec<Dependency>,
    #[serde(default)]
    optional_dependencies: BTreeMap<String, Vec<Dependency>>,
    #[serde(default)]
    dev_dependencies: BTreeMap<String, Vec<Dependency>>,
    #[serde(default)]
    wheels: Vec<IgnoredAny>,
}

/// Whence a package comes: one of these.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Source {
    /// A package index.
    pub registry: Option<String>,
    /// A repository, with `?rev=…` and `#commit`.
    pub git: Option<String>,
    /// A directory that stays in use.
    pub editable: Option<String>,
    /// A directory.
    pub directory: Option<String>,
    /// An archive.
    pub url: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    #[serde(default)]
    extra: Vec<String>,
    marker: Option<String>,
}

impl Package {
    /// There is no wheel of it: it is built.
    pub fn has_no_wheel(&self) -> bool {
        self.wheels.is_empty()
    }

    /// It is the project that the lock file belongs to.
    pub fn is_root(&self) -> bool {
        [&self.source.editable, &self.source.directory]
            .iter()
            .any(|path| path.as_deref() == Some("."))
    }
}

/// What is asked for.
#[derive(Debug, Default)]
pub struct Wanted {
    /// Extras of the project.
    pub extras: Vec<String>,
    /// All of them.
    pub all_extras: bool,
    /// Dependency groups.
    pub groups: Vec<String>,
    /// Nothing but the groups.
    pub only_groups: bool,
}

/// Reads such a file.
///
/// # Errors
/// It is no TOML, or another shape: why.
pub fn read(text: &str) -> Result<Lock, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

impl Lock {
    /// The packages that are installed, in the order of the file.
    pub fn installed(
        &self,
        wanted: &Wanted,
        holds: &dyn Fn(&str) -> Option<bool>,
    ) -> Vec<&Package> {
        let mut at: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, package) in self.package.iter().enumerate() {
            at.entry(package.name.get_ref()).or_default().push(index);
        }
        let mut found = BTreeSet::new();
        let mut open: Vec<(usize, Vec<String>)> = Vec::new();
        let mut seen: BTreeSet<(usize, Vec<String>)> = BTreeSet::new();
        let mut add = |dependencies: &[Dependency], open: &mut Vec<(usize, Vec<String>)>| {
            for dependency in dependencies {
                if dependency.marker.as_deref().and_then(holds) == Some(false) {
                    continue;
                }
                for &index in at.get(&*dependency.name).into_iter().flatten() {
                    let entry = (index, dependency.extra.clone());
                    if seen.insert(entry.clone()) {
                        open.push(entry);
                    }
                }
            }
        };
        let is_asked =
            |names: &[String], name: &str| names.iter().any(|n| normal(n) == normal(name));
        for (index, root) in self.package.iter().enumerate().filter(|(_, p)| p.is_root()) {
            if !wanted.only_groups {
                found.insert(index);
                add(&root.dependencies, &mut open);
                for (name, dependencies) in &root.optional_dependencies {
                    if wanted.all_extras || is_asked(&wanted.extras, name) {
                        add(dependencies, &mut open);
                    }
                }
            }
            for (name, dependencies) in &root.dev_dependencies {
                if is_asked(&wanted.groups, name) {
                    add(dependencies, &mut open);
                }
            }
        }
        while let Some((index, extras)) = open.pop() {
            let package = &self.package[index];
            found.insert(index);
            add(&package.dependencies, &mut open);
            for (name, dependencies) in &package.optional_dependencies {
                if is_asked(&extras, name) {
                    add(dependencies, &mut open);
                }
            }
        }
        found
            .into_iter()
            .map(|index| &self.package[index])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 1
[[package]]
name = "own"
source = { editable = "." }
dependencies = [{ name = "a" }, { name = "win", marker = "sys_platform == 'win32'" }]
[package.optional-dependencies]
gpu = [{ name = "b", extra = ["x"] }]
[package.dev-dependencies]
dev = [{ name = "d" }]
[package.metadata]
requires-dist = [{ name = "a" }]
[[package]]
name = "a"
version = "1"
source = { registry = "https://h/simple" }
dependencies = [{ name = "a" }]
wheels = [{ url = "https://h/a.whl", size = 1 }]
[[package]]
name = "b"
version = "2"
source = { git = "https://h/o/b?rev=v2#0123" }
[package.optional-dependencies]
x = [{ name = "c" }]
[[package]]
name = "c"
[[package]]
name = "d"
[[package]]
name = "win"
"#;

    #[test]
    fn what_is_asked_for_is_installed() {
        let lock = read(LOCK).unwrap();
        let holds = |marker: &str| (marker == "sys_platform == 'win32'").then_some(false);
        let names = |wanted: &Wanted| {
            let installed = lock.installed(wanted, &holds);
            let names = installed
                .iter()
                .map(|package| package.name.get_ref().as_str());
            names.collect::<Vec<_>>().join(" ")
        };
        let mut wanted = Wanted::default();
        assert_eq!(names(&wanted), "own a");
        wanted.groups = vec!["Dev".to_owned()];
        assert_eq!(names(&wanted), "own a d");
        wanted.only_groups = true;
        assert_eq!(names(&wanted), "d");
        wanted = Wanted {
            extras: vec!["gpu".to_owned()],
            ..Wanted::default()
        };
        assert_eq!(names(&wanted), "own a b c");
        assert!(lock.package[2].has_no_wheel() && !lock.package[1].has_no_wheel());
        assert!(read("package = 1").is_err());
    }
}
