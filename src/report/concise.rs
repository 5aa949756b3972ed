//! `--format concise`: `path:line:column: CODE message`, one line a finding.
use super::Report;
use super::plain::plain;
use std::io::{self, Write};

/// Writes a line for each finding that counts.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for finding in report.counted() {
        let path = plain(&finding.path);
        let message = plain(&finding.message);
        let (line, column) = (finding.span.line, finding.span.column);
        writeln!(out, "{path}:{line}:{column}: {} {message}", finding.code)?;
    }
    Ok(())
}
