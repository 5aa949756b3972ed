//! `kimg-lint explain RULE|BUILDER|GPU`: the documentation of a rule, or what is known of a builder or a GPU.
use super::{CliError, Color, terminal};
use crate::builders::records::RECORDS;
use crate::fleet;
use crate::report::{builder, capability, docs};
use crate::rules::{builtin, find};
use std::io::Write;

pub(super) fn run(word: &str, color: Color, out: &mut dyn Write) -> Result<(), CliError> {
    if let Some(record) = RECORDS.iter().find(|r| r.id.eq_ignore_ascii_case(word)) {
        return Ok(builder::write(record, out, terminal::detect(color))?);
    }
    // a number without a dot is a rule's
    let found = fleet::resolve(word)
        .ok()
        .filter(|_| !word.bytes().all(|b| b.is_ascii_digit()));
    if let Some(device) = found {
        return Ok(capability::write(&device, out, terminal::detect(color))?);
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
