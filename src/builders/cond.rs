//! Conditions of records, over one action and state. Three-valued: what is not known is neither yes nor no.
use super::record::{Cond, Presence, Test, YesNo};
use crate::actions::{ANY, Action, Named, Source};
use crate::cuda::{Range, Version};
use crate::facts::Known;
use crate::value::Value;
use crate::walk::content::Content;
use crate::walk::context::content_at;
use crate::walk::state::State;
use crate::walk::variable::Alternative;

/// Yes, no, or not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tri {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Not known.
    Unknown,
}

impl Tri {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }

    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
        }
    }
}

impl From<bool> for Tri {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

impl From<Known> for Tri {
    fn from(known: Known) -> Self {
        match known {
            Known::Yes => Self::Yes,
            Known::No => Self::No,
            Known::Unknown => Self::Unknown,
        }
    }
}

/// What conditions look at.
#[derive(Clone, Copy)]
pub struct Case<'c> {
    /// The command.
    pub action: &'c Action,
    /// The state it runs in.
    pub state: &'c State,
    /// The package's version, where it is pinned.
    pub version: Option<&'c str>,
    /// Whether a knob gave a list.
    pub list: Tri,
}

impl Case<'_> {
    /// Whether a commit or a branch is built of which nobody knows how old it is.
    pub fn is_of_unknown_age(&self) -> bool {
        self.version.is_none() && self.clones().is_some_and(|usual| !usual)
    }

    /// Whether a repository is built, and then whether what is built is its default branch.
    fn clones(&self) -> Option<bool> {
        let is_usual =
            |name: Option<&str>| name.is_none_or(|n| matches!(n, "main" | "master" | "HEAD"));
        match &self.action.source {
            Source::Repo { reference, .. } => Some(is_usual(reference.as_deref())),
            Source::Tree(path) | Source::Project(path) => match content_at(self.state, path)? {
                Content::Repo { reference, .. } => Some(is_usual(reference.as_deref())),
                _ => None,
            },
            _ => None,
        }
    }

    /// The version, as ranges see it: the default branch is newer than every version that has a number.
    fn version_or_newest(&self) -> Option<&str> {
        const NEWEST: &str = "4294967295";
        let newest = || (self.clones() == Some(true)).then_some(NEWEST);
        self.version.or_else(newest)
    }

    /// Whether `cond` holds.
    pub fn holds(&self, cond: &Cond) -> Tri {
        let mut all = Tri::Yes;
        let mut need = |answer: Tri| all = all.and(answer);
        if !cond.verb.is_empty() {
            need(cond.verb.contains(&self.action.verb).into());
        }
        if let Some(wanted) = cond.list {
            need(if wanted == Presence::Set {
                self.list
            } else {
                self.list.not()
            });
        }
        if let Some(wanted) = cond.gpu {
            let visible = Tri::from(self.state.gpu);
            need(if wanted == YesNo::Yes {
                visible
            } else {
                visible.not()
            });
        }
        for (range, version) in [
            (&cond.version, self.version_or_newest()),
            (&cond.torch, self.state.torch.version.as_deref()),
            (&cond.cuda, self.state.nvcc.version.as_deref()),
            // where nothing is said of CMake, it is taken to be a current one
            (
                &cond.cmake,
                Some(self.state.cmake.version.as_deref().unwrap_or("4")),
            ),
        ] {
            if let Some(range) = range {
                need(in_range(range, version));
            }
        }
        if let Some(range) = cond.pinned {
            need((in_range(&range, self.version) == Tri::Yes).into());
        }
        for (name, test) in cond.env.iter() {
            need(self.env(name, test));
        }
        for (tests, named) in [
            (&cond.define, &self.action.defines),
            (&cond.make, &self.action.make_vars),
            (&cond.config_setting, &self.action.config_settings),
            (&cond.repo_env, &self.action.repo_env),
        ] {
            for (name, test) in tests.iter() {
                need(named_test(named, name, test));
            }
        }
        if !cond.option.is_empty() {
            need(
                cond.option
                    .iter()
                    .any(|wanted| self.has_option(wanted))
                    .into(),
            );
        }
        if !cond.feature.is_empty() {
            need(
                self.action
                    .features
                    .iter()
                    .any(|f| cond.feature.iter().any(|w| **w == **f))
                    .into(),
            );
        }
        if !cond.extra.is_empty() {
            need(
                self.action
                    .extras
                    .iter()
                    .any(|e| cond.extra.iter().any(|w| w.eq_ignore_ascii_case(e)))
                    .into(),
            );
        }
        if !cond.target.is_empty() {
            need(
                self.action
                    .targets
                    .iter()
                    .any(|t| cond.target.iter().any(|w| **w == **t))
                    .into(),
            );
        }
        if let Some(wanted) = &cond.wheel {
            need(self.wheel(wanted));
        }
        if cond.unknown.is_some() {
            need(Tri::Unknown);
        }
        for inner in cond.not.iter() {
            need(self.holds(inner).not());
        }
        if !cond.any.is_empty() {
            need(
                cond.any
                    .iter()
                    .fold(Tri::No, |any, inner| any.or(self.holds(inner))),
            );
        }
        all
    }

    fn env(&self, name: &str, test: &Test) -> Tri {
        if let Some(prefix) = name.strip_suffix('*') {
            let names = self.state.names().filter(|(n, _)| n.starts_with(prefix));
            return names.fold(Tri::No, |any, (n, _)| any.or(self.env(n, test)));
        }
        let answers = self
            .state
            .found_by_program(name)
            .iter()
            .map(|a| apply(test, visible(a)));
        answers
            .reduce(|a, b| if a == b { a } else { Tri::Unknown })
            .unwrap_or(Tri::Unknown)
    }

    fn has_option(&self, wanted: &str) -> bool {
        let same = |a: &str, b: &str| {
            a.len() == b.len()
                && a.bytes()
                    .zip(b.bytes())
                    .all(|(a, b)| a == b || (matches!(a, b'-' | b'_') && matches!(b, b'-' | b'_')))
        };
        let (name, value) = match wanted.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (wanted, None),
        };
        self.action.options.iter().any(|(option, given)| {
            let full = same(option, wanted)
                || (same(option, name)
                    && value.is_some_and(|v| given.as_ref().is_some_and(|g| g.sketch() == v)));
            full || (value.is_none() && same(option, name))
        })
    }

    fn wheel(&self, wanted: &str) -> Tri {
        if wanted == "url" {
            return matches!(self.action.source, Source::Wheel(_)).into();
        }
        self.action
            .indexes
            .iter()
            .any(|i| i.sketch().contains(wanted))
            .into()
    }
}

