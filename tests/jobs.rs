//! What the jobs of a workflow build by way of the other files of their repository.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::facts::Compiles;
use kimg_lint::lint::{Options, observe};
use kimg_lint::tree::Tree;
use std::fs;
use std::path::{Path, PathBuf};

const WORKFLOW: &str = ".github/workflows/ci.yml";

/// `9 gsplat yes 8.0 [cuda=12.4]` for each build that the workflow leads to; then what is not followed.
fn said(name: &str, workflow: &str, files: &[(&str, &str)]) -> Vec<String> {
    said_of(WORKFLOW, name, workflow, files)
}

/// The same for a file of any CI system.
fn said_of(path: &str, name: &str, workflow: &str, files: &[(&str, &str)]) -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("jobs")
        .join(name);
    let _ = fs::remove_dir_all(&root);
    for (path, text) in files.iter().chain(&[(path, workflow)]) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let linted = Path::new(path);
    let options = Options {
        tree: Tree::new(&root, &root.join(linted), linted),
        ..Options::default()
    };
    let facts = observe(path, workflow, &options);
    let compiled = facts.builds.iter().filter(|b| b.compiles != Compiles::No);
    let builds = compiled.map(|build| {
        let compiles = format!("{:?}", build.compiles).to_lowercase();
        let line = build.span.line;
        let mut text = format!("{line} {} {compiles} {}", build.builder, build.arch.text);
        if !build.worlds.is_empty() {
            text += &format!(" [{}]", build.worlds.join("|"));
        }
        text.trim_end().to_owned()
    });
    let problems = facts.inputs.iter().flat_map(|input| &input.problems);
    builds
        .chain(problems.map(|problem| format!("{} {}", problem.span.line, problem.message)))
        .collect()
}

/// A job in a CUDA image whose steps begin in line 7, after a checkout.
fn job(name: &str, steps: &str, files: &[(&str, &str)]) -> Vec<String> {
    let workflow = format!(
        "jobs:\n  a:\n    runs-on: ubuntu-latest\n    container: nvidia/cuda:12.4.1-devel-ubuntu22.04\n    steps:\n    - uses: actions/checkout@v4\n{steps}"
    );
    said(name, &workflow, files)
}

const CMAKE: &str = "\
cmake_minimum_required(VERSION 3.24)
project(kernels LANGUAGES CXX CUDA)
add_library(kernels kernels.cu)
";

#[test]
fn a_workflow_of_the_repository_is_followed() {
    let called = "\
on:
  workflow_call:
    inputs:
      archs: {default: '80'}
      runner: {type: string}
jobs:
  build:
    runs-on: ${{ inputs.runner }}
    container: nvidia/cuda:12.4.1-devel-ubuntu22.04
    strategy: {matrix: {kind: [Debug, Release]}}
    steps:
    - uses: actions/checkout@v4
    - run: cmake -S . -B build -DCMAKE_CUDA_ARCHITECTURES='${{ inputs.archs }}' -DCMAKE_BUILD_TYPE=${{ matrix.kind }}
";
    let caller = "\
jobs:
  plain:
    uses: ./.github/workflows/build.yml
    with: {runner: ubuntu-latest}
  rows:
    strategy: {matrix: {archs: ['86', '90-real']}}
    uses: ./.github/workflows/build.yml
    with:
      runner: ubuntu-latest
      archs: ${{ matrix.archs }}
";
    let files = [
        (".github/workflows/build.yml", called),
        ("CMakeLists.txt", CMAKE),
    ];
    assert_eq!(
        said("called", caller, &files),
        [
            "3 cmake-cuda yes 80",
            "7 cmake-cuda yes 86 [archs=86]",
            "7 cmake-cuda yes 90-real [archs=90-real]",
        ]
    );
}

