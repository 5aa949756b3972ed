//! Gives the containers of artifacts to the driver, one by one, and compares its answers with the static verdicts.
use super::child::Launcher;
use super::code::Code;
use super::protocol::{Job, Part, Reply, Task};
use crate::cuda::{self, Block, Capability, Coverage, Device, Image, ImageKind, Jit};
use crate::facts::{
    Artifact, BlockedPtx, ContainerAt, Disagreement, LoadedArtifact, Probe, ProbeState, Verdict,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Children that may die over the containers of one artifact before the rest of it is left alone.
const DEATHS: usize = 20;
/// Disagreements that are told one by one.
const TOLD: usize = 100;

/// Loads the artifacts, which were read with their places, on every GPU that works, and adds what came of it to its probe.
pub fn load(probes: &mut [Probe], artifacts: &[Artifact], launcher: &Launcher, jit: Jit) {
    for probe in probes
        .iter_mut()
        .filter(|probe| probe.state == ProbeState::Ran)
    {
        let Some(device) = device(probe) else {
            continue;
        };
        for artifact in artifacts {
            let plan = Plan::new(artifact);
            let answers = plan.ask(launcher, probe.index);
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

/// What the driver said of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    /// It answered.
    Code(Code, String),
    /// It was not asked: why.
    NotAsked(String),
    /// It did not come back.
    Lost(String),
}

impl<'a> Plan<'a> {
    fn new(artifact: &'a Artifact) -> Self {
        let mut file = File::open(&artifact.path).ok();
        let mut places = Vec::new();
        let mut skipped = BTreeMap::new();
        if artifact.places.is_empty() && artifact.containers > 0 {
            skipped.insert("in a package: unpack it first", artifact.containers);
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

    /// The driver's answers, one per place. A child that dies is followed by another that goes on behind.
    fn ask(&self, launcher: &Launcher, index: u32) -> Vec<Answer> {
        let parts: Vec<Part> = self
            .places
            .iter()
            .map(|place| Part {
                path: self.artifact.path.clone(),
                offset: place.offset,
                end: place.end,
            })
            .collect();
        let mut answers: Vec<Answer> = Vec::new();
        let mut deaths = 0;
        while let Some(left) = parts.get(answers.len()..).filter(|left| !left.is_empty()) {
            let job = Job::Load {
                index,
                parts: left.to_vec(),
            };
            let mut loading = false;
            let mut refusal = None;
            let end = launcher.run(&job, |reply| match reply {
                Reply::Begin(Task::Load(_)) => loading = true,
                Reply::Loaded { code, log, .. } => {
                    loading = false;
                    answers.push(match code {
                        Some(code) => Answer::Code(Code(code), log),
                        None => Answer::NotAsked(log),
                    });
                }
                Reply::NotStarted { reason, .. } | Reply::NoContext { reason, .. } => {
                    refusal = Some(reason);
                }
                _ => {}
            });
            let trouble = end.trouble().or(refusal);
            let Some(trouble) = trouble else { break };
            deaths += 1;
            if loading && deaths < DEATHS {
                answers.push(Answer::Lost(trouble));
                continue;
            }
            if loading {
                answers.push(Answer::Lost(trouble.clone()));
            }
            answers.resize(parts.len(), Answer::NotAsked(trouble));
        }
        let silent = Answer::NotAsked("the process said nothing of it".to_owned());
        answers.resize(parts.len(), silent);
        answers
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
        let images: Vec<&[Image]> = self
            .places
            .iter()
            .map(|place| place.images.as_slice())
            .collect();
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
                            images: words(&place.images),
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
            what: self.artifact.path.clone(),
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
    if !artifact.member.is_empty() || artifact.path == "-" {
        return Some("in a package: unpack it first");
    }
    if place.incomplete {
        return Some("damaged, or of a kind not known: such containers have crashed the driver");
    }
    let waits = place
        .images
        .iter()
        .all(|image| image.kind == ImageKind::Lto);
    if place.relocatable || waits && !place.images.is_empty() {
        return Some("for the device linker: the driver does not load it by itself");
    }
    if place.images.is_empty() {
        return Some("without an image");
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

/// What the driver answers where nothing fits. For PTX that stands alone it looks at the settings first, then at the version,
/// then at the target.
fn missing(place: &ContainerAt, device: &Device, jit: Jit) -> &'static [i32] {
    let Some(ptx) = place
        .images
        .first()
        .filter(|image| is_loose(place) && image.kind == ImageKind::Ptx)
    else {
        return &[209];
    };
    let known = device
        .driver
        .zip(ptx.ptx_isa)
        .map(|(driver, isa)| driver.compiles(isa));
    match (jit, known.flatten()) {
        (Jit::Disabled, _) => &[223],
        (_, Some(true)) => &[218],
        (_, Some(false)) => &[222],
        (_, None) => &[218, 222],
    }
}

/// Whether it is an image that stands alone.
fn is_loose(place: &ContainerAt) -> bool {
    !place.fatbin
}

fn words(images: &[Image]) -> String {
    let words: Vec<String> = images.iter().map(Image::to_string).collect();
    words.join(" ")
}

/// What the tables say of a container.
struct Predicted {
    verdict: Verdict,
    /// The codes that would be agreement; none where nothing is said.
    codes: &'static [i32],
}

enum Judgement {
    Agrees,
    Differs(Option<i32>),
    Undecided,
}

impl Predicted {
    fn of(place: &ContainerAt, device: &Device, jit: Jit) -> Self {
        let loose = is_loose(place);
        // Machine code that stands alone is run even where PTX is forced.
        let jit = match jit {
            Jit::Forced if loose => Jit::Allowed,
            jit => jit,
        };
        let coverage = cuda::coverage(&place.images, device, None, jit);
        let (verdict, codes): (_, &'static [i32]) = match coverage {
            // A driver of CUDA 13.0 does not look into groups, and which is the first that does is not known.
            _ if place.grouped => (Verdict::Unknown, &[]),
            Coverage::Native { .. } => (Verdict::Native, &[0]),
            Coverage::Jit { sure: true, .. } => (Verdict::Jit, &[0]),
            Coverage::Jit { sure: false, .. } | Coverage::Unknown(_) => (Verdict::Unknown, &[]),
            Coverage::Blocked { why, .. } => match why {
                Block::IsaTooNew { .. } => (Verdict::Blocked, &[222]),
                Block::Disabled => (Verdict::Blocked, &[223]),
            },
            Coverage::Missing(_) => (Verdict::Missing, missing(place, device, jit)),
        };
        Self { verdict, codes }
    }

    fn judge(&self, answer: &Answer) -> Judgement {
        match answer {
            Answer::Lost(_) => Judgement::Differs(None),
            Answer::NotAsked(_) => Judgement::Undecided,
            Answer::Code(code, _) if !code.is_about_images() || self.codes.is_empty() => {
                Judgement::Undecided
            }
            Answer::Code(code, _) if self.codes.contains(&code.0) => Judgement::Agrees,
            Answer::Code(code, _) => Judgement::Differs(Some(code.0)),
        }
    }

    /// Whether the answer says that no image fits, as predicted.
    fn is_missing(&self, code: Code) -> bool {
        self.verdict == Verdict::Missing && self.codes.contains(&code.0)
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code, log) => f.write_str(&with_log(*code, log)),
            Self::NotAsked(why) | Self::Lost(why) => f.write_str(why),
        }
    }
}

fn with_log(code: Code, log: &str) -> String {
    if log.is_empty() {
        code.to_string()
    } else {
        format!("{code}: {log}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::PtxIsa;

    fn place(images: &str, offset: u64) -> ContainerAt {
        let images = images.split(' ').map(|word| {
            let (kind, target) = word.split_once('_').unwrap();
            let target = target.parse().unwrap();
            if kind == "sm" {
                return Image::sass(target);
            }
            Image {
                ptx_isa: Some(PtxIsa {
                    major: 9,
                    minor: if kind == "new" { 5 } else { 0 },
                }),
                ..Image::ptx(target)
            }
        });
        ContainerAt {
            offset,
            end: offset + 100,
            images: images.collect(),
            fatbin: offset > 0,
            incomplete: false,
            relocatable: false,
            grouped: false,
        }
    }

    fn h200() -> Device {
        Device {
            driver: "580.159.04".parse().ok(),
            ..Device::of("9.0".parse().unwrap())
        }
    }

    #[test]
    fn answers_are_judged_by_what_was_predicted() {
        let lost = || Answer::Lost("died".into());
        let code = |code| Answer::Code(Code(code), String::new());
        //  images, offset, answer, what it comes to
        for (images, offset, answer, expected) in [
            ("sm_80 sm_90", 64, code(0), "agrees"),
            ("sm_80 sm_90", 64, code(209), "differs 209"),
            ("sm_80", 64, code(209), "agrees"),
            ("sm_80", 64, code(0), "differs 0"),
            ("compute_80", 64, code(0), "agrees"),
            ("compute_80", 64, code(218), "differs 218"),
            ("new_80", 64, code(222), "agrees"),
            ("new_80", 64, code(0), "differs 0"),
            ("compute_100", 64, code(209), "agrees"),
            ("compute_100", 64, code(218), "differs 218"),
            ("compute_100", 0, code(218), "agrees"),
            ("compute_100", 0, code(209), "differs 209"),
            ("new_100", 0, code(222), "agrees"),
            // Out of memory says nothing about images.
            ("sm_90", 64, code(2), "undecided"),
            ("sm_90", 64, code(4711), "undecided"),
            ("sm_90", 64, lost(), "differs"),
        ] {
            let predicted = Predicted::of(&place(images, offset), &h200(), Jit::Allowed);
            let judged = match predicted.judge(&answer) {
                Judgement::Agrees => "agrees".to_owned(),
                Judgement::Undecided => "undecided".to_owned(),
                Judgement::Differs(Some(code)) => format!("differs {code}"),
                Judgement::Differs(None) => "differs".to_owned(),
            };
            assert_eq!(judged, expected, "{images} {answer:?}");
        }
    }

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
