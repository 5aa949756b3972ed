//! `markdown`: a summary with the coverage of every GPU, for a merge request or `$GITHUB_STEP_SUMMARY`.
use super::grid::{Grid, grids};
use super::human::summary;
use super::plain::plain;
use super::{Report, word};
use crate::facts::Finding;
use crate::relative::relative;
use std::cmp::Reverse;
use std::io::{self, Write};

/// The most findings and rows of a table that are written; GitHub refuses a summary of more than a mebibyte.
const MOST: usize = 500;

/// Writes the counts, the findings that count with the most severe first, the coverage, and what is suppressed.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## kimg-lint: {}", summary(report))?;
    let mut findings: Vec<&Finding> = report.counted().collect();
    findings.sort_by_key(|finding| Reverse(finding.severity));
    if !findings.is_empty() {
        writeln!(out, "\n| | rule | place | finding |\n|---|---|---|---|")?;
    }
    for finding in findings.iter().take(MOST) {
        writeln!(
            out,
            "| {} | [{}]({}) | {} | {} |",
            word(finding.severity),
            finding.code,
            finding.url,
            code(&place(report, finding)),
            text(&finding.message)
        )?;
    }
    more(findings.len(), out)?;
    for table in grids(&report.builds, &report.artifacts) {
        grid(&table, out)?;
    }
    suppressed(report, out)
}

fn grid(grid: &Grid, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\n| {} |", grid.title)?;
    for (name, capability) in &grid.gpus {
        write!(out, " {} ({capability}) |", text(name))?;
    }
    writeln!(out, "\n|---|{}", "---|".repeat(grid.gpus.len()))?;
    for row in grid.rows.iter().take(MOST) {
        write!(out, "| {} |", text(&row.title))?;
        for cell in &row.cells {
            match cell.verdict {
                "partial" => write!(out, " partial: {} |", cell.detail)?,
                verdict => write!(out, " {verdict} |")?,
            }
        }
        writeln!(out)?;
    }
    more(grid.rows.len(), out)
}

fn suppressed(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let findings = report.findings.iter();
    let suppressed: Vec<_> = findings
        .filter_map(|finding| Some((finding, finding.suppressed.as_ref()?)))
        .collect();
    if suppressed.is_empty() {
        return Ok(());
    }
    let count = suppressed.len();
    writeln!(out, "\n<details><summary>{count} suppressed</summary>\n")?;
    for (finding, suppressed) in suppressed.iter().take(MOST) {
        let place = code(&place(report, finding));
        let reason = text(&suppressed.reason);
        writeln!(out, "- {} {place}: {reason}", finding.code)?;
    }
    more(count, out)?;
    writeln!(out, "\n</details>")
}

fn more(all: usize, out: &mut dyn Write) -> io::Result<()> {
    match all.saturating_sub(MOST) {
        0 => Ok(()),
        left => writeln!(out, "\n{left} more are left out."),
    }
}

fn place(report: &Report, finding: &Finding) -> String {
    let path = relative(&finding.path, &report.here);
    format!("{path}:{}", finding.span.line.max(1))
}

/// A span of code in a cell of a table.
fn code(text: &str) -> String {
    // a span of code has no escapes, so what would end it, or the cell, is replaced
    let text = plain(text).replace('`', "'").replace('|', "\\|");
    format!("`{text}`")
}

/// Text in a cell of a table. Spans of code that it has stay; what Markdown or HTML would obey does not.
fn text(text: &str) -> String {
    let mut escaped = String::new();
    let spans = text.matches('`').count() / 2 * 2;
    let mut ticks = 0;
    for c in plain(text).chars() {
        let in_code = ticks % 2 == 1 && ticks < spans;
        match c {
            '`' if ticks < spans => {
                ticks += 1;
                escaped.push(c);
            }
            '|' => escaped.push_str("\\|"),
            '<' if !in_code => escaped.push_str("&lt;"),
            '&' if !in_code => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '~' if !in_code => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_any_text() {
        for (given, expected) in [
            ("rejects `8.0,9.0` in A_B", "rejects `8.0,9.0` in A\\_B"),
            ("a | b", "a \\| b"),
            ("`a|b`", "`a\\|b`"),
            ("`<b>` <b> & c", "`<b>` &lt;b> &amp; c"),
            ("one ` only", "one \\` only"),
            ("`a` and ` b", "`a` and \\` b"),
            ("[x](y) *z*", "\\[x\\](y) \\*z\\*"),
            ("two\nlines", "two␊lines"),
        ] {
            assert_eq!(text(given), expected);
        }
        assert_eq!(code("a`b|c"), "`a'b\\|c`");
    }
}
