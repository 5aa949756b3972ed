//! Facts that hold in several worlds of a job: equal ones are one, and name the worlds.
use super::evaluate::Found;
use crate::walk::walked::{Walked, WalkedWorld};
use std::collections::BTreeMap;

/// A world: what tells it from the others, as `(name, value)`.
type World = [(String, String)];

/// The builds of all worlds with those that are equal joined. One that holds in every world of its job names none.
pub(super) fn merged<'w>(all: Vec<Found<'w>>, walked: &Walked) -> Vec<Found<'w>> {
    let mut kept: Vec<(Found<'w>, Vec<usize>)> = Vec::new();
    let mut by_place: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for found in all {
        let scope = found.step.scope;
        let here = by_place.entry(found.step.site).or_default();
        let same = here.iter().find(|&&at| kept[at].0.build == found.build);
        match same {
            Some(&at) => kept[at].1.push(scope),
            None => {
                here.push(kept.len());
                kept.push((found, vec![scope]));
            }
        }
    }
    let named = kept.into_iter().map(|(mut found, held)| {
        let written = walked.scopes.get(found.step.scope).map(|s| s.written);
        let of_job = |scope: &usize| {
            let scope = walked.scopes.get(*scope)?;
            (Some(scope.written) == written).then_some(&scope.worlds)
        };
        let every = in_order((0..walked.scopes.len()).filter_map(|at| of_job(&at)));
        let held = in_order(held.iter().filter_map(of_job));
        found.build.worlds = names(&held, &every);
        found
    });
    named.collect()
}

/// The worlds of scopes, each once.
fn in_order<'w>(of_scopes: impl Iterator<Item = &'w Vec<WalkedWorld>>) -> Vec<&'w World> {
    let mut worlds: Vec<&WalkedWorld> = of_scopes.flatten().collect();
    worlds.sort_by_key(|world| world.number);
    worlds.dedup_by_key(|world| world.number);
    worlds.into_iter().map(|world| &*world.names).collect()
}

/// The worlds in as few words as tell them from the others: `cuda=12.4` for all rows that have it.
fn names(held: &[&World], every: &[&World]) -> Vec<String> {
    if held.len() >= every.len() {
        return Vec::new();
    }
    let columns = held.first().map_or(0, |world| world.len());
    for column in 0..columns {
        let Some(values) = values(held, column) else {
            continue;
        };
        let others = every.iter().filter(|world| !held.contains(world));
        let mut others = others.filter_map(|world| world.get(column));
        if !others.any(|pair| values.contains(&pair)) {
            return values.iter().map(|pair| one(pair)).collect();
        }
    }
    let whole = |world: &&World| {
        let pairs: Vec<String> = world.iter().map(one).collect();
        pairs.join(", ")
    };
    held.iter().map(whole).collect()
}

/// The distinct entries of a column; `None` where a world has no such entry.
fn values<'w>(held: &[&'w World], column: usize) -> Option<Vec<&'w (String, String)>> {
    let mut values: Vec<&(String, String)> = Vec::new();
    for world in held {
        let pair = world.get(column)?;
        if !values.contains(&pair) {
            values.push(pair);
        }
    }
    Some(values)
}

fn one((name, value): &(String, String)) -> String {
    format!("{name}={value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(text: &str) -> Vec<(String, String)> {
        let pairs = text.split(' ').filter_map(|pair| pair.split_once('='));
        pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    }

    #[test]
    fn worlds_are_named_in_few_words() {
        let all = ["os=a cuda=1", "os=a cuda=2", "os=b cuda=1", "os=b cuda=2"].map(world);
        let every: Vec<&World> = all.iter().map(Vec::as_slice).collect();
        for (held, expected) in [
            (vec![0, 1, 2, 3], vec![]),
            (vec![0, 1], vec!["os=a"]),
            (vec![1, 3], vec!["cuda=2"]),
            (vec![2], vec!["os=b, cuda=1"]),
            (vec![0, 3], vec!["os=a, cuda=1", "os=b, cuda=2"]),
        ] {
            let worlds: Vec<&World> = held.iter().map(|&at: &usize| every[at]).collect();
            assert_eq!(names(&worlds, &every), expected, "{held:?}");
        }
    }
}
