//! cog.yaml: the Dockerfile that Cog makes of it. Base image, environment, system packages, Python packages, and then each item
//! of `run` in a shell of its own, before the sources are copied.
use super::document::{Document, Does, Scope, Statement};
use super::kind::{Kind, Role, file_name};
use super::node;
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::Problem;
use crate::text::word::Word;
use crate::text::yaml::{self, Node};

/// The kind of cog.yaml.
pub static KIND: Kind = Kind {
    name: "cog",
    role: Role::Recipe,
    is_at: |path| matches!(file_name(path), "cog.yaml" | "cog.yml"),
    is_in: |_| true,
    read: |source| read(source.text),
};

/// Reads a cog.yaml.
pub fn read(source: &str) -> Document {
    let yaml = yaml::parse(source);
    let mut document = Document::default();
    if let Some(root) = yaml.documents.first() {
        let build = root.get("build");
        let mut statements = vec![base(build.unwrap_or(root))];
        if let Some(environment) = root.get("environment") {
            let action = Does::Set {
                assigns: node::assigns(environment, node::plain),
                how: SetHow::Env,
            };
            statements.push(Statement {
                action,
                span: environment.span,
            });
        }
        if let Some(build) = build {
            packages(build, &mut statements);
            runs(build, &mut statements, &mut document.problems);
        }
        document.scopes.push(Scope {
            title: "build".to_owned(),
            statements,
            ..Scope::default()
        });
    }
    node::document(source, &yaml, document)
}

/// With a GPU the base is an image of CUDA with its compiler, whose version follows torch where it is not written.
fn base(build: &Node) -> Statement {
    let gpu = build
        .entry("gpu")
        .filter(|entry| entry.value.text() == Some("true"));
    let version = |key: &str| build.get(key).and_then(Node::text);
    let (image, span) = match (gpu, build.entry("cuda")) {
        (Some(gpu), None) => ("nvidia/cuda:cudnn-devel".to_owned(), gpu.span),
        (Some(_), Some(cuda)) => (
            format!(
                "nvidia/cuda:{}-cudnn-devel",
                version("cuda").unwrap_or_default()
            ),
            cuda.span,
        ),
        (None, _) => {
            let span = build
                .entry("python_version")
                .map_or(build.span, |entry| entry.span);
            (
                format!("python:{}-slim", version("python_version").unwrap_or("3")),
                span,
            )
        }
    };
    let action = Does::Base {
        image: Word::of_text(&image, span),
        platform: None,
    };
    Statement { action, span }
}

fn packages(build: &Node, statements: &mut Vec<Statement>) {
    let items = |key: &str| build.get(key).map_or(&[][..], Node::items);
    for item in items("system_packages") {
        let command = ["apt-get", "install", "-y"].map(|word| Word::of_text(word, item.span));
        let words = command.into_iter().chain(operands(item)).collect();
        statements.push(run_by(words, item.span));
    }
    if let Some(file) = build.entry("python_requirements") {
        let span = file.value.span;
        let path = node::word(&file.value, node::plain);
        let there = Word::of_text("/tmp/requirements.txt", span);
        let copy = Does::Copy {
            from: None,
            sources: vec![path],
            destination: there.clone(),
            add: false,
        };
        let mut words = pip(build, span);
        words.extend([Word::of_text("-r", span), there]);
        for action in [copy, Does::Exec(words)] {
            statements.push(Statement {
                action,
                span: file.span,
            });
        }
    }
    for item in items("python_packages") {
        let mut words = pip(build, item.span);
        words.extend(operands(item));
        statements.push(run_by(words, item.span));
    }
}

/// `pip install`, with the index that Cog takes torch from: on a GPU that of the CUDA which is named, else of one that Cog knows
/// to fit the release, which is not the default of the package index.
fn pip(build: &Node, span: Span) -> Vec<Word> {
    let mut words = vec![Word::of_text("pip", span), Word::of_text("install", span)];
    if build.get("gpu").and_then(Node::text) == Some("true") {
        let cuda = build.get("cuda").and_then(Node::text).unwrap_or_default();
        let numbers: Vec<&str> = cuda.split('.').take(2).collect();
        let index = match numbers.as_slice() {
            [major, minor] => format!("whl/cu{major}{minor}"),
            _ => "whl".to_owned(),
        };
        words.push(Word::of_text("--extra-index-url", span));
        words.push(Word::of_text(&index, span));
    }
    words
}

/// One package; an item may carry options of pip.
fn operands(item: &Node) -> Vec<Word> {
    match item.text() {
        Some(text) if text.contains(" --") => text
            .split_whitespace()
            .map(|word| Word::of_text(word, item.span))
            .collect(),
        _ => vec![node::word(item, node::plain)],
    }
}

fn run_by(words: Vec<Word>, span: Span) -> Statement {
    Statement {
        action: Does::Exec(words),
        span,
    }
}

fn runs(build: &Node, statements: &mut Vec<Statement>, problems: &mut Vec<Problem>) {
    let items = ["pre_install", "run"]
        .into_iter()
        .filter_map(|key| build.get(key));
    for item in items.flat_map(Node::one_or_many) {
        let command = item.get("command").unwrap_or(item);
        let Some(text) = command.scalar() else {
            continue;
        };
        let span: Span = item.span;
        statements.push(Statement {
            action: node::run(text, problems),
            span,
        });
    }
}
