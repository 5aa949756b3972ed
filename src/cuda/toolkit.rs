//! What each CUDA toolkit compiles for.
use super::capability::{Capability, Image, Suffix, Target};
use super::tables::{COMPAT, Family, TOOLKITS, Toolkit};
use super::version::ToolkitVersion;

/// The released toolkits, oldest first.
pub fn toolkits() -> &'static [Toolkit] {
    TOOLKITS
}

/// The toolkit of this version; `None` where the table does not have it (before 9.0, after the newest, 12.7).
pub fn toolkit(version: ToolkitVersion) -> Option<&'static Toolkit> {
    TOOLKITS
        .binary_search_by_key(&version, |toolkit| toolkit.version)
        .ok()
        .and_then(|at| TOOLKITS.get(at))
}

impl Toolkit {
    /// Whether nvcc compiles for `target`.
    pub fn accepts(&self, target: Target) -> bool {
        self.targets.contains(&target)
    }

    /// What nvcc embeds when no flag names an architecture.
    pub fn default_images(&self) -> [Image; 2] {
        [Image::sass(self.default), Image::ptx(self.default)]
    }

    /// The members of an `f` target's family.
    pub fn family(&self, target: Target) -> Option<&'static Family> {
        self.families.into_iter().find(|f| f.target == target)
    }

    /// What `-arch=all` embeds: every target without suffix, and PTX of the highest major.
    pub fn all(&self) -> Vec<Image> {
        let targets: Vec<_> = self.plain_targets().collect();
        self.with_newest_ptx(targets)
    }

    /// What `-arch=all-major` embeds: the first of each major (of the oldest major, the oldest there is), and PTX of the highest.
    pub fn all_major(&self) -> Vec<Image> {
        let oldest = self.plain_targets().min();
        let targets = self
            .plain_targets()
            .filter(|target| target.capability.minor == 0 || Some(*target) == oldest)
            .collect();
        self.with_newest_ptx(targets)
    }

    fn plain_targets(&self) -> impl Iterator<Item = Target> + use<> {
        let targets = self.targets.into_iter().copied();
        targets.filter(|target| target.suffix == Suffix::None)
    }

    fn with_newest_ptx(&self, targets: Vec<Target>) -> Vec<Image> {
        let newest = self
            .plain_targets()
            .filter(|target| target.capability.minor == 0)
            .max();
        let sass = targets.into_iter().map(Image::sass);
        sass.chain(newest.map(Image::ptx)).collect()
    }
}

/// What a toolkit does with a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It compiles for it.
    Supported,
    /// It is older than the target.
    TooOld {
        /// The first toolkit that has it.
        first: ToolkitVersion,
        /// The name that this toolkit has for the same chip.
        called: Option<Target>,
    },
    /// It no longer has it.
    Dropped {
        /// The last toolkit that had it.
        last: ToolkitVersion,
        /// The name that this toolkit has for the same chip.
        renamed_to: Option<Target>,
    },
    /// No toolkit ever had it.
    NeverExisted,
    /// The toolkit is older or newer than the table, and what the table knows does not decide.
    Unknown,
}

/// What the toolkit `version` does with `target`.
pub fn support(target: Target, version: ToolkitVersion) -> Support {
    let mut having = TOOLKITS
        .iter()
        .filter(|toolkit| toolkit.accepts(target))
        .map(|toolkit| toolkit.version);
    let first = having.next();
    let last = having.next_back().or(first);
    let (oldest, newest) = (
        TOOLKITS.first().map(|t| t.version),
        TOOLKITS.last().map(|t| t.version),
    );
    match (first, last) {
        (Some(first), Some(last)) => {
            if version < first && Some(first) != oldest {
                let called = other_name(target, version);
                Support::TooOld { first, called }
            } else if version > last && Some(last) != newest {
                let renamed_to = other_name(target, version);
                Support::Dropped { last, renamed_to }
            } else if version < first || version > last {
                Support::Unknown
            } else {
                Support::Supported
            }
        }
        _ => never_in_the_table(target, version, newest),
    }
}

fn never_in_the_table(
    target: Target,
    version: ToolkitVersion,
    newest: Option<ToolkitVersion>,
) -> Support {
    let gone = COMPAT.gone.iter().find(|gone| gone.target == target);
    match gone {
        Some(gone) if version > gone.last => Support::Dropped {
            last: gone.last,
            renamed_to: None,
        },
        Some(_) => Support::Unknown,
        None if Some(version) > newest => Support::Unknown,
        None => Support::NeverExisted,
    }
}

