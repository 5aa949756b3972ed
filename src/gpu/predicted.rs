//! What the driver is predicted to say of a container, and what its answer means then.
use super::code::Code;
use crate::cuda::{self, Block, Coverage, Device, ImageKind, Jit};
use crate::facts::{ContainerAt, Verdict};

/// What the driver said of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It answered.
    Code(Code, String),
    /// It was not asked: why.
    NotAsked(String),
    /// It did not come back.
    Lost(String),
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
pub(super) fn is_loose(place: &ContainerAt) -> bool {
    !place.fatbin
}

/// What the tables say of a container.
pub(super) struct Predicted {
    pub(super) verdict: Verdict,
    /// The codes that would be agreement; none where nothing is said.
    codes: &'static [i32],
}

pub(super) enum Judgement {
    Agrees,
    Differs(Option<i32>),
    Undecided,
}

impl Predicted {
    pub(super) fn of(place: &ContainerAt, device: &Device, jit: Jit) -> Self {
        let loose = is_loose(place);
        // Machine code that stands alone is run even where PTX is forced.
        let jit = match jit {
            Jit::Forced if loose => Jit::Allowed,
            jit => jit,
        };
        let coverage = cuda::coverage_with_groups(&place.images, &place.grouped, device, jit);
        let (verdict, codes): (_, &'static [i32]) = match coverage {
            // What a driver answers that looks into no group where nothing is beside the groups was not measured.
            Coverage::Missing(_) if place.images.is_empty() => (Verdict::Unknown, &[]),
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

    pub(super) fn judge(&self, answer: &Answer) -> Judgement {
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
    pub(super) fn is_missing(&self, code: Code) -> bool {
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

pub(super) fn with_log(code: Code, log: &str) -> String {
    if log.is_empty() {
        code.to_string()
    } else {
        format!("{code}: {log}")
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::cuda::{Image, PtxIsa};

    pub(in super::super) fn place(images: &str, offset: u64) -> ContainerAt {
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
            grouped: Vec::new(),
        }
    }

    pub(in super::super) fn h200() -> Device {
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
}
