//! The command line: one file a command.
mod archs;
mod args;
mod baseline;
mod below;
mod completions;
mod coverage;
mod edited;
mod expect;
mod explain;
mod fleet;
mod init;
mod input;
mod lint;
mod list;
mod man;
mod mending;
mod output;
#[cfg(feature = "probe")]
mod probe;
mod progress;
mod python;
mod rules;
mod serves;
mod show_config;
mod suggest;
mod terminal;
mod verify;
mod why;

pub use archs::ArchsArgs;
pub use args::{Cli, Color, Command, FleetArgs, FleetCommand, LintArgs, SuggestArgs};
pub use baseline::BaselineArgs;
pub use mending::{Archs, MendingArgs};
pub use output::{Output, OutputArgs};
#[cfg(feature = "probe")]
pub use probe::ProbeArgs;
pub use verify::VerifyArgs;

use crate::config::ConfigError;
use crate::fleet::Unresolved;
use crate::fleet::import::ImportError;
use crate::rules::{JudgeError, UnknownRule};
use clap::Parser;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// What the exit status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// 0: nothing at or above the threshold.
    Clean,
    /// 1: findings.
    Findings,
    /// 2: the tool could not do its work.
    Failed,
    /// What a program that was run ended with.
    #[cfg(feature = "probe")]
    Program(u8),
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
enum CliError {
    #[error(transparent)]
    UnknownRule(#[from] UnknownRule),
    #[error("--fleet: {0}")]
    Fleet(#[from] Unresolved),
    #[error(transparent)]
    Gpu(Unresolved),
    #[error("no rule, builder or GPU is called `{0}`; the nearest names of GPUs: {1}")]
    Unexplained(String, String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Judge(#[from] JudgeError),
    #[error("no fleet is declared: give `--fleet`, or a `fleet` in .kimg-lint.yaml")]
    NoFleet,
    #[error("{0}: {1}")]
    Import(String, ImportError),
    #[error("`{0}` is neither torch, cmake, nvcc nor a builder{1}")]
    NoConsumer(String, String),
    #[error("{0}: it is there already")]
    Exists(String),
    #[error("{0}: {1}")]
    Unwritable(String, io::Error),
    #[error("`{0}` is not a place such as Dockerfile:12")]
    Place(String),
    #[error("{0}: {1}")]
    Unreadable(String, String),
    #[error(
        "{place}: no command that installs or builds CUDA code is here; {}", match &**lines { "" => "this file has none".to_owned(), lines => format!("those of this file are in lines {lines}") }
    )]
    NoBuild {
        /// The place asked about.
        place: String,
        /// Where such commands are.
        lines: String,
    },
    #[cfg(feature = "probe")]
    #[error("the command cannot be run: {0}")]
    Command(io::Error),
    #[error("no GPU to verify for: give --fleet, a fleet in the configuration, or --expect")]
    NothingToVerifyFor,
    #[error(
        "nothing is known of this message; `kimg-lint rules` lists the rules, and a code such as 209 is understood, too"
    )]
    UnknownMessage,
    #[error("no device code is in what is named")]
    NoDeviceCode,
    #[error("--expect-from: {0}")]
    Undeclared(String),
    #[error("--installed: {0}: {1}")]
    Python(String, String),
    #[error("standard input cannot be mended; --diff says how")]
    MendStdin,
    #[error("two results would go to {0}")]
    TwoOutputs(String),
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
}

/// Standard output, that ends quietly where whoever reads has enough: what is written to a closed pipe is dropped.
struct Quiet<W>(W);

impl<W: Write> Write for Quiet<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}

/// Runs the command that the process's arguments ask for.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = io::BufWriter::new(Quiet(io::stdout().lock()));
    let done = run(cli, &mut out).and_then(|status| Ok(out.flush().map(|()| status)?));
    let status = done.unwrap_or_else(|error| {
        // Where stderr is closed, too, the exit status is all that can be said.
        let _ = writeln!(io::stderr(), "kimg-lint: {error}");
        Status::Failed
    });
    ExitCode::from(match status {
        Status::Clean => 0,
        Status::Findings => 1,
        Status::Failed => 2,
        #[cfg(feature = "probe")]
        Status::Program(status) => status,
    })
}

fn run(cli: Cli, out: &mut dyn Write) -> Result<Status, CliError> {
    match cli.command {
        Some(Command::Explain { words }) => explain::run(&words, cli.color, out)?,
        Some(Command::Why { place }) => why::run(&place, cli.color, out)?,
        Some(Command::Rules) => rules::run(cli.color, out)?,
        Some(Command::Archs(args)) => return archs::run(&args, out),
        #[cfg(feature = "probe")]
        Some(Command::Probe(args)) => return probe::run(&args, cli.color, out),
        #[cfg(feature = "probe")]
        Some(Command::ProbeWorker) => crate::gpu::serve(io::stdin().lock(), out)?,
        Some(Command::Verify(args)) => return verify::run(&args, cli.color, out),
        Some(Command::Fleet(FleetCommand::Show(args))) => fleet::show(&args, cli.color, out)?,
        Some(Command::Fleet(FleetCommand::Import { file, name })) => {
            fleet::import(file.as_deref(), &name, out)?
        }
        Some(Command::Suggest(args)) => return suggest::run(&args, out),
        Some(Command::Coverage { paths, fleet }) => coverage::run(&paths, &fleet, cli.color, out)?,
        Some(Command::Init) => init::run(out)?,
        Some(Command::Completions { shell }) => completions::run(shell, out),
        Some(Command::Man) => man::run(out)?,
        None => match &cli.lint.show_config {
            Some(file) => show_config::run(file, &cli.lint, out)?,
            None => return lint::run(&cli.lint, cli.color, out),
        },
    }
    Ok(Status::Clean)
}
