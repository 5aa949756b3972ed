//! conda, mamba, micromamba: binary packages, among them toolkits and torch.
use super::args::{Arg, Argv};
use super::verb::Verb;
use super::{Action, Did, Effect, Installed, Source, Surroundings, Tool};

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
    if !operands
        .next()
        .is_some_and(|c| matches!(c.sketch().as_str(), "install" | "create" | "add"))
    {
        return Vec::new();
    }
    let channels: Vec<String> = args
        .iter()
        .filter_map(|a| match a {
            Arg::Option(name, Some(value)) if matches!(name.as_str(), "c" | "channel") => {
                Some(value.sketch())
            }
            _ => None,
        })
        .collect();
    let mut did = Vec::new();
    for value in operands {
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
            &program,
            Source::Index {
                name: name.to_owned(),
                spec: value.slice_from(end),
            },
        );
        action.options.push(("install".to_owned(), None));
        did.push(Did::Action(action));
        did.extend(
            brought(name, version, &channels, &program).map(|i| Did::Effect(Effect::Installed(i))),
        );
    }
    did
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
    let here = argv.program() == Some("rattler-build") && recipes.is_empty();
    let recipes = recipes.into_iter().chain(here.then(|| ".".to_owned()));
    recipes
        .map(|path| Did::Recipe((around.resolve)(&path)))
        .collect()
}

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
        "pytorch" | "pytorch-gpu" => (Tool::Torch, version),
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
