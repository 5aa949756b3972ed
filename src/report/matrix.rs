//! The table of `kimg-lint verify`: files by GPUs. Files of one package with the same verdicts share a row.
use super::Terminal;
use super::verdict::{ALL, meaning, word};
use crate::facts::{Artifact, Verdict};
use std::io::{self, Write};

/// The widest name of a file.
const NAME_WIDTH: usize = 44;

/// Files of one package with the same verdicts.
pub(super) struct Row<'a> {
    /// The package; empty for a file of its own.
    pub(super) package: &'a str,
    name: String,
    files: usize,
    pub(super) verdicts: Vec<Option<&'a crate::facts::ArtifactCoverage>>,
}

/// Writes the table, and below it what its signs mean. Files without device code have no row.
pub fn write(
    artifacts: &[Artifact],
    gpus: &[(String, String)],
    terminal: Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows = rows(artifacts, gpus);
    if rows.is_empty() || gpus.is_empty() {
        return Ok(());
    }
    plain(&rows, gpus, terminal, out)
}

pub(super) fn rows<'a>(artifacts: &'a [Artifact], gpus: &[(String, String)]) -> Vec<Row<'a>> {
    let mut rows: Vec<(Row, &str)> = Vec::new();
    for artifact in artifacts.iter().filter(|a| !a.coverage.is_empty()) {
        let verdicts: Vec<_> = gpus
            .iter()
            .map(|(name, _)| artifact.coverage.iter().find(|c| c.gpu == *name))
            .collect();
        let signs =
            |row: &Row| -> Vec<_> { row.verdicts.iter().map(|v| v.map(|c| c.verdict)).collect() };
        let new = Row {
            package: match artifact.member.as_str() {
                "" => "",
                _ => artifact.path.rsplit('/').next().unwrap_or_default(),
            },
            name: match artifact.member.as_str() {
                "" => artifact.path.clone(),
                member => member.to_owned(),
            },
            files: 1,
            verdicts,
        };
        let same = rows
            .iter_mut()
            .find(|(row, path)| *path == artifact.path && signs(row) == signs(&new));
        match same {
            Some((row, _)) => row.files += 1,
            None => rows.push((new, &artifact.path)),
        }
    }
    rows.into_iter().map(|(row, _)| row).collect()
}

impl Row<'_> {
    /// The name, cut at the front, since names differ at their ends.
    pub(super) fn title(&self, width: usize) -> String {
        let more = match self.files {
            1 => String::new(),
            files => format!(" +{}", files - 1),
        };
        let room = width.saturating_sub(more.chars().count());
        let length = self.name.chars().count();
        let name: String = if length > room {
            let kept = self.name.chars().skip(length - room + 1);
            std::iter::once('…').chain(kept).collect()
        } else {
            self.name.clone()
        };
        name + &more
    }
}

fn plain(
    rows: &[Row],
    gpus: &[(String, String)],
    terminal: Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let room = terminal
        .width
        .saturating_sub(gpus.len() * 6)
        .clamp(20, NAME_WIDTH);
    let longest = rows.iter().map(|row| row.title(room).chars().count()).max();
    let width = longest.unwrap_or(0).max(4);
    write!(out, "{:width$}", "file")?;
    for (_, capability) in gpus {
        write!(out, "  {capability:>4}")?;
    }
    writeln!(out)?;
    let mut package = "";
    for row in rows {
        if row.package != package && !row.package.is_empty() {
            writeln!(out, "{}", row.package)?;
        }
        package = row.package;
        let title = row.title(room);
        let padding = width.saturating_sub(title.chars().count());
        write!(out, "{title}{:padding$}", "")?;
        for verdict in &row.verdicts {
            let sign = sign(verdict.map(|c| c.verdict), terminal);
            let color = verdict.map_or(0, |c| color(c.verdict));
            if terminal.color {
                write!(out, "     \u{1b}[{color}m{sign}\u{1b}[0m")?;
            } else {
                write!(out, "     {sign}")?;
            }
        }
        writeln!(out)?;
    }
    writeln!(out)?;
    for (name, capability) in gpus {
        writeln!(out, "{capability:>4}  {name}")?;
    }
    let used = |verdict: &Verdict| {
        let all = rows.iter().flat_map(|row| &row.verdicts).flatten();
        all.into_iter().any(|c| c.verdict == *verdict)
    };
    let legend: Vec<String> = ALL
        .iter()
        .filter(|verdict| used(verdict))
        .map(|&verdict| {
            format!(
                "{} {}: {}",
                sign(Some(verdict), terminal),
                word(Some(verdict)),
                meaning(verdict)
            )
        })
        .collect();
    writeln!(out, "\n{}", legend.join("\n"))
}

fn sign(verdict: Option<Verdict>, terminal: Terminal) -> char {
    let (unicode, ascii) = match verdict {
        Some(Verdict::Native) => ('✔', '+'),
        Some(Verdict::Jit) => ('↻', 'j'),
        Some(Verdict::Partial) => ('◐', '%'),
        Some(Verdict::Missing) => ('✘', 'x'),
        Some(Verdict::Blocked) => ('⊘', '!'),
        Some(Verdict::Unknown) => ('?', '?'),
        None => ('-', '-'),
    };
    if terminal.unicode { unicode } else { ascii }
}

fn color(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Native => 32,
        Verdict::Jit | Verdict::Partial | Verdict::Unknown => 33,
        Verdict::Missing | Verdict::Blocked => 31,
    }
}
