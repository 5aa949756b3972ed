//! `kimg-lint completions`: what a shell needs to complete the command line.
use super::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

pub(super) fn run(shell: Shell, mut out: &mut dyn Write) {
    clap_complete::generate(shell, &mut Cli::command(), "kimg-lint", &mut out);
}
