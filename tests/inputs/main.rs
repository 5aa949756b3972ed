//! CI configurations and their like: what is built in which line, and what is said about it.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod apptainer;
mod azure;
mod bake;
mod buildkite;
mod devcontainer;

use kimg_lint::config::{Config, Layer, NAME};
use kimg_lint::facts::Compiles;
use kimg_lint::front::kind::KINDS;
use kimg_lint::lint::lint_text;
use std::path::Path;

/// A file by its path, its text, and what it teaches: builds as line and list, findings as line, code and severity.
type Case<'c> = (&'c str, &'c str, &'c [&'c str]);

/// The extension that most of the cases build.
const GSPLAT: &str =
    "pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat";

fn check(cases: &[Case<'_>]) {
    let config = Config::new(&[]).unwrap();
    let mut wrong = Vec::new();
    for (path, text, expected) in cases {
        let place = Path::new("/repository").join(path);
        let report = lint_text(path, text, &config, &place).unwrap();
        let compiled = report
            .builds
            .iter()
            .filter(|build| build.compiles != Compiles::No);
        let builds = compiled.map(|build| format!("{} {}", build.span.line, build.arch.text));
        // that nothing runs what is built holds for all of them
        let counted = report.findings.iter().filter(|f| f.suppressed.is_none());
        let findings = counted.filter(|f| f.code != "KIMG309").map(|finding| {
            format!(
                "{} {} {:?}",
                finding.span.line, finding.code, finding.severity
            )
        });
        let mut said: Vec<String> = builds.chain(findings).collect();
        said.sort();
        said.dedup();
        if said != *expected {
            wrong.push(format!("{path}\n{text}\nsays {said:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_page_has_a_row_for_each_kind() {
    let page = include_str!("../../docs/inputs.md");
    for kind in KINDS {
        let row = format!("\n| `{}` |", kind.name);
        assert!(page.contains(&row), "{}", kind.name);
    }
}

#[test]
fn cog() {
    check(&[
        (
            "cog.yaml",
            r#"build:
  gpu: true
  cuda: "12.1"
  python_packages:
    - "torch==2.3.1"
  run:
    - export TORCH_CUDA_ARCH_LIST="8.0+PTX" && pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
    - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
    - command: echo "export TORCH_CUDA_ARCH_LIST='8.6+PTX'" >> ~/.bashrc
    - "TORCH_CUDA_ARCH_LIST='9.0+PTX' pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat"
"#,
            &["10 9.0+PTX", "7 8.0+PTX", "8 ", "8 KIMG103 Error"],
        ),
        (
            "cog.yaml",
            r#"environment:
  - TORCH_CUDA_ARCH_LIST=8.6+PTX
build:
  gpu: true
  python_packages: ["torch==2.3.1"]
  run: ["pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat"]
"#,
            &["6 8.6+PTX"],
        ),
        (
            "cog.yaml",
            r#"build:
  gpu: false
  python_version: "3.11"
  run:
    - pip install numpy
"#,
            &[],
        ),
    ]);
}

/// What a job installs may be there for the job alone.
#[test]
fn a_wheel_in_a_job_is_a_warning() {
    let layer = "fleet: {test: {gpus: [H100]}}";
    let layer = Layer::parse(NAME, Path::new("/repository"), layer).unwrap();
    let config = Config::new(&[layer]).unwrap();
    let image = "pytorch/pytorch:1.12.0-cuda11.3-cudnn8-devel";
    let job = format!(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-22.04\n    container: {image}\n    steps:\n      - run: pytest\n"
    );
    for (path, text, expected) in [
        ("Dockerfile", format!("FROM {image}\n"), "Error"),
        (".github/workflows/ci.yml", job, "Warning"),
    ] {
        let place = Path::new("/repository").join(path);
        let report = lint_text(path, &text, &config, &place).unwrap();
        let said = report.findings.iter().filter(|f| f.code == "KIMG206");
        let said: Vec<String> = said.map(|f| format!("{:?}", f.severity)).collect();
        assert_eq!(said, [expected], "{path}");
    }
}

/// A runner of one's own may name Windows in short.
#[test]
fn labels_that_name_windows() {
    let workflow = |label: &str| {
        format!(
            "on: push\njobs:\n  a:\n    runs-on: [self-hosted, {label}]\n    steps:\n      - run: |\n          foreach ($f in $all) {{\n            Compress-Archive -Path $f\n          }}\n"
        )
    };
    let path = ".github/workflows/ci.yml";
    for (label, expected) in [
        ("win10-3080", &[][..]),
        ("Win", &[]),
        ("windows-gpu", &[]),
        ("winter", &["7 KIMG002 Warning", "9 KIMG002 Warning"]),
    ] {
        check(&[(path, &workflow(label), expected)]);
    }
}

/// Cog takes torch for the CUDA that is named, not the default of the package index.
#[test]
fn cog_chooses_the_wheel_of_its_cuda() {
    let layer = "fleet: {test: {gpus: [RTX 5090]}}";
    let layer = Layer::parse(NAME, Path::new("/repository"), layer).unwrap();
    let config = Config::new(&[layer]).unwrap();
    for (build, expected) in [
        ("gpu: true\n  cuda: \"12.6\"", "cu126"),
        ("gpu: true\n  cuda: \"12.8.1\"", ""),
        ("gpu: true", ""),
        ("gpu: false", "cu126"),
    ] {
        let text = format!("build:\n  {build}\n  python_packages:\n    - torch==2.7.1\n");
        let place = Path::new("/repository/cog.yaml");
        let report = lint_text("cog.yaml", &text, &config, place).unwrap();
        let said = report.findings.iter().filter(|f| f.code == "KIMG206");
        let variants: Vec<bool> = said.map(|f| f.message.contains(expected)).collect();
        let wanted = if expected.is_empty() {
            vec![]
        } else {
            vec![true]
        };
        assert_eq!(variants, wanted, "{build}");
    }
}

#[test]
fn gitlab() {
    check(&[
        (
            ".gitlab-ci.yml",
            r#"variables:
  LIST: "8.0+PTX"
default:
  image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
.ext:
  variables:
    TORCH_CUDA_ARCH_LIST: $LIST
  script:
    - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
build:
  extends: .ext
other:
  script:
    - !reference [.ext, script]
child:
  extends: [.ext]
  variables:
    LIST: "9.0+PTX"
  before_script:
    - export TORCH_CUDA_ARCH_LIST="$TORCH_CUDA_ARCH_LIST"
  script:
    - cd /tmp
    - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
            &["23 9.0+PTX", "9 ", "9 8.0+PTX", "9 KIMG103 Error"],
        ),
        (
            ".gitlab-ci.yml",
            r#"rows:
  image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
  parallel:
    matrix:
      - TORCH_CUDA_ARCH_LIST: ["8.0+PTX", "9.0+PTX"]
  script: pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
            &["6 8.0+PTX", "6 9.0+PTX"],
        ),
        (
            ".gitlab-ci.yml",
            r#"one: { extends: two, script: [pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat] }
two: { extends: one, image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel }
"#,
            &["1 ", "1 KIMG101 Error"],
        ),
    ]);
}

#[test]
fn circleci() {
    check(&[
        (
            ".circleci/config.yml",
            r#"version: 2.1
executors:
  gpu-image:
    docker: [{ image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel }]
    environment:
      TORCH_CUDA_ARCH_LIST: "8.0+PTX"
commands:
  build:
    parameters:
      list: { type: string, default: "8.6+PTX" }
    steps:
      - run: TORCH_CUDA_ARCH_LIST="<< parameters.list >>" pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
jobs:
  one:
    executor: gpu-image
    steps:
      - checkout
      - run: pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
      - build
      - build: { list: "9.0+PTX" }
  two:
    docker: [{ image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel }]
    steps:
      - run: echo 'export TORCH_CUDA_ARCH_LIST="8.9+PTX"' >> $BASH_ENV
      - run: |
          pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
      - run:
          environment: { TORCH_CUDA_ARCH_LIST: "9.0+PTX" }
          command: pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
            &[
                "12 8.6+PTX",
                "12 9.0+PTX",
                "18 8.0+PTX",
                "26 8.9+PTX",
                "29 8.9+PTX",
            ],
        ),
        (
            ".circleci/config.yml",
            r#"version: 2.1
jobs:
  build:
    parameters:
      list: { type: string }
      on: { type: boolean, default: true }
    docker: [{ image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel }]
    environment: { TORCH_CUDA_ARCH_LIST: << parameters.list >> }
    steps:
      - when:
          condition: << parameters.on >>
          steps:
            - run: pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
      - unless:
          condition: << parameters.on >>
          steps:
            - run: pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
workflows:
  all:
    jobs:
      - build: { list: "8.0+PTX" }
      - build: { matrix: { parameters: { list: ["9.0+PTX"] } } }
"#,
            &["13 8.0+PTX", "13 9.0+PTX"],
        ),
    ]);
}

#[test]
fn travis() {
    check(&[(
        ".travis.yml",
        r#"env:
  global: TORCH_CUDA_ARCH_LIST="8.0+PTX"
  matrix:
    - EXTRA=1
install:
  - pip install torch==2.5.1
script:
  - export A=1
  - pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        &["9 8.0+PTX", "9 KIMG303 Error"],
    )]);
}

#[test]
fn compose() {
    check(&[(
        "docker-compose.yml",
        r#"services:
  app:
    build: .
    command: pip install flash-attn
"#,
        &[],
    )]);
}

#[test]
fn jenkins() {
    check(&[
        (
            "Jenkinsfile",
            r#"pipeline {
  agent { docker { image 'pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel'; args '--gpus all' } }
  environment {
    LIST = '8.0+PTX'
    TORCH_CUDA_ARCH_LIST = "${LIST}"
  }
  stages {
    stage('a') {
      steps {
        sh 'pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat'
        sh """
          export TORCH_CUDA_ARCH_LIST="9.0+PTX"
          pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
        """
        withEnv(['TORCH_CUDA_ARCH_LIST=8.6+PTX']) {
          sh script: "pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat", returnStdout: true
        }
      }
    }
    stage('b') {
      environment { TORCH_CUDA_ARCH_LIST = "${params.LIST}" }
      steps { sh "pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat" } // sh 'nvcc a.cu'
    }
  }
}
"#,
            &[
                "10 8.0+PTX",
                "13 9.0+PTX",
                "16 8.6+PTX",
                "22 ",
                "22 KIMG004 Info",
            ],
        ),
        (
            "ci/Jenkinsfile.gpu",
            r#"def build(dev) {
  docker.image('pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel').inside('--gpus all') {
    sh "TORCH_CUDA_ARCH_LIST=8.0+PTX pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat # ${dev}"
  }
}
node('gpu') { build('x') }
"#,
            &["3 8.0+PTX"],
        ),
    ]);
}

#[test]
fn docker_run() {
    check(&[(
        ".gitlab-ci.yml",
        r#"build:
  variables: { TORCH_CUDA_ARCH_LIST: "8.0+PTX" }
  script:
    - docker run --rm -v $PWD:/w -w /w pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
    - docker run --rm -e TORCH_CUDA_ARCH_LIST pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
    - docker run --rm -e TORCH_CUDA_ARCH_LIST=9.0+PTX pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel bash -c "pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat"
    - docker run -d --name box pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel sleep inf
    - docker exec box pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
    - docker exec -e TORCH_CUDA_ARCH_LIST box pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        &[
            "4 ",
            "4 KIMG103 Error",
            "5 8.0+PTX",
            "6 9.0+PTX",
            "8 ",
            "8 KIMG103 Error",
            "9 8.0+PTX",
        ],
    )]);
}
