//! Buildkite: command steps, also those in groups, with their environment, matrix and the container that a plugin runs them in.
use super::document::{Document, Does, Scope, Statement, World};
use super::kind::{Kind, Role};
use super::matrix;
use super::node;
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::mapped::Mapped;
use crate::text::template;
use crate::text::variables;
use crate::text::word::Word;
use crate::text::yaml::{Entry, Node};

/// The kind of Buildkite's files.
pub static KIND: Kind = Kind {
    name: "buildkite",
    role: Role::Service,
    is_at: |path| {
        let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
        is_yaml && format!("/{path}").contains("/.buildkite/")
    },
    is_in: |text| text.lines().any(|line| line.starts_with("steps:")),
    read: |source| read(source.text),
};

/// Groups stand in each other this deep.
const MAX_DEPTH: u32 = 4;
/// Where a plugin puts the repository.
const WORKDIR: &str = "/workdir";

/// Reads a pipeline.
pub fn read(source: &str) -> Document {
    node::jobs(source, |root, document| {
        steps(root, root, MAX_DEPTH, document);
    })
}

fn steps(root: &Node, group: &Node, depth: u32, document: &mut Document) {
    if depth == 0 {
        return;
    }
    for step in group.get("steps").map_or(&[][..], Node::items) {
        if step.get("steps").is_some() {
            steps(root, step, depth - 1, document);
        } else if let Some(scope) = job(root, step, document) {
            document.scopes.push(scope);
        }
    }
}

/// A step with commands, or whose container has one.
fn job(root: &Node, step: &Node, document: &mut Document) -> Option<Scope> {
    let span = step.span;
    let commands = ["commands", "command"]
        .iter()
        .find_map(|key| step.get(key))
        .map_or(&[][..], Node::one_or_many);
    let texts: Vec<Mapped> = commands
        .iter()
        .filter_map(Node::scalar)
        .map(script)
        .collect();
    let plugin = plugin(step);
    if texts.is_empty() && plugin.is_none() {
        return None;
    }
    let agents = step.get("agents").or_else(|| root.get("agents"));
    let mut statements = vec![at(Does::Machine(labels(agents)), span)];
    let environments = [root.get("env"), step.get("env")];
    let environments = environments.into_iter().flatten().map(|env| {
        let action = Does::Set {
            assigns: node::assigns(env, text),
            how: SetHow::ConfigEnv,
        };
        at(action, env.span)
    });
    let mut body: Vec<Statement> = node::checkout_named(&["BUILDKITE_BUILD_CHECKOUT_PATH"], span);
    let all = node::lines(&texts);
    let place = all.span(0, all.text().trim_end().len());
    let run =
        |all: &Mapped, document: &mut Document| at(node::run(all, &mut document.problems), place);
    match plugin {
        None => {
            statements.extend(environments);
            body.push(run(&all, document));
            statements.append(&mut body);
        }
        Some(Plugin::Docker(options)) => {
            statements.extend(environments);
            statements.append(&mut body);
            let command = Does::Exec(container(options, &all, span));
            statements.push(at(command, span));
        }
        // what of the environment passes stands in another file
        Some(Plugin::Elsewhere(image)) => {
            body.push(run(&all, document));
            let enter = Does::Enter {
                image,
                gpus: true,
                body,
            };
            statements.push(at(enter, span));
        }
    }
    let title = ["label", "name", "key"]
        .iter()
        .find_map(|key| step.get(key)?.text());
    Some(Scope {
        title: title.unwrap_or("step").to_owned(),
        statements,
        worlds: worlds(step.get("matrix")),
        ..Scope::default()
    })
}

fn at(action: Does, span: Span) -> Statement {
    Statement { action, span }
}

/// `agents: {queue: gpu}` or `agents: ["queue=gpu"]`.
fn labels(agents: Option<&Node>) -> Vec<Word> {
    let Some(agents) = agents else {
        return Vec::new();
    };
    let queues = node::assigns(agents, text);
    let queues = queues.into_iter().filter(|agent| agent.name == "queue");
    queues.map(|agent| agent.value).collect()
}

/// A plugin that runs the commands in a container.
enum Plugin<'y> {
    /// `docker`, with its options.
    Docker(&'y Node),
    /// One whose image or environment is described elsewhere.
    Elsewhere(Word),
}

