//! What the containers of a file mean for each GPU.
//!
//! Containers are counted one by one: each holds the images of the same kernels, and the driver picks from one
//! container only. A container whose images are all of one major generation, or only `a` and `f` targets, is
//! *dispatch* where others of the file span several: its kernels are for those GPUs on purpose (cublasLt, sources
//! for Hopper only), so that it is missed by no other GPU.
use super::lacking;
use crate::cuda::{
    self, Coverage, Device, Doubt, Gap, Image, ImageKind, Jit, Suffix, coverage,
    coverage_with_groups,
};
use crate::facts::{Artifact, ArtifactCoverage, Declared, GpusByVerdict, ImageSet, Verdict};

/// Fills in what an artifact means for each device.
pub fn judge(artifact: &mut Artifact, devices: &[Device]) {
    artifact.coverage = devices
        .iter()
        .filter_map(|device| verdict(artifact, device))
        .collect();
    artifact.verdicts = by_verdict(&artifact.coverage);
    let refused = devices.iter().filter(|device| shuts_out(artifact, device));
    artifact.shut_out = refused.map(with_capability).collect();
    let native = |verdicts: &GpusByVerdict| verdicts.verdict == Verdict::Native;
    artifact.all_native = !artifact.verdicts.is_empty() && artifact.verdicts.iter().all(native);
    let mut images = artifact.sets.iter().flat_map(ImageSet::all).peekable();
    artifact.specific =
        images.peek().is_some() && images.all(|image| image.target.suffix != Suffix::None);
}

/// Whether NVIDIA's container runtime does not start an image on a device. Several variables must all be satisfied.
fn shuts_out(artifact: &Artifact, device: &Device) -> bool {
    let values = artifact
        .requires
        .iter()
        .filter_map(|setting| setting.split_once('='));
    values
        .map(|(_, requirement)| cuda::admits(requirement, device))
        .any(|admits| admits == Some(false))
}

fn with_capability(device: &Device) -> String {
    format!("{} ({})", device.name, device.capability)
}

fn by_verdict(coverage: &[ArtifactCoverage]) -> Vec<GpusByVerdict> {
    let mut groups: Vec<GpusByVerdict> = Vec::new();
    for c in coverage {
        let new = GpusByVerdict {
            verdict: c.verdict,
            gpus: vec![format!("{} ({})", c.gpu, c.capability)],
            capabilities: vec![c.capability.clone()],
            by: c.by.clone(),
            jit: c.jit,
            missing: c.missing,
            counted: c.of - c.dispatch,
            kernels: c.kernels.clone(),
            unnamed: c.unnamed,
        };
        let same = |group: &&mut GpusByVerdict| {
            let key = |g: &GpusByVerdict| (g.verdict, g.by.clone(), g.jit, g.missing, g.counted);
            key(group) == key(&new) && group.kernels == new.kernels
        };
        match groups.iter_mut().find(same) {
            Some(group) => {
                group.gpus.extend(new.gpus);
                if !group.capabilities.contains(&c.capability) {
                    group.capabilities.extend(new.capabilities);
                }
            }
            None => groups.push(new),
        }
    }
    groups
}

/// Compares an artifact with the images that were declared for it; `None` for one without any.
pub fn compare(artifact: &Artifact, declared: &[Image]) -> Option<Declared> {
    let everywhere = artifact.sets.iter().flat_map(ImageSet::all);
    let ordinary = ordinary(&artifact.sets).flat_map(ImageSet::all);
    let same = |a: &Image, b: &Image| (a.kind, a.target) == (b.kind, b.target);
    let runnable = |image: &&Image| image.kind != ImageKind::Lto;
    let found: Vec<Image> = everywhere.filter(runnable).copied().collect();
    if found.is_empty() {
        return None;
    }
    let missing = declared
        .iter()
        .filter(|want| !found.iter().any(|has| same(has, want)));
    let unexpected = ordinary
        .filter(runnable)
        .filter(|has| !declared.iter().any(|want| same(has, want)));
    Some(Declared {
        missing: words(missing.copied()),
        unexpected: words(unexpected.copied()),
        by: None,
    })
}

