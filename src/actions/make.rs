//! make.
use super::args::{Arg, Argv, named};
use super::verb::Verb;
use super::{Action, Did, Source, Surroundings};

/// `make …`; a dry run makes nothing.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let args = argv.tail(1).parse(|n| {
        matches!(
            n,
            "C" | "f" | "I" | "o" | "W" | "directory" | "file" | "makefile" | "include-dir"
        )
    });
    let mut dir = ".".to_owned();
    let mut action = Action::new(Verb::Make, "make", Source::Nothing);
    for arg in args {
        match arg {
            Arg::Option(name, Some(value)) if matches!(name.as_str(), "C" | "directory") => {
                dir = value.sketch()
            }
            Arg::Option(name, _)
                if matches!(
                    name.as_str(),
                    "n" | "just-print"
                        | "dry-run"
                        | "recon"
                        | "q"
                        | "question"
                        | "v"
                        | "version"
                        | "h"
                        | "help"
                ) =>
            {
                return Vec::new();
            }
            Arg::Option(name, value) => action.options.push((name, value)),
            Arg::Operand(value) => match named(&value) {
                Some(mut variable) => {
                    // `A:=1` and `A+=1` assign too
                    variable
                        .name
                        .truncate(variable.name.trim_end_matches([':', '+', '?']).len());
                    action.make_vars.push(variable);
                }
                None => action.targets.push(value.sketch()),
            },
        }
    }
    let dir = (around.resolve)(&dir);
    // the command line wins over what the Makefile says
    let project = (around.project)(&dir);
    let mut variables = project.make_defaults;
    variables.append(&mut action.make_vars);
    action.make_vars = variables;
    action.options.extend(project.configured);
    action.source = Source::Tree(dir);
    vec![Did::Action(action)]
}
