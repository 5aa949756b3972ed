//! Whether records fit together, shared with `build.rs`.
use super::record::{Match, Record};
use std::collections::BTreeSet;

/// Checks `records` beside those that are `known` already.
///
/// # Errors
/// What is wrong, in words: an id is used twice or names nothing, a row that can never be reached or that nothing fits.
pub fn check(records: &[Record], known: &[Record]) -> Result<(), String> {
    let mut ids: BTreeSet<&str> = known.iter().map(|record| &*record.id).collect();
    for record in records {
        if !ids.insert(&record.id) {
            return Err(format!("the id {} is used twice", record.id));
        }
    }
    for record in records {
        let id = record.id;
        let is_known = |name: &str| ids.contains(name);
        if record.extends.is_some_and(|parent| !is_known(&parent)) {
            return Err(format!("{id}: extends a record that is not here"));
        }
        if record.matches.iter().any(fits_nothing) {
            return Err(format!(
                "{id}: a row of `match` needs a name, `evidence` or `when`: `verb` and `subdir` only narrow it"
            ));
        }
        let mut named = record.examples.iter().filter_map(|e| e.builder);
        if let Some(name) = named.find(|n| **n != *"none" && !is_known(n)) {
            return Err(format!("{id}: an example names {name}, which is not here"));
        }
        let compiles = record.compiles.iter().flat_map(|rows| rows.0);
        let outcome = record.outcome.iter().flat_map(|rows| rows.0);
        if !only_the_last_may_lack(compiles.map(|row| row.when.is_some()))
            || !only_the_last_may_lack(outcome.map(|row| row.when.is_some()))
        {
            return Err(format!("{id}: only the last row may lack `if`"));
        }
    }
    Ok(())
}

/// Whether a row leaves open who is meant.
fn fits_nothing(rule: &Match) -> bool {
    let names = [
        rule.repo,
        rule.pypi,
        rule.crate_name,
        rule.tool,
        rule.spack,
        rule.path_ends,
        rule.dir,
    ];
    names.iter().all(Option::is_none) && rule.evidence.is_none() && rule.when.is_none()
}

/// Whether all rows but the last have a condition.
fn only_the_last_may_lack(have: impl Iterator<Item = bool>) -> bool {
    let have: Vec<bool> = have.collect();
    have.split_last()
        .is_none_or(|(_, rest)| rest.iter().all(|has| *has))
}
