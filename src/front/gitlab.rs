//! GitLab CI: jobs with what they extend, and `!reference`. A hidden job (`.name`) is only there for others. What an included file
//! holds is not in the document.
use super::document::{Assign, Document, Does, Scope, Statement, Unit, World};
use super::kind::Kind;
use super::{matrix, node};
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::Problem;
use crate::text::mapped::Mapped;
use crate::text::variables;
use crate::text::yaml::{self, Entry, Kind as Value, Node};
use std::collections::BTreeSet;

/// The kind of GitLab's files.
pub static KIND: Kind = Kind {
    name: "gitlab",
    is_at: |path| {
        let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
        is_yaml
            && (path.contains(".gitlab-ci")
                || path.starts_with(".gitlab/")
                || path.contains("gitlab-ci/"))
    },
    is_in: |_| true,
    read,
};

/// Keys at the top that are no jobs.
const NO_JOBS: [&str; 14] = [
    "default",
    "include",
    "stages",
    "variables",
    "workflow",
    "image",
    "services",
    "cache",
    "before_script",
    "after_script",
    "types",
    "spec",
    "stage",
    "component",
];
/// `extends` and `!reference` are followed this deep, as GitLab does.
const MAX_DEPTH: usize = 11;

/// Reads a file of GitLab CI.
pub fn read(source: &str) -> Document {
    let yaml = yaml::parse(source);
    let mut document = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    let file = File {
        roots: &yaml.documents,
    };
    for entry in yaml.documents.iter().flat_map(Node::entries) {
        if let Some(name) = entry
            .name()
            .filter(|name| !name.starts_with('.') && !NO_JOBS.contains(name))
            && !entry.value.entries().is_empty()
        {
            document
                .scopes
                .push(file.job(name, entry, &mut document.problems));
        }
    }
    node::document(source, &yaml, document)
}

struct File<'y> {
    roots: &'y [Node],
}

/// What a job is made of: what it extends, and itself at the end. A later layer wins.
type Layers<'y> = Vec<&'y Node>;

impl<'y> File<'y> {
    fn top(&self, name: &str) -> Option<&'y Node> {
        self.roots.iter().rev().find_map(|root| root.get(name))
    }

    fn layers(&self, node: &'y Node, seen: &mut BTreeSet<String>, layers: &mut Layers<'y>) {
        if seen.len() < MAX_DEPTH * MAX_DEPTH {
            for parent in node
                .get("extends")
                .map_or(&[][..], Node::one_or_many)
                .iter()
                .filter_map(Node::text)
            {
                if seen.insert(parent.to_owned())
                    && let Some(node) = self.top(parent)
                {
                    self.layers(node, seen, layers);
                }
            }
        }
        layers.push(node);
    }

    fn job(&self, name: &str, entry: &'y Entry, problems: &mut Vec<Problem>) -> Scope {
        let mut layers = Layers::new();
        self.layers(&entry.value, &mut BTreeSet::new(), &mut layers);
        let find = |key: &str| {
            let own = layers.iter().rev().find_map(|layer| layer.entry(key));
            own.or_else(|| self.top("default").and_then(|default| default.entry(key)))
                .or_else(|| {
                    self.roots.iter().rev().find_map(|root| {
                        root.entry(key)
                            .filter(|_| matches!(key, "image" | "before_script" | "after_script"))
                    })
                })
        };
        let span = entry.span;
        let at = |action: Does| Statement { action, span };
        let tags = find("tags").map_or(&[][..], |tags| tags.value.one_or_many());
        let machine = Does::Machine(
            tags.iter()
                .map(|tag| node::word(tag, variables::word))
                .collect(),
        );
        let mut statements = vec![at(machine)];
        let worlds = worlds(find("parallel").map(|parallel| &parallel.value));
        let all = self
            .top("variables")
            .into_iter()
            .chain(layers.iter().filter_map(|layer| layer.get("variables")));
        statements.extend(settings(all, &worlds));
        let mut body: Vec<Statement> = node::checkout(span).into();
        let mut texts = Vec::new();
        for key in ["before_script", "script"] {
            if let Some(script) = find(key) {
                self.texts(&script.value, MAX_DEPTH, &mut texts);
            }
        }
        if let (Some(first), Some(last)) = (texts.first(), texts.last()) {
            let span = text_span(first).to(text_span(last));
            let action = node::run(&node::lines(texts.iter().copied()), problems);
            body.push(Statement { action, span });
        }
        let image = find("image").map(|image| image.value.get("name").unwrap_or(&image.value));
        match image.filter(|image| image.scalar().is_some()) {
            Some(image) => statements.push(at(Does::Enter {
                image: node::word(image, variables::word),
                gpus: true,
                body,
            })),
            None => statements.extend(body),
        }
        Scope {
            title: name.to_owned(),
            alias: Some(name.to_owned()),
            statements,
            worlds,
        }
    }

    /// The lines of a script: lists may stand in lists, and `!reference [job, key]` stands for those of another job.
    fn texts(&self, node: &'y Node, depth: usize, texts: &mut Vec<&'y Mapped>) {
        if depth == 0 {
            return;
        }
        if node.tag.as_deref() == Some("!reference") {
            if let Some(target) = self.reference(node) {
                self.texts(target, depth - 1, texts);
            }
            return;
        }
        match &node.kind {
            Value::Scalar(scalar) => texts.push(&scalar.text),
            Value::List(items) => items
                .iter()
                .for_each(|item| self.texts(item, depth - 1, texts)),
            _ => {}
        }
    }

    fn reference(&self, node: &Node) -> Option<&'y Node> {
        let mut path = node.items().iter().map(Node::text);
        let mut at = self.top(path.next()??)?;
        let mut layers = Layers::new();
        self.layers(at, &mut BTreeSet::new(), &mut layers);
        let key = path.next()??;
        at = layers.iter().rev().find_map(|layer| layer.get(key))?;
        path.try_fold(at, |at, key| at.get(key?))
    }
}

