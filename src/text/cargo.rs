//! `Cargo.toml`: what a package is called, needs and offers.
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Value;

/// A manifest.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Manifest {
    /// `[package]`.
    pub package: Option<Package>,
    /// `[workspace]`.
    pub workspace: Option<Workspace>,
    /// `[features]`.
    pub features: BTreeMap<String, Vec<String>>,
    /// `[dependencies]`.
    pub dependencies: BTreeMap<String, Value>,
    /// `[build-dependencies]`.
    pub build_dependencies: BTreeMap<String, Value>,
}

/// `[package]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// The build script, or that there is none.
    pub build: Option<Value>,
}

/// `[workspace]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Workspace {
    /// The folders of its packages, with `*`.
    pub members: Vec<String>,
    /// Those that a plain `cargo build` builds.
    pub default_members: Vec<String>,
}

/// Reads such a file.
///
/// # Errors
/// It is no TOML, or another shape: why.
pub fn read(text: &str) -> Result<Manifest, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

impl Manifest {
    /// What is switched on by these features, and by `default` unless it is not wanted.
    pub fn enabled(&self, asked: &[String], with_default: bool) -> Vec<String> {
        let mut on: Vec<String> = asked.to_vec();
        if with_default {
            on.push("default".to_owned());
        }
        let mut at = 0;
        while let Some(feature) = on.get(at) {
            let own = self.features.get(feature).into_iter().flatten();
            let more: Vec<String> = own
                .map(|entry| entry.rsplit('/').next().unwrap_or(entry).to_owned())
                .filter(|entry| !on.contains(entry))
                .collect();
            on.extend(more);
            at += 1;
        }
        on
    }

    /// The crates that it needs, with the features that it asks of them; those that are optional if `on` switches them on.
    pub fn crates(&self, on: &[String]) -> Vec<(String, Vec<String>)> {
        let all = self.dependencies.iter().chain(&self.build_dependencies);
        let wanted = all.filter(|(name, value)| {
            let optional = value.get("optional").and_then(Value::as_bool);
            let named = |entry: &String| entry.strip_prefix("dep:").unwrap_or(entry) == *name;
            optional != Some(true) || on.iter().any(named)
        });
        wanted
            .map(|(name, value)| {
                let listed = value.get("features").and_then(Value::as_array);
                let features = listed.into_iter().flatten().filter_map(Value::as_str);
                let own = value.get("package").and_then(Value::as_str);
                let name = own.unwrap_or(name).to_owned();
                (name, features.map(str::to_owned).collect())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_switch_on_what_they_name() {
        let text = "[package]\nname = \"p\"\n[features]\ndefault = [\"gpu\"]\ngpu = [\"dep:kernels\", \"core/cuda\"]\n\
                    [dependencies]\ncore = { version = \"1\", features = [\"fast\"] }\nkernels = { version = \"1\", optional = true }\nother = { version = \"1\", optional = true }\n";
        let manifest = read(text).unwrap();
        let on = manifest.enabled(&[], true);
        assert_eq!(on, ["default", "gpu", "dep:kernels", "cuda"]);
        let names = |on: &[String]| -> Vec<String> {
            manifest
                .crates(on)
                .into_iter()
                .map(|(name, _)| name)
                .collect()
        };
        assert_eq!(names(&on), ["core", "kernels"]);
        assert_eq!(names(&manifest.enabled(&[], false)), ["core"]);
        assert!(read("[package").is_err());
    }
}
