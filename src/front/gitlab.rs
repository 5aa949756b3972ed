//! GitLab CI: jobs with what they extend, and `!reference`. A hidden job (`.name`) is only there for others.
use super::document::{Assign, Document, Does, Scope, Statement, Unit, World};
use super::kind::{Kind, Role};
use super::source::Source;
use super::{matrix, node};
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::Problem;
use crate::text::mapped::Mapped;
use crate::text::variables;
use crate::text::word::Word;
use crate::text::yaml::{self, Entry, Kind as Value, Node};
use elsa::FrozenVec;
use std::collections::BTreeSet;

/// The kind of GitLab's files.
pub static KIND: Kind = Kind {
    name: "gitlab",
    role: Role::Service,
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
/// More files are not included.
const MAX_INCLUDED: usize = 64;
/// `extends` and `!reference` are followed this deep, as GitLab does.
const MAX_DEPTH: usize = 11;

/// Reads a file of GitLab CI, and what belongs to its jobs of others: of those that it includes, and where it counts on more, of
/// those that are included beside it. What comes from them stands at the job that it is a part of, and jobs of theirs are left
/// to them.
pub fn read(source: &Source<'_>) -> Document {
    let yaml = yaml::parse(source.text);
    let mut document = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    let mut around = Around {
        open: source.open,
        seen: BTreeSet::from([source.path.to_owned()]),
        roots: Vec::new(),
    };
    around.included_by(&yaml.documents);
    if !knows_all(&yaml.documents, &around.roots) && source.path != PIPELINE {
        around.read(PIPELINE);
    }
    let own = yaml.documents.iter().cloned();
    let roots: Vec<Root> = around
        .roots
        .into_iter()
        .map(Root::Other)
        .chain(own.map(Root::Own))
        .collect();
    let left_out = left_out(&yaml.documents);
    let mut names = Vec::new();
    for entry in yaml.documents.iter().flat_map(Node::entries) {
        if let Some(name) = entry
            .name()
            .filter(|name| !name.starts_with('.') && !NO_JOBS.contains(name))
            && !entry.value.entries().is_empty()
        {
            names.push(entry.key.span);
            let file = File {
                roots: &roots,
                place: entry.key.span,
                left_out: &left_out,
                moved: FrozenVec::new(),
            };
            let scope = file.job(name, entry, &mut document.problems);
            document.scopes.push(scope);
        }
    }
    // what other files have wrong is said of them
    let is_own = |problem: &Problem| !names.iter().any(|name| name.contains(problem.span));
    document.problems.retain(is_own);
    node::document(source.text, &yaml, document)
}

/// The file that a pipeline begins with.
const PIPELINE: &str = ".gitlab-ci.yml";

/// Whether all that jobs extend is here.
fn knows_all(own: &[Node], others: &[Node]) -> bool {
    let jobs = own.iter().flat_map(Node::entries);
    let extended = jobs.filter_map(|job| job.value.get("extends"));
    let mut names = extended.flat_map(Node::one_or_many).filter_map(Node::text);
    names.all(|name| {
        own.iter()
            .chain(others)
            .any(|root| root.get(name).is_some())
    })
}

/// What documents include from other repositories and servers, or by patterns, in words.
fn left_out(documents: &[Node]) -> String {
    let includes = documents.iter().filter_map(|root| root.get("include"));
    let items = includes.flat_map(Node::one_or_many).filter_map(|item| {
        if let Some(path) = item.text() {
            return is_elsewhere(path).then(|| path.to_owned());
        }
        let kinds = ["project", "template", "remote", "component", "local"];
        kinds.iter().find_map(|kind| {
            let of = item.get(kind)?.text()?;
            (*kind != "local" || is_elsewhere(of)).then(|| format!("{kind} {of}"))
        })
    });
    let items: Vec<String> = items.collect();
    items.join(", ")
}

/// Whether the path of an included file names one outside of the repository, or more than one.
fn is_elsewhere(path: &str) -> bool {
    path.contains("://") || path.contains(['*', '$'])
}

/// The files around one.
struct Around<'s> {
    open: &'s dyn Fn(&str) -> Option<String>,
    seen: BTreeSet<String>,
    roots: Vec<Node>,
}

impl Around<'_> {
    fn included_by(&mut self, documents: &[Node]) {
        for include in documents.iter().filter_map(|root| root.get("include")) {
            for item in include.one_or_many() {
                let path = item.get("local").unwrap_or(item).text();
                if let Some(path) = path.filter(|path| !is_elsewhere(path)) {
                    self.read(path.trim_start_matches('/'));
                }
            }
        }
    }

    /// What a file and those that it includes hold, the included before it.
    fn read(&mut self, path: &str) {
        if self.seen.len() > MAX_INCLUDED || !self.seen.insert(path.to_owned()) {
            return;
        }
        if let Some(text) = (self.open)(path) {
            let mut yaml = yaml::parse(&text);
            self.included_by(&yaml.documents);
            self.roots.append(&mut yaml.documents);
        }
    }
}

