//! The table of `kimg-lint archs`: one row a file, with what is wrong with it below.
use super::plain::plain;
use super::size;
use crate::cuda::ImageKind;
use crate::facts::{Artifact, ArtifactProblem, ImageCount};
use std::io::{self, Write};

const HEADINGS: [&str; 7] = [
    "file",
    "SASS",
    "PTX",
    "LTO",
    "containers",
    "host CPU",
    "size",
];
const KINDS: [(ImageKind, &str); 3] = [
    (ImageKind::Sass, "SASS"),
    (ImageKind::Ptx, "PTX"),
    (ImageKind::Lto, "LTO"),
];
/// A list of architectures is broken past this many columns.
const WIDEST: usize = 34;

/// Writes the table; with `sizes`, how many bytes each architecture takes stands below each row.
pub fn write(artifacts: &[Artifact], sizes: bool, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[Vec<String>; 7]> = artifacts.iter().map(row).collect();
    let mut widths = HEADINGS.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            let widest = cell.iter().map(|line| line.chars().count()).max();
            *width = (*width).max(widest.unwrap_or(0));
        }
    }
    write_line(out, HEADINGS.map(String::from), &widths)?;
    let mut path = "";
    for (artifact, row) in artifacts.iter().zip(rows) {
        if !artifact.member.is_empty() && artifact.path != path {
            writeln!(out, "{}", artifact.path)?;
        }
        path = &artifact.path;
        let height = row.iter().map(Vec::len).max().unwrap_or(0);
        for n in 0..height {
            let line = row
                .each_ref()
                .map(|cell| cell.get(n).cloned().unwrap_or_default());
            write_line(out, line, &widths)?;
        }
        if sizes && !artifact.images.is_empty() {
            writeln!(out, "    bytes: {}", bytes(&artifact.images))?;
        }
        below(artifact, out)?;
    }
    Ok(())
}

fn write_line(out: &mut dyn Write, cells: [String; 7], widths: &[usize; 7]) -> io::Result<()> {
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        if !line.is_empty() {
            line.push_str("  ");
        }
        line.push_str(cell);
        line.extend(std::iter::repeat_n(
            ' ',
            width.saturating_sub(cell.chars().count()),
        ));
    }
    writeln!(out, "{}", line.trim_end())
}

fn row(artifact: &Artifact) -> [Vec<String>; 7] {
    let images = |kind| {
        let of_kind = artifact.images.iter().filter(|image| image.kind == kind);
        broken(list(of_kind, artifact.containers))
    };
    let dash = |text: String| {
        vec![if text.is_empty() {
            "-".to_owned()
        } else {
            text
        }]
    };
    let name = match artifact.member.as_str() {
        "" => artifact.path.clone(),
        member => format!("  {member}"),
    };
    [
        vec![name],
        images(ImageKind::Sass),
        images(ImageKind::Ptx),
        images(ImageKind::Lto),
        vec![artifact.containers.to_string()],
        dash(artifact.host.clone()),
        vec![size::short(artifact.size)],
    ]
}

/// The architectures, each with its count where that is not once in every container.
fn list<'i>(images: impl Iterator<Item = &'i ImageCount>, containers: u64) -> Vec<String> {
    let word = |(arch, count): (&str, u64)| {
        if count == containers.max(1) {
            arch.to_owned()
        } else {
            format!("{arch}×{count}")
        }
    };
    let by_arch = summed(images, |image| image.count);
    by_arch.into_iter().map(word).collect()
}

/// `SASS sm_80 12 MB, sm_90a 14 MB; PTX sm_90a 700 kB`.
fn bytes(images: &[ImageCount]) -> String {
    let of_kind = KINDS.map(|(kind, name)| {
        let of_kind = images.iter().filter(|image| image.kind == kind);
        let by_arch = summed(of_kind, |image| image.bytes);
        let words = by_arch
            .iter()
            .map(|(arch, bytes)| format!("{arch} {}", size::short(*bytes)));
        (name, words.collect::<Vec<_>>().join(", "))
    });
    let there = of_kind.iter().filter(|(_, words)| !words.is_empty());
    let parts: Vec<String> = there
        .map(|(name, words)| format!("{name} {words}"))
        .collect();
    parts.join("; ")
}

/// A sum for each architecture of images that are sorted by it.
fn summed<'i>(
    images: impl Iterator<Item = &'i ImageCount>,
    of: impl Fn(&ImageCount) -> u64,
) -> Vec<(&'i str, u64)> {
    let mut by_arch: Vec<(&str, u64)> = Vec::new();
    for image in images {
        match by_arch.last_mut().filter(|(arch, _)| *arch == image.arch) {
            Some((_, sum)) => *sum += of(image),
            None => by_arch.push((&image.arch, of(image))),
        }
    }
    by_arch
}

/// Words in lines of at most [`WIDEST`] columns.
fn broken(words: Vec<String>) -> Vec<String> {
    if words.is_empty() {
        return vec!["-".to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDEST => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// What stands below a row: code outside the sections, errors, notes.
fn below(artifact: &Artifact, out: &mut dyn Write) -> io::Result<()> {
    for (kind, name) in KINDS {
        let of_kind = artifact.outside_sections.iter().filter(|i| i.kind == kind);
        let words = list(of_kind, u64::MAX);
        if !words.is_empty() {
            writeln!(out, "    outside the sections: {name} {}", words.join(" "))?;
        }
    }
    for error in &artifact.errors {
        writeln!(out, "    error[KIMG408]: {}", located(error))?;
    }
    for note in &artifact.notes {
        writeln!(out, "    note: {}", located(note))?;
    }
    for setting in &artifact.requires {
        writeln!(out, "    asks of the machine: {}", plain(setting))?;
    }
    if artifact.is_blank() {
        writeln!(out, "    no device code")?;
    }
    Ok(())
}

fn located(problem: &ArtifactProblem) -> String {
    match problem.offset {
        Some(offset) => format!("{} (at byte {offset})", problem.message),
        None => problem.message.clone(),
    }
}
