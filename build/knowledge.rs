//! The knowledge tables: GPUs, instances, images, wheels.
#[allow(dead_code)]
#[path = "../src/knowledge/key.rs"]
mod key;
#[allow(dead_code)]
#[path = "../src/knowledge/record.rs"]
mod record;

use crate::cuda::Capability;
use crate::table::{List, Text, Trust};
use crate::{read, rust, table};
use key::key;
use record::{
    Ambiguous, CiAction, CudaError, Gpu, GpuName, ImageRow, Instance, NgcRelease, TorchWheel,
};
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// GPUs of one capability, as their file holds them. Not every field is used, but every group must have them.
#[allow(dead_code)]
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GpuGroup {
    /// Their compute capability.
    capability: Capability,
    /// The GPUs.
    gpus: List<NamedGpu>,
    /// Where this is known from.
    source: Text,
    /// When that was looked at.
    checked: Text,
    /// How well it is known.
    trust: Trust,
}

/// A GPU's names.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedGpu {
    /// What nvidia-smi and torch print.
    name: Text,
    /// What people write besides.
    #[serde(default)]
    aliases: List<Text>,
}

const GPUS: &str = "rules/knowledge/gpus.yaml";

/// The file that `src/knowledge/tables.rs` includes.
pub fn tables() -> Result<String, String> {
    let groups: Vec<GpuGroup> = read::records(Path::new(GPUS))?;
    let gpus = gpus(&groups);
    let names = names(&groups, &gpus).map_err(|problem| format!("{GPUS}: {problem}"))?;
    let known: HashSet<&str> = gpus.iter().map(|gpu| gpu.name.as_str()).collect();
    let unwritable = |error: rust::Unwritable| format!("{GPUS}: {error}");
    Ok([
        "/// GPU products, in the order of their file.\n".to_owned(),
        rust::table("GPUS", "Gpu", &gpus).map_err(unwritable)?,
        "/// Their names and aliases, by key.\n".to_owned(),
        rust::table("GPU_NAMES", "GpuName", &names).map_err(unwritable)?,
        "/// Names of several capabilities.\n".to_owned(),
        table::<Ambiguous>(
            "AMBIGUOUS",
            "Ambiguous",
            &["rules/knowledge/gpus-ambiguous.yaml"],
            |rows| check_ambiguous(rows, &known, &names),
        )?,
        "/// Names under which GPUs are rented.\n".to_owned(),
        table::<Instance>(
            "INSTANCES",
            "Instance",
            &["rules/knowledge/instances.yaml"],
            |rows| check_known(rows.iter().flat_map(|row| row.gpus), &known),
        )?,
        "/// Actions and workflows of others, the first that fits counts.\n".to_owned(),
        table::<CiAction>(
            "CI_ACTIONS",
            "CiAction",
            &["rules/knowledge/ci-actions.yaml"],
            |_| Ok(()),
        )?,
        "/// The wheels of torch.\n".to_owned(),
        table::<TorchWheel>(
            "TORCH_WHEELS",
            "TorchWheel",
            &["rules/knowledge/torch-wheels.yaml"],
            check_wheels,
        )?,
        "/// Base images, the first that fits counts.\n".to_owned(),
        table::<ImageRow>(
            "IMAGES",
            "ImageRow",
            &["rules/knowledge/images.yaml"],
            |_| Ok(()),
        )?,
        "/// Releases of NGC's images.\n".to_owned(),
        table::<NgcRelease>(
            "NGC_RELEASES",
            "NgcRelease",
            &["rules/knowledge/ngc-releases.yaml"],
            |rows| unique(rows.iter().map(|row| row.release.to_string())),
        )?,
        "/// Errors, one file each.\n".to_owned(),
        table::<CudaError>(
            "ERRORS",
            "CudaError",
            &read::files("rules/errors")?,
            |rows| unique(rows.iter().flat_map(|row| row.names).map(Text::to_string)),
        )?,
    ]
    .concat())
}

fn gpus(groups: &[GpuGroup]) -> Vec<Gpu> {
    let of_group = |group: &GpuGroup| {
        let (capability, trust) = (group.capability, group.trust);
        group.gpus.into_iter().map(move |gpu| Gpu {
            name: gpu.name,
            capability,
            trust,
        })
    };
    groups.iter().flat_map(of_group).collect()
}

/// Every way to write a GPU's name, by key. Of several GPUs of one capability the first has it.
fn names(groups: &[GpuGroup], gpus: &[Gpu]) -> Result<Vec<GpuName>, String> {
    let mut by_key: BTreeMap<String, usize> = BTreeMap::new();
    let named = groups.iter().flat_map(|group| group.gpus);
    for (at, gpu) in named.enumerate() {
        for name in [gpu.name].into_iter().chain(gpu.aliases.iter().copied()) {
            let first = *by_key.entry(key(&name)).or_insert(at);
            if gpus[first].capability != gpus[at].capability {
                return Err(format!(
                    "`{name}` fits {} and {}, of different capabilities",
                    gpus[first].name, gpus[at].name
                ));
            }
        }
    }
    Ok(by_key
        .into_iter()
        .map(|(key, gpu)| GpuName {
            key: Text(key.leak()),
            gpu,
        })
        .collect())
}

fn check_ambiguous(
    rows: &[Ambiguous],
    known: &HashSet<&str>,
    names: &[GpuName],
) -> Result<(), String> {
    check_known(rows.iter().flat_map(|row| row.gpus), known)?;
    for row in rows {
        if names.iter().any(|name| *name.key == key(&row.name)) {
            return Err(format!("`{}` is also the name of one GPU", row.name));
        }
    }
    unique(rows.iter().map(|row| key(&row.name)))
}

fn check_known(
    mut named: impl Iterator<Item = &'static Text>,
    known: &HashSet<&str>,
) -> Result<(), String> {
    match named.find(|name| !known.contains(name.as_str())) {
        Some(name) => Err(format!("`{name}` is not a name in {GPUS}")),
        None => Ok(()),
    }
}

fn check_wheels(wheels: &[TorchWheel]) -> Result<(), String> {
    if let Some(wheel) = wheels.iter().find(|wheel| wheel.from > wheel.to) {
        return Err(format!("{} is newer than {}", wheel.from, wheel.to));
    }
    unique(
        wheels
            .iter()
            .map(|wheel| format!("{} {} {:?}", wheel.from, wheel.variant, wheel.cpu)),
    )
}

fn unique(keys: impl Iterator<Item = String>) -> Result<(), String> {
    let mut seen = HashSet::new();
    for key in keys {
        if !seen.insert(key.clone()) {
            return Err(format!("`{key}` stands there twice"));
        }
    }
    Ok(())
}
