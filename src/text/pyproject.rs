//! `pyproject.toml`: who builds a Python project, with what, and what it depends on.
use crate::span::Span;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Spanned, Value};

/// A project.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Pyproject {
    /// `[build-system]`.
    pub build_system: BuildSystem,
    /// `[project]`.
    pub project: Project,
    /// `[dependency-groups]`: requirements, or `{include-group = "…"}`.
    pub dependency_groups: BTreeMap<String, Vec<Spanned<Value>>>,
    /// `[tool]`.
    pub tool: Tool,
}

/// `[build-system]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct BuildSystem {
    /// The module that builds the project.
    pub build_backend: Option<String>,
    /// Where that lies in the project itself.
    pub backend_path: Option<Value>,
}

/// `[project]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Project {
    /// What it is called.
    pub name: Option<String>,
    /// What it needs.
    pub dependencies: Vec<Spanned<String>>,
    /// What its extras need.
    pub optional_dependencies: BTreeMap<String, Vec<Spanned<String>>>,
}

/// `[tool]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Tool {
    /// `[tool.uv]`.
    pub uv: Uv,
    /// `[tool.setuptools]`.
    pub setuptools: Setuptools,
    /// `[tool.scikit-build]`.
    #[serde(rename = "scikit-build")]
    pub scikit_build: ScikitBuild,
    /// `[tool.poetry]`.
    pub poetry: Option<Value>,
    /// `[tool.pdm]`.
    pub pdm: Option<Value>,
    /// `[tool.hatch]`.
    pub hatch: Option<Value>,
}

/// `[tool.scikit-build]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ScikitBuild {
    /// `[tool.scikit-build.cmake]`.
    pub cmake: Cmake,
}

/// `[tool.scikit-build.cmake]`: what goes to CMake.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Cmake {
    /// The folder of `CMakeLists.txt`.
    pub source_dir: Option<String>,
    /// Words of its command line.
    pub args: Vec<Spanned<String>>,
    /// Its defines.
    pub define: BTreeMap<String, Spanned<Value>>,
}

/// `[tool.uv]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Uv {
    /// Groups that are installed unless the command says otherwise: a list, or `"all"`.
    pub default_groups: Option<Value>,
    /// No package is built in an environment of its own.
    pub no_build_isolation: bool,
    /// Those that are not.
    pub no_build_isolation_package: Vec<String>,
    /// Those of which no wheel is taken.
    pub no_binary_package: Vec<String>,
    /// Where packages come from, other than the index.
    pub sources: BTreeMap<String, Value>,
}

/// `[tool.setuptools]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Setuptools {
    /// Extensions.
    pub ext_modules: Option<Value>,
    /// `[tool.setuptools.dynamic]`.
    pub dynamic: Dynamic,
}

/// `[tool.setuptools.dynamic]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Dynamic {
    /// `dependencies = {file = ["requirements.txt"]}`.
    pub dependencies: Option<Value>,
}

/// Reads such a file.
///
/// # Errors
/// It is no TOML, or another shape: why.
pub fn read(text: &str) -> Result<Pyproject, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

/// The bytes of a string without its quotes.
pub fn inside<T>(text: &Spanned<T>) -> Span {
    let range = text.span();
    Span::new(range.start + 1, range.end.saturating_sub(1))
}

impl Pyproject {
    /// What the project is called.
    pub fn name(&self) -> Option<&str> {
        let of_poetry = || self.tool.poetry.as_ref()?.get("name")?.as_str();
        self.project.name.as_deref().or_else(of_poetry)
    }

    /// Whether code of the project itself runs when it is built, or compiles something.
    pub fn has_own_code(&self) -> bool {
        let at = |value: &Option<Value>, path: &[&str]| {
            let first = value.as_ref();
            path.iter()
                .try_fold(first?, |value, key| value.get(key))
                .map(drop)
        };
        let hatch = self
            .tool
            .hatch
            .as_ref()
            .and_then(|hatch| hatch.get("build"));
        self.build_system.backend_path.is_some()
            || self.tool.setuptools.ext_modules.is_some()
            || at(&self.tool.poetry, &["build"]).is_some()
            || at(&self.tool.pdm, &["build", "custom-hook"]).is_some()
            || hatch.is_some_and(has_hooks)
    }

