//! `--show-config`: the merged configuration of a file, with the origin of each key. It reads back as configuration.
use crate::config::{
    Config, ConfigFile, FailOn, From, Layers, Map, Maybe, PolicyEntries, entries, value,
};
use crate::cuda::Device;
use crate::facts::Severity;
use crate::rules::Policy;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};

/// Writes the configuration of the file at `path`, which has to run on `fleet`.
pub fn write(path: &str, config: &Config, fleet: &[Device], out: &mut dyn Write) -> io::Result<()> {
    let layers = &config.layers;
    writeln!(out, "# {path}")?;
    map(out, layers, "fleet", |file| &file.fleet)?;
    policy(out, layers)?;
    map(out, layers, "rules", |file| &file.rules)?;
    list(out, layers, "ignore", |file| file.ignore.as_ref())?;
    if let Some(baseline) = value(layers, |file| file.baseline.as_ref()) {
        let path = &baseline.layer.path;
        writeln!(out, "baseline: {}  # {path}", flow(baseline.value)?)?;
    }
    list(out, layers, "exclude", |file| file.exclude.as_ref())?;
    map(out, layers, "images", |file| &file.images)?;
    map(out, layers, "runners", |file| &file.runners)?;
    list(out, layers, "builders", |file| file.builders.as_ref())?;
    list(out, layers, "rule-files", |file| file.rule_files.as_ref())?;
    let fail_on = value(layers, |file| file.fail_on);
    scalar(out, "fail-on", fail_on, FailOn::Warning)?;
    for device in fleet {
        let driver = device.driver.map(|driver| format!(", driver {driver}"));
        let Device {
            name, capability, ..
        } = device;
        writeln!(
            out,
            "# GPU: {name} ({capability}{})",
            driver.unwrap_or_default()
        )?;
    }
    Ok(())
}

const DEFAULT: &str = "default";

fn policy(out: &mut dyn Write, layers: &Layers) -> io::Result<()> {
    fn key<T>(layers: &Layers, key: impl Fn(&PolicyEntries) -> Option<T>) -> Option<From<T>> {
        value(layers, |file| key(file.policy.as_ref()?))
    }
    let usual = Policy::default();
    let maybe = match usual.maybe {
        None => Maybe::Off,
        Some(Severity::Info) => Maybe::Info,
        Some(_) => Maybe::Warning,
    };
    writeln!(out, "policy:")?;
    scalar(out, "  ptx", key(layers, |p| p.ptx), usual.ptx)?;
    scalar(
        out,
        "  forward-ptx",
        key(layers, |p| p.forward_ptx),
        usual.forward_ptx,
    )?;
    scalar(
        out,
        "  unexpected",
        key(layers, |p| p.unexpected),
        usual.unexpected,
    )?;
    scalar(out, "  maybe", key(layers, |p| p.maybe), maybe)?;
    scalar(
        out,
        "  require-reason",
        key(layers, |p| p.require_reason),
        false,
    )
}

fn scalar<T: Serialize>(
    out: &mut dyn Write,
    name: &str,
    found: Option<From<T>>,
    usual: T,
) -> io::Result<()> {
    let (value, origin) = match &found {
        Some(from) => (&from.value, &*from.layer.path),
        None => (&usual, DEFAULT),
    };
    writeln!(out, "{name}: {}  # {origin}", flow(value)?)
}

fn list<T: Serialize + 'static>(
    out: &mut dyn Write,
    layers: &Layers,
    name: &str,
    key: impl Fn(&'static ConfigFile) -> Option<&'static Vec<T>>,
) -> io::Result<()> {
    let Some(From { value, layer }) = value(layers, key) else {
        return writeln!(out, "{name}: []  # {DEFAULT}");
    };
    let nothing = if value.is_empty() { " []" } else { "" };
    writeln!(out, "{name}:{nothing}  # {}", layer.path)?;
    value
        .iter()
        .try_for_each(|item| writeln!(out, "  - {}", flow(item)?))
}

