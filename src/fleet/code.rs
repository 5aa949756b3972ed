//! What some code means for one GPU, and why.
use super::names::joined;
use crate::cuda::{
    Block, Coverage, Device, Gap, Image, ImageKind, Jit, Suffix, Support, Target, ToolkitVersion,
    coverage, suggest, toolkit,
};
use crate::facts::{GapKind, GpuCoverage, Verdict};

/// The code that something carries.
#[derive(Clone, Copy, Debug)]
pub struct Code<'i> {
    /// Its images, as far as they are known.
    pub images: &'i [Image],
    /// There may be more of them.
    pub more: bool,
    /// There may be PTX for the targets of the machine code, too.
    pub ptx_open: bool,
    /// The toolkit that built it.
    pub toolkit: Option<ToolkitVersion>,
}

impl Code<'_> {
    /// What it means for a GPU. What might be filled by images that are not known is unknown.
    pub fn covers(&self, device: &Device) -> GpuCoverage {
        let (verdict, by) = match coverage(self.images, device, self.toolkit, Jit::Allowed) {
            Coverage::Native { by } => (Verdict::Native, Some(by)),
            _ if self.more || self.is_served_by_ptx(device) => (Verdict::Unknown, None),
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
    pub(super) fn gaps(&self, device: &Device) -> Vec<(GapKind, String)> {
        let of_code = self.gap(device);
        let of_driver = self.driver_gap(device);
        of_code.into_iter().chain(of_driver).collect()
    }

    /// Whether it hangs on PTX that may be there, or not, that anything runs.
    fn is_served_by_ptx(&self, device: &Device) -> bool {
        let of = |images: &[Image]| coverage(images, device, self.toolkit, Jit::Allowed);
        let ptx = self.images.iter().map(|image| Image::ptx(image.target));
        self.ptx_open
            && matches!(of(self.images), Coverage::Missing(_))
            && !matches!(of(&ptx.collect::<Vec<_>>()), Coverage::Missing(_))
    }

    fn gap(&self, device: &Device) -> Option<(GapKind, String)> {
        if self.more {
            return None;
        }
        if self.is_served_by_ptx(device) {
            return Some((GapKind::Jit, self.held()));
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
        if self.ptx_open {
            let held = joined(&names);
            return format!(
                "it holds {held}, and nothing but PTX, if there is any, for newer GPUs"
            );
        }
        if has_ptx {
            return format!("it holds {}, and PTX runs on no older GPU", joined(&names));
        }
        let with_none = names.into_iter().chain(["no PTX".to_owned()]);
        format!("it holds {}", joined(&with_none.collect::<Vec<_>>()))
    }

    /// Targets whose suffix keeps their code from GPUs of their generation, where nothing else of the generation is there.
    pub(super) fn bound(&self) -> Vec<(GapKind, String)> {
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
