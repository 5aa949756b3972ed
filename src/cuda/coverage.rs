//! What a set of images means for one GPU.
//!
//! The rules are NVIDIA's (CUDA C++ Programming Guide, Binary Compatibility; Blackwell Compatibility Guide) and were measured on
//! an H200 as far as one GPU goes: machine code runs on the same major at its minor or higher, on Tegra chips only exactly;
//! `a` targets exactly; `f` targets in a family that the building toolkit defines; PTX on everything newer, across majors, if
//! the driver knows its language version. Machine code wins: PTX beside it is not even parsed.
use super::capability::{Capability, Image, ImageKind, PtxIsa, Suffix, Target};
use super::device::{Device, DriverBranch, is_tegra};
use super::tables::TOOLKITS;
use super::toolkit::{renamed, toolkit};
use super::version::ToolkitVersion;

/// The verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Machine code that runs there.
    Native {
        /// The closest one.
        by: Image,
    },
    /// PTX that the driver compiles when it loads it.
    Jit {
        /// The closest one.
        by: Image,
        /// Whether the driver is known to take it; if not, its version or that of the PTX is not known.
        sure: bool,
    },
    /// PTX would fit, but the driver does not compile it.
    Blocked {
        /// The closest one.
        by: Image,
        /// Why not.
        why: Block,
    },
    /// Nothing runs there.
    Missing(Gap),
    /// It cannot be known. Never a pass.
    Unknown(Doubt),
}

/// Why a driver does not compile PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Its language version is newer than the driver (error 222).
    IsaTooNew {
        /// The PTX's version.
        isa: PtxIsa,
        /// The driver's branch.
        driver: DriverBranch,
    },
    /// `CUDA_DISABLE_PTX_JIT` is set (error 223).
    Disabled,
}

/// What comes closest where nothing runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Nothing does.
    Nothing,
    /// Machine code that would fit if one of the two were not a Tegra chip: said to work at times, supported never.
    AcrossTegra(Image),
    /// Code that would fit if its target had no suffix.
    Suffix(Image),
}

/// Why a verdict cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The family of an `f` target depends on the toolkit that built it, which is not known.
    Family(Image),
    /// The chip has two names, and whether code of one runs under the other was not measured.
    Renamed(Image),
    /// It lies in a group, and whether the driver looks into groups is not known.
    Grouped(Image),
}

/// What the environment makes of PTX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Jit {
    /// The driver compiles it where machine code does not fit.
    #[default]
    Allowed,
    /// `CUDA_DISABLE_PTX_JIT=1`: never.
    Disabled,
    /// `CUDA_FORCE_PTX_JIT=1`: always; the machine code is ignored.
    Forced,
}

/// What `images` mean for `device`, built by `toolkit` (which decides families, and the PTX version where an image has none).
pub fn coverage(
    images: &[Image],
    device: &Device,
    toolkit: Option<ToolkitVersion>,
    jit: Jit,
) -> Coverage {
    let of = |kind| {
        images
            .iter()
            .copied()
            .filter(move |image| image.kind == kind)
    };
    let sass = Fits::of(
        of(ImageKind::Sass).filter(|_| jit != Jit::Forced),
        |target| sass_fit(target, device, toolkit),
    );
    let ptx = Fits::of(of(ImageKind::Ptx), |target| {
        ptx_fit(target, device.capability, toolkit)
    });
    if let Some(by) = sass.runs {
        return Coverage::Native { by };
    }
    let compiled = ptx.runs.map(|by| compile(by, device, toolkit, jit));
    match (compiled, sass.doubt.or(ptx.doubt)) {
        (Some(verdict @ Coverage::Jit { .. }), _) => verdict,
        (_, Some(doubt)) => Coverage::Unknown(doubt),
        (Some(blocked), None) => blocked,
        (None, None) => Coverage::Missing(sass.gap.or(ptx.gap).unwrap_or(Gap::Nothing)),
    }
}

/// The newest driver that is known not to look into groups (measured on an H200: it takes what lies beside them). Older ones
/// are older than the toolkits that write groups; which newer one is the first that does is not known.
const READS_NO_GROUPS: DriverBranch = DriverBranch(580);

