//! Files that come from addresses and archives, or are moved.
use super::args::{Arg, Argv};
use super::{Did, Effect, Surroundings};

/// `wget`, `curl`, `tar`, `unzip`, `cp`, `mv`, `ln`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let effect = match argv.program() {
        Some("wget") => fetch(argv, around, "O", "P"),
        Some("curl") => fetch(argv, around, "o", "output-dir"),
        Some("tar") => untar(argv, around),
        Some("unzip") => unzip(argv, around),
        _ => copy(argv, around),
    };
    effect.map(Did::Effect).into_iter().collect()
}

fn fetch(argv: &Argv<'_>, around: &Surroundings<'_>, output: &str, folder: &str) -> Option<Effect> {
    let args = argv.tail(1).parse(|n| {
        n == output
            || n == folder
            || matches!(
                n,
                "output"
                    | "output-document"
                    | "directory-prefix"
                    | "H"
                    | "header"
                    | "retry"
                    | "tries"
                    | "t"
                    | "timeout"
                    | "T"
                    | "user-agent"
                    | "A"
                    | "w"
                    | "m"
                    | "max-time"
            )
    });
    let value = |wanted: &[&str]| {
        args.iter().find_map(|a| match a {
            Arg::Option(name, Some(value)) if wanted.contains(&name.as_str()) => {
                Some(value.sketch())
            }
            _ => None,
        })
    };
    let url = args.iter().find_map(|a| match a {
        Arg::Operand(value) => Some(value.sketch()).filter(|t| t.contains("://")),
        Arg::Option(..) => None,
    })?;
    let name = url
        .split(['?', '#'])
        .next()
        .unwrap_or(&url)
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_owned();
    let path = value(&[output, "output", "output-document"]).unwrap_or(name);
    let folder = value(&[folder, "directory-prefix"]).unwrap_or_else(|| ".".to_owned());
    (path != "-").then(|| Effect::Fetched {
        url,
        path: crate::paths::join(&(around.resolve)(&folder), &path),
    })
}

fn untar(argv: &Argv<'_>, around: &Surroundings<'_>) -> Option<Effect> {
    let mut extracts = false;
    let mut archive = None;
    let mut into = ".".to_owned();
    let mut stripped = false;
    let mut i = 1;
    while i < argv.len() {
        let text = argv.text(i);
        let cluster = if let Some(short) = text.strip_prefix('-').filter(|s| !s.starts_with('-')) {
            Some(short)
        } else {
            (i == 1 && !text.starts_with('-')).then_some(text)
        };
        i += 1;
        match (text, cluster) {
            ("--extract" | "--get", _) => extracts = true,
            ("--directory", _) | (_, Some("C")) => {
                into = argv.text(i).to_owned();
                i += 1;
            }
            ("--strip-components" | "--strip", _) => {
                stripped = true;
                i += 1;
            }
            (_, Some(letters)) => {
                extracts |= letters.contains('x');
                // without a dash the letters take their values in turn
                if letters.ends_with('f') || (!text.starts_with('-') && letters.contains('f')) {
                    archive = Some(argv.text(i).to_owned());
                    i += 1;
                } else if letters.ends_with('C') {
                    into = argv.text(i).to_owned();
                    i += 1;
                }
            }
            _ => {
                stripped |= text.starts_with("--strip");
                if let Some(dir) = text.strip_prefix("--directory=") {
                    into = dir.to_owned();
                }
                if let Some(file) = text.strip_prefix("--file=") {
                    archive = Some(file.to_owned());
                }
            }
        }
    }
    let archive = archive
        .filter(|a| a != "-")
        .map(|a| (around.resolve)(&a))
        .unwrap_or_default();
    extracts.then(|| Effect::Unpacked {
        archive,
        into: (around.resolve)(&into),
        stripped,
    })
}

fn unzip(argv: &Argv<'_>, around: &Surroundings<'_>) -> Option<Effect> {
    let args = argv.tail(1).parse(|n| matches!(n, "d" | "x"));
    let mut archive = None;
    let mut into = ".".to_owned();
    for arg in args {
        match arg {
            Arg::Option(name, Some(value)) if name == "d" => into = value.sketch(),
            Arg::Operand(value) => {
                archive.get_or_insert_with(|| value.sketch());
            }
            Arg::Option(..) => {}
        }
    }
    Some(Effect::Unpacked {
        archive: (around.resolve)(&archive?),
        into: (around.resolve)(&into),
        stripped: false,
    })
}

fn copy(argv: &Argv<'_>, around: &Surroundings<'_>) -> Option<Effect> {
    let operands: Vec<String> = argv
        .tail(1)
        .parse(|n| matches!(n, "t" | "target-directory" | "S" | "suffix"))
        .into_iter()
        .filter_map(|a| match a {
            Arg::Operand(value) => Some(value.sketch()),
            Arg::Option(..) => None,
        })
        .collect();
    let [from, to] = operands.as_slice() else {
        return None;
    };
    Some(Effect::Copied {
        from: (around.resolve)(from),
        to: (around.resolve)(to),
    })
}
