//! The conditions of `if` as formulas.
use super::follow::Follow;
use crate::projects::guard::{Check, Guard};
use crate::projects::seen::{Open, Piece, known};
use crate::text::cmake::{self, Argument};

/// Deeper nesting of parentheses than this is not followed.
const MAX_DEPTH: u32 = 20;

/// Reads the words of a condition from the left.
struct Words<'a> {
    args: &'a [Argument],
    at: usize,
    depth: u32,
}

impl<'a> Words<'a> {
    fn is(&self, word: &str) -> bool {
        self.args.get(self.at).is_some_and(|a| a.is(word))
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.is(word);
        self.at += usize::from(found);
        found
    }

    fn next(&mut self) -> Option<&'a Argument> {
        let found = self.args.get(self.at);
        self.at += 1;
        found
    }
}

impl Follow<'_> {
    /// When the condition holds.
    pub(super) fn test(&mut self, args: &[Argument]) -> Guard {
        let mut words = Words {
            args,
            at: 0,
            depth: 0,
        };
        self.either(&mut words)
    }

    fn either(&mut self, words: &mut Words<'_>) -> Guard {
        let mut parts = vec![self.both(words)];
        while words.eat("OR") {
            parts.push(self.both(words));
        }
        Guard::any(parts)
    }

    fn both(&mut self, words: &mut Words<'_>) -> Guard {
        let mut parts = vec![self.single(words)];
        while words.eat("AND") {
            parts.push(self.single(words));
        }
        Guard::all(parts)
    }

    fn single(&mut self, words: &mut Words<'_>) -> Guard {
        if words.depth >= MAX_DEPTH || !self.tick() {
            words.at = words.args.len();
            return Guard::Unknown("a long condition".to_owned());
        }
        if words.eat("NOT") {
            words.depth += 1;
            let inner = self.single(words);
            words.depth -= 1;
            return inner.not();
        }
        if words.eat("(") {
            words.depth += 1;
            let inner = self.either(words);
            words.depth -= 1;
            words.eat(")");
            return inner;
        }
        let Some(first) = words.next() else {
            return Guard::Never;
        };
        for unary in [
            "DEFINED",
            "EXISTS",
            "TARGET",
            "COMMAND",
            "POLICY",
            "IS_DIRECTORY",
            "TEST",
        ] {
            if first.is(unary) {
                let of = words.next();
                return match (unary, of.and_then(Argument::literal)) {
                    ("DEFINED", Some(name)) => self.defined(&name),
                    ("TARGET", Some(name)) if !self.may_have_target(&name) => Guard::Never,
                    _ => Guard::Unknown(format!("{unary} {}", of.map(text_of).unwrap_or_default())),
                };
            }
        }
        let operator = words
            .args
            .get(words.at)
            .and_then(Argument::literal)
            .unwrap_or_default();
        if is_operator(&operator) {
            words.at += 1;
            let Some(second) = words.next() else {
                return Guard::Never;
            };
            return self
                .comparison(first, &operator, second)
                .unwrap_or_else(|| {
                    Guard::Unknown(format!("{} {operator} {}", text_of(first), text_of(second)))
                });
        }
        self.truth(first)
    }

    fn defined(&mut self, name: &str) -> Guard {
        if let Some(variable) = name.strip_prefix("ENV{").and_then(|n| n.strip_suffix('}')) {
            return Guard::Env(variable.to_owned(), Check::Set);
        }
        let ways = self.ways(name);
        let set = ways.into_iter().map(|(when, value)| {
            let there = match value.as_slice() {
                [Piece::Open(Open::Define(of, None))] if of == name => self.given(name),
                _ => Guard::Always,
            };
            Guard::all([when, there])
        });
        let set: Vec<Guard> = set.collect();
        Guard::any(set)
    }

    /// Whether a variable that the project does not set comes from somewhere else.
    fn given(&self, name: &str) -> Guard {
        let define = Guard::Define(name.to_owned(), Check::Set);
        if name != "CMAKE_CUDA_ARCHITECTURES" || !self.enabled {
            return define;
        }
        if !self.old_policy {
            return Guard::Always;
        }
        // enabling CUDA takes it from the environment
        Guard::any([define, Guard::Env("CUDAARCHS".to_owned(), Check::On)])
    }

    fn truth(&mut self, arg: &Argument) -> Guard {
        let Some(word) = arg.literal() else {
            let ways = self.expand(arg);
            let parts: Vec<Guard> = ways
                .into_iter()
                .map(|(when, value)| {
                    // `if(${NAME})` looks the text up once more
                    let holds = match known(&value) {
                        Some(text) => {
                            constant(&text).map_or_else(|| self.variable(&text), Guard::from)
                        }
                        None => self.on(&value, arg),
                    };
                    Guard::all([when, holds])
                })
                .collect();
            return Guard::any(parts);
        };
        match constant(&word) {
            Some(holds) => holds.into(),
            None if arg.quoted => Guard::Never,
            None => self.variable(&word),
        }
    }

    fn variable(&mut self, name: &str) -> Guard {
        match name {
            "UNIX"
            | "LINUX"
            | "CUDA_FOUND"
            | "CUDAToolkit_FOUND"
            | "CMAKE_CUDA_COMPILER"
            | "Torch_FOUND"
            | "TORCH_FOUND"
            | "CMAKE_CUDA_COMPILER_LOADED"
            | "CUDAToolkit_NVCC_EXECUTABLE"
            | "CUDA_TOOLKIT_ROOT_DIR" => return Guard::Always,
            "WIN32" | "MSVC" | "APPLE" | "ANDROID" | "IOS" | "MINGW" | "CYGWIN" | "EMSCRIPTEN" => {
                return Guard::Never;
            }
            "CMAKE_CUDA_ARCHITECTURES" if !self.variables.has(name) => {
                return self.given(name);
            }
            _ => {}
        }
        let argument = Argument {
            pieces: vec![cmake::Piece::Variable(name.to_owned())],
            quoted: false,
            span: Default::default(),
        };
        let ways = self.ways(name);
        let parts: Vec<Guard> = ways
            .into_iter()
            .map(|(when, value)| Guard::all([when, self.on(&value, &argument)]))
            .collect();
        Guard::any(parts)
    }

    /// Whether a value counts as true.
    fn on(&self, value: &[Piece], arg: &Argument) -> Guard {
        if let Some(text) = known(value) {
            return constant(&text).unwrap_or(!text.is_empty()).into();
        }
        match value {
            [Piece::Open(Open::Define(name, _))] if name == "CMAKE_CUDA_ARCHITECTURES" => {
                self.given(name)
            }
            [Piece::Open(Open::Define(name, None))] if self.is_touched(name) => {
                Guard::Unknown(text_of(arg))
            }
            [Piece::Open(Open::Define(name, default))] => {
                let is_on = default
                    .as_deref()
                    .is_some_and(|d| constant(d).unwrap_or(!d.is_empty()));
                if is_on {
                    Guard::Define(name.clone(), Check::Off).not()
                } else {
                    Guard::Define(name.clone(), Check::On)
                }
            }
            [Piece::Open(Open::Env { name, .. })] => Guard::Env(name.clone(), Check::On),
            _ => Guard::Unknown(text_of(arg)),
        }
    }

    fn comparison(&mut self, first: &Argument, operator: &str, second: &Argument) -> Option<Guard> {
        let name = name_of(first)?;
        let wanted = self.one(second)?;
        if is_cuda_version(&name) {
            return range(operator, &wanted, name.ends_with("MAJOR")).map(Guard::Cuda);
        }
        if name == "CMAKE_VERSION" {
            return range(operator, &wanted, false).map(Guard::Cmake);
        }
        let fixed = match name.as_str() {
            "CMAKE_SYSTEM_NAME" | "CMAKE_HOST_SYSTEM_NAME" => Some("Linux"),
            "CMAKE_CUDA_COMPILER_ID" => Some("NVIDIA"),
            _ => None,
        };
        if let Some(value) = fixed {
            return compare(value, operator, &wanted).map(Guard::from);
        }
        let mut parts = Vec::new();
        let ways = self.ways(&name);
        for (when, value) in ways {
            let holds = match (known(&value), value.as_slice()) {
                (Some(text), _) => compare(&text, operator, &wanted)?.into(),
                (None, [Piece::Open(Open::Define(define, default))]) => {
                    // the comparison of an unset variable is one of its name
                    let unset = compare(default.as_deref().unwrap_or_default(), operator, &wanted)?;
                    let given = match operator {
                        "STREQUAL" | "EQUAL" => {
                            Guard::Define(define.clone(), Check::Is(wanted.clone()))
                        }
                        _ => Guard::all([
                            Guard::Define(define.clone(), Check::Set),
                            Guard::Unknown(format!("{define} {operator} {wanted}")),
                        ]),
                    };
                    let absent = Guard::Define(define.clone(), Check::Set).not();
                    match (unset, default) {
                        (true, _) => Guard::any([absent, given]),
                        // nothing of the project says what it is without the command line
                        (false, None) => {
                            let unknown = Guard::Unknown(format!("{define} {operator} {wanted}"));
                            Guard::any([Guard::all([absent, unknown]), given])
                        }
                        (false, Some(_)) => given,
                    }
                }
                (None, [Piece::Open(Open::Env { name, .. })]) if operator == "STREQUAL" => {
                    Guard::Env(name.clone(), Check::Is(wanted.clone()))
                }
                _ => return None,
            };
            parts.push(Guard::all([when, holds]));
        }
        Some(Guard::any(parts))
    }
}

