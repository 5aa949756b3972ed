//! Hugging Face's kernel-builder, by itself and through nix.
use super::args::{Arg, Argv};
use super::verb::Verb;
use super::{Action, Did, OwnToolkit, Source, Surroundings};
use crate::paths::join;

/// The project file.
const PROJECT: &str = "build.toml";

fn takes_value(name: &str) -> bool {
    matches!(
        name,
        "max-jobs"
            | "j"
            | "cores"
            | "variant"
            | "repo-id"
            | "branch"
            | "repo-type"
            | "o"
            | "out-link"
            | "system"
    )
}

/// `kernel-builder build|build-and-copy|build-and-upload [DIR]`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let operands = operands(&argv.tail(1));
    match operands.first().map(String::as_str) {
        Some("build" | "build-and-copy" | "build-and-upload") => {
            let dir = operands.get(1).map_or(".", String::as_str);
            vec![build((around.resolve)(dir))]
        }
        _ => Vec::new(),
    }
}

/// `nix run .#build-and-copy`, `nix build .#bundle` beside a `build.toml`, and the builder run from its own repository.
pub(super) fn of_nix(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let (command, rest) = (argv.text(1), argv.tail(2));
    let end = rest.texts().iter().position(|word| word == "--");
    let own = operands(&rest);
    let installable = own.first().map_or(".", String::as_str);
    let (flake, attribute) = installable.split_once('#').unwrap_or((installable, ""));
    if let (true, "kernel-builder", Some(end)) = (command == "run", attribute, end) {
        return recognise(&rest.tail(end), around);
    }
    let builds = match command {
        "run" => matches!(attribute, "build-and-copy" | "build-and-upload"),
        "build" => {
            matches!(attribute, "" | "default" | "bundle")
                || attribute.starts_with("redistributable")
        }
        _ => false,
    };
    let dir = (around.resolve)(flake.strip_prefix("path:").unwrap_or(flake));
    let is_project = builds && (around.open_if_there)(&join(&dir, PROJECT)).is_some();
    is_project.then(|| build(dir)).into_iter().collect()
}

fn operands(argv: &Argv<'_>) -> Vec<String> {
    let args = argv.parse(takes_value).into_iter();
    let operands = args.filter_map(|arg| match arg {
        Arg::Operand(value) => Some(value.sketch()),
        Arg::Option(..) => None,
    });
    operands.collect()
}

/// It builds with toolkits of its own, one after the other.
fn build(dir: String) -> Did {
    let mut action = Action::new(Verb::KernelBuilder, "kernel-builder", Source::Tree(dir));
    action.options.push(("build".to_owned(), None));
    action.toolkit = Some(OwnToolkit {
        version: None,
        from: "kernel-builder".to_owned(),
    });
    Did::Action(action)
}
