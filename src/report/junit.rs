//! `junit`: a suite for each file, in which each finding is a test.
//!
//! Errors and warnings fail, suppressed findings are skipped, infos pass; a file with none of them is one test that passes.
use super::plain::plain;
use super::{Report, explained, word};
use crate::facts::{Finding, Severity};
use crate::relative::relative;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes the suites in the order of their names.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut suites: BTreeMap<String, Vec<&Finding>> = BTreeMap::new();
    for path in &report.files {
        suites.entry(relative(path, &report.here)).or_default();
    }
    for finding in &report.findings {
        let suite = suites.entry(relative(&finding.path, &report.here));
        suite.or_default().push(finding);
    }
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>"
    )?;
    for (id, (path, findings)) in suites.iter().enumerate() {
        suite(report, id, path, findings, out)?;
    }
    writeln!(out, "</testsuites>")
}

fn suite(
    report: &Report,
    id: usize,
    path: &str,
    findings: &[&Finding],
    out: &mut dyn Write,
) -> io::Result<()> {
    let skipped = findings.iter().filter(|f| f.suppressed.is_some()).count();
    let failures = findings.iter().filter(|f| fails(f)).count();
    let name = text(path);
    writeln!(
        out,
        "  <testsuite id=\"{id}\" package=\"kimg-lint\" name=\"{name}\" timestamp=\"{}\" hostname=\"localhost\" \
         tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\">\n    <properties/>",
        report.time,
        findings.len().max(1),
    )?;
    for finding in findings {
        test(path, finding, out)?;
    }
    if findings.is_empty() {
        writeln!(
            out,
            "    <testcase classname=\"{name}\" name=\"nothing found\" time=\"0\"/>"
        )?;
    }
    writeln!(out, "    <system-out/>\n    <system-err/>\n  </testsuite>")
}

fn fails(finding: &Finding) -> bool {
    finding.suppressed.is_none() && finding.severity >= Severity::Warning
}

fn test(path: &str, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let Finding {
        code, rule, span, ..
    } = finding;
    let (line, column) = (span.line.max(1), span.column.max(1));
    let name = text(&format!("{code} {rule} {line}:{column}"));
    write!(
        out,
        "    <testcase classname=\"{}\" name=\"{name}\" time=\"0\"",
        text(path)
    )?;
    let message = text(&finding.message);
    match &finding.suppressed {
        Some(suppressed) => {
            let reason = text(&suppressed.reason);
            writeln!(
                out,
                "><skipped message=\"{reason}\">{message}</skipped></testcase>"
            )
        }
        None if fails(finding) => {
            let place = text(&format!("{path}:{line}:{column}"));
            let lines: Vec<String> = explained(finding).lines().map(text).collect();
            writeln!(
                out,
                "><failure type=\"{}\" message=\"{message}\">{place}\n{}</failure></testcase>",
                word(finding.severity),
                lines.join("\n")
            )
        }
        None => writeln!(out, "/>"),
    }
}

/// Text as XML takes it, in a value or between tags; control characters, which it cannot hold, as their pictures.
fn text(text: &str) -> String {
    plain(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
