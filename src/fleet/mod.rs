//! GPUs by the names that people give them: products, capabilities, machine types and runner labels.
pub mod code;
pub mod gaps;
pub mod import;
pub mod names;
mod nearest;

use crate::cuda::{Capability, Device, Suffix, Target, is_tegra, toolkits};
use crate::knowledge::{AMBIGUOUS, GPU_NAMES, GPUS, Gpu, INSTANCES, Instance, key, pattern};
use crate::table::Text;
use nearest::nearest;
use std::sync::OnceLock;

/// A name that is not that of one GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// There is no name.
    #[error("the name of a GPU is empty")]
    Empty,
    /// GPUs of several capabilities have it.
    #[error("`{name}` fits several GPUs: {}", gpus.join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// Their names.
        gpus: Vec<String>,
    },
    /// It is a machine without an NVIDIA GPU.
    #[error("`{name}` has no NVIDIA GPU")]
    NoGpu {
        /// The name.
        name: String,
    },
    /// No table has it.
    #[error("`{name}` is not a known GPU; the nearest names: {}", nearest.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// The three nearest names.
        nearest: Vec<String>,
    },
}

/// The GPU of a name: `L4`, `NVIDIA-A100-SXM4-80GB-MIG-1g.10gb`, `8.9`, `sm_89`, `89`, `aws:g6.xlarge`, `g6.xlarge`.
///
/// # Errors
/// No GPU has the name, or several of different capabilities.
pub fn resolve(name: &str) -> Result<Device, Unresolved> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Unresolved::Empty);
    }
    find(name).unwrap_or_else(|| {
        Err(match with_provider(name) {
            Some((provider, rented)) => unknown(rented, Some(provider), name),
            None => unknown(name, None, name),
        })
    })
}

/// The same of a word that need not be a name of a GPU; `None` where no table has it.
pub fn find(name: &str) -> Option<Result<Device, Unresolved>> {
    if let Some(capability) = capability(name) {
        return Some(Ok(Device::of(capability)));
    }
    match with_provider(name) {
        Some((provider, rented)) => instance(rented, Some(provider)).or_else(|| gpu(rented, name)),
        None => gpu(name, name).or_else(|| instance(name, None)),
    }
}

/// `aws:g6.xlarge`, where the provider is known.
fn with_provider(name: &str) -> Option<(&str, &str)> {
    let (provider, rented) = name.split_once(':')?;
    let known = INSTANCES.iter().any(|row| is_provider(row, provider));
    known.then_some((provider, rented))
}

/// The nearest names are sought last: that takes longer than all the rest.
fn unknown(name: &str, provider: Option<&str>, written: &str) -> Unresolved {
    Unresolved::Unknown {
        name: written.to_owned(),
        nearest: nearest(without_share(name), provider),
    }
}

/// `8.9`, `sm_89`, `compute_89`, `89`, of a capability that some toolkit compiles for.
fn capability(name: &str) -> Option<Capability> {
    let number = name
        .strip_prefix("sm_")
        .or_else(|| name.strip_prefix("compute_"))
        .unwrap_or(name);
    let target = Target::from_undotted(number).or_else(|| Target::from_dotted(number))?;
    let known = || toolkits().iter().any(|toolkit| toolkit.accepts(target));
    (target.suffix == Suffix::None && known()).then_some(target.capability)
}

/// A product, by any of its names; `None` where there is none. `written` is what the user wrote.
fn gpu(asked: &str, written: &str) -> Option<Result<Device, Unresolved>> {
    let name = without_share(asked);
    let keys = [
        key(name),
        key(without_count(name)),
        key(without_memory(name)),
    ];
    for key in &keys {
        if let Some(gpu) = by_key(key) {
            return Some(Ok(device(gpu)));
        }
        if let Some(at) = ambiguous_keys().iter().position(|other| other == key) {
            return Some(Err(ambiguous(written, AMBIGUOUS[at].gpus.iter())));
        }
    }
    None
}

