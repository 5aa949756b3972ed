//! `kimg-lint fleet show` and `fleet import`; and the GPUs that arguments mean.
use super::input::Input;
use super::{CliError, Color, FleetArgs, terminal};
use crate::config::{Config, Configs, NAME, once};
use crate::cuda::Device;
use crate::fleet::{self, Unresolved};
use crate::report::{fleet as writer, reach};
use std::io::Write;
use std::path::Path;

/// The GPUs that `--fleet` names, each once.
pub(super) fn resolve(names: &[String]) -> Result<Vec<Device>, Unresolved> {
    let devices: Result<Vec<_>, _> = names.iter().map(|name| fleet::resolve(name)).collect();
    Ok(once(devices?.into_iter()))
}

/// The GPUs for a file: those of `--fleet`, else of the configuration; at least one.
pub(super) fn devices(
    args: &FleetArgs,
    config: &Config,
    place: &Path,
) -> Result<Vec<Device>, CliError> {
    let mut devices = resolve(&args.fleet)?;
    if devices.is_empty() {
        devices = config.fleet(place);
    }
    if devices.is_empty() {
        return Err(CliError::NoFleet);
    }
    Ok(devices)
}

pub(super) fn show(args: &FleetArgs, color: Color, out: &mut dyn Write) -> Result<(), CliError> {
    let terminal = terminal::detect(color);
    let named = resolve(&args.fleet)?;
    let config = Configs::here(args.config.as_deref())?.of(Path::new(NAME))?;
    let mut all: Vec<(&str, &[Device])> = vec![("", &named)];
    if named.is_empty() {
        all = config
            .fleets
            .iter()
            .map(|f| (f.name, &*f.devices))
            .collect();
    }
    if all.iter().all(|(_, devices)| devices.is_empty()) {
        return Err(CliError::NoFleet);
    }
    for (index, (name, devices)) in all.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        if !name.is_empty() {
            writeln!(out, "{name}:\n")?;
        }
        for (index, device) in devices.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            reach::write(device, out, terminal)?;
        }
    }
    Ok(())
}

pub(super) fn import(file: Option<&Path>, name: &str, out: &mut dyn Write) -> Result<(), CliError> {
    let path = Path::new("-");
    let input = match file {
        Some(file) => Input::File(file.to_owned()),
        None => Input::Stdin(path.to_owned()),
    };
    let text = input
        .read()
        .map_err(|error| CliError::Unreadable(input.path(), error.to_string()))?;
    let imported =
        fleet::import::import(&text).map_err(|error| CliError::Import(input.path(), error))?;
    Ok(writer::write(name, &imported, out)?)
}
