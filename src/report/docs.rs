//! The documentation of a rule, for a terminal: its little Markdown, wrapped and coloured.
use super::wrap::wrap;
use super::{Paint, Terminal, word};
use crate::rules::Rule;
use std::io::{self, Write};

/// Prose is no wider than this, however wide the terminal is.
const WIDEST: usize = 90;

/// Writes the documentation of a rule.
pub fn write(rule: &Rule, out: &mut dyn Write, terminal: Terminal) -> io::Result<()> {
    let title = format!("{} {}", rule.code, rule.name);
    let severities = rule.severities();
    let words: Vec<_> = severities
        .iter()
        .map(|&s| terminal.paint(Paint::Severity(s), word(s)))
        .collect();
    writeln!(
        out,
        "{} ({})\n",
        terminal.paint(Paint::Heading, &title),
        words.join(", ")
    )?;
    markdown(&rule.docs, out, terminal)?;
    if !rule.sources.is_empty() {
        writeln!(out, "\n{}", terminal.paint(Paint::Heading, "Sources"))?;
        for source in rule.sources.iter() {
            let source = wrap(source, width(terminal).saturating_sub(2));
            writeln!(out, "- {}", source.replace('\n', "\n  "))?;
        }
    }
    Ok(())
}

fn width(terminal: Terminal) -> usize {
    terminal.width.min(WIDEST)
}

/// Paragraphs, `## ` headings and fenced code.
fn markdown(text: &str, out: &mut dyn Write, terminal: Terminal) -> io::Result<()> {
    let mut paragraph = String::new();
    let mut fenced = false;
    for line in text.lines() {
        let prose =
            !fenced && !line.is_empty() && !line.starts_with("```") && !line.starts_with("## ");
        if prose {
            paragraph.push_str(line);
            paragraph.push(' ');
            continue;
        }
        flush(&mut paragraph, out, terminal)?;
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            writeln!(out, "    {}", terminal.paint(Paint::Code, line))?;
        } else if let Some(heading) = line.strip_prefix("## ") {
            writeln!(out, "{}", terminal.paint(Paint::Heading, heading))?;
        } else {
            writeln!(out)?;
        }
    }
    flush(&mut paragraph, out, terminal)
}

/// Writes the paragraph and empties it.
fn flush(paragraph: &mut String, out: &mut dyn Write, terminal: Terminal) -> io::Result<()> {
    for line in wrap(paragraph, width(terminal)).lines() {
        writeln!(out, "{}", inline(line, terminal))?;
    }
    paragraph.clear();
    Ok(())
}

/// Colours what stands between backticks.
fn inline(line: &str, terminal: Terminal) -> String {
    let parts = line.split('`').enumerate();
    let painted = parts.map(|(index, part)| {
        if index % 2 == 1 {
            terminal.paint(Paint::Code, part)
        } else {
            part.to_owned()
        }
    });
    painted.collect::<Vec<_>>().join("`")
}
