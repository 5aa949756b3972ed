//! The Python interpreter and the project managers.
use super::args::{Arg, Argv, named};
use super::imports;
use super::locked;
use super::pip;
use super::project;
use super::verb::Verb;
use super::{Action, Did, Named, Source, Surroundings, cmake};
use crate::value::Value;

/// `python`, `python3`, `python3.11`, `pypy3`.
pub(crate) fn is_interpreter(program: &str) -> bool {
    let rest = program
        .strip_prefix("python")
        .or_else(|| program.strip_prefix("pypy"));
    rest.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
}

/// `python …`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let mut at = 1;
    while at < argv.len() {
        let text = argv.text(at);
        match text {
            "-m" => return module(&argv.tail(at + 1), around),
            "-c" => return code(&argv.values()[at + 1..], argv, around),
            "-W" | "-X" => at += 2,
            _ if text.starts_with("-m") => return Vec::new(),
            _ if text.starts_with('-') && text != "-" => at += 1,
            _ => return file(&argv.tail(at), around),
        }
    }
    Vec::new()
}

fn module(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    match argv.text(0) {
        "pip" => pip::recognise(&argv.tail(1), "pip", around),
        "uv" => manager(argv, around),
        "build" => build(argv, around),
        "cibuildwheel" | "poetry" | "pdm" | "pipenv" | "hatch" => manager(argv, around),
        "" | "venv" | "virtualenv" | "ensurepip" | "http" | "compileall" | "site" | "pytest"
        | "unittest" | "json" => Vec::new(),
        module => {
            let mut action = Action::new(Verb::Script, module, Source::Tree((around.resolve)(".")));
            action.options = options(&argv.values()[1..]);
            let compiled = imports::of_module(module, around);
            let all = std::iter::once(action).chain(compiled);
            all.map(Did::Action).collect()
        }
    }
}

/// The options of a program of which nothing is known: what follows an option may be its value.
pub(crate) fn options(words: &[Value]) -> Vec<(String, Option<Value>)> {
    let mut options = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let text = word.sketch();
        let bare = text.trim_start_matches('-');
        let dashes = text.len() - bare.len();
        match bare.split_once('=') {
            Some((name, _)) if dashes > 0 => options.push((
                name.to_owned(),
                Some(word.slice_from(dashes + name.len() + 1)),
            )),
            _ if dashes > 0 => {
                let value = words
                    .get(at + 1)
                    .filter(|next| !next.sketch().starts_with('-'));
                options.push((bare.to_owned(), value.cloned()));
            }
            _ => options.push((text, None)),
        }
    }
    options
}

/// `python -m build [dir]`, `uv build [dir]`.
fn build(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let args = argv.tail(1).parse(|n| {
        matches!(
            n,
            "o" | "outdir"
                | "out-dir"
                | "C"
                | "config-setting"
                | "python"
                | "p"
                | "package"
                | "installer"
        )
    });
    let dir = args.iter().find_map(|a| match a {
        Arg::Operand(value) => Some(value.sketch()),
        Arg::Option(..) => None,
    });
    let mut action = source_action(
        Source::Tree((around.resolve)(dir.as_deref().unwrap_or("."))),
        "build",
        around,
    );
    let mut isolated = true;
    let mut settings = Vec::new();
    for arg in args {
        if let Arg::Option(name, value) = arg {
            if matches!(name.as_str(), "C" | "config-setting") {
                settings.extend(value.as_ref().and_then(named));
            }
            isolated &= !matches!(name.as_str(), "n" | "no-isolation" | "no-build-isolation");
            action.options.push((name, value));
        }
    }
    // a source archive compiles nothing
    let sdist_only = action
        .options
        .iter()
        .any(|(n, _)| matches!(n.as_str(), "s" | "sdist"))
        && !action
            .options
            .iter()
            .any(|(n, _)| matches!(n.as_str(), "w" | "wheel"));
    action.isolated = isolated;
    action.defines.extend(cmake::defines_of_environment(
        &Surroundings {
            env: &|_| None,
            ..*around
        },
        &settings,
    ));
    action.config_settings = settings;
    if sdist_only {
        Vec::new()
    } else {
        vec![Did::Action(action)]
    }
}

