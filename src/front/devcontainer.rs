//! `devcontainer.json`: the `docker build` of its image, and the commands that run in the container after it was made.
use super::document::{Document, Does, Scope, Statement, Unit};
use super::image_build::{Argument, ImageBuild};
use super::kind::{Kind, Role, file_name};
use super::node;
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::Problem;
use crate::text::mapped::Mapped;
use crate::text::template;
use crate::text::word::Word;
use crate::text::yaml::{self, Entry, Node};

/// The kind of `devcontainer.json`.
pub static KIND: Kind = Kind {
    name: "devcontainer",
    role: Role::Images,
    is_at: |path| matches!(file_name(path), "devcontainer.json" | ".devcontainer.json"),
    is_in: |_| true,
    read: |source| read(source.text),
};

/// What runs in the container, in order.
const COMMANDS: [&str; 5] = [
    "onCreateCommand",
    "updateContentCommand",
    "postCreateCommand",
    "postStartCommand",
    "postAttachCommand",
];

/// Reads a `devcontainer.json`. Its paths are seen from its folder.
pub fn read(source: &str) -> Document {
    let yaml = yaml::parse_json(source);
    let mut document = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    if let Some(root) = yaml.documents.first() {
        document.scopes.extend(image(root));
        let commands = commands(root, &mut document.problems);
        document.scopes.extend(commands);
    }
    node::document(source, &yaml, document)
}

/// The image, where it is built from a Dockerfile.
fn image(root: &Node) -> Option<Scope> {
    let build = root.get("build");
    let find = |keys: [&str; 2]| {
        let [own, old] = keys;
        let value = build.and_then(|build| build.get(own)).or(root.get(old));
        value.map(word)
    };
    let file = find(["dockerfile", "dockerFile"])?;
    let args = build.and_then(|build| build.get("args"));
    let args = args.map_or(&[][..], Node::entries).iter();
    let entry = root.entry("build").or(root.entry("dockerFile"))?;
    let image = ImageBuild {
        span: entry.span,
        args: args
            .filter_map(|arg| {
                Some(Argument {
                    name: arg.name()?.to_owned(),
                    value: Some(word(&arg.value)),
                    span: arg.span,
                })
            })
            .collect(),
        target: build.and_then(|build| build.get("target")).map(word),
        platform: None,
        file: Some(file),
        context: find(["context", "context"]),
        tags: Vec::new(),
    };
    let mut scope = image.scope("image");
    // the folder that variables name
    let [repository, _] = node::checkout(entry.span);
    scope.begin_with(repository.action);
    Some(scope)
}

/// What runs in the container, with its environment.
fn commands(root: &Node, problems: &mut Vec<Problem>) -> Option<Scope> {
    let mut body = Vec::new();
    for environment in ["containerEnv", "remoteEnv"] {
        body.extend(root.get(environment).map(set));
    }
    let features = root
        .entry("features")
        .filter(|f| !f.value.entries().is_empty());
    if let Some(features) = features {
        // they may bring a toolkit
        let action = Does::Call {
            target: Word::of_text("features", features.key.span),
            inputs: Vec::new(),
        };
        body.push(at(action, features.key.span));
    }
    let entries: Vec<&Entry> = COMMANDS
        .iter()
        .filter_map(|name| root.entry(name))
        .collect();
    let first = entries.first()?;
    body.extend(node::checkout(first.key.span));
    for entry in &entries {
        for command in one_or_more(&entry.value) {
            let body_of_command = vec![at(run(command, problems), command.span)];
            let block = Does::Block {
                id: None,
                body: body_of_command,
            };
            body.push(at(block, command.span));
        }
    }
    let image = match root.get("image") {
        Some(image) => word(image),
        // built elsewhere, or described by Compose
        None => template::word(&Mapped::verbatim("${{ image }}", first.key.span.start)),
    };
    let enter = Does::Enter {
        image,
        gpus: has_gpus(root),
        body,
    };
    let span = root.span;
    let statements = [Does::Machine(Vec::new()), enter].map(|action| at(action, span));
    Some(Scope {
        title: "container".to_owned(),
        statements: statements.into(),
        ..Scope::default()
    })
}

fn at(action: Does, span: Span) -> Statement {
    Statement { action, span }
}

/// A command, or those of an object, which run beside each other.
fn one_or_more(value: &Node) -> Vec<&Node> {
    match value.entries() {
        [] => vec![value],
        entries => entries.iter().map(|entry| &entry.value).collect(),
    }
}

/// A text is for a shell, a list is a program with its arguments.
fn run(command: &Node, problems: &mut Vec<Problem>) -> Does {
    match command.scalar() {
        Some(text) => node::run(&filled(text), problems),
        None => Does::Exec(command.items().iter().map(word).collect()),
    }
}

fn set(environment: &Node) -> Statement {
    let action = Does::Set {
        assigns: node::assigns(environment, |text| template::word(&filled(text))),
        how: SetHow::ConfigEnv,
    };
    at(action, environment.span)
}

fn has_gpus(root: &Node) -> bool {
    let asks = root
        .get("runArgs")
        .map_or(&[][..], Node::items)
        .iter()
        .filter_map(Node::text)
        .any(|arg| arg.starts_with("--gpus") || arg.starts_with("--runtime=nvidia"));
    let requires = root
        .get("hostRequirements")
        .and_then(|r| r.get("gpu")?.text());
    asks || requires == Some("true")
}

fn word(node: &Node) -> Word {
    node::word(node, |text| template::word(&filled(text)))
}

/// The text with what the tool fills in: the folder of the repository, defaults, and expressions for all that is not known.
fn filled(text: &Mapped) -> Mapped {
    let source = text.text();
    let mut out = Mapped::default();
    let mut done = 0;
    let mut at = 0;
    while let Some(found) = source.get(at..).and_then(|rest| rest.find("${")) {
        let start = at + found;
        at = start + 2;
        let Some((inner, _)) = source.get(at..).and_then(|rest| rest.split_once('}')) else {
            break;
        };
        let mut parts = inner.splitn(3, ':');
        let (name, _, default) = (parts.next(), parts.next(), parts.next());
        let end = at + inner.len() + 1;
        match (name, default) {
            (Some("localWorkspaceFolder" | "containerWorkspaceFolder"), _) => {
                out.append(text, done..start);
                out.push_all_from(node::REPOSITORY, text.origin(start));
            }
            (Some("localEnv" | "containerEnv"), Some(default)) => {
                out.append(text, done..start);
                out.append(text, end - 1 - default.len()..end - 1);
            }
            (
                Some(
                    "localEnv" | "containerEnv" | "localWorkspaceFolderBasename" | "devcontainerId",
                ),
                None,
            ) => {
                out.append(text, done..start);
                let expression = format!("${{{{ {} }}}}", inner.replace(':', "."));
                out.push_all_from(&expression, text.origin(start));
            }
            _ => continue,
        }
        (done, at) = (end, end);
    }
    out.append(text, done..source.len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_the_tool() {
        for (text, expected) in [
            ("${localWorkspaceFolder}/a", "/repo/a"),
            ("x${localEnv:LIST:8.0 9.0}y", "x8.0 9.0y"),
            ("${localEnv:HOME}", "${{ localEnv.HOME }}"),
            ("${HOME} ${A:-b} ${", "${HOME} ${A:-b} ${"),
            (
                "é${localEnv:A:é}${containerEnv:B}",
                "éé${{ containerEnv.B }}",
            ),
        ] {
            let mapped = filled(&Mapped::verbatim(text, 4));
            assert_eq!(mapped.text(), expected, "{text}");
        }
    }
}
