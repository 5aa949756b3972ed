//! `gitlab`: a code quality report.
use super::{Report, explained};
use crate::facts::Severity;
use crate::relative::relative;
use crate::rules::fingerprints;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes an issue for each finding that counts.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let prints = fingerprints(&report.findings, &report.texts, |path| {
        relative(path, &report.here)
    });
    let findings = report.findings.iter().zip(prints);
    let issues = findings
        .filter(|(finding, _)| finding.suppressed.is_none())
        .map(|(finding, print)| {
            json!({
                "type": "issue",
                "check_name": finding.code,
                "description": format!("{}: {}", finding.code, explained(finding)),
                "categories": ["Compatibility"],
                "severity": match finding.severity {
                    Severity::Error => "critical",
                    Severity::Warning => "major",
                    Severity::Info => "info",
                },
                "fingerprint": print,
                "location": {
                    "path": relative(&finding.path, &report.here),
                    "lines": {"begin": finding.span.line.max(1), "end": finding.span.end_line.max(1)},
                },
            })
        });
    let issues: Vec<Value> = issues.collect();
    serde_json::to_writer_pretty(&mut *out, &issues)?;
    writeln!(out)
}
