//! Azure Pipelines: jobs with the variables of three levels, a matrix, containers, and the templates that they are made of.
mod macros;
mod steps;

use super::document::{Assign, Document, Does, Scope, Statement, Unit, World};
use super::kind::Kind;
use super::{matrix, node};
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::mapped::Mapped;
use crate::text::template;
use crate::text::word::{Part, Word};
use crate::text::yaml::{self, Node};
use macros::Names;
pub use steps::TEMPLATE;
use steps::{Steps, conditional};

/// The kind of Azure's files.
pub static KIND: Kind = Kind {
    name: "azure",
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
    read,
};

/// What the variables of a job stand under in expressions.
const VARIABLES: &str = "variables.";
/// Where the repository is, by the variables that name the place.
const PLACES: [&str; 3] = [
    "Build.SourcesDirectory",
    "System.DefaultWorkingDirectory",
    "Build.Repository.LocalPath",
];
/// Stages, jobs and conditions stand in each other this deep.
const MAX_DEPTH: u32 = 16;

/// Reads a pipeline, or a template of one.
pub fn read(source: &str) -> Document {
    let yaml = yaml::parse(source);
    let mut document = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    if let Some(root) = yaml.documents.first() {
        let mut file = File {
            source,
            root,
            document: &mut document,
        };
        file.jobs(root, &[root], MAX_DEPTH);
    }
    node::document(source, &yaml, document)
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
    let names = names(&variables, source);
    let mut statements = parameters(root);
    statements.extend(set(&variables, &[], &names, root.span));
    if let Some(list) = root.get("steps") {
        let mut steps = Steps {
            names: &names,
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
    source: &'y str,
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
        let names = names(&variables, self.source);
        let mut statements = vec![at(Does::Machine(Vec::new()), span)];
        statements.extend(parameters(self.root));
        statements.extend(set(&variables, &[], &names, span));
        let steps = Steps {
            names: &names,
            windows: false,
            problems: &mut self.document.problems,
        };
        statements.push(at(steps.template(path, item), span));
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
        let text = self.source.get(job.span.range()).unwrap_or_default();
        let mut names = names(&variables, text);
        let of_matrix = worlds.iter().flat_map(|world| &world.values);
        let of_matrix = of_matrix.filter_map(|value| value.name.strip_prefix(VARIABLES));
        names
            .declared
            .extend(of_matrix.map(str::to_ascii_lowercase));
        let labels = labels(job, self.root, &names);
        // a label may be a variable's
        let all = |world: &World| -> Vec<Assign> {
            let of_levels = variables.iter().map(|v| v.assign(&names));
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
            statements.extend(set(&variables, &worlds, &names, span));
            statements.extend(self.body(job, &names, windows));
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
    fn body(&mut self, job: &'y Node, names: &Names, windows: bool) -> Vec<Statement> {
        let span = job.span;
        let lists: Vec<&Node> = match job.get("strategy") {
            Some(strategy) if job.get("steps").is_none() => deployed(strategy),
            _ => job.get("steps").into_iter().collect(),
        };
        let mut body = Vec::new();
        let checks_out = |list: &&Node| list.items().iter().any(|s| s.get("checkout").is_some());
        if !lists.iter().any(checks_out) {
            body.extend(node::checkout(span));
        }
        let mut steps = Steps {
            names,
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
            let assigns = node::assigns(env, template::word);
            let action = Does::Set {
                assigns,
                how: SetHow::ConfigEnv,
            };
            body.insert(0, at(action, env.span));
        }
        let image = names.word(image);
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

/// A variable as one level has it.
struct Variable<'y> {
    name: &'y str,
    /// `None` where a condition decides what it is.
    value: Option<&'y Mapped>,
    span: Span,
}

impl Variable<'_> {
    fn assign(&self, names: &Names) -> Assign {
        Assign {
            name: format!("{VARIABLES}{}", self.name),
            value: match self.value {
                Some(text) => names.text(text),
                None => steps::unknown(self.name, self.span),
            },
            span: self.span,
        }
    }
}

/// The variables of all levels, the later over the earlier.
fn variables<'y>(levels: &[&'y Node]) -> Vec<Variable<'y>> {
    let mut all: Vec<Variable> = Vec::new();
    for level in levels.iter().filter_map(|level| level.get("variables")) {
        let mut own = Vec::new();
        collect(level, true, MAX_DEPTH, &mut own);
        for variable in own {
            all.retain(|known| !known.name.eq_ignore_ascii_case(variable.name));
            all.push(variable);
        }
    }
    all
}

