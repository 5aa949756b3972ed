//! `github`: workflow commands that GitHub Actions turns into annotations.
use super::plain::plain;
use super::{Report, explained};
use crate::facts::{Finding, Severity};
use crate::relative::relative;
use std::cmp::Reverse;
use std::io::{self, Write};

/// As many annotations of one kind as GitHub shows of a step; it drops the others without a word.
const SHOWN: usize = 10;

/// Writes an annotation for each finding that counts, the most severe first; those that GitHub would drop as lines of the log.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut findings: Vec<&Finding> = report.counted().collect();
    findings.sort_by_key(|finding| Reverse(finding.severity));
    let mut dropped: Vec<&Finding> = Vec::new();
    for kind in findings.chunk_by(|a, b| a.severity == b.severity) {
        let (shown, others) = kind.split_at(kind.len().min(SHOWN));
        for finding in shown {
            annotation(report, finding, out)?;
        }
        dropped.extend(others);
    }
    for finding in dropped {
        let (path, line) = (&finding.path, finding.span.line);
        let text = format!("{path}:{line}: {} {}", finding.code, finding.message);
        // in the middle of a line, only the old form of a command is obeyed
        let text = plain(&text).replace("##[", "## [");
        writeln!(out, "not annotated: {text}")?;
    }
    Ok(())
}

fn annotation(report: &Report, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let place = finding.span;
    let file = property(&relative(&finding.path, &report.here));
    write!(out, "::{command} file={file},line={}", place.line.max(1))?;
    // columns are of one line only
    if place.length > 0 && place.line == place.end_line {
        write!(out, ",col={},endColumn={}", place.column, place.end_column)?;
    } else if place.end_line > place.line {
        write!(out, ",endLine={}", place.end_line)?;
    }
    let title = property(&format!("{} {}", finding.code, finding.rule));
    writeln!(out, ",title={title}::{}", data(&explained(finding)))
}

/// The text of a command: what would end it is escaped.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A value of a command: what would end it, or the text, is escaped.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(data("50% a\r\n::error::b"), "50%25 a%0D%0A::error::b");
        assert_eq!(property("a:b,c%"), "a%3Ab%2Cc%25");
    }
}