fn source_action(source: Source, tool: &str, around: &Surroundings<'_>) -> Action {
    let mut action = Action::new(Verb::Source, tool, source);
    action.isolated = true;
    action.defines = cmake::defines_of_environment(around, &[]);
    action
}

/// `python setup.py …`, `python build.py`.
fn file(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let path = argv.text(0);
    let name = path.rsplit('/').next().unwrap_or(path);
    let dir = path
        .strip_suffix(name)
        .map_or(".", |d| if d.is_empty() { "." } else { d });
    let tree = Source::Tree((around.resolve)(dir));
    let args = argv.tail(1).parse(|n| {
        matches!(
            n,
            "set"
                | "yes"
                | "no"
                | "d"
                | "dist-dir"
                | "prefix"
                | "root"
                | "b"
                | "build-dir"
                | "j"
                | "parallel"
                | "plat-name"
                | "p"
        )
    });
    let mut action = Action::new(
        if name == "setup.py" {
            Verb::Setup
        } else {
            Verb::Script
        },
        name,
        tree,
    );
    action.defines = cmake::defines_of_environment(around, &[]);
    if action.verb == Verb::Script {
        action.options = options(&argv.values()[1..]);
    } else {
        action.options = args
            .iter()
            .map(|arg| match arg {
                Arg::Operand(value) => (value.sketch(), None),
                Arg::Option(option, value) => (option.clone(), value.clone()),
            })
            .collect();
    }
    for (option, value) in &action.options {
        // options of setup.py files that wrap CMake: `--set NAME=value`, `--yes NAME`, `--no NAME`
        let Some(value) = value else { continue };
        let switched = |state: &str| Named {
            name: value.sketch(),
            value: Value::literal(state, value.site()),
        };
        match option.as_str() {
            "set" => action.defines.extend(named(value)),
            "yes" => action.defines.push(switched("ON")),
            "no" => action.defines.push(switched("OFF")),
            _ => {}
        }
    }
    if name == "setup.py" && !builds(&args) {
        return Vec::new();
    }
    if action.verb == Verb::Script && !name.ends_with(".py") {
        return Vec::new();
    }
    let compiled = match action.verb {
        Verb::Script => imports::of_file(&(around.resolve)(path), around),
        _ => Vec::new(),
    };
    let all = std::iter::once(action).chain(compiled);
    all.map(Did::Action).collect()
}

/// Whether a `setup.py` subcommand compiles extensions.
fn builds(args: &[Arg]) -> bool {
    args.iter().any(|a| match a {
        Arg::Operand(value) => matches!(
            value.sketch().as_str(),
            "install"
                | "develop"
                | "build"
                | "build_ext"
                | "bdist_wheel"
                | "bdist_egg"
                | "bdist"
                | "build_clib"
                | "editable_wheel"
                | "?"
                | "bdist_rpm"
        ),
        Arg::Option(..) => false,
    })
}

/// `python -c CODE`: only code that compiles at run time matters, its own or that of a module that it imports.
fn code(rest: &[Value], argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let Some(code) = rest.first() else {
        return Vec::new();
    };
    let text = code.sketch();
    let jit = text.contains("cpp_extension") && text.contains("load");
    if !jit {
        let imported = imports::of_text(&text, around);
        return imported.into_iter().map(Did::Action).collect();
    }
    let mut action = Action::new(
        Verb::Jit,
        argv.program().unwrap_or("python"),
        Source::Nothing,
    );
    action.flags = vec![code.clone()];
    vec![Did::Action(action)]
}

