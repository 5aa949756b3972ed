//! The shortest list that serves a fleet.
use super::arch_list::Entry;
use super::capability::{Capability, Image, Target};
use super::coverage::{Coverage, Jit, coverage};
use super::device::Device;
use super::toolkit::{Support, support, toolkit};
use super::version::ToolkitVersion;

/// A list for a fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestion {
    /// What to compile, oldest first: the fewest targets whose machine code runs on every GPU that can be served at all, and
    /// PTX for the newest of them.
    pub entries: Vec<Entry>,
    /// The GPUs for which there is no machine code.
    pub unreached: Vec<Unreached>,
}

/// A GPU that no target serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// The GPU.
    pub device: Device,
    /// What the toolkit does with the GPU's own target; `None` if it is the consumer that does not take it.
    pub why: Option<Support>,
}

/// The list for `devices` within what the toolkit accepts and, where it is known, what the consumer takes (torch's own list).
pub fn suggest(
    devices: &[Device],
    version: Option<ToolkitVersion>,
    consumer: Option<&[Target]>,
) -> Suggestion {
    let usable = |target: Target| {
        let compiled = match version.and_then(toolkit) {
            Some(toolkit) => toolkit.accepts(target),
            None => true,
        };
        compiled && consumer.is_none_or(|known| known.contains(&target))
    };
    let mut suggestion = Suggestion::default();
    let mut targets: Vec<Target> = Vec::new();
    // The oldest GPU of a major decides: its target serves the others.
    let mut oldest_first: Vec<&Device> = devices.iter().collect();
    oldest_first.sort_by_key(|device| device.capability);
    for device in oldest_first {
        if targets.iter().any(|target| serves(*target, device)) {
            continue;
        }
        match best(device, usable) {
            Some(target) => targets.push(target),
            None => suggestion.unreached.push(Unreached {
                device: device.clone(),
                why: why(device, version),
            }),
        }
    }
    targets.sort();
    let newest = targets.last().copied();
    suggestion.entries = targets
        .into_iter()
        .map(|target| Entry {
            target,
            sass: true,
            ptx: Some(target) == newest,
        })
        .collect();
    suggestion
}

/// Whether machine code for `target` runs on the device.
fn serves(target: Target, device: &Device) -> bool {
    let verdict = coverage(&[Image::sass(target)], device, None, Jit::Allowed);
    matches!(verdict, Coverage::Native { .. })
}

/// The newest usable target that serves the device.
fn best(device: &Device, usable: impl Fn(Target) -> bool) -> Option<Target> {
    let minors = (0..=device.capability.minor).rev();
    minors
        .map(|minor| Target::plain(Capability::new(device.capability.major, minor)))
        .find(|target| serves(*target, device) && usable(*target))
}

