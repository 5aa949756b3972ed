//! cargo.
use super::args::{Arg, Argv};
use super::verb::Verb;
use super::{Action, Did, Effect, Source, Surroundings, named};

fn takes_value(name: &str) -> bool {
    matches!(
        name,
        "F" | "features"
            | "p"
            | "package"
            | "manifest-path"
            | "path"
            | "git"
            | "tag"
            | "branch"
            | "rev"
            | "target"
            | "target-dir"
            | "root"
            | "bin"
            | "j"
            | "profile"
            | "recipe-path"
            | "example"
            | "version"
            | "Z"
            | "config"
            | "out-dir"
            | "jobs"
    )
}

/// `cargo build|install|run|test|bench|rustc|check|clippy|chef cook …`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let rest = if argv.text(1).starts_with('+') {
        argv.tail(2)
    } else {
        argv.tail(1)
    };
    let args = rest.parse(takes_value);
    let mut operands = args.iter().filter_map(|a| match a {
        Arg::Operand(value) => Some(value),
        Arg::Option(..) => None,
    });
    let command = operands.next().map(|v| v.sketch()).unwrap_or_default();
    if command == "add" {
        let crates: Vec<String> = operands.map(|v| v.sketch()).collect();
        return added(&args, crates, (around.resolve)("."));
    }
    let cooks = command == "chef" && operands.next().is_some_and(|v| v.sketch() == "cook");
    if !cooks
        && !matches!(
            command.as_str(),
            "build"
                | "b"
                | "install"
                | "run"
                | "r"
                | "test"
                | "t"
                | "bench"
                | "rustc"
                // these run build scripts as well
                | "check"
                | "c"
                | "clippy"
                | "doc"
                | "nextest"
                | "auditable"
                | "zigbuild"
                | "leptos"
                | "binstall"
        )
        || command == "binstall"
    {
        return Vec::new();
    }
    let mut action = Action::new(Verb::Cargo, "cargo", Source::Tree((around.resolve)(".")));
    let crate_name = (command == "install")
        .then(|| operands.next().cloned())
        .flatten();
    if let Some(name) = crate_name {
        let text = name.sketch();
        let name_only = text.split('@').next().unwrap_or(&text).to_owned();
        action.source = Source::Index {
            name: name_only,
            spec: name.slice_from(text.find('@').unwrap_or(text.len())),
        };
    }
    vec![Did::Action(with_options(action, &args, around))]
}

/// `maturin build|develop …`: cargo, for a wheel.
pub(super) fn maturin(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let builds = matches!(argv.text(1), "build" | "develop" | "publish" | "b" | "dev");
    if !builds {
        return Vec::new();
    }
    let valued = |name: &str| {
        takes_value(name)
            || matches!(
                name,
                "m" | "o" | "out" | "i" | "auditwheel" | "compatibility"
            )
    };
    let args = argv.tail(2).parse(valued);
    let action = Action::new(Verb::Cargo, "maturin", Source::Tree((around.resolve)(".")));
    vec![Did::Action(with_options(action, &args, around))]
}

/// The action with what its options say of features and of the place.
fn with_options(mut action: Action, args: &[Arg], around: &Surroundings<'_>) -> Action {
    let mut reference = None;
    for arg in args {
        let Arg::Option(name, value) = arg else {
            continue;
        };
        let text = value.as_ref().map(|v| v.sketch()).unwrap_or_default();
        match name.as_str() {
            "F" | "features" => action.features.extend(
                text.split([',', ' '])
                    .filter(|f| !f.is_empty())
                    .map(|f| f.rsplit('/').next().unwrap_or(f).to_owned()),
            ),
            "git" => {
                action.source = Source::Repo {
                    name: named::repository(&text).0,
                    reference: None,
                    subdir: String::new(),
                }
            }
            "tag" | "branch" | "rev" => reference = Some(text),
            "manifest-path" | "m" => {
                action.source = Source::Tree((around.resolve)(
                    text.strip_suffix("Cargo.toml").unwrap_or(&text),
                ))
            }
            "path" => action.source = Source::Tree((around.resolve)(&text)),
            _ => action.options.push((name.clone(), value.clone())),
        }
    }
    if let Source::Tree(dir) = &action.source {
        for (name, features) in (around.project)(dir).crates {
            action.crates.push(name);
            action.features.extend(features);
        }
    }
    if let Source::Repo {
        reference: found, ..
    } = &mut action.source
    {
        *found = reference;
    }
    action
}

/// `cargo add NAME --features F`.
fn added(args: &[Arg], crates: Vec<String>, dir: String) -> Vec<Did> {
    let features: Vec<String> = args
        .iter()
        .filter_map(|a| match a {
            Arg::Option(name, Some(value)) if matches!(name.as_str(), "F" | "features") => {
                Some(value.sketch())
            }
            _ => None,
        })
        .flat_map(|list| {
            list.split([',', ' '])
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    let depends = |name: String| {
        Did::Effect(Effect::Depends {
            dir: dir.clone(),
            crate_name: name.split('@').next().unwrap_or_default().to_owned(),
            features: features.clone(),
        })
    };
    crates.into_iter().map(depends).collect()
}
