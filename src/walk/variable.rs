//! Variables: all that each may be, and where that was set.
use crate::facts::{LostWhy, SetHow};
use crate::value::{Site, Value};
use std::rc::Rc;

/// How many alternatives a variable keeps before it becomes unknown.
pub const MAX_ALTERNATIVES: usize = 8;

/// Where and in which form a value was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The form.
    pub how: SetHow,
    /// The place; `None` for a preset of the base image or the command line.
    pub site: Option<Site>,
}

/// One possible content of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The value; `None` where the variable is not set.
    pub value: Option<Value>,
    /// Passed on to programs.
    pub exported: bool,
    /// Whoever runs the build may give another value.
    pub overridable: bool,
    /// Where it was set.
    pub origin: Option<Origin>,
    /// The condition under which it holds, in words.
    pub guard: Option<Rc<str>>,
}

impl Alternative {
    /// Not set.
    pub const UNSET: Self = Self {
        value: None,
        exported: false,
        overridable: false,
        origin: None,
        guard: None,
    };

    /// Set and exported.
    pub fn exported(value: Value, origin: Origin) -> Self {
        Self {
            value: Some(value),
            exported: true,
            overridable: false,
            origin: Some(origin),
            guard: None,
        }
    }
}

/// All that a variable may be.
pub type Variable = Vec<Alternative>;

/// A variable that a wrapper does not pass on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// What it was.
    pub alternative: Alternative,
    /// Why it does not arrive.
    pub why: LostWhy,
}

/// What is kept of a variable: its alternatives, or one that stands for too many of them.
pub(super) fn bounded(name: &str, variable: Variable) -> Variable {
    if variable.len() <= MAX_ALTERNATIVES {
        return variable;
    }
    vec![Alternative {
        value: Some(joined(name, &variable)),
        exported: variable.iter().any(|a| a.exported),
        overridable: false,
        origin: variable[0].origin.clone(),
        guard: None,
    }]
}

/// Too many alternatives as one value: the words with which all of them begin, and a hole.
fn joined(name: &str, variable: &[Alternative]) -> Value {
    let why = format!("{name} has more than {MAX_ALTERNATIVES} possible values");
    let mut starts = variable.iter().map(|alternative| {
        let value = alternative.value.as_ref();
        value.map(Value::known_prefix).unwrap_or_default()
    });
    let first = starts.next().unwrap_or_default();
    let common = starts.fold(first.len(), |common, other| {
        let same = first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b);
        common.min(same.count())
    });
    let words = first.as_bytes().get(..common).unwrap_or_default();
    let whole = words.iter().rposition(u8::is_ascii_whitespace);
    let mut value = match variable.first().and_then(|a| a.value.as_ref()) {
        Some(value) => value.slice(0, whole.map_or(0, |at| at + 1)),
        None => Value::default(),
    };
    value.append(&Value::hole(&why, None, true));
    value
}

/// What expressions find of a variable.
pub(super) fn in_expressions(name: &str, variable: &[Alternative]) -> Value {
    match variable {
        [only] => only.value.clone().unwrap_or_default(),
        _ => Value::hole(&format!("{name} depends on a condition"), None, false),
    }
}

/// All that either variable may be; what only the second one may be holds under `guard`.
pub(super) fn union(mine: Variable, theirs: Variable, guard: &str) -> Variable {
    let mut all = mine;
    for mut alternative in theirs {
        if !all
            .iter()
            .any(|a| a.value == alternative.value && a.exported == alternative.exported)
        {
            alternative.guard.get_or_insert_with(|| guard.into());
            all.push(alternative);
        }
    }
    all
}
