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
    #[error("line {line}: {error}")]
    Name {
        /// From 1.
        line: usize,
        /// Why.
        error: Unresolved,
    },
    /// It begins like JSON.
    #[error("it is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Nothing in it names a GPU.
    #[error("nothing in it names a GPU")]
    Nothing,
}

/// A GPU as a tool prints it.
struct Seen {
    line: usize,
    name: String,
    capability: Option<Capability>,
    driver: Option<DriverBranch>,
}

/// Reads `nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv`, `kubectl get nodes -o json` (the labels of GPU
/// feature discovery), or names, one a line.
///
/// # Errors
/// The text is none of these, or a name means nothing and comes without a capability.
pub fn import(text: &str) -> Result<Imported, ImportError> {
    let seen = if text.trim_start().starts_with('{') {
        nodes(&serde_json::from_str(text)?)
    } else if text.lines().any(|line| line.contains("compute_cap")) {
        table(text)
    } else {
        names(text)
    };
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
            line,
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
            (Err(error), None) => return Err(ImportError::Name { line, error }),
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
    let lines = text.lines().enumerate();
    let names =
        lines.map(|(index, line)| (index, line.split('#').next().unwrap_or_default().trim()));
    names
        .filter(|(_, name)| !name.is_empty())
        .map(|(index, name)| Seen {
            line: index + 1,
            name: name.to_owned(),
            capability: None,
            driver: None,
        })
        .collect()
}

/// A table with a line of headings.
fn table(text: &str) -> Vec<Seen> {
    let cells = |line: &str| {
        line.split(',')
            .map(|cell| cell.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let mut lines = text
        .lines()
        .enumerate()
        .skip_while(|(_, line)| !line.contains("compute_cap"));
    let headings = lines
        .next()
        .map(|(_, line)| cells(line))
        .unwrap_or_default();
    let column = |name: &str| headings.iter().position(|heading| heading == name);
    let columns = ["name", "compute_cap", "driver_version"].map(column);
    let rows = lines.filter(|(_, line)| !line.trim().is_empty());
    rows.map(|(index, line)| {
        let row = cells(line);
        let [name, capability, driver] = columns.map(|at| at.and_then(|at| row.get(at)));
        Seen {
            line: index + 1,
            name: name.cloned().unwrap_or_default(),
            capability: capability.and_then(|text| text.parse().ok()),
            driver: driver.and_then(|text| text.parse().ok()),
        }
    })
    .collect()
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
        line: 1,
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
            ("", "error: nothing in it names a GPU"),
            (r#"{"items": []}"#, "error: nothing in it names a GPU"),
            (
                "{",
                "error: it is no JSON: EOF while parsing an object at line 1 column 1",
            ),
        ] {
            assert_eq!(imported(text), expected, "{text}");
        }
        assert!(
            imported("L4\nH10O\n")
                .starts_with("error: line 2: `H10O` is not a known GPU; the nearest names: ")
        );
    }
}
