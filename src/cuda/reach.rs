//! What reaches a GPU: which targets run on it, and which toolkits and releases of torch know it.
use super::capability::{Image, Suffix, Target};
use super::coverage::{Coverage, Jit, coverage};
use super::device::Device;
use super::tables::{TOOLKITS, TORCH_PARSERS};
use super::version::{ToolkitVersion, Version};

/// What reaches a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Targets whose machine code runs there, in order; families as the newest toolkit has them.
    pub sass: Vec<Target>,
    /// Targets without suffix whose PTX its driver can compile, in order.
    pub ptx: Vec<Target>,
    /// The first and the last released toolkit that compiles for its own target.
    pub own: Option<(ToolkitVersion, ToolkitVersion)>,
    /// The first and the last released toolkit that compiles machine code that runs there.
    pub any: Option<(ToolkitVersion, ToolkitVersion)>,
    /// The first release of torch that is known to take its own target.
    pub torch: Option<Version>,
}

/// What reaches `device`.
pub fn reach(device: &Device) -> Reach {
    let own = Target::plain(device.capability);
    let runs = |image: Image, toolkit| coverage(&[image], device, toolkit, Jit::Allowed);
    let native = |target: Target| {
        let newest = TOOLKITS
            .iter()
            .rev()
            .find(|toolkit| toolkit.accepts(target));
        let newest = newest.map(|toolkit| toolkit.version);
        matches!(runs(Image::sass(target), newest), Coverage::Native { .. })
    };
    let mut targets: Vec<Target> = TOOLKITS.iter().flat_map(|t| t.targets).copied().collect();
    targets.sort();
    targets.dedup();
    let compiled = |target: &Target| {
        target.suffix == Suffix::None
            && matches!(runs(Image::ptx(*target), None), Coverage::Jit { .. })
    };
    let sass: Vec<Target> = targets.iter().copied().filter(|t| native(*t)).collect();
    let parsers = TORCH_PARSERS.iter();
    Reach {
        ptx: targets.iter().copied().filter(compiled).collect(),
        own: ends(|target| target == own),
        any: ends(|target| sass.contains(&target)),
        torch: parsers
            .filter(|row| row.targets.contains(&own))
            .map(|row| row.from)
            .min(),
        sass,
    }
}

/// The first and the last toolkit that accepts such a target.
fn ends(wanted: impl Fn(Target) -> bool) -> Option<(ToolkitVersion, ToolkitVersion)> {
    let mut versions = TOOLKITS
        .iter()
        .filter(|toolkit| toolkit.targets.iter().any(|target| wanted(*target)))
        .map(|toolkit| toolkit.version);
    let first = versions.next()?;
    Some((first, versions.next_back().unwrap_or(first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(capability: &str) -> String {
        let reach = reach(&Device::of(capability.parse().unwrap()));
        let names = |targets: &[Target]| {
            let names: Vec<_> = targets.iter().map(|target| target.undotted()).collect();
            names.join(" ")
        };
        let first = |ends: Option<(ToolkitVersion, ToolkitVersion)>| {
            ends.map_or("-".to_owned(), |(first, _)| first.to_string())
        };
        let torch = reach
            .torch
            .map_or("-".to_owned(), |torch| torch.to_string());
        let (own, any) = (first(reach.own), first(reach.any));
        let ptx = reach.ptx.last().map(|target| target.undotted());
        format!(
            "{} | {} | {own} {any} {torch}",
            names(&reach.sass),
            ptx.unwrap_or_default()
        )
    }

    #[test]
    fn what_reaches_a_gpu() {
        for (capability, expected) in [
            ("8.9", "80 86 88 89 | 89 | 11.8 11.0 2.0"),
            ("9.0", "90 90a | 90 | 11.8 11.8 2.0"),
            ("8.7", "87 | 87 | 11.4 11.4 2.2"),
            ("10.3", "100 100f 103 103a 103f | 103 | 12.9 12.8 2.8"),
            ("12.1", "120 120f 121 121a 121f | 121 | 12.9 12.8 2.8"),
            ("7.5", "70 75 | 75 | 10.0 9.0 1.13"),
        ] {
            assert_eq!(shown(capability), expected, "{capability}");
        }
    }
}
