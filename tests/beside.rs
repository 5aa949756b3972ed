//! Builds of one thing side by side, each for architectures of its own, count together.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::config::{Config, Layer, NAME};
use kimg_lint::lint::lint_within;
use kimg_lint::tree::Tree;
use std::fs;
use std::path::{Path, PathBuf};

const GSPLAT: &str = "git+https://github.com/nerfstudio-project/gsplat";
const CUDA: &str = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nWORKDIR /src\nCOPY . .\n";
const TORCH: &str = "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n";

/// What the rules of the fleet say: `202 info 4`.
fn said(path: &str, text: &str, gpus: &str, tree: Tree) -> String {
    let layer = format!("fleet: {{test: {{gpus: [{gpus}]}}}}");
    let layer = Layer::parse(NAME, Path::new("/repository"), &layer).unwrap();
    let config = Config::new(&[layer]).unwrap();
    let place = Path::new("/repository").join(path);
    let report = lint_within(path, text, &config, &place, tree).unwrap();
    let of_fleet = report
        .findings
        .iter()
        .filter(|f| matches!(&*f.code, "KIMG201" | "KIMG202" | "KIMG203" | "KIMG208"));
    let shown = of_fleet.map(|f| {
        let severity = format!("{:?}", f.severity).to_lowercase();
        format!("{} {severity} {}", &f.code[4..], f.span.line)
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[test]
fn one_image_with_a_result_for_each_generation() {
    let pip = |list: &str, into: &str| {
        format!(
            "RUN TORCH_CUDA_ARCH_LIST={list} pip wheel --no-build-isolation -w {into} {GSPLAT}\n"
        )
    };
    let stage = |name: &str, list: &str| {
        format!(
            "FROM base AS {name}\nRUN TORCH_CUDA_ARCH_LIST={list} pip install --no-build-isolation {GSPLAT}\n"
        )
    };
    let tei = "cargo install --git https://github.com/huggingface/text-embeddings-inference --features candle-cuda";
    for (name, text, gpus, expected) in [
        (
            "names",
            format!("{CUDA}RUN nvcc -arch=sm_80 -o a k.cu && nvcc -arch=sm_90 -o b k.cu\n"),
            "A100, H100",
            "202 info 4, 201 info 4",
        ),
        (
            "a loop",
            format!(
                "{CUDA}RUN for a in 80 90; do nvcc -arch=sm_$a -cubin -o k$a.cubin k.cu; done\n"
            ),
            "A100, H100",
            "201 info 4, 202 info 4",
        ),
        (
            "one name",
            format!(
                "{CUDA}RUN nvcc -arch=sm_80 -o a k.cu && use a\nRUN nvcc -arch=sm_90 -o a k.cu\n"
            ),
            "A100, H100",
            "202 warning 4, 201 warning 5",
        ),
        (
            "other files",
            format!("{CUDA}RUN nvcc -arch=sm_80 -o a k.cu && nvcc -arch=sm_90 -o b l.cu\n"),
            "A100, H100",
            "202 warning 4, 201 error 4",
        ),
        (
            "one that none is for",
            format!("{CUDA}RUN nvcc -arch=sm_80 -o a k.cu && nvcc -arch=sm_90 -o b k.cu\n"),
            "A100, H100, V100",
            "201 error 4, 202 info 4, 201 info 4, 201 error 4",
        ),
        (
            "wheels",
            format!("{TORCH}{}{}", pip("8.0", "/80"), pip("9.0", "/90")),
            "A100, H100",
            "201 info 2, 201 info 3",
        ),
        (
            "lists that share an architecture",
            format!(
                "{TORCH}{}{}",
                pip("'7.0;8.0'", "/a"),
                pip("'8.0;9.0'", "/b")
            ),
            "V100, H100",
            "201 error 2, 201 error 3",
        ),
        (
            "stages",
            format!(
                "{TORCH} AS base\n{}{}",
                stage("ampere", "8.0"),
                stage("hopper", "9.0")
            )
            .replace("devel\n AS", "devel AS"),
            "A100, H100",
            "201 info 3, 201 info 5",
        ),
        (
            "stages one after the other",
            format!(
                "{TORCH} AS base\n{}{}",
                stage("ampere", "8.0"),
                stage("hopper", "9.0")
            )
            .replace("devel\n AS", "devel AS")
            .replace("FROM base AS hopper", "FROM ampere AS hopper"),
            "A100, H100",
            "201 warning 3, 201 warning 5",
        ),
        (
            "a builder of one architecture",
            format!(
                "{CUDA}RUN for c in 80 90; do CUDA_COMPUTE_CAP=$c {tei} --root /opt/$c; done\n"
            ),
            "A100, H100",
            "201 info 4, 202 info 4",
        ),
        (
            "one build of a builder of one architecture",
            format!("{CUDA}RUN CUDA_COMPUTE_CAP=80 {tei}\n"),
            "A100, H100",
            "202 warning 4, 208 warning 4",
        ),
        (
            "a list that is not all known",
            format!(
                "{TORCH}ARG MORE\n{}{}",
                pip("\"8.0;$MORE\"", "/80"),
                pip("9.0", "/90")
            ),
            "A100, H100",
            "201 info 4",
        ),
    ] {
        assert_eq!(
            said("Dockerfile", &text, gpus, Tree::default()),
            expected,
            "{name}"
        );
    }
}

#[test]
fn rows_of_one_matrix() {
    let workflow = |matrix: &str, list: &str| {
        format!(
            "on: push\njobs:\n  build:\n    runs-on: ubuntu-22.04\n    container: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n    strategy:\n      matrix:\n        {matrix}\n    env:\n      TORCH_CUDA_ARCH_LIST: {list}\n    steps:\n      - run: pip wheel --no-build-isolation {GSPLAT}\n"
        )
    };
    for (matrix, list, expected) in [
        (
            "arch: ['8.0', '9.0']",
            "${{ matrix.arch }}",
            "201 info 12, 201 info 12",
        ),
        (
            "{arch: ['8.0', '9.0'], python: ['3.10', '3.11']}",
            "${{ matrix.arch }}",
            "201 info 12, 201 info 12",
        ),
        (
            "arch: ['8.0;8.6', '8.6;8.9']",
            "${{ matrix.arch }}",
            "201 error 12, 201 error 12",
        ),
        ("python: ['3.10', '3.11']", "'8.0'", "201 error 12"),
    ] {
        let text = workflow(matrix, list);
        let path = ".github/workflows/ci.yml";
        assert_eq!(
            said(path, &text, "A100, H100", Tree::default()),
            expected,
            "{matrix}"
        );
    }
}

/// What is said of a Dockerfile whose `ARG` line is `arg`, beside a file that builds it.
fn said_beside(name: &str, arg: &str, builder: (&str, &str)) -> String {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&root);
    let dockerfile = format!(
        "{TORCH}{arg}\nRUN TORCH_CUDA_ARCH_LIST=$LIST pip install --no-build-isolation {GSPLAT}\n"
    );
    fs::create_dir_all(&root).unwrap();
    for (path, text) in [("Dockerfile", &*dockerfile), builder] {
        fs::write(root.join(path), text).unwrap();
    }
    let tree = Tree::new(&root, &root.join("Dockerfile"), Path::new("Dockerfile"));
    said("Dockerfile", &dockerfile, "A100, H100", tree)
}

#[test]
fn rows_that_build_one_dockerfile() {
    let bake = "target \"app\" {\n  name = \"app-${a}\"\n  matrix = { a = [\"80\", \"90\"] }\n  args = { LIST = a == \"80\" ? \"8.0\" : \"9.0\" }\n}\n";
    assert_eq!(
        said_beside("beside-rows", "ARG LIST", ("docker-bake.hcl", bake)),
        "201 info 3, 201 info 3"
    );
}

/// Nobody is known to build with the default: it serves no GPU that the caller's list leaves out.
#[test]
fn a_default_that_the_only_caller_overrides() {
    let script = "docker build --build-arg LIST=9.0 .\n";
    assert_eq!(
        said_beside("beside-default", "ARG LIST=8.0", ("build.sh", script)),
        "201 error 3, 201 error 3"
    );
}
