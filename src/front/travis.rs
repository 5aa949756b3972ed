//! Travis CI: phases in one shell, once for each row of `env` and each included job.
use super::document::{Assign, Document, Does, Scope, Statement, World};
use super::kind::{Kind, Role, file_name};
use super::{matrix, node};
use crate::facts::SetHow;
use crate::text::mapped::Mapped;
use crate::text::word::Word;
use crate::text::yaml::Node;

/// The kind of Travis's files.
pub static KIND: Kind = Kind {
    name: "travis",
    role: Role::Service,
    is_at: |path| {
        matches!(
            file_name(path),
            ".travis.yml" | ".travis.yaml" | "travis.yml"
        )
    },
    is_in: |_| true,
    read: |source| read(source.text),
};

/// What runs in a job's shell, in order.
const PHASES: [&str; 6] = [
    "before_install",
    "install",
    "before_script",
    "script",
    "after_success",
    "before_deploy",
];

/// Reads a `.travis.yml`.
pub fn read(source: &str) -> Document {
    node::jobs(source, |root, document| {
        let jobs = ["jobs", "matrix"]
            .iter()
            .filter_map(|key| root.get(key)?.get("include"));
        let jobs: Vec<&Node> = jobs.flat_map(Node::items).collect();
        let env = root.get("env");
        let rows = env.map(|env| env.get("matrix").or_else(|| env.get("jobs")).unwrap_or(env));
        let rows = rows
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(Node::scalar);
        let worlds: Vec<World> = rows.map(|row| world([row].into_iter())).collect();
        let with_own: Vec<&&Node> = jobs
            .iter()
            .filter(|job| PHASES.iter().any(|phase| job.get(phase).is_some()))
            .collect();
        let like_others = jobs
            .iter()
            .filter(|job| !with_own.iter().any(|own| std::ptr::eq(**own, **job)));
        let included = like_others.filter_map(|job| {
            Some(world(
                job.get("env")?
                    .one_or_many()
                    .iter()
                    .filter_map(Node::scalar),
            ))
        });
        let worlds: Vec<World> = worlds.into_iter().chain(included).collect();
        document
            .scopes
            .push(job("job", root, None, worlds, &mut document.problems));
        for (at, own) in with_own.into_iter().enumerate() {
            let name = own
                .get("name")
                .and_then(Node::text)
                .map_or_else(|| format!("job {}", at + 1), str::to_owned);
            let worlds = own
                .get("env")
                .map(|env| vec![world(env.one_or_many().iter().filter_map(Node::scalar))]);
            document.scopes.push(job(
                &name,
                root,
                Some(own),
                worlds.unwrap_or_default(),
                &mut document.problems,
            ));
        }
    })
}

/// One row: `A=1 B="2 3"`.
fn world<'y>(rows: impl Iterator<Item = &'y Mapped>) -> World {
    let mut world = World::default();
    for Assign { name, value, span } in rows.flat_map(node::shell_pairs) {
        world
            .names
            .push((name.clone(), value.literal().unwrap_or_default()));
        world.values.push(Assign {
            name: format!("matrix.{name}"),
            value,
            span,
        });
    }
    world
}

fn job(
    title: &str,
    root: &Node,
    own: Option<&Node>,
    worlds: Vec<World>,
    problems: &mut Vec<crate::text::Problem>,
) -> Scope {
    let find = |key: &str| own.and_then(|own| own.get(key)).or_else(|| root.get(key));
    let span = own.map_or(root.span, |own| own.span);
    let os = find("os")
        .map(|os| os.one_or_many())
        .and_then(|all| all.first())
        .and_then(Node::text);
    let machine = match os {
        Some("osx") => "macos-latest",
        Some("windows") => "windows-latest",
        _ => "ubuntu-latest",
    };
    let at = |action: Does| Statement { action, span };
    let mut statements = vec![at(Does::Machine(vec![Word::of_text(machine, span)]))];
    let global = root.get("env").and_then(|env| env.get("global"));
    let global = global.map_or(&[][..], Node::one_or_many);
    let mut settings: Vec<Assign> = global
        .iter()
        .filter_map(Node::scalar)
        .flat_map(node::shell_pairs)
        .collect();
    settings.extend(
        global
            .iter()
            .flat_map(|map| node::assigns(map, node::plain)),
    );
    statements.extend(settings.into_iter().map(|assign| set(vec![assign])));
    let mut of_rows: Vec<Assign> = worlds
        .iter()
        .flat_map(|world| &world.values)
        .map(matrix::variable)
        .collect();
    of_rows.sort_by(|a, b| a.name.cmp(&b.name));
    of_rows.dedup_by(|a, b| a.name == b.name);
    if !of_rows.is_empty() {
        statements.push(set(of_rows));
    }
    statements.extend(node::checkout_named(&["TRAVIS_BUILD_DIR"], span));
    let texts: Vec<&Mapped> = PHASES
        .iter()
        .filter_map(|phase| find(phase))
        .flat_map(|phase| phase.one_or_many())
        .filter_map(Node::scalar)
        .collect();
    if let (Some(first), Some(last)) = (texts.first(), texts.last()) {
        let span = first
            .span(0, first.text().len())
            .to(last.span(0, last.text().trim_end().len()));
        let action = node::run(&node::lines(texts.iter().copied()), problems);
        statements.push(Statement { action, span });
    }
    Scope {
        title: title.to_owned(),
        statements,
        worlds,
        ..Scope::default()
    }
}

fn set(assigns: Vec<Assign>) -> Statement {
    let span = assigns
        .first()
        .map_or_else(Default::default, |assign| assign.span);
    Statement {
        action: Does::Set {
            assigns,
            how: SetHow::ConfigEnv,
        },
        span,
    }
}
