//! Under which conditions a line of a build script counts: formulas over what a record's conditions can ask.
use crate::builders::record::{Cond, Test, YesNo};
use crate::table::{List, Pairs, Text};

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// It always holds.
    Always,
    /// It never holds.
    Never,
    /// It cannot be told; in words.
    Unknown(String),
    /// A GPU is visible.
    Gpu,
    /// nvcc's version is in a range: `>=11.8`.
    Cuda(String),
    /// CMake's version is in a range.
    Cmake(String),
    /// A test of a variable of the environment.
    Env(String, Check),
    /// A test of a CMake define.
    Define(String, Check),
    /// An option of the command line.
    Option(String),
    /// A cargo feature.
    Feature(String),
    /// It does not hold.
    Not(Box<Guard>),
    /// All hold.
    All(Vec<Guard>),
    /// One holds.
    Any(Vec<Guard>),
}

/// What a variable is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// It is set, also to nothing.
    Set,
    /// It is on: set, and none of 0, off, false, no, n and nothing.
    On,
    /// It is set, and not on.
    Off,
    /// It is this.
    Is(String),
}

/// A formula with more questions than this is more than anybody follows.
const MAX_SIZE: usize = 32;
const LONG: &str = "a long condition";

impl Guard {
    /// Whether all of `parts` hold.
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Self::Always => {}
                Self::Never => return Self::Never,
                Self::All(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        dedup(&mut all);
        let mut all = settle(all);
        if all.contains(&Self::Never) {
            return Self::Never;
        }
        if all.iter().map(Self::size).sum::<usize>() > MAX_SIZE {
            return Self::Unknown(LONG.to_owned());
        }
        let other = |part: &Self| all.iter().any(|o| o.opposes(part)) && !part.is_long();
        if all.iter().any(other) {
            return Self::Never;
        }
        match all.len() {
            0 => Self::Always,
            1 => all.remove(0),
            _ => Self::All(all),
        }
    }

    /// Whether it plainly holds only where `other` does: each part of that is one of it.
    pub fn implies(&self, other: &Self) -> bool {
        let (own, others) = (self.parts(), other.parts());
        others
            .iter()
            .all(|part| own.contains(part) && !part.is_long())
    }

    /// The parts that all hold where it holds.
    fn parts(&self) -> &[Self] {
        match self {
            Self::All(parts) => parts,
            Self::Always => &[],
            single => std::slice::from_ref(single),
        }
    }

    /// What is left of it where all of `units` hold.
    pub fn given(&self, units: &[Self]) -> Self {
        let is_settled = |part: &Self| units.iter().any(|u| u == part || u.opposes(part));
        match self {
            // most often they say nothing of it
            _ if !self.asks(&is_settled) => self.clone(),
            _ if units.contains(self) && !self.is_long() => Self::Always,
            Self::All(parts) => Self::all(parts.iter().map(|part| part.given(units))),
            Self::Any(parts) => Self::any(parts.iter().map(|part| part.given(units))),
            _ if units.iter().any(|unit| unit.opposes(self)) && !self.is_long() => Self::Never,
            _ => self.clone(),
        }
    }

    /// What holds where it holds and the block was not left.
    pub fn after(self, left: &Self) -> Self {
        if *left == Self::Never {
            return self;
        }
        let left = left.given(self.parts());
        Self::all([self, left.not()])
    }

    /// What it asks beyond another that holds.
    pub fn beyond(&self, known: &Self) -> Self {
        let asked = self.parts().iter();
        Self::all(asked.filter(|part| !known.parts().contains(part)).cloned())
    }

    /// Whether a part of it was too long to keep: two of them are not the same one.
    fn is_long(&self) -> bool {
        self.asks(&|g| matches!(g, Self::Unknown(words) if words == LONG))
    }

