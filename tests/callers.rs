//! Who builds a Dockerfile lends it build arguments, a target and a context.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::facts::Compiles;
use kimg_lint::lint::{Options, observe};
use kimg_lint::tree::Tree;
use std::fs;
use std::path::{Path, PathBuf};

const DOCKERFILE: &str = "\
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel AS build
ARG archs
ENV TORCH_CUDA_ARCH_LIST=${archs}
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel AS other
RUN TORCH_CUDA_ARCH_LIST=8.0 pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
";

/// Two rows of a matrix, and a target that inherits.
const BAKE: &str = "\
variable \"LIST\" { default = \"9.0\" }
variable \"OLD\" { default = true }
group \"default\" { targets = [\"app\", \"old\"] }
target \"_base\" {
  context    = \"docker\"
  dockerfile = \"Dockerfile\"
  args = {
    archs = \"8.0 ${LIST}\"
    other = \"1\"
  }
  target = \"build\"
}
target \"app\" {
  inherits = [\"_base\"]
  name     = \"app-${replace(cuda, \".\", \"-\")}\"
  matrix = {
    cuda = [\"12.4\", \"12.8\"]
  }
  args = { archs = cuda == \"12.8\" ? \"${LIST}+PTX\" : \"8.0 ${LIST}\" }
}
// for old GPUs
target \"old\" {
  inherits = [\"_base\"]
  args = { archs = OLD && LIST != \"\" ? \"7.5+PTX\" : null }
}
";

/// The lists that the builds of [`DOCKERFILE`] get, each with its callers, among these files.
fn lists(name: &str, files: &[(&str, &str)]) -> Vec<String> {
    lists_of(DOCKERFILE, name, files)
}

/// The lists that the builds of `dockerfile`, at `docker/Dockerfile`, get.
fn lists_of(dockerfile: &str, name: &str, files: &[(&str, &str)]) -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("callers")
        .join(name);
    let _ = fs::remove_dir_all(&root);
    let linted = Path::new("docker/Dockerfile");
    for (path, text) in files.iter().chain(&[("docker/Dockerfile", dockerfile)]) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let options = Options {
        tree: Tree::new(&root, &root.join(linted), linted),
        ..Options::default()
    };
    let facts = observe("docker/Dockerfile", dockerfile, &options);
    let builds = facts
        .builds
        .iter()
        .filter(|build| build.compiles != Compiles::No);
    builds
        .map(|build| {
            format!(
                "{}: {} | {}",
                build.span.line,
                build.arch.text,
                build.worlds.join(", ")
            )
        })
        .collect()
}

#[test]
fn callers() {
    let workflow = "\
on: push
jobs:
  image:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        list: ['8.0+PTX', '9.0+PTX']
    steps:
      - uses: actions/checkout@v4
      - uses: docker/build-push-action@v6
        with:
          context: docker
          build-args: |
            other=1
            archs=${{ matrix.list }}
";
    for (name, files, expected) in [
        ("none", &[][..], &["4:  | ", "6: 8.0 | "][..]),
        (
            "compose",
            &[(
                "compose.yml",
                "services:\n  app:\n    build:\n      context: docker\n      args:\n        archs: ${LIST:-8.6+PTX}\n",
            )],
            &["4: 8.6+PTX | compose.yml:3", "6: 8.0 | compose.yml:3"],
        ),
        (
            "what git ignores",
            &[
                (".gitignore", "/dist\n*.log.yml\n"),
                ("deploy/.gitignore", "/*.yml\n!/compose.yml\n"),
                (
                    "dist/build.sh",
                    "docker build --build-arg archs=7.0 docker\n",
                ),
                (
                    "deploy/build.sh",
                    "docker build --build-arg archs=8.6 --target build docker\n",
                ),
                (
                    "deploy/compose.log.yml",
                    "services: {b: {build: {context: ../docker, args: {archs: '7.5'}}}}\n",
                ),
            ],
            &["4: 8.6 | deploy/build.sh:1"],
        ),
        (
            "a folder of its own",
            &[(
                "deploy/compose.yml",
                "services:\n  app:\n    build:\n      context: ../docker\n      dockerfile: Dockerfile\n      target: build\n      args: {archs: 8.6+PTX}\n",
            )],
            &["4: 8.6+PTX | deploy/compose.yml:3"],
        ),
        (
            "settings beside Compose",
            &[
                (
                    "deploy/compose.yml",
                    "services:\n  app:\n    build:\n      context: ../docker\n      target: build\n      args: [\"archs=${LIST:-8.6}\"]\n  b:\n    build: {context: ../docker, target: build, args: {archs: }}\n",
                ),
                (
                    "deploy/.env",
                    "BASE=9.0\nLIST=8.0;${BASE}+PTX # all\narchs='7.0+PTX'\n",
                ),
                (".env", "LIST=5.0\n"),
            ],
            &[
                "4: 8.0;9.0+PTX | deploy/compose.yml:3",
                "4: 7.0+PTX | deploy/compose.yml:8",
            ],
        ),
        (
            "bake",
            &[("docker-bake.hcl", BAKE)],
            &[
                "4: 8.0 9.0 | docker-bake.hcl:13 (cuda=12.4)",
                "4: 9.0+PTX | docker-bake.hcl:13 (cuda=12.8)",
                "4: 7.5+PTX | docker-bake.hcl:22",
            ],
        ),
        (
            "a Makefile",
            &[(
                "docker/Makefile",
                "LIST ?= 8.0+PTX\nDOCKER = docker\nimage:\n\t$(DOCKER) build --target build \\\n\t  --build-arg archs=\"$(LIST)\" .\nother:\n\t$(MAKE) image LIST=9.0+PTX\npush: image\n\tdocker push x\n",
            )],
            &["4: 8.0+PTX | docker/Makefile:4"],
        ),
        (
            "a container for people",
            &[
                (
                    ".devcontainer/gpu/devcontainer.json",
                    "{\n  // all of it\n  \"build\": {\n    \"dockerfile\": \"../../docker/Dockerfile\",\n    \"context\": \"../..\",\n    \"target\": \"build\",\n    \"args\": {\"archs\": \"8.6+PTX\"}\n  }\n}\n",
                ),
                (
                    ".devcontainer/devcontainer.json",
                    "{\"build\": {\"dockerfile\": \"${localWorkspaceFolder}/docker/Dockerfile\", \"target\": \"build\", \"args\": {\"archs\": \"${localEnv:A:9.0}\"}}}\n",
                ),
            ],
            &[
                "4: 9.0 | .devcontainer/devcontainer.json:1",
                "4: 8.6+PTX | .devcontainer/gpu/devcontainer.json:3",
            ],
        ),
        (
            "bake in a folder, run from the top",
            &[("docker/docker-bake.hcl", BAKE)],
            &[
                "4: 8.0 9.0 | docker/docker-bake.hcl:13 (cuda=12.4)",
                "4: 9.0+PTX | docker/docker-bake.hcl:13 (cuda=12.8)",
                "4: 7.5+PTX | docker/docker-bake.hcl:22",
            ],
        ),
        (
            "bake in JSON",
            &[(
                "docker/docker-bake.json",
                "{\n  \"variable\": {\"LIST\": {\"default\": \"8.9\"}},\n  \"target\": {\n    \"app\": {\n      \"target\": \"build\",\n      \"args\": {\"archs\": \"${LIST}+PTX\"}\n    }\n  }\n}\n",
            )],
            &["4: 8.9+PTX | docker/docker-bake.json:4"],
        ),
        (
            "what bake computes is not known",
            &[(
                "docker-bake.hcl",
                "variable \"LIST\" {}\ntarget \"app\" {\n  context = \"docker\"\n  target = \"build\"\n  args = { archs = join(\";\", [\"8.0\"]) }\n}\ntarget \"b\" {\n  context = \"docker\"\n  target = \"build\"\n  args = { archs = \"${LIST}\" }\n}\ntarget \"c\" {\n  inherits = [\"elsewhere\"]\n  context = \"docker\"\n  args = { archs = \"8.0\" }\n}\n",
            )],
            &["4:  | docker-bake.hcl:2, docker-bake.hcl:7"],
        ),
        (
            "bake over other files",
            &[(
                "docker/docker-bake.override.hcl",
                "target \"app\" {\n  args = { archs = \"8.0\" }\n}\n",
            )],
            &["4:  | ", "6: 8.0 | "],
        ),
        (
            "target",
            &[(
                "docker-compose.yaml",
                "services:\n  app:\n    build: {context: ., dockerfile: docker/Dockerfile, target: build, args: [archs=9.0+PTX]}\n",
            )],
            &["4: 9.0+PTX | docker-compose.yaml:3"],
        ),
        (
            "script",
            &[(
                "scripts/images.sh",
                "set -e\nLIST='7.5+PTX'\ncd docker\nfor target in build; do\n  docker build --target build --build-arg archs=$LIST .\ndone\n",
            )],
            &["4: 7.5+PTX | scripts/images.sh:5"],
        ),
        (
            "rows",
            &[(".github/workflows/images.yml", workflow)],
            &[
                "4: 8.0+PTX | .github/workflows/images.yml:10 (list=8.0+PTX)",
                "4: 9.0+PTX | .github/workflows/images.yml:10 (list=9.0+PTX)",
                "6: 8.0 | .github/workflows/images.yml:10 (list=8.0+PTX), .github/workflows/images.yml:10 (list=9.0+PTX)",
            ],
        ),
        (
            "another file",
            &[(
                "compose.yml",
                "services: {app: {build: {context: ., args: {archs: '8.6'}}}}\n",
            )],
            &["4:  | ", "6: 8.0 | "],
        ),
        (
            "gitlab",
            &[(
                ".gitlab-ci.yml",
                "image:\n  variables: {ARCHS: '8.9+PTX'}\n  script: docker build -f docker/Dockerfile --build-arg archs=$ARCHS --target build .\nbuild:\n  variables: {archs: '8.9+PTX'}\n  script: [docker build -f docker/Dockerfile --build-arg archs --target build .]\n",
            )],
            &["4: 8.9+PTX | .gitlab-ci.yml:6"],
        ),
    ] {
        assert_eq!(lists(name, files), expected, "{name}");
    }
}

/// A target with a list of its own, and one that inherits.
const APP: &str = "\
variable \"LIST\" { default = \"9.0\" }
group \"default\" { targets = [\"app\"] }
target \"app\" {
  context = \"docker\"
  target  = \"build\"
  args    = { archs = \"${LIST}\", other = \"1\" }
}
target \"debug\" {
  inherits = [\"app\"]
  args     = { archs = \"7.5\" }
}
";

/// The same with Compose.
const SERVICES: &str = "\
services:
  app:
    build:
      context: docker
      target: build
      args: {archs: 9.0, other: 1}
  plain:
    image: a
";

#[test]
fn files_that_are_laid_over_each_other() {
    let over = "target \"app\" { args = { archs = \"8.0 ${LIST}\", other = null } }\n";
    let list = "variable \"LIST\" { default = \"8.6\" }\n";
    let service = "services:\n  app:\n    build:\n      args: [archs=8.0]\n";
    for (name, files, expected) in [
        (
            "bake and its override",
            &[("docker-bake.hcl", APP), ("docker-bake.override.hcl", over)][..],
            &[
                "4: 8.0 9.0 | docker-bake.hcl:3",
                "4: 7.5 | docker-bake.hcl:8",
            ][..],
        ),
        (
            "JSON lies under HCL, and a variable is taken from the last",
            &[
                (
                    "docker-bake.json",
                    "{\"target\": {\"app\": {\"args\": {\"archs\": \"7.0\"}}}}",
                ),
                ("docker-bake.hcl", APP),
                ("docker-bake.override.hcl", list),
            ],
            &["4: 7.5 | docker-bake.hcl:8", "4: 8.6 | docker-bake.json:1"],
        ),
        (
            "an override that describes a target of its own",
            &[
                (
                    "docker-bake.hcl",
                    "target \"_base\" {\n  context = \"docker\"\n  target = \"build\"\n}\n",
                ),
                (
                    "docker-bake.override.hcl",
                    "target \"app\" {\n  inherits = [\"_base\"]\n  args = { archs = \"8.9\" }\n}\n",
                ),
            ],
            &["4: 8.9 | docker-bake.override.hcl:1"],
        ),
        (
            "Compose lies under bake",
            &[
                ("compose.yaml", SERVICES),
                ("docker-bake.hcl", over),
                ("docker-bake.override.hcl", list),
            ],
            &["4: 9.0 | compose.yaml:3", "4: 8.0 8.6 | docker-bake.hcl:1"],
        ),
        (
            "a command names the files",
            &[
                ("gpu.bake.hcl", APP),
                ("lists/old.bake.hcl", over),
                (
                    "build.sh",
                    "export LIST=8.9\ndocker buildx bake -f gpu.bake.hcl --file lists/old.bake.hcl --push\n",
                ),
            ],
            &["4: 8.0 8.9 | gpu.bake.hcl:3", "4: 7.5 | gpu.bake.hcl:8"],
        ),
        (
            "what a command sets wins, for the targets that it names",
            &[
                ("docker-bake.hcl", APP),
                (
                    "Makefile",
                    "image:\n\tdocker buildx bake --set '*.args.archs=8.7' debug\n",
                ),
            ],
            &["4: 8.7 | docker-bake.hcl:8", "4: 9.0 | docker-bake.hcl:3"],
        ),
        (
            "one of the files is not known",
            &[
                ("docker-bake.hcl", APP),
                (
                    "build.sh",
                    "docker buildx bake -f docker-bake.hcl -f $1 app\n",
                ),
            ],
            &["4: 9.0 | docker-bake.hcl:3", "4: 7.5 | docker-bake.hcl:8"],
        ),
        (
            "the action",
            &[
                ("gpu.bake.hcl", APP),
                ("old.bake.hcl", over),
                (
                    ".github/workflows/image.yml",
                    "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n    - uses: actions/checkout@v4\n    - uses: docker/bake-action@v6\n      with:\n        files: |\n          ./gpu.bake.hcl\n          ./old.bake.hcl\n        targets: app\n        set: app.args.other=2\n",
                ),
            ],
            &["4: 8.0 9.0 | gpu.bake.hcl:3", "4: 7.5 | gpu.bake.hcl:8"],
        ),
        (
            "compose and its override",
            &[
                ("compose.yaml", SERVICES),
                ("compose.override.yaml", service),
            ],
            &["4: 8.0 | compose.yaml:3"],
        ),
        (
            "what an override takes away",
            &[
                ("docker-compose.yml", SERVICES),
                (
                    "docker-compose.override.yml",
                    "services:\n  app:\n    build:\n      args: !override {archs: 8.6}\n      target: !reset null\n  plain:\n    build: {context: docker, target: build, args: {archs: 7.0}}\n",
                ),
            ],
            &[
                "4: 7.0 | docker-compose.override.yml:7",
                "4: 8.6 | docker-compose.yml:3",
                "6: 8.0 | docker-compose.yml:3",
            ],
        ),
        (
            "compose with files that a command names",
            &[
                (
                    "deploy/compose.yml",
                    &SERVICES.replace("docker", "../docker"),
                ),
                ("deploy/compose.gpu.yml", service),
                (
                    "build.sh",
                    "docker compose -f deploy/compose.yml -f deploy/compose.gpu.yml build --build-arg other=2\n",
                ),
            ],
            &["4: 8.0 | deploy/compose.yml:3"],
        ),
    ] {
        let name = format!("laid over {name}");
        assert_eq!(lists(&name, files), expected, "{name}");
    }
}

/// A list with a default, one that hangs on another argument, and one that hangs on nothing.
const WITH_DEFAULTS: &str = "\
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ARG archs=\"80;90\"
ARG NEW=0
ARG other=1
RUN if [ \"$NEW\" = 1 ]; then echo new; else export LIST=9.0; fi; \\
    TORCH_CUDA_ARCH_LIST=${LIST-9.0+PTX} pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN git clone https://github.com/ggml-org/llama.cpp /l && cmake -S /l -B /b -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=${archs}
RUN TORCH_CUDA_ARCH_LIST=8.0 pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
";

#[test]
fn callers_that_override_a_default() {
    let own = ["6: 9.0 | ", "7: 80;90 | ", "8: 8.0 | "];
    let builds = |args: &str| format!("docker build {args} docker\n");
    for (name, args, expected) in [
        ("defaults", "", &own[..]),
        ("the same", "--build-arg archs='80;90'", &own[..]),
        ("what no list hangs on", "--build-arg other=2", &own[..]),
        (
            "another list",
            "--build-arg archs=90",
            &[
                "6: 9.0 | ",
                "7: 80;90 | its own defaults",
                "7: 90 | build.sh:1",
                "8: 8.0 | ",
            ],
        ),
        (
            "no list",
            "--build-arg archs=",
            &[
                "6: 9.0 | ",
                "7: 80;90 | its own defaults",
                "7:  | build.sh:1",
                "8: 8.0 | ",
            ],
        ),
        (
            "a condition the other way",
            "--build-arg NEW=1",
            &[
                "6: 9.0 | its own defaults",
                "6: 9.0+PTX | build.sh:1",
                "7: 80;90 | ",
                "8: 8.0 | ",
            ],
        ),
    ] {
        let files = [("build.sh", &*builds(args))];
        assert_eq!(lists_of(WITH_DEFAULTS, name, &files), expected, "{name}");
    }
}

/// The file that overrides the default lies over the one that describes the image.
#[test]
fn what_overrides_a_default_may_lie_over_its_caller() {
    let service = "services: {app: {build: docker}}\n";
    let target = "target \"app\" { context = \"docker\" }\n";
    let (of_compose, of_bake) = (
        "services: {app: {build: {args: {archs: 90}}}}\n",
        "target \"app\" { args = { archs = 90 } }\n",
    );
    for (name, files) in [
        (
            "compose",
            [
                ("compose.yaml", service),
                ("compose.override.yaml", of_compose),
            ],
        ),
        (
            "bake",
            [
                ("docker-bake.hcl", target),
                ("docker-bake.override.hcl", of_bake),
            ],
        ),
    ] {
        let name = format!("a default under {name}");
        let lists = lists_of(WITH_DEFAULTS, &name, &files);
        let caller = format!("7: 90 | {}:1", files[0].0);
        let expected = [
            "6: 9.0 | ",
            "7: 80;90 | its own defaults",
            &caller,
            "8: 8.0 | ",
        ];
        assert_eq!(lists, expected, "{name}");
    }
}
