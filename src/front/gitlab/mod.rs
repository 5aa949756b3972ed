//! GitLab CI: jobs with what they extend, and `!reference`. A hidden job (`.name`) is only there for others.
mod around;
mod file;

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
use crate::text::yaml::{self, Entry, Node};
use file::{File, Root};

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
/// Reads a file of GitLab CI, and what belongs to its jobs of others: of those that it includes, and where it counts on more, of
/// those that are included beside it. What comes from them stands at the job that it is a part of, and jobs of theirs are left
/// to them.
pub fn read(source: &Source<'_>) -> Document {
    let yaml = yaml::parse(source.text);
    let mut document = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    let own = yaml.documents.iter().cloned();
    let roots: Vec<Root> = around::of(source, &yaml.documents)
        .into_iter()
        .map(Root::Other)
        .chain(own.map(Root::Own))
        .collect();
    let left_out = around::left_out(&yaml.documents);
    let mut names = Vec::new();
    for entry in yaml.documents.iter().flat_map(Node::entries) {
        if let Some(name) = entry
            .name()
            .filter(|name| !name.starts_with('.') && !NO_JOBS.contains(name))
            && !entry.value.entries().is_empty()
        {
            names.push(entry.key.span);
            let file = File::new(&roots, entry.key.span, &left_out);
            let scope = file.job(name, entry, &mut document.problems);
            document.scopes.push(scope);
        }
    }
    // what other files have wrong is said of them
    let is_own = |problem: &Problem| !names.iter().any(|name| name.contains(problem.span));
    document.problems.retain(is_own);
    node::document(source.text, &yaml, document)
}

impl File<'_> {
    fn job(&self, name: &str, entry: &Entry, problems: &mut Vec<Problem>) -> Scope {
        let layers = self.layers_of(&entry.value);
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
        let value = |key: &str| self.followed(&find(key)?.value);
        let tags = value("tags").map_or(&[][..], Node::one_or_many);
        let labels: Vec<Word> = tags
            .iter()
            .map(|tag| node::word(tag, variables::word))
            .collect();
        let windows = matrix::is_windows(&labels, &[]);
        let machine = Does::Machine(labels);
        let mut statements = vec![at(machine)];
        let worlds = worlds(value("parallel"));
        let all = self
            .all("variables")
            .map(|entry| &entry.value)
            .chain(layers.iter().filter_map(|layer| layer.get("variables")));
        let all = all.filter_map(|variables| self.followed(variables));
        statements.extend(self.settings(all, &worlds));
        let mut body: Vec<Statement> = Vec::new();
        body.extend(self.unread(&layers).map(|(why, span)| Statement {
            action: Does::Unread(why),
            span,
        }));
        body.extend(node::checkout_named(&["CI_PROJECT_DIR"], span));
        let mut texts = Vec::new();
        for key in ["before_script", "script"] {
            if let Some(script) = find(key) {
                self.texts(&script.value, &mut texts);
            }
        }
        if let (Some(first), Some(last)) = (texts.first(), texts.last()) {
            let span = text_span(first).to(text_span(last));
            let shell = if windows { "pwsh" } else { "bash" };
            let action = node::run_in(shell, &node::lines(texts.iter().copied()), problems);
            body.push(Statement { action, span });
        }
        let image = value("image").map(|image| image.get("name").unwrap_or(image));
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

    /// The variables of all levels, the later over the earlier; each after those that it counts on, and those of the matrix last.
    fn settings<'f>(
        &'f self,
        levels: impl Iterator<Item = &'f Node>,
        worlds: &[World],
    ) -> Vec<Statement> {
        let mut pending: Vec<Assign> = Vec::new();
        for entry in levels.flat_map(Node::entries) {
            let value = entry.value.get("value").unwrap_or(&entry.value);
            let value = self.followed(value).and_then(Node::scalar);
            if let (Some(name), Some(text)) = (entry.name(), value) {
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
}

fn text_span(text: &Mapped) -> Span {
    text.span(0, text.text().trim_end().len())
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
