//! Public wheels of torch and its libraries that a document pins, by a command or by its base image.
use super::fleet::of_runner;
use super::torch_libraries;
use crate::cuda::{Device, Image, Target, ToolkitVersion, Version};
use crate::facts::{Confidence, FleetFit, FleetGap, GapKind, Install};
use crate::fleet::code::Code;
use crate::fleet::gaps::gaps;
use crate::front::document::Unit;
use crate::knowledge::torch_wheels::{default_wheel, from_release, wheel};
use crate::knowledge::{Cpu, TORCH_WHEELS, TorchWheel};
use crate::table::Trust;
use crate::value::Site;
use crate::walk::files::Files;
use crate::walk::walked::{Given, TorchInstall, Walked, WalkedScope};
use std::collections::HashSet;

/// The wheels that are there in the end, in the order of the file.
pub fn installs(
    walked: &Walked,
    files: &Files<'_>,
    given: &Given,
    fleet: &[Device],
) -> Vec<Install> {
    let cpu = given.cpu();
    let ends = ends(walked);
    let of_images = walked
        .scopes
        .iter()
        .enumerate()
        .filter_map(|(index, scope)| {
            let mut pinned = Pinned::of_image(scope, cpu)
                .filter(|_| stays(index, &walked.torches, &ends, walked))?;
            pinned.sure &= walked.unit == Unit::Stage;
            Some((pinned, scope.image_site, index))
        });
    let of_commands = walked
        .torches
        .iter()
        .enumerate()
        .filter_map(|(index, torch)| {
            let mut pinned = Pinned::of_command(torch, cpu)?;
            pinned.sure &= walked.unit == Unit::Stage;
            let later = &walked.torches[index + 1..];
            stays(torch.scope, later, &ends, walked).then_some((pinned, torch.site, torch.scope))
        });
    let mut installs: Vec<Install> = Vec::new();
    for (pinned, site, scope) in of_images.chain(of_commands) {
        let runner = walked.scopes.get(scope);
        let runner = runner.and_then(|scope| scope.start.machine_gpu.as_deref());
        let install = match (fleet, runner) {
            ([], Some(device)) => {
                pinned
                    .fact(site, files, std::slice::from_ref(device))
                    .map(|install| {
                        let gaps = of_runner(install.fleet.gaps);
                        Install {
                            fleet: FleetFit {
                                gaps,
                                spare: Vec::new(),
                            },
                            ..install
                        }
                    })
            }
            _ => pinned.fact(site, files, fleet),
        };
        installs.extend(install.filter(|install| !installs.contains(install)));
    }
    installs.extend(torch_libraries::installs(walked, files, fleet));
    installs.sort_by_key(|install| install.span);
    installs
}

/// A torch of which the wheel is known, or a few of which one it is. What a job installs may be there for the job alone, and
/// never meet the GPUs of the fleet.
struct Pinned {
    /// The version as it was written; `None` where only the index is given.
    text: Option<String>,
    wheels: Vec<&'static TorchWheel>,
    sure: bool,
}

impl Pinned {
    fn of_image(scope: &WalkedScope, cpu: Cpu) -> Option<Self> {
        let torch = &scope.start.torch;
        let text = torch.version.as_deref()?;
        let is_base = scope.parent.is_none() && !scope.image_site.span.is_empty();
        let wheel = wheel(text.parse().ok()?, torch.variant.as_deref()?, cpu);
        Some(Self {
            text: Some(text.to_owned()),
            wheels: vec![wheel.filter(|_| is_base)?],
            sure: !scope.start.doubtful,
        })
    }

    fn of_command(torch: &TorchInstall, cpu: Cpu) -> Option<Self> {
        let installed = &torch.installed;
        let version: Option<Version> = match &installed.version {
            Some(text) => Some(text.parse().ok()?),
            None => None,
        };
        let wheels = match (version, &installed.variant) {
            (Some(version), Some(variant)) => wheel(version, variant, cpu).into_iter().collect(),
            (Some(version), None) if installed.default_index => {
                default_wheel(version, cpu).into_iter().collect()
            }
            (None, Some(variant)) => of_index(variant, cpu),
            _ => Vec::new(),
        };
        (!wheels.is_empty()).then(|| Self {
            text: installed.version.clone(),
            wheels,
            sure: torch.sure,
        })
    }

