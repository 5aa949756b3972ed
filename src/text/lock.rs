//! `poetry.lock` and `pdm.lock`: the packages that `poetry install` and `pdm install` install. Both list packages with their
//! files and groups; each names sources in its own way.
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use toml::{Spanned, Value};

/// A lock file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Lock {
    /// Its packages.
    pub package: Vec<Package>,
    /// What extras of the project name, in a `poetry.lock`.
    pub extras: BTreeMap<String, Vec<String>>,
    metadata: Metadata,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    /// The files of packages, in older ones.
    files: Option<Value>,
}

/// A package.
#[derive(Debug, Deserialize)]
pub struct Package {
    /// Its name.
    pub name: Spanned<String>,
    /// Its version.
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    category: Option<String>,
    #[serde(default)]
    groups: Option<Vec<String>>,
    #[serde(default)]
    files: Vec<Value>,
    #[serde(default)]
    dependencies: Option<Value>,
    /// Poetry's source.
    #[serde(default)]
    pub source: Source,
    /// PDM's: a repository.
    #[serde(default)]
    pub git: Option<String>,
    /// Its commit.
    #[serde(default)]
    pub revision: Option<String>,
    /// A folder.
    #[serde(default)]
    pub path: Option<String>,
    /// An archive.
    #[serde(default)]
    pub url: Option<String>,
    /// A folder in the repository.
    #[serde(default)]
    pub subdirectory: Option<String>,
}

/// Whence a package comes, in a `poetry.lock`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Source {
    /// `git`, `directory`, `url`, `file`, `legacy`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its address.
    pub url: String,
    /// The commit.
    pub resolved_reference: Option<String>,
    /// A folder in the repository.
    pub subdirectory: Option<String>,
}

/// Reads such a file.
///
/// # Errors
/// It is no TOML, or another shape: why.
pub fn read(text: &str) -> Result<Lock, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

impl Package {
    /// The groups that it is in.
    pub fn groups(&self) -> Vec<&str> {
        match (&self.groups, &self.category) {
            (Some(groups), _) => groups.iter().map(String::as_str).collect(),
            (None, Some(category)) => vec![category],
            (None, None) => vec!["main", "default"],
        }
    }

    /// The packages that it needs.
    fn needs(&self) -> Vec<&str> {
        match &self.dependencies {
            Some(Value::Table(table)) => table.keys().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

impl Lock {
    /// Whether there is no wheel of a package: it is built.
    pub fn has_no_wheel(&self, package: &Package) -> bool {
        let name = package.name.get_ref();
        let older = self
            .metadata
            .files
            .as_ref()
            .and_then(|files| files.get(name));
        let older = older.and_then(Value::as_array).into_iter().flatten();
        let mut names = package.files.iter().chain(older).filter_map(|file| {
            let named = file.get("file").or_else(|| file.get("url"));
            named.and_then(Value::as_str)
        });
        !names.any(|name| {
            name.split(['#', '?'])
                .next()
                .is_some_and(|n| n.ends_with(".whl"))
        })
    }

    /// The packages in wanted groups, in the order of the file; those that are optional if an extra that is asked for leads to
    /// them.
    pub fn installed(
        &self,
        in_group: &dyn Fn(&str) -> bool,
        extras: &dyn Fn(&str) -> bool,
    ) -> Vec<&Package> {
        let mut led_to: BTreeSet<&str> = BTreeSet::new();
        let asked = self.extras.iter().filter(|(name, _)| extras(name));
        let mut open: Vec<&str> = asked
            .flat_map(|(_, names)| names)
            .map(|n| name_of(n))
            .collect();
        while let Some(name) = open.pop() {
            if led_to.insert(name) {
                let own = self
                    .package
                    .iter()
                    .filter(|package| package.name.get_ref() == name);
                open.extend(own.flat_map(Package::needs));
            }
        }
        let wanted = self.package.iter().filter(|package| {
            let named = led_to.contains(package.name.get_ref().as_str());
            named || (!package.optional && package.groups().iter().any(|group| in_group(group)))
        });
        wanted.collect()
    }
}

/// `name (>=1)` without what follows the name.
fn name_of(text: &str) -> &str {
    text.split([' ', '(', '[', '>', '=', '<', '~', '!', ';'])
        .next()
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_installed() {
        let text = r#"
[[package]]
name = "a"
version = "1"
optional = false
groups = ["main", "dev"]
files = [{file = "a-1.tar.gz", hash = "x"}, {file = "a-1-py3-none-any.whl", hash = "y"}]
[[package]]
name = "b"
version = "2"
optional = true
files = [{file = "b-2.tar.gz", hash = "x"}]
[package.dependencies]
c = ">=1"
[[package]]
name = "c"
version = "3"
optional = true
category = "main"
[[package]]
name = "d"
version = "4"
optional = false
category = "dev"
[extras]
gpu = ["b (>=2)"]
[metadata.files]
d = [{file = "d-4.whl", hash = "x"}]
"#;
        let lock = read(text).unwrap();
        let names = |group: &str, extra: &str| {
            let found = lock.installed(&|g| g == group, &|e| e == extra);
            let names = found.iter().map(|p| p.name.get_ref().as_str());
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("main", ""), "a");
        assert_eq!(names("main", "gpu"), "a b c");
        assert_eq!(names("dev", ""), "a d");
        let built: Vec<bool> = lock.package.iter().map(|p| lock.has_no_wheel(p)).collect();
        assert_eq!(built, [false, true, true, false]);
        assert!(read("package = 1").is_err());
    }
}