/// The variable that the left side of a comparison names: `X`, `${X}`, `"${X}"`.
fn name_of(arg: &Argument) -> Option<String> {
    match arg.pieces.as_slice() {
        [cmake::Piece::Variable(name)] if !name.is_empty() => Some(name.clone()),
        [cmake::Piece::Literal(name, _)] if !arg.quoted => Some(name.clone()),
        _ => None,
    }
}

fn is_cuda_version(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    upper.contains("CUDA") && upper.contains("VERSION") && !upper.contains("MINOR")
}

/// A comparison as a range of versions.
fn range(operator: &str, version: &str, major: bool) -> Option<String> {
    let first = version.split('.').next()?.parse::<u32>().ok()?;
    let whole = !version.contains('.');
    Some(match operator.trim_start_matches("VERSION_") {
        "LESS" => format!("<{version}"),
        "GREATER" if major && whole => format!(">={}", first + 1),
        "GREATER" => format!(">{version}"),
        "GREATER_EQUAL" => format!(">={version}"),
        "LESS_EQUAL" if major && whole => format!("<{}", first + 1),
        "LESS_EQUAL" => format!("<={version}"),
        "EQUAL" if whole => format!(">={first},<{}", first + 1),
        "EQUAL" | "STREQUAL" => format!("=={version}"),
        _ => return None,
    })
}

