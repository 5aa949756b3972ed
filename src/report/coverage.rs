//! Builds × GPUs, for a terminal: native, by PTX, missing.
use super::plain::plain;
use super::verdict::word;
use super::{Paint, Terminal};
use crate::facts::{Build, Compiles, GpuCoverage, Severity, Verdict};
use std::io::{self, Write};

/// GPUs that have the same verdicts everywhere, together.
struct Column<'b> {
    /// Their capability.
    title: &'b str,
    gpus: Vec<&'b str>,
    /// By build.
    verdicts: Vec<Option<Verdict>>,
}

/// Columns between two columns.
const GAP: usize = 2;

/// Writes a row for each build that compiles, and what each column stands for.
pub fn write(builds: &[Build], out: &mut dyn Write, terminal: Terminal) -> io::Result<()> {
    let builds: Vec<&Build> = builds
        .iter()
        .filter(|b| b.compiles != Compiles::No)
        .collect();
    if builds.is_empty() {
        return writeln!(out, "nothing in these files compiles device code");
    }
    let labels: Vec<String> = builds.iter().map(|build| label(build)).collect();
    let columns = columns(&builds);
    let first = labels
        .iter()
        .map(|label| label.chars().count())
        .max()
        .unwrap_or_default();
    let widths: Vec<usize> = columns.iter().map(Column::width).collect();
    let titles = columns.iter().zip(&widths);
    let titles: String = titles
        .map(|(column, width)| format!("{:GAP$}{:width$}", "", column.title))
        .collect();
    writeln!(out, "{}", format!("{:first$}{titles}", "").trim_end())?;
    let line = if terminal.unicode { "─" } else { "-" };
    let all = first + widths.iter().map(|width| GAP + width).sum::<usize>();
    writeln!(out, "{}", line.repeat(all))?;
    for (index, label) in labels.iter().enumerate() {
        let cells = columns.iter().zip(&widths).map(|(column, width)| {
            let verdict = column.verdicts.get(index).copied().flatten();
            let padding = width - word(verdict).len();
            let painted = paint(verdict, word(verdict), terminal);
            format!("{:GAP$}{painted}{:padding$}", "", "")
        });
        let cells: String = cells.collect();
        writeln!(out, "{}", format!("{label:first$}{cells}").trim_end())?;
    }
    writeln!(out)?;
    for column in &columns {
        writeln!(
            out,
            "{:5}  {}",
            column.title,
            plain(&column.gpus.join(", "))
        )?;
    }
    Ok(())
}

/// `Dockerfile:3 gsplat`.
fn label(build: &Build) -> String {
    let text = format!("{}:{} {}", build.path, build.span.line, build.builder);
    plain(&text).into_owned()
}

fn columns<'b>(builds: &[&'b Build]) -> Vec<Column<'b>> {
    let mut columns: Vec<Column<'b>> = Vec::new();
    for gpu in builds.iter().flat_map(|build| &build.coverage) {
        if columns
            .iter()
            .any(|column| column.gpus.contains(&&*gpu.gpu))
        {
            continue;
        }
        let of_build = |build: &&Build| {
            let found = build.coverage.iter().find(|other| other.gpu == gpu.gpu);
            found.map(|found: &GpuCoverage| found.verdict)
        };
        let verdicts: Vec<Option<Verdict>> = builds.iter().map(of_build).collect();
        let same = |column: &&mut Column<'_>| {
            column.title == gpu.capability && column.verdicts == verdicts
        };
        match columns.iter_mut().find(same) {
            Some(column) => column.gpus.push(&gpu.gpu),
            None => columns.push(Column {
                title: &gpu.capability,
                gpus: vec![&gpu.gpu],
                verdicts,
            }),
        }
    }
    columns
}

impl Column<'_> {
    fn width(&self) -> usize {
        let words = self.verdicts.iter().map(|verdict| word(*verdict).len());
        words.chain([self.title.len()]).max().unwrap_or_default()
    }
}

fn paint(verdict: Option<Verdict>, text: &str, terminal: Terminal) -> String {
    let severity = match verdict {
        Some(Verdict::Missing | Verdict::Blocked) => Severity::Error,
        Some(Verdict::Jit | Verdict::Partial) => Severity::Warning,
        Some(Verdict::Unknown) => Severity::Info,
        Some(Verdict::Native) | None => return text.to_owned(),
    };
    terminal.paint(Paint::Severity(severity), text)
}