    /// The requirements of a group and of those that it includes.
    pub fn group(&self, name: &str) -> Vec<Span> {
        let mut found = Vec::new();
        self.add_group(name, &mut found, 0);
        found
    }

    fn add_group(&self, name: &str, found: &mut Vec<Span>, depth: u8) {
        let same = |known: &&String| normal(known) == normal(name);
        let Some(known) = self.dependency_groups.keys().find(same) else {
            return;
        };
        for entry in &self.dependency_groups[known] {
            match entry.get_ref() {
                Value::String(_) => found.push(inside(entry)),
                Value::Table(table) if depth < 8 => {
                    if let Some(name) = table.get("include-group").and_then(Value::as_str) {
                        self.add_group(name, found, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }

    /// The groups that `uv sync` installs unless it is told otherwise.
    pub fn default_groups(&self) -> Vec<String> {
        match &self.tool.uv.default_groups {
            None => vec!["dev".to_owned()],
            Some(Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str);
                names.map(str::to_owned).collect()
            }
            Some(_) => self.dependency_groups.keys().cloned().collect(),
        }
    }

    /// The files that hold the dependencies, where the project says so.
    pub fn dependency_files(&self) -> Vec<String> {
        let file = self
            .tool
            .setuptools
            .dynamic
            .dependencies
            .as_ref()
            .and_then(|dependencies| dependencies.get("file"));
        match file {
            Some(Value::String(file)) => vec![file.clone()],
            Some(Value::Array(files)) => {
                let files = files.iter().filter_map(Value::as_str);
                files.map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// `[tool.hatch.build.hooks]`, `[tool.hatch.build.targets.wheel.hooks]`.
fn has_hooks(build: &Value) -> bool {
    let of_targets = build.get("targets").and_then(Value::as_table);
    let mut targets = of_targets.into_iter().flat_map(|targets| targets.values());
    build.get("hooks").is_some() || targets.any(|target| target.get("hooks").is_some())
}

/// Names of extras and groups are the same in either case and with `-`, `_` or `.`.
pub fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_found_with_their_places() {
        let text = r#"
[project]
name = "é"
dependencies = ["torch>=2.1", 'a']
optional-dependencies.gpu = ["b"]
[dependency-groups]
dev = ["c", {include-group = "Test_All"}]
test-all = ["d"]
loop = [{include-group = "loop"}]
[tool.uv]
default-groups = ["test-all"]
no-build-isolation-package = ["b"]
sources.b = {git = "https://x/o/b"}
[tool.setuptools.dynamic]
dependencies = {file = "r.txt"}
[tool.other]
x = [1, 2.5, {y = 1979-05-27}]
"#;
        let project = read(text).unwrap();
        let of = |spans: Vec<Span>| spans.iter().map(|s| &text[s.range()]).collect::<Vec<_>>();
        let listed = project.project.dependencies.iter().map(inside).collect();
        assert_eq!(of(listed), ["torch>=2.1", "a"]);
        assert_eq!(of(project.group("dev")), ["c", "d"]);
        assert_eq!(of(project.group("loop")), [""; 0]);
        assert_eq!(project.default_groups(), ["test-all"]);
        assert_eq!(project.dependency_files(), ["r.txt"]);
        for (text, own) in [
            ("[tool.hatch.build.targets.wheel.hooks.custom]", true),
            ("[tool.hatch.build.targets.wheel]", false),
            ("[tool.pdm.build]\ncustom-hook = \"b.py\"", true),
            ("[tool.poetry]\nbuild = \"b.py\"", true),
            ("[build-system]\nbackend-path = [\".\"]", true),
            ("[[tool.setuptools.ext-modules]]\nname = \"x\"", true),
        ] {
            assert_eq!(read(text).unwrap().has_own_code(), own, "{text}");
        }
        assert!(read("a = ").is_err());
        assert!(read("project = 1").is_err());
    }
}
