//! Which GPUs built files serve, all of them together.
use super::verdict;
use crate::cuda::{Capability, Device};
use crate::facts::{Artifact, ArtifactCoverage, Verdict};

/// What some files mean for every GPU that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Serves {
    /// Capabilities that every file has machine code for.
    pub native: Vec<Capability>,
    /// Those that some file reaches only through PTX.
    pub jit: Vec<Capability>,
    /// Whether GPUs that are newer than those known are reached, too, through PTX.
    pub newer: bool,
    /// The others, each with a file that does not serve it wholly.
    pub not: Vec<(Capability, String)>,
}

/// A capability that no GPU has.
const NEWER: Capability = Capability::new(99, 0);

/// What `artifacts` serve of `capabilities`; `None` where none of them has device code. Files for `a` and `f` targets only are for
/// their own GPUs on purpose, and count only where there are no others; the gaps of NVIDIA's own libraries do not count.
pub fn serves(artifacts: &[Artifact], capabilities: &[Capability]) -> Option<Serves> {
    let devices: Vec<Device> = capabilities
        .iter()
        .copied()
        .chain([NEWER])
        .map(Device::of)
        .collect();
    let mut judged: Vec<Artifact> = artifacts.to_vec();
    for artifact in &mut judged {
        verdict::judge(artifact, &devices);
    }
    judged.retain(|artifact| !artifact.coverage.is_empty());
    if judged.iter().any(|artifact| !artifact.specific) {
        judged.retain(|artifact| !artifact.specific);
    }
    if judged.is_empty() {
        return None;
    }
    let mut serves = Serves::default();
    for (n, device) in devices.iter().enumerate() {
        let worst = judged
            .iter()
            .filter_map(|artifact| Some((artifact, artifact.coverage.get(n)?)))
            .max_by_key(|(artifact, coverage)| weight(artifact, coverage));
        let Some((artifact, coverage)) = worst else {
            continue;
        };
        let capability = device.capability;
        match weight(artifact, coverage) {
            0 | 1 if capability == NEWER => serves.newer = true,
            _ if capability == NEWER => {}
            0 => serves.native.push(capability),
            1 => serves.jit.push(capability),
            _ => serves.not.push((capability, name(artifact).to_owned())),
        }
    }
    Some(serves)
}

/// 0 for machine code, 1 for PTX, 2 for anything less.
fn weight(artifact: &Artifact, coverage: &ArtifactCoverage) -> u8 {
    match coverage.verdict {
        Verdict::Native => 0,
        Verdict::Partial if !artifact.vendor.is_empty() => 0,
        Verdict::Jit => 1,
        _ => 2,
    }
}

fn name(artifact: &Artifact) -> &str {
    match artifact.member.as_str() {
        "" => &artifact.path,
        member => member,
    }
}

#[cfg(test)]
mod tests {
    use super::super::summary::bare;
    use super::*;
    use crate::cuda::Image;
    use crate::facts::{ArtifactKind, ImageSet};

    fn artifact(path: &str, images: &str) -> Artifact {
        let image = |word: &str| match word.split_once('_').unwrap() {
            ("sm", target) => Image::sass(target.parse().unwrap()),
            (_, target) => Image::ptx(target.parse().unwrap()),
        };
        let set = ImageSet {
            images: images.split_whitespace().map(image).collect(),
            count: 1,
            ..ImageSet::default()
        };
        Artifact {
            path: path.into(),
            sets: vec![set],
            ..bare(ArtifactKind::Elf, 1)
        }
    }

    #[test]
    fn all_files_have_to_serve() {
        let capabilities = ["7.5", "8.0", "8.6", "9.0", "12.0"].map(|c| c.parse().unwrap());
        for (files, native, jit, newer) in [
            (&["sm_80 sm_90 compute_90"][..], "8.0 8.6 9.0", "12.0", true),
            (
                &["sm_80 sm_90 compute_90", "sm_86 sm_90"],
                "8.6 9.0",
                "",
                false,
            ),
            (
                &["sm_80 sm_90", "sm_80 compute_80"],
                "8.0 8.6",
                "9.0",
                false,
            ),
            // Kernels for Hopper only, beside others.
            (&["sm_80 sm_90", "sm_90a"], "8.0 8.6 9.0", "", false),
            (&["sm_90a"], "9.0", "", false),
        ] {
            let artifacts: Vec<Artifact> =
                files.iter().map(|images| artifact("a", images)).collect();
            let told = serves(&artifacts, &capabilities).unwrap();
            let words = |list: &[Capability]| {
                let words: Vec<String> = list.iter().map(ToString::to_string).collect();
                words.join(" ")
            };
            assert_eq!(
                (
                    words(&told.native).as_str(),
                    words(&told.jit).as_str(),
                    told.newer
                ),
                (native, jit, newer),
                "{files:?}"
            );
        }
        assert_eq!(serves(&[bare(ArtifactKind::Elf, 1)], &capabilities), None);
    }
}
