//! The files that the rules and the tests hold.
use kimg_lint::builders::records::{RECORDS, examples};
use kimg_lint::config::NAME;
use kimg_lint::front::kind::kind_of;
use kimg_lint::rules::builtin;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Written {
    pub path: String,
    pub text: String,
}

impl Written {
    /// The name of its kind.
    pub fn kind(&self) -> &'static str {
        kind_of(&self.path, &self.text).map_or("", |kind| kind.name)
    }
}

/// All of them, each once.
pub fn written() -> &'static [Written] {
    static WRITTEN: LazyLock<Vec<Written>> = LazyLock::new(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut written: Vec<Written> = of_rules().chain(of_builders()).collect();
        written.extend(OWN.iter().map(|(path, text)| file(path, text)));
        for source in sources(&root.join("tests")) {
            written.extend(of_source(&std::fs::read_to_string(source).unwrap()));
        }
        for path in ["Dockerfile", ".github/workflows/wheels.yml"] {
            for folder in ["examples/bad", "examples/good"] {
                let text = std::fs::read_to_string(root.join(folder).join(path)).unwrap();
                written.push(file(path, &text));
            }
        }
        written.sort();
        written.dedup();
        written
    });
    &WRITTEN
}

/// What is rare in the others: stages that do not need each other, settings one by one, values that stand twice.
const OWN: &[(&str, &str)] = &[
    (
        "Dockerfile",
        r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS tools
ENV CUDAARCHS="80;90"
RUN cmake -S /tools -B /b && cmake --build /b
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel AS wheels
ENV TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"
ENV MAX_JOBS=4
RUN pip wheel --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
COPY --from=wheels /w /w
COPY --from=tools /b /b
"#,
    ),
    (
        "Dockerfile",
        r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel AS one
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS two
ENV TORCH_CUDA_ARCH_LIST="7.5 8.6"
ENV FORCE_CUDA=1
RUN nvcc -arch=sm_90 -o a a.cu
FROM one
ENV TORCH_CUDA_ARCH_LIST=8.0
ENV DEBIAN_FRONTEND=noninteractive
RUN apt-get update && apt-get install -y git && pip install --no-build-isolation git+https://github.com/NVIDIA/apex
COPY --from=two /a /a
"#,
    ),
    (
        "Dockerfile",
        r#"FROM nvidia/cuda:11.8.0-devel-ubuntu22.04 AS first
RUN nvcc -gencode arch=compute_80,code=sm_80 -o a a.cu
FROM nvidia/cuda:12.8.1-devel-ubuntu22.04 AS second
RUN make -C /src SMS="80 90"
FROM ubuntu:24.04
COPY --from=first /a /a
COPY --from=second /src/b /b
"#,
    ),
    (
        ".github/workflows/a.yml",
        r#"on: [push]
jobs:
  one:
    runs-on: ubuntu-latest
    container: {image: "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel"}
    env: {TORCH_CUDA_ARCH_LIST: "8.0;9.0+PTX", MAX_JOBS: 4}
    steps:
    - run: pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
  two:
    runs-on: ubuntu-latest
    container: {image: "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel"}
    steps:
    - run: pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
    ),
    (
        ".gitlab-ci.yml",
        r#".build: &build
  image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
  script:
  - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
one: {<<: *build, variables: {TORCH_CUDA_ARCH_LIST: "8.0"}}
two:
  <<: *build
  before_script: ["export TORCH_CUDA_ARCH_LIST=9.0"]
three: *build
"#,
    ),
];

/// The commands of the builders' examples, some of them: all take minutes.
fn of_builders() -> impl Iterator<Item = Written> {
    let examples = RECORDS.iter().flat_map(examples).step_by(8);
    examples.map(|example| {
        let env = example.env.iter();
        let env: String = env
            .map(|(name, value)| format!("ENV {name}='{}'\n", &**value))
            .collect();
        let text = format!(
            "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n{env}RUN {}\n",
            &*example.run
        );
        file("Dockerfile", &text)
    })
}

fn file(path: &str, text: &str) -> Written {
    Written {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}

fn of_rules() -> impl Iterator<Item = Written> {
    let examples = builtin().iter().flat_map(|rule| rule.examples.iter());
    let files = examples.filter_map(|example| example.bad.or(example.good));
    let files = files.flat_map(|files| files.0.0.iter());
    let linted = files.filter(|file| *file.path != *NAME);
    linted.map(|linted| file(&linted.path, &linted.text))
}

/// The Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found
}

/// The files in a test: raw strings.
fn of_source(source: &str) -> Vec<Written> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find("r#\"").into_iter().chain(rest.find("r\"")).min() {
        let (before, from) = rest.split_at(at);
        let hashes = from[1..].find('"').unwrap();
        let end = format!("\"{}", &from[1..1 + hashes]);
        let body = &from[2 + hashes..];
        let Some(length) = body.find(&end) else {
            break;
        };
        let text = &body[..length];
        rest = &body[length + end.len()..];
        if before.ends_with([' ', '(', '\n', '&', '[']) && text.ends_with('\n') {
            found.extend(of_string(before, text));
        }
    }
    found
}

/// The files in a string: each behind a line `== path`, or one, with the path that is written before the string. What has
/// neither is known by what it holds.
fn of_string(before: &str, text: &str) -> Vec<Written> {
    if text.starts_with("\n== ") {
        let parts = text.split("\n== ").filter_map(|part| part.split_once('\n'));
        let files = parts.map(|(path, text)| file(path, &format!("{text}\n")));
        return files.filter(|file| !file.kind().is_empty()).collect();
    }
    // what the tests write for a command
    const BUILD: &str =
        "pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat";
    let text = &text.replace(" BUILD", &format!(" {BUILD}"));
    let named = path_before(before).filter(|path| kind_of(path, text).is_some() && *path != NAME);
    let known = [
        (
            "Dockerfile",
            text.starts_with("FROM ") || text.contains("\nFROM "),
        ),
        (
            ".github/workflows/a.yml",
            text.contains("\njobs:") && text.contains("runs-on:"),
        ),
    ];
    let known = known.into_iter().find(|(_, is)| *is).map(|(path, _)| path);
    named
        .or(known)
        .map(|path| file(path, text))
        .into_iter()
        .collect()
}

/// The text in quotes at the end, before a comma.
fn path_before(source: &str) -> Option<&str> {
    let inside = source.trim_end().strip_suffix(',')?.strip_suffix('"')?;
    let path = &inside[inside.rfind('"')? + 1..];
    let is_path = !path.is_empty() && !path.contains([' ', '\\', '\n']);
    is_path.then_some(path)
}
