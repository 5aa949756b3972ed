//! CircleCI: jobs with their executors, parameters and commands. A job that a workflow runs with parameters is a world for each
//! time; orbs are not known.
use super::document::{Assign, Document, Does, Scope, Statement, World};
use super::kind::{Kind, Role};
use super::{matrix, node};
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::Problem;
use crate::text::mapped::Mapped;
use crate::text::template;
use crate::text::word::Word;
use crate::text::yaml::{Entry, Node};

/// The kind of CircleCI's files.
pub static KIND: Kind = Kind {
    name: "circleci",
    role: Role::Service,
    is_at: |path| {
        (path.starts_with(".circleci/") || path.contains("/.circleci/"))
            && (path.ends_with(".yml") || path.ends_with(".yaml"))
    },
    is_in: |_| true,
    read: |source| read(source.text),
};

/// Commands call each other this deep.
const MAX_DEPTH: usize = 8;
/// More worlds than this are not told apart.
const MAX_WORLDS: usize = 64;
/// What every shell of a job reads first.
const SHELL_ENV: &str = "/.job/bash_env";

/// Reads a file of CircleCI.
pub fn read(source: &str) -> Document {
    node::jobs(source, |root, document| {
        let file = File {
            root,
            writes_shell_env: source.contains("BASH_ENV"),
        };
        for entry in root.get("jobs").map_or(&[][..], Node::entries) {
            document
                .scopes
                .extend(file.job(entry, &mut document.problems));
        }
    })
}

struct File<'y> {
    root: &'y Node,
    /// Some step leaves settings for later ones in the file that `BASH_ENV` names.
    writes_shell_env: bool,
}

/// Where a step stands.
#[derive(Clone, Copy)]
struct Place<'y> {
    /// The directory that steps start in.
    directory: Option<&'y Node>,
    depth: usize,
}

impl<'y> File<'y> {
    fn job(&self, entry: &'y Entry, problems: &mut Vec<Problem>) -> Option<Scope> {
        let name = entry.name()?;
        let job = &entry.value;
        let at = |action: Does| Statement {
            action,
            span: entry.span,
        };
        let executor = self.executor(job);
        let machine = executor
            .and_then(|executor| executor.get("machine"))
            .or_else(|| job.get("machine"));
        let get = |key: &str| {
            job.get(key)
                .or_else(|| executor.and_then(|executor| executor.get(key)))
        };
        let mut statements = vec![at(Does::Machine(labels(
            machine,
            get("resource_class"),
            get("macos"),
        )))];
        statements.extend(
            self.root
                .get("parameters")
                .map(|parameters| at(defaults(parameters, "pipeline.parameters"))),
        );
        let worlds = self.worlds(name);
        if let Some(parameters) = job.get("parameters").filter(|_| worlds.is_empty()) {
            statements.push(at(defaults(parameters, "parameters")));
        }
        let place = Place {
            directory: get("working_directory"),
            depth: 0,
        };
        let mut body = Vec::new();
        for environment in [
            executor.and_then(|executor| executor.get("environment")),
            job.get("environment"),
        ]
        .into_iter()
        .flatten()
        {
            body.push(set(environment));
        }
        if self.writes_shell_env {
            let shell_env = Assign {
                name: "BASH_ENV".to_owned(),
                value: Word::of_text(SHELL_ENV, entry.key.span),
                span: entry.key.span,
            };
            body.push(at(Does::Set {
                assigns: vec![shell_env],
                how: SetHow::ConfigEnv,
            }));
            body.push(at(node::run(
                &Mapped::verbatim("echo > $BASH_ENV", entry.key.span.start),
                &mut Vec::new(),
            )));
        }
        self.steps(job.get("steps"), place, &mut body, problems);
        match get("docker").and_then(|images| images.items().first()) {
            Some(image) => {
                if let Some(environment) = image.get("environment") {
                    body.insert(0, set(environment));
                }
                statements.push(at(Does::Enter {
                    image: word(image.get("image").unwrap_or(image)),
                    gpus: true,
                    body,
                }));
            }
            None => statements.append(&mut body),
        }
        Some(Scope {
            title: name.to_owned(),
            alias: Some(name.to_owned()),
            statements,
            worlds,
        })
    }