    /// Whether it is just the opposite of `other`.
    fn opposes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Not(inner), plain) | (plain, Self::Not(inner)) => **inner == *plain,
            (Self::All(parts), Self::Any(others)) | (Self::Any(parts), Self::All(others)) => {
                parts.len() == others.len()
                    && parts
                        .iter()
                        .zip(others)
                        .all(|(part, other)| part.opposes(other))
            }
            _ => false,
        }
    }

    /// How many questions it asks.
    pub fn size(&self) -> usize {
        match self {
            Self::Not(inner) => inner.size(),
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::size).sum(),
            _ => 1,
        }
    }

    /// Whether one of `parts` holds.
    pub fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::all(parts.into_iter().map(Self::not)).not()
    }

    /// Whether it does not hold.
    #[allow(
        clippy::should_implement_trait,
        reason = "`!guard` would hide that a formula is made"
    )]
    pub fn not(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            Self::Not(inner) => *inner,
            Self::All(parts) => Self::Any(parts.into_iter().map(Self::not).collect()),
            Self::Any(parts) => Self::All(parts.into_iter().map(Self::not).collect()),
            other => Self::Not(other.into()),
        }
    }

    /// Whether `wanted` is asked anywhere in it.
    pub fn asks(&self, wanted: &dyn Fn(&Self) -> bool) -> bool {
        wanted(self)
            || match self {
                Self::Not(inner) => inner.asks(wanted),
                Self::All(parts) | Self::Any(parts) => parts.iter().any(|p| p.asks(wanted)),
                _ => false,
            }
    }

    /// Whether it asks for a visible GPU.
    pub fn asks_for_gpu(&self) -> bool {
        self.asks(&|g| *g == Self::Gpu)
    }

    /// Whether a part of it cannot be told.
    pub fn is_unsure(&self) -> bool {
        self.asks(&|g| matches!(g, Self::Unknown(_)))
    }

    /// The same with `change` applied to each question that it asks.
    pub fn with(self, change: &dyn Fn(Self) -> Self) -> Self {
        match self {
            Self::Not(inner) => inner.with(change).not(),
            Self::All(parts) => Self::all(parts.into_iter().map(|p| p.with(change))),
            Self::Any(parts) => Self::any(parts.into_iter().map(|p| p.with(change))),
            other => change(other),
        }
    }

    /// The same where a GPU is seen.
    pub fn without_gpu(self) -> Self {
        self.with(&|g| if g == Self::Gpu { Self::Always } else { g })
    }

    /// A setting that alone makes it hold where no GPU is seen: `FORCE_CUDA=1`.
    pub fn switch(&self) -> Option<String> {
        match self {
            Self::Env(name, Check::Is(value)) if !value.is_empty() => {
                Some(format!("{name}={value}"))
            }
            Self::Env(name, Check::On | Check::Set) => Some(format!("{name}=1")),
            Self::Define(name, Check::On) => Some(format!("{name}=ON")),
            Self::Not(inner) => match &**inner {
                // set to anything but nothing
                Self::Env(name, Check::Is(value)) if value.is_empty() => Some(format!("{name}=1")),
                _ => None,
            },
            Self::Any(parts) => parts.iter().find_map(Self::switch),
            Self::All(parts) if !parts.contains(&Self::Gpu) => {
                let mut found = parts.iter().filter_map(Self::switch);
                found
                    .next()
                    .filter(|first| found.all(|other| other == *first))
            }
            _ => None,
        }
    }

    /// The CMake define that alone, switched on, makes it hold.
    pub fn switch_of_cmake(&self) -> Option<String> {
        match self {
            Self::Define(name, Check::On) => Some(name.clone()),
            Self::Any(parts) => parts.iter().find_map(Self::switch_of_cmake),
            // the others hold where nothing is given
            Self::All(parts) => {
                let (off, mut on): (Vec<&Self>, Vec<&Self>) =
                    parts.iter().partition(|part| matches!(part, Self::Not(_)));
                let only = on.pop().filter(|_| on.is_empty() && !off.is_empty())?;
                only.switch_of_cmake()
            }
            _ => None,
        }
    }

    /// As a record's condition; `None` where it always holds.
    pub fn cond(&self) -> Option<Cond> {
        let mut cond = Cond::default();
        match self {
            Self::Always => return None,
            // nothing is without all of nothing
            Self::Never => cond.not = List::from_iter([Cond::default()]),
            Self::Unknown(words) => cond.unknown = Some(text(words)),
            Self::Gpu => cond.gpu = Some(YesNo::Yes),
            Self::Cuda(range) => cond.cuda = Some(text(range)),
            Self::Cmake(range) => cond.cmake = Some(text(range)),
            Self::Env(name, check) => cond.env = pair(name, check.test()),
            Self::Define(name, check) => cond.define = pair(name, check.test()),
            Self::Option(name) => cond.option = List::from_iter([text(name)]),
            Self::Feature(name) => cond.feature = List::from_iter([text(name)]),
            Self::Not(inner) => match (&**inner, inner.cond()) {
                (Self::Gpu, _) => cond.gpu = Some(YesNo::No),
                (Self::Env(name, Check::Set), _) => cond.env = pair(name, Test::Unset),
                (Self::Env(name, Check::Is(value)), _) => {
                    cond.env = pair(name, Test::IsNot(text(value)))
                }
                (Self::Define(name, Check::Set), _) => cond.define = pair(name, Test::Unset),
                (Self::Define(name, Check::Is(value)), _) => {
                    cond.define = pair(name, Test::IsNot(text(value)))
                }
                (_, Some(inner)) => cond.not = List::from_iter([inner]),
                (_, None) => cond.not = List::from_iter([Cond::default()]),
            },
            Self::Any(parts) => cond.any = parts.iter().filter_map(Self::cond).collect(),
            Self::All(parts) => return Some(all(parts.iter().filter_map(Self::cond))),
        }
        Some(cond)
    }
}