fn words(images: impl Iterator<Item = Image>) -> Vec<String> {
    let mut images: Vec<Image> = images.collect();
    images.sort_unstable();
    let mut words: Vec<String> = images.iter().map(ToString::to_string).collect();
    words.dedup();
    words
}

/// Containers by what they mean for a device.
#[derive(Default)]
struct Tally {
    native: u64,
    jit: u64,
    blocked: u64,
    missing: u64,
    unknown: u64,
    by: Option<Coverage>,
}

impl Tally {
    fn add(&mut self, covers: Coverage, set: &ImageSet) {
        let count = match covers {
            Coverage::Native { .. } => &mut self.native,
            // What could not be read may be just what is missing.
            _ if set.incomplete => &mut self.unknown,
            Coverage::Jit { .. } => &mut self.jit,
            Coverage::Blocked { .. } => &mut self.blocked,
            Coverage::Missing(_) => &mut self.missing,
            Coverage::Unknown(_) => &mut self.unknown,
        };
        *count += set.count;
    }

    fn verdict(&self) -> Verdict {
        let served = self.native + self.jit;
        let refused = self.missing + self.blocked;
        match (served, refused, self.unknown) {
            (1.., 1.., _) => Verdict::Partial,
            (_, _, 1..) => Verdict::Unknown,
            (1.., 0, 0) if self.jit == 0 => Verdict::Native,
            (1.., 0, 0) => Verdict::Jit,
            _ if self.missing == 0 => Verdict::Blocked,
            _ => Verdict::Missing,
        }
    }
}

fn verdict(artifact: &Artifact, device: &Device) -> Option<ArtifactCoverage> {
    let mut tally = Tally::default();
    for set in ordinary(&artifact.sets) {
        let answer = covers(set, device);
        tally.add(answer, set);
        tally.by = Some(telling(tally.by, answer));
    }
    let all: u64 = runnable(&artifact.sets).map(|set| set.count).sum();
    let counted = tally.native + tally.jit + tally.blocked + tally.missing + tally.unknown;
    let dispatch_served: u64 = special(&artifact.sets)
        .filter(|set| covers(set, device).serves())
        .map(|set| set.count)
        .sum();
    let mut verdict = match tally.verdict() {
        // Kernels for this very GPU, without those that every GPU needs.
        Verdict::Missing if dispatch_served > 0 => Verdict::Partial,
        verdict => verdict,
    };
    let mut by = tally.by.map(reason).unwrap_or_default();
    if counted == 0 || is_stub(artifact) {
        if artifact.outside.is_empty() {
            return None;
        }
        // A library that loads its code itself registers a stub or nothing: cuFFT, CUPTI.
        let covers = coverage(&artifact.outside, device, None, Jit::Allowed);
        verdict = match covers {
            Coverage::Native { .. } => Verdict::Native,
            Coverage::Jit { .. } => Verdict::Jit,
            Coverage::Blocked { .. } => Verdict::Blocked,
            Coverage::Missing(_) => Verdict::Missing,
            Coverage::Unknown(_) => Verdict::Unknown,
        };
        by = reason(covers);
        if verdict != Verdict::Missing {
            by += ", in code that the library loads itself";
        }
    }
    let lacking = ordinary(&artifact.sets).filter(|set| !covers(set, device).serves());
    let (kernels, unnamed) = match verdict {
        Verdict::Partial => lacking::kernels(lacking),
        _ => (Vec::new(), 0),
    };
    Some(ArtifactCoverage {
        gpu: device.name.clone(),
        capability: device.capability.to_string(),
        verdict,
        by,
        native: tally.native,
        jit: tally.jit,
        missing: tally.missing + tally.blocked,
        dispatch: all - counted,
        dispatch_served,
        of: all,
        kernels,
        unnamed,
    })
}

/// Whether all that is registered is one image of the compiler's default architecture in one of NVIDIA's own
/// libraries. The driver refuses it on newer GPUs (measured for cuFFT on an H200), and nothing needs it there.
fn is_stub(artifact: &Artifact) -> bool {
    let containers: u64 = artifact.sets.iter().map(|set| set.count).sum();
    let single = |set: &ImageSet| set.all().count() == 1 && !set.incomplete;
    !artifact.vendor.is_empty() && containers <= 2 && artifact.sets.iter().all(single)
}