/// A comparison of two known texts.
fn compare(value: &str, operator: &str, wanted: &str) -> Option<bool> {
    match operator {
        "STREQUAL" => Some(value == wanted),
        "EQUAL" => Some(value.parse::<i64>().ok()? == wanted.parse::<i64>().ok()?),
        "MATCHES" => {
            let plain = wanted.trim_start_matches('^').trim_end_matches('$');
            if plain.contains(['.', '*', '+', '[', '(', '\\', '?']) {
                return None;
            }
            let fits = |word: &str| match (wanted.starts_with('^'), wanted.ends_with('$')) {
                (true, true) => value == word,
                (true, false) => value.starts_with(word),
                (false, true) => value.ends_with(word),
                (false, false) => value.contains(word),
            };
            Some(plain.split('|').any(fits))
        }
        "IN_LIST" => None,
        _ => None,
    }
}

fn is_operator(word: &str) -> bool {
    matches!(
        word,
        "STREQUAL"
            | "EQUAL"
            | "MATCHES"
            | "LESS"
            | "GREATER"
            | "LESS_EQUAL"
            | "GREATER_EQUAL"
            | "STRLESS"
            | "STRGREATER"
            | "VERSION_LESS"
            | "VERSION_GREATER"
            | "VERSION_EQUAL"
            | "VERSION_GREATER_EQUAL"
            | "VERSION_LESS_EQUAL"
            | "IN_LIST"
            | "IS_NEWER_THAN"
            | "PATH_EQUAL"
    )
}

/// CMake's constants.
fn constant(word: &str) -> Option<bool> {
    let upper = word.to_ascii_uppercase();
    match upper.as_str() {
        "1" | "ON" | "YES" | "TRUE" | "Y" => Some(true),
        "0" | "OFF" | "NO" | "FALSE" | "N" | "IGNORE" | "NOTFOUND" | "" => Some(false),
        _ if upper.ends_with("-NOTFOUND") => Some(false),
        _ => upper.parse::<i64>().ok().map(|n| n != 0),
    }
}

fn text_of(arg: &Argument) -> String {
    let piece = |p: &cmake::Piece| match p {
        cmake::Piece::Literal(text, _) => text.clone(),
        cmake::Piece::Variable(name) => format!("${{{name}}}"),
        cmake::Piece::Environment(name) => format!("$ENV{{{name}}}"),
    };
    arg.pieces.iter().map(piece).collect()
}
