//! The table of rules, for a terminal.
use super::wrap::wrap;
use super::{Paint, Terminal, word};
use crate::rules::Rule;
use std::io::{self, Write};

/// Columns of a severity, and of the space between two columns.
const SEVERITY: usize = "warning".len();
const GAP: usize = 2;

/// The narrowest last column.
const NARROWEST: usize = 30;

/// Writes a row for each rule: its code, its name, the worst severity that it can have, what it says.
pub fn write(rules: &[&Rule], out: &mut dyn Write, terminal: Terminal) -> io::Result<()> {
    let longest = |text: fn(&Rule) -> usize| {
        rules
            .iter()
            .map(|rule| text(rule))
            .max()
            .unwrap_or_default()
    };
    let code = longest(|rule| rule.code.len());
    let name = longest(|rule| rule.name.len());
    let indent = code + name + SEVERITY + 3 * GAP;
    let room = terminal.width.saturating_sub(indent).max(NARROWEST);
    for rule in rules {
        write!(out, "{:code$}  {:name$}  ", rule.code, rule.name)?;
        if let Some(worst) = rule.severities().first() {
            let padded = format!("{:SEVERITY$}", word(*worst));
            write!(
                out,
                "{}  ",
                terminal.paint(Paint::Severity(*worst), &padded)
            )?;
        }
        let says = wrap(&rule.summary(), room);
        writeln!(out, "{}", says.replace('\n', &format!("\n{:indent$}", "")))?;
    }
    Ok(())
}
