//! git: what stands in which directory, and at which commit.
use super::args::{Arg, Argv};
use super::{Did, Effect, Surroundings, named};

/// `git clone|checkout|switch|reset …`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    // `git -C dir -c key=value command`
    let mut at = 1;
    let mut dir = ".".to_owned();
    while argv.text(at).starts_with('-') {
        if argv.text(at) == "-C" {
            dir = argv.text(at + 1).to_owned();
        }
        at += if matches!(argv.text(at), "-C" | "-c") {
            2
        } else {
            1
        };
    }
    let here = (around.resolve)(&dir);
    let rest = argv.tail(at + 1);
    match argv.text(at) {
        "clone" => clone(&rest, &here),
        "checkout" | "switch" | "reset" => checkout(&rest, here),
        _ => Vec::new(),
    }
}

fn clone(argv: &Argv<'_>, here: &str) -> Vec<Did> {
    let args = argv.parse(|n| {
        matches!(
            n,
            "b" | "branch"
                | "depth"
                | "o"
                | "origin"
                | "c"
                | "config"
                | "j"
                | "jobs"
                | "reference"
                | "filter"
                | "revision"
                | "shallow-since"
                | "u"
                | "upload-pack"
        )
    });
    let mut operands = Vec::new();
    let mut reference = None;
    for arg in args {
        match arg {
            Arg::Operand(value) => operands.push(value.sketch()),
            Arg::Option(name, Some(value))
                if matches!(name.as_str(), "b" | "branch" | "revision") =>
            {
                reference = Some(value.sketch())
            }
            Arg::Option(..) => {}
        }
    }
    let Some(address) = operands.first() else {
        return Vec::new();
    };
    let name = named::repository(address).0;
    let default_dir = name.rsplit('/').next().unwrap_or(&name);
    // the directory keeps the address's own spelling
    let spelled = address
        .trim_end_matches('/')
        .rsplit(['/', ':'])
        .next()
        .unwrap_or(default_dir)
        .trim_end_matches(".git");
    let dir = operands.get(1).map_or(spelled, String::as_str);
    let path = crate::paths::join(here, dir);
    vec![Did::Effect(Effect::Cloned {
        name,
        reference,
        path,
    })]
}

fn checkout(argv: &Argv<'_>, path: String) -> Vec<Did> {
    let args = argv.parse(|n| matches!(n, "b" | "B" | "c" | "C"));
    let operand = args.into_iter().find_map(|a| match a {
        Arg::Operand(value) => Some(value.sketch()),
        Arg::Option(..) => None,
    });
    match operand {
        Some(reference) => vec![Did::Effect(Effect::CheckedOut { path, reference })],
        None => Vec::new(),
    }
}
