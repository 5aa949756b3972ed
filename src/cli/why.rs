//! `kimg-lint why PATH:LINE`: the trace of a build.
use super::input::Input;
use super::{CliError, Color, terminal};
use crate::config::Configs;
use crate::lint::{Options, traces};
use crate::report::trace;
use crate::walk::walked::Given;
use std::io::Write;
use std::path::PathBuf;

pub(super) fn run(place: &str, color: Color, out: &mut dyn Write) -> Result<(), CliError> {
    let (path, line) = place
        .rsplit_once(':')
        .and_then(|(path, line)| Some((path, line.parse::<u32>().ok()?)))
        .ok_or_else(|| CliError::Place(place.to_owned()))?;
    let input = Input::File(PathBuf::from(path));
    let text = input
        .read()
        .map_err(|error| CliError::Unreadable(path.to_owned(), error.to_string()))?;
    let mut configs = Configs::here(None)?;
    let config = configs.of(input.file())?;
    let fleet = config.fleet(&configs.absolute(input.file()));
    let tree = configs.tree(input.file())?;
    let options = Options::new(&Given::default(), &config, fleet, tree);
    let all = traces(path, &text, &options);
    let here: Vec<_> = all
        .iter()
        .filter(|t| (t.build.instruction.line..=t.build.instruction.end_line).contains(&line))
        .collect();
    if here.is_empty() {
        let lines: Vec<String> = all.iter().map(|t| t.build.span.line.to_string()).collect();
        return Err(CliError::NoBuild {
            place: place.to_owned(),
            lines: lines.join(", "),
        });
    }
    for (index, found) in here.iter().enumerate() {
        if index > 0 {
            writeln!(out, "\n")?;
        }
        trace::write(found, out, terminal::detect(color))?;
    }
    Ok(())
}
