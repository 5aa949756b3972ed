//! Recipes of conda-build (`meta.yaml`) and rattler-build (`recipe.yaml`): what builds the package, and what it sees.
use super::mapped::Mapped;
use super::template::template_length;
use super::yaml::{self, Node};

/// A recipe, as far as it says what a build does.
#[derive(Debug, Default)]
pub struct Recipe {
    /// The packages it makes, in order.
    pub builds: Vec<Build>,
    /// Where the sources come from.
    pub source: Option<Source>,
    /// The packages it is built with, by name.
    pub requires: Vec<String>,
}

/// How one package is made.
#[derive(Debug, Default)]
pub struct Build {
    /// What is run; nothing where the recipe leaves it to `build.sh`.
    pub runs: Vec<Run>,
    /// Variables that are passed on, with the value that the recipe gives them.
    pub passes: Vec<(String, Option<Mapped>)>,
}

/// A step of a build.
#[derive(Debug)]
pub enum Run {
    /// A script beside the recipe.
    File(String),
    /// Commands.
    Text(Mapped),
}

/// Where sources come from.
#[derive(Debug, PartialEq, Eq)]
pub enum Source {
    /// A folder, seen from the recipe.
    Path(String),
    /// A repository, or the archive of one.
    Address(String),
}

/// Reads a recipe as it holds on Linux on x86-64.
pub fn read(source: &str) -> Recipe {
    let selected = selected(source);
    let yaml = yaml::parse_template(&selected);
    let Some(root) = yaml.documents.first() else {
        return Recipe::default();
    };
    let mut builds = Vec::new();
    let outputs = root.get("outputs").map_or(&[][..], Node::items);
    let whole = root.get("build").map(|node| build(node, &selected));
    // without a script of its own, a recipe of several packages makes them one by one
    builds.extend(whole.filter(|build| outputs.is_empty() || !build.runs.is_empty()));
    for output in outputs {
        let mut made = build(output, &selected);
        if let Some(inner) = output.get("build") {
            let inner = build(inner, &selected);
            made.runs.extend(inner.runs);
            made.passes.extend(inner.passes);
        }
        if !made.runs.is_empty() {
            builds.push(made);
        }
    }
    if builds.is_empty() {
        builds.push(Build::default());
    }
    let mut requires = Vec::new();
    for node in std::iter::once(root).chain(outputs) {
        requires.extend(requirements(node, &selected));
    }
    Recipe {
        builds,
        source: root.get("source").and_then(sources),
        requires,
    }
}

/// A file of variants beside a recipe (`conda_build_config.yaml`, `variants.yaml`): the values of each variable, and which of
/// them go together, row by row.
#[derive(Debug, Default)]
pub struct Variants {
    /// The values by name.
    pub values: Vec<(String, Vec<Mapped>)>,
    /// Names whose values go together.
    pub zipped: Vec<Vec<String>>,
}

/// Reads a file of variants as it holds on Linux on x86-64.
pub fn read_variants(source: &str) -> Variants {
    let selected = selected(source);
    let yaml = yaml::parse(&selected);
    let mut variants = Variants::default();
    for entry in yaml.documents.iter().flat_map(Node::entries) {
        let name = entry.name().unwrap_or_default();
        let items = entry.value.one_or_many();
        if name == "zip_keys" {
            let names = |node: &Node| {
                let names = node.items().iter().filter_map(Node::text);
                names.map(str::to_owned).collect()
            };
            // one list of names stands for a list of one
            variants.zipped = match items.first() {
                Some(first) if first.text().is_some() => vec![names(&entry.value)],
                _ => items.iter().map(names).collect(),
            };
            continue;
        }
        let values: Option<Vec<Mapped>> = items.iter().map(|n| n.scalar().cloned()).collect();
        if let Some(values) = values.filter(|values| !values.is_empty()) {
            variants.values.push((name.to_owned(), values));
        }
    }
    variants
}

/// The text without the lines whose selector (`# [win]`) does not hold, byte for byte as long.
fn selected(source: &str) -> String {
    let mut kept = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let selector = line
            .rsplit_once("# [")
            .and_then(|(_, rest)| rest.split_once(']'))
            .map(|(selector, _)| selector);
        if selector.is_some_and(|selector| holds(selector) == Some(false)) {
            let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
            kept.extend(line.bytes().map(char::from).map(blank));
        } else {
            kept.push_str(line);
        }
    }
    kept
}

/// `x86_64 and not win`: whether it holds on Linux on x86-64; `None` for what asks about something else.
fn holds(selector: &str) -> Option<bool> {
    let spaced = selector.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let answer = either(&words, &mut at);
    (at == words.len()).then_some(answer)?
}

