//! Whether a container starts under the drivers of the fleet: `NVIDIA_REQUIRE_CUDA`, of the base image or the document.
use crate::cuda::{Device, DriverBranch, ToolkitVersion, toolkit};
use crate::facts::{Confidence, FleetGap, GapKind};
use crate::fleet::gaps::fact;
use crate::knowledge::own::lookup_with;
use crate::table::List;
use crate::walk::state::State;
use crate::walk::walked::{Given, Walked, WalkedScope, WalkedWorld};

/// What the container of the document, which its last stage describes, asks of a driver.
struct Asked {
    cuda: ToolkitVersion,
    /// Branches that are admitted although they are older; `None`: none is.
    older: Option<List<u16>>,
}

/// The GPUs on which the container does not start, if the scope is the base of the document's last stage, whose index is
/// `last`. Nothing is said where the requirement is not known.
pub fn gaps(
    scope: usize,
    world: &WalkedWorld,
    last: usize,
    walked: &Walked,
    given: &Given,
    fleet: &[Device],
) -> Vec<FleetGap> {
    let (Some(base), Some(end)) = (walked.scopes.get(scope), walked.scopes.get(last)) else {
        return Vec::new();
    };
    // of the worlds of a job the last one
    let is_last = last != scope || end.worlds.last() == Some(world);
    if !is_last || !walked.inherits(last, scope) {
        return Vec::new();
    }
    let Some(asked) = asked(base, &end.end, given) else {
        return Vec::new();
    };
    let mut branches: Vec<DriverBranch> = fleet.iter().filter_map(|d| d.driver).collect();
    branches.sort();
    branches.dedup();
    let of_branch = branches.into_iter().map(|branch| {
        let devices = fleet.iter().filter(|d| d.driver == Some(branch));
        let refused: Vec<&Device> = devices.filter(|d| asked.refuses(d, branch)).collect();
        (branch, refused)
    });
    of_branch
        .filter(|(_, refused)| !refused.is_empty())
        .filter_map(|(branch, refused)| {
            let (cuda, needed) = (asked.cuda, toolkit(asked.cuda)?.driver);
            let reason =
                format!("NVIDIA_REQUIRE_CUDA asks for CUDA {cuda}, of driver {needed}, and there it is {branch}");
            Some(fact(GapKind::Driver, &refused, reason, Confidence::Certain))
        })
        .collect()
}

fn asked(base: &WalkedScope, end: &State, given: &Given) -> Option<Asked> {
    const REQUIRE: &str = "NVIDIA_REQUIRE_CUDA";
    if end.mentions("NVIDIA_DISABLE_REQUIRE") {
        return None;
    }
    if end.mentions(REQUIRE) {
        return written(&end.single(REQUIRE)?.known()?);
    }
    let image = lookup_with(&base.image.sketch(), given.images, given.cpu())?;
    Some(Asked {
        cuda: image.toolkit.filter(|_| !image.drivers.is_empty())?,
        older: Some(image.drivers),
    })
}

/// `cuda>=12.8` and nothing beside it: alternatives by brand and branch are left alone.
fn written(text: &str) -> Option<Asked> {
    let cuda = text.trim().strip_prefix("cuda>=")?.parse().ok()?;
    Some(Asked { cuda, older: None })
}

impl Asked {
    fn refuses(&self, device: &Device, branch: DriverBranch) -> bool {
        let Some(own) = toolkit(self.cuda) else {
            return false;
        };
        let admitted = match self.older {
            Some(older) if older.contains(&branch.0) => device.is_consumer() != Some(true),
            _ => false,
        };
        branch.0 < own.driver && !admitted
    }
}

#[cfg(test)]
mod tests {
    use crate::cuda::{Device, DriverBranch};
    use crate::lint::{Options, observe};

