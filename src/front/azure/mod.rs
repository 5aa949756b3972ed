//! Azure Pipelines: jobs with the variables of three levels, a matrix, containers, and the templates that they are made of.
mod macros;
mod steps;
mod variables;

use super::document::{Assign, Document, Does, Scope, Statement, Unit, World};
use super::kind::{Kind, Role};
use super::{matrix, node};
use crate::span::Span;
use crate::text::template;
use crate::text::word::Word;
use crate::text::yaml::{self, Node};
pub use steps::TEMPLATE;
use steps::{Steps, conditional};
use variables::{set, variables, worlds};

/// The kind of Azure's files.
pub static KIND: Kind = Kind {
    name: "azure",
    role: Role::Service,
    is_at: |path| {
        let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
        let path = format!("/{path}");
        let places = ["azure-pipeline", "/.azure/", "/.azuredevops/", "/.azdo/"];
        is_yaml && places.iter().any(|place| path.contains(place))
    },
    is_in: |text| {
        let keys = ["steps:", "jobs:", "stages:", "variables:", "extends:"];
        text.lines()
            .any(|line| keys.iter().any(|key| line.starts_with(key)))
    },
    read: |source| read(source.text),
};

/// What the variables of a job stand under in expressions.
const VARIABLES: &str = "variables.";
/// Where the repository is, by the variables that scripts find.
const PLACES_OF_SCRIPTS: [&str; 3] = [
    "BUILD_SOURCESDIRECTORY",
    "SYSTEM_DEFAULTWORKINGDIRECTORY",
    "BUILD_REPOSITORY_LOCALPATH",
];
/// Stages, jobs and conditions stand in each other this deep.
const MAX_DEPTH: u32 = 16;

/// Reads a pipeline, or a template of one.
pub fn read(source: &str) -> Document {
    node::jobs(source, |root, document| {
        let mut file = File { root, document };
        file.jobs(root, &[root], MAX_DEPTH);
    })
}

/// Reads a template for who calls it: its jobs, or what it adds to a job, which then stands in a scope without a machine.
pub fn template(source: &str) -> Document {
    let yaml = yaml::parse(source);
    let Some(root) = yaml.documents.first() else {
        return Document::default();
    };
    if root.get("jobs").is_some() || root.get("stages").is_some() {
        return read(source);
    }
    let mut document = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    let variables = variables(&[root]);
    let mut statements = parameters(root);
    statements.extend(set(&variables, &[], root.span));
    if let Some(list) = root.get("steps") {
        let mut steps = Steps {
            windows: false,
            problems: &mut document.problems,
        };
        steps.list(list, &[], &mut statements);
    }
    document.scopes.push(Scope {
        title: "template".to_owned(),
        statements,
        ..Scope::default()
    });
    document
}

struct File<'y, 'd> {
    root: &'y Node,
    document: &'d mut Document,
}