/// The containers that count for every GPU.
fn ordinary(sets: &[ImageSet]) -> impl Iterator<Item = &ImageSet> {
    let spanning = runnable(sets).any(|set| !is_special(set));
    runnable(sets).filter(move |set| !spanning || !is_special(set))
}

/// Those that do not.
fn special(sets: &[ImageSet]) -> impl Iterator<Item = &ImageSet> {
    let spanning = runnable(sets).any(|set| !is_special(set));
    runnable(sets).filter(move |set| spanning && is_special(set))
}

fn covers(set: &ImageSet, device: &Device) -> Coverage {
    coverage_with_groups(&set.images, &set.grouped, device, Jit::Allowed)
}

/// Containers with something that a driver loads; LTO alone waits for a device link.
fn runnable(sets: &[ImageSet]) -> impl Iterator<Item = &ImageSet> {
    let loads = |image: &Image| image.kind != ImageKind::Lto;
    sets.iter()
        .filter(move |set| set.incomplete || set.all().any(loads))
}

fn is_special(set: &ImageSet) -> bool {
    let images: Vec<Image> = set.all().copied().collect();
    cuda::is_special(&images)
}

/// Of two answers the one that says more: what is missing, then what is compiled at load, then what runs.
fn telling(known: Option<Coverage>, new: Coverage) -> Coverage {
    let weight = |covers: &Coverage| match covers {
        Coverage::Missing(Gap::Nothing) => 4,
        Coverage::Missing(_) => 5,
        Coverage::Blocked { .. } => 3,
        Coverage::Unknown(_) => 2,
        Coverage::Jit { .. } => 1,
        Coverage::Native { .. } => 0,
    };
    known
        .filter(|known| weight(known) >= weight(&new))
        .unwrap_or(new)
}

