//! `[tool.cibuildwheel]` of a `pyproject.toml`: how wheels are built.
use globset::GlobBuilder;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Spanned, Value};

/// The options, for all systems and for each.
#[derive(Debug, Default)]
pub struct Settings {
    /// `[tool.cibuildwheel]`.
    pub all: Options,
    /// `[tool.cibuildwheel.linux]`.
    pub linux: Options,
    /// `[tool.cibuildwheel.windows]`.
    pub windows: Options,
    /// `[[tool.cibuildwheel.overrides]]`, the later over the earlier.
    pub overrides: Vec<Options>,
}

/// The options by name: `before-all`, `environment`, …
pub type Options = BTreeMap<String, Spanned<Value>>;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Document<T: Default> {
    tool: Tool<T>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tool<T: Default> {
    cibuildwheel: T,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Systems {
    linux: Options,
    windows: Options,
    overrides: Vec<Options>,
}

/// Reads the options; none from a file that is no TOML.
pub fn read(text: &str) -> Settings {
    let all: Document<Options> = toml::from_str(text).unwrap_or_default();
    let systems: Document<Systems> = toml::from_str(text).unwrap_or_default();
    let systems = systems.tool.cibuildwheel;
    Settings {
        all: all.tool.cibuildwheel,
        linux: systems.linux,
        windows: systems.windows,
        overrides: systems.overrides,
    }
}

/// How an override has an option: whether it stands before (`Some(true)`) or after the others', or in their place.
pub fn inherits(options: &Options, name: &str) -> Option<bool> {
    let Value::Table(table) = options.get("inherit")?.get_ref() else {
        return None;
    };
    match table.get(name)?.as_str()? {
        "prepend" => Some(true),
        "append" => Some(false),
        _ => None,
    }
}

/// Whether one of the globs `selectors`, between spaces, selects a build: `cp312-manylinux_x86_64`.
pub fn selects(selectors: &str, build: &str) -> bool {
    let fits = |glob: &str| {
        let glob = GlobBuilder::new(glob).empty_alternates(true).build();
        glob.is_ok_and(|glob| glob.compile_matcher().is_match(build))
    };
    selectors.split_whitespace().any(fits)
}

/// The text of an option: commands are joined, a table is `NAME=value` in quotes.
pub fn text(value: &Value, join: &str) -> String {
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(yes) => yes.to_string(),
        _ => String::new(),
    };
    match value {
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(join),
        Value::Table(table) => {
            let pairs = table
                .iter()
                .map(|(name, value)| format!("{name}='{}'", plain(value)));
            pairs.collect::<Vec<_>>().join(" ")
        }
        other => plain(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_project() {
        let read = read(
            "[tool.cibuildwheel]\nbuild = \"cp3*\"\nbefore-all = [\"a\", \"b\"]\nenvironment = {A = \"1 2\", B = 3}\n[tool.cibuildwheel.linux]\nbefore-all = \"c\"\n",
        );
        let of = |options: &Options, name: &str| {
            let value = options.get(name).map(|value| text(value.get_ref(), " && "));
            value.unwrap_or_default()
        };
        assert_eq!(of(&read.all, "before-all"), "a && b");
        assert_eq!(of(&read.all, "environment"), "A='1 2' B='3'");
        assert_eq!(of(&read.linux, "before-all"), "c");
        assert_eq!(of(&read.windows, "before-all"), "");
        assert!(super::read("not toml").all.is_empty());
        let over = super::read(
            "[[tool.cibuildwheel.overrides]]\nselect = \"cp31*\"\ninherit.environment = \"append\"\nenvironment = {C = 1}\n",
        );
        assert_eq!(of(&over.overrides[0], "environment"), "C='1'");
        assert_eq!(inherits(&over.overrides[0], "environment"), Some(false));
        assert_eq!(inherits(&over.overrides[0], "before-all"), None);
        for (selectors, build, expected) in [
            ("*", "cp312-manylinux_x86_64", true),
            ("cp310-* cp311-*", "cp311-manylinux_x86_64", true),
            ("*-{musllinux,win}*", "cp311-manylinux_x86_64", false),
            ("cp3{10,12}-*linux_*", "cp312-manylinux_x86_64", true),
        ] {
            assert_eq!(selects(selectors, build), expected, "{selectors}");
        }
    }
}