/// The first plugin of a step that starts a container.
fn plugin(step: &Node) -> Option<Plugin<'_>> {
    let plugins = step.get("plugins")?;
    let of_list = plugins.items().iter().flat_map(Node::entries);
    let mut all = plugins.entries().iter().chain(of_list);
    all.find_map(|entry: &Entry| {
        let name = entry.name()?;
        let name = name.split('#').next().unwrap_or(name);
        match name.rsplit('/').next().unwrap_or(name) {
            "docker" => Some(Plugin::Docker(&entry.value)),
            "docker-compose" => Some(Plugin::Elsewhere(unknown(entry.key.span))),
            "kubernetes" => {
                let pod = entry.value.get("podSpec")?;
                let image = pod.get("containers")?.items().first()?.get("image")?;
                Some(Plugin::Elsewhere(word(image)))
            }
            _ => None,
        }
    })
}

fn unknown(span: Span) -> Word {
    Word::opaque("image".to_owned(), span)
}

/// The `docker run` of the docker plugin: of the environment, what it names passes.
fn container(options: &Node, script: &Mapped, span: Span) -> Vec<Word> {
    let at = |text: &str| Word::of_text(text, span);
    let mut words = vec![at("docker"), at("run")];
    let mounts = options.get("mount-checkout").and_then(Node::text) != Some("false");
    if mounts {
        let mount = format!(".:{WORKDIR}");
        words.extend([at("--volume"), at(&mount), at("--workdir"), at(WORKDIR)]);
    }
    if options.get("gpus").is_some() {
        words.extend([at("--gpus"), at("all")]);
    }
    for variable in options.get("environment").map_or(&[][..], Node::items) {
        words.extend([at("--env"), word(variable)]);
    }
    words.extend(options.get("image").map(word));
    match options.get("command") {
        Some(command) if script.text().is_empty() => {
            words.extend(command.one_or_many().iter().map(word));
        }
        _ => {
            words.extend([at("sh"), at("-e"), at("-c")]);
            words.push(template::word(script));
        }
    }
    words
}

fn word(node: &Node) -> Word {
    node::word(node, text)
}

/// A value; `{{matrix}}` and variables are filled in.
fn text(text: &Mapped) -> Word {
    variables::word(&filled(text))
}

/// Commands, where `$$` is the `$` that the shell sees.
fn script(text: &Mapped) -> Mapped {
    let text = filled(text);
    let source = text.text();
    let mut out = Mapped::default();
    let mut done = 0;
    while let Some(found) = source.get(done..).and_then(|rest| rest.find("$$")) {
        out.append(&text, done..done + found + 1);
        done += found + 2;
    }
    out.append(&text, done..source.len());
    out
}

/// `{{matrix}}` and `{{matrix.name}}` in the form that expressions have everywhere else.
fn filled(text: &Mapped) -> Mapped {
    template::filled(text, "{{", "}}", |inner| {
        let name = match inner.trim().strip_prefix("matrix")? {
            "" => MATRIX,
            path => path.strip_prefix('.')?,
        };
        Some(format!("matrix.{name}"))
    })
}

/// What the only axis of a matrix is called that has no name.
const MATRIX: &str = "matrix";

/// `matrix: [a, b]` or `matrix: {setup: {…}, adjustments: […]}`.
fn worlds(node: Option<&Node>) -> Vec<World> {
    let Some(node) = node else {
        return Vec::new();
    };
    let setup = node.get("setup").unwrap_or(node);
    let named = setup.entries().iter();
    let mut axes: Vec<matrix::Axis<'_>> = named
        .filter_map(|axis| Some((axis.name()?, axis.value.one_or_many())))
        .collect();
    if !setup.items().is_empty() {
        axes.push((MATRIX, setup.items()));
    }
    let mut worlds = matrix::worlds([axes].into_iter(), text);
    for adjustment in node.get("adjustments").map_or(&[][..], Node::items) {
        let Some(with) = adjustment.get("with") else {
            continue;
        };
        let row = row(with);
        let is_row = |world: &World| row.names.iter().all(|pair| world.names.contains(pair));
        let skips = adjustment
            .get("skip")
            .is_some_and(|skip| skip.text() != Some("false"));
        if skips {
            worlds.retain(|world| !is_row(world));
        } else if (1..matrix::MAX_WORLDS).contains(&worlds.len()) && !worlds.iter().any(is_row) {
            worlds.push(row);
        }
    }
    worlds
}

/// The row that an adjustment is about.
fn row(with: &Node) -> World {
    let named = with.entries().iter();
    let named = named.filter_map(|entry| Some((entry.name()?, &entry.value)));
    let only = with.scalar().map(|_| (MATRIX, with));
    named
        .chain(only)
        .fold(World::default(), |world, (name, value)| {
            matrix::with(&world, name, value, text)
        })
}
