//! Shell text: lists, pipelines, groups.
use super::conditions::Truth;
use super::control::{callers_choice_of, truth_of_brackets};
use super::expand::{ASKED_OF_A_GPU, positional};
use super::follow::Call;
use super::shells::deciding_word;
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walked::Arm;
use super::walker::Walker;
use crate::facts::SetHow;
use crate::text::shell::{Command, Compound, CompoundKind, Item, Join, Pipeline, Script};
use crate::text::word::Word;
use crate::value::{Site, Value};
use std::rc::Rc;

/// What surrounds a command.
#[derive(Clone, Default)]
pub(super) struct Context {
    /// A failure does not stop the build.
    pub(super) swallowed: bool,
    /// Undecided conditions around it.
    pub(super) arms: Rc<Vec<Arm>>,
    /// Calls and nested scripts above it.
    pub(super) depth: u8,
    /// One of several alternatives of a variable.
    pub(super) alternative: bool,
}

/// Functions and nested scripts are followed this deep.
pub(super) const MAX_DEPTH: u8 = 8;

impl Walker<'_> {
    /// Runs a script in `state`.
    pub(super) fn script(
        &mut self,
        script: &Script,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let mut last = Truth::Assumed;
        for item in &script.items {
            if item.background {
                // runs beside the rest: what it changes is its own
                let mut copy = state.clone();
                self.item(item, file, &mut copy, context);
                state.keep_files_of(&copy);
                continue;
            }
            last = self.item(item, file, state, context);
        }
        last
    }

    fn item(&mut self, item: &Item, file: u16, state: &mut State, context: &Context) -> Truth {
        // what comes before `|| true` does not stop the build
        let last = item
            .rest
            .iter()
            .rposition(|(join, pipeline)| *join == Join::Or && cannot_fail(pipeline));
        let guarded = Context {
            swallowed: context.swallowed || last.is_some(),
            ..context.clone()
        };
        let mut truth = self.pipeline(&item.first, file, state, &guarded);
        for (at, (join, pipeline)) in item.rest.iter().enumerate() {
            let context = if last.is_some_and(|last| at < last) {
                &guarded
            } else {
                context
            };
            truth = match (join, truth) {
                (Join::And, Truth::True | Truth::Assumed) => {
                    self.pipeline(pipeline, file, state, context)
                }
                (Join::Or, Truth::False) => self.pipeline(pipeline, file, state, context),
                (Join::And, Truth::False) | (Join::Or, Truth::True) => {
                    if callers_choice_of(&item.first, state) {
                        self.elsewhere(state, context, |walker, copy, inner| {
                            walker.pipeline(pipeline, file, copy, inner)
                        });
                    }
                    truth
                }
                // a command that is assumed to succeed: the right side runs only when it does not
                (Join::Or, Truth::Assumed) | (_, Truth::Undecided) => {
                    self.maybe(state, context, |walker, copy, inner| {
                        walker.pipeline(pipeline, file, copy, inner)
                    });
                    if truth == Truth::Assumed {
                        Truth::Assumed
                    } else {
                        Truth::Undecided
                    }
                }
            };
        }
        truth
    }

    fn pipeline(
        &mut self,
        pipeline: &Pipeline,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let truth = match pipeline.commands.as_slice() {
            [only] => self.any_command(only, file, state, context),
            commands => {
                let mut last = Truth::Assumed;
                for command in commands {
                    // each side of a pipe runs in a process of its own
                    let mut copy = state.clone();
                    last = self.any_command(command, file, &mut copy, context);
                    state.keep_files_of(&copy);
                }
                self.piped_text(commands, file, state);
                if last == Truth::Assumed {
                    Truth::Assumed
                } else {
                    Truth::Undecided
                }
            }
        };
        if pipeline.negated {
            truth.negated()
        } else {
            truth
        }
    }

    fn any_command(
        &mut self,
        command: &Command,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        if !self.tick() {
            return Truth::Undecided;
        }
        match command {
            Command::Simple(simple) => self.simple(simple, file, state, context),
            Command::Compound(compound) => self.compound(compound, file, state, context),
            Command::Function { name, body, .. } => {
                state.define(name, file, Rc::new((**body).clone()));
                Truth::True
            }
            Command::Opaque { text, .. } => {
                let truth = truth_of_brackets(self, text, file, state);
                match deciding_word(command) {
                    Some(word) => self.unless_unknown_to_shell(word, truth, state),
                    None => truth,
                }
            }
        }
    }

    fn compound(
        &mut self,
        compound: &Compound,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let outer = self.sink.clone();
        if let Some(path) = self.sink(compound, file, state) {
            self.sink = Some(path);
        }
        let truth = self.of_kind(compound, file, state, context);
        self.sink = outer;
        truth
    }

    fn of_kind(
        &mut self,
        compound: &Compound,
        file: u16,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        match &compound.kind {
            CompoundKind::Group(script) => self.script(script, file, state, context),
            CompoundKind::Subshell(script) => {
                let mut copy = state.clone();
                let truth = self.script(script, file, &mut copy, context);
                state.keep_files_of(&copy);
                truth
            }
            CompoundKind::If { arms, otherwise } => {
                self.condition(arms, otherwise.as_ref(), file, state, context)
            }
            CompoundKind::While { condition, body } => {
                let mut holds = self.script(condition, file, state, context);
                // a loop over the arguments: each round takes some
                while holds == Truth::True {
                    let mut copy = state.clone();
                    self.script(body, file, &mut copy, context);
                    if positional(&copy).len() >= positional(state).len() {
                        state.merge(&copy, "a loop");
                        return Truth::Assumed;
                    }
                    *state = copy;
                    holds = self.script(condition, file, state, context);
                    if holds == Truth::False {
                        return Truth::Assumed;
                    }
                }
                // the body of a retry loop runs beside its condition, not instead of it
                let mut copy = state.clone();
                self.script(body, file, &mut copy, context);
                state.merge(&copy, "a loop");
                Truth::Assumed
            }
            CompoundKind::For { name, words, body } => {
                let values = words.as_ref().map(|words| self.fields(words, file, state));
                self.for_each(name, values, body, file, state, context);
                Truth::Assumed
            }
            CompoundKind::Case { word, arms } => self.case(word, arms, file, state, context),
        }
    }

    /// Runs text as a script: `bash -c`, `eval`, a file written before.
    pub(super) fn text(&mut self, text: &Value, state: &mut State, context: &Context) -> Truth {
        if context.depth >= MAX_DEPTH {
            return Truth::Undecided;
        }
        let (mapped, file) = mapped(text);
        let script = crate::text::shell::parse(&mapped);
        self.script(&script, file, state, &context.deeper())
    }

    /// Calls a function.
    pub(super) fn call(
        &mut self,
        body: &Compound,
        file: u16,
        args: &[Value],
        site: Site,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        if context.depth >= MAX_DEPTH {
            return Truth::Undecided;
        }
        bind(args, state);
        // a function of a file that was read before
        let elsewhere = file != site.file;
        if elsewhere {
            self.calls.push(Call { site, file });
        }
        let truth = self.compound(body, file, state, &context.deeper());
        if elsewhere {
            self.calls.pop();
        }
        truth
    }
}

