//! Compute capabilities and the targets that compilers name after them.
use crate::table::from_text;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::str::FromStr;

/// A GPU's compute capability, such as 8.6. It reads from text and serializes by its fields, as `build.rs` writes it into
/// tables; so do the other types of the model. Reports print the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Capability {
    /// The generation: 8 in 8.6.
    pub major: u8,
    /// The member of the generation: 6 in 8.6.
    pub minor: u8,
}

impl Capability {
    /// The capability `major.minor`.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// From the undotted number of nvcc and CMake: 86 is 8.6, 120 is 12.0. `None` past 25.5 or below 1.0.
    pub fn from_number(number: u32) -> Option<Self> {
        let major = u8::try_from(number / 10)
            .ok()
            .filter(|m| (1..=25).contains(m))?;
        Some(Self {
            major,
            minor: (number % 10) as u8,
        })
    }

    /// The undotted number: 8.6 is 86.
    pub fn number(self) -> u32 {
        u32::from(self.major) * 10 + u32::from(self.minor)
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Text that is not a dotted capability such as `8.6`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a compute capability such as 8.6")]
pub struct NotACapability(pub String);

impl FromStr for Capability {
    type Err = NotACapability;

    fn from_str(text: &str) -> Result<Self, NotACapability> {
        let fail = || NotACapability(text.to_owned());
        let (major, minor) = text.split_once('.').ok_or_else(fail)?;
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !digits(major) || minor.len() != 1 || !digits(minor) {
            return Err(fail());
        }
        let major: u32 = major.parse().map_err(|_| fail())?;
        let minor: u32 = minor.parse().map_err(|_| fail())?;
        Self::from_number(major.saturating_mul(10).saturating_add(minor)).ok_or_else(fail)
    }
}

/// As tables and configuration write it: `8.6`.
impl<'de> Deserialize<'de> for Capability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

/// How far a target's code carries beyond the plain rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Suffix {
    /// `sm_90`: SASS runs on the same major at this minor or higher; PTX on anything newer.
    #[default]
    None,
    /// `sm_90a`: exactly this capability and no other.
    Accelerated,
    /// `sm_100f`: the family of this capability (the set depends on the toolkit).
    Family,
}

impl Suffix {
    /// The letter: empty, `a` or `f`.
    pub fn letter(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Accelerated => "a",
            Self::Family => "f",
        }
    }
}

/// What a compiler is asked to compile for: a capability and a suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Target {
    /// The capability named.
    pub capability: Capability,
    /// The suffix, if any.
    pub suffix: Suffix,
}

impl Target {
    /// A target without suffix.
    pub const fn plain(capability: Capability) -> Self {
        Self {
            capability,
            suffix: Suffix::None,
        }
    }

    /// Reads `86`, `90a` or `100f`.
    pub fn from_undotted(text: &str) -> Option<Self> {
        let (digits, suffix) = split_suffix(text);
        if digits.is_empty() || digits.len() > 3 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let capability = Capability::from_number(digits.parse().ok()?)?;
        Some(Self { capability, suffix })
    }

    /// Reads `8.6`, `9.0a` or `10.0f`.
    pub fn from_dotted(text: &str) -> Option<Self> {
        let (digits, suffix) = split_suffix(text);
        Some(Self {
            capability: digits.parse().ok()?,
            suffix,
        })
    }

    /// `86`, `90a`.
    pub fn undotted(self) -> String {
        format!("{}{}", self.capability.number(), self.suffix.letter())
    }

    /// `8.6`, `9.0a`.
    pub fn dotted(self) -> String {
        format!("{}{}", self.capability, self.suffix.letter())
    }
}

/// Text that is not a target such as `90a`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a target such as 86 or 90a")]
pub struct NotATarget(pub String);

/// Reads the undotted spelling of nvcc and CMake: `90a`.
impl FromStr for Target {
    type Err = NotATarget;

    fn from_str(text: &str) -> Result<Self, NotATarget> {
        Self::from_undotted(text).ok_or_else(|| NotATarget(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

fn split_suffix(text: &str) -> (&str, Suffix) {
    if let Some(digits) = text.strip_suffix('a') {
        (digits, Suffix::Accelerated)
    } else if let Some(digits) = text.strip_suffix('f') {
        (digits, Suffix::Family)
    } else {
        (text, Suffix::None)
    }
}

/// The form of a device image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageKind {
    /// Machine code (a cubin), named `sm_NN`.
    Sass,
    /// Assembly that the driver compiles when it loads it, named `compute_NN`.
    Ptx,
    /// Link-time intermediate code: not runnable before a device link.
    Lto,
}

/// A version of the PTX language, such as 8.7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct PtxIsa {
    /// 8 in 8.7.
    pub major: u16,
    /// 7 in 8.7.
    pub minor: u16,
}

/// Text that is not a PTX language version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a PTX version such as 8.7")]
pub struct NotAPtxIsa(pub String);

impl FromStr for PtxIsa {
    type Err = NotAPtxIsa;

    fn from_str(text: &str) -> Result<Self, NotAPtxIsa> {
        let parts = text.split_once('.');
        parts
            .and_then(|(major, minor)| {
                Some(Self {
                    major: major.parse().ok()?,
                    minor: minor.parse().ok()?,
                })
            })
            .ok_or_else(|| NotAPtxIsa(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for PtxIsa {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

impl fmt::Display for PtxIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// One device image: what a list of architectures makes the compiler embed, or what a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Image {
    /// SASS, PTX or LTO.
    pub kind: ImageKind,
    /// What it was compiled for.
    pub target: Target,
    /// The PTX language version; `None` where unknown, and for SASS.
    pub ptx_isa: Option<PtxIsa>,
}

impl Image {
    /// Machine code for `target`.
    pub const fn sass(target: Target) -> Self {
        Self {
            kind: ImageKind::Sass,
            target,
            ptx_isa: None,
        }
    }

    /// PTX for `target`, of unknown language version.
    pub const fn ptx(target: Target) -> Self {
        Self {
            kind: ImageKind::Ptx,
            target,
            ptx_isa: None,
        }
    }
}

/// `sm_80` for SASS and LTO, `compute_80` for PTX: the spelling of `builds[].arch.images`.
impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = if self.kind == ImageKind::Ptx {
            "compute"
        } else {
            "sm"
        };
        write!(f, "{prefix}_{}", self.target.undotted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_read_and_print() {
        for (text, number) in [("8.6", 86), ("12.0", 120), ("10.3", 103), ("5.0", 50)] {
            let capability: Capability = text.parse().unwrap();
            assert_eq!(capability.number(), number);
            assert_eq!(capability.to_string(), text);
            assert_eq!(Capability::from_number(number), Some(capability));
        }
        for bad in [
            "", "8", "8.", ".6", "8.66", "8,6", "sm_86", "99.0", "0.1", "+8.6",
        ] {
            assert!(bad.parse::<Capability>().is_err(), "{bad}");
        }
    }

    #[test]
    fn targets_read_both_spellings() {
        assert_eq!(Target::from_undotted("90a"), Target::from_dotted("9.0a"));
        assert_eq!(Target::from_undotted("100f").unwrap().dotted(), "10.0f");
        assert_eq!(Target::from_dotted("12.0").unwrap().undotted(), "120");
        for bad in ["", "a", "9", "sm_90", "9.0", "90b", "1200"] {
            assert_eq!(Target::from_undotted(bad), None, "{bad}");
        }
    }
}