#[test]
fn workflows_that_call_each_other_end() {
    let call = |name: &str| format!("jobs:\n  a:\n    uses: ./.github/workflows/{name}.yml\n");
    let files = [
        (".github/workflows/one.yml", &*call("two")),
        (".github/workflows/two.yml", &*call("one")),
    ];
    assert_eq!(
        said("circle", &call("one"), &files),
        ["3 the workflow .github/workflows/one.yml leads back to itself, or too far"]
    );
    assert_eq!(
        said("gone", &call("three"), &[]),
        ["3 the workflow .github/workflows/three.yml is not there: what it does is not known"]
    );
}

#[test]
fn actions_that_configure_are_the_command() {
    let presets = r#"{"version": 3, "configurePresets": [{"name": "gpu", "cacheVariables": {"CMAKE_CUDA_ARCHITECTURES": "89"}}]}"#;
    let files = [("CMakeLists.txt", CMAKE), ("CMakePresets.json", presets)];
    for (name, with, expected) in [
        ("preset", "{configurePreset: gpu}", "7 cmake-cuda yes 89"),
        (
            "arguments",
            "{cmakeListsTxtPath: '${{ github.workspace }}/CMakeLists.txt', cmakeAppendedArgs: '-A x64 -DCMAKE_CUDA_ARCHITECTURES=80'}",
            "7 cmake-cuda yes 80",
        ),
    ] {
        let step = format!("    - uses: lukka/run-cmake@v10\n      with: {with}\n");
        assert_eq!(job(name, &step, &files), [expected], "{name}");
    }
}

#[test]
fn what_configure_was_told_is_what_make_builds() {
    let step = "    - run: |\n        cd amrex\n        ./configure --with-cuda yes\n        make CUDA_ARCH=80\n        make install\n";
    assert_eq!(job("configure", step, &[]), ["10 amrex yes 80"]);
    let plain = step.replace(" --with-cuda yes", "");
    assert_eq!(job("configure-cpu", &plain, &[]), Vec::<String>::new());
}

#[test]
fn a_makefile_for_the_cpu_compiles_none() {
    let makefile =
        "CC ?= gcc\nNVCC ?= nvcc\nt: t.c\n\t$(CC) -o $@ $<\ng: g.cu\n\t$(NVCC) $(FLAGS) -o $@ $<\n";
    let files = [("llm.c/Makefile", makefile)];
    let step = |target: &str| format!("    - run: make -C llm.c {target}\n");
    assert_eq!(job("host", &step("t"), &files), Vec::<String>::new());
    assert_eq!(job("device", &step("g"), &files), ["7 nvcc yes"]);
}

#[test]
fn flags_under_a_condition_leave_the_architectures() {
    let makefile = "FLAGS = -arch=sm_80\nifeq ($(shell have nccl),yes)\n  FLAGS += -DMULTI -lnccl\nendif\ng: g.cu\n\tnvcc $(FLAGS) -o $@ $<\n";
    let builds = job("flags", "    - run: make g\n", &[("Makefile", makefile)]);
    assert!(builds[0].contains("-arch=sm_80"), "{builds:?}");
    let unsure = makefile.replace("-DMULTI", "-arch=sm_90");
    let builds = job("unsure", "    - run: make g\n", &[("Makefile", &unsure)]);
    let either = ["-arch=sm_80 -arch=sm_90 -lnccl", "-arch=sm_80"];
    assert_eq!(
        builds,
        either.map(|flags| format!("7 nvcc yes {flags} -o g g.cu"))
    );
}

#[test]
fn the_workspace_stays_where_it_is() {
    // a variable that is not set names no file, and a runner's files are its own
    let files = [("CMakeLists.txt", CMAKE)];
    let step = "    - run: |\n        echo /opt/bin >> $GITHUB_PATH\n        echo x >> $NOT_SET\n        cmake . -DCMAKE_CUDA_ARCHITECTURES=80\n";
    assert_eq!(job("workspace", step, &files), ["10 cmake-cuda yes 80"]);
    // a fork of the repository, whose name the caller gives
    let other = "jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n    - uses: actions/checkout@v4\n      with: {repository: '${{ inputs.fork }}'}\n    - run: cmake . -DCMAKE_CUDA_ARCHITECTURES=80\n";
    assert_eq!(said("fork", other, &files), ["7 cmake-cuda yes 80"]);
}