    /// The GPUs on which it does not start, and why.
    fn refused(dockerfile: &str, gpus: &str, driver: u16) -> String {
        let named = gpus
            .split(", ")
            .map(|name| crate::fleet::resolve(name).unwrap());
        let driver = Some(DriverBranch(driver));
        let options = Options {
            fleet: named.map(|device| Device { driver, ..device }).collect(),
            ..Options::default()
        };
        let images = observe("Dockerfile", dockerfile, &options).images;
        let gaps = images.iter().flat_map(|image| &image.fleet.gaps);
        let texts = gaps.map(|gap| format!("{}: {}", gap.gpus.join(", "), gap.reason));
        texts.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn what_an_image_asks_for_when_it_starts() {
        const OF_12_8: &str = "FROM nvidia/cuda:12.8.1-runtime-ubuntu24.04\n";
        const OF_13_0: &str = "FROM nvidia/cuda:13.0.2-devel-ubuntu24.04\n";
        const ASKS: &str = "FROM ubuntu:24.04\nENV NVIDIA_REQUIRE_CUDA=\"cuda>=12.8\"\n";
        let none = String::new();
        let refused_12_8 = |gpus: &str, branch: u16| {
            format!(
                "{gpus}: NVIDIA_REQUIRE_CUDA asks for CUDA 12.8, of driver 570, and there it is {branch}"
            )
        };
        for (dockerfile, gpus, driver, expected) in [
            // the same minor version or newer
            (OF_12_8, "RTX 4090", 570, none.clone()),
            (OF_12_8, "RTX 4090", 580, none.clone()),
            // minor-version compatibility would run its code, and the container does not start
            (
                OF_12_8,
                "RTX 4090",
                550,
                refused_12_8("NVIDIA GeForce RTX 4090", 550),
            ),
            (
                OF_12_8,
                "RTX 4090, H100",
                550,
                refused_12_8("NVIDIA GeForce RTX 4090", 550),
            ),
            // cuda-compat is for data centres, and for the branches that the image names
            (OF_12_8, "H100", 550, none.clone()),
            (OF_12_8, "A100, T4", 535, none.clone()),
            (
                OF_12_8,
                "H100",
                525,
                refused_12_8("NVIDIA H100 80GB HBM3", 525),
            ),
            (OF_13_0, "H100", 550, none.clone()),
            (
                OF_13_0,
                "H100",
                560,
                "NVIDIA H100 80GB HBM3: NVIDIA_REQUIRE_CUDA asks for CUDA 13.0, of driver 580, and there it is 560"
                    .to_owned(),
            ),
            // of a capability nobody knows the brand
            (OF_12_8, "8.9", 550, none.clone()),
            (
                OF_12_8,
                "8.9",
                525,
                refused_12_8("compute capability 8.9", 525),
            ),
            // releases whose variable was not read
            (
                "FROM nvidia/cuda:12.9.1-base-ubuntu24.04\n",
                "RTX 4090",
                525,
                none.clone(),
            ),
            ("FROM python:3.12\n", "RTX 4090", 525, none.clone()),
            // the document says it itself
            (
                ASKS,
                "H100",
                550,
                refused_12_8("NVIDIA H100 80GB HBM3", 550),
            ),
            (ASKS, "H100", 570, none.clone()),
            (
                "FROM ubuntu:24.04\nENV NVIDIA_REQUIRE_CUDA=\"cuda>=12.8 brand=tesla,driver>=550\"\n",
                "H100",
                535,
                none.clone(),
            ),
            (
                "FROM ubuntu:24.04\nARG R\nENV NVIDIA_REQUIRE_CUDA=$R\n",
                "H100",
                535,
                none.clone(),
            ),
            (
                "FROM nvidia/cuda:12.8.1-base-ubuntu24.04\nENV NVIDIA_DISABLE_REQUIRE=1\n",
                "RTX 4090",
                550,
                none.clone(),
            ),
            (
                "FROM nvidia/cuda:12.8.1-base-ubuntu24.04\nENV NVIDIA_REQUIRE_CUDA=\n",
                "RTX 4090",
                550,
                none.clone(),
            ),
            // only the stage that is shipped starts
            (
                "FROM nvidia/cuda:12.8.1-devel-ubuntu24.04 AS build\nFROM ubuntu:24.04\n",
                "RTX 4090",
                550,
                none.clone(),
            ),
            (
                "FROM nvidia/cuda:12.8.1-devel-ubuntu24.04 AS build\nFROM build\n",
                "RTX 4090",
                550,
                refused_12_8("NVIDIA GeForce RTX 4090", 550),
            ),
        ] {
            assert_eq!(
                refused(dockerfile, gpus, driver),
                expected,
                "{dockerfile} {gpus} {driver}"
            );
        }
    }
}
