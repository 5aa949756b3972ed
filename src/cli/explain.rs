//! `kimg-lint explain RULE|BUILDER|GPU`: the documentation of a rule, or what is known of a builder or a GPU.
use super::{CliError, Color, terminal};
use crate::builders::records::RECORDS;
use crate::fleet::{self, Unresolved};
use crate::report::{builder, capability, docs};
use crate::rules::{builtin, find};
use std::io::Write;

pub(super) fn run(word: &str, color: Color, out: &mut dyn Write) -> Result<(), CliError> {
    if let Some(record) = RECORDS.iter().find(|r| r.id.eq_ignore_ascii_case(word)) {
        return Ok(builder::write(record, out, terminal::detect(color))?);
    }
    let rules: Vec<_> = builtin().iter().collect();
    let found = match (fleet::resolve(word), find(word, &rules)) {
        // a number without a dot is a rule's
        (Ok(device), rules) if rules.is_err() || !word.bytes().all(|b| b.is_ascii_digit()) => {
            return Ok(capability::write(&device, out, terminal::detect(color))?);
        }
        (_, Ok(rules)) => rules,
        (Err(gpu @ (Unresolved::Ambiguous { .. } | Unresolved::NoGpu { .. })), _) => {
            return Err(CliError::Gpu(gpu));
        }
        (Err(Unresolved::Unknown { nearest, .. }), Err(rule)) if rule.nearest.is_none() => {
            return Err(CliError::Unexplained(word.to_owned(), nearest.join(", ")));
        }
        (_, Err(rule)) => return Err(rule.into()),
    };
    for (index, rule) in found.into_iter().enumerate() {
        if index > 0 {
            writeln!(out, "\n")?;
        }
        docs::write(rule, out, terminal::detect(color))?;
    }
    Ok(())
}
