//! A builder record, for a terminal.
use super::wrap::wrap;
use super::{Paint, Terminal};
use crate::builders::judge::{compiles_rows, ignored_names, knobs_of, outcome_rows};
use crate::builders::record::{Cond, Record};
use crate::builders::trace::note;
use crate::table::One;
use std::io::{self, Write};

/// Writes one record.
pub fn write(record: &'static Record, out: &mut dyn Write, terminal: Terminal) -> io::Result<()> {
    let heading = |text: &str| terminal.paint(Paint::Heading, text);
    let note = note(record);
    writeln!(
        out,
        "{} ({}, {} confidence)",
        heading(&record.title),
        note.id,
        note.confidence
    )?;
    section(
        out,
        terminal,
        "Whether it compiles",
        compiles_rows(record)
            .iter()
            .map(|r| row(r.when, &format!("{:?}", r.then).to_lowercase(), &r.say)),
    )?;
    section(
        out,
        terminal,
        "What it reads, in its order",
        knobs_of(record).iter().map(|k| {
            let syntax = k
                .syntax
                .map(|s| format!(", written as {s}"))
                .unwrap_or_default();
            let when = k.when.map(|c| format!(", if {c}")).unwrap_or_default();
            format!("{} ({}{syntax}){when}", k.name, k.place)
        }),
    )?;
    section(
        out,
        terminal,
        "What follows",
        outcome_rows(record)
            .iter()
            .map(|r| row(r.when, &r.then.to_string(), &r.say)),
    )?;
    section(
        out,
        terminal,
        "What it does not read",
        ignored_names(record).iter().map(|n| n.to_string()),
    )?;
    section(out, terminal, "Who says so", note.sources.iter().cloned())?;
    section(
        out,
        terminal,
        "Notes",
        Some(note.notes).into_iter().filter(|n| !n.is_empty()),
    )
}

fn row(when: Option<One<Cond>>, then: &str, say: &str) -> String {
    let when = when.map_or_else(|| "otherwise".to_owned(), |c| format!("if {c}"));
    if say.is_empty() {
        format!("{when}: {then}")
    } else {
        format!("{when}: {then}, {say}")
    }
}

fn section(
    out: &mut dyn Write,
    terminal: Terminal,
    title: &str,
    items: impl Iterator<Item = String>,
) -> io::Result<()> {
    for (index, item) in items.enumerate() {
        if index == 0 {
            writeln!(out, "\n{}", terminal.paint(Paint::Heading, title))?;
        }
        let text = wrap(&item, terminal.width.min(100).saturating_sub(4));
        writeln!(out, "  - {}", text.replace('\n', "\n    "))?;
    }
    Ok(())
}
