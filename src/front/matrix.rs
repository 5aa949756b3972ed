//! Worlds from grids of values, for formats whose matrix sets variables.
use super::document::{Assign, World};
use super::node::{self, Reading};
use crate::text::word::{Part, Word};
use crate::text::yaml::Node;

/// More worlds than this are not told apart: then their values are not known.
pub(super) const MAX_WORLDS: usize = 64;

/// An axis of a grid: a name, and what it may be.
pub(super) type Axis<'y> = (&'y str, &'y [Node]);

/// All combinations of every grid's axes.
pub(super) fn worlds<'y>(
    grids: impl Iterator<Item = Vec<Axis<'y>>>,
    reading: Reading,
) -> Vec<World> {
    let mut all = Vec::new();
    for axes in grids {
        let mut worlds = vec![World::default()];
        for (name, values) in axes {
            if worlds.len() * values.len() + all.len() > MAX_WORLDS {
                return Vec::new();
            }
            let grown = worlds.iter().flat_map(|world| {
                values
                    .iter()
                    .map(move |value| with(world, name, value, reading))
            });
            worlds = grown.collect();
        }
        all.extend(worlds.into_iter().filter(|world| !world.names.is_empty()));
    }
    all
}

/// A world with one more value.
pub(super) fn with(world: &World, name: &str, value: &Node, reading: Reading) -> World {
    let mut world = world.clone();
    world
        .names
        .push((name.to_owned(), value.text().unwrap_or_default().to_owned()));
    world.values.push(Assign {
        name: format!("matrix.{name}"),
        value: node::word(value, reading),
        span: value.span,
    });
    world
}

/// The setting of the variable that a value of a matrix has the name of.
pub(super) fn variable(value: &Assign) -> Assign {
    Assign {
        name: value.name.trim_start_matches("matrix.").to_owned(),
        value: Word::opaque(format!("${{{{ {} }}}}", value.name), value.span),
        span: value.span,
    }
}

/// `windows-2022`, `self-hosted-win11`: whether a word of a label is a name of Windows.
pub fn names_windows(label: &str) -> bool {
    let label = label.to_ascii_lowercase();
    let is_name = |word: &str| {
        let rest = word.strip_prefix("win");
        rest.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
    };
    label.contains("windows")
        || label
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(is_name)
}

/// Whether the labels name Windows, in a world with these values.
pub(super) fn is_windows(labels: &[Word], values: &[Assign]) -> bool {
    let part_does = |part: &Part| match part {
        Part::Literal { text, .. } => names_windows(text),
        Part::Opaque { text, .. } => values.iter().any(|assign| {
            is_asked(text, assign)
                && assign
                    .value
                    .literal()
                    .is_some_and(|text| names_windows(&text))
        }),
        _ => false,
    };
    labels.iter().flat_map(|word| &word.parts).any(part_does)
}

/// Whether an expression is just the name of a value.
fn is_asked(expression: &str, value: &Assign) -> bool {
    let inner = expression.trim_start_matches("${{").trim_end_matches("}}");
    inner.trim().eq_ignore_ascii_case(&value.name)
}

/// Which machines of a job without rows run Windows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Windows {
    /// None that is known.
    None,
    /// Some of them.
    Some,
    /// All.
    All,
}

impl Windows {
    /// What the labels say where each key of a matrix is one of these values.
    pub(super) fn of(labels: &[Word], written: &[Assign]) -> Self {
        let parts = || labels.iter().flat_map(|word| &word.parts);
        let is_machine = |value: &&Assign| {
            parts().any(|part| matches!(part, Part::Opaque { text, .. } if is_asked(text, value)))
        };
        let machines = written.iter().filter(is_machine);
        let (on, off): (Vec<&Assign>, Vec<&Assign>) =
            machines.partition(|value| is_windows(labels, std::slice::from_ref(*value)));
        match (on.is_empty(), off.is_empty()) {
            _ if is_windows(labels, &[]) => Self::All,
            (true, _) => Self::None,
            (false, true) => Self::All,
            (false, false) => Self::Some,
        }
    }
}
