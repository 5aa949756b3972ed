//! Fleets from what other tools print: nvidia-smi, kubectl, or names.
use super::{Unresolved, resolve};
use crate::cuda::{Capability, DriverBranch};
use serde_json::Value;

/// A fleet as configuration writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Names, each once; the capability where the name is not known.
    pub gpus: Vec<String>,
    /// The oldest driver that is named.
    pub driver: Option<DriverBranch>,
    /// Names that stand there by their capability, with it.
    pub unknown: Vec<(String, Capability)>,
}

/// Why a text is no fleet.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A name that is not that of one GPU.
    #[error("{place}: {error}")]
    Name {
        /// `line 3`, or `node gpu-1`.
        place: String,
        /// Why.
        error: Unresolved,
    },
    /// A table of which no column has the names.
    #[error("line {line}: no column is called `name`; columns are parted by commas")]
    NoColumn {
        /// The line of headings, from 1.
        line: usize,
    },
    /// JSON without GPUs.
    #[error("no node in it has the label nvidia.com/gpu.product")]
    NoLabel,
    /// It begins like JSON.
    #[error("it is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Nothing in it names a GPU.
    #[error("nothing in it names a GPU")]
    Nothing,
}

/// A GPU as a tool prints it.
struct Seen {
    place: String,
    name: String,
    capability: Option<Capability>,
    driver: Option<DriverBranch>,
}

/// Reads `nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv`, `kubectl get nodes -o json` (the labels of GPU
/// feature discovery), `nvidia-smi -L`, or names, one a line.
///
/// # Errors
/// The text is none of these, or a name means nothing and comes without a capability.
pub fn import(text: &str) -> Result<Imported, ImportError> {
    let text = text.trim_start_matches('\u{feff}');
    let json = text.trim_start().starts_with('{');
    let seen = if json {
        nodes(&serde_json::from_str(text)?)
    } else if text.lines().any(is_heading) {
        table(text)?
    } else {
        names(text)
    };
    if json && seen.is_empty() {
        return Err(ImportError::NoLabel);
    }
    let mut imported = Imported::default();
    for seen in seen {
        imported.add(seen)?;
    }
    if imported.gpus.is_empty() {
        return Err(ImportError::Nothing);
    }
    Ok(imported)
}

impl Imported {
    fn add(&mut self, seen: Seen) -> Result<(), ImportError> {
        let Seen {
            place,
            name,
            capability,
            driver,
        } = seen;
        let text = match (resolve(&name), capability) {
            // what the driver says of the GPU wins over what a table says of its name
            (Ok(device), Some(capability)) if device.capability == capability => device.name,
            (_, Some(capability)) => {
                self.unknown.push((name, capability));
                capability.to_string()
            }
            (Ok(_), None) => name,
            (Err(error), None) => return Err(ImportError::Name { place, error }),
        };
        if !self.gpus.contains(&text) {
            self.gpus.push(text);
        }
        self.driver = [self.driver, driver].into_iter().flatten().min();
        Ok(())
    }
}

/// Names, one a line; what follows a `#` does not count.
fn names(text: &str) -> Vec<Seen> {
    let names = text.lines().map(|line| {
        let line = line.split('#').next().unwrap_or_default();
        listed(line.trim())
    });
    let names = names.enumerate();
    names
        .filter(|(_, name)| !name.is_empty())
        .map(|(index, name)| Seen {
            place: format!("line {}", index + 1),
            name: name.to_owned(),
            capability: None,
            driver: None,
        })
        .collect()
}

/// The name in a line of `nvidia-smi -L`, `GPU 0: NVIDIA L4 (UUID: GPU-…)`, empty for the slices below it; other lines as they are.
fn listed(line: &str) -> &str {
    let Some((before, _)) = line.split_once("(UUID:") else {
        return line;
    };
    match before.split_once(": ") {
        Some((gpu, name)) if gpu.starts_with("GPU ") => name.trim(),
        _ => "",
    }
}

fn cells(line: &str) -> Vec<&str> {
    line.split(',').map(str::trim).collect()
}

/// Whether the line names columns as nvidia-smi does.
fn is_heading(line: &str) -> bool {
    cells(line).contains(&"name") || line.contains("compute_cap")
}

/// A table with a line of headings.
fn table(text: &str) -> Result<Vec<Seen>, ImportError> {
    let mut lines = text
        .lines()
        .enumerate()
        .skip_while(|(_, line)| !is_heading(line));
    let (at, headings) = lines
        .next()
        .map(|(at, line)| (at, cells(line)))
        .unwrap_or_default();
    let column = |name: &str| headings.iter().position(|heading| *heading == name);
    let columns = ["name", "compute_cap", "driver_version"].map(column);
    if columns[0].is_none() {
        return Err(ImportError::NoColumn { line: at + 1 });
    }
    let rows = lines.filter(|(_, line)| !line.trim().is_empty());
    let seen = rows.map(|(index, line)| {
        let row = cells(line);
        let [name, capability, driver] = columns.map(|at| at.and_then(|at| row.get(at)));
        Seen {
            place: format!("line {}", index + 1),
            name: name.copied().unwrap_or_default().to_owned(),
            capability: capability.and_then(|text| text.parse().ok()),
            driver: driver.and_then(|text| text.parse().ok()),
        }
    });
    Ok(seen.collect())
}

