//! `kimg-lint explain WORD…`: the documentation of a rule, what is known of a builder or a GPU, or what an error means.
use super::{CliError, Color, terminal};
use crate::builders::records::RECORDS;
use crate::fleet::{self, Unresolved};
use crate::knowledge::errors;
use crate::report::{builder, capability, docs, error};
use crate::rules::{builtin, find};
use std::io::{self, Read, Write};

/// A pasted message is read up to this size, in bytes.
const LARGEST: u64 = 1 << 20;
/// Errors that one message is explained by, at most.
const MOST: usize = 3;

pub(super) fn run(words: &[String], color: Color, out: &mut dyn Write) -> Result<(), CliError> {
    let text = match words {
        [word] if word == "-" => pasted()?,
        words => words.join(" "),
    };
    let (word, terminal) = (text.trim(), terminal::detect(color));
    if let Some(record) = RECORDS.iter().find(|r| r.id.eq_ignore_ascii_case(word)) {
        return Ok(builder::write(record, out, terminal)?);
    }
    // a number without a dot is a rule's, or an error's
    let number = word.bytes().all(|b| b.is_ascii_digit());
    let errors = errors::find(word);
    let rules: Vec<_> = builtin().iter().collect();
    let (gpu, rules) = (fleet::resolve(word), find(word, &rules));
    if let Ok(device) = &gpu
        && (!number || rules.is_err() && errors.is_empty())
    {
        return Ok(capability::write(device, out, terminal)?);
    }
    let rules = match (rules, gpu) {
        (Ok(rules), _) => rules,
        (Err(_), _) if !errors.is_empty() => Vec::new(),
        (Err(_), Err(gpu @ (Unresolved::Ambiguous { .. } | Unresolved::NoGpu { .. }))) => {
            return Err(CliError::Gpu(gpu));
        }
        (Err(_), _) if word.contains(char::is_whitespace) => return Err(CliError::UnknownMessage),
        (Err(rule), Err(Unresolved::Unknown { nearest, .. }))
            if rule.nearest.is_none() && !names_a_rule(word) =>
        {
            return Err(CliError::Unexplained(word.to_owned(), nearest.join(", ")));
        }
        (Err(rule), _) => return Err(rule.into()),
    };
    let mut first = true;
    for error in errors.into_iter().take(MOST) {
        separate(&mut first, out)?;
        error::write(error, out, terminal)?;
    }
    for rule in rules {
        separate(&mut first, out)?;
        docs::write(rule, out, terminal)?;
    }
    Ok(())
}

fn separate(first: &mut bool, out: &mut dyn Write) -> io::Result<()> {
    if !std::mem::take(first) {
        writeln!(out, "\n")?;
    }
    Ok(())
}

fn pasted() -> Result<String, CliError> {
    let mut text = Vec::new();
    let read = io::stdin().lock().take(LARGEST).read_to_end(&mut text);
    read.map_err(|error| CliError::Unreadable("-".to_owned(), error.to_string()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// `KIMG999`: no GPU is called so.
fn names_a_rule(word: &str) -> bool {
    word.get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("KIMG"))
}
