//! Simple commands: assignments and words, expanded for each alternative of their variables.
use super::conditions::Truth;
use super::expand::{Choice, Dialect, ELEMENT, Expander, choices};
use super::script::{Context, MAX_DEPTH};
use super::settings::Life;
use super::shells::Shell;
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walker::Walker;
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::shell::{AssignedValue, Assignment, RedirectKind, Simple};
use crate::text::word::{ParameterOp, Part, Word};
use crate::value::{Site, Value};

impl Walker<'_> {
    pub(super) fn fields(&self, words: &[Word], file: u16, state: &State) -> Vec<Value> {
        expander(state, file, &Choice::new()).fields(words)
    }

    pub(super) fn word(&self, word: &Word, file: u16, state: &State) -> Value {
        expander(state, file, &Choice::new()).word(word)
    }

    pub(super) fn simple(
        &mut self,
        simple: &Simple,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        self.note_bash_syntax(simple, state);
        self.nested_scripts(simple, file, state, context);
        let grown: Vec<Word> = simple.assignments.iter().filter_map(before).collect();
        let words: Vec<&Word> = all_words(simple).chain(&grown).collect();
        let all = choices(&words, state);
        if let [choice] = all.as_slice() {
            // in place: a copy would have all that the command changes copied
            let truth = self.chosen(simple, file, choice, state, context);
            self.redirects(simple, file, state);
            return truth;
        }
        let context = Context {
            alternative: true,
            ..context.clone()
        };
        let mut truth = Truth::Assumed;
        let mut after: Option<State> = None;
        for choice in all {
            let mut copy = state.clone();
            truth = self.chosen(simple, file, &choice, &mut copy, &context);
            match &mut after {
                None => after = Some(copy),
                Some(after) => after.merge(&copy, "another value of a variable"),
            }
        }
        if let Some(after) = after {
            *state = after;
        }
        self.redirects(simple, file, state);
        if truth == Truth::Assumed {
            Truth::Assumed
        } else {
            Truth::Undecided
        }
    }

    /// One command with one alternative for each of its variables.
    fn chosen(
        &mut self,
        simple: &Simple,
        file: u16,
        choice: &Choice,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        if simple.assignments.iter().any(|a| a.append) && self.is_unknown_to_shell("+=", state) {
            return Truth::False;
        }
        let expander = expander(state, file, choice);
        let fields = expander.fields(&simple.words);
        let values: Vec<(&Assignment, Value)> = simple
            .assignments
            .iter()
            .map(|assignment| (assignment, assigned_value(&expander, assignment)))
            .collect();
        let by_default = set_by_default(&expander, simple);
        for (name, value, span) in by_default {
            self.assign_value(&name, value, Site { file, span }, state);
        }
        if fields.is_empty() {
            for (assignment, value) in values {
                self.assign(assignment, value, file, state);
            }
            return Truth::Assumed;
        }
        let span = match simple.words.as_slice() {
            [first, .., last] => first.span.to(last.span),
            [only] => only.span,
            [] => simple.span,
        };
        let site = Site { file, span };
        for name in read_into(&fields) {
            let value = Value::hole("it is read when the script runs", None, true);
            self.assign_value(&name, value, site, state);
        }
        if let Some(body) = self.shell_input(simple, &fields, file, state) {
            let mut child = state.child();
            child.shell = Shell::of(&fields[0].sketch());
            let truth = self.text(&body, &mut child, context);
            state.keep_files_of(&child);
            return truth;
        }
        // no program has an array in its environment: it is the shell's own
        let (arrays, values): (Vec<_>, Vec<_>) = values
            .into_iter()
            .partition(|(assignment, _)| matches!(assignment.value, AssignedValue::Array(_)));
        for (assignment, value) in arrays {
            self.assign(assignment, value, file, state);
        }
        if values.is_empty() {
            return self.command(&fields, site, state, context);
        }
        let mut inner = state.clone();
        for (assignment, value) in values {
            let (name, span) = (&assignment.name, assignment.span);
            let origin = Origin {
                how: SetHow::Inline,
                site: Some(Site { file, span }),
            };
            self.setting(name, value.clone(), origin.clone(), Life::Command);
            inner.set(name, vec![Alternative::exported(value, origin)]);
        }
        let truth = self.command(&fields, site, &mut inner, context);
        state.keep_files_of(&inner);
        state.cwd = inner.cwd.clone();
        truth
    }

    /// The text that `bash <<EOF` reads.
    fn shell_input(
        &self,
        simple: &Simple,
        fields: &[Value],
        file: u16,
        state: &State,
    ) -> Option<Value> {
        let (program, options) = fields.split_first()?;
        let program = program.sketch();
        let is_shell = matches!(
            program.rsplit('/').next()?,
            "bash" | "sh" | "dash" | "zsh" | "ash"
        );
        let reads_input = options
            .iter()
            .map(Value::sketch)
            .all(|o| o.starts_with(['-', '+']) && !o.contains('c') || o == "pipefail");
        if !is_shell || !reads_input {
            return None;
        }
        simple.redirects.iter().find_map(|r| match &r.kind {
            RedirectKind::Heredoc { body } | RedirectKind::HereString(body) => {
                Some(self.word(body, file, state))
            }
            _ => None,
        })
    }

    /// A shell variable is set.
    fn assign(&mut self, assignment: &Assignment, value: Value, file: u16, state: &mut State) {
        let span = assignment.span;
        self.assign_value(&assignment.name, value, Site { file, span }, state);
    }

    /// A variable that is exported already stays so.
    fn assign_value(&mut self, name: &str, value: Value, site: Site, state: &mut State) {
        let was_exported = state.mentions(name) && state.get(name).iter().any(|a| a.exported);
        let exported = was_exported || state.export_all;
        self.keep(name, value, exported, site, state);
    }

    /// Gives a variable of the shell a value.
    pub(super) fn keep(
        &mut self,
        name: &str,
        value: Value,
        exported: bool,
        site: Site,
        state: &mut State,
    ) {
        let how = if exported {
            SetHow::Export
        } else {
            SetHow::Shell
        };
        let origin = Origin {
            how,
            site: Some(site),
        };
        self.setting(
            name,
            value.clone(),
            origin.clone(),
            if exported { Life::Run } else { Life::Shell },
        );
        state.set(
            name,
            vec![Alternative {
                exported,
                ..Alternative::exported(value, origin)
            }],
        );
    }

    /// Scripts in `$(…)`: they run in processes of their own.
    fn nested_scripts(&mut self, simple: &Simple, file: u16, state: &mut State, context: &Context) {
        if context.depth >= MAX_DEPTH {
            return;
        }
        for word in all_words(simple) {
            for part in &word.parts {
                if let Part::Command { script, .. } = part {
                    let mut copy = state.clone();
                    self.script(script, file, &mut copy, &context.deeper());
                    state.keep_files_of(&copy);
                }
            }
        }
    }
}

