//! `kimg-lint suggest`: the shortest list that serves a fleet, in a consumer's syntax or for each build of a file.
use super::input::Input;
use super::{CliError, FleetArgs, Status, SuggestArgs, fleet};
use crate::builders::record::Record;
use crate::builders::suggest::of_builder;
use crate::config::{Configs, NAME};
use crate::cuda::{Device, ToolkitVersion, Unreached};
use crate::facts::Compiles;
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

/// The line for each build of a file. What its toolkit cannot reach is said beside, and is status 1.
fn of_file(path: &Path, args: &FleetArgs, out: &mut dyn Write) -> Result<Status, CliError> {
    let mut configs = Configs::here(args.config.as_deref())?;
    let config = configs.of(path)?;
    let devices = fleet::devices(args, &config, &configs.absolute(path))?;
    let input = Input::File(path.to_owned());
    let text = input
        .read()
        .map_err(|error| CliError::Unreadable(input.path(), error.to_string()))?;
    let tree = configs.tree(path)?;
    let options = Options::new(&Given::default(), &config, devices.clone(), tree);
    let facts = observe(&input.path(), &text, &options);
    let builds = facts
        .builds
        .iter()
        .filter(|build| build.compiles != Compiles::No);
    let mut unreached = Vec::new();
    let mut nothing = true;
    for build in builds {
        nothing = false;
        let place = format!("{}:{}", build.path, build.span.line);
        match build.suggest.as_str() {
            "" => writeln!(out, "{place}: nothing to write for {}", build.builder)?,
            line => writeln!(out, "{place}: {line}")?,
        }
        let cuda = build.toolkit.version.parse().ok();
        let reasons = devices
            .iter()
            .filter_map(|d| Some((d, out_of_reach(d, cuda)?)));
        unreached.extend(reasons);
    }
    if nothing {
        writeln!(out, "nothing in {} compiles device code", input.path())?;
    }
    say_unreached(unreached)
}

/// The line for a consumer, or one for each of the usual ones. What cannot be reached is said beside, and is status 1.
fn of_consumers(args: &SuggestArgs, out: &mut dyn Write) -> Result<Status, CliError> {
    let mut configs = Configs::here(args.fleet.config.as_deref())?;
    let config = configs.of(Path::new(NAME))?;
    let devices = fleet::devices(&args.fleet, &config, &configs.absolute(Path::new(NAME)))?;
    let cuda: Option<ToolkitVersion> = args.cuda.as_deref().and_then(|text| text.parse().ok());
    let mut unreached = Vec::new();
    match &args.consumer {
        Some(name) => {
            let (line, others) = of_builder(record(name, config.records)?, &devices, cuda);
            writeln!(out, "{line}")?;
            unreached.extend(others);
        }
        None => {
            for (name, _) in CONSUMERS {
                let (line, others) = of_builder(record(name, config.records)?, &devices, cuda);
                writeln!(out, "{name:5}  {line}")?;
                unreached.extend(others);
            }
        }
    }
    let reasons = unreached.iter().map(|Unreached { device, .. }| {
        let reason = out_of_reach(device, cuda);
        (
            device,
            reason.unwrap_or_else(|| "its architecture is not taken".to_owned()),
        )
    });
    say_unreached(reasons.collect())
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

/// Names the GPUs that no list reaches, each once a reason.
fn say_unreached(unreached: Vec<(&Device, String)>) -> Result<Status, CliError> {
    let mut said = Vec::new();
    for (device, why) in unreached {
        let line = format!("kimg-lint: not reached: {}: {why}", names::shown(device));
        if !said.contains(&line) {
            writeln!(io::stderr(), "{line}")?;
            said.push(line);
        }
    }
    Ok(if said.is_empty() {
        Status::Clean
    } else {
        Status::Findings
    })
}