#[test]
fn what_only_looks_like_a_build() {
    let none = Vec::<String>::new();
    // the tests of something else for a package
    let tests = "    - run: python tests/jax/sanity.py\n";
    let program = ("tests/jax/sanity.py", "import x\n");
    assert_eq!(job("aside", tests, &[program]), none);
    // the archive that the project made of itself is the project
    let setup = (
        "setup.py",
        "from setuptools import setup\nsetup(name='plain')\n",
    );
    let archive =
        "    - run: pip install dist/*.tar.gz\n      env: {TORCH_CUDA_ARCH_LIST: '8.0'}\n";
    assert_eq!(job("archive", archive, &[setup]), none);
    // an image for another maker's GPUs
    let other = "jobs:\n  a:\n    runs-on: ubuntu-latest\n    container: docker://owner/project:rocm_github\n    steps:\n    - uses: actions/checkout@v4\n    - run: cmake . -DCMAKE_CUDA_ARCHITECTURES=80\n";
    assert_eq!(said("rocm", other, &[("CMakeLists.txt", CMAKE)]), none);
    // a list that is explained by the build that reads its switch
    let explained = "    - run: pip install git+https://github.com/someone/engine\n    - run: pip install ./mmcv\n      env: {FORCE_CUDA: 1, MMCV_CUDA_ARGS: '-gencode=arch=compute_80,code=sm_80'}\n";
    let builds = job("explained", explained, &[]);
    assert!(builds.iter().all(|b| b.contains("mmcv")), "{builds:?}");
}

#[test]
fn a_recipe_of_conda_is_followed() {
    let meta = "\
{% set version = environ.get('TAG') %}
package: {name: kernels, version: {{ version }}}
source:
  path: ../..
build:
  script_env:
    - CUDA_ARCHS
requirements:
  build:
    - {{ compiler('cuda') }}
";
    let script = "cmake -S . -B build -DCMAKE_CUDA_ARCHITECTURES=\"${CUDA_ARCHS}\"\n";
    let files = [
        ("CMakeLists.txt", CMAKE),
        ("conda/kernels/meta.yaml", meta),
        ("conda/kernels/build.sh", script),
    ];
    let step = "    - run: conda build kernels -c nvidia\n      working-directory: conda\n      env: {CUDA_ARCHS: 80;90}\n";
    assert_eq!(job("conda", step, &files), ["7 cmake-cuda yes 80;90"]);
    // what the recipe does not pass on stays outside
    let other = step.replace("CUDA_ARCHS", "CUDAARCHS");
    assert_eq!(
        job("conda-env", &other, &files),
        ["7 cmake-cuda yes <unknown>"]
    );
    let recipe =
        "source: {path: ..}\nbuild:\n  script:\n    - cmake . -DCMAKE_CUDA_ARCHITECTURES=86\n";
    let files = [("CMakeLists.txt", CMAKE), ("conda/recipe.yaml", recipe)];
    let step = "    - run: rattler-build build --recipe conda/recipe.yaml\n";
    assert_eq!(job("rattler", step, &files), ["7 cmake-cuda yes 86"]);
}

#[test]
fn the_compiler_of_a_recipe_brings_a_list() {
    let meta = "\
{% set use_cuda = 'ON' %}
package: {name: kernels}
source: {path: ../..}
build:
  script_env:
    - USE_CUDA={{ use_cuda }}
requirements:
  build:
    - {{ compiler('cuda') }}
";
    let script = "cmake -S . -B build -DKERNELS_USE_CUDA:BOOL=$USE_CUDA\n";
    let variants = "cuda_compiler_version:\n  - None\n  - 12.6\n";
    let files = [
        ("CMakeLists.txt", CMAKE),
        ("conda/kernels/meta.yaml", meta),
        ("conda/kernels/conda_build_config.yaml", variants),
        ("conda/kernels/build.sh", script),
    ];
    let step = "    - run: conda build conda/kernels\n";
    assert_eq!(
        job("conda-compiler", step, &files),
        ["7 cmake-cuda yes <unknown>"]
    );
}

