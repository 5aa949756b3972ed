//! The machines that jobs run on, by their labels.
use super::content::Presence;
use super::state::State;
use crate::cuda::Device;
use crate::facts::Known;
use crate::fleet;
use crate::front::matrix::names_windows;
use crate::knowledge::Sh;
use crate::table::Text;
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A label that GitHub and others give to machines of their own, and the system that runs there.
const HOSTED: [(&str, &str); 3] = [
    ("ubuntu-", "Linux"),
    ("windows-", "Windows"),
    ("macos-", "macOS"),
];

/// Words of labels that are remembered.
const MOST_WORDS: usize = 1024;

/// The state at the start of a job on the machine that these labels name, and the system that runs there.
pub(super) fn state(labels: &[Value], own: &[(Text, Device)]) -> (State, Option<&'static str>) {
    let labels: Vec<String> = labels
        .iter()
        .filter_map(Value::known)
        .map(|label| label.to_ascii_lowercase())
        .collect();
    let system = system(&labels);
    if let Some(device) = labels.iter().find_map(|label| device(label, own)) {
        let mut state = State::new(Some(UNKNOWN));
        state.gpu = Known::Yes;
        state.machine_gpu = device.map(Into::into);
        return (state, system);
    }
    if let [label] = labels.as_slice()
        && HOSTED.iter().any(|(prefix, _)| label.starts_with(prefix))
    {
        let mut state = State::new(None);
        state.nvcc = Presence::absent(label);
        state.torch = Presence::absent(label);
        state.other_gpu = system == Some("macOS");
        state.sh = (system == Some("Linux")).then_some(Sh::Dash);
        return (state, system);
    }
    let mut state = State::new(Some(UNKNOWN));
    state.gpu = Known::Unknown;
    (state, system)
}

const UNKNOWN: &str = "the machine of the job may set it";

fn system(labels: &[String]) -> Option<&'static str> {
    let names = |word: &str| labels.iter().any(|label| label.contains(word));
    let found = HOSTED
        .iter()
        .find(|(prefix, _)| names(prefix.trim_end_matches('-')));
    match found {
        Some((_, system)) => Some(system),
        None if names("linux") => Some("Linux"),
        None if labels.iter().any(|label| names_windows(label)) => Some("Windows"),
        None if names("macos") || names("darwin") => Some("macOS"),
        None => None,
    }
}

/// The GPU that a word names. Jobs run on the same few machines, and to find that a word names none takes a look at all tables.
fn named(word: &str) -> Option<Device> {
    static KNOWN: Mutex<BTreeMap<String, Option<Device>>> = Mutex::new(BTreeMap::new());
    // a bare number or capability is no GPU's label
    if !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(device) = known().get(word) {
        return device.clone();
    }
    let device = fleet::find(word).and_then(Result::ok);
    let mut known = known();
    if known.len() < MOST_WORDS {
        known.insert(word.to_owned(), device.clone());
    }
    device
}

/// The GPU that a label names; `Some(None)` for one that says no more than that there is one.
fn device(label: &str, own: &[(Text, Device)]) -> Option<Option<Device>> {
    let of_user = own
        .iter()
        .find(|(name, _)| name.0.eq_ignore_ascii_case(label));
    if let Some((_, device)) = of_user {
        return Some(Some(device.clone()));
    }
    if let Some(device) = named(label) {
        return Some(Some(device));
    }
    let words: Vec<&str> = label.split(['-', '_', '.', ' ', ':']).collect();
    let negated = words
        .iter()
        .any(|word| matches!(*word, "no" | "nogpu" | "cpu" | "amd" | "rocm"));
    let gpu = words
        .iter()
        .any(|word| matches!(*word, "gpu" | "gpus" | "nvidia" | "cuda") || word.ends_with("gpu"));
    if negated {
        return None;
    }
    let device = words.iter().find_map(|word| named(word));
    (gpu || device.is_some()).then_some(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether there is a GPU, which one, and the system.
    fn machine(labels: &[&str]) -> String {
        let labels: Vec<Value> = labels.iter().map(|l| Value::literal(l, None)).collect();
        let (state, system) = state(&labels, &[]);
        let gpu = state.machine_gpu.map(|device| device.name.clone());
        format!(
            "{:?} {} {}",
            state.gpu,
            gpu.unwrap_or_default(),
            system.unwrap_or_default()
        )
    }

    #[test]
    fn machines_by_label() {
        for (labels, expected) in [
            (&["ubuntu-latest"][..], "No  Linux"),
            (&["windows-2022"], "No  Windows"),
            (&["macos-14"], "No  macOS"),
            (&["self-hosted"], "Unknown  "),
            (&["self-hosted", "linux", "x64"], "Unknown  Linux"),
            (&["self-hosted", "gpu"], "Yes  "),
            (&["gpu-t4-4-core"], "Yes Tesla T4 "),
            (&["linux.g5.4xlarge.nvidia.gpu"], "Yes NVIDIA A10G Linux"),
            (&["self-hosted", "h100"], "Yes NVIDIA H100 80GB HBM3 "),
            (&["linux-amd64-cpu16"], "Unknown  Linux"),
            (&["amd-gpu"], "Unknown  "),
            (&[], "Unknown  "),
        ] {
            assert_eq!(machine(labels), expected, "{labels:?}");
        }
    }
}