/// What a container means for `device` that holds `images`, and `grouped` ones in groups (`fatbinary --concat`).
pub fn coverage_with_groups(
    images: &[Image],
    grouped: &[Image],
    device: &Device,
    jit: Jit,
) -> Coverage {
    let plain = coverage(images, device, None, jit);
    if plain.serves()
        || device
            .driver
            .is_some_and(|driver| driver <= READS_NO_GROUPS)
    {
        return plain;
    }
    match coverage(grouped, device, None, jit) {
        Coverage::Native { by } | Coverage::Jit { by, .. } => Coverage::Unknown(Doubt::Grouped(by)),
        doubt @ Coverage::Unknown(_) => doubt,
        Coverage::Blocked { .. } | Coverage::Missing(_) => plain,
    }
}

impl Coverage {
    /// Whether code runs there.
    pub fn serves(&self) -> bool {
        matches!(self, Self::Native { .. } | Self::Jit { .. })
    }
}

/// How one image fits a device.
enum Fit {
    Runs,
    Doubtful(fn(Image) -> Doubt),
    Near(fn(Image) -> Gap),
    No,
}

/// The best of several images.
#[derive(Default)]
struct Fits {
    runs: Option<Image>,
    doubt: Option<Doubt>,
    gap: Option<Gap>,
}

impl Fits {
    fn of(images: impl Iterator<Item = Image>, fit: impl Fn(Target) -> Fit) -> Self {
        let mut best = Self::default();
        for image in images {
            match fit(image.target) {
                Fit::Runs => {
                    let closer = |other: &Image| other.target >= image.target;
                    best.runs = best.runs.filter(closer).or(Some(image));
                }
                Fit::Doubtful(doubt) => best.doubt = best.doubt.or(Some(doubt(image))),
                Fit::Near(gap) => best.gap = best.gap.or(Some(gap(image))),
                Fit::No => {}
            }
        }
        best
    }
}

fn sass_fit(target: Target, device: &Device, toolkit: Option<ToolkitVersion>) -> Fit {
    let (code, gpu) = (target.capability, device.capability);
    if renamed(code) == Some(gpu) {
        return Fit::Doubtful(Doubt::Renamed);
    }
    if code.major != gpu.major || code.minor > gpu.minor {
        return Fit::No;
    }
    if code != gpu && (device.tegra || is_tegra(code)) {
        return Fit::Near(Gap::AcrossTegra);
    }
    suffix_fit(target, gpu, toolkit)
}

fn ptx_fit(target: Target, gpu: Capability, toolkit: Option<ToolkitVersion>) -> Fit {
    if target.capability <= gpu && target.suffix == Suffix::None {
        return Fit::Runs;
    }
    if renamed(target.capability) == Some(gpu) {
        return Fit::Doubtful(Doubt::Renamed);
    }
    if target.capability > gpu {
        return Fit::No;
    }
    suffix_fit(target, gpu, toolkit)
}

/// Whether the suffix lets code for an older or equal capability run on `gpu`.
fn suffix_fit(target: Target, gpu: Capability, toolkit: Option<ToolkitVersion>) -> Fit {
    let runs = match target.suffix {
        Suffix::None => Some(true),
        Suffix::Accelerated => Some(target.capability == gpu),
        Suffix::Family => in_family(target, gpu, toolkit),
    };
    match runs {
        Some(true) => Fit::Runs,
        Some(false) => Fit::Near(Gap::Suffix),
        None => Fit::Doubtful(Doubt::Family),
    }
}

/// Whether `gpu` is of the family of `target`: as the building toolkit has it, else where all toolkits agree.
fn in_family(target: Target, gpu: Capability, version: Option<ToolkitVersion>) -> Option<bool> {
    let built_by = version.and_then(toolkit);
    if let Some(family) = built_by.and_then(|toolkit| toolkit.family(target)) {
        return Some(family.members.contains(&gpu));
    }
    let mut answers = TOOLKITS
        .iter()
        .filter_map(|toolkit| toolkit.family(target))
        .map(|family| family.members.contains(&gpu));
    let first = answers.next()?;
    answers.all(|answer| answer == first).then_some(first)
}