/// The key of each name that several GPUs have.
fn ambiguous_keys() -> &'static [String] {
    static KEYS: OnceLock<Vec<String>> = OnceLock::new();
    KEYS.get_or_init(|| AMBIGUOUS.iter().map(|row| key(&row.name)).collect())
}

fn by_key(key: &str) -> Option<&'static Gpu> {
    // several boards of one name have one capability: the first of them stands for all
    let at = GPU_NAMES.partition_point(|name| name.key.as_str() < key);
    let found = GPU_NAMES.get(at).filter(|name| name.key.as_str() == key)?;
    GPUS.get(found.gpu)
}

fn device(gpu: &Gpu) -> Device {
    Device {
        name: gpu.name.to_string(),
        capability: gpu.capability,
        tegra: is_tegra(gpu.capability),
        driver: None,
    }
}

/// Without what Kubernetes and nvidia-smi add for a shared GPU or a slice of one: `-SHARED`, `-MIG-1g.10gb`, ` MIG 1g.5gb`.
fn without_share(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    ["-shared", "-mig-", " mig "]
        .iter()
        .filter_map(|mark| lower.find(mark))
        .min()
        .map_or(name, |end| &name[..end])
}

/// Without a count: `A100:8`, `8xH100`.
fn without_count(name: &str) -> &str {
    if let Some((gpu, count)) = name.rsplit_once(':')
        && count.bytes().all(|b| b.is_ascii_digit())
    {
        return gpu;
    }
    let gpu = name.trim_start_matches(|c: char| c.is_ascii_digit());
    match gpu.strip_prefix(['x', 'X']) {
        Some(gpu) if !name.starts_with(['x', 'X']) => gpu,
        _ => name,
    }
}

/// Without a memory size at the end: `RTX 4090 24GB`.
fn without_memory(name: &str) -> &str {
    let trimmed = name.trim_end_matches(['B', 'b']);
    let size = trimmed.trim_end_matches(['G', 'g']).trim_end();
    let rest = size.trim_end_matches(|c: char| c.is_ascii_digit());
    if rest.len() < size.len() && size.len() < name.len() {
        rest
    } else {
        name
    }
}

fn is_provider(row: &Instance, provider: &str) -> bool {
    row.provider.eq_ignore_ascii_case(provider)
}

/// The GPU of a machine type or label. Without a provider, all that know the name must agree.
fn instance(name: &str, provider: Option<&str>) -> Option<Result<Device, Unresolved>> {
    let fits = |row: &&Instance| {
        let mut patterns = row.names.into_iter();
        provider.is_none_or(|provider| is_provider(row, provider))
            && patterns.any(|pattern| pattern::fit(pattern.as_str(), name).is_some())
    };
    let mut rows = INSTANCES.iter().filter(fits);
    let first = rows.next()?;
    let others = rows.filter(|row| provider.is_none() && row.provider != first.provider);
    let rented: Vec<&Text> = others.chain([first]).flat_map(|row| row.gpus).collect();
    let gpus: Vec<&Gpu> = rented
        .iter()
        .filter_map(|gpu| GPUS.iter().find(|known| known.name == **gpu))
        .collect();
    Some(match gpus.split_first() {
        None => Err(Unresolved::NoGpu {
            name: name.to_owned(),
        }),
        Some((gpu, others)) if others.iter().all(|o| o.capability == gpu.capability) => {
            Ok(device(gpu))
        }
        Some(_) => Err(ambiguous(name, rented.into_iter())),
    })
}

