//! `kimg-lint man`: the manual page, as roff.
use super::Cli;
use clap::CommandFactory;
use std::io::{self, Write};

pub(super) fn run(mut out: &mut dyn Write) -> io::Result<()> {
    clap_mangen::Man::new(Cli::command()).render(&mut out)
}