#[test]
fn each_variant_of_a_recipe_is_built() {
    let meta = "package: {name: kernels}\nsource: {path: ../..}\nrequirements:\n  build:\n    - {{ compiler('cuda') }}\n";
    let variants = "cuda_compiler_version:\n  - None\n  - 12.6  # [linux64]\n  - 11.8\ncuda_archs: [none, '80;90', '70;80']\n\
                    zip_keys:\n  - [cuda_compiler_version, cuda_archs]\npython: ['3.10', '3.11']\n";
    let script = "if [[ ${cuda_compiler_version} != None ]]; then cmake -S . -B build -DCMAKE_CUDA_ARCHITECTURES=\"${cuda_archs}\"; fi\n";
    let files = [
        ("CMakeLists.txt", CMAKE),
        ("conda/kernels/meta.yaml", meta),
        ("conda/kernels/conda_build_config.yaml", variants),
        ("conda/kernels/build.sh", script),
    ];
    let step = "    - run: conda build conda/kernels\n";
    let expected = ["7 cmake-cuda yes 80;90", "7 cmake-cuda yes 70;80"];
    assert_eq!(job("conda-variants", step, &files), expected);
    // without them it is not known
    let [cmake, meta, _, script] = files;
    let builds = job("conda-no-variants", step, &[cmake, meta, script]);
    assert_eq!(builds.len(), 1, "{builds:?}");
}

#[test]
fn a_command_names_the_variants_of_a_recipe() {
    let meta = "package: {name: kernels}\nsource: {path: ..}\nrequirements:\n  build:\n    - {{ compiler('cuda') }}\n";
    let script = "if [[ ${cuda_compiler_version} != None ]]; then cmake -S . -B build -DCMAKE_CUDA_ARCHITECTURES=\"${cuda_archs:-70}\"; fi\n";
    let variant = |platform: &str, cuda: &str, python: &str, more: &str| {
        format!(
            "cuda_compiler_version:\n- '{cuda}'\ndocker_image:\n- a\npython:\n- {python}\ntarget_platform:\n- {platform}\n{more}"
        )
    };
    let archs = "cuda_archs: [80;90]\n";
    let texts = [
        (
            "linux_64_cuda12",
            variant("linux-64", "12.9", "3.12", archs),
        ),
        (
            "linux_64_cuda12_more",
            variant("linux-64", "12.9", "3.13", archs),
        ),
        ("linux_64_cuda13", variant("linux-64", "13.0", "3.12", "")),
        ("linux_64_none", variant("linux-64", "None", "3.12", "")),
        (
            "linux_aarch64_cuda13",
            variant("linux-aarch64", "13.0", "3.12", "cuda_archs: ['110']\n"),
        ),
        (
            "win_64_cuda12",
            variant("win-64", "12.9", "3.12", "cuda_archs: ['75']\n"),
        ),
    ]
    .map(|(name, text)| (format!(".ci_support/{name}.yaml"), text));
    let mut files = vec![
        ("CMakeLists.txt", CMAKE),
        ("recipe/meta.yaml", meta),
        ("recipe/conda_build_config.yaml", "cuda_archs: ['60']\n"),
        ("recipe/build.sh", script),
    ];
    files.extend(texts.iter().map(|(name, text)| (&**name, &**text)));
    for (name, step, expected) in [
        (
            "known",
            "conda build recipe -m .ci_support/linux_64_cuda12.yaml",
            &["7 cmake-cuda yes 80;90"][..],
        ),
        (
            "under",
            "rattler-build build --recipe recipe -m .ci_support/linux_64_cuda13.yaml",
            &["7 cmake-cuda yes 60"],
        ),
        (
            "cpu",
            "conda build recipe -m .ci_support/linux_64_none.yaml",
            &[],
        ),
        (
            "not known",
            "conda-build recipe -m \".ci_support/${CONFIG}.yaml\"",
            &["7 cmake-cuda yes 80;90", "7 cmake-cuda yes 60"],
        ),
    ] {
        let step = format!("    - run: {step}\n      env: {{CONFIG: '${{{{ vars.CONFIG }}}}'}}\n");
        assert_eq!(
            job(&format!("conda-named {name}"), &step, &files),
            expected,
            "{name}"
        );
    }
}

