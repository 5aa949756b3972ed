//! The `kimg-lint` command.
use clap::{Parser, Subcommand};
use kimg_lint::cli::archs;
use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Archs(archs::ArchsArgs),
}

fn main() -> ExitCode {
    let Command::Archs(args) = Cli::parse().command;
    let mut out = std::io::BufWriter::new(stdout().lock());
    let status = archs::run(&args, &mut out, &mut stderr()).and_then(|status| {
        out.flush()?;
        Ok(status)
    });
    ExitCode::from(status.unwrap_or(2))
}
