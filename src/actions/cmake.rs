//! CMake: the configure step chooses the architectures.
use super::args::{Arg, Argv, named, split};
use super::verb::Verb;
use super::{Action, Did, Effect, Named, Source, Surroundings};
use crate::value::Value;

fn takes_value(name: &str) -> bool {
    matches!(
        name,
        "S" | "B"
            | "H"
            | "D"
            | "U"
            | "G"
            | "T"
            | "A"
            | "C"
            | "P"
            | "E"
            | "preset"
            | "build"
            | "install"
            | "toolchain"
            | "install-prefix"
            | "open"
            | "find-package"
            | "target"
            | "t"
            | "config"
            | "j"
    )
}

/// `cmake …`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let args = argv.tail(1).parse(takes_value);
    let option = |wanted: &[&str]| {
        args.iter().find_map(|a| match a {
            Arg::Option(name, value) if wanted.contains(&name.as_str()) => {
                value.as_ref().map(Value::sketch)
            }
            _ => None,
        })
    };
    let has = |wanted: &str| {
        args.iter()
            .any(|a| matches!(a, Arg::Option(name, _) if name == wanted))
    };
    // --build and --install belong to the configure that came before; -E, -P and --help configure nothing
    if args.is_empty()
        || [
            "E",
            "P",
            "build",
            "install",
            "help",
            "version",
            "open",
            "find-package",
            "workflow",
        ]
        .iter()
        .any(|o| has(o))
    {
        return Vec::new();
    }
    let operands = args.iter().rev().filter_map(|a| match a {
        Arg::Operand(value) => Some(value.sketch()),
        Arg::Option(..) => None,
    });
    let operands: Vec<String> = operands.collect();
    // `"${args[@]}"` may be options beside the source, or nothing
    let known = operands
        .iter()
        .find(|text| !matches!(text.as_str(), "?" | ""));
    let operand = known.or(operands.first()).cloned();
    let build = option(&["B"]);
    // an operand names the source, or an existing build directory, which then is the working directory's own
    let source = option(&["S", "H"])
        .or(operand)
        .unwrap_or_else(|| ".".to_owned());
    // the file itself names its folder
    let source = match source.strip_suffix("CMakeLists.txt") {
        Some("") => ".",
        Some(folder) => folder.trim_end_matches(['/', '\\']),
        None => &source,
    };
    let mut action = Action::new(Verb::Cmake, "cmake", Source::Tree((around.resolve)(source)));
    for arg in &args {
        let Arg::Option(name, value) = arg else {
            continue;
        };
        match (
            name.strip_prefix('D').filter(|rest| !rest.is_empty()),
            value,
        ) {
            (Some(rest), Some(value)) => action.defines.push(define(rest, value.clone())),
            (None, Some(value)) if name == "D" => action.defines.extend(one_define(value)),
            (_, value) => action.options.push((name.clone(), value.clone())),
        }
    }
    if let Some(preset) = option(&["preset"]) {
        action.options.push((format!("preset={preset}"), None));
    }
    let built_in = (around.resolve)(&build.unwrap_or_else(|| ".".to_owned()));
    vec![
        Did::Action(action),
        Did::Effect(Effect::Configured(built_in)),
    ]
}

/// A define without its `:TYPE`.
fn define(name: &str, value: Value) -> Named {
    Named {
        name: name.split(':').next().unwrap_or(name).to_owned(),
        value,
    }
}

/// The defines among a script's arguments, which many scripts pass on: `--cmake_extra_defines NAME=value`, `-DNAME=value`.
pub(crate) fn passed_on_defines(args: &[Value]) -> Vec<Named> {
    args.iter().filter_map(one_define).collect()
}

/// `NAME:TYPE=value`, with or without `-D`. A quote that the shell left in before the name is part of it, as it is for CMake.
fn one_define(word: &Value) -> Option<Named> {
    let text = word.sketch();
    let bare = text.strip_prefix("-D").unwrap_or(&text);
    let unquoted = bare.trim_start_matches(['\'', '"']);
    let found = named(&word.slice_from(text.len() - unquoted.len()))?;
    let quotes = &bare[..bare.len() - unquoted.len()];
    Some(define(&format!("{quotes}{}", found.name), found.value))
}

/// The name of defines that are not known: those of a part of a list that is not known.
pub const ANY: &str = "?";

/// The defines in a list of flags: `-DA=1 -D B=2`.
fn defines(words: &[Value]) -> Vec<Named> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.sketch();
        if word.has_hole() && word.known_prefix().is_empty() {
            let why = match word.first_hole() {
                Some((why, _)) => why.to_owned(),
                None => String::new(),
            };
            found.push(Named {
                name: ANY.to_owned(),
                value: Value::hole(&why, None, false),
            });
        } else if text == "-D" {
            found.extend(words.next().and_then(one_define));
        } else if text.starts_with("-D") {
            found.extend(one_define(word));
        }
    }
    found
}

