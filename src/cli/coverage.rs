//! `kimg-lint coverage PATH…`: builds × GPUs.
use super::input::Input;
use super::{CliError, Color, FleetArgs, fleet, terminal};
use crate::config::Configs;
use crate::lint::{Options, observe};
use crate::report::coverage;
use crate::walk::walked::Given;
use std::io::Write;
use std::path::PathBuf;

pub(super) fn run(
    paths: &[PathBuf],
    args: &FleetArgs,
    color: Color,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let mut configs = Configs::here(args.config.as_deref())?;
    let mut builds = Vec::new();
    for input in Input::list(paths, None) {
        let config = configs.of(input.file())?;
        let devices = fleet::devices(args, &config, &configs.absolute(input.file()))?;
        let text = input
            .read()
            .map_err(|error| CliError::Unreadable(input.path(), error.to_string()))?;
        let tree = configs.tree(input.file())?;
        let options = Options::new(&Given::default(), &config, devices, tree);
        builds.extend(observe(&input.path(), &text, &options).builds);
    }
    Ok(coverage::write(&builds, out, terminal::detect(color))?)
}
