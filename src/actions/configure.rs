//! `./configure`.
use super::args::{Arg, Argv};
use super::verb::Verb;
use super::{Action, Did, Effect, Source, Surroundings};

/// `./configure --with-cuda=/usr/local/cuda`, `../configure`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let path = argv.text(0);
    let dir = path
        .strip_suffix("configure")
        .filter(|d| !d.is_empty())
        .unwrap_or(".");
    let mut action = Action::new(
        Verb::Configure,
        "configure",
        Source::Tree((around.resolve)(dir)),
    );
    for arg in argv.tail(1).parse(|_| false) {
        match arg {
            Arg::Option(name, value) => action.options.push((name, value)),
            Arg::Operand(value) => action.make_vars.extend(super::args::named(&value)),
        }
    }
    let configured = Effect::ConfiguredWith {
        dir: (around.resolve)("."),
        options: action.options.clone(),
    };
    vec![Did::Action(action), Did::Effect(configured)]
}
