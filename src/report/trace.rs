//! A trace, for a terminal.
use super::wrap::wrap;
use super::{Paint, Terminal};
use crate::facts::{Compiles, Confidence, Known, RowNote, SetAt, Trace};
use std::io::{self, Write};

/// Writes one trace.
pub fn write(trace: &Trace, out: &mut dyn Write, terminal: Terminal) -> io::Result<()> {
    let build = &trace.build;
    let heading = |text: &str| terminal.paint(Paint::Heading, text);
    writeln!(
        out,
        "{}:{}:{}: {}",
        build.path,
        build.span.line,
        build.span.column,
        heading(&build.title)
    )?;
    writeln!(out, "    {}", terminal.paint(Paint::Code, &build.command))?;
    for through in &build.through {
        let (path, line) = (&through.path, through.span.line);
        writeln!(out, "    by way of {path}:{line}")?;
    }
    let sure = if build.confidence == Confidence::Certain {
        ""
    } else {
        ", likely"
    };
    let compiles = match build.compiles {
        Compiles::Yes => "compiles device code",
        Compiles::Maybe => "may compile device code",
        Compiles::No => "compiles no device code",
    };
    writeln!(out, "\n{}", heading("What it does"))?;
    let because = if build.because.is_empty() {
        String::new()
    } else {
        format!(": {}", build.because)
    };
    item(out, terminal, &format!("{compiles}{sure}{because}"))?;
    item(out, terminal, &build.outcome_text)?;
    if let Some(cause) = &build.cause {
        item(
            out,
            terminal,
            &format!("{}:{}: {}", cause.path, cause.span.line, cause.say),
        )?;
    }
    if !build.arch.images.is_empty() {
        item(
            out,
            terminal,
            &format!("images: {}", build.arch.images.join(" ")),
        )?;
    }
    for alternative in &build.arch.alternatives {
        item(
            out,
            terminal,
            &format!(
                "or, when {}: {}",
                alternative.when,
                alternative.images.join(" ")
            ),
        )?;
    }
    if !trace.candidates.is_empty() {
        writeln!(out, "\n{}", heading("What it reads, in its order"))?;
    }
    for candidate in &trace.candidates {
        let text = if candidate.text.is_empty() {
            String::new()
        } else {
            format!(" = `{}`", candidate.text)
        };
        let at = |at| set_at(at, &build.path);
        let place = candidate.set_at.as_ref().map(at).unwrap_or_default();
        item(
            out,
            terminal,
            &format!(
                "{} ({}){text}: {}{place}",
                candidate.name, candidate.place, candidate.what
            ),
        )?;
    }
    if !build.lost.is_empty() {
        writeln!(out, "\n{}", heading("What does not count"))?;
    }
    for lost in &build.lost {
        item(
            out,
            terminal,
            &format!(
                "{} = `{}` in {}: {}",
                lost.name,
                lost.text,
                line_of(&lost.path, lost.span.line, &build.path),
                lost.why_text
            ),
        )?;
    }
    writeln!(out, "\n{}", heading("What is there"))?;
    for (name, there, more) in &trace.tools {
        let there = match there {
            Known::Yes => "yes",
            Known::No => "no",
            Known::Unknown => "not known",
        };
        item(out, terminal, format!("{name}: {there} {more}").trim_end())?;
    }
    if !trace.read.is_empty() {
        writeln!(out, "\n{}", heading("What else was read"))?;
        let context = &trace.context;
        item(
            out,
            terminal,
            &format!("the build context is taken to be {context}"),
        )?;
        item(out, terminal, &trace.read.join(", "))?;
    }
    rows(out, terminal, "Whether it compiles", &trace.compiles)?;
    rows(out, terminal, "What follows", &trace.outcome)?;
    writeln!(out, "\n{}", heading("Who says so"))?;
    item(
        out,
        terminal,
        &format!(
            "record {}, {} confidence",
            trace.record.id, trace.record.confidence
        ),
    )?;
    for source in &trace.record.sources {
        item(out, terminal, source)?;
    }
    if !build.suggest.is_empty() {
        writeln!(out, "\n{}", heading("To write"))?;
        writeln!(out, "    {}", terminal.paint(Paint::Code, &build.suggest))?;
    }
    Ok(())
}

fn rows(out: &mut dyn Write, terminal: Terminal, title: &str, rows: &[RowNote]) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", terminal.paint(Paint::Heading, title))?;
    for row in rows {
        let when = if row.when.is_empty() {
            "otherwise".to_owned()
        } else {
            format!("if {}", row.when)
        };
        let unsure = if row.unsure && !row.when.is_empty() {
            " (not known here)"
        } else {
            ""
        };
        let say = if row.say.is_empty() {
            String::new()
        } else {
            format!(": {}", row.say)
        };
        item(out, terminal, &format!("{when}{unsure}: {}{say}", row.then))?;
    }
    Ok(())
}

/// A line of the linted file, or of another one.
fn line_of(path: &str, line: u32, linted: &str) -> String {
    if path == linted {
        format!("line {line}")
    } else {
        format!("{path}:{line}")
    }
}

fn set_at(at: &SetAt, linted: &str) -> String {
    match at.span {
        Some(span) => format!(", set in {}", line_of(&at.path, span.line, linted)),
        None => ", set by the base image or the command line".to_owned(),
    }
}

fn item(out: &mut dyn Write, terminal: Terminal, text: &str) -> io::Result<()> {
    let text = wrap(text, terminal.width.min(100).saturating_sub(4));
    writeln!(out, "  - {}", text.replace('\n', "\n    "))
}
