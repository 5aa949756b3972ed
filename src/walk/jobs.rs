//! Jobs: machines, worlds, steps, containers.
use super::base;
use super::expand::{Choice, Dialect, Expander, choices};
use super::expression;
use super::machine;
use super::settings::Life;
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walker::Walker;
use crate::facts::{Known, LostWhy, SetHow};
use crate::front::apptainer::BUILD_ARGUMENTS;
use crate::front::document::{Assign, Does, Statement};
use crate::text::word::Word;
use crate::value::{Site, Value};

/// An input by the name that expressions have for it.
pub(super) fn given_input<'v>(given: &'v [(String, Value)], name: &str) -> Option<&'v Value> {
    let found = given
        .iter()
        .find(|(given, _)| given.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value)
}

impl Walker<'_> {
    /// Walks statements in order. A gate decides about those that follow it.
    pub(super) fn statements(&mut self, statements: &[Statement], state: &mut State) {
        for (at, statement) in statements.iter().enumerate() {
            self.order += 1;
            // what another file does is part of the statement that led to it
            if state.file == 0 {
                self.instruction = statement.span;
            }
            if !self.tick() {
                return;
            }
            let Does::Gate(word) = &statement.action else {
                self.statement(&statement.action, state);
                continue;
            };
            match self.decides(word, state) {
                Some(true) => {}
                Some(false) => return,
                None => {
                    let mut copy = state.clone();
                    self.statements(&statements[at + 1..], &mut copy);
                    state.merge(&copy, "a condition that is not known here");
                    return;
                }
            }
        }
    }

    /// Whether a gate is open; `None` if it cannot be known.
    fn decides(&self, gate: &Word, state: &State) -> Option<bool> {
        let mut truths = all_values(gate, state)
            .into_iter()
            .map(|value| expression::truth(&value));
        let first = truths.next()?;
        truths.all(|truth| truth == first).then_some(first)?
    }

    /// A job's statement; false if it is none.
    pub(super) fn job_statement(&mut self, action: &Does, state: &mut State) -> bool {
        match action {
            Does::Machine(labels) => {
                let labels: Vec<Value> = labels.iter().map(|l| self.only_value(l, state)).collect();
                let (mut machine, system) = machine::state(&labels, &self.given.runners);
                machine.contexts = state.contexts.clone();
                machine.file = state.file;
                // a job of a template has the variables of who calls it
                state.pass(&mut machine, LostWhy::NotForwarded, |_| true);
                if let Some(system) = system {
                    machine.give("runner.os", Value::literal(system, None));
                }
                *state = machine;
                self.start_scope(state);
            }
            Does::Context(assigns) => {
                for Assign { name, value, .. } in assigns {
                    let value = self.only_value(value, state);
                    state.give(name, value);
                }
            }
            Does::Block { id, body } => {
                self.step_body(body, state);
                state.end_step(id.as_deref());
            }
            Does::Enter { image, gpus, body } => self.enter(image, *gpus, body, state),
            Does::Call { target, inputs, .. } => self.called(target, inputs, state),
            _ => return false,
        }
        true
    }

    /// What a step does; its settings end with it.
    pub(super) fn step_body(&mut self, body: &[Statement], state: &mut State) {
        let mut inside = state.clone();
        self.depth += 1;
        self.statements(body, &mut inside);
        self.depth -= 1;
        state.keep_files_of(&inside);
    }

    /// An input of an action, or of a workflow that others call: `inputs.cuda`. Those of a definition file are build arguments.
    pub(super) fn declare_input(&self, name: &str, default: Option<&Word>, state: &mut State) {
        let argument = name
            .strip_prefix(BUILD_ARGUMENTS)
            .and_then(|name| self.given.build_args.get(name));
        if let Some(argument) = argument {
            return state.give(name, Value::literal(argument, None));
        }
        let value = match default {
            Some(word) => self.only_value(word, state),
            None => Value::hole(&format!("{name} has no default"), Some(name), false),
        };
        state.give(name, value);
    }

    /// An input of a workflow: as its caller gives it, else its default.
    pub(super) fn declare_workflow_input(
        &self,
        name: &str,
        default: Option<&Word>,
        state: &mut State,
    ) {
        match given_input(&self.inputs, name) {
            Some(value) => state.give(name, value.clone()),
            None => self.declare_input(name, default, state),
        }
    }

    /// What an `env:` of a job or step sets.
    pub(super) fn set_env(&mut self, assigns: &[Assign], how: SetHow, state: &mut State) {
        let life = if self.depth == 0 {
            Life::Stage
        } else {
            Life::Run
        };
        // all values of one place see the state before it
        let variables: Vec<Vec<Alternative>> = assigns
            .iter()
            .map(|assign| self.variable(assign, how, life, state))
            .collect();
        for (assign, variable) in assigns.iter().zip(variables) {
            state.set_env(&assign.name, variable);
        }
    }

    /// All that an assignment gives.
    fn variable(
        &mut self,
        assign: &Assign,
        how: SetHow,
        life: Life,
        state: &State,
    ) -> Vec<Alternative> {
        let origin = Origin {
            how,
            site: Some(Site {
                file: state.file,
                span: assign.span,
            }),
        };
        let values = all_values(&assign.value, state);
        for value in &values {
            self.setting(&assign.name, value.clone(), origin.clone(), life);
        }
        values
            .into_iter()
            .map(|value| Alternative::exported(value, origin.clone()))
            .collect()
    }

    /// Runs statements in a container.
    fn enter(&mut self, image: &Word, gpus: bool, body: &[Statement], state: &mut State) {
        let reference = self.only_value(image, state);
        let mut inside = base::state(&reference, self.given);
        inside.gpu = match (state.gpu, gpus) {
            (Known::No, _) => Known::No,
            (_, true) => Known::Yes,
            (_, false) => Known::Unknown,
        };
        inside.mount(state);
        state.pass(&mut inside, LostWhy::NotForwarded, |_| true);
        if let Some(scope) = self.scope.and_then(|s| self.walked.scopes.get_mut(s))
            && scope.image_site.span.is_empty()
        {
            scope.image = reference;
            scope.image_site = Site {
                file: state.file,
                span: image.span,
            };
        }
        self.start_scope(&inside);
        self.statements(body, &mut inside);
        state.mount(&inside);
    }

    /// Remembers the state that the job in hand starts with.
    fn start_scope(&mut self, state: &State) {
        if let Some(scope) = self.scope.and_then(|s| self.walked.scopes.get_mut(s)) {
            scope.start = state.clone();
        }
    }

    /// The value of a word of the format itself; a hole where there are several.
    pub(super) fn only_value(&self, word: &Word, state: &State) -> Value {
        let choice = Choice::new();
        expander(state, &choice).word(word)
    }
}

