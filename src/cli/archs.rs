//! `kimg-lint archs`: which architectures a built file carries.
use super::{CliError, Status, progress};
use crate::artifact::{MAX_DEPTH, MAX_SIZE, Meter, Options, archs};
use crate::facts::{Artifact, Facts, Unreadable};
use crate::report::{self, Report, comparison};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// List the GPU architectures that built files carry, without CUDA.
///
/// Reads ELF, PE, static libraries, cubins, fatbins and PTX, also inside wheels and zips, tar archives
/// (gzip, zstd, xz, bzip2), conda and Debian packages, `docker save` archives and OCI layouts.
#[derive(Args, Debug)]
pub struct ArchsArgs {
    /// Files, folders, OCI layouts; `-` is standard input.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Say what was lost or gained since this older release.
    #[arg(long, value_name = "OLD")]
    against: Option<PathBuf>,
    /// Say how many bytes each architecture takes, as they are stored in the file.
    #[arg(long, conflicts_with_all = ["against", "cuobjdump"])]
    sizes: bool,
    /// Also list relocatable code in files that have executable code.
    #[arg(long)]
    all: bool,
    /// The output.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// The lines of `cuobjdump --list-elf --list-ptx`, for scripts that switch.
    #[arg(long, conflicts_with_all = ["against", "format"])]
    cuobjdump: bool,
    #[command(flatten)]
    limits: Limits,
}

/// What one input may cost.
#[derive(Args, Debug)]
pub(super) struct Limits {
    /// Levels of packing that are opened
    #[arg(long, value_name = "N", default_value_t = MAX_DEPTH, value_parser = clap::value_parser!(u32).range(0..=32))]
    max_depth: u32,
    /// Bytes that may be read from one input, counted at every level of packing: 500M, 64G
    #[arg(long, value_name = "SIZE", default_value_t = Size(MAX_SIZE))]
    max_size: Size,
}

impl Limits {
    /// The options of a run within these limits.
    pub(super) fn options(&self) -> Options {
        Options {
            max_depth: self.max_depth,
            max_size: self.max_size.0,
            ..Options::default()
        }
    }
}

/// How the list is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Table,
    /// For programs.
    Json,
}

/// A number of bytes, perhaps with a binary unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size(u64);

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = text
            .get(digits.len()..)
            .unwrap_or_default()
            .to_ascii_uppercase();
        let shift = match unit.trim_end_matches("IB").trim_end_matches('B') {
            "" => 0,
            "K" => 10,
            "M" => 20,
            "G" => 30,
            "T" => 40,
            _ => return Err(format!("`{text}` is not a size such as 500M or 64G")),
        };
        let number: u64 = digits
            .parse()
            .map_err(|_| format!("`{text}` is not a size"))?;
        let size = number.checked_mul(1 << shift);
        size.map(Self)
            .ok_or_else(|| format!("`{text}` is too large"))
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 > 0 && self.0.is_multiple_of(1 << 30) {
            write!(f, "{}G", self.0 >> 30)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

/// What `--format json` prints: the usual object, and the changes if there is something to compare with.
#[derive(Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    report: Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<&'a [comparison::Change]>,
}

/// Runs the command.
pub(super) fn run(args: &ArchsArgs, out: &mut dyn Write) -> Result<Status, CliError> {
    let options = Options {
        all: args.all,
        outside: !args.cuobjdump,
        listing: args.cuobjdump,
        ..args.limits.options()
    };
    let meter = Meter::default();
    let (new, old) = progress::watch(&meter, || {
        let read = |paths: &[PathBuf]| archs(paths, &options, &meter);
        let old = args.against.as_slice();
        let old = if old.is_empty() {
            Vec::new()
        } else {
            read(old)
        };
        (read(&args.paths), old)
    });
    let changes = args
        .against
        .is_some()
        .then(|| comparison::compare(&new, &old));
    let failed = new.iter().chain(&old).any(|a| !a.errors.is_empty());
    match (&changes, args.format) {
        _ if args.cuobjdump => {
            report::cuobjdump::write(&new, out)?;
            complain(&new)?;
        }
        (_, Format::Json) => write_json(new, &old, changes.as_deref(), out)?,
        (Some(changes), Format::Table) => {
            comparison::write(changes, out)?;
            complain(&old)?;
            complain(&new)?;
        }
        (None, Format::Table) => report::archs::write(&new, args.sizes, out)?,
    }
    // What could not be read is never a pass.
    Ok(if failed {
        Status::Failed
    } else {
        Status::Clean
    })
}

/// Says on stderr what a format has no place for.
pub(super) fn complain(artifacts: &[Artifact]) -> io::Result<()> {
    let mut err = io::stderr().lock();
    for unreadable in unreadable(artifacts) {
        writeln!(
            err,
            "{}: error[KIMG408]: {}",
            unreadable.path, unreadable.reason
        )?;
    }
    Ok(())
}

fn unreadable(artifacts: &[Artifact]) -> Vec<Unreadable> {
    let errors = artifacts.iter().flat_map(|artifact| {
        artifact.errors.iter().map(move |error| {
            let path = match artifact.member.as_str() {
                "" => artifact.path.clone(),
                member => format!("{}!{member}", artifact.path),
            };
            Unreadable {
                path,
                reason: error.message.clone(),
            }
        })
    });
    errors.collect()
}

fn write_json(
    new: Vec<Artifact>,
    old: &[Artifact],
    changes: Option<&[comparison::Change]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut errors = unreadable(&new);
    errors.extend(unreadable(old));
    let facts = Facts {
        artifacts: new,
        unreadable: errors,
        ..Facts::default()
    };
    let output = Output {
        report: Report::new(facts, Vec::new()),
        changes,
    };
    serde_json::to_writer_pretty(&mut *out, &output)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_and_print() {
        for (text, size) in [
            ("0", Some(0)),
            ("500M", Some(500 << 20)),
            ("64GiB", Some(64 << 30)),
            ("1kb", Some(1024)),
            ("1x", None),
            ("G", None),
            ("99999999T", None),
        ] {
            assert_eq!(text.parse::<Size>().ok().map(|s| s.0), size, "{text}");
        }
        assert_eq!(
            Size(MAX_SIZE).to_string().parse::<Size>(),
            Ok(Size(MAX_SIZE))
        );
    }
}
