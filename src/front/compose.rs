//! Compose: for each service that is built, the `docker build` that it stands for. What a service runs when it starts is no build.
use super::document::{Assign, Document, Does, Scope};
use super::image_build::{self, Argument, Asked, ImageBuild, below, give};
use super::kind::{Kind, Role, file_name};
use super::node;
use super::source::Source;
use crate::span::Span;
use crate::text::variables;
use crate::text::word::Word;
use crate::text::yaml::{self, Entry, Node};
use std::collections::BTreeSet;

/// The kind of Compose's files.
pub static KIND: Kind = Kind {
    name: "compose",
    role: Role::Images,
    is_at: |path| {
        let name = file_name(path);
        (name.contains("compose") || name.starts_with("docker-compose"))
            && (name.ends_with(".yml") || name.ends_with(".yaml"))
    },
    is_in: |text| text.contains("services:"),
    read,
};

/// What is called where Compose reads the settings in its folder.
pub const SETTINGS: &str = "settings:.env";

/// The files that Compose looks for, of each row the first: what it begins with, and what it lays over that.
pub const LOOKED_FOR: [&[&str]; 2] = [
    &[
        "compose.yaml",
        "compose.yml",
        "docker-compose.yml",
        "docker-compose.yaml",
    ],
    &[
        "compose.override.yml",
        "compose.override.yaml",
        "docker-compose.override.yml",
        "docker-compose.override.yaml",
    ],
];

/// Reads a Compose file, with what Compose lays over it. What stands under it already is left to that file.
pub fn read(source: &Source<'_>) -> Document {
    let (mut texts, own) = source.layers(&LOOKED_FOR);
    texts[own].clear();
    node::jobs(source.text, |root, document| {
        let mut roots = roots(&texts);
        roots[own] = root.clone();
        let services = services(&roots).into_iter();
        let own = services.filter(|service| service.layer == own);
        document
            .scopes
            .extend(own.map(|service| service.scope(&[])));
    })
}

/// The builds that a command asks of files that are laid over each other, each with the file that describes it first.
pub fn together<T: AsRef<str>>(texts: &[T], asked: &Asked<'_>) -> Vec<(usize, Scope)> {
    let services = services(&roots(texts)).into_iter();
    let services = services.filter(|service| asked.has(&service.name));
    let scope = |service: Service| {
        let layer = service.layer;
        (layer, service.scope(&asked.sets))
    };
    services.map(scope).collect()
}

/// The first documents of files.
pub(super) fn roots<T: AsRef<str>>(texts: &[T]) -> Vec<Node> {
    let root = |text: &T| {
        let documents = yaml::parse(text.as_ref()).documents;
        documents.into_iter().next()
    };
    // what is empty keeps its place
    let roots = texts.iter().map(root);
    roots.map(Option::unwrap_or_default).collect()
}

/// A service that is built.
#[derive(Clone)]
pub(super) struct Service {
    /// Its name.
    pub(super) name: String,
    /// The file that first says how it is built.
    pub(super) layer: usize,
    /// How.
    pub(super) image: ImageBuild,
    /// The Dockerfile, as seen from the context.
    pub(super) dockerfile: Option<Word>,
    /// The Dockerfile stands in the file itself.
    pub(super) inline: Option<Span>,
}

/// The services of files that are laid over each other.
pub(super) fn services(roots: &[Node]) -> Vec<Service> {
    let mut seen = BTreeSet::new();
    let mut services = Vec::new();
    for (layer, root) in roots.iter().enumerate() {
        for entry in root.get("services").map_or(&[][..], Node::entries) {
            let (Some(name), Some(first)) = (entry.name(), entry.value.entry("build")) else {
                continue;
            };
            if !seen.insert(name) {
                continue;
            }
            let over = roots[layer + 1..].iter();
            let over = over.filter_map(|root| root.get("services")?.get(name)?.get("build"));
            let over = over.map(|build| build.moved(first.span));
            let builds = std::iter::once(first.value.clone()).chain(over);
            let mut service = service(name, layer, first, &builds.collect::<Vec<_>>());
            let image = |root: &Node| {
                let image = root.get("services")?.get(name)?.get("image")?;
                Some(node::word(image, variables::word).moved(first.span))
            };
            let called = roots.iter().rev().find_map(image);
            service.image.tags.extend(called);
            services.push(service);
        }
    }
    services
}

fn service(name: &str, layer: usize, first: &Entry, builds: &[Node]) -> Service {
    // a path alone is the context
    let find = |key: &str| {
        let found = builds.iter().rev().find_map(|build| match build.scalar() {
            Some(_) if key == "context" => Some(build),
            _ => build.get(key),
        });
        found.filter(|value| value.tag.as_deref() != Some("!reset"))
    };
    let word = |key: &str| {
        let value = find(key)?.one_or_many().first()?;
        Some(node::word(value, variables::word))
    };
    let mut args = Vec::new();
    for layer in builds.iter().filter_map(|build| build.get("args")) {
        if matches!(layer.tag.as_deref(), Some("!reset" | "!override")) {
            args.clear();
        }
        for argument in arguments(layer) {
            give(&mut args, argument);
        }
    }
    let (context, dockerfile) = (word("context"), word("dockerfile"));
    let file = dockerfile.clone().map(|file| below(context.as_ref(), file));
    Service {
        name: name.to_owned(),
        layer,
        image: ImageBuild {
            span: first.span,
            args,
            target: word("target"),
            platform: word("platforms"),
            file,
            context,
            tags: find("tags")
                .map_or(&[][..], Node::one_or_many)
                .iter()
                .map(|tag| node::word(tag, variables::word))
                .collect(),
        },
        dockerfile,
        inline: find("dockerfile_inline").map(|inline| inline.span),
    }
}

impl Service {
    /// The job that builds it.
    pub(super) fn scope(self, sets: &[(String, Word)]) -> Scope {
        let mut scope = match self.inline {
            Some(span) => image_build::inline(&self.name, span),
            None => with_settings(self.image.set(&self.name, sets).scope(&self.name)),
        };
        scope.alias = Some(self.name);
        scope
    }
}

/// What Compose finds in the `.env` beside the file counts before it fills in variables.
pub(super) fn with_settings(mut scope: Scope) -> Scope {
    let start = scope.statements.first();
    let span = start.map_or_else(Span::default, |machine| machine.span);
    scope.begin_with(Does::Call {
        target: Word::of_text(SETTINGS, span),
        inputs: Vec::new(),
    });
    scope
}

/// `args:`, a map or a list; a name alone is a variable of whoever runs Compose.
fn arguments(args: &Node) -> Vec<Argument> {
    let of_map = args.entries().iter().filter_map(|entry| {
        Some(Argument {
            name: entry.name()?.to_owned(),
            value: entry.value.scalar().map(variables::word),
            span: entry.span,
        })
    });
    let of_list = args.items().iter().filter_map(|item| {
        let text = item.scalar()?;
        let pair = node::pair(text, variables::word);
        Some(match pair {
            Some(Assign { name, value, span }) => Argument {
                name,
                value: Some(value),
                span,
            },
            None => Argument {
                name: text.text().to_owned(),
                value: None,
                span: item.span,
            },
        })
    });
    of_map.chain(of_list).collect()
}