/// A variable as a program sees it: only if it is exported.
pub fn visible(alternative: &Alternative) -> Option<&Value> {
    alternative.value.as_ref().filter(|_| alternative.exported)
}

/// Whether a version is in a range; not known if it is not pinned.
pub fn in_range(range: &str, version: Option<&str>) -> Tri {
    let Some(version) = version.and_then(|v| v.parse::<Version>().ok()) else {
        return Tri::Unknown;
    };
    Range::parse(range).map_or(Tri::Unknown, |range| range.contains(&version).into())
}

fn named_test(named: &[Named], name: &str, test: &Test) -> Tri {
    if let Some(end) = name.strip_prefix('*') {
        return any_of(named.iter().filter(|n| n.name.ends_with(end)), test);
    }
    if let Some(start) = name.strip_suffix('*') {
        return any_of(named.iter().filter(|n| n.name.starts_with(start)), test);
    }
    // the last one wins
    match named.iter().rev().find(|n| n.name == name) {
        None if named.iter().any(|n| n.name == ANY) => Tri::Unknown,
        found => apply(test, found.map(|n| &n.value)),
    }
}

fn any_of<'n>(named: impl Iterator<Item = &'n Named>, test: &Test) -> Tri {
    named.fold(Tri::No, |any, n| any.or(apply(test, Some(&n.value))))
}

fn apply(test: &Test, value: Option<&Value>) -> Tri {
    let text = value.map(Value::known);
    match (test, value, text) {
        (Test::Set, value, _) => value.is_some().into(),
        (Test::Unset, value, _) => value.is_none().into(),
        (Test::On | Test::Off | Test::Is(_) | Test::Has(_), None, _) => Tri::No,
        (Test::IsNot(_), None, _) => Tri::Yes,
        (Test::On, _, Some(Some(text))) => is_on(&text).into(),
        (Test::Off, _, Some(Some(text))) => Tri::from(is_on(&text)).not(),
        (Test::Is(wanted), _, Some(Some(text))) => (**wanted == *text).into(),
        (Test::IsNot(wanted), _, Some(Some(text))) => (**wanted != *text).into(),
        (Test::Has(wanted), Some(value), _) if value.sketch().contains(&**wanted) => Tri::Yes,
        (Test::Has(_), _, Some(Some(_))) => Tri::No,
        // an unknown value that is never empty is still not the empty string
        (Test::Is(wanted), Some(value), _)
            if wanted.is_empty() && value.is_empty() == Some(false) =>
        {
            Tri::No
        }
        _ => Tri::Unknown,
    }
}

fn is_on(text: &str) -> bool {
    !matches!(
        text.to_ascii_lowercase().as_str(),
        "" | "0" | "off" | "false" | "no" | "n"
    )
}
