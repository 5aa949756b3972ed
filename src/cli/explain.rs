//! `kimg-lint explain WORD…`: the documentation of a rule, what is known of a builder or a GPU, or what an error means.
use super::{CliError, Color, terminal};
use crate::builders::records::RECORDS;
use crate::fleet;
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
    if let Some(device) = fleet::resolve(word).ok().filter(|_| !number) {
        return Ok(capability::write(&device, out, terminal)?);
    }
    let errors = errors::find(word);
    let rules: Vec<_> = builtin().iter().collect();
    let rules = match find(word, &rules) {
        Ok(rules) => rules,
        Err(_) if !errors.is_empty() => Vec::new(),
        Err(_) if word.contains(char::is_whitespace) => return Err(CliError::UnknownMessage),
        Err(unknown) => return Err(unknown.into()),
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
