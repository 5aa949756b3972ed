//! Container images: the layers that `docker save` and OCI layouts hold, put on top of each other.
use super::tree::{Entry, Other, Tree};
use super::{names, summary};
use crate::facts::{Artifact, ArtifactKind, ArtifactProblem};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// Indexes in indexes: deeper is hostile.
const NESTED: u32 = 4;
/// Images of one archive.
const MOST: usize = 1000;

#[derive(Deserialize)]
struct Saved {
    #[serde(rename = "RepoTags", default)]
    tags: Option<Vec<String>>,
    #[serde(rename = "Layers", default)]
    layers: Vec<String>,
    #[serde(rename = "Config", default)]
    config: String,
}

#[derive(Deserialize)]
struct Manifest {
    #[serde(default)]
    manifests: Vec<Descriptor>,
    #[serde(default)]
    layers: Vec<Descriptor>,
    #[serde(default)]
    config: Option<Descriptor>,
}

#[derive(Deserialize)]
struct Descriptor {
    digest: String,
    #[serde(default)]
    platform: Option<Platform>,
    #[serde(default)]
    annotations: HashMap<String, String>,
}

#[derive(Deserialize)]
struct Platform {
    #[serde(default)]
    architecture: String,
    #[serde(default)]
    os: String,
}

/// What an image starts with.
#[derive(Deserialize)]
struct Configuration {
    #[serde(default)]
    config: Settings,
}

#[derive(Default, Deserialize)]
struct Settings {
    #[serde(rename = "Env", default)]
    environment: Option<Vec<String>>,
}

/// An image: a name to tell it from others of the archive, its layers from the bottom up, and where its configuration lies.
struct Image {
    name: String,
    layers: Vec<String>,
    config: String,
}

/// The artifacts of an archive of `size` bytes: of its images if it holds any, of its files otherwise.
pub(super) fn artifacts(mut tree: Tree, size: u64) -> Vec<Artifact> {
    let errors = std::mem::take(&mut tree.errors);
    let mut found = Vec::new();
    let described = described(&tree);
    let mut problems = errors;
    match described {
        Some(Ok(images)) => {
            let several = images.len() > 1;
            for image in &images {
                let prefix = if several { image.name.as_str() } else { "" };
                found.extend(start(image, prefix, &tree));
                found.extend(stacked(image, prefix, &tree, &mut problems));
            }
        }
        Some(Err(problem)) => problems.push(ArtifactProblem::whole(problem)),
        None => {
            let mut layers: Vec<(&String, &Tree)> = tree.layers.iter().collect();
            layers.sort_by_key(|(path, _)| path.as_str());
            for (path, layer) in layers {
                problems.extend(layer.errors.iter().cloned());
                found.extend(flat(layer, path));
            }
        }
    }
    found.extend(flat(&tree, ""));
    if !problems.is_empty() || found.is_empty() {
        let whole = summary::bare(ArtifactKind::Package, size);
        found.insert(
            0,
            Artifact {
                errors: problems,
                ..whole
            },
        );
    }
    found
}

/// The images that the archive describes; `None` if it is no archive of images.
fn described(tree: &Tree) -> Option<Result<Vec<Image>, String>> {
    if let Some(text) = tree.texts.get("manifest.json") {
        let saved: Result<Vec<Saved>, _> = serde_json::from_slice(text);
        return Some(
            saved
                .map(|saved| saved.into_iter().zip(1..).map(from_saved).collect())
                .map_err(|error| format!("manifest.json: {error}")),
        );
    }
    let index = tree.texts.get("index.json")?;
    let mut images = Vec::new();
    Some(from_index("index.json", index, "", tree, NESTED, &mut images).map(|()| images))
}

fn from_saved((saved, n): (Saved, usize)) -> Image {
    let tag = saved.tags.and_then(|tags| tags.into_iter().next());
    Image {
        name: tag.unwrap_or_else(|| format!("image {n}")),
        layers: saved.layers,
        config: saved.config,
    }
}

fn from_index(
    name: &str,
    text: &[u8],
    label: &str,
    tree: &Tree,
    depth: u32,
    images: &mut Vec<Image>,
) -> Result<(), String> {
    let manifest: Manifest =
        serde_json::from_slice(text).map_err(|error| format!("{name}: {error}"))?;
    if images.len() >= MOST || depth == 0 {
        return Err(format!("{name}: too many images"));
    }
    if !manifest.layers.is_empty() {
        let layers = manifest.layers.iter().map(|l| blob(&l.digest)).collect();
        let label = if label.is_empty() { name } else { label };
        images.push(Image {
            name: label.to_owned(),
            layers,
            config: manifest
                .config
                .map_or_else(String::new, |config| blob(&config.digest)),
        });
        return Ok(());
    }
    for descriptor in &manifest.manifests {
        if is_attestation(descriptor) {
            continue;
        }
        let path = blob(&descriptor.digest);
        let text = tree
            .texts
            .get(&path)
            .ok_or_else(|| format!("{name}: {path} is not there"))?;
        let label = label_of(descriptor).unwrap_or_else(|| label.to_owned());
        from_index(&path, text, &label, tree, depth - 1, images)?;
    }
    Ok(())
}

/// Provenance that BuildKit stores beside an image.
fn is_attestation(descriptor: &Descriptor) -> bool {
    let unknown = |p: &Platform| p.architecture == "unknown" && p.os == "unknown";
    descriptor.platform.as_ref().is_some_and(unknown)
        || descriptor
            .annotations
            .contains_key("vnd.docker.reference.type")
}

