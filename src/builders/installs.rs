//! Public wheels of torch that a document pins, by a command or by its base image.
use crate::cuda::{Device, Image, ToolkitVersion, Version};
use crate::facts::{Confidence, FleetFit, GapKind, Install};
use crate::fleet::gaps::{Code, gaps};
use crate::knowledge::torch_wheels::{default_wheel, from_release, wheel};
use crate::knowledge::{Cpu, TorchWheel};
use crate::table::Trust;
use crate::walk::files::Files;
use crate::walk::value::Site;
use crate::walk::walked::{Given, TorchInstall, Walked, WalkedScope};

/// The wheels that are there in the end, in the order of the file.
pub fn installs(
    walked: &Walked,
    files: &Files<'_>,
    given: &Given,
    fleet: &[Device],
) -> Vec<Install> {
    let cpu = given.cpu();
    let of_images = walked
        .scopes
        .iter()
        .enumerate()
        .filter_map(|(index, scope)| {
            let pinned =
                Pinned::of_image(scope, cpu).filter(|_| stays(index, &walked.torches, walked))?;
            Some((pinned, scope.image_site))
        });
    let of_commands = walked
        .torches
        .iter()
        .enumerate()
        .filter_map(|(index, torch)| {
            let pinned = Pinned::of_command(torch, cpu)?;
            let later = &walked.torches[index + 1..];
            stays(torch.scope, later, walked).then_some((pinned, torch.site))
        });
    let mut installs: Vec<Install> = Vec::new();
    for (pinned, site) in of_images.chain(of_commands) {
        let install = pinned.fact(site, files, fleet);
        if !installs.contains(&install) {
            installs.push(install);
        }
    }
    installs.sort_by_key(|install| install.span);
    installs
}

/// A torch of which the wheel is known.
struct Pinned {
    /// As it was written.
    text: String,
    version: Version,
    wheel: &'static TorchWheel,
    sure: bool,
}

impl Pinned {
    fn of_image(scope: &WalkedScope, cpu: Cpu) -> Option<Self> {
        let torch = &scope.start.torch;
        let text = torch.version.as_deref()?.to_owned();
        let version = text.parse().ok()?;
        let is_base = scope.parent.is_none() && !scope.image_site.span.is_empty();
        Some(Self {
            text,
            version,
            wheel: wheel(version, torch.variant.as_deref()?, cpu).filter(|_| is_base)?,
            sure: true,
        })
    }

    fn of_command(torch: &TorchInstall, cpu: Cpu) -> Option<Self> {
        let installed = &torch.installed;
        let text = installed.version.clone()?;
        let version = text.parse().ok()?;
        let wheel = match &installed.variant {
            Some(variant) => wheel(version, variant, cpu),
            None if installed.default_index => default_wheel(version, cpu),
            None => None,
        };
        Some(Self {
            text,
            version,
            wheel: wheel?,
            sure: torch.sure,
        })
    }

    fn fact(&self, site: Site, files: &Files<'_>, fleet: &[Device]) -> Install {
        let likely = !self.sure || self.wheel.trust == Trust::Low;
        let partial = self.wheel.partial.iter().copied().map(Image::sass);
        let gaps = gaps(&[Some(code(self.wheel, &self.wheel.images()))], fleet);
        Install {
            name: "torch".to_owned(),
            version: self.text.clone(),
            variant: self.wheel.variant.to_string(),
            path: files.path(site).to_owned(),
            span: files.place(site),
            confidence: if likely {
                Confidence::Likely
            } else {
                Confidence::Certain
            },
            archs_full: names(self.wheel.images().into_iter()),
            archs_partial: names(partial),
            suggest: if gaps.is_empty() {
                String::new()
            } else {
                self.suggest(fleet).unwrap_or_default()
            },
            fleet: FleetFit {
                // no GPU is left out by a suffix that nobody asked for
                gaps: gaps
                    .into_iter()
                    .filter(|gap| gap.kind != GapKind::Bound)
                    .collect(),
                spare: Vec::new(),
            },
        }
    }

    /// The first wheel from this release on that serves the whole fleet.
    fn suggest(&self, fleet: &[Device]) -> Option<String> {
        let serves =
            |wheel: &&TorchWheel| gaps(&[Some(code(wheel, &wheel.images()))], fleet).is_empty();
        let wheel = from_release(self.version, self.wheel.cpu).find(serves)?;
        let version = if wheel.from > self.version {
            format!("{}.{}", wheel.from.major, wheel.from.minor)
        } else {
            self.text.clone()
        };
        Some(format!("torch {version} for {}", wheel.variant))
    }
}

fn code<'i>(wheel: &TorchWheel, images: &'i [Image]) -> Code<'i> {
    Code {
        images,
        more: false,
        toolkit: ToolkitVersion::from_variant(&wheel.variant),
    }
}

fn names(images: impl Iterator<Item = Image>) -> Vec<String> {
    images.map(|image| image.to_string()).collect()
}

/// Whether the torch that came to a stage before those of `later` is still there where the stage, or one that is built on it,
/// ends: no other version was installed over it.
fn stays(scope: usize, later: &[TorchInstall], walked: &Walked) -> bool {
    let is_end = |at: &usize| !walked.scopes.iter().any(|s| s.parent == Some(*at));
    let replaced = |end: usize| {
        later.iter().any(|other| {
            walked.inherits(end, other.scope) && (other.installed.version.is_some() || !other.sure)
        })
    };
    let mut ends = (0..walked.scopes.len()).filter(|at| is_end(at) && walked.inherits(*at, scope));
    ends.any(|end| !replaced(end))
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