#[test]
fn overrides_of_cibuildwheel_hold_for_some_wheels() {
    let project = |overrides: &str| {
        format!(
            "[tool.cibuildwheel]\nbuild = \"cp311-* cp312-*\"\nskip = \"*musllinux*\"\nenvironment = {{TORCH_CUDA_ARCH_LIST = \"8.0\", A = \"1\"}}\n\
             build-frontend = \"build; args: --no-isolation\"\n\
             [tool.cibuildwheel.linux]\nmanylinux-x86_64-image = \"pytorch/manylinux2_28-builder:cuda12.9\"\n{overrides}"
        )
    };
    let over = |select: &str, more: &str| {
        format!(
            "[[tool.cibuildwheel.overrides]]\nselect = \"{select}\"\n{more}\nenvironment = {{TORCH_CUDA_ARCH_LIST = \"9.0\"}}\n"
        )
    };
    let step = "    - uses: pypa/cibuildwheel@v3\n";
    for (name, overrides, expected) in [
        ("none", String::new(), &["7 torch-ext yes 8.0"][..]),
        (
            "some",
            over("cp312-*", ""),
            &["7 torch-ext yes 8.0", "7 torch-ext yes 9.0"],
        ),
        ("all", over("*-manylinux*", ""), &["7 torch-ext yes 9.0"]),
        (
            "no wheel that is built",
            over("cp39-* *-win*", ""),
            &["7 torch-ext yes 8.0"],
        ),
        (
            "before the others",
            over("*", "inherit.environment = \"prepend\""),
            &["7 torch-ext yes 8.0"],
        ),
        (
            "after the others",
            over("*", "inherit.environment = \"append\""),
            &["7 torch-ext yes 9.0"],
        ),
    ] {
        let files = [
            ("setup.py", SETUP),
            ("pyproject.toml", &*project(&overrides)),
        ];
        assert_eq!(
            job(&format!("wheels-over {name}"), step, &files),
            expected,
            "{name}"
        );
    }
}

#[test]
fn folders_that_are_there_or_not() {
    let files = [("src/CMakeLists.txt", CMAKE)];
    let build = "cmake . -DCMAKE_CUDA_ARCHITECTURES=80";
    for (name, script, expected) in [
        ("there", "if [ -d src ]; then cd src; fi", "yes"),
        (
            "not-there",
            "cd src; if [ -d build ]; then cd build; fi",
            "yes",
        ),
        (
            "made",
            "mkdir -p src/b; cd src; if [ -d b ]; then cd b; fi; cd ..",
            "yes",
        ),
        (
            "brackets",
            "if [[ ! -d src ]]; then cd other; else cd src; fi",
            "yes",
        ),
    ] {
        let step = format!("    - run: {script}; {build}\n");
        let expected = format!("7 cmake-cuda {expected} 80");
        assert_eq!(job(name, &step, &files), [expected], "{name}");
    }
}

#[test]
fn arguments_that_are_not_known_may_switch_cuda_on() {
    let install = "    - run: 'pip install --no-binary :all: llama-cpp-python'\n";
    let step = format!("{install}      env: {{CMAKE_ARGS: '${{{{ vars.ARGS }}}}'}}\n");
    assert_eq!(job("args", &step, &[]), ["7 llama-cpp-python maybe"]);
    // many ways to the same beginning
    let script: String = ["A", "B", "C", "D"]
        .iter()
        .map(|name| format!("        if grep -q {name} f; then {name}=1; fi\n"))
        .collect();
    let step = format!(
        "    - run: |\n{script}        export CMAKE_ARGS=\"-DGGML_CUDA=on -DCMAKE_CUDA_ARCHITECTURES=80 -DX=$A$B$C$D\"\n        pip install llama-cpp-python --no-binary :all:\n"
    );
    assert_eq!(job("ways", &step, &[]), ["13 llama-cpp-python yes 80"]);
}