fn either(words: &[&str], at: &mut usize) -> Option<bool> {
    let mut all = vec![both(words, at)];
    while words.get(*at) == Some(&"or") {
        *at += 1;
        all.push(both(words, at));
    }
    match () {
        () if all.contains(&Some(true)) => Some(true),
        () if all.contains(&None) => None,
        () => Some(false),
    }
}

fn both(words: &[&str], at: &mut usize) -> Option<bool> {
    let mut all = vec![one(words, at)];
    while words.get(*at) == Some(&"and") {
        *at += 1;
        all.push(one(words, at));
    }
    match () {
        () if all.contains(&Some(false)) => Some(false),
        () if all.contains(&None) => None,
        () => Some(true),
    }
}

fn one(words: &[&str], at: &mut usize) -> Option<bool> {
    let mut negated = false;
    while words.get(*at) == Some(&"not") {
        *at += 1;
        negated = !negated;
    }
    let word = words.get(*at).copied()?;
    *at += 1;
    let answer = match word {
        "(" => {
            let inner = either(words, at);
            *at += usize::from(words.get(*at) == Some(&")"));
            inner
        }
        "linux" | "linux64" | "unix" | "x86_64" | "x86" | "True" => Some(true),
        "win" | "win32" | "win64" | "osx" | "arm64" | "aarch64" | "ppc64le" | "s390x" | "False" => {
            Some(false)
        }
        _ => None,
    };
    answer.map(|answer| answer != negated)
}

/// `script` and `script_env` of a map.
fn build(node: &Node, source: &str) -> Build {
    let mut made = Build::default();
    let script = node.get("script");
    for part in script.map_or(&[][..], Node::one_or_many) {
        made.runs.extend(run(part, source));
        // rattler-build: `script: {file: …, content: …, env: {…}}`
        for key in ["file", "content"] {
            let inner = part.get(key).map_or(&[][..], Node::one_or_many);
            made.runs
                .extend(inner.iter().filter_map(|n| run(n, source)));
        }
        for entry in part.get("env").map_or(&[][..], Node::entries) {
            let name = entry.name().unwrap_or_default().to_owned();
            let value = entry.value.scalar().cloned();
            // `${{ env.get("NAME") }}` is the caller's
            let own = value.filter(|text| !text.text().contains("${{"));
            made.passes.push((name, own));
        }
    }
    for item in node.get("script_env").map_or(&[][..], Node::items) {
        if let Some(text) = item.scalar() {
            let (name, value) = match text.text().split_once('=') {
                Some((name, _)) => (name, Some(text.slice(name.len() + 1..text.text().len()))),
                None => (text.text(), None),
            };
            made.passes.push((name.trim().to_owned(), value));
        }
    }
    made
}

/// A script by its name, or commands.
fn run(node: &Node, source: &str) -> Option<Run> {
    let text = filled(node, source)?;
    let word = text.text().trim();
    let names_file = |end: &str| word.ends_with(end) && !word.contains([' ', '\n']);
    if [".bat", ".cmd", ".ps1"].iter().any(|end| names_file(end)) {
        return None;
    }
    Some(match names_file(".sh") {
        true => Run::File(word.to_owned()),
        false => Run::Text(text),
    })
}

/// The text of a scalar in which `{{ PYTHON }}` is the variable of that name.
fn filled(node: &Node, source: &str) -> Option<Mapped> {
    let scalar = node.scalar()?;
    let written = source.get(node.span.range())?;
    if !written.contains("{{") || written.contains('\n') {
        return Some(scalar.clone());
    }
    let mut text = Mapped::default();
    let mut at = 0;
    while let Some(found) = written[at..].find("{{") {
        let from = at + found;
        let Some(length) = template_length(&written[from..]) else {
            break;
        };
        let start = node.span.start;
        text.push(&written[at..from], start + at as u32);
        let name = written[from..from + length].trim_matches(['{', '}', ' ']);
        let name = name.split(['|', '(', ' ']).next().unwrap_or_default();
        text.push(&format!("${name}"), start + from as u32);
        at = from + length;
    }
    text.push(&written[at..], node.span.start + at as u32);
    let whole = text.text();
    let quoted = whole.len() >= 2 && whole.starts_with(['"', '\'']);
    let range = if quoted {
        1..whole.len() - 1
    } else {
        0..whole.len()
    };
    Some(text.slice(range))
}

/// The first source that has no folder of its own.
fn sources(node: &Node) -> Option<Source> {
    let mut all = node.one_or_many().iter();
    all.find(|one| one.get("folder").is_none() && one.get("target_directory").is_none())
        .and_then(|one| {
            let text = |key: &str| one.get(key).and_then(|n| n.one_or_many().first()?.text());
            if let Some(path) = text("path") {
                return Some(Source::Path(path.to_owned()));
            }
            let address = text("git_url").or(text("git")).or(text("url"))?;
            Some(match address.contains("://") || address.contains('@') {
                true => Source::Address(address.to_owned()),
                false => Source::Path(address.to_owned()),
            })
        })
}

