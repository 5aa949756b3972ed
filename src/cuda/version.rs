//! Version numbers: packages and tools in general, and CUDA toolkits.
use crate::table::from_text;
use serde::{Deserialize, Deserializer, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A version of a package or tool, ordered as PEP 440 orders releases: numbers count, not text (1.10 > 1.9, 2.8 = 2.8.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Version {
    /// 2 in 2.8.3.
    pub major: u32,
    /// 8 in 2.8.3; 0 where not written.
    pub minor: u32,
    /// 3 in 2.8.3; 0 where not written.
    pub patch: u32,
    /// The fourth number; 0 where not written.
    pub fourth: u32,
    /// Before, at or after the release of these numbers.
    pub phase: Phase,
}

/// Where a version stands beside the release of the same numbers, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Phase {
    /// `.dev3`
    Dev(u32),
    /// `a0`
    Alpha(u32),
    /// `b1`
    Beta(u32),
    /// `rc2`
    Candidate(u32),
    /// The release itself.
    Final,
    /// `.post2`
    Post(u32),
}

/// Text that is not a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a version such as 2.8.3")]
pub struct NotAVersion(pub String);

/// Reads `2.8.3.post2`, `v0.11.0`, `2.1.0a0+32f93b1` (what follows `+` says how it was built and does not count).
impl FromStr for Version {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        read(text.trim()).ok_or_else(|| NotAVersion(text.to_owned()))
    }
}

fn read(text: &str) -> Option<Version> {
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let text = text.split_once('+').map_or(text, |(public, _)| public);
    let mut numbers = [0; 4];
    let (first, mut rest) = number(text)?;
    numbers[0] = first;
    let mut at = 1;
    while let Some((value, after)) = rest.strip_prefix('.').and_then(number) {
        *numbers.get_mut(at)? = value;
        at += 1;
        rest = after;
    }
    let [major, minor, patch, fourth] = numbers;
    Some(Version {
        major,
        minor,
        patch,
        fourth,
        phase: phase(rest)?,
    })
}