fn reason(covers: Coverage) -> String {
    match covers {
        Coverage::Native { by } | Coverage::Jit { by, .. } => by.to_string(),
        Coverage::Blocked { by, why } => match why {
            crate::cuda::Block::IsaTooNew { isa, driver } => {
                format!("{by} is PTX {isa}, which driver {driver} does not compile")
            }
            crate::cuda::Block::Disabled => format!("{by}, and PTX is not compiled"),
        },
        Coverage::Missing(Gap::Nothing) => "nothing runs there".to_owned(),
        Coverage::Missing(Gap::AcrossTegra(by)) => {
            format!("{by} is not for a chip of this kind: Tegra and others differ")
        }
        Coverage::Missing(Gap::Suffix(by)) => format!("{by} is for its own GPUs only"),
        Coverage::Unknown(Doubt::Family(by)) => {
            format!("whether {by} reaches it depends on the toolkit that built it")
        }
        Coverage::Unknown(Doubt::Renamed(by)) => {
            format!("whether {by} runs under the chip's new name was not measured")
        }
        Coverage::Unknown(Doubt::Grouped(by)) => format!(
            "{by} lies in a group (fatbinary --concat): drivers up to 580 do not look into these, newer ones were not measured"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::summary;
    use crate::facts::ArtifactKind;

    /// `3: sm_80 sm_90, 1: sm_90a`: containers by count; `[sm_90]` is in a group.
    fn artifact(text: &str) -> Artifact {
        let sets = text
            .split(", ")
            .filter(|part| !part.is_empty())
            .map(|part| {
                let (count, images) = part.split_once(": ").unwrap();
                let image = |word: &str| match word.split_once('_').unwrap() {
                    ("sm", target) => Image::sass(target.parse().unwrap()),
                    (_, target) => Image::ptx(target.parse().unwrap()),
                };
                let (images, grouped) = images.split_once('[').unwrap_or((images, ""));
                let read = |text: &str| text.split_whitespace().map(image).collect();
                ImageSet {
                    incomplete: count.ends_with('?'),
                    count: count.trim_end_matches('?').parse().unwrap(),
                    images: read(images),
                    grouped: read(grouped.trim_end_matches(']')),
                    ..ImageSet::default()
                }
            });
        Artifact {
            sets: sets.collect(),
            ..summary::bare(ArtifactKind::Elf, 0)
        }
    }

    #[test]
    fn containers_are_counted() {
        for (code, gpu, expected) in [
            ("3: sm_80 sm_90", "8.6", "native 3 0 0 0 of 3"),
            ("3: sm_80 sm_90", "10.0", "missing 0 0 3 0 of 3"),
            ("3: sm_80 compute_80", "9.0", "jit 0 3 0 0 of 3"),
            (
                "3: sm_80 sm_90, 1: sm_75 sm_80",
                "9.0",
                "partial 3 0 1 0 of 4",
            ),
            // Kernels for Hopper only, on purpose.
            ("3: sm_80 sm_90, 2: sm_90a", "8.0", "native 3 0 0 2 of 5"),
            ("3: sm_80 sm_90, 2: sm_90", "8.0", "native 3 0 0 2 of 5"),
            (
                "3: sm_80 sm_90, 2: sm_90a sm_100a",
                "8.0",
                "native 3 0 0 2 of 5",
            ),
            (
                "3: sm_75 sm_80 sm_100, 2: sm_90a",
                "9.0",
                "partial 0 0 3 2 of 5",
            ),
            // Without containers for several generations, none is an exception.
            ("2: sm_90a", "8.0", "missing 0 0 2 0 of 2"),
            ("2: sm_90a, 3: sm_80", "9.0", "partial 2 0 3 0 of 5"),
            // What could not be read may be what is missing.
            ("1?: sm_80", "8.0", "native 1 0 0 0 of 1"),
            ("1?: sm_80", "9.0", "unknown 0 0 0 0 of 1"),
            // Not every driver looks into groups.
            ("1: sm_80 [sm_90]", "9.0", "unknown 0 0 0 0 of 1"),
            ("1: sm_80 [sm_90]", "8.6", "native 1 0 0 0 of 1"),
            ("1: compute_80 [sm_90]", "9.0", "jit 0 1 0 0 of 1"),
            (
                "1: sm_80 [sm_90], 2: sm_80 sm_90",
                "9.0",
                "unknown 2 0 0 0 of 3",
            ),
        ] {
            let mut artifact = artifact(code);
            judge(&mut artifact, &[Device::of(gpu.parse().unwrap())]);
            let c = &artifact.coverage[0];
            let verdict = format!("{:?}", c.verdict).to_lowercase();
            let told = format!(
                "{verdict} {} {} {} {} of {}",
                c.native, c.jit, c.missing, c.dispatch, c.of
            );
            assert_eq!(told, expected, "{code} on {gpu}");
        }
        let mut nothing = artifact("");
        judge(&mut nothing, &[Device::of("8.0".parse().unwrap())]);
        assert!(nothing.coverage.is_empty());
    }

    #[test]
    fn a_stub_of_a_vendor_says_nothing() {
        let judged = |vendor: &str, outside: &str| {
            let mut artifact = artifact("1: sm_75");
            artifact.vendor = vendor.into();
            let images = outside.split_whitespace();
            artifact.outside = images
                .map(|word| Image::sass(word.parse().unwrap()))
                .collect();
            judge(&mut artifact, &[Device::of("9.0".parse().unwrap())]);
            artifact.coverage.first().map(|c| c.verdict)
        };
        for (vendor, outside, expected) in [
            ("", "", Some(Verdict::Missing)),
            ("", "90", Some(Verdict::Missing)),
            ("cuFFT", "", None),
            ("cuFFT", "80 90", Some(Verdict::Native)),
            ("cuFFT", "80", Some(Verdict::Missing)),
        ] {
            assert_eq!(judged(vendor, outside), expected, "{vendor} {outside}");
        }
    }

    #[test]
    fn what_was_declared_is_compared_both_ways() {
        let images = |text: &str| -> Vec<Image> {
            let set = format!("1: {text}");
            artifact(&set).sets[0].images.clone()
        };
        let found = artifact("3: sm_80 sm_90, 2: sm_90a");
        for (declared, missing, unexpected) in [
            ("sm_80 sm_90", "", ""),
            ("sm_80 sm_90 compute_90", "compute_90", ""),
            ("sm_80", "", "sm_90"),
            ("sm_90a sm_80 sm_90", "", ""),
        ] {
            let told = compare(&found, &images(declared)).unwrap();
            assert_eq!(told.missing.join(" "), missing, "{declared}");
            assert_eq!(told.unexpected.join(" "), unexpected, "{declared}");
        }
    }
}
