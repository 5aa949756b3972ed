//! pip, and the tools that speak like it.
use super::args::{Arg, Argv, named};
use super::brought::brought;
use super::cmake;
use super::environment;
use super::named::{normalise, source};
use super::project;
use super::requirements::{Listed, Wanted};
use super::verb::Verb;
use super::{Action, Did, Effect, Named, Source, Surroundings, Text};
use crate::value::Value;

/// `pip`, `pip3`, `pip3.11`.
pub(super) fn is_pip(program: &str) -> bool {
    program
        .strip_prefix("pip")
        .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
}

/// The options of `pip install` and `uv pip install` that have a value of their own.
pub(super) fn takes_value(name: &str) -> bool {
    matches!(
        name,
        "r" | "c"
            | "e"
            | "t"
            | "i"
            | "f"
            | "C"
            | "w"
            | "d"
            | "p"
            | "b"
            | "requirement"
            | "constraint"
            | "editable"
            | "target"
            | "index-url"
            | "extra-index-url"
            | "find-links"
            | "no-binary"
            | "only-binary"
            | "config-settings"
            | "config-setting"
            | "global-option"
            | "build-option"
            | "install-option"
            | "wheel-dir"
            | "dest"
            | "prefix"
            | "root"
            | "src"
            | "upgrade-strategy"
            | "platform"
            | "python-version"
            | "implementation"
            | "abi"
            | "python"
            | "cache-dir"
            | "timeout"
            | "retries"
            | "proxy"
            | "trusted-host"
            | "cert"
            | "log"
            | "progress-bar"
            | "build"
            | "report"
            | "index"
            | "default-index"
            | "index-strategy"
            | "torch-backend"
            | "no-build-isolation-package"
            | "no-build-package"
            | "no-binary-package"
            | "reinstall-package"
            | "upgrade-package"
            | "override"
            | "extra"
            | "group"
            | "link-mode"
            | "resolution"
            | "prerelease"
            | "exclude-newer"
            | "keyring-provider"
            | "build-constraint"
            | "only-group"
    )
}

/// `args` begins with the subcommand.
pub(super) fn recognise(argv: &Argv<'_>, tool: &str, around: &Surroundings<'_>) -> Vec<Did> {
    let args = argv.parse(takes_value);
    let mut operands = args.iter().filter_map(|a| match a {
        Arg::Operand(value) => Some(value),
        Arg::Option(..) => None,
    });
    match operands.next().map(Value::sketch).as_deref() {
        Some("install" | "wheel") => install(&args, tool, around),
        _ => Vec::new(),
    }
}

/// What all requirements of one command share.
#[derive(Default)]
struct Shared {
    indexes: Vec<Value>,
    no_binary: Vec<String>,
    only_binary: Vec<String>,
    config_settings: Vec<Named>,
    options: Vec<(String, Option<Value>)>,
    isolated: bool,
    backend: Option<String>,
    /// Files that list packages.
    requirements: Vec<Value>,
    /// Files that list versions.
    constraints: Vec<Value>,
    /// Operands of `-e`: paths also without a slash.
    editable: Vec<Value>,
    /// What constraints say of a package.
    versions: Vec<(String, Value)>,
}

fn install(args: &[Arg], tool: &str, around: &Surroundings<'_>) -> Vec<Did> {
    let mut shared = Shared::of_environment(around);
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut seen_subcommand = false;
    for arg in args {
        match arg {
            Arg::Operand(value) if seen_subcommand => wanted.push(of_command(value.clone())),
            Arg::Operand(_) => seen_subcommand = true,
            Arg::Option(name, value) => shared.option(name, value.as_ref()),
        }
    }
    wanted.extend(shared.editable.iter().map(as_path).map(of_command));
    let mut listed = Listed::default();
    for (files, constrain) in [(&shared.requirements, false), (&shared.constraints, true)] {
        for file in files {
            listed.read(&(around.resolve)(&file.sketch()), constrain, around);
        }
    }
    all(wanted, listed, shared, tool, around)
}

