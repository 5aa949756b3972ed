//! GPUs, and the drivers they run under.
use super::capability::{Capability, PtxIsa};
use super::tables::{COMPAT, TOOLKITS};
use std::fmt;
use std::str::FromStr;

/// A GPU that code must run on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// Its name, for people.
    pub name: String,
    /// Its compute capability.
    pub capability: Capability,
    /// A Tegra chip (Jetson, Drive): it runs exactly its own machine code.
    pub tegra: bool,
    /// The driver branch it runs under; `None` where nobody said.
    pub driver: Option<DriverBranch>,
}

impl Device {
    /// A device of which only the capability is known.
    pub fn of(capability: Capability) -> Self {
        Self {
            name: format!("compute capability {capability}"),
            capability,
            tegra: is_tegra(capability),
            driver: None,
        }
    }
}

impl Device {
    /// Whether it is a GPU for consumers, which NVIDIA's containers do not start under an older driver; `None` where only the
    /// capability is known.
    pub fn is_consumer(&self) -> Option<bool> {
        let product = Self::of(self.capability).name != self.name;
        let consumer = ["GeForce", "TITAN"]
            .iter()
            .any(|brand| self.name.contains(brand));
        product.then_some(consumer)
    }
}

/// Whether chips of this capability are Tegra chips.
pub fn is_tegra(capability: Capability) -> bool {
    COMPAT.tegra.contains(&capability)
}

/// A driver branch: 550 for every 550.x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DriverBranch(pub u16);

/// Text that is not a driver version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a driver version such as 550 or 550.54.14")]
pub struct NotADriver(pub String);

/// Reads `550`, `550.54.14` and `R550`.
impl FromStr for DriverBranch {
    type Err = NotADriver;

    fn from_str(text: &str) -> Result<Self, NotADriver> {
        let digits = text.strip_prefix(['r', 'R']).unwrap_or(text);
        let mut parts = digits.split('.').map(str::parse::<u16>);
        match (parts.next(), parts.all(|part| part.is_ok())) {
            (Some(Ok(branch)), true) if branch >= 100 => Ok(Self(branch)),
            _ => Err(NotADriver(text.to_owned())),
        }
    }
}

impl fmt::Display for DriverBranch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl DriverBranch {
    /// Whether the branch compiles PTX of this language version; `None` where the tables do not tell.
    pub fn compiles(self, isa: PtxIsa) -> Option<bool> {
        let reached = TOOLKITS
            .iter()
            .filter(|toolkit| toolkit.driver <= self.0 && !toolkit.driver_at_least)
            .map(|toolkit| toolkit.isa)
            .max();
        if Some(isa) <= reached {
            return Some(true);
        }
        // A version that came with a newer branch, or one newer still.
        let beyond = TOOLKITS
            .iter()
            .any(|toolkit| toolkit.driver > self.0 && toolkit.isa <= isa);
        beyond.then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_read() {
        for (text, branch) in [
            ("550", 550),
            ("550.54.14", 550),
            ("R615", 615),
            ("r580", 580),
        ] {
            assert_eq!(text.parse(), Ok(DriverBranch(branch)));
        }
        for bad in ["", "12", "12.4", "550.x", "latest", "5500000", "-550"] {
            assert!(bad.parse::<DriverBranch>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_branch_compiles_the_ptx_of_its_toolkit_and_older() {
        for (branch, isa, expected) in [
            (580, "9.0", Some(true)),
            (580, "7.0", Some(true)),
            (580, "9.1", Some(false)), // measured: 222
            (580, "9.9", Some(false)), // measured
            (550, "8.4", Some(true)),
            (550, "8.5", Some(false)),
            (555, "8.5", Some(true)),
            (560, "8.5", Some(true)),
            (300, "6.0", Some(false)),
            (580, "5.0", Some(true)),
            (565, "8.6", None), // between 12.6 and 12.8
            (615, "9.4", Some(true)),
            (615, "9.5", None), // its branch is not known
            (600, "9.5", Some(false)),
            (900, "12.0", None),
        ] {
            assert_eq!(
                DriverBranch(branch).compiles(isa.parse().unwrap()),
                expected,
                "{isa} by {branch}"
            );
        }
    }

    #[test]
    fn tegra_goes_by_the_capability() {
        for (text, tegra) in [
            ("8.7", true),
            ("11.0", true),
            ("8.6", false),
            ("12.1", false),
        ] {
            assert_eq!(Device::of(text.parse().unwrap()).tegra, tegra, "{text}");
        }
    }
}
