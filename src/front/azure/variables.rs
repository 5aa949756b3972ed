//! Variables of Azure Pipelines: of the levels around a job, of templates, and of its matrix.
use super::steps::{self, conditional};
use super::{MAX_DEPTH, VARIABLES, at, macros};
use crate::facts::SetHow;
use crate::front::document::{Assign, Does, Statement, World};
use crate::front::{matrix, node};
use crate::span::Span;
use crate::text::mapped::Mapped;
use crate::text::word::{Part, Word};
use crate::text::yaml::{Entry, Node};
use std::collections::BTreeSet;

/// Where the repository is, by the variables that name the place.
const PLACES: [&str; 3] = [
    "Build.SourcesDirectory",
    "System.DefaultWorkingDirectory",
    "Build.Repository.LocalPath",
];

/// Variables of one level, or of several where only the first has templates.
#[derive(Default)]
pub(super) struct Variables {
    /// Templates with variables.
    templates: Vec<Statement>,
    /// Those that stand here, as expressions find them.
    pub(super) own: Vec<Assign>,
}

/// The variables of all levels, the later over the earlier. A variable may count on those of levels further in, as long as
/// no templates come between.
pub(super) fn variables(levels: &[&Node]) -> Vec<Variables> {
    let mut groups: Vec<Variables> = Vec::new();
    for level in levels.iter().filter_map(|level| level.get("variables")) {
        let mut group = Variables::default();
        collect(level, true, MAX_DEPTH, &mut group);
        match groups.last_mut().filter(|_| group.templates.is_empty()) {
            Some(last) => last.own.append(&mut group.own),
            None => groups.push(group),
        }
    }
    for group in &mut groups {
        group.own = node::last_wins(std::mem::take(&mut group.own), str::to_ascii_lowercase);
    }
    groups
}

/// Those of one level; `sure` where no condition decides about them.
fn collect(level: &Node, sure: bool, depth: u32, all: &mut Variables) {
    if depth == 0 {
        return;
    }
    let variable = |name: &str, value: Option<&Mapped>, span| Assign {
        name: format!("{VARIABLES}{name}"),
        value: match value.filter(|_| sure) {
            Some(text) => macros::text(text),
            None => steps::unknown(name, span),
        },
        span,
    };
    for entry in level.entries() {
        match entry.name() {
            Some(name) if name.starts_with("${{") => collect(&entry.value, false, depth - 1, all),
            Some(name) => all
                .own
                .push(variable(name, entry.value.scalar(), entry.span)),
            None => {}
        }
    }
    for item in level.items() {
        if let Some(entry) = conditional(item) {
            collect(&entry.value, false, depth - 1, all);
        } else if let Some(template) = item.get("template").and_then(Node::scalar) {
            let call = at(steps::call(template, item), item.span);
            all.templates.push(call);
        } else if let Some(name) = item.get("name").and_then(Node::text) {
            let value = item.get("value").and_then(Node::scalar);
            all.own.push(variable(name, value, item.span));
        }
    }
}

/// What expressions find, and then the same in the environment. A matrix wins over all levels.
pub(super) fn set(variables: &[Variables], worlds: &[World], span: Span) -> Vec<Statement> {
    let place = Span::new(span.start as usize, span.start as usize);
    let places = PLACES.map(|name| Assign {
        name: format!("{VARIABLES}{name}"),
        value: Word::of_text(node::REPOSITORY, place),
        span: place,
    });
    let mut statements = vec![at(Does::Context(places.into()), span)];
    let of_matrix = worlds.iter().flat_map(|world| world.values.iter().cloned());
    let of_matrix = node::last_wins(of_matrix.collect(), str::to_ascii_lowercase);
    let names: BTreeSet<String> = of_matrix
        .iter()
        .map(|value| value.name.to_ascii_lowercase())
        .collect();
    for Variables { templates, own } in variables {
        let own = own.iter().cloned();
        let own: Vec<Assign> = own
            .filter(|assign| !names.contains(&assign.name.to_ascii_lowercase()))
            .collect();
        let set = environment(&own);
        statements.extend(templates.iter().cloned());
        let rounds = node::rounds(own, counts_on).into_iter().map(Does::Context);
        statements.extend(rounds.chain([set]).map(|action| at(action, span)));
    }
    statements.push(at(environment(&of_matrix), span));
    statements
}

/// Variables as steps find them in their environment.
fn environment(variables: &[Assign]) -> Does {
    let assigns = variables.iter().map(|assign| {
        let name = assign.name.strip_prefix(VARIABLES).unwrap_or(&assign.name);
        Assign {
            name: macros::in_environment(name),
            ..matrix::variable(assign)
        }
    });
    Does::Set {
        assigns: assigns.collect(),
        how: SetHow::ConfigEnv,
    }
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
pub(super) fn worlds(job: &Node) -> Vec<World> {
    let rows = job
        .get("strategy")
        .and_then(|strategy| strategy.get("matrix"));
    let rows = rows.map_or(&[][..], Node::entries);
    let rows = rows
        .iter()
        .filter(|row| row.name().is_some_and(|name| !name.starts_with("${{")));
    let world = |row: &Entry| {
        let mut world = World::default();
        for entry in row.value.entries() {
            let (Some(name), Some(value)) = (entry.name(), entry.value.scalar()) else {
                continue;
            };
            world.names.push((name.to_owned(), value.text().to_owned()));
            world.values.push(Assign {
                name: format!("{VARIABLES}{name}"),
                value: macros::text(value),
                span: entry.span,
            });
        }
        world
    };
    let worlds: Vec<World> = rows.take(matrix::MAX_WORLDS + 1).map(world).collect();
    // more of them are not told apart
    if worlds.len() > matrix::MAX_WORLDS {
        return Vec::new();
    }
    worlds
}