/// A document.
enum Root {
    /// Of the file itself.
    Own(Node),
    /// Of a file around it.
    Other(Node),
}

/// The documents as one job sees them.
struct File<'y> {
    roots: &'y [Root],
    /// Where what other files hold stands: at the name of the job.
    place: Span,
    /// What is included from elsewhere, in words.
    left_out: &'y str,
    /// What was taken from them.
    moved: FrozenVec<Box<Node>>,
}

/// What a job is made of: what it extends, and itself at the end. A later layer wins.
type Layers<'y> = Vec<&'y Node>;

impl File<'_> {
    /// All that documents hold by a name at their top, the later over the earlier.
    fn all<'f>(&'f self, name: &str) -> impl DoubleEndedIterator<Item = &'f Entry> {
        self.roots.iter().filter_map(move |root| match root {
            Root::Own(root) => root.entry(name),
            Root::Other(root) => {
                let span = self.place;
                let found = root.entry(name)?;
                let entry = Entry {
                    key: found.key.moved(span),
                    value: found.value.moved(span),
                    span,
                };
                let kept = self.moved.push_get(Box::new(Node {
                    kind: Value::Map(vec![entry]),
                    span,
                    tag: None,
                }));
                kept.entries().first()
            }
        })
    }

    fn top<'f>(&'f self, name: &str) -> Option<&'f Node> {
        self.all(name).next_back().map(|entry| &entry.value)
    }

    fn layers<'f>(&'f self, node: &'f Node, seen: &mut BTreeSet<String>, layers: &mut Layers<'f>) {
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

    fn job(&self, name: &str, entry: &Entry, problems: &mut Vec<Problem>) -> Scope {
        let mut layers = Layers::new();
        self.layers(&entry.value, &mut BTreeSet::new(), &mut layers);
        let find = |key: &str| {
            let own = layers.iter().rev().find_map(|layer| layer.entry(key));
            own.or_else(|| self.top("default").and_then(|default| default.entry(key)))
                .or_else(|| {
                    let is_global = matches!(key, "image" | "before_script" | "after_script");
                    is_global.then(|| self.all(key).next_back())?
                })
        };
        let span = entry.span;
        let at = |action: Does| Statement { action, span };
        let tags = find("tags").map_or(&[][..], |tags| tags.value.one_or_many());
        let labels: Vec<Word> = tags
            .iter()
            .map(|tag| node::word(tag, variables::word))
            .collect();
        let windows = matrix::is_windows(&labels, &[]);
        let machine = Does::Machine(labels);
        let mut statements = vec![at(machine)];
        let worlds = worlds(find("parallel").map(|parallel| &parallel.value));
        let all = self
            .all("variables")
            .map(|entry| &entry.value)
            .chain(layers.iter().filter_map(|layer| layer.get("variables")));
        statements.extend(settings(all, &worlds));
        let mut body: Vec<Statement> = Vec::new();
        body.extend(self.unread(&layers));
        body.extend(node::checkout(span));
        let mut texts = Vec::new();
        for key in ["before_script", "script"] {
            if let Some(script) = find(key) {
                self.texts(&script.value, MAX_DEPTH, &mut texts);
            }
        }
        if let (Some(first), Some(last)) = (texts.first(), texts.last()) {
            let span = text_span(first).to(text_span(last));
            let shell = if windows { "pwsh" } else { "bash" };
            let action = node::run_in(shell, &node::lines(texts.iter().copied()), problems);
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

    /// What a job extends and nobody has read: it may set anything.
    fn unread(&self, layers: &Layers<'_>) -> Option<Statement> {
        let extends = layers.iter().filter_map(|layer| layer.entry("extends"));
        let mut names = extends.flat_map(|entry| {
            let names = entry.value.one_or_many().iter().filter_map(Node::text);
            names.map(|name| (name, entry.span))
        });
        let (name, span) = names.find(|(name, _)| self.top(name).is_none())?;
        let mut why =
            format!("{name}, which the job extends, is in none of the files that are read");
        if !self.left_out.is_empty() {
            why.push_str(&format!(
                "; what is included from elsewhere is not: {}",
                self.left_out
            ));
        }
        Some(Statement {
            action: Does::Unread(why),
            span,
        })
    }

    /// The lines of a script: lists may stand in lists, and `!reference [job, key]` stands for those of another job.
    fn texts<'f>(&'f self, node: &'f Node, depth: usize, texts: &mut Vec<&'f Mapped>) {
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

    fn reference<'f>(&'f self, node: &Node) -> Option<&'f Node> {
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