fn why(device: &Device, version: Option<ToolkitVersion>) -> Option<Support> {
    let own = Target::plain(device.capability);
    Some(support(own, version?)).filter(|support| *support != Support::Supported)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::arch_list::{Syntax, to_text};
    use crate::cuda::{Suffix, toolkits};
    use proptest::prelude::*;

    fn devices(capabilities: &str) -> Vec<Device> {
        let words = capabilities.split_whitespace();
        words
            .map(|word| Device::of(word.parse().unwrap()))
            .collect()
    }

    fn list(capabilities: &str, version: Option<&str>) -> String {
        let version = version.map(|text| text.parse().unwrap());
        let suggestion = suggest(&devices(capabilities), version, None);
        to_text(Syntax::Torch, &suggestion.entries).unwrap()
    }

    #[test]
    fn one_target_a_major_and_one_a_tegra_chip() {
        for (fleet, toolkit, expected) in [
            ("8.0 8.6 8.9 9.0", None, "8.0;9.0+PTX"),
            ("8.9 8.6", Some("12.4"), "8.6+PTX"),
            ("8.9", Some("11.7"), "8.6+PTX"),
            ("8.9", Some("12.4"), "8.9+PTX"),
            ("12.0 12.1 10.3", Some("13.0"), "10.3;12.0+PTX"),
            ("10.3", Some("12.8"), "10.0+PTX"),
            ("8.7 8.6 8.9", None, "8.6;8.7+PTX"),
            ("8.7", Some("12.4"), "8.7+PTX"),
            ("7.0 7.5", Some("12.4"), "7.0+PTX"),
            ("7.5 9.0 12.0", Some("12.4"), "7.5;9.0+PTX"),
            ("", None, ""),
        ] {
            assert_eq!(list(fleet, toolkit), expected, "{fleet} {toolkit:?}");
        }
    }

    #[test]
    fn what_cannot_be_reached_is_named() {
        let reasons = |fleet, toolkit: &str| {
            let version = Some(toolkit.parse().unwrap());
            let unreached = suggest(&devices(fleet), version, None).unreached;
            unreached.into_iter().map(|u| u.why).collect::<Vec<_>>()
        };
        let version = |text: &str| text.parse::<ToolkitVersion>().unwrap();
        let (first, called) = (version("12.8"), None);
        assert_eq!(
            reasons("12.0 9.0", "12.4"),
            [Some(Support::TooOld { first, called })]
        );
        let (last, renamed_to) = (version("12.9"), None);
        assert_eq!(
            reasons("7.0", "13.0"),
            [Some(Support::Dropped { last, renamed_to })]
        );
        let (first, called) = (version("13.0"), "101".parse().ok());
        assert_eq!(
            reasons("11.0", "12.9"),
            [Some(Support::TooOld { first, called })]
        );
    }

    #[test]
    fn the_consumer_limits_too() {
        let known = ["80", "86"].map(|text| text.parse().unwrap());
        let suggestion = suggest(&devices("8.9 9.0"), None, Some(&known));
        let text = to_text(Syntax::Torch, &suggestion.entries).unwrap();
        assert_eq!(text, "8.6+PTX");
        assert_eq!(suggestion.unreached[0].why, None);
    }

    /// Every target without suffix that some toolkit knows.
    fn plain_targets() -> Vec<Target> {
        let mut all: Vec<Target> = toolkits().iter().flat_map(|t| t.targets).copied().collect();
        all.retain(|target| target.suffix == Suffix::None);
        all.sort();
        all.dedup();
        all
    }

    /// The fewest of `usable` whose machine code runs on every one of `devices`, by trying.
    fn fewest(usable: &[Target], devices: &[&Device]) -> usize {
        let Some(first) = devices.first() else {
            return 0;
        };
        let left = |target: Target| -> Vec<&Device> {
            devices
                .iter()
                .copied()
                .filter(|d| !serves(target, d))
                .collect()
        };
        let useful = usable.iter().filter(|target| serves(**target, first));
        useful
            .map(|target| 1 + fewest(usable, &left(*target)))
            .min()
            .unwrap_or(99)
    }

    proptest! {
        /// Every GPU that some usable target serves is served, by as few as can be; the others are named.
        #[test]
        fn all_that_can_be_reached_is_reached_by_the_fewest(
            numbers in proptest::collection::vec(prop::sample::select(vec![
                35u32, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 107, 110, 120, 121,
            ]), 0..6),
            at in prop::option::of(0..toolkits().len()),
            consumer in prop::option::of(proptest::sample::subsequence(plain_targets(), 0..12)),
        ) {
            let fleet: Vec<Device> = numbers
                .into_iter()
                .filter_map(Capability::from_number)
                .map(Device::of)
                .collect();
            let toolkit = at.map(|at| &toolkits()[at]);
            let usable: Vec<Target> = plain_targets()
                .into_iter()
                .filter(|target| toolkit.is_none_or(|toolkit| toolkit.accepts(*target)))
                .filter(|target| consumer.as_ref().is_none_or(|known| known.contains(target)))
                .collect();
            let suggestion = suggest(&fleet, toolkit.map(|t| t.version), consumer.as_deref());
            let reachable = |device: &&Device| usable.iter().any(|target| serves(*target, device));
            let served = |entries: &[Entry], device: &Device| {
                entries.iter().any(|entry| entry.sass && serves(entry.target, device))
            };
            let named = |device: &Device| suggestion.unreached.iter().any(|u| u.device == *device);
            for device in &fleet {
                prop_assert_eq!(served(&suggestion.entries, device), reachable(&device));
                prop_assert_eq!(named(device), !reachable(&device));
            }
            for entry in &suggestion.entries {
                prop_assert!(usable.contains(&entry.target), "{:?}", entry);
            }
            for left_out in 0..suggestion.entries.len() {
                let mut fewer = suggestion.entries.clone();
                fewer.remove(left_out);
                prop_assert!(fleet.iter().any(|d| !named(d) && !served(&fewer, d)));
            }
            let reached: Vec<&Device> = fleet.iter().filter(reachable).collect();
            prop_assert_eq!(suggestion.entries.len(), fewest(&usable, &reached));
        }
    }
}