/// The names of what a package is built with; `{{ compiler('cuda') }}` is `compiler-cuda`.
fn requirements(node: &Node, source: &str) -> Vec<String> {
    let Some(requirements) = node.get("requirements") else {
        return Vec::new();
    };
    let lists = ["build", "host"].map(|key| requirements.get(key).map_or(&[][..], Node::items));
    let names = lists.into_iter().flatten().filter_map(|item| {
        let name = item.text()?.split([' ', '=', '<', '>']).next()?;
        Some(name.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    let written = source.get(requirements.span.range()).unwrap_or_default();
    if ["compiler('cuda')", "compiler(\"cuda\")"]
        .iter()
        .any(|c| written.contains(c))
    {
        names.push("compiler-cuda".to_owned());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_a_recipe() {
        let read = read_variants(
            "cuda_compiler_version:\n  - None\n  - 12.6  # [linux]\n  - 11.8  # [win]\npython: [\"3.10\"]\nzip_keys:\n  -\n    - cuda_compiler_version\n    - c_compiler_version\npin_run_as_build: {a: b}\n",
        );
        let shown = read.values.iter().map(|(name, values)| {
            let values: Vec<&str> = values.iter().map(Mapped::text).collect();
            format!("{name}={}", values.join(","))
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            ["cuda_compiler_version=None,12.6", "python=3.10"]
        );
        assert_eq!(
            read.zipped,
            [["cuda_compiler_version", "c_compiler_version"]]
        );
    }

    const META: &str = "\
{% set version = environ.get('TAG').lstrip('v') %}
{% if cuda_major >= 13 %}
{% set limit = \"13\" %}
{% endif %}
package:
  name: kernels
  version: {{ version }}
source:
  git_url: ../../
outputs:
  - name: libkernels
    script: lib.sh  # [x86_64 and not win and not osx]
    script: lib-osx.sh  # [osx]
    script: lib.bat  # [win]
    build:
      string: \"h{{ PKG_HASH }}\"
      script_env:
        - CUDA_ARCHS
        - JOBS=4
    requirements:
      build:
        - {{ compiler('cxx') }} >=13
        - {{ compiler('cuda') }}
        - cuda-toolkit {{ cudatoolkit }}
  - name: kernels
    build:
      script: {{ PYTHON }} -m pip install . -vv
";

    fn shown(recipe: &Recipe) -> Vec<String> {
        let builds = recipe.builds.iter().map(|build| {
            let runs = build.runs.iter().map(|run| match run {
                Run::File(name) => format!("file {name}"),
                Run::Text(text) => format!("text {}", text.text()),
            });
            let passes = build.passes.iter().map(|(name, value)| match value {
                Some(value) => format!("{name}={}", value.text()),
                None => name.clone(),
            });
            let all: Vec<String> = runs.chain(passes).collect();
            all.join(", ")
        });
        builds.collect()
    }

    #[test]
    fn a_recipe_of_conda_build() {
        let recipe = read(META);
        assert_eq!(
            shown(&recipe),
            [
                "file lib.sh, CUDA_ARCHS, JOBS=4",
                "text $PYTHON -m pip install . -vv"
            ]
        );
        assert_eq!(recipe.source, Some(Source::Path("../../".to_owned())));
        assert!(recipe.requires.iter().any(|name| name == "compiler-cuda"));
        assert!(recipe.requires.iter().any(|name| name == "cuda-toolkit"));
    }

    #[test]
    fn a_recipe_of_rattler_build() {
        let recipe = read(
            "source:\n  - url: https://github.com/o/n/archive/v1.tar.gz\nbuild:\n  script:\n    file: go.sh\n    env:\n      A: 1\n      B: ${{ env.get(\"B\") }}\n",
        );
        assert_eq!(shown(&recipe), ["file go.sh, A=1, B"]);
        let address = "https://github.com/o/n/archive/v1.tar.gz".to_owned();
        assert_eq!(recipe.source, Some(Source::Address(address)));
        let plain = read("package: {name: a}\nbuild:\n  number: 0\n");
        assert_eq!(shown(&plain), [""]);
    }

    #[test]
    fn selectors() {
        for (selector, expected) in [
            ("linux", Some(true)),
            ("not win", Some(true)),
            ("win or osx", Some(false)),
            ("not x86_64", Some(false)),
            ("linux and (aarch64 or x86_64)", Some(true)),
            ("cuda_compiler != \"None\"", None),
            ("linux and py < 310", None),
            ("win and cuda", Some(false)),
        ] {
            assert_eq!(holds(selector), expected, "{selector}");
        }
    }
}
