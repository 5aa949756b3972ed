//! Where a report goes, and in which formats.
use super::{CliError, Color, terminal};
use crate::report::{Format, Report, Terminal};
use clap::{Args, ValueEnum};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where a report goes, and in which formats.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// How the result is printed: human, concise, json, sarif, github, gitlab, junit, markdown, html
    ///
    /// human: with what it is about. concise: one line a finding, `path:line:column: CODE message`. json: one object with
    /// everything that was learned, in a shape that only grows (version 1). sarif: SARIF 2.1.0. github: annotations of GitHub
    /// Actions. gitlab: a code quality report. junit: JUnit's XML. markdown: a summary with the coverage of each GPU. html: one
    /// page that needs nothing else.
    #[arg(
        long,
        value_name = "FORMAT",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub format: Option<Format>,

    /// Write the result to a file, too; may be given several times: sarif=kimg-lint.sarif
    ///
    /// `-` is standard output, which otherwise gets --format. A file is written whole or not at all.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = output, help_heading = "Output")]
    pub output: Vec<Output>,
}

/// A format, and where the result goes in it.
#[derive(Clone, Debug)]
pub struct Output {
    format: Format,
    file: PathBuf,
}

fn output(text: &str) -> Result<Output, String> {
    let (format, file) = text
        .split_once('=')
        .filter(|(_, file)| !file.is_empty())
        .ok_or("a format and a file are needed, as in sarif=kimg-lint.sarif")?;
    Ok(Output {
        format: Format::from_str(format, false).map_err(|_| {
            let names: Vec<String> = Format::all().iter().map(|format| format.name()).collect();
            format!("`{format}` is none of {}", names.join(", "))
        })?,
        file: file.into(),
    })
}

impl OutputArgs {
    /// Whether every result has a place of its own.
    pub(super) fn check(&self) -> Result<(), CliError> {
        let mut files: Vec<&Path> = self.output.iter().map(|output| &*output.file).collect();
        if self.format.is_some() {
            files.push(STDOUT.as_ref());
        }
        files.sort();
        match files.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) if pair[0] == Path::new(STDOUT) => {
                Err(CliError::TwoOutputs("standard output".to_owned()))
            }
            Some(pair) => Err(CliError::TwoOutputs(pair[0].display().to_string())),
            None => Ok(()),
        }
    }

    /// Whether some format has the edits that would mend a finding. They are tried one by one, which takes longer than linting.
    pub(super) fn has_edits(&self) -> bool {
        let files = self.output.iter().map(|output| output.format);
        let mut formats = files.chain(self.format);
        formats.any(|format| matches!(format, Format::Json | Format::Sarif | Format::Html))
    }

    /// Writes the report everywhere that it is wanted; `human` writes it for people.
    pub(super) fn write(
        &self,
        report: &mut Report,
        color: Color,
        out: &mut dyn Write,
        human: impl Fn(&Report, Terminal, &mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CliError> {
        report.here = std::env::current_dir().unwrap_or_default();
        let mut printed = self.format.unwrap_or(Format::Human);
        for Output { format, file } in &self.output {
            if file == Path::new(STDOUT) {
                printed = *format;
                continue;
            }
            let write = |out: &mut dyn Write| {
                let terminal = terminal::detect(Color::Never);
                format.write(report, out, |out| human(report, terminal, out))
            };
            write_whole(file, write)
                .map_err(|error| CliError::Unwritable(file.display().to_string(), error))?;
        }
        let terminal = terminal::detect(color);
        Ok(printed.write(report, out, |out| human(report, terminal, out))?)
    }
}

/// What stands for standard output in place of a file.
const STDOUT: &str = "-";

/// Writes a file whole or not at all: beside it first, then in its place. What is no regular file, such as a pipe, is written
/// to as it is.
pub(super) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // a link stays, and the file that it leads to is replaced
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let there = target.metadata().ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        let mut out = BufWriter::new(std::fs::OpenOptions::new().write(true).open(&target)?);
        write(&mut out)?;
        return out.flush();
    }
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kimg-lint-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder)?;
    let mut out = BufWriter::new(&file);
    write(&mut out)?;
    out.flush()?;
    drop(out);
    if let Some(there) = there {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.persist(&target)?;
    Ok(())
}
