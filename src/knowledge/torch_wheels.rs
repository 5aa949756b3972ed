//! The architectures that the public wheels of torch carry.
use super::record::{Cpu, TorchWheel};
use super::tables::TORCH_WHEELS;
use crate::cuda::{Image, Version};

/// The wheel of a release in a variant such as `cu124`. `None`: it has no device code (`cpu`), or is not known.
pub fn wheel(torch: Version, variant: &str, cpu: Cpu) -> Option<&'static TorchWheel> {
    of_release(torch).find(|wheel| wheel.variant.as_str() == variant && wheel.cpu == cpu)
}

/// The wheel that `pip install torch` takes from the default index. Known for x86-64 Linux.
pub fn default_wheel(torch: Version, cpu: Cpu) -> Option<&'static TorchWheel> {
    of_release(torch).find(|wheel| wheel.default && wheel.cpu == cpu)
}

/// The wheels of a release and of those after it, the oldest release first.
pub fn from_release(torch: Version, cpu: Cpu) -> impl Iterator<Item = &'static TorchWheel> {
    let minor = (torch.major, torch.minor);
    let later =
        move |wheel: &&TorchWheel| wheel.cpu == cpu && (wheel.to.major, wheel.to.minor) >= minor;
    let mut wheels: Vec<_> = TORCH_WHEELS.iter().filter(later).collect();
    wheels.sort_by_key(|wheel| (wheel.from.max(torch), wheel.variant));
    wheels.into_iter()
}

fn of_release(torch: Version) -> impl Iterator<Item = &'static TorchWheel> {
    let minor = |version: Version| (version.major, version.minor);
    TORCH_WHEELS
        .iter()
        .filter(move |wheel| (minor(wheel.from)..=minor(wheel.to)).contains(&minor(torch)))
}

impl TorchWheel {
    /// The machine code that serves every kernel.
    pub fn images(&self) -> Vec<Image> {
        self.full.iter().copied().map(Image::sass).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(wheel: Option<&TorchWheel>) -> Option<String> {
        let targets = wheel?.full.iter().map(|target| target.undotted());
        Some(targets.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn wheels_by_release_and_variant() {
        for (torch, variant, cpu, expected) in [
            ("1.6.0", "cu102", Cpu::X86, Some("37 50 60 70 75")),
            ("1.7.1", "cu110", Cpu::X86, Some("37 50 60 70 75 80")),
            ("2.4.1", "cu121", Cpu::X86, Some("50 60 70 75 80 86 90")),
            ("2.8.0", "cu128", Cpu::X86, Some("70 75 80 86 90 100 120")),
            ("2.11.0", "cu128", Cpu::X86, Some("75 80 86 90 100 120")),
            ("2.13.0", "cu130", Cpu::Arm, Some("80 90 100 110 120")),
            ("2.4.1", "cpu", Cpu::X86, None),
            ("2.4.1", "cu130", Cpu::X86, None),
            ("9.9", "cu130", Cpu::X86, None),
        ] {
            let wheel = wheel(torch.parse().unwrap(), variant, cpu);
            assert_eq!(full(wheel).as_deref(), expected, "{torch} {variant}");
        }
    }

    #[test]
    fn every_release_has_one_default() {
        for wheel in TORCH_WHEELS {
            for torch in [wheel.from, wheel.to] {
                let defaults = of_release(torch).filter(|wheel| wheel.default).count();
                assert_eq!(defaults, 1, "{torch}");
            }
        }
        let variant = |torch: &str| {
            default_wheel(torch.parse().unwrap(), Cpu::X86).map(|wheel| wheel.variant.as_str())
        };
        assert_eq!(variant("2.6.0"), Some("cu124"));
        assert_eq!(variant("2.12.0"), Some("cu130"));
        assert_eq!(variant("2.15.1"), Some("cu132"));
        assert_eq!(variant("1.6.0"), Some("cu102"));
        assert_eq!(variant("1.5.1"), None);
    }
}