impl<'y> File<'y, '_> {
    /// The jobs below a node; `levels` are those around it that have variables.
    fn jobs(&mut self, node: &'y Node, levels: &[&'y Node], depth: u32) {
        if depth == 0 {
            return;
        }
        if let Some(extends) = node.get("extends") {
            self.template(extends, levels);
        }
        for key in ["stages", "jobs"] {
            for item in node.get(key).map_or(&[][..], Node::items) {
                self.item(item, levels, depth - 1);
            }
        }
        if node.get("steps").is_some() {
            self.job("job", node, levels);
        }
    }

    /// A stage, a job, or what conditions hold of them.
    fn item(&mut self, item: &'y Node, levels: &[&'y Node], depth: u32) {
        if depth == 0 {
            return;
        }
        if let Some(entry) = conditional(item) {
            for inner in entry.value.items() {
                self.item(inner, levels, depth - 1);
            }
            return;
        }
        let with_own: Vec<&Node> = levels.iter().copied().chain([item]).collect();
        let name = ["job", "deployment"]
            .iter()
            .find_map(|key| item.get(key))
            .map(|name| name.text().unwrap_or("job"));
        if item.get("template").is_some() {
            self.template(item, levels);
        } else if let Some(name) = name {
            self.job(name, item, &with_own);
        } else if item.get("jobs").is_some() {
            self.jobs(item, &with_own, depth - 1);
        }
    }

    /// Jobs or stages of another file.
    fn template(&mut self, item: &'y Node, levels: &[&'y Node]) {
        let Some(path) = item.get("template").and_then(Node::scalar) else {
            return;
        };
        let span = item.span;
        let variables = variables(levels);
        let mut statements = vec![at(Does::Machine(Vec::new()), span)];
        statements.extend(parameters(self.root));
        statements.extend(set(&variables, &[], span));
        statements.push(at(steps::call(path, item), span));
        self.document.scopes.push(Scope {
            title: path.text().to_owned(),
            statements,
            ..Scope::default()
        });
    }

    /// A job: one scope, or two where some of its worlds are on Windows, with another shell.
    fn job(&mut self, name: &str, job: &'y Node, levels: &[&'y Node]) {
        let variables = variables(levels);
        let worlds = worlds(job);
        let labels = labels(job, self.root);
        // a label may be a variable's
        let all = |world: &World| -> Vec<Assign> {
            let of_levels = variables.iter().flat_map(|group| group.own.iter().cloned());
            world.values.iter().cloned().chain(of_levels).collect()
        };
        let (windows, others): (Vec<World>, Vec<World>) = match worlds.as_slice() {
            [] => {
                let only = World::default();
                let windows = matrix::is_windows(&labels, &all(&only));
                if windows {
                    (vec![only], vec![])
                } else {
                    (vec![], vec![only])
                }
            }
            _ => worlds
                .iter()
                .cloned()
                .partition(|world| matrix::is_windows(&labels, &all(world))),
        };
        for (mut here, windows) in [(others, false), (windows, true)] {
            if here.is_empty() {
                continue;
            }
            let span = job.span;
            let mut statements = vec![at(Does::Machine(labels.clone()), span)];
            statements.extend(parameters(self.root));
            statements.extend(set(&variables, &worlds, span));
            statements.extend(self.body(job, windows));
            here.retain(|world| !world.names.is_empty());
            self.document.scopes.push(Scope {
                title: name.to_owned(),
                alias: Some(name.to_owned()),
                statements,
                worlds: here,
            });
        }
    }

    /// The steps, in their container.
    fn body(&mut self, job: &'y Node, windows: bool) -> Vec<Statement> {
        let span = job.span;
        let lists: Vec<&Node> = match job.get("strategy") {
            Some(strategy) if job.get("steps").is_none() => deployed(strategy),
            _ => job.get("steps").into_iter().collect(),
        };
        let mut body = Vec::new();
        let checks_out = |list: &&Node| list.items().iter().any(|s| s.get("checkout").is_some());
        if !lists.iter().any(checks_out) {
            body.extend(node::checkout_named(&PLACES_OF_SCRIPTS, span));
        }
        let mut steps = Steps {
            windows,
            problems: &mut self.document.problems,
        };
        for list in lists {
            steps.list(list, &[], &mut body);
        }
        let Some(container) = job.get("container") else {
            return body;
        };
        // a name of the pipeline's own, an image, or a description of one
        let described = container.text().and_then(|name| {
            let all = self.root.get("resources")?.get("containers")?.items();
            all.iter()
                .find(|item| item.get("container").and_then(Node::text) == Some(name))
        });
        let container = described.unwrap_or(container);
        let image = container.get("image").unwrap_or(container);
        let options = container.get("options").and_then(Node::text);
        let gpus = options.is_some_and(|o| o.contains("--gpus") || o.contains("--runtime=nvidia"));
        if let Some(env) = container.get("env") {
            body.insert(0, at(steps::set(env), env.span));
        }
        let image = macros::word(image);
        vec![at(Does::Enter { image, gpus, body }, span)]
    }
}

fn at(action: Does, span: Span) -> Statement {
    Statement { action, span }
}

/// `parameters:` of a template or a pipeline, a list or a map of defaults.
fn parameters(root: &Node) -> Vec<Statement> {
    let Some(parameters) = root.get("parameters") else {
        return Vec::new();
    };
    let declare = |name: &str, default: Option<&Node>, span| {
        let default = default.and_then(Node::scalar).map(template::word);
        let name = format!("parameters.{name}");
        at(
            Does::Declare {
                name,
                default,
                span,
            },
            span,
        )
    };
    let of_list = parameters.items().iter().filter_map(|item| {
        let name = item.get("name")?.text()?;
        Some(declare(name, item.get("default"), item.span))
    });
    let of_map = parameters.entries().iter();
    let of_map = of_map.filter_map(|e| Some(declare(e.name()?, Some(&e.value), e.span)));
    of_list.chain(of_map).collect()
}

/// The steps of a deployment: `runOnce: deploy: steps:`.
fn deployed(strategy: &Node) -> Vec<&Node> {
    let kinds = strategy
        .entries()
        .iter()
        .flat_map(|kind| kind.value.entries());
    kinds.filter_map(|phase| phase.value.get("steps")).collect()
}

/// What tells the machine from others: its image, or the name of its pool.
fn labels(job: &Node, root: &Node) -> Vec<Word> {
    let Some(pool) = job.get("pool").or_else(|| root.get("pool")) else {
        return Vec::new();
    };
    let label = pool.get("vmImage").or_else(|| pool.get("name"));
    let label = label.or(pool.scalar().map(|_| pool));
    label.map(macros::word).into_iter().collect()
}
