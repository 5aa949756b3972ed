//! `CMakePresets.json` and `CMakeUserPresets.json`: the cache variables that `cmake --preset NAME` sets.
use super::python::join;
use crate::actions::Named;
use crate::text::yaml::{self, Node};
use crate::value::{Site, Value};
use crate::walk::files::Files;

/// Presets that inherit each other, at most.
const MAX_DEPTH: usize = 16;

/// The cache variables of a configure preset; `None` where it is not there.
pub fn defines(dir: &str, preset: &str, files: &Files<'_>) -> Option<Vec<Named>> {
    let names = ["CMakeUserPresets.json", "CMakePresets.json"];
    let read: Vec<(u16, Node)> = names
        .iter()
        .filter_map(|name| {
            let file = files.open(&join(dir, name)).ok()?;
            // JSON is YAML
            let document = yaml::parse(files.text(file)).documents.into_iter().next()?;
            Some((file, document))
        })
        .collect();
    let mut found = Vec::new();
    inherited(&read, preset, dir, 0, &mut found).then_some(found)
}

/// Adds what a preset sets and nothing before it does; false for one that is not there.
fn inherited(
    read: &[(u16, Node)],
    name: &str,
    dir: &str,
    depth: usize,
    found: &mut Vec<Named>,
) -> bool {
    let all = read.iter().flat_map(|(file, document)| {
        let presets = document
            .get("configurePresets")
            .map_or(&[][..], Node::items);
        presets.iter().map(move |preset| (*file, preset))
    });
    let named = |node: &Node| {
        node.get("name")
            .and_then(Node::text)
            .is_some_and(|n| n == name)
    };
    let Some((file, preset)) = all.into_iter().find(|(_, preset)| named(preset)) else {
        return false;
    };
    for entry in preset.get("cacheVariables").map_or(&[][..], Node::entries) {
        let Some(key) = entry.key.text() else {
            continue;
        };
        let value = entry.value.get("value").unwrap_or(&entry.value);
        let Some(text) = value.text() else { continue };
        let site = Site {
            file,
            span: value.span,
        };
        if !found.iter().any(|n| n.name == key) {
            found.push(Named {
                name: key.to_owned(),
                value: expanded(text, name, dir, site),
            });
        }
    }
    if depth < MAX_DEPTH {
        for parent in preset.get("inherits").map_or(&[][..], Node::one_or_many) {
            if let Some(parent) = parent.text() {
                inherited(read, parent, dir, depth + 1, found);
            }
        }
    }
    true
}

/// The text of a value, its macros filled in.
fn expanded(text: &str, preset: &str, dir: &str, site: Site) -> Value {
    let text = text
        .replace("${sourceDir}", &format!("/{dir}"))
        .replace("${presetName}", preset)
        .replace("${dollar}", "$");
    match text.find("env{") {
        Some(_) => Value::hole("the preset takes it from the environment", None, false),
        None => Value::literal(&text, Some(site)),
    }
}