fn map<T: Serialize + 'static>(
    out: &mut dyn Write,
    layers: &Layers,
    name: &str,
    key: impl Fn(&'static ConfigFile) -> &'static Map<T>,
) -> io::Result<()> {
    let entries = entries(layers, key);
    if entries.is_empty() {
        return writeln!(out, "{name}: {{}}  # {DEFAULT}");
    }
    writeln!(out, "{name}:")?;
    for (name, From { value, layer }) in entries {
        writeln!(out, "  {}: {}  # {}", word(name), flow(value)?, layer.path)?;
    }
    Ok(())
}

/// A value in YAML's flow style.
fn flow(value: &impl Serialize) -> io::Result<String> {
    Ok(flow_value(&serde_json::to_value(value)?))
}

fn flow_value(value: &Value) -> String {
    match value {
        Value::String(text) => word(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(flow_value).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let entries = entries
                .iter()
                .map(|(name, value)| format!("{}: {}", word(name), flow_value(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A text, in quotes unless it is a plain word, and no truth value to older readers of YAML.
pub(super) fn word(text: &str) -> String {
    let truth = ["true", "false", "null", "yes", "no", "y", "n", "on"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && !truth.contains(&&*text.to_ascii_lowercase());
    if plain {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Layer;
    use std::path::Path;

    fn shown(texts: &[(&str, &str)]) -> String {
        let layers = texts
            .iter()
            .map(|(path, text)| Layer::parse(path, Path::new("/repo"), text).unwrap());
        let config = Config::new(&layers.collect::<Vec<_>>()).unwrap();
        let fleet = config.fleet(Path::new("/repo/Dockerfile"));
        let mut out = Vec::new();
        write("Dockerfile", &config, &fleet, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_key_has_its_origin() {
        let near = "policy: {maybe: off}\nfleet: {ours: {gpus: [L4], driver: 550}}\nfail-on: error";
        let far = "policy: {maybe: warning, ptx: deny}\nrules: {KIMG204: off}\nexclude: [\"a/**\"]\n\
                   fleet: {ours: {gpus: [T4]}, theirs: {gpus: [8.6], paths: [x]}}";
        insta::assert_snapshot!(shown(&[("near.yaml", near), ("far.yaml", far)]), @r#"
        # Dockerfile
        fleet:
          ours: {driver: "550", gpus: [L4]}  # near.yaml
          theirs: {gpus: ["8.6"], paths: [x]}  # far.yaml
        policy:
          ptx: deny  # far.yaml
          forward-ptx: ignore  # default
          unexpected: allow  # default
          maybe: off  # near.yaml
          require-reason: false  # default
        rules:
          KIMG204: off  # far.yaml
        ignore: []  # default
        exclude:  # far.yaml
          - "a/**"
        images: {}  # default
        runners: {}  # default
        builders: []  # default
        rule-files: []  # default
        fail-on: error  # near.yaml
        # GPU: NVIDIA L4 (8.9, driver 550)
        "#);
    }

    #[test]
    fn what_is_shown_reads_back() {
        let text = "fleet: {'a b': {gpus: [8.6], paths: ['x/**']}}\nrules: {KIMG204: off, \"1xx\": info}\n\
                    images: {'a:*': {like: 'ubuntu:22.04', env: {A: 'x \"y\" #'}, nvcc: true}}\n\
                    ignore: [{rule: KIMG101, until: 2027-01-01}]\npolicy: {maybe: off, require-reason: true}";
        let without_origins = |shown: String| {
            let lines = shown.lines().filter_map(|line| line.split("  # ").next());
            lines.collect::<Vec<_>>().join("\n")
        };
        let once = without_origins(shown(&[("a.yaml", text)]));
        assert_eq!(without_origins(shown(&[("a.yaml", &once)])), once);
    }
}