#[test]
fn a_recipe_of_make_goes_on_after_a_condition() {
    let makefile =
        "a.o: a.cu\n\t@echo $<\nifeq ($(LOG),1)\n\t@date\nendif\n\tnvcc -arch=sm_80 -c $<\n";
    let builds = job("recipe", "    - run: make a.o\n", &[("Makefile", makefile)]);
    assert_eq!(builds.len(), 1, "{builds:?}");
    assert!(builds[0].contains("-arch=sm_80"), "{builds:?}");
}

/// A project with a CUDA extension.
const SETUP: &str = "\
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
setup(name='kernels', ext_modules=[CUDAExtension('kernels', ['kernels.cu'])], cmdclass={'build_ext': BuildExtension})
";

#[test]
fn cibuildwheel_builds_in_a_container_of_its_own() {
    let pyproject = "[tool.cibuildwheel]\nbuild-frontend = \"build; args: --no-isolation\"\n[tool.cibuildwheel.linux]\nbefore-all = \"{project}/ci/prepare.sh\"\nmanylinux-x86_64-image = \"pytorch/manylinux2_28-builder:cuda12.9\"\n";
    let prepare = "cmake -S /project/native -B b -DCMAKE_CUDA_ARCHITECTURES=\"$ARCHS\"\nexport TORCH_CUDA_ARCH_LIST=9.0\n";
    let files = [
        ("setup.py", SETUP),
        ("pyproject.toml", pyproject),
        ("ci/prepare.sh", prepare),
        ("native/CMakeLists.txt", CMAKE),
    ];
    let job = |name: &str, env: &str| {
        let workflow = format!(
            "jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n    - uses: actions/checkout@v4\n    - uses: pypa/cibuildwheel@v3\n      env: {{TORCH_CUDA_ARCH_LIST: '8.0', ARCHS: 86, {env}}}\n"
        );
        said(name, &workflow, &files)
    };
    // neither arrives, and what `before-all` exports ends with it
    assert_eq!(
        job("wheels-lost", "CIBW_BUILD: 'cp310-*'"),
        ["6 cmake-cuda yes", "6 torch-ext yes"]
    );
    assert_eq!(
        job(
            "wheels-passed",
            "CIBW_ENVIRONMENT_PASS_LINUX: 'ARCHS TORCH_CUDA_ARCH_LIST'"
        ),
        ["6 cmake-cuda yes 86", "6 torch-ext yes 8.0"]
    );
    assert_eq!(
        job(
            "wheels-set",
            "CIBW_ENVIRONMENT: 'ARCHS=90 TORCH_CUDA_ARCH_LIST=\"9.0+PTX\"'"
        ),
        ["6 cmake-cuda yes 90", "6 torch-ext yes 9.0+PTX"]
    );
}

#[test]
fn every_ci_system_knows_the_repository_by_the_names_in_its_files() {
    let image = "nvidia/cuda:12.4.1-devel-ubuntu22.04";
    let circleci = format!(
        "version: 2\njobs:\n  a:\n    docker: [{{image: '{image}'}}]\n    steps: [checkout, run: meson build -Dcc_cuda=80]\n"
    );
    let gitlab = format!("a:\n  image: {image}\n  script: [meson build -Dcc_cuda=80]\n");
    let github = format!(
        "jobs:\n  a:\n    container: {image}\n    steps:\n    - uses: actions/checkout@v4\n    - run: meson build -Dcc_cuda=80\n"
    );
    let files = [("meson.build", "project('lc0', 'cpp')\n")];
    for (path, text, line) in [
        (".circleci/config.yml", circleci, 5),
        (".gitlab-ci.yml", gitlab, 3),
        (WORKFLOW, github, 6),
    ] {
        let name = path.rsplit('/').next().unwrap();
        let said = said_of(path, &format!("named-{name}"), &text, &files);
        assert_eq!(said, [format!("{line} lc0 yes 80")], "{path}");
    }
}

