//! Walks a document: one state a stage, changed statement by statement.
use super::content::{Content, Written};
use super::context::mount;
use super::expand::{Choice, Dialect, Expander};
use super::files::Files;
use super::follow::Call;
use super::settings::{Life, Setting};
use super::shells::{Shell, syntax_of};
use super::stages::{globals, reachable};
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walked::{Given, Note, Walked};
use super::worlds::Ran;
use crate::actions::Named;
use crate::facts::{Known, ProblemKind};
use crate::front::directive::{Directive, Says};
use crate::front::document::{Document, Does, Unit};
use crate::span::Span;
use crate::text::mapped::Mapped;
use crate::text::shell::Script;
use crate::text::word::Word;
use crate::value::{Site, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Statements and commands that one document may take.
const STEP_BUDGET: u32 = 200_000;

/// Instructions, and the builders that comments declare of them.
pub(super) type Hints = Vec<(Span, Rc<str>)>;

/// Walks documents.
pub struct Walker<'g> {
    pub(super) given: &'g Given,
    pub(super) files: &'g Files<'g>,
    /// The commands whose files are being followed, outermost first.
    pub(super) calls: Vec<Call>,
    /// The Makefiles that are being followed, each with the target that is being made.
    pub(super) making: Vec<(u16, String)>,
    /// What the command line of a `make` sets also for those that its recipes run.
    pub(super) make_variables: Vec<Named>,
    /// The scripts that were read.
    pub(super) scripts: BTreeMap<u16, Rc<Script>>,
    pub(super) walked: Walked,
    pub(super) scope: Option<usize>,
    pub(super) order: u32,
    pub(super) instruction: Span,
    pub(super) steps_left: u32,
    pub(super) groups: u32,
    /// What the RUN in hand may see of a GPU.
    pub(super) login_shell: bool,
    /// What comments declare of instructions, by their files.
    pub(super) hints: BTreeMap<u16, Hints>,
    /// Blocks around the statement in hand.
    pub(super) depth: u32,
    /// The file that a group of commands writes to.
    pub(super) sink: Option<String>,
    /// The inputs that the job in hand was called with.
    pub(super) inputs: Vec<(String, Value)>,
    /// The jobs of workflows that were called, each by its caller, its file and its number there.
    pub(super) called_jobs: Vec<(usize, u16, usize)>,
    /// Containers that commands of the job started, by name.
    pub(super) containers: BTreeMap<String, State>,
    /// What the repository may be called, once that was asked for.
    pub(super) repository: Option<Rc<Vec<Rc<str>>>>,
    /// The worlds that were walked.
    pub(super) worlds: usize,
    /// The jobs of the document that were walked.
    pub(super) ran: Vec<Ran>,
    pub(super) stages: Vec<(Option<String>, usize)>,
    pub(super) global_args: State,
}

/// Walks a document: every stage, and every job in each of its worlds.
pub fn walk<'g>(document: &Document, given: &'g Given, files: &'g Files<'g>) -> Walked {
    match document.unit {
        Unit::Stage => match &given.context {
            Some(context) => files.context_is(context),
            None => files.choose_context(&sources(document)),
        },
        Unit::Job => files.context_is(""),
    }
    let mut walker = Walker {
        given,
        files,
        calls: Vec::new(),
        making: Vec::new(),
        make_variables: Vec::new(),
        scripts: BTreeMap::new(),
        walked: Walked {
            unit: document.unit,
            ..Walked::default()
        },
        scope: None,
        order: 0,
        instruction: Span::default(),
        steps_left: STEP_BUDGET,
        groups: 0,
        login_shell: false,
        hints: BTreeMap::from([(0, hints(&document.directives))]),
        depth: 0,
        sink: None,
        inputs: Vec::new(),
        called_jobs: Vec::new(),
        containers: BTreeMap::new(),
        repository: None,
        worlds: 0,
        ran: Vec::new(),
        stages: Vec::new(),
        global_args: globals(given),
    };
    for statement in &document.globals {
        walker.global(statement);
    }
    let wanted = given
        .target
        .as_ref()
        .map(|target| reachable(document, target));
    for (index, scope) in document.scopes.iter().enumerate() {
        if document.unit == Unit::Job {
            if scope.worlds.is_empty() {
                walker.job(index, scope, None);
            }
            for world in &scope.worlds {
                walker.job(index, scope, Some(world));
            }
            continue;
        }
        walker.stage(scope, wanted.as_ref().is_none_or(|w| w.contains(&index)));
    }
    walker.walked
}

