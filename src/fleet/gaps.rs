//! What some code leaves out of a fleet: GPUs together where the reason is one.
use super::code::Code;
use super::names::{joined, shown};
use crate::cuda::Device;
use crate::facts::{Confidence, FleetGap, GapKind};

/// What the alternatives of some code leave out of a fleet; `None`: nothing is known of one. A gap of all alternatives is
/// certain, of some is likely.
pub fn gaps(alternatives: &[Option<Code<'_>>], fleet: &[Device]) -> Vec<FleetGap> {
    let mut found: Vec<Found<'_>> = Vec::new();
    for device in fleet {
        let of_each: Vec<Vec<(GapKind, String)>> = alternatives
            .iter()
            .map(|code| code.map(|code| code.gaps(device)).unwrap_or_default())
            .collect();
        collect(&of_each, Some(device), &mut found);
    }
    if !fleet.is_empty() {
        let of_each: Vec<_> = alternatives
            .iter()
            .map(|code| code.map(|code| code.bound()).unwrap_or_default())
            .collect();
        collect(&of_each, None, &mut found);
    }
    let left_out: Vec<String> = found
        .iter()
        .filter(|gap| gap.kind == GapKind::Suffix)
        .map(|gap| gap.reason.clone())
        .collect();
    found.retain(|gap| gap.kind != GapKind::Bound || !left_out.contains(&gap.reason));
    found.sort_by_key(|gap| gap.kind);
    found.into_iter().map(Found::fact).collect()
}

/// A gap on its way.
struct Found<'d> {
    kind: GapKind,
    reason: String,
    confidence: Confidence,
    devices: Vec<&'d Device>,
}

/// What a gap comes to: that no code runs has several reasons, which may differ from alternative to alternative; a target that is
/// bound is bound for its own.
fn harm(kind: GapKind, reason: &str) -> (GapKind, &str) {
    match kind {
        GapKind::Toolkit | GapKind::Suffix | GapKind::Tegra => (GapKind::Missing, ""),
        GapKind::Bound => (kind, reason),
        other => (other, ""),
    }
}

/// Adds what each alternative says of a device.
fn collect<'d>(
    of_each: &[Vec<(GapKind, String)>],
    device: Option<&'d Device>,
    found: &mut Vec<Found<'d>>,
) {
    let mut seen = Vec::new();
    for (kind, reason) in of_each.iter().flatten() {
        let harm = harm(*kind, reason);
        if seen.contains(&harm) {
            continue;
        }
        let has =
            |gaps: &Vec<(GapKind, String)>| gaps.iter().any(|(k, r)| self::harm(*k, r) == harm);
        let in_all = of_each.iter().all(has);
        seen.push(harm);
        let confidence = if in_all {
            Confidence::Certain
        } else {
            Confidence::Likely
        };
        let same = |gap: &&mut Found<'_>| {
            (gap.kind, &gap.reason, gap.confidence) == (*kind, reason, confidence)
        };
        match found.iter_mut().find(same) {
            Some(gap) => gap.devices.extend(device),
            None => found.push(Found {
                kind: *kind,
                reason: reason.clone(),
                confidence,
                devices: device.into_iter().collect(),
            }),
        }
    }
}

impl Found<'_> {
    fn fact(self) -> FleetGap {
        fact(self.kind, &self.devices, self.reason, self.confidence)
    }
}

