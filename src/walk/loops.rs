//! `for`: a body is walked once, for all values beside each other, unless it gathers something from round to round.
use super::script::Context;
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walker::Walker;
use crate::facts::SetHow;
use crate::text::shell::{Command, Compound, CompoundKind, Script, Simple};
use crate::text::word::Part;
use crate::value::Value;

/// More rounds are not walked one by one.
const MAX_ROUNDS: usize = 32;

impl Walker<'_> {
    /// Runs a loop over values; `None` for those that are not known.
    pub(super) fn for_each(
        &mut self,
        name: &str,
        values: Option<Vec<Value>>,
        body: &Script,
        file: u16,
        state: &mut State,
        context: &Context,
    ) {
        let unknown = || vec![Value::hole("it is an argument of the script", None, true)];
        let values = values.unwrap_or_else(unknown);
        let values: Vec<Alternative> = values.into_iter().map(round).collect();
        if values.is_empty() {
            return;
        }
        if values.len() > 1 && values.len() <= MAX_ROUNDS && gathers(body) {
            for value in values {
                state.set(name, vec![value]);
                self.script(body, file, state, context);
            }
        } else {
            state.set(name, values);
            self.script(body, file, state, context);
        }
    }
}

/// The loop's variable in one round.
fn round(value: Value) -> Alternative {
    let origin = Origin {
        how: SetHow::Shell,
        site: None,
    };
    Alternative {
        exported: false,
        ..Alternative::exported(value, origin)
    }
}

/// Whether a script only makes a variable longer by what it was: `A+=…`, `A="$A …"`. One that runs something else as well would
/// run it as often.
fn gathers(script: &Script) -> bool {
    let mut kinds = Kinds::default();
    kinds.script(script);
    kinds.gathers && !kinds.runs
}

/// What a script does.
#[derive(Default)]
struct Kinds {
    gathers: bool,
    runs: bool,
}

impl Kinds {
    fn script(&mut self, script: &Script) {
        for item in &script.items {
            let rest = item.rest.iter().map(|(_, next)| next);
            for pipeline in std::iter::once(&item.first).chain(rest) {
                pipeline.commands.iter().for_each(|c| self.command(c));
            }
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => {
                self.gathers |= simple.assignments.iter().any(|a| a.append) || refers(simple);
                self.runs |= !is_harmless(simple);
            }
            Command::Compound(compound) => self.compound(compound),
            Command::Function { .. } => {}
            Command::Opaque { .. } => {}
        }
    }

    fn compound(&mut self, compound: &Compound) {
        match &compound.kind {
            CompoundKind::Group(body) | CompoundKind::For { body, .. } => self.script(body),
            CompoundKind::If { arms, otherwise } => {
                arms.iter().for_each(|(_, body)| self.script(body));
                otherwise.iter().for_each(|body| self.script(body));
            }
            CompoundKind::Case { arms, .. } => arms.iter().for_each(|(_, body)| self.script(body)),
            CompoundKind::Subshell(_) | CompoundKind::While { .. } => self.runs = true,
        }
    }
}

/// Whether an assignment names its own variable.
fn refers(simple: &Simple) -> bool {
    use crate::text::shell::AssignedValue::{Array, Word};
    simple.assignments.iter().any(|assignment| {
        let words = match &assignment.value {
            Word(word) => std::slice::from_ref(word),
            Array(words) => words,
        };
        let mut parts = words.iter().flat_map(|word| &word.parts);
        parts.any(|part| matches!(part, Part::Parameter { name, .. } if *name == assignment.name))
    })
}

/// Whether a command does nothing that counts more than once.
fn is_harmless(simple: &Simple) -> bool {
    let Some(first) = simple.words.first() else {
        return true;
    };
    let name = first.literal().unwrap_or_default();
    matches!(
        name.as_str(),
        "echo"
            | "printf"
            | ":"
            | "true"
            | "export"
            | "declare"
            | "local"
            | "["
            | "test"
            | "continue"
            | "shift"
    )
}