/// What the driver does with PTX that fits.
fn compile(by: Image, device: &Device, version: Option<ToolkitVersion>, jit: Jit) -> Coverage {
    if jit == Jit::Disabled {
        let why = Block::Disabled;
        return Coverage::Blocked { by, why };
    }
    let isa = by.ptx_isa.or_else(|| Some(toolkit(version?)?.isa));
    let (Some(isa), Some(driver)) = (isa, device.driver) else {
        return Coverage::Jit { by, sure: false };
    };
    match driver.compiles(isa) {
        Some(false) => Coverage::Blocked {
            by,
            why: Block::IsaTooNew { isa, driver },
        },
        answer => Coverage::Jit {
            by,
            sure: answer.is_some(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images(text: &str) -> Vec<Image> {
        let words = text.split_whitespace();
        words
            .map(|word| {
                let (kind, target) = word.split_once('_').unwrap();
                let target = target.parse().unwrap();
                match kind {
                    "sm" => Image::sass(target),
                    "lto" => Image {
                        kind: ImageKind::Lto,
                        ..Image::sass(target)
                    },
                    _ => Image::ptx(target),
                }
            })
            .collect()
    }

    /// The verdict in a word, with what it rests on.
    fn verdict(code: &str, gpu: &str, toolkit: &str) -> String {
        let device = Device::of(gpu.parse().unwrap());
        match coverage(&images(code), &device, toolkit.parse().ok(), Jit::Allowed) {
            Coverage::Native { by } => format!("native {by}"),
            Coverage::Jit { by, .. } => format!("jit {by}"),
            Coverage::Blocked { by, .. } => format!("blocked {by}"),
            Coverage::Missing(Gap::Nothing) => "missing".to_owned(),
            Coverage::Missing(Gap::AcrossTegra(by)) => format!("tegra {by}"),
            Coverage::Missing(Gap::Suffix(by)) => format!("suffix {by}"),
            Coverage::Unknown(Doubt::Family(by)) => format!("family? {by}"),
            Coverage::Unknown(Doubt::Renamed(by)) => format!("name? {by}"),
            Coverage::Unknown(Doubt::Grouped(by)) => format!("group? {by}"),
        }
    }

    #[test]
    fn groups_are_not_looked_into_by_every_driver() {
        for (code, grouped, driver, expected) in [
            ("sm_90", "sm_90a", None, "native"),
            ("compute_80", "sm_90", None, "jit"),
            ("sm_80", "sm_90", None, "group? sm_90"),
            ("sm_80", "sm_90", Some(615), "group? sm_90"),
            ("sm_80", "sm_90", Some(580), "missing"),
            ("sm_80", "sm_90", Some(550), "missing"),
            ("sm_80", "sm_100", None, "missing"),
            ("", "compute_80", None, "group? compute_80"),
        ] {
            let device = Device {
                driver: driver.map(DriverBranch),
                ..Device::of("9.0".parse().unwrap())
            };
            let (code, grouped) = (images(code), images(grouped));
            let told = match coverage_with_groups(&code, &grouped, &device, Jit::Allowed) {
                Coverage::Native { .. } => "native".to_owned(),
                Coverage::Jit { .. } => "jit".to_owned(),
                Coverage::Unknown(Doubt::Grouped(by)) => format!("group? {by}"),
                Coverage::Missing(_) => "missing".to_owned(),
                other => format!("{other:?}"),
            };
            assert_eq!(told, expected, "{code:?} {grouped:?} {driver:?}");
        }
    }

    #[test]
    fn machine_code() {
        for (code, gpu, expected) in [
            // NVIDIA's text, by rule: the same major, the same or a higher minor.
            ("sm_80", "8.0", "native sm_80"),
            ("sm_86", "8.9", "native sm_86"),
            ("sm_80", "8.6", "native sm_80"),
            ("sm_86", "8.0", "missing"),
            ("sm_70", "7.5", "native sm_70"),
            ("sm_120", "12.1", "native sm_120"),
            ("sm_100", "10.3", "native sm_100"),
            ("sm_103", "10.7", "native sm_103"),
            ("sm_80", "9.0", "missing"),
            ("sm_90", "8.9", "missing"),
            ("sm_100", "12.0", "missing"),
            ("sm_100 sm_103", "11.0", "missing"),
            ("sm_80 sm_86 sm_90", "8.9", "native sm_86"),
            // Tegra: exactly, in both directions.
            ("sm_87", "8.7", "native sm_87"),
            ("sm_80", "8.7", "tegra sm_80"),
            ("sm_87", "8.9", "tegra sm_87"),
            ("sm_70", "7.2", "tegra sm_70"),
            ("sm_60", "6.2", "tegra sm_60"),
            ("sm_110", "11.0", "native sm_110"),
            ("sm_101", "11.0", "name? sm_101"),
            ("sm_110", "10.1", "name? sm_110"),
            ("sm_100", "10.1", "tegra sm_100"),
            // `a`: exactly.
            ("sm_90a", "9.0", "native sm_90a"),
            ("sm_100a", "10.0", "native sm_100a"),
            ("sm_100a", "10.3", "suffix sm_100a"),
            ("sm_120a", "12.1", "suffix sm_120a"),
            ("sm_100a sm_100", "10.3", "native sm_100"),
            ("", "8.0", "missing"),
            ("lto_80", "8.0", "missing"),
        ] {
            assert_eq!(verdict(code, gpu, ""), expected, "{code} on {gpu}");
        }
    }

    #[test]
    fn families_depend_on_the_toolkit() {
        for (code, gpu, toolkit, expected) in [
            ("sm_100f", "10.0", "12.9", "native sm_100f"),
            ("sm_100f", "10.3", "12.9", "native sm_100f"),
            ("sm_100f", "10.7", "13.0", "suffix sm_100f"),
            ("sm_100f", "10.7", "13.4", "native sm_100f"),
            ("sm_100f", "10.7", "", "family? sm_100f"),
            ("sm_100f", "10.3", "", "native sm_100f"),
            ("sm_103f", "10.0", "13.4", "missing"),
            ("sm_103f", "10.7", "13.5", "native sm_103f"),
            ("sm_120f", "12.1", "12.9", "native sm_120f"),
            ("sm_121f", "12.0", "13.0", "missing"),
            ("sm_110f", "11.0", "13.0", "native sm_110f"),
            ("sm_101f", "11.0", "12.9", "name? sm_101f"),
            ("sm_80f", "8.6", "", "family? sm_80f"), // no toolkit has it
            ("compute_100f", "10.7", "13.0", "suffix compute_100f"),
            ("compute_100f", "10.7", "13.4", "jit compute_100f"),
            ("compute_100f", "12.0", "13.4", "suffix compute_100f"),
        ] {
            assert_eq!(
                verdict(code, gpu, toolkit),
                expected,
                "{code} on {gpu} by {toolkit}"
            );
        }
    }

    #[test]
    fn ptx() {
        for (code, gpu, expected) in [
            ("compute_75", "9.0", "jit compute_75"),
            ("compute_80 compute_86", "12.0", "jit compute_86"),
            ("compute_50", "8.7", "jit compute_50"),
            ("compute_100", "9.0", "missing"),
            ("compute_86", "8.0", "missing"),
            ("compute_90a", "9.0", "jit compute_90a"),
            ("compute_90a", "10.0", "suffix compute_90a"),
            ("compute_101", "11.0", "jit compute_101"),
            ("compute_101a", "11.0", "name? compute_101a"),
            ("sm_90 compute_90", "9.0", "native sm_90"),
            ("sm_80 compute_80", "8.7", "jit compute_80"),
            ("sm_100f compute_90", "10.7", "jit compute_90"),
        ] {
            assert_eq!(verdict(code, gpu, ""), expected, "{code} on {gpu}");
        }
    }

    #[test]
    fn drivers_and_settings_decide_about_ptx() {
        let run = |driver: Option<u16>, toolkit: &str, jit| {
            let device = Device {
                driver: driver.map(DriverBranch),
                ..Device::of("9.0".parse().unwrap())
            };
            coverage(&images("compute_80"), &device, toolkit.parse().ok(), jit)
        };
        let by = images("compute_80")[0];
        let sure = |sure| Coverage::Jit { by, sure };
        let isa = PtxIsa { major: 8, minor: 7 };
        let too_new = Coverage::Blocked {
            by,
            why: Block::IsaTooNew {
                isa,
                driver: DriverBranch(550),
            },
        };
        let disabled = Coverage::Blocked {
            by,
            why: Block::Disabled,
        };
        assert_eq!(run(Some(550), "12.4", Jit::Allowed), sure(true));
        assert_eq!(run(Some(550), "12.8", Jit::Allowed), too_new);
        assert_eq!(run(Some(550), "", Jit::Allowed), sure(false));
        assert_eq!(run(None, "12.8", Jit::Allowed), sure(false));
        assert_eq!(run(Some(550), "12.4", Jit::Disabled), disabled);
        assert_eq!(run(Some(550), "12.4", Jit::Forced), sure(true));
    }
}
