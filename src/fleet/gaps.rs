//! What some code leaves out of a fleet, and why.
use super::names::joined;
use crate::cuda::{
    Block, Coverage, Device, Gap, Image, ImageKind, Jit, Suffix, Support, Target, ToolkitVersion,
    coverage, suggest, toolkit,
};
use crate::facts::{Confidence, FleetGap, GapKind, GpuCoverage, Verdict};

/// The code that something carries.
#[derive(Clone, Copy, Debug)]
pub struct Code<'i> {
    /// Its images, as far as they are known.
    pub images: &'i [Image],
    /// There may be more of them.
    pub more: bool,
    /// The toolkit that built it.
    pub toolkit: Option<ToolkitVersion>,
}

impl Code<'_> {
    /// What it means for a GPU. What might be filled by images that are not known is unknown.
    pub fn covers(&self, device: &Device) -> GpuCoverage {
        let (verdict, by) = match coverage(self.images, device, self.toolkit, Jit::Allowed) {
            Coverage::Native { by } => (Verdict::Native, Some(by)),
            _ if self.more => (Verdict::Unknown, None),
            Coverage::Jit { by, .. } => (Verdict::Jit, Some(by)),
            Coverage::Blocked { by, .. } => (Verdict::Blocked, Some(by)),
            Coverage::Missing(_) => (Verdict::Missing, None),
            Coverage::Unknown(_) => (Verdict::Unknown, None),
        };
        GpuCoverage {
            gpu: device.name.clone(),
            capability: device.capability.to_string(),
            verdict,
            by: by.map(|by| by.to_string()).unwrap_or_default(),
        }
    }

    /// What is wrong for a GPU, and why.
    fn gaps(&self, device: &Device) -> Vec<(GapKind, String)> {
        let of_code = self.gap(device);
        let of_driver = self.driver_gap(device);
        of_code.into_iter().chain(of_driver).collect()
    }

    fn gap(&self, device: &Device) -> Option<(GapKind, String)> {
        if self.more {
            return None;
        }
        match coverage(self.images, device, self.toolkit, Jit::Allowed) {
            Coverage::Native { .. } | Coverage::Unknown(_) => None,
            Coverage::Jit { by, .. } => Some((
                GapKind::Jit,
                format!("only {by} runs there, which the driver compiles when the program starts"),
            )),
            Coverage::Blocked { by, why } => {
                let reason = match why {
                    Block::IsaTooNew { isa, driver } => {
                        format!("driver {driver} does not compile {by}, which is PTX {isa}")
                    }
                    Block::Disabled => format!("the driver does not compile {by}"),
                };
                Some((GapKind::DriverPtx, reason))
            }
            Coverage::Missing(Gap::Nothing) => Some(match out_of_reach(device, self.toolkit) {
                Some(reason) => (GapKind::Toolkit, reason),
                None => (GapKind::Missing, self.held()),
            }),
            Coverage::Missing(Gap::Suffix(image)) => {
                Some((GapKind::Suffix, carries(image.target, self.toolkit)))
            }
            Coverage::Missing(Gap::AcrossTegra(image)) => Some((
                GapKind::Tegra,
                if device.tegra {
                    format!("{image} is for desktop GPUs, and a Tegra chip needs its own code")
                } else {
                    format!("{image} is for a Tegra chip only")
                },
            )),
        }
    }

    fn driver_gap(&self, device: &Device) -> Option<(GapKind, String)> {
        let (version, driver) = (self.toolkit?, device.driver?);
        let floor = toolkit(version)?.floor;
        let reason = || format!("CUDA {version} needs driver {floor}, and there it is {driver}");
        (driver.0 < floor).then(|| (GapKind::Driver, reason()))
    }

    /// What it holds, in words.
    fn held(&self) -> String {
        let names: Vec<String> = self.images.iter().map(Image::to_string).collect();
        let has_ptx = self.images.iter().any(|image| image.kind == ImageKind::Ptx);
        if has_ptx {
            return format!("it holds {}, and PTX runs on no older GPU", joined(&names));
        }
        let with_none = names.into_iter().chain(["no PTX".to_owned()]);
        format!("it holds {}", joined(&with_none.collect::<Vec<_>>()))
    }

    /// Targets whose suffix keeps their code from GPUs of their generation, where nothing else of the generation is there.
    fn bound(&self) -> Vec<(GapKind, String)> {
        let sass = || {
            self.images
                .iter()
                .filter(|i| i.kind == ImageKind::Sass)
                .map(|i| i.target)
        };
        let carried = |bound: Target| {
            sass().any(|other| {
                other.suffix == Suffix::None && other.capability.major == bound.capability.major
            })
        };
        let bound = sass().filter(|t| t.suffix == Suffix::Accelerated && !carried(*t));
        bound
            .map(|target| (GapKind::Bound, carries(target, self.toolkit)))
            .collect()
    }
}

/// Why the toolkit compiles nothing that runs on the GPU; `None` if it does, or if that is not known.
pub fn out_of_reach(device: &Device, version: Option<ToolkitVersion>) -> Option<String> {
    let version = version?;
    let suggestion = suggest(std::slice::from_ref(device), Some(version), None);
    match suggestion.unreached.first()?.why? {
        Support::TooOld { first, .. } => Some(format!(
            "CUDA {version} compiles nothing for this generation, {first} is the first that does"
        )),
        Support::Dropped { last, .. } => Some(format!(
            "CUDA {version} compiles nothing for this generation, {last} is the last that does"
        )),
        Support::Supported | Support::NeverExisted | Support::Unknown => None,
    }
}

/// How far a target with a suffix carries, in words.
fn carries(target: Target, version: Option<ToolkitVersion>) -> String {
    let name = target.undotted();
    if target.suffix == Suffix::Accelerated {
        return format!("code for sm_{name} runs on {} alone", target.capability);
    }
    let family = version.and_then(toolkit).and_then(|t| t.family(target));
    match family {
        Some(family) => {
            let members: Vec<_> = family.members.iter().map(ToString::to_string).collect();
            format!("code for sm_{name} runs on {} alone", joined(&members))
        }
        None => format!("code for sm_{name} runs in its family alone"),
    }
}

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
    let mut shown: Vec<String> = Vec::new();
    for device in devices {
        if !gpus.contains(&device.name) {
            gpus.push(device.name.clone());
            shown.push(super::names::shown(device));
        }
    }
    FleetGap {
        kind,
        gpus,
        gpus_text: joined(&shown),
        reason,
        confidence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::DriverBranch;
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
            let code = Code { images: &images, more: false, toolkit: toolkit.parse().ok() };
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