/// A number at the start of `text`, and what follows it.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// `rc1`, `.dev20240101`, `-beta`; of `a1.dev2` the first decides.
fn phase(text: &str) -> Option<Phase> {
    if text.is_empty() {
        return Some(Phase::Final);
    }
    let text = text
        .trim_start_matches(['.', '-', '_'])
        .to_ascii_lowercase();
    let end = text
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let count = number(rest.trim_start_matches(['.', '-', '_'])).map_or(0, |(n, _)| n);
    match word {
        "dev" => Some(Phase::Dev(count)),
        "a" | "alpha" => Some(Phase::Alpha(count)),
        "b" | "beta" => Some(Phase::Beta(count)),
        "c" | "rc" | "pre" | "preview" => Some(Phase::Candidate(count)),
        "post" | "r" | "rev" => Some(Phase::Post(count)),
        _ => None,
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        if self.patch > 0 || self.fourth > 0 {
            write!(f, ".{}", self.patch)?;
        }
        if self.fourth > 0 {
            write!(f, ".{}", self.fourth)?;
        }
        match self.phase {
            Phase::Dev(n) => write!(f, ".dev{n}"),
            Phase::Alpha(n) => write!(f, "a{n}"),
            Phase::Beta(n) => write!(f, "b{n}"),
            Phase::Candidate(n) => write!(f, "rc{n}"),
            Phase::Final => Ok(()),
            Phase::Post(n) => write!(f, ".post{n}"),
        }
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

/// Versions between bounds: `>=2.7.3,<3`. Every bound must hold.
///
/// A pre-release counts as older than its release, so that a range and its complement leave no gap.
/// Read anew for each build: no [`List`](crate::table::List), which stays in memory for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range(pub Vec<Bound>);

/// One bound of a [`Range`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// How a version must compare.
    pub operator: Operator,
    /// With what.
    pub version: Version,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `==` or `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `>=`
    AtLeast,
    /// `>`
    Greater,
}

/// Text that is not a range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a version range such as >=2.7.3,<3")]
pub struct NotARange(pub String);

impl Range {
    /// Reads bounds separated by commas.
    ///
    /// # Errors
    /// A bound without operator or version.
    pub fn parse(text: &str) -> Result<Self, NotARange> {
        text.split(',')
            .map(|bound| read_bound(bound.trim()))
            .collect::<Option<Vec<Bound>>>()
            .map(Self)
            .ok_or_else(|| NotARange(text.to_owned()))
    }

    /// Whether every bound holds.
    pub fn contains(&self, version: &Version) -> bool {
        self.0.iter().all(|bound| {
            let order = version.cmp(&bound.version);
            match bound.operator {
                Operator::Less => order == Ordering::Less,
                Operator::AtMost => order != Ordering::Greater,
                Operator::Equal => order == Ordering::Equal,
                Operator::NotEqual => order != Ordering::Equal,
                Operator::AtLeast => order != Ordering::Less,
                Operator::Greater => order == Ordering::Greater,
            }
        })
    }
}

fn read_bound(text: &str) -> Option<Bound> {
    const OPERATORS: [(&str, Operator); 7] = [
        ("<=", Operator::AtMost),
        ("<", Operator::Less),
        (">=", Operator::AtLeast),
        (">", Operator::Greater),
        ("==", Operator::Equal),
        ("=", Operator::Equal),
        ("!=", Operator::NotEqual),
    ];
    OPERATORS.iter().find_map(|&(sign, operator)| {
        let version = text.strip_prefix(sign)?.parse().ok()?;
        Some(Bound { operator, version })
    })
}

/// A CUDA toolkit's version, such as 12.4. Updates (12.4.1) compile for the same targets and do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ToolkitVersion {
    /// 12 in 12.4.
    pub major: u16,
    /// 4 in 12.4.
    pub minor: u16,
}

impl ToolkitVersion {
    /// The version `major.minor`.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }

    /// From the variant of a wheel or index: `cu124` is 12.4, `cu92` is 9.2. `None` for `cpu` and the like.
    pub fn from_variant(variant: &str) -> Option<Self> {
        let digits = variant.strip_prefix("cu")?;
        if !(2..=3).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let (major, minor) = digits.split_at(digits.len() - 1);
        Some(Self::new(major.parse().ok()?, minor.parse().ok()?))
    }

    /// The variant's name: 12.4 is `cu124`.
    pub fn variant(self) -> String {
        format!("cu{}{}", self.major, self.minor)
    }
}

/// Text that is not a toolkit version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a CUDA version such as 12.4")]
pub struct NotAToolkitVersion(pub String);

/// Reads `12.4`, also `12.4.1` and `12.4.1.003`; not `12` alone, which leaves the targets open.
impl FromStr for ToolkitVersion {
    type Err = NotAToolkitVersion;

    fn from_str(text: &str) -> Result<Self, NotAToolkitVersion> {
        let fail = || NotAToolkitVersion(text.to_owned());
        let mut parts = text.split('.').map(|part| part.parse::<u16>().ok());
        let mut next = || parts.next().flatten().ok_or_else(fail);
        let version = Self::new(next()?, next()?);
        if parts.all(|part| part.is_some()) {
            Ok(version)
        } else {
            Err(fail())
        }
    }
}

impl fmt::Display for ToolkitVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl<'de> Deserialize<'de> for ToolkitVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn versions_stand_in_order() {
        let ordered = [
            "1.9",
            "1.10.dev1",
            "1.10a1",
            "1.10b0",
            "1.10rc2",
            "1.10",
            "1.10.post1",
            "1.10.0.1",
            "1.10.1",
            "2.8.3",
            "2.8.3.post1",
            "2.8.3.post2",
            "2.8.4",
            "2024.12",
        ];
        for pair in ordered.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{pair:?}");
        }
        for (a, b) in [
            ("2.8", "2.8.0"),
            ("v2.8", "2.8"),
            ("2.1.0a0+32f93b1", "2.1a0"),
            ("1.0-beta.2", "1.0b2"),
        ] {
            assert_eq!(version(a), version(b));
        }
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for bad in [
            "",
            "v",
            "main",
            "1.x",
            "1.2.3.4.5",
            "release-2.4",
            "1.",
            "99999999999",
            "2.4.1-runtime",
        ] {
            assert!(bad.parse::<Version>().is_err(), "{bad}");
        }
    }

    #[test]
    fn ranges_hold_by_number() {
        for (range, text, holds) in [
            (">=2.7.3,<3", "2.7.3", true),
            (">=2.7.3,<3", "2.10", true),
            (">=2.7.3,<3", "3.0", false),
            ("<=2.8.3.post2", "2.8.3.post2", true),
            ("<=2.8.3.post2", "2.8.3.post3", false),
            ("<=2.8.3", "2.8.3.post1", false),
            ("==2.4", "2.4.0+cu121", true),
            ("!=2.4", "2.4.1", true),
            (">=2.1", "2.1.0a0", false),
            ("<2.1", "2.1.0a0", true),
            (">1, <2", "1.5", true),
        ] {
            assert_eq!(
                Range::parse(range).unwrap().contains(&version(text)),
                holds,
                "{text} in {range}"
            );
        }
        for bad in ["", "2.4", ">=", ">=2,", "~=2.4", ">=x"] {
            assert!(Range::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn toolkit_versions_compare_by_number() {
        let toolkit = |text: &str| text.parse::<ToolkitVersion>().unwrap();
        assert!(toolkit("12.10") > toolkit("12.8"));
        assert_eq!(toolkit("12.4.1"), toolkit("12.4"));
        assert_eq!(ToolkitVersion::from_variant("cu102"), Some(toolkit("10.2")));
        assert_eq!(ToolkitVersion::from_variant("cu92"), Some(toolkit("9.2")));
        assert_eq!(toolkit("13.0").variant(), "cu130");
        for bad in ["cpu", "cu", "cu1", "cu1281", "rocm6.2", "cuda"] {
            assert_eq!(ToolkitVersion::from_variant(bad), None, "{bad}");
        }
        for bad in ["", "12", "12.", "12.x", "12.4-devel"] {
            assert!(bad.parse::<ToolkitVersion>().is_err(), "{bad}");
        }
    }
}
