//! The table of builder records.
#[allow(dead_code)]
#[path = "../src/builders/record.rs"]
mod record;

use crate::table;
use record::Record;
use std::collections::BTreeSet;

/// The file that `src/builders/records.rs` includes.
pub fn tables() -> Result<String, String> {
    let folder = "rules/knowledge/builders";
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))? {
        files.push(entry.map_err(|error| format!("{folder}: {error}"))?.path());
    }
    files.sort();
    let rows = table::<Record>("RECORDS", "Record", &files, check)?;
    Ok(format!("/// Every builder, by file.\n{rows}"))
}

fn check(records: &[Record]) -> Result<(), String> {
    let mut ids = BTreeSet::new();
    for record in records {
        if !ids.insert(&*record.id) {
            return Err(format!("the id {} is used twice", record.id));
        }
    }
    for record in records {
        let id = record.id;
        let known = |name: &str| ids.contains(name);
        if record.extends.is_some_and(|parent| !known(&parent)) {
            return Err(format!("{id}: extends a record that is not here"));
        }
        let named = record.examples.iter().filter_map(|e| e.builder);
        if let Some(name) = named.into_iter().find(|n| **n != *"none" && !known(n)) {
            return Err(format!("{id}: an example names {name}, which is not here"));
        }
        let last_lacks_if = |has_if: &[bool]| {
            has_if
                .split_last()
                .is_none_or(|(_, rest)| rest.iter().all(|h| *h))
        };
        let compiles: Vec<bool> = record
            .compiles
            .iter()
            .flat_map(|l| l.0)
            .map(|r| r.when.is_some())
            .collect();
        let outcome: Vec<bool> = record
            .outcome
            .iter()
            .flat_map(|l| l.0)
            .map(|r| r.when.is_some())
            .collect();
        if !last_lacks_if(&compiles) || !last_lacks_if(&outcome) {
            return Err(format!("{id}: only the last row may lack `if`"));
        }
    }
    Ok(())
}