/// `uv`, `poetry`, `pdm`, `hatch`, `pipenv`, `mim`, `cibuildwheel`.
pub(super) fn manager(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let unread_project = |tool: &str| {
        vec![Did::Action(source_action(
            Source::Project((around.resolve)(".")),
            tool,
            around,
        ))]
    };
    let program = argv.program().unwrap_or_default().to_owned();
    match (program.as_str(), argv.text(1)) {
        ("uv", "pip") => pip::recognise(&argv.tail(2), "uv", around),
        ("uv", "add") | ("poetry", "add") | ("pdm", "add") | ("pipenv", "install")
            if argv.len() > 2 =>
        {
            added(argv, &program, around)
        }
        ("uv", "build") => build(&argv.tail(1), around),
        ("uv", "sync") => project::sync(argv, around).unwrap_or_else(|| unread_project(&program)),
        ("poetry" | "pdm", "install" | "sync") => {
            locked::install(&program, argv, around).unwrap_or_else(|| unread_project(&program))
        }
        ("pipenv" | "rye", "install" | "sync") => unread_project(&program),
        ("hatch" | "poetry" | "pdm" | "flit", "build") => vec![Did::Action(source_action(
            Source::Tree((around.resolve)(".")),
            &program,
            around,
        ))],
        ("mim", "install") => {
            let mut did = pip::recognise(&argv.tail(1), "mim", around);
            for each in &mut did {
                if let Did::Action(action) = each {
                    action.options.push(("mim".to_owned(), None));
                }
            }
            did
        }
        ("pipx", "run") => manager(&argv.tail(2), around),
        ("cibuildwheel", _) => {
            let dir = argv
                .texts()
                .iter()
                .skip(1)
                .find(|t| !t.starts_with('-'))
                .map_or(".", String::as_str);
            let action = Action::new(
                Verb::Script,
                "cibuildwheel",
                Source::Tree((around.resolve)(dir)),
            );
            vec![Did::Action(action)]
        }
        _ => Vec::new(),
    }
}

/// `uv add NAME` installs like `pip install NAME`.
fn added(argv: &Argv<'_>, tool: &str, around: &Surroundings<'_>) -> Vec<Did> {
    let mut values = argv.values()[1..].to_vec();
    values[0] = Value::literal("install", values[0].site());
    pip::recognise(&Argv::new(&values), tool, around)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verbs(line: &str) -> Vec<(Verb, Source)> {
        let words: Vec<Value> = line.split(' ').map(|w| Value::literal(w, None)).collect();
        let around = Surroundings::bare();
        super::super::recognise(&words, &around)
            .into_iter()
            .filter_map(|d| match d {
                Did::Action(a) => Some((a.verb, a.source)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn interpreters_run_builds() {
        let tree = |path: &str| Source::Tree(path.into());
        for (line, want) in [
            (
                "python setup.py bdist_wheel",
                vec![(Verb::Setup, tree("/w"))],
            ),
            (
                "python3.11 -u ops/setup.py build_ext --inplace",
                vec![(Verb::Setup, tree("/w/ops"))],
            ),
            ("python setup.py sdist", vec![]),
            ("python setup.py --version", vec![]),
            ("python setup.py clean", vec![]),
            (
                "python -m build --wheel --no-isolation",
                vec![(Verb::Source, tree("/w"))],
            ),
            ("python -m build --sdist", vec![]),
            (
                "python -m build csrc",
                vec![(Verb::Source, tree("/w/csrc"))],
            ),
            ("uv build --wheel", vec![(Verb::Source, tree("/w"))]),
            (
                "uv sync --frozen",
                vec![(Verb::Source, Source::Project("/w".into()))],
            ),
            (
                "poetry install",
                vec![(Verb::Source, Source::Project("/w".into()))],
            ),
            ("python -m pytest", vec![]),
            ("python train.py", vec![(Verb::Script, tree("/w"))]),
        ] {
            assert_eq!(verbs(line), want, "{line}");
        }
    }
}
