//! What is known of an error, for a terminal.
use super::wrap::wrap;
use super::{Paint, Terminal};
use crate::knowledge::CudaError;
use std::io::{self, Write};

/// Prose is no wider than this, however wide the terminal is.
const WIDEST: usize = 90;

/// Writes what the error means, what else it can be, and what to run next.
pub fn write(error: &CudaError, out: &mut dyn Write, terminal: Terminal) -> io::Result<()> {
    let width = terminal.width.min(WIDEST);
    let heading = |text: &str| terminal.paint(Paint::Heading, text);
    writeln!(out, "{}", heading(&error.title))?;
    if !error.names.is_empty() {
        let names: Vec<&str> = error.names.iter().map(|name| name.as_str()).collect();
        writeln!(out, "{}", wrap(&names.join(", "), width))?;
    }
    writeln!(out, "\n{}", wrap(&error.cause, width))?;
    let item = |text: &str| wrap(text, width.saturating_sub(2)).replace('\n', "\n  ");
    if !error.others.is_empty() {
        writeln!(out, "\n{}", heading("What else it can be"))?;
        for other in error.others.iter() {
            writeln!(out, "- {}", item(other))?;
        }
    }
    writeln!(out, "\n{}", heading("What to run next"))?;
    for step in error.next.iter() {
        writeln!(out, "    {}", terminal.paint(Paint::Code, &step.run))?;
        let why = wrap(&step.why, width.saturating_sub(8));
        writeln!(out, "        {}", why.replace('\n', "\n        "))?;
    }
    writeln!(out, "\n{}", heading("Sources"))?;
    for source in error.sources.iter() {
        writeln!(out, "- {}", item(source))?;
    }
    Ok(())
}