fn expander<'s>(state: &'s State, choice: &'s Choice) -> Expander<'s> {
    Expander {
        state,
        file: state.file,
        choice,
        dialect: Dialect::Docker,
    }
}

fn all_values(word: &Word, state: &State) -> Vec<Value> {
    choices(&[word], state)
        .iter()
        .map(|choice| expander(state, choice).word(word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::document::{Document, ENV_FILE, OUTPUT_FILE, Scope, Unit, World};
    use crate::span::Span;
    use crate::text::mapped::Mapped;
    use crate::text::{shell, template};
    use crate::tree::Tree;
    use crate::walk::files::Files;
    use crate::walk::walked::{Given, Walked, WalkedScope};
    use crate::walk::walker::walk;

    const LIST: &str = "TORCH_CUDA_ARCH_LIST";

    fn at(place: usize, action: Does) -> Statement {
        let span = Span::new(place * 1000, place * 1000 + 900);
        Statement { action, span }
    }

    fn word(text: &str) -> Word {
        template::word(&Mapped::verbatim(text, 7))
    }

    fn assign(name: &str, text: &str) -> Assign {
        Assign {
            name: name.to_owned(),
            value: word(text),
            span: Span::new(5, 7 + text.len()),
        }
    }

    fn env(name: &str, text: &str) -> Does {
        Does::Set {
            assigns: vec![assign(name, text)],
            how: SetHow::ConfigEnv,
        }
    }

    fn run(text: &str) -> Does {
        let text = Mapped::verbatim(text, 2000);
        Does::Run {
            script: shell::parse(&text),
            flags: Vec::new(),
            template: Some(text),
            shell: None,
        }
    }

    /// A job of steps, each of several statements.
    fn walked(steps: Vec<Vec<Does>>, worlds: Vec<World>) -> Walked {
        let files = [("GITHUB_ENV", ENV_FILE), ("GITHUB_OUTPUT", OUTPUT_FILE)];
        let mut statements = vec![
            at(0, Does::Machine(vec![word("ubuntu-latest")])),
            at(0, env(LIST, "7.5")),
        ];
        statements.extend(files.map(|(name, path)| at(0, env(name, path))));
        for (index, body) in steps.into_iter().enumerate() {
            let body = body.into_iter().map(|does| at(index + 1, does)).collect();
            let id = Some(format!("s{index}"));
            statements.push(at(index + 1, Does::Block { id, body }));
        }
        let document = Document {
            unit: Unit::Job,
            scopes: vec![Scope {
                title: "job".to_owned(),
                statements,
                worlds,
                ..Scope::default()
            }],
            ..Document::default()
        };
        walk(
            &document,
            &Given::default(),
            &Files::new("x.yml", "", &Tree::default()),
        )
    }

    /// What each `pip install` finds the list to be.
    fn lists(steps: Vec<Vec<Does>>) -> Vec<String> {
        let walked = walked(steps, Vec::new());
        let list = |state: &State| {
            let all = state.get(LIST).iter().map(|a| match &a.value {
                Some(value) => value.sketch(),
                None => "-".to_owned(),
            });
            all.collect::<Vec<_>>().join("|")
        };
        walked.steps.iter().map(|s| list(&s.state)).collect()
    }

    #[test]
    fn what_reaches_a_step() {
        let export = "export TORCH_CUDA_ARCH_LIST=8.0; pip install ./a";
        let build = || vec![run("pip install ./a")];
        for (steps, expected) in [
            (vec![build()], "7.5"),
            (vec![vec![run(export)], build()], "8.0 7.5"),
            (
                vec![vec![run("pip install ./a"), env(LIST, "9.0")], build()],
                "7.5 7.5",
            ),
            (
                vec![vec![env(LIST, "9.0"), run("pip install ./a")], build()],
                "9.0 7.5",
            ),
            (
                vec![vec![
                    env(LIST, "${{ env.TORCH_CUDA_ARCH_LIST }}+PTX"),
                    run("pip install ./a"),
                ]],
                "7.5+PTX",
            ),
            (
                vec![
                    vec![run(
                        "echo TORCH_CUDA_ARCH_LIST=8.6 >> $GITHUB_ENV; pip install ./a",
                    )],
                    build(),
                ],
                "7.5 8.6",
            ),
            (
                vec![
                    vec![run(
                        "echo \"TORCH_CUDA_ARCH_LIST=8.6\" | tee -a \"$GITHUB_ENV\"",
                    )],
                    build(),
                ],
                "8.6",
            ),
            (
                vec![
                    vec![run(
                        "{ echo A=1; echo TORCH_CUDA_ARCH_LIST=8.6; } >> $GITHUB_ENV",
                    )],
                    build(),
                ],
                "8.6",
            ),
            (
                vec![
                    vec![run(
                        "cat <<EOF >> $GITHUB_ENV\nA<<X\n1\nX\nTORCH_CUDA_ARCH_LIST=8.9\nEOF",
                    )],
                    build(),
                ],
                "8.9",
            ),
            (
                vec![
                    vec![run(
                        "if [ -f x ]; then echo TORCH_CUDA_ARCH_LIST=8.6 >> $GITHUB_ENV; fi",
                    )],
                    build(),
                ],
                "7.5|8.6",
            ),
            (
                vec![
                    vec![run("echo list=9.0 >> $GITHUB_OUTPUT")],
                    vec![
                        env(LIST, "${{ steps.s0.outputs.list }}"),
                        run("pip install ./a"),
                    ],
                ],
                "9.0",
            ),
            (
                vec![
                    vec![Does::Gate(word("${{ 1 == 2 }}")), run("pip install ./a")],
                    build(),
                ],
                "7.5",
            ),
            (
                vec![
                    vec![
                        Does::Gate(word("${{ github.x }}")),
                        run("echo TORCH_CUDA_ARCH_LIST=9.0 >> $GITHUB_ENV"),
                    ],
                    build(),
                ],
                "7.5|9.0",
            ),
            (
                vec![vec![
                    env(LIST, "${{ github.x && '9.0' || '8.0' }}"),
                    run("pip install ./a"),
                ]],
                "9.0|8.0",
            ),
            (
                vec![vec![run(
                    "TORCH_CUDA_ARCH_LIST=${{ env.A || '9.0' }} pip install ./a",
                )]],
                "9.0",
            ),
            (
                vec![vec![run(
                    "${{ env.A || 'TORCH_CUDA_ARCH_LIST=9.0 pip install ./a' }} && pip install ./b",
                )]],
                "9.0 7.5",
            ),
        ] {
            let shown = format!("{} steps", steps.len());
            assert_eq!(lists(steps).join(" "), expected, "{shown}");
        }
    }

    #[test]
    fn a_job_s_container_sees_its_environment() {
        let body = vec![at(1, run("pip install ./a"))];
        let enter = Does::Enter {
            image: word("nvidia/cuda:12.4.1-devel-ubuntu22.04"),
            gpus: false,
            body,
        };
        assert_eq!(lists(vec![vec![enter]]), ["7.5"]);
    }

    fn row(names: &[(&str, &str)]) -> World {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let value = |(name, value): &(&str, &str)| assign(&format!("matrix.{name}"), value);
        World {
            names: names.iter().map(owned).collect(),
            values: names.iter().map(value).collect(),
        }
    }

    #[test]
    fn a_job_runs_once_a_world() {
        let steps = vec![
            vec![
                Does::Gate(word("${{ matrix.cuda != '11.8' }}")),
                run("pip install ./a"),
            ],
            vec![run("pip install ./b-${{ matrix.cuda }}")],
        ];
        let rows = ["11.8", "12.4"].map(|cuda| row(&[("cuda", cuda)]));
        let walked = walked(steps, rows.to_vec());
        let scopes: Vec<_> = walked.steps.iter().map(|s| s.scope).collect();
        assert_eq!(scopes, [0, 1, 1]);
        assert_eq!(
            walked.scopes[1].first_world(),
            [("cuda".to_owned(), "12.4".to_owned())]
        );
    }

    #[test]
    fn worlds_that_nothing_tells_apart_run_together() {
        let rows = [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")];
        let rows = rows.map(|(python, cuda)| row(&[("python", python), ("cuda", cuda)]));
        for (script, expected) in [
            ("pip install ./a", vec![vec![0, 1, 2, 3]]),
            (
                "pip install ./a-${{ matrix.cuda }}",
                vec![vec![0, 2], vec![1, 3]],
            ),
            (
                "X=${{ matrix.python == 'c' }}; pip install ./a-${{ matrix.cuda }}",
                vec![vec![0], vec![1], vec![2], vec![3]],
            ),
            (
                "echo CUDA=${{ matrix.cuda }} >> $GITHUB_ENV",
                vec![vec![0, 2], vec![1, 3]],
            ),
        ] {
            let walked = walked(vec![vec![run(script)]], rows.to_vec());
            let numbers = |scope: &WalkedScope| scope.worlds.iter().map(|w| w.number).collect();
            let together: Vec<Vec<usize>> = walked.scopes.iter().map(numbers).collect();
            assert_eq!(together, expected, "{script}");
        }
    }
}
