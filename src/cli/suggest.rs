//! `kimg-lint suggest`: the shortest list that serves a fleet, in a consumer's syntax or for each build of a file.
use super::input::Input;
use super::{CliError, FleetArgs, Status, SuggestArgs, fleet};
use crate::builders::record::Record;
use crate::builders::suggest::of_builder;
use crate::config::{Configs, NAME};
use crate::cuda::{Device, ToolkitVersion, Unreached};
use crate::fleet::code::out_of_reach;
use crate::fleet::names;
use crate::lint::{Options, observe};
use crate::spelling::{did_you_mean, nearest};
use crate::walk::walked::Given;
use std::io::{self, Write};
use std::path::Path;

/// Consumers by their own names, and the records that know them.
const CONSUMERS: [(&str, &str); 3] = [
    ("torch", "torch-ext"),
    ("cmake", "cmake-cuda"),
    ("nvcc", "nvcc"),
];

pub(super) fn run(args: &SuggestArgs, out: &mut dyn Write) -> Result<Status, CliError> {
    match &args.path {
        Some(path) => of_file(path, &args.fleet, out),
        None => of_consumers(args, out),
    }
}

/// The line for each build of a file.
fn of_file(path: &Path, args: &FleetArgs, out: &mut dyn Write) -> Result<Status, CliError> {
    let mut configs = Configs::here(args.config.as_deref())?;
    let config = configs.of(path)?;
    let devices = fleet::devices(args, &config, &configs.absolute(path))?;
    let input = Input::File(path.to_owned());
    let text = input
        .read()
        .map_err(|error| CliError::Unreadable(input.path(), error.to_string()))?;
    let tree = configs.tree(path)?;
    let options = Options::new(&Given::default(), &config, devices, tree);
    for build in observe(&input.path(), &text, &options).builds {
        if !build.suggest.is_empty() {
            writeln!(out, "{}:{}: {}", build.path, build.span.line, build.suggest)?;
        }
    }
    Ok(Status::Clean)
}

/// The line for a consumer, or one for each of the usual ones. What cannot be reached is said beside, and is status 1.
fn of_consumers(args: &SuggestArgs, out: &mut dyn Write) -> Result<Status, CliError> {
    let mut configs = Configs::here(args.fleet.config.as_deref())?;
    let config = configs.of(Path::new(NAME))?;
    let devices = fleet::devices(&args.fleet, &config, &configs.absolute(Path::new(NAME)))?;
    let cuda: Option<ToolkitVersion> = args.cuda.as_deref().and_then(|text| text.parse().ok());
    let mut all = Vec::new();
    match &args.consumer {
        Some(name) => {
            let (line, unreached) = of_builder(record(name, config.records)?, &devices, cuda);
            writeln!(out, "{line}")?;
            all.extend(unreached);
        }
        None => {
            for (name, _) in CONSUMERS {
                let (line, unreached) = of_builder(record(name, config.records)?, &devices, cuda);
                writeln!(out, "{name:5}  {line}")?;
                all.extend(unreached);
            }
        }
    }
    say_unreached(&all, cuda)?;
    Ok(if all.is_empty() {
        Status::Clean
    } else {
        Status::Findings
    })
}

fn record(name: &str, records: &'static [Record]) -> Result<&'static Record, CliError> {
    let own = CONSUMERS.iter().find(|(known, _)| *known == name);
    let id = own.map_or(name, |(_, id)| id);
    let found = records
        .iter()
        .find(|record| record.id.eq_ignore_ascii_case(id));
    found.ok_or_else(|| {
        let known = records.iter().map(|record| record.id.as_str());
        let near = nearest(name, known.chain(CONSUMERS.iter().map(|(name, _)| *name)));
        CliError::NoConsumer(name.to_owned(), did_you_mean(near))
    })
}

fn say_unreached(unreached: &[Unreached], cuda: Option<ToolkitVersion>) -> io::Result<()> {
    let mut said: Vec<&Device> = Vec::new();
    for Unreached { device, .. } in unreached {
        if said.contains(&device) {
            continue;
        }
        said.push(device);
        let why = out_of_reach(device, cuda)
            .unwrap_or_else(|| "its architecture is not taken".to_owned());
        writeln!(
            io::stderr(),
            "kimg-lint: not reached: {}: {why}",
            names::shown(device)
        )?;
    }
    Ok(())
}