/// What the document copies out of the build context, as far as it is written out.
fn sources(document: &Document) -> Vec<String> {
    let statements = document.scopes.iter().flat_map(|scope| &scope.statements);
    let words = statements.filter_map(|statement| match &statement.action {
        Does::Copy {
            from: None,
            sources,
            ..
        } => Some(sources),
        _ => None,
    });
    words.flatten().filter_map(Word::literal).collect()
}

pub(super) fn hints(directives: &[Directive]) -> Hints {
    let hints = directives.iter().filter_map(|directive| {
        let Says::Builds(name, _) = &directive.says else {
            return None;
        };
        Some((directive.instruction?, name.as_str().into()))
    });
    hints.collect()
}

impl Walker<'_> {
    /// Takes one step of the budget; false when it is spent.
    pub(super) fn tick(&mut self) -> bool {
        if self.steps_left == 0 {
            return false;
        }
        self.steps_left -= 1;
        if self.steps_left == 0 {
            let message = format!(
                "the file takes more than {STEP_BUDGET} steps to follow: what comes later is not looked at"
            );
            self.note(ProblemKind::CutShort, message);
        }
        true
    }

    /// Notes that the instruction in hand, or what it leads to, is not followed.
    pub(super) fn note(&mut self, kind: ProblemKind, message: String) {
        let site = Site {
            file: 0,
            span: self.instruction,
        };
        let note = Note {
            site,
            kind,
            message,
        };
        // a job says the same in each of its worlds
        if !self.walked.notes.contains(&note) {
            self.walked.notes.push(note);
        }
    }

    pub(super) fn expand(state: &State, word: &Word) -> Value {
        let choice = Choice::new();
        Expander {
            state,
            file: state.file,
            choice: &choice,
            dialect: Dialect::Docker,
        }
        .word(word)
    }

    pub(super) fn setting(&mut self, name: &str, value: Value, origin: Origin, life: Life) {
        let setting = Setting {
            name: name.into(),
            value,
            origin,
            scope: self.scope,
            order: self.order,
            life,
            instruction: self.instruction,
        };
        self.walked.settings.push(setting);
    }

    pub(super) fn statement(&mut self, action: &Does, state: &mut State) {
        if self.job_statement(action, state) {
            return;
        }
        match action {
            Does::Declare { name, default, .. } if name.contains('.') => {
                self.declare_workflow_input(name, default.as_ref(), state)
            }
            Does::Declare {
                name,
                default,
                span,
            } => self.declare(name, default.as_ref(), *span, state),
            Does::Set { assigns, how } if self.walked.unit == Unit::Job => {
                self.set_env(assigns, *how, state);
            }
            Does::Set { assigns, how } => {
                // all values of one instruction see the state before it
                let values: Vec<Value> = assigns
                    .iter()
                    .map(|a| Self::expand(state, &a.value))
                    .collect();
                for (assign, value) in assigns.iter().zip(values) {
                    let origin = Origin {
                        how: *how,
                        site: Some(Site {
                            file: state.file,
                            span: assign.span,
                        }),
                    };
                    self.setting(&assign.name, value.clone(), origin.clone(), Life::Stage);
                    let overridable = value_is_overridable(&assign.value, state);
                    state.set(
                        &assign.name,
                        vec![Alternative {
                            overridable,
                            ..Alternative::exported(value, origin)
                        }],
                    );
                }
            }
            Does::Chdir(word) => {
                state.cwd = state.resolve(&Self::expand(state, word).sketch()).into()
            }
            Does::Shell(words) => {
                self.login_shell = words
                    .iter()
                    .any(|w| w.starts_with('-') && !w.starts_with("--") && w.contains('l'));
                state.shell = Shell::of_words(words.iter().map(String::as_str));
                state.activates = words
                    .first()
                    .is_some_and(|word| word.ends_with("conda") || word.ends_with("mamba"));
            }
            Does::Run {
                script,
                flags,
                template,
                shell,
            } => {
                let outer = state.shell;
                state.syntax = syntax_of(shell.as_deref());
                if let Some(shell) = shell.as_deref().filter(|_| state.syntax.is_posix()) {
                    state.shell = Shell::of_words(shell.split_whitespace());
                }
                self.run(script, flags, template.as_ref(), state);
                state.shell = outer;
            }
            Does::Exec(words) => {
                let mut child = state.clone();
                let value = |word: &Word| match word.literal() {
                    // a text of several pieces keeps the place of each
                    Some(text) if word.parts.len() < 2 => Value::literal(
                        &text,
                        Some(Site {
                            file: state.file,
                            span: word.span,
                        }),
                    ),
                    _ => Self::expand(state, word),
                };
                let fields: Vec<Value> = words.iter().map(value).collect();
                let site = Site {
                    file: state.file,
                    span: words
                        .first()
                        .map_or(self.instruction, |w| w.span)
                        .to(words.last().map_or(self.instruction, |w| w.span)),
                };
                self.command(
                    &fields,
                    site,
                    &mut child,
                    &super::script::Context::default(),
                );
                state.keep_files_of(&child);
            }
            Does::Copy {
                from,
                sources,
                destination,
                add,
            } => self.copy(from.as_ref(), sources, destination, *add, state),
            Does::Write { text, destination } => {
                let path = state.resolve(&Self::expand(state, destination).sketch());
                let body = Value::literal(
                    text.body.text(),
                    Some(Site {
                        file: state.file,
                        span: text.span,
                    }),
                );
                state.put(&path, Content::Text(Written::new(body)));
            }
            Does::Foreign(language) => self.note(
                ProblemKind::PassedOver,
                format!("text for {language} is not read: what it builds is not known"),
            ),
            Does::PassedOver(why) => self.note(ProblemKind::PassedOver, why.clone()),
            Does::Unread(why) => {
                // jobs that count on the same say it once
                if !self.walked.notes.iter().any(|note| note.message == *why) {
                    self.note(ProblemKind::PassedOver, why.clone());
                }
                state.opens("what is not read may set it");
            }
            _ => {}
        }
    }

    fn run(
        &mut self,
        script: &crate::text::shell::Script,
        flags: &[(String, Option<Word>)],
        template: Option<&Mapped>,
        state: &mut State,
    ) {
        let mut inside = state.clone();
        inside.reads_profiles = self.login_shell;
        if inside.activates {
            inside.activate();
        }
        for (name, value) in flags {
            let text = value
                .as_ref()
                .map(|v| Self::expand(state, v).sketch())
                .unwrap_or_default();
            match name.as_str() {
                "mount" => mount(&text, &mut inside),
                // CDI devices give the build a GPU
                "device" if text.contains("nvidia") || text.contains("gpu") => {
                    inside.gpu = Known::Yes
                }
                _ => {}
            }
        }
        if template.is_none_or(|text| !self.filled_in(text, &mut inside)) {
            self.script(
                script,
                state.file,
                &mut inside,
                &super::script::Context::default(),
            );
        }
        state.keep_files_of(&inside);
    }
}

/// A value built from a build argument is the caller's to change.
fn value_is_overridable(word: &Word, state: &State) -> bool {
    word.parts.iter().any(|p| match p {
        crate::text::word::Part::Parameter { name, .. } => {
            state.get(name).iter().any(|a| a.overridable)
        }
        _ => false,
    })
}