/// Lines of requirements that stand in another file, whose paths are seen from its folder.
pub(super) fn of_lines(
    lines: &[Text<'_>],
    path: &str,
    folder: &str,
    around: &Surroundings<'_>,
) -> Vec<Did> {
    let mut listed = Listed::default();
    for line in lines {
        listed.lines(line, path, around);
    }
    for wanted in &mut listed.wanted {
        let value = std::mem::take(&mut wanted.value);
        wanted.value = environment::placed(value, folder);
    }
    let shared = Shared::of_environment(around);
    all(Vec::new(), listed, shared, "pip", around)
}

/// All that a command and its files want.
fn all(
    mut wanted: Vec<Wanted>,
    mut listed: Listed,
    mut shared: Shared,
    tool: &str,
    around: &Surroundings<'_>,
) -> Vec<Did> {
    for (name, value) in &listed.options {
        shared.option(name, value.as_ref());
    }
    wanted.append(&mut listed.wanted);
    let files = listed.unread.into_iter().map(|path| {
        let source = Source::Requirements(path);
        Did::Action(Action::new(Verb::Index, tool, source))
    });
    shared.versions = listed.constraints;
    let named = wanted
        .iter()
        .flat_map(|w| requirement(w, tool, &shared, around));
    files.chain(named).collect()
}

fn of_command(value: Value) -> Wanted {
    Wanted {
        value,
        at: None,
        unsure: false,
    }
}

impl Shared {
    /// What the environment says.
    fn of_environment(around: &Surroundings<'_>) -> Self {
        let mut shared = Self {
            isolated: true,
            ..Self::default()
        };
        for name in [
            "PIP_EXTRA_INDEX_URL",
            "PIP_INDEX_URL",
            "PIP_FIND_LINKS",
            "UV_EXTRA_INDEX_URL",
            "UV_INDEX_URL",
            "UV_INDEX",
            "UV_DEFAULT_INDEX",
        ] {
            shared.indexes.extend((around.env)(name));
        }
        for (name, list) in [
            ("PIP_NO_BINARY", &mut shared.no_binary),
            ("PIP_ONLY_BINARY", &mut shared.only_binary),
        ] {
            list.extend((around.env)(name).iter().flat_map(names));
        }
        if (around.env)("PIP_NO_BUILD_ISOLATION").is_some()
            || (around.env)("UV_NO_BUILD_ISOLATION").is_some()
        {
            shared.isolated = false;
        }
        shared.backend = (around.env)("UV_TORCH_BACKEND").map(|v| v.sketch());
        shared
    }

    fn option(&mut self, name: &str, value: Option<&Value>) {
        let text = || value.map(Value::sketch).unwrap_or_default();
        match (name, value) {
            ("e" | "editable", Some(value)) => self.editable.push(value.clone()),
            (
                "i" | "index-url" | "extra-index-url" | "f" | "find-links" | "index"
                | "default-index",
                Some(value),
            ) => self.indexes.push(value.clone()),
            ("r" | "requirement", Some(value)) => self.requirements.push(value.clone()),
            ("c" | "constraint", Some(value)) => self.constraints.push(value.clone()),
            ("torch-backend", _) => self.backend = Some(text()),
            ("no-binary" | "no-binary-package", Some(value)) => self.no_binary.extend(names(value)),
            ("only-binary", Some(value)) => self.only_binary.extend(names(value)),
            ("no-build" | "no-build-package", _) => self.only_binary.push(":all:".to_owned()),
            ("no-build-isolation" | "no-build-isolation-package", _) => self.isolated = false,
            ("C" | "config-settings" | "config-setting", Some(value)) => {
                let Some(setting) = named(value) else { return };
                // setuptools passes these through: --build-option=--cuda_ext
                if matches!(
                    setting.name.trim_start_matches('-'),
                    "build-option" | "global-option"
                ) {
                    self.passed_option(&setting.value);
                }
                self.config_settings.push(setting);
            }
            ("global-option" | "build-option" | "install-option", Some(value)) => {
                self.passed_option(value)
            }
            _ => self.options.push((name.to_owned(), value.cloned())),
        }
    }

    fn passed_option(&mut self, value: &Value) {
        let text = value.sketch();
        for word in text.split_whitespace() {
            self.options
                .push((word.trim_start_matches('-').to_owned(), None));
        }
    }
}

/// `-e name` is `-e ./name`.
pub(super) fn as_path(value: &Value) -> Value {
    let text = value.sketch();
    if text.contains([':', '/']) || text.starts_with('.') {
        return value.clone();
    }
    let mut path = Value::literal("./", None);
    path.append(value);
    path
}

fn names(value: &Value) -> Vec<String> {
    value
        .sketch()
        .split([',', ' '])
        .filter(|n| !n.is_empty())
        .map(normalise)
        .collect()
}

fn requirement(
    wanted: &Wanted,
    tool: &str,
    shared: &Shared,
    around: &Surroundings<'_>,
) -> Vec<Did> {
    let Some((mut source, extras)) = source(&wanted.value, around) else {
        return Vec::new();
    };
    if let Source::Index { name, spec } = &mut source
        && spec.pieces.is_empty()
        && let Some((_, version)) = shared.versions.iter().find(|(of, _)| of == name)
    {
        *spec = version.clone();
    }
    let verb = match source {
        Source::Index { .. } | Source::Wheel(_) => Verb::Index,
        _ => Verb::Source,
    };
    let held = |list: &[String]| match &source {
        Source::Index { name, .. } => list
            .iter()
            .rev()
            .take_while(|n| *n != ":none:")
            .any(|n| n == ":all:" || n == name),
        _ => list.iter().any(|n| n == ":all:"),
    };
    let mut action = Action::new(verb, tool, source.clone());
    action.at = wanted.at;
    action.unsure = wanted.unsure;
    action.no_binary = held(&shared.no_binary);
    action.only_binary = held(&shared.only_binary) && !action.no_binary;
    for (held, name) in [
        (action.no_binary, "no-binary"),
        (action.only_binary, "only-binary"),
    ] {
        if held {
            action.options.push((name.to_owned(), None));
        }
    }
    action.extras = extras.clone();
    action.options.extend(shared.options.iter().cloned());
    action.indexes = shared.indexes.clone();
    action.isolated = shared.isolated;
    action.defines = cmake::defines_of_environment(around, &shared.config_settings);
    action.config_settings = shared.config_settings.clone();
    let mut did = vec![Did::Action(action)];
    did.extend(
        brought(&source, &shared.indexes, shared.backend.as_deref())
            .map(|i| Did::Effect(Effect::Installed(i))),
    );
    did.extend(needed(&source, &extras, tool, shared, around));
    did
}

/// What a directory's project depends on.
fn needed(
    source: &Source,
    extras: &[String],
    tool: &str,
    shared: &Shared,
    around: &Surroundings<'_>,
) -> Vec<Did> {
    let Source::Tree(dir) = source else {
        return Vec::new();
    };
    if shared.options.iter().any(|(name, _)| name == "no-deps") {
        return Vec::new();
    }
    let (mut wanted, files) = project::dependencies(dir, extras, around);
    let mut listed = Listed::default();
    for file in files {
        listed.read(&file, false, around);
    }
    wanted.append(&mut listed.wanted);
    // a directory among them is not followed further
    wanted.retain(|wanted| !wanted.value.sketch().starts_with(['.', '/']));
    let all = wanted.iter();
    all.flat_map(|one| requirement(one, tool, shared, around))
        .collect()
}

/// What one requirement of a project means where nothing else is said.
pub(super) fn installed(wanted: &Wanted, tool: &str, around: &Surroundings<'_>) -> Vec<Did> {
    requirement(wanted, tool, &Shared::of_environment(around), around)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(line: &str) -> Vec<Source> {
        let words: Vec<Value> = line.split(' ').map(|w| Value::literal(w, None)).collect();
        let around = Surroundings::bare();
        super::super::recognise(&words, &around)
            .into_iter()
            .filter_map(|d| match d {
                Did::Action(a) => Some(a.source),
                _ => None,
            })
            .collect()
    }

    fn repo(name: &str, reference: Option<&str>, subdir: &str) -> Source {
        Source::Repo {
            name: name.into(),
            reference: reference.map(Into::into),
            subdir: subdir.into(),
        }
    }

    #[test]
    fn operands_name_sources() {
        let index = |name: &str, spec: &str| Source::Index {
            name: name.into(),
            spec: Value::literal(spec, None),
        };
        for (line, want) in [
            (
                "pip install flash_attn==2.8.3 --no-build-isolation",
                index("flash-attn", "==2.8.3"),
            ),
            (
                "pip3.11 install -U Torch.Scatter",
                index("torch-scatter", ""),
            ),
            (
                "pip install git+https://github.com/Owner/Name.git@v1#subdirectory=a/b",
                repo("owner/name", Some("v1"), "a/b"),
            ),
            (
                "pip install name@git+https://github.com/o/n",
                repo("o/n", None, ""),
            ),
            (
                "pip install git+ssh://git@github.com/o/n.git",
                repo("o/n", None, ""),
            ),
            (
                "pip install https://github.com/o/n/archive/refs/tags/v2.zip",
                repo("o/n", Some("v2"), ""),
            ),
            (
                "pip install https://h/x-1-cp311-linux.whl?dl=1",
                Source::Wheel("x-1-cp311-linux.whl".into()),
            ),
            (
                "pip wheel --no-deps -w /dist ./sub",
                Source::Tree("/w/sub".into()),
            ),
            ("pip install -v -e .[dev]", Source::Tree("/w".into())),
            ("pip install -e .", Source::Tree("/w".into())),
            (
                "uv pip install --system --no-build-isolation sub/dir",
                Source::Tree("/w/sub/dir".into()),
            ),
            (
                "python3 -m pip install dist/x.tar.gz",
                Source::Archive("/w/dist/x.tar.gz".into()),
            ),
        ] {
            assert_eq!(sources(line), [want], "{line}");
        }
        assert_eq!(
            sources("pip install -r requirements.txt -c constraints.txt"),
            [Source::Requirements("/w/requirements.txt".into())]
        );
        assert_eq!(sources("pip download torch"), []);
        assert_eq!(sources("pip --version"), []);
    }
}