    fn fact(&self, site: Site, files: &Files<'_>, fleet: &[Device]) -> Option<Install> {
        let first = *self.wheels.first()?;
        // without a version it may be a release that the table does not have yet
        let likely = !self.sure
            || self.text.is_none()
            || self.wheels.iter().any(|wheel| wheel.trust == Trust::Low);
        let in_all = |target: &Target| self.wheels.iter().all(|wheel| wheel.full.contains(target));
        let full = first.full.iter().filter(|target| in_all(target));
        let partial = first.partial.iter().filter(|_| self.wheels.len() == 1);
        let gaps = self.gaps(fleet);
        let suggest = Some(()).filter(|()| !gaps.is_empty());
        Some(Install {
            name: "torch".to_owned(),
            version: self.text.clone().unwrap_or_else(|| "unknown".to_owned()),
            variant: first.variant.to_string(),
            path: files.path(site).to_owned(),
            span: files.place(site),
            confidence: if likely {
                Confidence::Likely
            } else {
                Confidence::Certain
            },
            archs_full: names(full),
            archs_partial: names(partial),
            suggest: suggest
                .and_then(|()| self.suggest(first, fleet))
                .unwrap_or_default(),
            fleet: FleetFit {
                gaps,
                spare: Vec::new(),
            },
        })
    }

    /// What every wheel that it may be leaves out; a suffix that nobody asked for leaves out no GPU.
    fn gaps(&self, fleet: &[Device]) -> Vec<FleetGap> {
        let mut gaps = of_wheels(&self.wheels, fleet);
        gaps.retain(|gap| gap.kind != GapKind::Bound && gap.confidence == Confidence::Certain);
        gaps
    }

    /// The first wheel from this release on that serves the whole fleet.
    fn suggest(&self, first: &TorchWheel, fleet: &[Device]) -> Option<String> {
        let pinned: Option<Version> = self.text.as_deref().and_then(|text| text.parse().ok());
        let version = pinned.unwrap_or(first.from);
        let wheel =
            from_release(version, first.cpu).find(|w| of_wheels(&[*w], fleet).is_empty())?;
        let release = match &self.text {
            Some(text) if wheel.from <= version => text.clone(),
            _ => format!("{}.{}", wheel.from.major, wheel.from.minor),
        };
        Some(format!("torch {release} for {}", wheel.variant))
    }
}

/// The wheels of an index, of which the newest is taken; and of the default index those that are as new, which pip also looks at
/// where the index is an additional one.
fn of_index(variant: &str, cpu: Cpu) -> Vec<&'static TorchWheel> {
    let of_variant = |wheel: &&TorchWheel| *wheel.variant == *variant;
    let all = || TORCH_WHEELS.iter().filter(move |wheel| wheel.cpu == cpu);
    let Some(oldest) = all().filter(of_variant).map(|wheel| wheel.from).min() else {
        return Vec::new();
    };
    let others = all().filter(|wheel| !of_variant(wheel) && wheel.default && wheel.to >= oldest);
    all().filter(of_variant).chain(others).collect()
}

fn of_wheels(wheels: &[&TorchWheel], fleet: &[Device]) -> Vec<FleetGap> {
    let images: Vec<Vec<Image>> = wheels.iter().map(|wheel| wheel.images()).collect();
    let codes = wheels.iter().zip(&images);
    let codes: Vec<_> = codes
        .map(|(wheel, images)| Some(code(wheel, images)))
        .collect();
    gaps(&codes, fleet)
}

fn code<'i>(wheel: &TorchWheel, images: &'i [Image]) -> Code<'i> {
    Code {
        images,
        more: false,
        ptx_open: false,
        toolkit: ToolkitVersion::from_variant(&wheel.variant),
    }
}

fn names<'t>(targets: impl Iterator<Item = &'t Target>) -> Vec<String> {
    targets
        .map(|target| Image::sass(*target).to_string())
        .collect()
}

/// The stages on which no other is built.
fn ends(walked: &Walked) -> Vec<usize> {
    let parents: HashSet<usize> = walked.scopes.iter().filter_map(|s| s.parent).collect();
    let all = 0..walked.scopes.len();
    all.filter(|at| !parents.contains(at)).collect()
}

/// Whether the torch that came to a stage before those of `later` is still there where the stage, or one that is built on it,
/// ends: no other version was installed over it.
fn stays(scope: usize, later: &[TorchInstall], ends: &[usize], walked: &Walked) -> bool {
    let replaced = |end: usize| {
        later.iter().any(|other| {
            walked.inherits(end, other.scope) && (other.installed.version.is_some() || !other.sure)
        })
    };
    let mut ends = ends.iter().filter(|at| walked.inherits(**at, scope));
    ends.any(|end| !replaced(*end))
}

#[cfg(test)]
mod tests {
    use crate::facts::GapKind;
    use crate::lint::{Options, observe};

