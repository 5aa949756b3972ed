//! Bazel.
use super::args::{Arg, Argv, named};
use super::verb::Verb;
use super::{Action, Did, Source, Surroundings};

/// `bazel build|test|run …`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let args = argv.tail(1).parse(|n| {
        matches!(
            n,
            "config"
                | "repo_env"
                | "action_env"
                | "c"
                | "compilation_mode"
                | "copt"
                | "jobs"
                | "define"
                | "test_env"
        )
    });
    let mut operands = args.iter().filter_map(|a| match a {
        Arg::Operand(value) => Some(value.sketch()),
        Arg::Option(..) => None,
    });
    if !operands
        .next()
        .is_some_and(|c| matches!(c.as_str(), "build" | "test" | "run" | "coverage"))
    {
        return Vec::new();
    }
    let mut action = Action::new(Verb::Bazel, "bazel", Source::Tree((around.resolve)(".")));
    action.targets = operands.collect();
    for arg in args {
        let Arg::Option(name, value) = arg else {
            continue;
        };
        match (name.as_str(), value) {
            ("repo_env" | "action_env", Some(value)) => action.repo_env.extend(named(&value)),
            ("define", Some(value)) => action.defines.extend(named(&value)),
            (name, value) => action.options.push((name.to_owned(), value)),
        }
    }
    vec![Did::Action(action)]
}