    fn executor(&self, job: &'y Node) -> Option<&'y Node> {
        let executor = job.get("executor")?;
        let name = executor
            .text()
            .or_else(|| executor.get("name").and_then(Node::text))?;
        self.root.get("executors")?.get(name)
    }

    /// The ways in which workflows run a job.
    fn worlds(&self, job: &str) -> Vec<World> {
        let workflows = self.root.get("workflows").map_or(&[][..], Node::entries);
        let runs = workflows
            .iter()
            .filter_map(|workflow| workflow.value.get("jobs"))
            .flat_map(Node::items);
        let runs: Vec<&Node> = runs.filter_map(|run| run.get(job)).collect();
        let declared = self
            .root
            .get("jobs")
            .and_then(|jobs| jobs.get(job)?.get("parameters"))
            .map_or(&[][..], Node::entries);
        let mut worlds = Vec::new();
        if declared.is_empty() {
            return worlds;
        }
        for run in runs {
            let given = |name: &str| {
                run.get(name).or_else(|| {
                    declared
                        .iter()
                        .find(|entry| entry.name() == Some(name))?
                        .value
                        .get("default")
                })
            };
            let axes = run
                .get("matrix")
                .and_then(|matrix| matrix.get("parameters"))
                .map_or(&[][..], Node::entries);
            let mut grown = vec![World::default()];
            for name in declared.iter().filter_map(Entry::name) {
                let axis = axes.iter().find(|axis| axis.name() == Some(name));
                let values = match axis {
                    Some(axis) => axis.value.one_or_many(),
                    None => given(name).map_or(&[][..], std::slice::from_ref),
                };
                if values.is_empty() {
                    continue;
                }
                if grown.len() * values.len() + worlds.len() > MAX_WORLDS {
                    return Vec::new();
                }
                grown = grown
                    .iter()
                    .flat_map(|world| {
                        values
                            .iter()
                            .map(move |value| matrix::with(world, name, value, text))
                    })
                    .collect();
            }
            worlds.append(&mut grown);
        }
        for value in worlds.iter_mut().flat_map(|world| &mut world.values) {
            value.name = value.name.replace("matrix.", "parameters.");
        }
        worlds
    }

    fn steps(
        &self,
        steps: Option<&'y Node>,
        place: Place<'y>,
        body: &mut Vec<Statement>,
        problems: &mut Vec<Problem>,
    ) {
        for step in steps.map_or(&[][..], Node::items) {
            if step.text() == Some("checkout") {
                body.extend(node::checkout_named(
                    &["CIRCLE_WORKING_DIRECTORY"],
                    step.span,
                ));
            } else if let Some(name) = step.text() {
                self.command(name, None, step.span, place, body, problems);
            }
            for entry in step.entries() {
                match entry.name() {
                    Some("run") => body.push(self.run(&entry.value, step.span, place, problems)),
                    Some(kind @ ("when" | "unless")) => {
                        let mut inner = vec![Statement {
                            action: Does::Gate(condition(
                                entry.value.get("condition"),
                                kind == "unless",
                                entry.span,
                            )),
                            span: entry.span,
                        }];
                        self.steps(entry.value.get("steps"), place, &mut inner, problems);
                        body.push(block(inner, step.span));
                    }
                    Some("checkout") => body.extend(node::checkout_named(
                        &["CIRCLE_WORKING_DIRECTORY"],
                        step.span,
                    )),
                    Some(name) => {
                        self.command(name, Some(&entry.value), step.span, place, body, problems)
                    }
                    None => {}
                }
            }
        }
    }

    /// A command of this file in place; of an orb nothing is known.
    fn command(
        &self,
        name: &str,
        given: Option<&'y Node>,
        span: Span,
        place: Place<'y>,
        body: &mut Vec<Statement>,
        problems: &mut Vec<Problem>,
    ) {
        let Some(command) = self
            .root
            .get("commands")
            .and_then(|commands| commands.get(name))
        else {
            return;
        };
        if place.depth >= MAX_DEPTH {
            return;
        }
        let mut inner = Vec::new();
        if let Some(parameters) = command.get("parameters") {
            inner.push(Statement {
                action: defaults(parameters, "parameters"),
                span,
            });
        }
        if let Some(given) = given {
            let given = given
                .entries()
                .iter()
                .filter_map(|entry| node::assign(entry, text));
            let given = given.map(|assign| Assign {
                name: format!("parameters.{}", assign.name),
                ..assign
            });
            inner.push(Statement {
                action: Does::Context(given.collect()),
                span,
            });
        }
        let place = Place {
            depth: place.depth + 1,
            ..place
        };
        self.steps(command.get("steps"), place, &mut inner, problems);
        body.push(block(inner, span));
    }

    fn run(
        &self,
        run: &Node,
        span: Span,
        place: Place<'_>,
        problems: &mut Vec<Problem>,
    ) -> Statement {
        let command = run.get("command").unwrap_or(run);
        let mut inner = Vec::new();
        if let Some(environment) = run.get("environment") {
            inner.push(set(environment));
        }
        if let Some(directory) = run.get("working_directory").or(place.directory) {
            inner.push(Statement {
                action: Does::Chdir(word(directory)),
                span,
            });
        }
        let shell = run.get("shell").and_then(Node::text).unwrap_or_default();
        if let Some(command) = command.scalar() {
            let action = if shell.contains("powershell")
                || shell.contains("cmd")
                || shell.contains("python")
            {
                Does::Foreign(shell.to_owned())
            } else {
                let command = parameters(command);
                let begin = Mapped::verbatim(". $BASH_ENV", command.origin(0));
                let texts = [&begin, &command];
                node::run(
                    &node::lines(texts.into_iter().skip(usize::from(!self.writes_shell_env))),
                    problems,
                )
            };
            inner.push(Statement { action, span });
        }
        block(inner, span)
    }
}

fn block(body: Vec<Statement>, span: Span) -> Statement {
    Statement {
        action: Does::Block { id: None, body },
        span,
    }
}

fn set(environment: &Node) -> Statement {
    Statement {
        action: Does::Set {
            assigns: node::assigns(environment, text),
            how: SetHow::ConfigEnv,
        },
        span: environment.span,
    }
}

/// What tells a machine with a GPU from others; containers run on machines without one.
fn labels(machine: Option<&Node>, class: Option<&Node>, macos: Option<&Node>) -> Vec<Word> {
    if let Some(macos) = macos {
        return vec![Word::of_text("macos-latest", macos.span)];
    }
    let image = machine.map(|machine| machine.get("image").unwrap_or(machine));
    let labels: Vec<&Node> = [image, class]
        .into_iter()
        .flatten()
        .filter(|node| node.scalar().is_some())
        .collect();
    let is_gpu = labels
        .iter()
        .filter_map(|node| node.text())
        .any(|text| text.contains("gpu") || text.contains("cuda"));
    // a machine of its own, or a part of one that CircleCI hosts
    if labels
        .iter()
        .filter_map(|node| node.text())
        .any(|text| text.contains('/'))
        || is_gpu
    {
        return labels.into_iter().map(word).collect();
    }
    vec![Word::of_text(
        "ubuntu-latest",
        image.or(class).map_or_else(Span::default, |node| node.span),
    )]
}

/// The defaults of parameters, as expressions find them.
fn defaults(parameters: &Node, context: &str) -> Does {
    let defaults = parameters.entries().iter().filter_map(|entry| {
        let default = entry.value.get("default")?;
        Some(Assign {
            name: format!("{context}.{}", entry.name()?),
            value: word(default),
            span: entry.span,
        })
    });
    Does::Context(defaults.collect())
}

/// A condition: a parameter, or two values that must be equal; of anything else nothing is known.
fn condition(node: Option<&Node>, negated: bool, span: Span) -> Word {
    let operand = |node: &Node| {
        let text = node.scalar().map(parameters)?;
        let inner = text
            .text()
            .strip_prefix("${{")
            .and_then(|inner| inner.strip_suffix("}}"));
        Some(inner.map_or_else(
            || format!("'{}'", text.text().replace('\'', "''")),
            str::to_owned,
        ))
    };
    let equal = node.and_then(|node| node.get("equal")).map(Node::items);
    let text = match equal {
        Some([left, right]) => operand(left)
            .zip(operand(right))
            .map(|(left, right)| format!("{left} == {right}")),
        _ => node.and_then(operand),
    };
    let text = text.unwrap_or_else(|| "pipeline.condition".to_owned());
    let text = if negated {
        format!("${{{{ !({text}) }}}}")
    } else {
        format!("${{{{ {text} }}}}")
    };
    template::word(&Mapped::verbatim(&text, span.start))
}

fn word(node: &Node) -> Word {
    node::word(node, text)
}

fn text(text: &Mapped) -> Word {
    template::word(&parameters(text))
}

/// `<< parameters.x >>` in the form that expressions have everywhere else.
fn parameters(text: &Mapped) -> Mapped {
    template::filled(text, "<<", ">>", |inner| {
        is_path(inner).then(|| inner.trim().to_owned())
    })
}

/// `parameters.cuda`, `pipeline.git.branch`: what stands between `<<` and `>>`, and in no heredoc.
fn is_path(inner: &str) -> bool {
    let path = inner.trim();
    path.contains('.')
        && path
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}
