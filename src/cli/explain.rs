//! `kimg-lint explain RULE|BUILDER`: the documentation of a rule, or what is known of a builder.
use super::{CliError, Color, terminal};
use crate::builders::records::RECORDS;
use crate::report::{builder, docs};
use crate::rules::{builtin, find};
use std::io::Write;

pub(super) fn run(word: &str, color: Color, out: &mut dyn Write) -> Result<(), CliError> {
    if let Some(record) = RECORDS.iter().find(|r| r.id.eq_ignore_ascii_case(word)) {
        return Ok(builder::write(record, out, terminal::detect(color))?);
    }
    let rules: Vec<_> = builtin().iter().collect();
    for (index, rule) in find(word, &rules)?.into_iter().enumerate() {
        if index > 0 {
            writeln!(out, "\n")?;
        }
        docs::write(rule, out, terminal::detect(color))?;
    }
    Ok(())
}