impl Check {
    fn test(&self) -> Test {
        match self {
            Self::Set => Test::Set,
            Self::On => Test::On,
            Self::Off => Test::Off,
            Self::Is(value) => Test::Is(text(value)),
        }
    }
}

/// One condition that holds where all hold: keys that are free are filled, others hang below.
fn all(parts: impl Iterator<Item = Cond>) -> Cond {
    let mut whole = Cond::default();
    let mut env = Vec::new();
    let mut define = Vec::new();
    let mut not = Vec::new();
    let mut rest = Vec::new();
    for part in parts {
        let fits = part.option.is_empty()
            && part.feature.is_empty()
            && part.any.is_empty()
            && !(part.gpu.is_some() && whole.gpu.is_some())
            && !(part.cuda.is_some() && whole.cuda.is_some())
            && !(part.cmake.is_some() && whole.cmake.is_some())
            && !(part.unknown.is_some() && whole.unknown.is_some());
        if !fits {
            rest.push(part);
            continue;
        }
        env.extend(part.env.iter().copied());
        define.extend(part.define.iter().copied());
        not.extend(part.not.iter().copied());
        whole.gpu = whole.gpu.or(part.gpu);
        whole.cuda = whole.cuda.or(part.cuda);
        whole.cmake = whole.cmake.or(part.cmake);
        whole.unknown = whole.unknown.or(part.unknown);
    }
    // all of them: none of their opposites
    not.extend(rest.into_iter().map(|part| Cond {
        not: List::from_iter([part]),
        ..Cond::default()
    }));
    whole.env = Pairs(env.leak());
    whole.define = Pairs(define.leak());
    whole.not = not.into_iter().collect();
    whole
}

/// Takes out of each choice what the other parts decide.
fn settle(mut all: Vec<Guard>) -> Vec<Guard> {
    loop {
        let units = || all.iter().filter(|part| !matches!(part, Guard::Any(_)));
        let decided = |question: &Guard| units().any(|u| u == question || u.opposes(question));
        let of_choice = |part: &Guard| matches!(part, Guard::Any(_)) && part.asks(&decided);
        if !all.iter().any(of_choice) {
            return all;
        }
        let (mut choices, units): (Vec<Guard>, Vec<Guard>) = all
            .into_iter()
            .partition(|part| matches!(part, Guard::Any(_)));
        let open = choices.iter().enumerate().find_map(|(at, choice)| {
            let settled = choice.given(&units);
            (settled != *choice).then_some((at, settled))
        });
        let found = open.map(|(at, settled)| {
            choices.remove(at);
            settled
        });
        all = units;
        all.append(&mut choices);
        match found {
            None => return all,
            Some(Guard::Always) => {}
            Some(Guard::All(parts)) => all.extend(parts),
            Some(settled) => all.push(settled),
        }
        dedup(&mut all);
    }
}

