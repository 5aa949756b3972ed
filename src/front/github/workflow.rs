//! Workflows: `.github/workflows/*.yml`.
use super::step::{self, Defaults, System, WORKSPACE};
use super::{matrix, word};
use crate::front::document::{Document, Does, Scope, Statement, World};
use crate::front::kind::{Kind, Role};
use crate::front::matrix::{Windows, is_windows};
use crate::front::node;
use crate::text::Problem;
use crate::text::word::Word;
use crate::text::yaml::{Entry, Node};

/// Workflows.
pub static KIND: Kind = Kind {
    name: "workflow",
    role: Role::Service,
    is_at: |path| {
        let path = format!("/{path}");
        let folders = [
            "/.github/workflows/",
            "/.gitea/workflows/",
            "/.forgejo/workflows/",
        ];
        let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
        is_yaml && folders.iter().any(|folder| path.contains(folder))
    },
    is_in: |_| true,
    read: |source| read(source.text),
};

/// Reads a workflow.
pub fn read(source: &str) -> Document {
    node::jobs(source, |root, document| {
        let workflow = Workflow::new(root);
        for entry in root.get("jobs").map(Node::entries).unwrap_or_default() {
            let scopes = workflow.job(entry, &mut document.problems);
            document.scopes.extend(scopes);
        }
    })
}

/// What the jobs of a workflow share.
struct Workflow<'y> {
    root: &'y Node,
    inputs: Vec<Statement>,
}

impl<'y> Workflow<'y> {
    fn new(root: &'y Node) -> Self {
        let triggers = root.get("on");
        let mut inputs = Vec::new();
        for trigger in ["workflow_dispatch", "workflow_call"] {
            let declared = triggers
                .and_then(|on| on.get(trigger))
                .and_then(|trigger| trigger.get("inputs"));
            inputs.extend(declared.into_iter().flat_map(declares));
        }
        Self { root, inputs }
    }

    /// A job: one scope, or two where some of its worlds are on Windows, with another shell.
    fn job(&self, entry: &Entry, problems: &mut Vec<Problem>) -> Vec<Scope> {
        let Some(name) = entry.name() else {
            return Vec::new();
        };
        let job = &entry.value;
        let rows = job
            .get("strategy")
            .and_then(|strategy| strategy.get("matrix"))
            .map(matrix::read)
            .unwrap_or_default();
        let labels = labels(job);
        let (windows, others): (Vec<World>, Vec<World>) = rows
            .worlds
            .into_iter()
            .partition(|world| is_windows(&labels, &world.values));
        // without rows there is one scope
        let no_rows = windows.is_empty() && others.is_empty();
        let machines = Windows::of(&labels, &rows.written);
        let mixed = match no_rows {
            true => machines == Windows::Some,
            false => !windows.is_empty() && !others.is_empty(),
        };
        let mut scopes = Vec::new();
        for (worlds, windows) in [(others, false), (windows, true)] {
            let only = no_rows && !windows;
            if worlds.is_empty() && !only {
                continue;
            }
            let system = System {
                windows: windows || (only && machines == Windows::All),
                mixed,
            };
            let mut statements = self.start(entry, &labels);
            statements.extend(rows.context.iter().cloned().map(|action| Statement {
                action,
                span: entry.key.span,
            }));
            statements.extend(self.body(entry, system, problems));
            scopes.push(Scope {
                title: name.to_owned(),
                alias: Some(name.to_owned()),
                statements,
                worlds,
            });
        }
        scopes
    }

    /// The machine, and what expressions find.
    fn start(&self, entry: &Entry, labels: &[Word]) -> Vec<Statement> {
        let span = entry.key.span;
        // `runs-on` may be an input
        let mut statements = self.inputs.clone();
        statements.push(Statement {
            action: Does::Machine(labels.to_vec()),
            span,
        });
        statements.push(step::files(span));
        statements.push(step::places(span));
        statements.push(Statement {
            action: Does::Chdir(Word::of_text(WORKSPACE, span)),
            span,
        });
        statements
    }

    /// The environment, the container, the steps.
    fn body(&self, entry: &Entry, system: System, problems: &mut Vec<Problem>) -> Vec<Statement> {
        let (job, span) = (&entry.value, entry.key.span);
        let mut statements: Vec<Statement> = Vec::new();
        statements.extend(step::env(self.root));
        statements.extend(step::env(job));
        statements.extend(step::gate(job).map(|action| Statement { action, span }));
        let mut body = Vec::new();
        if let Some(uses) = job.get("uses") {
            let action = Does::Call {
                target: word(uses),
                inputs: step::inputs(job),
            };
            body.push(Statement {
                action,
                span: uses.span,
            });
        }
        fn run(node: &Node) -> Option<&Node> {
            node.get("defaults")
                .and_then(|defaults| defaults.get("run"))
        }
        let defaults = Defaults {
            workflow: run(self.root),
            job: run(job),
            system,
        };
        let steps = job.get("steps").map(Node::items).unwrap_or_default();
        body.extend(
            steps
                .iter()
                .map(|node| step::step(node, &defaults, problems)),
        );
        match container(job) {
            Some((image, gpus, env)) => {
                body.splice(0..0, env);
                let action = Does::Enter { image, gpus, body };
                statements.push(Statement { action, span });
            }
            None => statements.append(&mut body),
        }
        statements
    }
}

/// `inputs:` of a trigger or an action.
pub(super) fn declares(inputs: &Node) -> impl Iterator<Item = Statement> {
    inputs.entries().iter().filter_map(|entry| {
        let name = entry.name()?;
        let default = entry.value.get("default").filter(|node| !node.is_null());
        Some(Statement {
            action: Does::Declare {
                name: format!("inputs.{name}"),
                default: default.map(word),
                span: entry.span,
            },
            span: entry.span,
        })
    })
}

/// `runs-on`: a label, a list of them, or a group with labels.
fn labels(job: &Node) -> Vec<Word> {
    let Some(runs_on) = job.get("runs-on") else {
        return Vec::new();
    };
    let nodes = match runs_on.get("labels") {
        Some(labels) => labels.one_or_many(),
        None => runs_on.one_or_many(),
    };
    nodes.iter().map(word).collect()
}

/// The job's container: its image, whether it has the GPUs, and its environment.
fn container(job: &Node) -> Option<(Word, bool, Option<Statement>)> {
    let container = job.get("container")?;
    if container.text().is_some() {
        return Some((word(container), false, None));
    }
    let options = container
        .get("options")
        .and_then(Node::text)
        .unwrap_or_default();
    let gpus = options.contains("--gpus") || options.contains("--runtime=nvidia");
    Some((word(container.get("image")?), gpus, step::env(container)))
}
