//! meson.
use super::args::{Arg, Argv, named};
use super::verb::Verb;
use super::{Action, Did, Source, Surroundings};
use crate::value::Value;

/// `meson setup build [source] -Dname=value`, `meson build`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let (setup, rest) = match argv.text(1) {
        "setup" => (true, argv.tail(2)),
        "compile" | "install" | "test" | "configure" | "dist" | "introspect" | "init"
        | "subprojects" | "rewrite" | "devenv" | "--version" | "--help" | "" => {
            (false, argv.tail(2))
        }
        _ => (true, argv.tail(1)),
    };
    if !setup {
        return Vec::new();
    }
    let args = rest.parse(|n| {
        matches!(
            n,
            "D" | "prefix"
                | "buildtype"
                | "native-file"
                | "cross-file"
                | "libdir"
                | "default-library"
                | "backend"
        )
    });
    let operands: Vec<String> = args
        .iter()
        .filter_map(|a| match a {
            Arg::Operand(value) => Some(value.sketch()),
            Arg::Option(..) => None,
        })
        .collect();
    let source = operands.get(1).map_or(".", String::as_str);
    let mut action = Action::new(Verb::Meson, "meson", Source::Tree((around.resolve)(source)));
    for arg in args {
        let Arg::Option(name, value) = arg else {
            continue;
        };
        let definition = match (name.strip_prefix('D'), &value) {
            (Some(""), Some(value)) => named(value),
            (Some(rest), Some(value)) => Some(super::Named {
                name: rest.to_owned(),
                value: Value::clone(value),
            }),
            _ => None,
        };
        match definition {
            Some(definition) => {
                action
                    .options
                    .push((definition.name.clone(), Some(definition.value.clone())));
                action.defines.push(definition);
            }
            None => action.options.push((name, value)),
        }
    }
    vec![Did::Action(action)]
}
