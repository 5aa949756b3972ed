//! `kimg-lint explain RULE`: the documentation of a rule.
use super::{CliError, Color, terminal};
use crate::report::docs;
use crate::rules::{builtin, find};
use std::io::Write;

pub(super) fn run(word: &str, color: Color, out: &mut dyn Write) -> Result<(), CliError> {
    let rules: Vec<_> = builtin().iter().collect();
    for (index, rule) in find(word, &rules)?.into_iter().enumerate() {
        if index > 0 {
            writeln!(out, "\n")?;
        }
        docs::write(rule, out, terminal::detect(color))?;
    }
    Ok(())
}