impl Context {
    pub(super) fn in_arm(&self, arm: Arm) -> Self {
        let mut arms = (*self.arms).clone();
        arms.push(arm);
        Self {
            arms: arms.into(),
            ..self.clone()
        }
    }

    pub(super) fn deeper(&self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self.clone()
        }
    }
}

/// Sets `$1`, `$2`, ….
pub(super) fn bind(args: &[Value], state: &mut State) {
    let origin = Origin {
        how: SetHow::Shell,
        site: None,
    };
    let set = |state: &mut State, name: &str, value: Value| {
        state.set(
            name,
            vec![Alternative {
                exported: false,
                ..Alternative::exported(value, origin.clone())
            }],
        )
    };
    for (index, value) in args.iter().enumerate() {
        set(state, &(index + 1).to_string(), value.clone());
    }
    for index in args.len()..args.len() + 9 {
        let name = (index + 1).to_string();
        if state.mentions(&name) {
            state.unset(&name);
        }
    }
}

/// A value as text for the shell reader, with the file that it stands in.
fn mapped(value: &Value) -> (crate::text::mapped::Mapped, u16) {
    use crate::value::Piece;
    let mut text = crate::text::mapped::Mapped::default();
    let file = value.site().map_or(0, |site| site.file);
    let mut last = value.site().map_or(0, |site| site.span.start);
    for piece in &value.pieces {
        match piece {
            Piece::Literal { text: t, site } => {
                // what comes from another file stands where it is used
                if let Some(site) = site.filter(|site| site.file == file) {
                    last = site.span.start;
                }
                text.push(t, last);
            }
            // the shell asks again
            Piece::Hole { why, .. } if **why == *ASKED_OF_A_GPU => text.push("$(nvidia-smi)", last),
            // stands for a value that is not known; the shell reader takes it as one opaque part
            Piece::Hole { .. } => text.push("${{ unknown }}", last),
        }
    }
    (text, file)
}

/// `true`, `:`, `echo …`, `exit 0`: nothing that fails.
fn cannot_fail(pipeline: &Pipeline) -> bool {
    let [Command::Simple(simple)] = pipeline.commands.as_slice() else {
        return false;
    };
    let words: Option<Vec<String>> = simple.words.iter().map(Word::literal).collect();
    let name = simple.words.first().and_then(Word::literal);
    match name.as_deref() {
        Some("true" | ":" | "echo" | "printf" | "touch") => true,
        Some("exit") => words.is_some_and(|w| w.get(1).is_some_and(|code| code == "0")),
        _ => false,
    }
}