fn dedup(parts: &mut Vec<Guard>) {
    let mut seen: Vec<Guard> = Vec::new();
    parts.retain(|part| {
        let new = !seen.contains(part);
        if new {
            seen.push(part.clone());
        }
        new
    });
}

/// Text of a record; a project's files are read once in a process.
pub(super) fn text(text: &str) -> Text {
    Text(text.to_owned().leak())
}

fn pair(name: &str, test: Test) -> Pairs<Test> {
    Pairs(vec![(text(name), test)].leak())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(name: &str, value: &str) -> Guard {
        Guard::Env(name.to_owned(), Check::Is(value.to_owned()))
    }

    #[test]
    fn formulas_are_simplified_and_worded() {
        let gate = Guard::any([Guard::Gpu, env("FORCE_CUDA", "1")]);
        for (guard, want) in [
            (gate.clone(), "(a GPU is visible or FORCE_CUDA is 1)"),
            (gate.clone().not(), "no GPU is visible, FORCE_CUDA is not 1"),
            (Guard::all([Guard::Always, Guard::Gpu]), "a GPU is visible"),
            (
                Guard::all([Guard::Cuda(">=11".into()), Guard::Cuda("<12".into())]),
                "CUDA is >=11, not (not (CUDA is <12))",
            ),
            (Guard::Env("A".into(), Check::Set).not(), "A is not set"),
            (
                Guard::all([gate.clone(), env("B", "1")]),
                "B is 1, not (not ((a GPU is visible or FORCE_CUDA is 1)))",
            ),
            (
                Guard::Unknown("x > 3".into()),
                "`x > 3`, which is not known",
            ),
        ] {
            assert_eq!(guard.cond().unwrap().to_string(), want);
        }
        assert_eq!(Guard::all([Guard::Gpu, Guard::Gpu.not()]), Guard::Never);
        assert_eq!(Guard::any([Guard::Gpu, Guard::Gpu.not()]), Guard::Always);
        let (a, b) = (env("A", "1"), env("B", "1"));
        for (guard, want) in [
            (
                Guard::all([Guard::any([a.clone().not(), b.clone()]), b.clone().not()]),
                Guard::all([b.clone().not(), a.clone().not()]),
            ),
            (
                Guard::any([Guard::all([a.clone(), b.clone().not()]), b.clone().not()]),
                b.clone().not(),
            ),
            (
                Guard::all([a.clone(), Guard::any([a.clone(), b.clone()])]),
                a.clone(),
            ),
            (
                Guard::all([
                    a.clone().not(),
                    b.clone().not(),
                    Guard::any([a.clone(), b.clone()]),
                ]),
                Guard::Never,
            ),
        ] {
            assert_eq!(guard, want);
        }
        let long = Guard::all((0..40).map(|n| env(&n.to_string(), "1")));
        assert_ne!(Guard::all([long.clone(), long.not()]), Guard::Never);
        assert_eq!(Guard::all([]), Guard::Always);
        assert_eq!(Guard::any([]), Guard::Never);
    }

    #[test]
    fn switches_are_found() {
        for (guard, want) in [
            (
                Guard::any([Guard::Gpu, env("FORCE_CUDA", "1")]),
                Some("FORCE_CUDA=1"),
            ),
            (
                Guard::any([Guard::Gpu, Guard::all([env("A", "1"), env("B", "1")])]),
                None,
            ),
            (
                Guard::any([Guard::Gpu, Guard::Env("F".into(), Check::On)]),
                Some("F=1"),
            ),
            (Guard::all([Guard::Gpu, env("F", "1")]), None),
            (Guard::Gpu, None),
        ] {
            assert_eq!(guard.switch().as_deref(), want, "{guard:?}");
        }
    }
}
