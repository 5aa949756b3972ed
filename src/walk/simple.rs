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
use crate::text::shell::{AssignedValue, Assignment, RedirectKind, Simple};
use crate::text::word::Word;
use crate::value::{Site, Value};

impl Walker<'_> {
    pub(super) fn fields(&self, words: &[Word], file: u16, state: &State) -> Vec<Value> {
        let choice = Choice::new();
        Expander {
            state,
            file,
            choice: &choice,
            dialect: Dialect::Shell,
        }
        .fields(words)
    }

    pub(super) fn word(&self, word: &Word, file: u16, state: &State) -> Value {
        let choice = Choice::new();
        Expander {
            state,
            file,
            choice: &choice,
            dialect: Dialect::Shell,
        }
        .word(word)
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
        let words: Vec<&Word> = simple
            .words
            .iter()
            .chain(simple.assignments.iter().filter_map(assigned_word))
            .collect();
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
        let expander = Expander {
            state,
            file,
            choice,
            dialect: Dialect::Shell,
        };
        let fields = expander.fields(&simple.words);
        let values: Vec<(String, bool, Value, Site)> = simple
            .assignments
            .iter()
            .map(|a| {
                let value = assigned_value(&expander, a);
                (a.name.clone(), a.append, value, Site { file, span: a.span })
            })
            .collect();
        if fields.is_empty() {
            for (name, append, value, site) in values {
                self.assign(&name, append, value, site, state);
            }
            return Truth::Assumed;
        }
        let site = Site {
            file,
            span: simple
                .words
                .first()
                .map_or(simple.span, |w| w.span)
                .to(simple.words.last().map_or(simple.span, |w| w.span)),
        };
        let site = if simple.words.is_empty() {
            Site {
                file,
                span: simple.span,
            }
        } else {
            site
        };
        if let Some(body) = self.shell_input(simple, &fields, file, state) {
            let mut child = state.child();
            child.shell = Shell::of(&fields[0].sketch());
            let truth = self.text(&body, &mut child, context);
            state.keep_files_of(&child);
            return truth;
        }
        if values.is_empty() {
            return self.command(&fields, site, state, context);
        }
        let mut inner = state.clone();
        for (name, append, value, at) in values {
            let origin = Origin {
                how: SetHow::Inline,
                site: Some(at),
            };
            let value = if append {
                appended(&inner, &name, &value)
            } else {
                value
            };
            self.setting(&name, value.clone(), origin.clone(), Life::Command);
            inner.set(&name, vec![Alternative::exported(value, origin)]);
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
    pub(super) fn assign(
        &mut self,
        name: &str,
        append: bool,
        value: Value,
        site: Site,
        state: &mut State,
    ) {
        let value = if append {
            appended(state, name, &value)
        } else {
            value
        };
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
        let words = simple
            .words
            .iter()
            .chain(simple.assignments.iter().filter_map(assigned_word));
        for word in words {
            for part in &word.parts {
                if let crate::text::word::Part::Command { script, .. } = part {
                    let mut copy = state.clone();
                    self.script(script, file, &mut copy, &context.deeper());
                    state.keep_files_of(&copy);
                }
            }
        }
    }
}

fn assigned_word(assignment: &Assignment) -> Option<&Word> {
    match &assignment.value {
        AssignedValue::Word(word) => Some(word),
        AssignedValue::Array(_) => None,
    }
}

fn assigned_value(expander: &Expander<'_>, assignment: &Assignment) -> Value {
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

pub(super) fn appended(state: &State, name: &str, value: &Value) -> Value {
    let mut all = state.single(name).unwrap_or_default();
    let is_array = all.sketch().contains(ELEMENT);
    if is_array && !all.pieces.is_empty() {
        all.push_literal(&ELEMENT.to_string(), None);
    }
    all.append(value);
    all
}
