//! The table of `kimg-lint verify`: files by GPUs. Files of one package with the same verdicts share a row.
use super::Terminal;
use super::verdict::{ALL, meaning, word};
use super::wrap::wrap;
use crate::facts::{Artifact, ArtifactCoverage, Verdict};
use std::io::{self, Write};
use std::ops::Range;

/// The widest name of a file.
const NAME_WIDTH: usize = 44;

/// The files of one package; or one file, or those of one archive, that belong to none.
pub(super) struct Group<'a> {
    /// What is written above the rows; empty for a file of its own.
    pub(super) title: String,
    /// The list that the package says it has.
    pub(super) own_list: &'a str,
    pub(super) rows: Vec<Row<'a>>,
}

/// Files of one group with the same verdicts.
pub(super) struct Row<'a> {
    name: &'a str,
    files: usize,
    pub(super) verdicts: Vec<Option<&'a ArtifactCoverage>>,
}

/// Writes the table, and below it what its signs mean. Files without device code have no row; inputs without are named.
pub fn write(
    artifacts: &[Artifact],
    gpus: &[(String, String)],
    terminal: Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let groups = groups(artifacts, gpus);
    if !groups.is_empty() && !gpus.is_empty() {
        plain(&groups, gpus, terminal, out)?;
    }
    let nothing = artifacts
        .iter()
        .filter(|artifact| artifact.member.is_empty() && artifact.is_blank());
    for (n, artifact) in nothing.enumerate() {
        if n == 0 && !groups.is_empty() {
            writeln!(out)?;
        }
        let (_, title) = key_and_title(artifact);
        let name = if title.is_empty() {
            &artifact.path
        } else {
            &title
        };
        writeln!(out, "{name}: no device code")?;
    }
    Ok(())
}

/// The files with device code by package, those with the same verdicts as one row.
pub(super) fn groups<'a>(artifacts: &'a [Artifact], gpus: &[(String, String)]) -> Vec<Group<'a>> {
    let mut groups: Vec<(String, Group)> = Vec::new();
    for artifact in artifacts.iter().filter(|a| !a.coverage.is_empty()) {
        let verdicts: Vec<_> = gpus
            .iter()
            .map(|(name, _)| artifact.coverage.iter().find(|c| c.gpu == *name))
            .collect();
        let (key, title) = key_and_title(artifact);
        let at = groups.iter().position(|(known, _)| *known == key);
        let at = at.unwrap_or_else(|| {
            let package = artifact.package.as_ref();
            let group = Group {
                title,
                own_list: package.map_or("", |package| &package.own_list),
                rows: Vec::new(),
            };
            groups.push((key, group));
            groups.len() - 1
        });
        if let Some((_, group)) = groups.get_mut(at) {
            group.add(artifact, verdicts);
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// What files are put together by, and what is written above them.
fn key_and_title(artifact: &Artifact) -> (String, String) {
    let file = artifact.path.rsplit('/').next().unwrap_or_default();
    match &artifact.package {
        // A wheel's name says both.
        _ if file.ends_with(".whl") && !artifact.member.is_empty() => {
            (artifact.path.clone(), file.to_owned())
        }
        Some(package) => {
            let title = format!("{} {}", package.name, package.version);
            let image = if artifact.member.is_empty() {
                ""
            } else {
                &artifact.path
            };
            (format!("{image}!{title}"), title)
        }
        None if artifact.member.is_empty() => (artifact.path.clone(), String::new()),
        None => (artifact.path.clone(), file.to_owned()),
    }
}

impl<'a> Group<'a> {
    fn add(&mut self, artifact: &'a Artifact, verdicts: Vec<Option<&'a ArtifactCoverage>>) {
        let signs = |verdicts: &[Option<&ArtifactCoverage>]| -> Vec<_> {
            verdicts.iter().map(|v| v.map(|c| c.verdict)).collect()
        };
        let same = |row: &&mut Row| signs(&row.verdicts) == signs(&verdicts);
        match self.rows.iter_mut().find(same) {
            Some(row) => row.files += 1,
            None => self.rows.push(Row {
                name: match artifact.member.as_str() {
                    "" => &artifact.path,
                    member => member,
                },
                files: 1,
                verdicts,
            }),
        }
    }
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
            self.name.to_owned()
        };
        name + &more
    }
}

/// Columns of a GPU.
const COLUMN: usize = 6;
/// The narrowest name of a file.
const NARROWEST: usize = 20;

/// The table, in several parts where the GPUs do not fit beside each other.
fn plain(
    groups: &[Group],
    gpus: &[(String, String)],
    terminal: Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let beside = (terminal.width.saturating_sub(NARROWEST) / COLUMN).max(1);
    for (part, chunk) in gpus.chunks(beside).enumerate() {
        if part > 0 {
            writeln!(out)?;
        }
        let columns = part * beside..part * beside + chunk.len();
        part_of(groups, chunk, columns, terminal, out)?;
    }
    writeln!(out)?;
    for (name, capability) in gpus {
        writeln!(out, "{capability:>4}  {name}")?;
    }
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let used = |verdict: &Verdict| {
        let mut all = rows().flat_map(|row| &row.verdicts).flatten();
        all.any(|c| c.verdict == *verdict)
    };
    let legend: Vec<String> = ALL
        .iter()
        .filter(|verdict| used(verdict))
        .map(|&verdict| {
            let (sign, word) = (sign(Some(verdict), terminal), word(Some(verdict)));
            format!("{sign} {word}: {}", meaning(verdict))
        })
        .collect();
    writeln!(out, "\n{}", legend.join("\n"))
}

fn part_of(
    groups: &[Group],
    gpus: &[(String, String)],
    columns: Range<usize>,
    terminal: Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let room = terminal
        .width
        .saturating_sub(gpus.len() * COLUMN)
        .clamp(NARROWEST, NAME_WIDTH);
    let rows = groups.iter().flat_map(|group| &group.rows);
    let longest = rows.map(|row| row.title(room).chars().count()).max();
    let width = longest.unwrap_or(0).max(4);
    write!(out, "{:width$}", "file")?;
    for (_, capability) in gpus {
        write!(out, "  {capability:>4}")?;
    }
    writeln!(out)?;
    for group in groups {
        if !group.title.is_empty() {
            writeln!(out, "{}", group.title)?;
        }
        if !group.own_list.is_empty() {
            let says = wrap(
                &format!("says it has {}", group.own_list),
                terminal.width - 2,
            );
            writeln!(out, "  {}", says.replace('\n', "\n  "))?;
        }
        for row in &group.rows {
            let title = row.title(room);
            let padding = width.saturating_sub(title.chars().count());
            write!(out, "{title}{:padding$}", "")?;
            for verdict in row.verdicts.get(columns.clone()).unwrap_or_default() {
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
    }
    Ok(())
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