#[test]
fn what_is_not_known_may_stand_before_a_command() {
    let steps = "    - run: |\n        SUDO=$(command -v sudo)\n        $SUDO cmake -B b -DCMAKE_CUDA_ARCHITECTURES=80\n        $SUDO --version\n";
    let files = [("CMakeLists.txt", CMAKE)];
    assert_eq!(job("unknown-sudo", steps, &files), ["9 cmake-cuda yes 80"]);
}

#[test]
fn every_ci_system_names_the_place_of_the_repository() {
    let image = "nvidia/cuda:12.4.1-devel-ubuntu22.04";
    // a name that nobody knows would lead anywhere
    let run = |place: &str| format!("mkdir -p $JOB && cd $JOB && cmake {place}");
    let gitlab = format!(
        "a:\n  image: {image}\n  script: ['{}']\n",
        run("$CI_PROJECT_DIR")
    );
    let travis = format!(
        "script: 'apt-get install -y cuda-nvcc-12-4 && {}'\n",
        run("$TRAVIS_BUILD_DIR")
    );
    let azure = format!(
        "jobs:\n- job: a\n  container: {image}\n  steps:\n  - script: '{}'\n",
        run("$BUILD_SOURCESDIRECTORY")
    );
    let circleci = format!(
        "version: 2\njobs:\n  a:\n    docker: [{{image: '{image}'}}]\n    steps: [checkout, run: '{}']\n",
        run("$CIRCLE_WORKING_DIRECTORY")
    );
    let jenkins = format!(
        "pipeline {{\n  agent {{ docker '{image}' }}\n  stages {{ stage('a') {{ steps {{ sh '{}' }} }} }}\n}}\n",
        run("$WORKSPACE")
    );
    let buildkite = format!(
        "steps:\n- command: '{}'\n",
        run("$BUILDKITE_BUILD_CHECKOUT_PATH")
    );
    let project =
        "project(x LANGUAGES CXX CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 80)\nadd_library(x x.cu)\n";
    for (path, text, line) in [
        (".gitlab-ci.yml", gitlab, 3),
        (".travis.yml", travis, 1),
        ("azure-pipelines.yml", azure, 5),
        (".circleci/config.yml", circleci, 5),
        ("Jenkinsfile", jenkins, 3),
        (".buildkite/pipeline.yml", buildkite, 2),
    ] {
        let name = path.rsplit('/').next().unwrap();
        let files = [("CMakeLists.txt", project)];
        let said = said_of(path, &format!("placed-{name}"), &text, &files);
        assert_eq!(said, [format!("{line} cmake-cuda yes")], "{path}");
    }
}

#[test]
fn a_list_that_ends_with_its_step_was_set_for_a_build_in_it() {
    let loss = "pip install --no-build-isolation git+https://github.com/someone/fused-loss";
    let gsplat = "pip install git+https://github.com/nerfstudio-project/gsplat@v1.5.3";
    let list = "TORCH_CUDA_ARCH_LIST='8.0;9.0'";
    // what another step builds with a list of its own explains nothing here
    let apart = format!("    - run: {list} {loss}\n    - run: {list} {gsplat}\n");
    assert_eq!(
        job("list-apart", &apart, &[]),
        ["7 torch-ext maybe 8.0;9.0", "8 gsplat yes 8.0;9.0"]
    );
    let together = format!("    - run: export {list} && {loss} && {gsplat}\n");
    assert_eq!(
        job("list-together", &together, &[]),
        ["7 gsplat yes 8.0;9.0"]
    );
    let without = format!("    - run: {loss}\n    - run: {list} {gsplat}\n");
    assert_eq!(
        job("list-elsewhere", &without, &[]),
        ["8 gsplat yes 8.0;9.0"]
    );
}