pub(super) fn expander<'a>(state: &'a State, file: u16, choice: &'a Choice) -> Expander<'a> {
    Expander {
        state,
        file,
        choice,
        dialect: Dialect::Shell,
    }
}

/// The words of a command, those of its assignments included.
fn all_words(simple: &Simple) -> impl Iterator<Item = &Word> {
    let assigned = simple.assignments.iter();
    let assigned = assigned.flat_map(|assignment| match &assignment.value {
        AssignedValue::Word(word) => std::slice::from_ref(word),
        AssignedValue::Array(words) => words,
    });
    simple.words.iter().chain(assigned)
}

/// What a variable is after an assignment.
fn assigned_value(expander: &Expander<'_>, assignment: &Assignment) -> Value {
    let is_array = matches!(assignment.value, AssignedValue::Array(_));
    let value = written_value(expander, assignment);
    match assignment.append {
        true => appended(expander.lookup(&assignment.name), &value, is_array),
        false => value,
    }
}

fn written_value(expander: &Expander<'_>, assignment: &Assignment) -> Value {
    match &assignment.value {
        AssignedValue::Word(word) => expander.word(word),
        AssignedValue::Array(words) => {
            let mut all = Value::default();
            for (index, field) in expander.fields(words).iter().enumerate() {
                if index > 0 {
                    all.push_literal(&ELEMENT.to_string(), None);
                }
                all.append(field);
            }
            all
        }
    }
}

/// What `${NAME:=value}` among the words of a command sets, with its place.
fn set_by_default(expander: &Expander<'_>, simple: &Simple) -> Vec<(String, Value, Span)> {
    let parts = all_words(simple).flat_map(|word| &word.parts);
    let set = parts.filter_map(|part| match part {
        Part::Parameter {
            name,
            op: ParameterOp::Default { assign: true, .. },
            span,
            ..
        } => {
            let value = expander.value(part);
            let is_new = expander.lookup(name).as_ref() != Some(&value);
            is_new.then(|| (name.clone(), value, *span))
        }
        _ => None,
    });
    set.collect()
}

/// The variables that a command of the shell fills with what it reads.
fn read_into(fields: &[Value]) -> Vec<String> {
    let program = fields.first().map(Value::sketch).unwrap_or_default();
    if !matches!(
        program.as_str(),
        "printf" | "getopts" | "read" | "mapfile" | "readarray"
    ) {
        return Vec::new();
    }
    let texts: Vec<String> = fields.iter().map(Value::sketch).collect();
    let words: Vec<&str> = texts.iter().map(String::as_str).collect();
    let is_name = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let names: Vec<&str> = match words.as_slice() {
        ["printf", "-v", name, ..] | ["getopts", _, name, ..] => vec![*name],
        ["read" | "mapfile" | "readarray", rest @ ..] => {
            // the values of the other options are no names
            let takes_value = |word: &str| word.starts_with('-') && word.ends_with(['p', 'i', 'C']);
            let values = std::iter::once(&"")
                .chain(rest)
                .map(|before| takes_value(before));
            let names = rest.iter().zip(values).filter(|(_, is_value)| !is_value);
            names
                .map(|(word, _)| *word)
                .filter(|word| is_name(word))
                .collect()
        }
        _ => Vec::new(),
    };
    names.into_iter().map(str::to_owned).collect()
}

/// The variable that an assignment makes longer.
fn before(assignment: &Assignment) -> Option<Word> {
    let span = assignment.span;
    assignment.append.then(|| Word {
        parts: vec![Part::Parameter {
            name: assignment.name.clone(),
            op: ParameterOp::Plain,
            quoted: true,
            span,
        }],
        quoted: true,
        span,
    })
}

/// What a variable is after `NAME+=value`. An array of one element looks like a text: only what it grows by tells.
pub(super) fn appended(before: Option<Value>, value: &Value, is_array: bool) -> Value {
    let mut all = before.unwrap_or_default();
    let is_array = is_array || all.sketch().contains(ELEMENT);
    if is_array && !all.pieces.is_empty() {
        all.push_literal(&ELEMENT.to_string(), None);
    }
    all.append(value);
    all
}