/// The defines that Python builds pass to CMake: `CMAKE_ARGS`, `SKBUILD_CMAKE_ARGS`, `SKBUILD_CMAKE_DEFINE`, and config settings `cmake.args`, `cmake.define.NAME`.
pub(super) fn defines_of_environment(around: &Surroundings<'_>, settings: &[Named]) -> Vec<Named> {
    let mut found = Vec::new();
    for setting in settings {
        if let Some(name) = setting.name.strip_prefix("cmake.define.") {
            found.push(define(name, setting.value.clone()));
        } else if setting.name == "cmake.args" {
            found.extend(defines(&split_on(&setting.value, ';')));
        }
    }
    if let Some(args) = (around.env)("CMAKE_ARGS") {
        found.extend(defines(&split(&args)));
    }
    if let Some(args) = (around.env)("SKBUILD_CMAKE_ARGS") {
        found.extend(defines(&split_on(&args, ';')));
    }
    if let Some(list) = (around.env)("SKBUILD_CMAKE_DEFINE") {
        found.extend(split_on(&list, ';').iter().filter_map(named));
    }
    found
}

fn split_on(value: &Value, separator: char) -> Vec<Value> {
    let text = value.sketch();
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(separator).chain([(text.len(), "")]) {
        parts.push(value.slice(from, at));
        from = at + separator.len_utf8();
    }
    // a list inside one define keeps its separators: `-DA=80;90;-DB=1`
    let mut joined: Vec<Value> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if !part.sketch().starts_with("-D") && !part.sketch().contains('=') => {
                last.push_literal(&separator.to_string(), None);
                last.append(&part);
            }
            _ => joined.push(part),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[&str], env: &[(&str, &str)]) -> Vec<Did> {
        let words: Vec<Value> = words.iter().map(|w| Value::literal(w, None)).collect();
        let env = |name: &str| {
            env.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| Value::literal(v, None))
        };
        super::super::recognise(
            &words,
            &Surroundings {
                resolve: &|p| crate::paths::join("/w", p),
                env: &env,
                ..Surroundings::bare()
            },
        )
    }

    fn action(did: &[Did]) -> Option<&Action> {
        did.iter().find_map(|d| match d {
            Did::Action(a) => Some(a),
            _ => None,
        })
    }

    #[test]
    fn configures_are_actions() {
        for (line, source, defines) in [
            (
                vec![
                    "cmake",
                    "..",
                    "-DA=1",
                    "-D",
                    "B:BOOL=ON",
                    "-DC:STRING=80;90",
                ],
                "/",
                "A=1 B=ON C=80;90",
            ),
            (
                vec!["cmake", "-S", "src", "-B", "build", "-DA=1"],
                "/w/src",
                "A=1",
            ),
            (vec!["cmake", "-Bbuild", "-Ssrc"], "/w/src", ""),
            (vec!["cmake", "?", "src", "?"], "/w/src", ""),
            (vec!["cmake", "?"], "?", ""),
            (vec!["cmake", "src", ""], "/w/src", ""),
            (vec!["cmake", "-B", "build"], "/w", ""),
            (vec!["cmake", "-GNinja", "-DX=1", "/opt/x"], "/opt/x", "X=1"),
        ] {
            let did = run(&line, &[]);
            let action = action(&did).unwrap();
            assert_eq!(action.source, Source::Tree(source.into()), "{line:?}");
            let got: Vec<String> = action
                .defines
                .iter()
                .map(|d| format!("{}={}", d.name, d.value.sketch()))
                .collect();
            assert_eq!(got.join(" "), defines, "{line:?}");
        }
        for line in [
            vec!["cmake", "--build", "b"],
            vec!["cmake", "--install", "b"],
            vec!["cmake", "-E", "make_directory", "x"],
            vec!["cmake", "--version"],
            vec!["cmake", "-P", "x.cmake"],
        ] {
            assert!(action(&run(&line, &[])).is_none(), "{line:?}");
        }
    }

    #[test]
    fn python_builds_pass_defines_on() {
        let did = run(
            &["pip", "install", "-C", "cmake.define.Y=2", "x"],
            &[(
                "CMAKE_ARGS",
                "-DGGML_CUDA=on -DCMAKE_CUDA_ARCHITECTURES='80;90'",
            )],
        );
        let got: Vec<String> = action(&did)
            .unwrap()
            .defines
            .iter()
            .map(|d| format!("{}={}", d.name, d.value.sketch()))
            .collect();
        assert_eq!(
            got,
            ["Y=2", "GGML_CUDA=on", "CMAKE_CUDA_ARCHITECTURES=80;90"]
        );
        let did = run(
            &["pip", "install", "x"],
            &[("SKBUILD_CMAKE_ARGS", "-DA=80;90;-DB=1")],
        );
        let got: Vec<String> = action(&did)
            .unwrap()
            .defines
            .iter()
            .map(|d| format!("{}={}", d.name, d.value.sketch()))
            .collect();
        assert_eq!(got, ["A=80;90", "B=1"]);
    }
}
