//! Gives the containers of artifacts to the driver, one by one, and compares its answers with the static verdicts.
use super::ask;
use super::child::Launcher;
use super::code::Code;
use super::predicted::{Answer, Judgement, Predicted, is_loose, with_log};
use super::protocol::Part;
use crate::cuda::{self, Capability, Device, Image, ImageKind, Jit};
use crate::facts::{
    Artifact, BlockedPtx, ContainerAt, Disagreement, LoadedArtifact, Probe, ProbeState,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Disagreements that are told one by one.
const TOLD: usize = 100;
/// Why the code of a package may be left alone.
const PACKED: &str = "in a package: unpack it first";

/// Loads the artifacts, which were read with their places, on every GPU that works, and adds what came of it to its probe.
pub fn load(probes: &mut [Probe], artifacts: &[Artifact], launcher: &Launcher, jit: Jit) {
    let plans: Vec<Plan> = artifacts.iter().map(Plan::new).collect();
    let parts: Vec<Vec<Part>> = plans.iter().map(Plan::parts).collect();
    for probe in probes
        .iter_mut()
        .filter(|probe| probe.state == ProbeState::Ran)
    {
        let Some(device) = device(probe) else {
            continue;
        };
        let answers = ask::every(&parts, launcher, probe.index);
        for (plan, answers) in plans.iter().zip(answers) {
            let (loaded, blocked) = plan.compare(&answers, &device, jit);
            probe.blocked.extend(blocked);
            probe.artifacts.push(LoadedArtifact {
                gpu: probe.gpu.clone(),
                capability: probe.capability.clone(),
                ..loaded
            });
        }
    }
}

/// Whether the code of an artifact lies in a package and was not unpacked, so that the driver cannot load it.
pub fn is_packed(artifact: &Artifact) -> bool {
    let inside = !artifact.member.is_empty() || artifact.path == "-";
    inside && artifact.unpacked.is_none() && artifact.containers > 0
}

/// The file that the artifact's places count in.
fn file_of(artifact: &Artifact) -> &Path {
    artifact
        .unpacked
        .as_deref()
        .unwrap_or(Path::new(&artifact.path))
}

/// The artifact as a user finds it.
fn name(artifact: &Artifact) -> String {
    match artifact.member.as_str() {
        "" => artifact.path.clone(),
        member => format!("{}!{member}", artifact.path),
    }
}

fn device(probe: &Probe) -> Option<Device> {
    let capability: Capability = probe.capability.parse().ok()?;
    Some(Device {
        name: probe.gpu.clone(),
        driver: probe.driver.parse().ok(),
        ..Device::of(capability)
    })
}

/// What of an artifact is given to the driver.
struct Plan<'a> {
    artifact: &'a Artifact,
    places: Vec<&'a ContainerAt>,
    skipped: BTreeMap<&'static str, u64>,
}

impl<'a> Plan<'a> {
    fn new(artifact: &'a Artifact) -> Self {
        let mut file = File::open(file_of(artifact)).ok();
        let mut places = Vec::new();
        let mut skipped = BTreeMap::new();
        if artifact.places.is_empty() && artifact.containers > 0 {
            skipped.insert(PACKED, artifact.containers);
        }
        for place in &artifact.places {
            match refused(artifact, place, file.as_mut()) {
                Some(why) => *skipped.entry(why).or_default() += 1,
                None => places.push(place),
            }
        }
        Self {
            artifact,
            places,
            skipped,
        }
    }

    /// What the driver is asked, in order.
    fn parts(&self) -> Vec<Part> {
        let path = file_of(self.artifact).to_string_lossy();
        let part = |place: &&ContainerAt| Part {
            path: path.clone().into_owned(),
            offset: place.offset,
            end: place.end,
        };
        self.places.iter().map(part).collect()
    }