fn text_span(text: &Mapped) -> Span {
    text.span(0, text.text().trim_end().len())
}

/// The variables of all levels, the later over the earlier; each after those that it counts on, and those of the matrix last.
fn settings<'y>(levels: impl Iterator<Item = &'y Node>, worlds: &[World]) -> Vec<Statement> {
    let mut pending: Vec<Assign> = Vec::new();
    for entry in levels.flat_map(Node::entries) {
        let value = entry.value.get("value").unwrap_or(&entry.value);
        if let (Some(name), Some(text)) = (entry.name(), value.scalar()) {
            pending.push(Assign {
                name: name.to_owned(),
                value: variables::word(text),
                span: entry.span,
            });
        }
    }
    let pending = node::last_wins(pending, str::to_owned);
    let rounds = node::rounds(pending, |assign| {
        let names = variables::names(&assign.value).into_iter();
        names.map(str::to_owned).collect()
    });
    let mut statements: Vec<Statement> = rounds.into_iter().map(set).collect();
    let mut of_matrix: Vec<Assign> = worlds
        .iter()
        .flat_map(|world| &world.values)
        .map(matrix::variable)
        .collect();
    of_matrix.sort_by(|a, b| a.name.cmp(&b.name));
    of_matrix.dedup_by(|a, b| a.name == b.name);
    if !of_matrix.is_empty() {
        statements.push(set(of_matrix));
    }
    statements
}

fn set(assigns: Vec<Assign>) -> Statement {
    let span = assigns
        .first()
        .map_or_else(Span::default, |assign| assign.span);
    Statement {
        action: Does::Set {
            assigns,
            how: SetHow::ConfigEnv,
        },
        span,
    }
}

/// `parallel: matrix:`, each item a grid of its own.
fn worlds(parallel: Option<&Node>) -> Vec<World> {
    let items = parallel.and_then(|parallel| parallel.get("matrix"));
    let items = items.map_or(&[][..], Node::items);
    let grids = items.iter().map(|item| {
        let axes = item.entries().iter();
        axes.filter_map(|axis| Some((axis.name()?, axis.value.one_or_many())))
            .collect::<Vec<_>>()
    });
    matrix::worlds(grids, variables::word)
}
