//! Actions and workflows of others that jobs call.
use super::base;
use super::content::{Content, Presence};
use super::expand::{Choice, Dialect, Expander};
use super::follow::Call;
use super::jobs::given_input;
use super::machine;
use super::script::{Context, MAX_DEPTH};
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walker::Walker;
use crate::actions::args::split;
use crate::actions::docker::Build;
use crate::facts::{Known, ProblemKind, SetHow};
use crate::front::document::{Assign, Does, Statement};
use crate::front::github::step::WORKSPACE;
use crate::front::github::{action, workflow};
use crate::front::{azure, compose};
use crate::knowledge::CiAction;
use crate::knowledge::ci_actions::ci_action;
use crate::table::Text;
use crate::text::dotenv;
use crate::text::word::Word;
use crate::value::{Site, Value};

impl Walker<'_> {
    /// `uses: target` with its inputs.
    pub(super) fn called(&mut self, target: &Word, inputs: &[Assign], state: &mut State) {
        let name = self.only_value(target, state).sketch();
        if name.starts_with("actions/checkout@") {
            return self.checkout(inputs, state);
        }
        if name.starts_with("docker/build-push-action@") {
            let site = Site {
                file: state.file,
                span: target.span,
            };
            self.lend(&self.pushed(inputs, state), site, state);
            return;
        }
        if name.starts_with("docker/bake-action@") {
            let site = Site {
                file: state.file,
                span: target.span,
            };
            self.described(&self.baked(inputs, state), site, state);
            return;
        }
        if name == compose::SETTINGS {
            return self.settings_beside(state);
        }
        if let Some(path) = name.strip_prefix(azure::TEMPLATE) {
            return self.template(path, target, inputs, state);
        }
        if let Some(path) = name.strip_prefix("./") {
            let is_workflow = path.ends_with(".yml") || path.ends_with(".yaml");
            return match is_workflow {
                true => self.own_workflow(path, target, inputs, state),
                false => self.own_action(path, target, inputs, state),
            };
        }
        match ci_action(&name) {
            Some(row) => self.known_action(row, &name, target, inputs, state),
            None => anything_may_come(&name, state),
        }
    }

    /// The settings that Compose takes from `.env`; what is there already wins.
    fn settings_beside(&self, state: &mut State) {
        let Ok(file) = self
            .files
            .open(state.resolve(".env").trim_start_matches('/'))
        else {
            return;
        };
        for (name, word) in dotenv::read(self.files.text(file)) {
            let choice = Choice::new();
            let expander = Expander {
                state,
                file,
                choice: &choice,
                dialect: Dialect::Docker,
            };
            let value = expander.word(&word);
            let origin = Origin {
                how: SetHow::ConfigEnv,
                site: Some(Site {
                    file,
                    span: word.span,
                }),
            };
            state.set(&name, vec![Alternative::exported(value, origin)]);
        }
    }

    /// An action of the same repository: its steps, with the inputs of this call.
    fn own_action(&mut self, folder: &str, target: &Word, inputs: &[Assign], state: &mut State) {
        let site = Site {
            file: state.file,
            span: target.span,
        };
        let read = ["action.yml", "action.yaml"]
            .iter()
            .find_map(|name| self.files.open(&format!("{folder}/{name}")).ok());
        let Some(file) = read else {
            let message = format!("the action in {folder} is not there: what it does is not known");
            self.note(ProblemKind::PassedOver, message);
            return anything_may_come(folder, state);
        };
        if self.leads_back(file, &format!("the action in {folder}")) {
            return;
        }
        let given = self.given_inputs(inputs, "inputs.", state);
        let document = action::read(self.files.text(file));
        let caller = (
            state.contexts.clone(),
            std::mem::replace(&mut state.file, file),
        );
        let here = format!("{WORKSPACE}/{folder}");
        state.give("github.action_path", Value::literal(&here, None));
        self.calls.push(Call { site, file });
        for scope in &document.scopes {
            self.own_steps(&scope.statements, &given, state);
        }
        self.calls.pop();
        (state.contexts, state.file) = caller;
    }

    /// A workflow of the same repository: its jobs, with the inputs of this call. They share nothing else with the caller.
    fn own_workflow(&mut self, path: &str, target: &Word, inputs: &[Assign], state: &State) {
        let Ok(file) = self.files.open(path) else {
            let message = format!("the workflow {path} is not there: what it does is not known");
            return self.note(ProblemKind::PassedOver, message);
        };
        if self.leads_back(file, &format!("the workflow {path}")) {
            return;
        }
        let given = self.given_inputs(inputs, "inputs.", state);
        let document = workflow::read(self.files.text(file));
        let site = Site {
            file: state.file,
            span: target.span,
        };
        let outer = (self.scope, self.instruction);
        self.calls.push(Call { site, file });
        for (job, scope) in document.scopes.iter().enumerate() {
            let own = scope.worlds.iter().map(Some);
            let one = scope.worlds.is_empty().then_some(None);
            for world in own.chain(one) {
                let mut state = State::new(None);
                state.file = file;
                self.called_job(job, scope, world, &given, state);
                (self.scope, self.instruction) = outer;
            }
        }
        self.calls.pop();
    }

    /// Whether the file is being followed already, or is too far away; then it is noted.
    pub(super) fn leads_back(&mut self, file: u16, what: &str) -> bool {
        let again = self.calls.iter().any(|call| call.file == file);
        let back = again || self.calls.len() >= usize::from(MAX_DEPTH);
        if back {
            let message = format!("{what} leads back to itself, or too far");
            self.note(ProblemKind::PassedOver, message);
        }
        back
    }

    /// The inputs of a call as expressions find them.
    pub(super) fn given_inputs(
        &self,
        inputs: &[Assign],
        prefix: &str,
        state: &State,
    ) -> Vec<(String, Value)> {
        let given = inputs.iter().map(|input| {
            let value = self.only_value(&input.value, state);
            (format!("{prefix}{}", input.name), value)
        });
        given.collect()
    }

    /// The steps of an action. What one leaves for the next ones is left to the steps after the call, too.
    fn own_steps(
        &mut self,
        statements: &[Statement],
        given: &[(String, Value)],
        state: &mut State,
    ) {
        for statement in statements {
            if let Does::Declare { name, default, .. } = &statement.action {
                match given_input(given, name) {
                    Some(value) => state.give(name, value.clone()),
                    None => self.declare_input(name, default.as_ref(), state),
                }
            }
        }
        let mut left = state.later.clone();
        for statement in statements {
            let Does::Block { id, body } = &statement.action else {
                continue;
            };
            self.step_body(body, state);
            for (name, variable) in state.later.iter() {
                left.insert_mut(name.clone(), variable.clone());
            }
            state.end_step(id.as_deref());
        }
        state.later = left;
    }

    pub(super) fn input(&self, inputs: &[Assign], name: &str, state: &State) -> Option<Value> {
        let assign = inputs.iter().find(|a| a.name.eq_ignore_ascii_case(name))?;
        Some(self.only_value(&assign.value, state))
    }

    /// A job that has its repository's files can tell what that is called.
    pub(super) fn name_repository(&mut self, state: &mut State) {
        if state.repository.is_empty() {
            let names = || super::repository::names(self.files).into();
            state.repository = self.repository.get_or_insert_with(names).clone();
        }
    }

    /// The repository, or another one, is put where the job works.
    fn checkout(&mut self, inputs: &[Assign], state: &mut State) {
        self.name_repository(state);
        let text = |name: &str| self.input(inputs, name, state);
        let path = text("path").map(|value| value.sketch()).unwrap_or_default();
        let reference = text("ref").and_then(|value| value.known());
        let content = match text("repository").map(|value| value.known()) {
            None => Content::Context(String::new()),
            // whoever calls says which fork: the workflow goes on as if it were its own repository
            Some(None) if path.is_empty() => Content::Context(String::new()),
            Some(Some(name)) if !name.is_empty() => Content::Repo {
                name: name.to_ascii_lowercase().into(),
                reference: reference.map(Into::into),
                own: false,
            },
            Some(_) => Content::Unknown,
        };
        let path = state.resolve(&path);
        state.put(&path, content);
    }

    /// `docker/build-push-action`: its inputs are the options of `docker build`.
    fn pushed(&self, inputs: &[Assign], state: &State) -> Build {
        let input = |name: &str| self.input(inputs, name, state);
        let args = input("build-args").unwrap_or_default();
        let whole = args.sketch();
        let mut at = 0;
        let mut lines = Vec::new();
        for line in whole.split_inclusive('\n') {
            let (start, end) = (at, at + line.trim_end().len());
            at += line.len();
            if let Some((name, _)) = line.split_once('=') {
                let value = args.slice(start + name.len() + 1, end);
                lines.push((name.trim().to_owned(), Some(value)));
            }
        }
        Build {
            args: lines,
            target: input("target"),
            file: input("file"),
            platform: input("platforms"),
            context: Some(input("context").unwrap_or_else(|| Value::literal(".", None))),
            tags: input("tags").into_iter().collect(),
        }
    }

    /// The words of an action's command.
    fn filled(&self, row: &CiAction, inputs: &[Assign], site: Site, state: &State) -> Vec<Value> {
        let mut words = Vec::new();
        for word in row.command {
            let Some((before, name, after)) = input_of(word) else {
                words.push(Value::literal(word, Some(site)));
                continue;
            };
            let Some(value) = self.input(inputs, name.trim_end_matches('*'), state) else {
                continue;
            };
            if value.is_empty() == Some(true) {
                continue;
            }
            if name.ends_with('*') {
                words.extend(split(&value));
                continue;
            }
            let mut whole = Value::literal(before, Some(site));
            whole.append(&value);
            whole.push_literal(after, Some(site));
            words.push(whole);
        }
        words
    }

    fn known_action(
        &mut self,
        row: &CiAction,
        name: &str,
        target: &Word,
        inputs: &[Assign],
        state: &mut State,
    ) {
        let text = |input: Option<Text>, state: &State| {
            input.and_then(|input| self.input(inputs, &input, state))
        };
        if let Some(input) = row.toolkit {
            let version = self.input(inputs, &input, state).and_then(|v| v.known());
            state.nvcc = Presence::present(version.as_deref(), name);
            return;
        }
        let site = Site {
            file: state.file,
            span: target.span,
        };
        if !row.command.is_empty() {
            let words = self.filled(row, inputs, site, state);
            let mut inside = state.clone();
            self.command(&words, site, &mut inside, &Context::default());
            state.keep_files_of(&inside);
            return;
        }
        let Some(script) = text(row.script, state) else {
            return;
        };
        let mut inside = state.child();
        if let Some(machine) = text(row.machine, state) {
            let (mut machine, _) = machine::state(&[machine], &self.given.runners);
            machine.mount(&inside);
            inside = machine;
        }
        if let Some(image) = text(row.image, state) {
            let mut container = base::state(&image, self.given);
            container.gpu = inside.gpu;
            container.mount(&inside);
            inside = container;
        }
        self.text(&script, &mut inside, &Context::default());
        state.keep_files_of(&inside);
    }
}

/// The text before an input's name in braces, the name, and the text after; `*` at its end: the words of the input.
fn input_of(word: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = word.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

/// After an action that is not known, what was not there may be.
pub(super) fn anything_may_come(name: &str, state: &mut State) {
    for tool in [&mut state.nvcc, &mut state.torch] {
        if tool.there == Known::No {
            *tool = Presence {
                from: name.into(),
                ..Presence::default()
            };
        }
    }
}
