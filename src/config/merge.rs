//! The nearest file wins, key by key. The keys of a map are keys of their own; a list is taken whole.
use super::file::ConfigFile;
use super::layer::Layer;
use super::map::Map;

/// Configuration files that apply to a file, the nearest first.
pub type Layers = [&'static Layer];

/// A value with the file that gives it.
#[derive(Clone, Copy, Debug)]
pub struct From<T> {
    /// The value.
    pub value: T,
    /// The file.
    pub layer: &'static Layer,
}

/// The value of a key.
pub fn value<T>(
    layers: &Layers,
    key: impl Fn(&'static ConfigFile) -> Option<T>,
) -> Option<From<T>> {
    layers.iter().find_map(|&layer| {
        Some(From {
            value: key(&layer.file)?,
            layer,
        })
    })
}

/// The entries of a map, each from the nearest file that has it; those of nearer files first, as they are written.
pub fn entries<T>(
    layers: &Layers,
    map: impl Fn(&'static ConfigFile) -> &'static Map<T>,
) -> Vec<(&'static str, From<&'static T>)> {
    let mut entries: Vec<(&str, From<&T>)> = Vec::new();
    for &layer in layers {
        for (name, value) in &map(&layer.file).0 {
            if !entries.iter().any(|(known, _)| *known == name.as_str()) {
                entries.push((name.as_str(), From { value, layer }));
            }
        }
    }
    entries
}