/// The target's other name, if `version` has it.
fn other_name(target: Target, version: ToolkitVersion) -> Option<Target> {
    let capability = renamed(target.capability)?;
    let other = Target {
        capability,
        ..target
    };
    toolkit(version)?.accepts(other).then_some(other)
}

/// The other name of a chip that has two: 11.0 is what CUDA 12 calls 10.1.
pub fn renamed(capability: Capability) -> Option<Capability> {
    COMPAT.renamed.iter().find_map(|row| match capability {
        c if c == row.from => Some(row.to),
        c if c == row.to => Some(row.from),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> Target {
        text.parse().unwrap()
    }

    fn version(text: &str) -> ToolkitVersion {
        text.parse().unwrap()
    }

    fn names(images: &[Image]) -> String {
        let names: Vec<_> = images.iter().map(Image::to_string).collect();
        names.join(" ")
    }

    #[test]
    fn defaults_are_those_of_nvcc() {
        for toolkit in TOOLKITS {
            let default = match toolkit.version.major {
                ..=10 => "30",
                11 | 12 => "52",
                _ => "75",
            };
            let images = [Image::sass(target(default)), Image::ptx(target(default))];
            assert_eq!(toolkit.default_images(), images, "{}", toolkit.version);
        }
    }

    #[test]
    fn folklore_about_first_toolkits() {
        let first = |text: &str| match support(target(text), version("9.0")) {
            Support::TooOld { first, .. } => first.to_string(),
            other => panic!("{text}: {other:?}"),
        };
        for (text, version) in [
            ("75", "10.0"),
            ("80", "11.0"),
            ("86", "11.1"),
            ("87", "11.4"),
            ("89", "11.8"),
            ("90", "11.8"),
            ("90a", "12.0"),
            ("100", "12.8"),
            ("120", "12.8"),
            ("103", "12.9"),
            ("121", "12.9"),
            ("100f", "12.9"),
            ("110", "13.0"),
            ("88", "13.0"),
            ("107", "13.4"),
        ] {
            assert_eq!(first(text), version, "{text}");
        }
    }

    #[test]
    fn support_knows_both_ends_and_both_names() {
        let dropped = |last: &str, to: Option<&str>| Support::Dropped {
            last: version(last),
            renamed_to: to.map(target),
        };
        for (text, toolkit, expected) in [
            ("80", "12.4", Support::Supported),
            ("80", "12.7", Support::Supported),
            ("70", "13.0", dropped("12.9", None)),
            ("35", "12.0", dropped("11.8", None)),
            ("101", "13.0", dropped("12.9", Some("110"))),
            ("101a", "13.2", dropped("12.9", Some("110a"))),
            ("20", "9.0", dropped("8.0", None)),
            ("35", "99.0", dropped("11.8", None)),
            ("99", "12.4", Support::NeverExisted),
            ("80f", "13.0", Support::NeverExisted),
            ("99", "99.0", Support::Unknown),
            ("80", "99.0", Support::Unknown),
            ("52", "8.0", Support::Unknown),
            ("20", "7.5", Support::Unknown),
        ] {
            assert_eq!(
                support(target(text), version(toolkit)),
                expected,
                "{text} by {toolkit}"
            );
        }
        assert_eq!(
            support(target("110"), version("12.9")),
            Support::TooOld {
                first: version("13.0"),
                called: Some(target("101"))
            }
        );
        assert_eq!(
            support(target("120"), version("12.4")),
            Support::TooOld {
                first: version("12.8"),
                called: None
            }
        );
    }

    /// Measured with nvcc 13.0 (`cuobjdump` of a program built with each).
    #[test]
    fn all_and_all_major_embed_what_nvcc_13_0_did() {
        let toolkit = toolkit(version("13.0")).unwrap();
        assert_eq!(
            names(&toolkit.all()),
            "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_103 sm_110 sm_120 sm_121 compute_120"
        );
        assert_eq!(
            names(&toolkit.all_major()),
            "sm_75 sm_80 sm_90 sm_100 sm_110 sm_120 compute_120"
        );
    }
}
