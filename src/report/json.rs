//! `--format json`: one object, version 1, with a committed schema.
use super::Report;
use std::io::{self, Write};

/// Writes the report as one JSON object and a line break.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}
