//! The records that are built in, from `rules/knowledge/builders`.
use super::record::*;
use crate::actions::verb::Verb;
use crate::table::{List, Pairs, Text, Trust};

include!(concat!(env!("OUT_DIR"), "/builders.rs"));

/// The record whose keys hold where this one has none.
pub fn parent(record: &Record) -> Option<&'static Record> {
    let id = record.extends?;
    RECORDS.iter().find(|r| r.id == id)
}