/// The nodes that have the labels of GPU feature discovery.
fn nodes(json: &Value) -> Vec<Seen> {
    let nodes = match json["items"].as_array() {
        Some(items) => items.iter().collect(),
        None => vec![json],
    };
    nodes.into_iter().filter_map(node).collect()
}

fn node(node: &Value) -> Option<Seen> {
    let label = |name: &str| node["metadata"]["labels"][format!("nvidia.com/{name}")].as_str();
    let (major, minor) = (label("gpu.compute.major"), label("gpu.compute.minor"));
    let driver = label("cuda.driver-version.major").or_else(|| label("cuda.driver.major"));
    Some(Seen {
        place: match node["metadata"]["name"].as_str() {
            Some(name) => format!("node {name}"),
            None => "a node".to_owned(),
        },
        name: label("gpu.product")?.to_owned(),
        capability: format!(
            "{}.{}",
            major.unwrap_or_default(),
            minor.unwrap_or_default()
        )
        .parse()
        .ok(),
        driver: driver.and_then(|text| text.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(text: &str) -> String {
        match import(text) {
            Ok(imported) => {
                let driver = imported.driver.map(|driver| format!(" under {driver}"));
                let unknown: Vec<_> = imported
                    .unknown
                    .iter()
                    .map(|(name, c)| format!(" {name}={c}"))
                    .collect();
                format!(
                    "{}{}{}",
                    imported.gpus.join(", "),
                    driver.unwrap_or_default(),
                    unknown.concat()
                )
            }
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn fleets_come_from_what_others_print() {
        for (text, expected) in [
            (
                "A100\n\n# ours\naws:g6.xlarge  # L4\nA100\n",
                "A100, aws:g6.xlarge",
            ),
            (
                "name, compute_cap, driver_version\nNVIDIA H100 80GB HBM3, 9.0, 550.54.15\nNVIDIA H100 80GB HBM3, 9.0, 535.104.05\n",
                "NVIDIA H100 80GB HBM3 under 535",
            ),
            (
                "driver_version, name, compute_cap\n580.1, NVIDIA Something New, 10.3\n580.1, NVIDIA L4, 8.9\n",
                "10.3, NVIDIA L4 under 580 NVIDIA Something New=10.3",
            ),
            ("name, compute_cap\nNVIDIA L4, 9.0\n", "9.0 NVIDIA L4=9.0"),
            (
                r#"{"items": [
                    {"metadata": {"labels": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "nvidia.com/gpu.compute.major": "8",
                        "nvidia.com/gpu.compute.minor": "0", "nvidia.com/cuda.driver.major": "550"}}},
                    {"metadata": {"labels": {"nvidia.com/gpu.product": "Tesla-T4-SHARED", "nvidia.com/gpu.compute.major": "7",
                        "nvidia.com/gpu.compute.minor": "5", "nvidia.com/cuda.driver-version.major": "535"}}},
                    {"metadata": {"labels": {"kubernetes.io/os": "linux"}}}]}"#,
                "NVIDIA A100-SXM4-40GB, Tesla T4 under 535",
            ),
            (
                r#"{"metadata": {"labels": {"nvidia.com/gpu.product": "NVIDIA-L4"}}}"#,
                "NVIDIA-L4",
            ),
            // one column, line ends and a mark of Windows, a number in front
            ("\u{feff}name\r\nNVIDIA L4\r\n", "NVIDIA L4"),
            (
                "index, name\n0, NVIDIA L4\n1, Tesla T4\n",
                "NVIDIA L4, Tesla T4",
            ),
            ("name, compute_cap\nNVIDIA L4, [N/A]\n", "NVIDIA L4"),
            (
                "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-1)\n  MIG 1g.5gb Device 0: (UUID: MIG-1)\nGPU 1: Tesla T4 (UUID: GPU-2)\n",
                "NVIDIA A100-SXM4-40GB, Tesla T4",
            ),
            ("", "error: nothing in it names a GPU"),
            ("\r\n# none\r\n", "error: nothing in it names a GPU"),
            ("name, compute_cap\n", "error: nothing in it names a GPU"),
            (
                r#"{"items": []}"#,
                "error: no node in it has the label nvidia.com/gpu.product",
            ),
            (
                "name;compute_cap\nNVIDIA L4;8.9\n",
                "error: line 1: no column is called `name`; columns are parted by commas",
            ),
            (
                "name, compute_cap\n, 8.9x\n",
                "error: line 2: the name of a GPU is empty",
            ),
            (
                "{",
                "error: it is no JSON: EOF while parsing an object at line 1 column 1",
            ),
        ] {
            assert_eq!(imported(text), expected, "{text}");
        }
        let node =
            r#"{"metadata": {"name": "gpu-1", "labels": {"nvidia.com/gpu.product": "H10O"}}}"#;
        for (text, place) in [("L4\nH10O\n", "line 2"), (node, "node gpu-1")] {
            let start = format!("error: {place}: `H10O` is not a known GPU; the nearest names: ");
            assert!(imported(text).starts_with(&start), "{text}");
        }
    }
}