fn ambiguous<'g>(name: &str, gpus: impl Iterator<Item = &'g Text>) -> Unresolved {
    Unresolved::Ambiguous {
        name: name.to_owned(),
        gpus: gpus.map(Text::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Trust;

    fn found(name: &str) -> String {
        match resolve(name) {
            Ok(device) => format!("{} {}", device.name, device.capability),
            Err(Unresolved::Ambiguous { gpus, .. }) => format!("several: {}", gpus.join(", ")),
            Err(Unresolved::NoGpu { .. }) => "no GPU".to_owned(),
            Err(Unresolved::Empty) => "empty".to_owned(),
            Err(Unresolved::Unknown { .. }) => "unknown".to_owned(),
        }
    }

    #[test]
    fn every_product_by_every_spelling() {
        for gpu in GPUS {
            let name = gpu.name.as_str();
            let bare = name.strip_prefix("NVIDIA ").unwrap_or(name);
            for spelling in [
                name.to_owned(),
                name.to_lowercase(),
                name.to_uppercase(),
                bare.to_owned(),
                format!("NVIDIA {bare}"),
                name.replace(' ', "-"),
                format!("{}-SHARED", name.replace(' ', "-")),
                format!("{}-MIG-1g.10gb", name.replace(' ', "-")),
                format!("{name} MIG 1g.10gb"),
            ] {
                let device = resolve(&spelling).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(device.capability, gpu.capability, "{spelling}");
                assert_eq!(device.tegra, is_tegra(gpu.capability), "{spelling}");
            }
        }
    }

    #[test]
    fn what_is_from_memory_is_not_trusted() {
        for row in INSTANCES {
            assert!(
                !row.source.is_empty() && row.checked.starts_with("20"),
                "{row:?}"
            );
            if row.source.contains("memory") {
                assert_eq!(row.trust, Trust::Low, "{:?}", row.names);
            }
        }
    }

    #[test]
    fn every_instance_of_one_capability() {
        let names = |row: &Instance, pattern: &Text| {
            let name = pattern.replace('*', "8");
            let asked = format!("{}:{name}", row.provider);
            [asked.to_lowercase(), asked.to_uppercase(), asked]
        };
        for row in INSTANCES {
            for asked in row
                .names
                .into_iter()
                .flat_map(|pattern| names(row, pattern))
            {
                let named = |wanted: &&Gpu| row.gpus.contains(&wanted.name);
                let gpus: Vec<_> = GPUS.iter().filter(named).collect();
                match resolve(&asked) {
                    Ok(device) => {
                        assert!(
                            gpus.iter().all(|g| g.capability == device.capability),
                            "{asked}"
                        );
                    }
                    Err(Unresolved::NoGpu { .. }) => assert!(gpus.is_empty(), "{asked}"),
                    Err(Unresolved::Ambiguous { .. }) => assert!(gpus.len() > 1, "{asked}"),
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    #[test]
    fn names_as_people_write_them() {
        for (name, expected) in [
            ("A100", "NVIDIA A100-SXM4-40GB 8.0"),
            (" h100 ", "NVIDIA H100 80GB HBM3 9.0"),
            ("4090", "unknown"),
            ("rtx4090", "NVIDIA GeForce RTX 4090 8.9"),
            ("RTX 4090 24GB", "NVIDIA GeForce RTX 4090 8.9"),
            ("L40S 48 GB", "NVIDIA L40S 8.9"),
            ("Jetson AGX Orin", "Orin 8.7"),
            ("DGX Spark", "NVIDIA GB10 12.1"),
            ("A100:8", "NVIDIA A100-SXM4-40GB 8.0"),
            ("8xH100", "NVIDIA H100 80GB HBM3 9.0"),
            ("nvidia-tesla-t4", "Tesla T4 7.5"),
            ("NVIDIA_H100_80GB", "NVIDIA H100 80GB HBM3 9.0"),
            ("8.9", "compute capability 8.9 8.9"),
            ("sm_89", "compute capability 8.9 8.9"),
            ("compute_120", "compute capability 12.0 12.0"),
            ("89", "compute capability 8.9 8.9"),
            ("8.7", "compute capability 8.7 8.7"),
            ("9.0a", "unknown"),
            ("9.9", "unknown"),
            ("aws:g6.xlarge", "NVIDIA L4 8.9"),
            ("AWS:G6.XLARGE", "NVIDIA L4 8.9"),
            ("g6.xlarge", "NVIDIA L4 8.9"),
            ("aws:p5.48xlarge", "NVIDIA H100 80GB HBM3 9.0"),
            ("ml.g5.2xlarge", "NVIDIA A10G 8.6"),
            ("aws:g4ad.xlarge", "no GPU"),
            ("trn1.32xlarge", "no GPU"),
            ("aws:x1.large", "unknown"),
            ("gcp:a2-highgpu-1g", "NVIDIA A100-SXM4-40GB 8.0"),
            ("gcp:nvidia-l4", "NVIDIA L4 8.9"),
            ("azure:Standard_NC4as_T4_v3", "Tesla T4 7.5"),
            ("Standard_NC6s_v3", "Tesla V100-PCIE-16GB 7.0"),
            ("modal:H100!", "NVIDIA H100 80GB HBM3 9.0"),
            ("modal:A100-80GB", "NVIDIA A100-SXM4-80GB 8.0"),
            ("modal:B200+", "several: NVIDIA B200, NVIDIA B300 SXM6 AC"),
            ("B200+", "several: NVIDIA B200, NVIDIA B300 SXM6 AC"),
            ("B200", "NVIDIA B200 10.0"),
            ("github:linux.g5.4xlarge.nvidia.gpu", "NVIDIA A10G 8.6"),
            ("linux_4_core_gpu", "Tesla T4 7.5"),
            ("linux-amd64-gpu-v100-latest-1", "Tesla V100-PCIE-16GB 7.0"),
            ("linux.16xlarge.nvidia.gpu", "Tesla M60 5.2"),
            (
                "azure:Standard_NC128ds_xl_RTXPRO6000BSE_v6",
                "NVIDIA RTX PRO 6000 Blackwell Server Edition 12.0",
            ),
            ("Standard_NV36ads_V710_v5", "no GPU"),
            ("coreweave:gb300-4x", "NVIDIA GB300 10.3"),
            (
                "runpod:AMPERE_16",
                "several: NVIDIA RTX A4000, NVIDIA RTX 4000 Ada Generation, NVIDIA RTX 2000 Ada Generation",
            ),
            ("ADA_80_PRO", "NVIDIA H100 80GB HBM3 9.0"),
            ("saas-linux-medium-amd64-gpu-standard", "Tesla T4 7.5"),
            ("NvidiaTeslaP100", "Tesla P100-PCIE-16GB 6.0"),
            ("nvidia-h200-141gb", "NVIDIA H200 9.0"),
            ("nvidia-gb300", "NVIDIA GB300 10.3"),
            (
                "RTX 6000",
                "several: Quadro RTX 6000, NVIDIA RTX 6000 Ada Generation, NVIDIA RTX PRO 6000 Blackwell Server Edition",
            ),
            ("", "empty"),
            (" ", "empty"),
            ("aws:", "unknown"),
            ("ubuntu-latest", "unknown"),
            ("self-hosted", "unknown"),
        ] {
            assert_eq!(found(name), expected, "{name}");
        }
    }

    #[test]
    fn unknown_names_come_with_the_nearest_three() {
        let nearest = |name| match resolve(name) {
            Err(Unresolved::Unknown { nearest, .. }) => nearest,
            other => panic!("{other:?}"),
        };
        assert!(nearest("H10O").contains(&"NVIDIA H100 80GB HBM3".to_owned()));
        assert!(nearest("RTX 409O").contains(&"NVIDIA GeForce RTX 4090".to_owned()));
        assert_eq!(nearest("zzzzzzzzzzzz").len(), 3);
        assert_eq!(nearest("g6d.xlarge"), ["g6.*", "g6f.*", "g6e.*"]);
        assert_eq!(
            nearest("aws:g7x.xlarge"),
            ["aws:g7.*", "aws:g7e.*", "aws:g2.*"]
        );
        assert_eq!(nearest("gcp:a4-hihgpu-8g")[0], "gcp:a4-highgpu-*");
    }
}