    /// Why images may be missing on purpose, where something says so.
    fn excuse(&self, chooses: bool) -> &'static str {
        if !self.artifact.vendor.is_empty() {
            "it is a library of NVIDIA's, and these choose their kernels by the GPU"
        } else if chooses {
            "other containers are for this GPU alone, so the file chooses its kernels by the GPU"
        } else if !self.artifact.outside_sections.is_empty() {
            "it holds more device code, outside of the sections, that was not loaded"
        } else {
            ""
        }
    }

    fn compare(
        &self,
        answers: &[Answer],
        device: &Device,
        jit: Jit,
    ) -> (LoadedArtifact, Vec<BlockedPtx>) {
        let images = self.places.iter().map(|place| place.all().copied());
        let images: Vec<Vec<Image>> = images.map(Iterator::collect).collect();
        let images: Vec<&[Image]> = images.iter().map(Vec::as_slice).collect();
        let dispatch = cuda::dispatch(&images);
        let mut loaded = LoadedArtifact {
            path: self.artifact.path.clone(),
            member: self.artifact.member.clone(),
            ..LoadedArtifact::default()
        };
        let mut skipped: BTreeMap<&str, u64> = self.skipped.clone();
        let mut chooses = false;
        let mut blocked: BTreeMap<i32, (u64, &str)> = BTreeMap::new();
        for ((place, answer), dispatch) in self.places.iter().zip(answers).zip(dispatch) {
            if let Answer::NotAsked(why) = answer {
                *skipped.entry(why).or_default() += 1;
                continue;
            }
            loaded.loaded += 1;
            let predicted = Predicted::of(place, device, jit);
            match predicted.judge(answer) {
                Judgement::Agrees => {
                    loaded.of += 1;
                    loaded.agree += 1;
                }
                Judgement::Undecided => loaded.undecided += 1,
                Judgement::Differs(driver_code) => {
                    loaded.of += 1;
                    if loaded.disagree.len() < TOLD {
                        loaded.disagree.push(Disagreement {
                            offset: place.offset,
                            images: words(place.all()),
                            verdict: predicted.verdict,
                            driver_code,
                            driver: answer.to_string(),
                        });
                    }
                }
            }
            if let Answer::Code(code, log) = answer {
                chooses |= dispatch && *code == Code::SUCCESS;
                if *code == Code::NO_IMAGE || predicted.is_missing(*code) {
                    *(if dispatch {
                        &mut loaded.dispatch
                    } else {
                        &mut loaded.missing
                    }) += 1;
                } else if code.is_blocked_ptx() {
                    blocked.entry(code.0).or_insert((0, log)).0 += 1;
                }
            }
        }
        loaded.skipped = skipped.values().sum();
        let skipped = skipped.iter().map(|(why, n)| format!("{n} {why}"));
        loaded.skipped_text = skipped.collect::<Vec<_>>().join("; ");
        loaded.excuse = self.excuse(chooses).to_owned();
        let blocked = blocked.into_iter().map(|(code, (count, log))| BlockedPtx {
            what: name(self.artifact),
            code,
            reason: with_log(Code(code), log),
            count,
        });
        (loaded, blocked.collect())
    }
}

/// Why a container is not given to the driver.
fn refused(
    artifact: &Artifact,
    place: &ContainerAt,
    file: Option<&mut File>,
) -> Option<&'static str> {
    if is_packed(artifact) {
        return Some(PACKED);
    }
    if place.incomplete {
        return Some("damaged, or of a kind not known: such containers have crashed the driver");
    }
    if place.all().next().is_none() {
        return Some("without an image");
    }
    if place.relocatable || place.all().all(|image| image.kind == ImageKind::Lto) {
        return Some("for the device linker: the driver does not load it by itself");
    }
    let mut head = [0; 4];
    let read = file.is_some_and(|file| {
        file.seek(SeekFrom::Start(place.offset)).is_ok() && file.read_exact(&mut head).is_ok()
    });
    let text = is_loose(place)
        && matches!(place.images.as_slice(), [image] if image.kind == ImageKind::Ptx);
    let known = matches!(head, [0x50, 0xed, 0x55, 0xba] | [0x7f, b'E', b'L', b'F']);
    (!read || !(text || known)).then_some("in a compressed section")
}

fn words<'i>(images: impl Iterator<Item = &'i Image>) -> String {
    let words: Vec<String> = images.map(Image::to_string).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::predicted::tests::{h200, place};
    use super::*;

    #[test]
    fn everything_is_counted_once() {
        let places = [
            place("sm_80 sm_90", 64),
            place("sm_100", 164),
            place("new_80 new_90", 264),
            place("sm_90", 364),
            place("sm_80 sm_100", 464),
        ];
        let artifact = crate::facts::sample::artifact();
        let plan = Plan {
            artifact: &artifact,
            places: places.iter().collect(),
            skipped: BTreeMap::from([("damaged", 2)]),
        };
        let code = |code| Answer::Code(Code(code), String::new());
        let answers = [
            code(0),
            code(209),
            code(222),
            Answer::NotAsked("gone".into()),
            code(209),
        ];
        let (loaded, blocked) = plan.compare(&answers, &h200(), Jit::Allowed);
        assert_eq!(
            (loaded.loaded, loaded.agree, loaded.of, loaded.undecided),
            (4, 4, 4, 0)
        );
        assert_eq!((loaded.missing, loaded.dispatch), (1, 1));
        assert_eq!(
            (loaded.skipped, loaded.skipped_text.as_str()),
            (3, "2 damaged; 1 gone")
        );
        assert_eq!(
            (blocked.len(), blocked[0].code, blocked[0].count),
            (1, 222, 1)
        );
        assert_eq!(loaded.disagree, []);
    }
}
