//! conda, mamba, micromamba: binary packages, among them toolkits and torch.
use super::args::{Arg, Argv};
use super::environment;
use super::verb::Verb;
use super::{Action, Did, Effect, Installed, Source, Surroundings, Tool};
use crate::value::Value;

fn takes_value(name: &str) -> bool {
    matches!(
        name,
        "n" | "name" | "p" | "prefix" | "c" | "channel" | "f" | "file" | "solver"
    )
}

/// `conda install|create …`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    if matches!(argv.text(1), "build" | "mambabuild") {
        return build(&argv.tail(1), around);
    }
    let program = argv.program().unwrap_or_default().to_owned();
    let args = argv.tail(1).parse(takes_value);
    let mut operands = args.iter().filter_map(|a| match a {
        Arg::Operand(value) => Some(value),
        Arg::Option(..) => None,
    });
    let mut subcommand = operands.next().map(Value::sketch);
    let of_environment = subcommand.as_deref() == Some("env");
    if of_environment {
        subcommand = operands.next().map(Value::sketch);
    }
    if !matches!(
        subcommand.as_deref(),
        Some("install" | "create" | "add" | "update")
    ) {
        return Vec::new();
    }
    let given = |names: [&str; 2]| -> Vec<String> {
        let values = args.iter().filter_map(|arg| match arg {
            Arg::Option(name, Some(value)) if names.contains(&name.as_str()) => {
                Some(value.sketch())
            }
            _ => None,
        });
        values.collect()
    };
    let channels = given(["c", "channel"]);
    let mut did: Vec<Did> = operands
        .flat_map(|value| package(value, &channels, &program, false))
        .collect();
    let mut files = given(["f", "file"]);
    if of_environment && files.is_empty() {
        files.push("environment.yml".to_owned());
    }
    for file in files {
        did.extend(environment::read(
            &(around.resolve)(&file),
            &program,
            around,
        ));
    }
    did
}

/// A package of a channel, `of_file` or of the command itself.
pub(super) fn package(
    value: &Value,
    channels: &[String],
    program: &str,
    of_file: bool,
) -> Vec<Did> {
    let text = value.sketch();
    let text = text
        .rsplit("::")
        .next()
        .unwrap_or(&text)
        .trim_matches(['"', '\''])
        .to_owned();
    let end = text
        .find(['=', '<', '>', '!', ' ', '?'])
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let version = rest
        .trim_start_matches('=')
        .split('=')
        .next()
        .filter(|v| !v.is_empty() && !v.contains(['<', '>', '*', ',', '?', '!', ' ']))
        .map(str::to_owned);
    let mut action = Action::new(
        Verb::System,
        program,
        Source::Index {
            name: name.to_owned(),
            spec: value.slice_from(end),
        },
    );
    action.options.push(("install".to_owned(), None));
    action.at = value.site().filter(|_| of_file);
    let brought = brought(name, version, channels, program);
    let effect = brought.map(|installed| Did::Effect(Effect::Installed(installed)));
    std::iter::once(Did::Action(action)).chain(effect).collect()
}

/// `conda build RECIPE`, `conda-build RECIPE`, `boa build RECIPE`, `rattler-build build --recipe RECIPE`.
pub(super) fn build(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let args = argv.tail(1).parse(|name| {
        takes_value(name)
            || matches!(
                name,
                "r" | "recipe"
                    | "m"
                    | "variant-config-files"
                    | "variant-config"
                    | "variants"
                    | "python"
                    | "numpy"
                    | "user"
                    | "label"
                    | "token"
                    | "output-folder"
                    | "output-dir"
                    | "croot"
                    | "e"
                    | "exclusive-config-files"
                    | "target-platform"
            )
    });
    let recipes: Vec<String> = args
        .iter()
        .filter_map(|arg| match arg {
            Arg::Operand(value) => Some(value.sketch()),
            Arg::Option(name, Some(value)) if matches!(name.as_str(), "r" | "recipe") => {
                Some(value.sketch())
            }
            Arg::Option(..) => None,
        })
        .filter(|word| word != "build")
        .collect();
    let variants = args.iter().filter_map(|arg| match arg {
        Arg::Option(name, Some(value))
            if matches!(
                name.as_str(),
                "m" | "variant-config-files" | "variant-config"
            ) =>
        {
            Some((around.resolve)(&value.sketch()))
        }
        _ => None,
    });
    let variants: Vec<String> = variants.collect();
    let here = argv.program() == Some("rattler-build") && recipes.is_empty();
    let recipes = recipes.into_iter().chain(here.then(|| ".".to_owned()));
    recipes
        .map(|path| Did::Recipe {
            path: (around.resolve)(&path),
            variants: variants.clone(),
        })
        .collect()
}

/// torch for Python under each of its names; some are of the channel `pytorch`, from the time of torch 1.
pub(crate) const TORCH: [&str; 5] = [
    "pytorch",
    "pytorch-gpu",
    "pytorch-cpu",
    "pytorch-nightly",
    "pytorch-nightly-cpu",
];

fn brought(
    name: &str,
    version: Option<String>,
    channels: &[String],
    program: &str,
) -> Option<Installed> {
    let labelled = || {
        channels
            .iter()
            .find_map(|c| c.split("label/cuda-").nth(1))
            .map(|v| v.split('/').next().unwrap_or(v).to_owned())
    };
    let (tool, version) = match name {
        "cuda"
        | "cuda-toolkit"
        | "cuda-nvcc"
        | "cuda-nvcc-dev_linux-64"
        | "cudatoolkit-dev"
        | "cuda-compiler"
        | "cuda-nvcc_linux-64" => (Tool::Nvcc, version.or_else(labelled)),
        name if TORCH.contains(&name) => (Tool::Torch, version),
        "cmake" => (Tool::Cmake, version),
        _ => return None,
    };
    Some(Installed {
        tool,
        version,
        variant: None,
        default_index: false,
        by: format!("{program} install {name}"),
    })
}