    /// `torch version variant: GPUs that it lacks; what serves them` at each line.
    fn installs(dockerfile: &str, fleet: &str) -> Vec<String> {
        let fleet = fleet
            .split_whitespace()
            .map(|name| crate::fleet::resolve(name).unwrap());
        let options = Options {
            fleet: fleet.collect(),
            ..Options::default()
        };
        let facts = observe("Dockerfile", dockerfile, &options);
        let shown = facts.installs.iter().map(|install| {
            let gaps = &install.fleet.gaps;
            let lacking = gaps
                .iter()
                .filter(|gap| matches!(gap.kind, GapKind::Missing | GapKind::Toolkit));
            let lacking: Vec<_> = lacking.flat_map(|gap| gap.gpus.clone()).collect();
            let (line, lacking) = (install.span.line, lacking.join(" "));
            format!(
                "{line} {} {}: {lacking}; {}",
                install.version, install.variant, install.suggest
            )
        });
        shown.collect()
    }

    const CUDA: &str = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n";

    #[test]
    fn pinned_wheels_are_known_by_version_and_index() {
        for (run, expected) in [
            ("pip install torch==2.6.0", "2 2.6.0 cu124: ; "),
            (
                "pip install torch==2.6.0+cu118 --index-url https://download.pytorch.org/whl/cu118",
                "2 2.6.0 cu118: ; ",
            ),
            (
                "pip install torch==2.8.0 --index-url https://download.pytorch.org/whl/cu126",
                "2 2.8.0 cu126: ; ",
            ),
            ("pip install torch", ""),
            (
                "pip install torch --index-url https://download.pytorch.org/whl/cu118",
                "2 unknown cu118: ; ",
            ),
            ("pip install 'torch>=2.0'", ""),
            (
                "pip install torch==2.6.0 --index-url https://pypi.example.com/simple",
                "",
            ),
            (
                "pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cpu",
                "",
            ),
            ("pip install torch==9.9.0", ""),
            (
                "pip install torch==2.5.0 && pip install torch==2.6.0",
                "2 2.6.0 cu124: ; ",
            ),
            (
                "pip install torch==2.6.0 && pip install torch",
                "2 2.6.0 cu124: ; ",
            ),
        ] {
            let got = installs(&format!("{CUDA}RUN {run}\n"), "");
            let expected: Vec<_> = Some(expected)
                .into_iter()
                .filter(|e| !e.is_empty())
                .collect();
            assert_eq!(got, expected, "{run}");
        }
    }

    #[test]
    fn a_wheel_lacks_gpus_and_another_has_them() {
        for (dockerfile, fleet, expected) in [
            // built for CUDA 10.2, whatever the release
            (
                "FROM x\nRUN pip install torch==1.6.0\n",
                "A100 V100",
                "2 1.6.0 cu102: NVIDIA A100-SXM4-40GB; torch 1.7 for cu110",
            ),
            (
                "FROM x\nRUN pip install torch==1.7.1+cu110 -f https://download.pytorch.org/whl/torch_stable.html\n",
                "A100 A10",
                "2 1.7.1 cu110: ; ",
            ),
            (
                "FROM x\nRUN pip install torch==2.6.0\n",
                "RTX5090",
                "2 2.6.0 cu124: NVIDIA GeForce RTX 5090; torch 2.7 for cu128",
            ),
            (
                "FROM x\nRUN pip install torch==2.8.0 --index-url https://download.pytorch.org/whl/cu126\n",
                "B200 T4",
                "2 2.8.0 cu126: NVIDIA B200; torch 2.8.0 for cu128",
            ),
            // some kernels for 8.9 are no support, and the machine code for 8.6 is
            (
                "FROM x\nRUN pip install torch==2.7.1\n",
                "L4 GB10",
                "2 2.7.1 cu126: NVIDIA GB10; torch 2.7.1 for cu128",
            ),
            (
                "FROM x\nRUN pip install torch==2.11.0\n",
                "V100",
                "2 2.11.0 cu130: Tesla V100-SXM2-16GB; torch 2.11.0 for cu126",
            ),
            // whatever the version, the index has none for Pascal
            (
                "FROM x\nRUN pip install torch --extra-index-url https://download.pytorch.org/whl/cu130\n",
                "P40 L4",
                "2 unknown cu130: Tesla P40; torch 2.9 for cu126",
            ),
            // some releases of the index have it, others have not
            (
                "FROM x\nRUN pip install torch --index-url https://download.pytorch.org/whl/cu128\n",
                "V100",
                "2 unknown cu128: ; ",
            ),
            (
                "FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-runtime\n",
                "B200",
                "1 2.4.1 cu121: NVIDIA B200; torch 2.7 for cu128",
            ),
            (
                "FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-runtime AS a\nFROM a\nRUN pip install torch==2.8.0\n",
                "B200",
                "3 2.8.0 cu128: ; ",
            ),
            (
                "FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-runtime AS a\nFROM a\nRUN pip install torch==2.8.0\nFROM a\n",
                "B200",
                "1 2.4.1 cu121: NVIDIA B200; torch 2.7 for cu128",
            ),
        ] {
            assert_eq!(installs(dockerfile, fleet)[0], expected, "{dockerfile}");
        }
    }
}