fn collect<'y>(level: &'y Node, sure: bool, depth: u32, all: &mut Vec<Variable<'y>>) {
    if depth == 0 {
        return;
    }
    let mut add = |name: Option<&'y str>, value: Option<&'y Mapped>, span| {
        all.extend(name.map(|name| Variable {
            name,
            value: value.filter(|_| sure),
            span,
        }));
    };
    let mut inner = Vec::new();
    for entry in level.entries() {
        match entry.name() {
            Some(name) if name.starts_with("${{") => inner.push(&entry.value),
            name => add(name, entry.value.scalar(), entry.span),
        }
    }
    for item in level.items() {
        match conditional(item) {
            Some(entry) => inner.push(&entry.value),
            None => {
                let name = item.get("name").and_then(Node::text);
                add(name, item.get("value").and_then(Node::scalar), item.span);
            }
        }
    }
    for level in inner {
        collect(level, false, depth - 1, all);
    }
}

fn names(variables: &[Variable<'_>], text: &str) -> Names {
    Names {
        declared: variables
            .iter()
            .map(|variable| variable.name.to_ascii_lowercase())
            .collect(),
        left: macros::names_left(text),
    }
}

/// What expressions find, and then the same in the environment. A matrix wins over all levels.
fn set(variables: &[Variable<'_>], worlds: &[World], names: &Names, span: Span) -> Vec<Statement> {
    let place = Span::new(span.start as usize, span.start as usize);
    let places = PLACES.map(|name| Assign {
        name: format!("{VARIABLES}{name}"),
        value: node::literal(node::REPOSITORY, place),
        span: place,
    });
    let mut of_matrix: Vec<&Assign> = worlds.iter().flat_map(|world| &world.values).collect();
    of_matrix.sort_by(|a, b| a.name.cmp(&b.name));
    of_matrix.dedup_by(|a, b| a.name == b.name);
    let all: Vec<Assign> = variables
        .iter()
        .map(|variable| variable.assign(names))
        .filter(|assign| {
            !of_matrix
                .iter()
                .any(|other| other.name.eq_ignore_ascii_case(&assign.name))
        })
        .collect();
    let in_environment = |assign: &Assign| {
        let name = assign.name.strip_prefix(VARIABLES).unwrap_or(&assign.name);
        Assign {
            name: macros::in_environment(name),
            ..matrix::variable(assign)
        }
    };
    let environment = all.iter().chain(of_matrix).map(in_environment).collect();
    let environment = Does::Set {
        assigns: environment,
        how: SetHow::ConfigEnv,
    };
    let mut actions = vec![Does::Context(places.into())];
    actions.extend(node::rounds(all, counts_on).into_iter().map(Does::Context));
    actions.push(environment);
    actions.into_iter().map(|action| at(action, span)).collect()
}

/// The variables that one counts on, as they are declared in the same round of settings.
fn counts_on(assign: &Assign) -> Vec<String> {
    let expressions = assign.value.parts.iter().filter_map(|part| match part {
        Part::Opaque { text, .. } => text.strip_prefix("${{"),
        _ => None,
    });
    let names = expressions.map(|text| text.trim_end_matches('}').trim());
    names.map(str::to_owned).collect()
}

/// `strategy: matrix:`, a row for each name; one that is computed has none.
fn worlds(job: &Node) -> Vec<World> {
    let rows = job
        .get("strategy")
        .and_then(|strategy| strategy.get("matrix"));
    let rows = rows.map_or(&[][..], Node::entries);
    let rows = rows
        .iter()
        .filter(|row| row.name().is_some_and(|name| !name.starts_with("${{")));
    let world = |row: &yaml::Entry| {
        let mut world = World::default();
        for entry in row.value.entries() {
            let (Some(name), Some(value)) = (entry.name(), entry.value.scalar()) else {
                continue;
            };
            world.names.push((name.to_owned(), value.text().to_owned()));
            world.values.push(Assign {
                name: format!("{VARIABLES}{name}"),
                value: Names::default().text(value),
                span: entry.span,
            });
        }
        world
    };
    rows.map(world).collect()
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
fn labels(job: &Node, root: &Node, names: &Names) -> Vec<Word> {
    let Some(pool) = job.get("pool").or_else(|| root.get("pool")) else {
        return Vec::new();
    };
    let label = pool.get("vmImage").or_else(|| pool.get("name"));
    let label = label.or(pool.scalar().map(|_| pool));
    label.map(|label| names.word(label)).into_iter().collect()
}