/// A gap as a fact.
pub fn fact(
    kind: GapKind,
    devices: &[&Device],
    reason: String,
    confidence: Confidence,
) -> FleetGap {
    let mut gpus: Vec<String> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for device in devices {
        if !gpus.contains(&device.name) {
            gpus.push(device.name.clone());
            words.push(shown(device));
        }
    }
    FleetGap {
        kind,
        gpus,
        gpus_text: joined(&words),
        reason,
        confidence,
        elsewhere: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::{DriverBranch, Image};
    use crate::facts::Verdict;
    use crate::fleet::resolve;
    use proptest::prelude::*;

    fn images(text: &str) -> Vec<Image> {
        let words = text.split_whitespace();
        words
            .map(|word| {
                let (kind, target) = word.split_once('_').unwrap();
                let target = target.parse().unwrap();
                if kind == "sm" {
                    Image::sass(target)
                } else {
                    Image::ptx(target)
                }
            })
            .collect()
    }

    fn fleet(names: &str, driver: Option<u16>) -> Vec<Device> {
        let driver = driver.map(DriverBranch);
        let devices = names.split_whitespace().map(|name| resolve(name).unwrap());
        devices.map(|device| Device { driver, ..device }).collect()
    }

    /// Kind, GPUs and reason of each gap, and `?` where it is only likely.
    fn found(alternatives: &[&str], toolkit: &str, fleet: &[Device]) -> Vec<String> {
        let images: Vec<Vec<Image>> = alternatives.iter().map(|text| images(text)).collect();
        let codes = images.iter().map(|images| {
            (!images.is_empty()).then(|| Code {
                images,
                more: false,
                ptx_open: false,
                toolkit: toolkit.parse().ok(),
            })
        });
        let gaps = gaps(&codes.collect::<Vec<_>>(), fleet).into_iter();
        let shown = gaps.map(|gap| {
            let sure = if gap.confidence == Confidence::Likely {
                "?"
            } else {
                ""
            };
            format!("{:?}{sure} {}: {}", gap.kind, gap.gpus_text, gap.reason)
        });
        shown.collect()
    }

    #[test]
    fn gaps_have_reasons() {
        for (code, toolkit, gpus, driver, expected) in [
            ("sm_80 sm_90", "12.4", "A100 L4 H100", None, vec![]),
            (
                "sm_89",
                "12.4",
                "8.6 8.0 L4",
                None,
                vec![
                    "Missing compute capability 8.6 and compute capability 8.0: it holds sm_89 and no PTX",
                ],
            ),
            (
                "sm_90 compute_90",
                "12.4",
                "8.9",
                None,
                vec![
                    "Missing compute capability 8.9: it holds sm_90 and compute_90, and PTX runs on no older GPU",
                ],
            ),
            (
                "sm_90",
                "12.4",
                "12.0 7.0",
                None,
                vec![
                    "Missing compute capability 7.0: it holds sm_90 and no PTX",
                    "Toolkit compute capability 12.0: CUDA 12.4 compiles nothing for this generation, 12.8 is the first that does",
                ],
            ),
            (
                "sm_75",
                "13.0",
                "7.0",
                None,
                vec![
                    "Toolkit compute capability 7.0: CUDA 13.0 compiles nothing for this generation, 12.9 is the last that does",
                ],
            ),
            (
                "sm_80 compute_80",
                "12.8",
                "B200",
                Some(570),
                vec![
                    "Jit NVIDIA B200 (10.0): only compute_80 runs there, which the driver compiles when the program starts",
                ],
            ),
            (
                "sm_80 compute_80",
                "12.8",
                "9.0",
                Some(550),
                vec![
                    "DriverPtx compute capability 9.0: driver 550 does not compile compute_80, which is PTX 8.7",
                ],
            ),
            (
                "sm_90",
                "13.0",
                "9.0",
                Some(550),
                vec![
                    "Driver compute capability 9.0: CUDA 13.0 needs driver 580, and there it is 550",
                ],
            ),
            ("sm_90", "12.8", "9.0", Some(525), vec![]),
            (
                "sm_100a",
                "12.9",
                "10.0 10.3",
                None,
                vec!["Suffix compute capability 10.3: code for sm_100a runs on 10.0 alone"],
            ),
            (
                "sm_103f",
                "13.0",
                "10.3 10.7",
                None,
                vec!["Suffix compute capability 10.7: code for sm_103f runs on 10.3 alone"],
            ),
            (
                "sm_90a",
                "12.4",
                "9.0",
                None,
                vec!["Bound : code for sm_90a runs on 9.0 alone"],
            ),
            (
                "sm_90a sm_100a",
                "12.9",
                "9.0",
                None,
                vec![
                    "Bound : code for sm_90a runs on 9.0 alone",
                    "Bound : code for sm_100a runs on 10.0 alone",
                ],
            ),
            ("sm_90a sm_90", "12.4", "9.0", None, vec![]),
            ("sm_90a", "12.4", "", None, vec![]),
            (
                "sm_80",
                "12.4",
                "8.7",
                None,
                vec![
                    "Tegra compute capability 8.7: sm_80 is for desktop GPUs, and a Tegra chip needs its own code",
                ],
            ),
            (
                "sm_87",
                "12.4",
                "L4",
                None,
                vec!["Tegra NVIDIA L4 (8.9): sm_87 is for a Tegra chip only"],
            ),
            ("sm_101", "12.8", "11.0", None, vec![]), // it cannot be known
        ] {
            let got = found(&[code], toolkit, &fleet(gpus, driver));
            assert_eq!(got, expected, "{code} by {toolkit} on {gpus}");
        }
    }

    #[test]
    fn a_gap_of_some_alternatives_is_likely() {
        for (alternatives, expected) in [
            (
                &["sm_80", "sm_90"][..],
                vec!["Missing? compute capability 8.0: it holds sm_90 and no PTX"],
            ),
            (
                &["sm_90", "sm_89"],
                vec!["Missing compute capability 8.0: it holds sm_90 and no PTX"],
            ),
            (
                &["sm_90", ""],
                vec!["Missing? compute capability 8.0: it holds sm_90 and no PTX"],
            ),
            (&["", ""], vec![]),
            (&["sm_80", "sm_80 sm_90"], vec![]),
        ] {
            assert_eq!(found(alternatives, "12.4", &fleet("8.0", None)), expected);
        }
    }

    #[test]
    fn what_is_not_known_is_no_gap() {
        let images = images("sm_90");
        let code = Code {
            images: &images,
            more: true,
            ptx_open: false,
            toolkit: None,
        };
        let devices = fleet("8.0 9.0", None);
        assert_eq!(gaps(&[Some(code)], &devices), []);
        let verdicts: Vec<_> = devices
            .iter()
            .map(|device| code.covers(device).verdict)
            .collect();
        assert_eq!(verdicts, [Verdict::Unknown, Verdict::Native]);
    }

    proptest! {
        /// A GPU has a gap of the code exactly where it is not served natively and the verdict is known.
        #[test]
        fn every_gpu_is_served_named_or_unknown(
            code in proptest::collection::vec(prop::sample::select(vec![
                "sm_70", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_101",
                "sm_110", "sm_120", "compute_70", "compute_80", "compute_90", "compute_90a", "compute_120",
            ]), 1..5),
            numbers in proptest::collection::vec(prop::sample::select(vec![
                "7.0", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1",
            ]), 0..6),
            toolkit in prop::sample::select(vec!["12.4", "12.9", "13.0", ""]),
            driver in prop::option::of(prop::sample::select(vec![525u16, 550, 580])),
        ) {
            let images = images(&code.join(" "));
            let devices = fleet(&numbers.join(" "), driver);
            let code = Code { images: &images, more: false, ptx_open: false, toolkit: toolkit.parse().ok() };
            let gaps = gaps(&[Some(code)], &devices);
            for device in &devices {
                let named = gaps.iter().any(|gap| {
                    gap.kind != GapKind::Driver && gap.gpus.contains(&device.name)
                });
                let verdict = code.covers(device).verdict;
                let served = matches!(verdict, Verdict::Native | Verdict::Unknown);
                prop_assert_eq!(named, !served, "{:?} {:?}", device, verdict);
            }
        }
    }
}