fn label_of(descriptor: &Descriptor) -> Option<String> {
    let platform = descriptor
        .platform
        .as_ref()
        .map(|p| format!("{}/{}", p.os, p.architecture));
    let tag = descriptor
        .annotations
        .get("org.opencontainers.image.ref.name");
    match (tag, platform) {
        (Some(tag), Some(platform)) => Some(format!("{tag} {platform}")),
        (Some(tag), None) => Some(tag.clone()),
        (None, platform) => platform,
    }
}

fn blob(digest: &str) -> String {
    format!("blobs/{}", digest.replacen(':', "/", 1))
}

/// What NVIDIA's container runtime asks of the machine before it starts an image, if the image says so.
fn start(image: &Image, prefix: &str, tree: &Tree) -> Option<Artifact> {
    let configuration: Configuration =
        serde_json::from_slice(tree.texts.get(&image.config)?).ok()?;
    let mut requires = configuration.config.environment?;
    if requires.iter().any(|setting| {
        let value = setting.strip_prefix("NVIDIA_DISABLE_REQUIRE=");
        matches!(value, Some("1" | "true"))
    }) {
        return None;
    }
    requires.retain(|setting| {
        let asks = |rest: &str| {
            rest.split_once('=')
                .is_some_and(|(_, value)| !value.is_empty())
        };
        setting.strip_prefix("NVIDIA_REQUIRE_").is_some_and(asks)
    });
    (!requires.is_empty()).then(|| Artifact {
        member: prefix.to_owned(),
        requires,
        ..summary::bare(ArtifactKind::Package, 0)
    })
}

/// A file of the final file system.
struct Final<'t> {
    artifacts: &'t [Artifact],
    layer: &'t str,
}

/// The artifacts of an image's final file system.
fn stacked(
    image: &Image,
    prefix: &str,
    tree: &Tree,
    problems: &mut Vec<ArtifactProblem>,
) -> Vec<Artifact> {
    let mut files: BTreeMap<&str, Final> = BTreeMap::new();
    for path in &image.layers {
        let Some(layer) = find_layer(path, tree) else {
            let problem = format!("the layer {path} of {} is not there", image.name);
            problems.push(ArtifactProblem::whole(problem));
            continue;
        };
        problems.extend(layer.errors.iter().map(|problem| ArtifactProblem {
            message: format!("layer {path}: {}", problem.message),
            ..problem.clone()
        }));
        apply(&mut files, layer, path);
    }
    let files = files.into_iter().flat_map(|(path, file)| {
        let layer = file.layer;
        renamed(file.artifacts, path, prefix).map(move |artifact| Artifact {
            layer: layer.to_owned(),
            ..artifact
        })
    });
    files.collect()
}

/// Layers that are equal are stored once by old versions of Docker, with links to them.
fn find_layer<'t>(path: &str, tree: &'t Tree) -> Option<&'t Tree> {
    tree.layers.get(path).or_else(|| {
        let target = tree.links.get(path)?;
        tree.layers.get(target.strip_prefix("../")?)
    })
}

fn renamed<'t>(
    artifacts: &'t [Artifact],
    path: &'t str,
    prefix: &'t str,
) -> impl Iterator<Item = Artifact> + 't {
    artifacts.iter().map(move |artifact| Artifact {
        member: names::join(prefix, &names::join(path, &artifact.member)),
        ..artifact.clone()
    })
}

/// Puts a layer on top of what lies below it.
fn apply<'t>(files: &mut BTreeMap<&'t str, Final<'t>>, layer: &'t Tree, name: &'t str) {
    for entry in &layer.entries {
        match entry {
            Entry::Whiteout(path) => {
                files.retain(|file, _| *file != path.as_str() && !is_in(file, path));
            }
            Entry::Opaque(folder) => files.retain(|file, _| !is_in(file, folder)),
            Entry::File(..) | Entry::Link(..) => {}
        }
    }
    files.retain(|file, _| !hidden(file, layer));
    for entry in &layer.entries {
        match entry {
            Entry::File(path, artifacts) => {
                let artifacts = artifacts.as_slice();
                files.insert(
                    path,
                    Final {
                        artifacts,
                        layer: name,
                    },
                );
            }
            Entry::Link(path, target) => match files.get(target.as_str()) {
                Some(&Final { artifacts, layer }) => {
                    files.insert(path, Final { artifacts, layer });
                }
                None => {
                    files.remove(path.as_str());
                }
            },
            Entry::Whiteout(_) | Entry::Opaque(_) => {}
        }
    }
}

/// Whether a layer has something else at a file's path or in place of one of its folders.
fn hidden(file: &str, layer: &Tree) -> bool {
    let folders = file.match_indices('/').map(|(n, _)| &file[..n]);
    layer.other(file).is_some()
        || folders
            .into_iter()
            .any(|f| layer.other(f) == Some(Other::File))
}

/// Whether a path lies in a folder; the empty folder is the root.
fn is_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// The artifacts of a plain archive.
fn flat(tree: &Tree, prefix: &str) -> Vec<Artifact> {
    let mut files: BTreeMap<&str, Final> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for entry in &tree.entries {
        match entry {
            Entry::File(path, artifacts) => {
                order.push(path);
                let artifacts = artifacts.as_slice();
                files.insert(
                    path,
                    Final {
                        artifacts,
                        layer: "",
                    },
                );
            }
            Entry::Link(path, target) => {
                if let Some(&Final { artifacts, layer }) = files.get(target.as_str()) {
                    order.push(path);
                    files.insert(path, Final { artifacts, layer });
                }
            }
            Entry::Whiteout(_) | Entry::Opaque(_) => {}
        }
    }
    let mut found = Vec::new();
    for path in order {
        // A member that comes again replaces the earlier one.
        if let Some(file) = files.remove(path) {
            found.extend(renamed(file.artifacts, path, prefix));
        }
    }
    found
}
