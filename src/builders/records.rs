//! The records that are built in, from `rules/knowledge/builders`.
use super::record::*;
use crate::actions::verb::Verb;
use crate::table::{List, One, Pairs, Text, Trust};

include!(concat!(env!("OUT_DIR"), "/builders.rs"));

/// The commands with the expected answer of a built-in record.
pub fn examples(record: &Record) -> &'static [Example] {
    let own = EXAMPLES.iter().find(|(id, _)| *id == record.id);
    own.map_or(&[], |(_, examples)| examples.0)
}

/// The record whose keys hold where this one has none.
pub fn parent(record: &Record) -> Option<&'static Record> {
    let id = record.extends?;
    RECORDS.iter().find(|r| r.id == id)
}
