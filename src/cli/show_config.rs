//! `kimg-lint --show-config FILE`: the merged configuration of a file.
use super::{CliError, LintArgs};
use crate::config::Configs;
use crate::report::config;
use std::io::Write;
use std::path::Path;

pub(super) fn run(file: &Path, args: &LintArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let mut configs = Configs::here(args.config.as_deref())?;
    let merged = configs.of(file)?;
    let fleet = merged.fleet(&configs.absolute(file));
    config::write(&file.to_string_lossy(), &merged, &fleet, out)?;
    Ok(())
}
