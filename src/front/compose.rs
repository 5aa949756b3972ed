//! Compose: for each service that is built, the `docker build` that it stands for. What a service runs when it starts is no build.
use super::document::{Document, Does, Scope, Statement, Unit};
use super::kind::{Kind, file_name};
use super::node::{self, literal};
use crate::span::Span;
use crate::text::variables;
use crate::text::word::{Part, Word};
use crate::text::yaml::{self, Entry, Node};

/// The kind of Compose's files.
pub static KIND: Kind = Kind {
    name: "compose",
    is_at: |path| {
        let name = file_name(path);
        (name.contains("compose") || name.starts_with("docker-compose"))
            && (name.ends_with(".yml") || name.ends_with(".yaml"))
    },
    is_in: |text| text.contains("services:"),
    read,
};

/// Reads a Compose file.
pub fn read(source: &str) -> Document {
    let yaml = yaml::parse(source);
    let mut document = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    if let Some(services) = yaml.documents.first().and_then(|root| root.get("services")) {
        let built = services.entries().iter().filter_map(service);
        document.scopes.extend(built);
    }
    node::document(source, &yaml, document)
}

fn service(entry: &Entry) -> Option<Scope> {
    let build = entry.value.entry("build")?;
    let machine = Does::Machine(vec![literal("ubuntu-latest", entry.key.span)]);
    let span = build.span;
    let statements = vec![
        Statement {
            action: machine,
            span,
        },
        Statement {
            action: Does::Exec(command(&build.value, span)),
            span,
        },
    ];
    Some(Scope {
        title: entry.name()?.to_owned(),
        statements,
        ..Scope::default()
    })
}

/// `docker build` with the same arguments, target, file and context.
fn command(build: &Node, span: Span) -> Vec<Word> {
    let word = |node: &Node| node::word(node, variables::word);
    let key = Span {
        start: span.start,
        end: build.span.start.max(span.start),
    };
    let mut words: Vec<Word> = ["docker", "build"].map(|text| literal(text, key)).into();
    let option = |words: &mut Vec<Word>, name: &str, value: Word| {
        words.push(literal(name, value.span));
        words.push(value);
    };
    if let Some(args) = build.get("args") {
        for assign in node::assigns(args, variables::word) {
            let mut value = assign.value;
            value.parts.insert(
                0,
                Part::Literal {
                    text: format!("{}=", assign.name),
                    span: assign.span,
                    quoted: true,
                },
            );
            value.span = assign.span;
            option(&mut words, "--build-arg", value);
        }
    }
    for (key, name) in [
        ("target", "--target"),
        ("dockerfile", "--file"),
        ("platforms", "--platform"),
    ] {
        if let Some(value) = build.get(key).and_then(|value| value.one_or_many().first()) {
            option(&mut words, name, word(value));
        }
    }
    let context = if build.scalar().is_some() {
        Some(build)
    } else {
        build.get("context")
    };
    words.push(context.map_or_else(|| literal(".", key), word));
    words
}
