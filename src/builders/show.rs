//! Records in words: conditions and knobs as people read them.
use super::record::{Cond, Effect, Place, Presence, Test, YesNo};
use std::fmt;

impl fmt::Display for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts().join(", "))
    }
}

impl Cond {
    fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.verb.is_empty() {
            let verbs: Vec<String> = self
                .verb
                .iter()
                .map(|v| format!("{v:?}").to_lowercase())
                .collect();
            parts.push(format!("the command is {}", verbs.join(" or ")));
        }
        match self.list {
            Some(Presence::Set) => parts.push("a list is given".to_owned()),
            Some(Presence::Unset) => parts.push("no list is given".to_owned()),
            None => {}
        }
        match self.gpu {
            Some(YesNo::Yes) => parts.push("a GPU is visible".to_owned()),
            Some(YesNo::No) => parts.push("no GPU is visible".to_owned()),
            None => {}
        }
        for (what, range) in [
            ("its version", &self.version),
            ("its pinned version", &self.pinned),
            ("torch", &self.torch),
            ("CUDA", &self.cuda),
            ("CMake", &self.cmake),
        ] {
            parts.extend(range.map(|r| format!("{what} is {r}")));
        }
        for (prefix, tests) in [
            ("", &self.env),
            ("-D", &self.define),
            ("make ", &self.make),
            ("setting ", &self.config_setting),
            ("--repo_env ", &self.repo_env),
        ] {
            parts.extend(
                tests
                    .iter()
                    .map(|(name, test)| format!("{prefix}{name} {test}")),
            );
        }
        for (what, names) in [
            ("option", &self.option),
            ("feature", &self.feature),
            ("extra", &self.extra),
            ("target", &self.target),
        ] {
            if !names.is_empty() {
                let names: Vec<&str> = names.iter().map(|n| n.0).collect();
                parts.push(format!("{what} {}", names.join(" or ")));
            }
        }
        parts.extend(self.wheel.map(|w| {
            if *w == *"url" {
                "it is a wheel".to_owned()
            } else {
                format!("the index has {w}")
            }
        }));
        parts.extend(
            self.unknown
                .map(|words| format!("`{words}`, which is not known")),
        );
        parts.extend(self.not.iter().map(|c| format!("not ({c})")));
        if !self.any.is_empty() {
            let any: Vec<String> = self.any.iter().map(Self::to_string).collect();
            parts.push(format!("({})", any.join(" or ")));
        }
        parts
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::On => f.write_str("is on"),
            Self::Off => f.write_str("is off"),
            Self::Set => f.write_str("is set"),
            Self::Unset => f.write_str("is not set"),
            Self::Is(value) if value.is_empty() => f.write_str("is empty"),
            Self::Is(value) => write!(f, "is {value}"),
            Self::IsNot(value) => write!(f, "is not {value}"),
            Self::Has(value) => write!(f, "holds {value}"),
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::List => "it compiles for the list",
            Self::Fixed => "it compiles for a list of its own",
            Self::CompilerDefault => "nvcc compiles for its default",
            Self::VisibleGpu => "it compiles for the GPU it sees",
            Self::CpuOnly => "it leaves device code out",
            Self::Error => "it stops",
            Self::Runtime => "it compiles where it runs",
            Self::None => "it compiles nothing",
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Env => "environment",
            Self::Define => "define",
            Self::ConfigSetting => "config setting",
            Self::Make => "make variable",
            Self::RepoEnv => "--repo_env",
            Self::Flag => "command line",
            Self::Option => "option",
            Self::Feature => "feature",
            Self::SetupPy => "setup.py",
            Self::Preset => "CMake preset",
        })
    }
}
