//! The commands about fleets, as a user meets them.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of its own for a test, the root of a repository, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("commands")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join(".git")).unwrap();
    for (path, text) in files {
        fs::write(folder.join(path), text).unwrap();
    }
    folder
}

/// Exit status, standard output, standard error.
fn ran(folder: &Path, args: &[&str], stdin: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("kimg-lint").unwrap();
    command
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .current_dir(folder);
    let output = command.args(args).write_stdin(stdin).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let status = output.status.code().unwrap();
    (status, text(output.stdout), text(output.stderr))
}

const DOCKERFILE: &str = "\
FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST=\"8.9;9.0+PTX\"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN FLASH_ATTENTION_FORCE_BUILD=TRUE pip install --no-build-isolation flash-attn==2.7.4
";

#[test]
fn a_list_is_suggested_for_each_consumer() {
    let here = folder("suggest", &[("Dockerfile", DOCKERFILE)]);
    let suggest = |args: &[&str]| ran(&here, &[&["suggest"], args].concat(), "");
    let (status, out, err) = suggest(&["--fleet", "A100,L4,H100,RTX5090", "--cuda", "12.8"]);
    assert_eq!((status, &*err), (0, ""));
    insta::assert_snapshot!(out, @r#"
    torch  ENV TORCH_CUDA_ARCH_LIST="8.0;9.0;12.0+PTX"
    cmake  -DCMAKE_CUDA_ARCHITECTURES="80-real;90-real;120"
    nvcc   -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_120,code=sm_120 -gencode=arch=compute_120,code=compute_120
    "#);
    for (args, expected) in [
        (
            &["--for", "torch", "--fleet", "8.6,8.9"][..],
            (0, "ENV TORCH_CUDA_ARCH_LIST=\"8.6+PTX\"\n", ""),
        ),
        (
            &["--for", "cmake", "--fleet", "8.6,12.0", "--cuda", "12.4"],
            (
                1,
                "-DCMAKE_CUDA_ARCHITECTURES=\"86\"\n",
                "kimg-lint: not reached: compute capability 12.0: CUDA 12.4 compiles nothing for this generation, 12.8 is the first that does\n",
            ),
        ),
        (
            &["--fleet", "A100,L4,H100", "Dockerfile"],
            (
                0,
                "Dockerfile:3: ENV TORCH_CUDA_ARCH_LIST=\"8.0;9.0+PTX\"\nDockerfile:4: ENV FLASH_ATTN_CUDA_ARCHS=\"80;90\"\n",
                "",
            ),
        ),
        (
            &[],
            (
                2,
                "",
                "kimg-lint: no fleet is declared: give `--fleet`, or a `fleet` in .kimg-lint.yaml\n",
            ),
        ),
        (
            &["--fleet", "L4", "--for", "cmak"],
            (
                2,
                "",
                "kimg-lint: `cmak` is neither torch, cmake, nvcc nor a builder; did you mean `cmake`?\n",
            ),
        ),
    ] {
        let (status, out, err) = suggest(args);
        assert_eq!((status, &*out, &*err), expected, "{args:?}");
    }
}

#[test]
fn coverage_is_drawn() {
    let config = "fleet: {ours: {gpus: [A100, L4, L40S, H100, T4, B200]}}";
    let here = folder(
        "coverage",
        &[
            ("Dockerfile", DOCKERFILE),
            (".kimg-lint.yaml", config),
            ("empty", "FROM scratch\n"),
        ],
    );
    let (status, out, err) = ran(&here, &["coverage", "Dockerfile", "empty"], "");
    assert_eq!((status, &*err), (0, ""));
    insta::assert_snapshot!(out, @r"
                             8.0      8.9     9.0     7.5      10.0
    ──────────────────────────────────────────────────────────────────
    Dockerfile:3 gsplat      missing  native  native  missing  jit
    Dockerfile:4 flash-attn  native   native  native  missing  missing

    8.0    NVIDIA A100-SXM4-40GB
    8.9    NVIDIA L4, NVIDIA L40S
    9.0    NVIDIA H100 80GB HBM3
    7.5    Tesla T4
    10.0   NVIDIA B200
    ");
    let (_, out, _) = ran(&here, &["coverage", "empty"], "");
    assert_eq!(out, "nothing in these files compiles device code\n");
    let (status, _, err) = ran(&here, &["coverage", "gone"], "");
    assert_eq!((status, &*err), (2, "kimg-lint: gone: no such file\n"));
}

#[test]
fn fleets_are_shown_and_imported() {
    let config =
        "fleet: {training: {gpus: [H100], driver: '550'}, edge: {gpus: [8.7], paths: [edge]}}";
    let here = folder("fleet", &[(".kimg-lint.yaml", config)]);
    let (status, out, err) = ran(&here, &["fleet", "show"], "");
    assert_eq!((status, &*err), (0, ""));
    let titles: Vec<_> = out
        .lines()
        .filter(|line| !line.starts_with(' ') && !line.is_empty())
        .collect();
    let h100 = "NVIDIA H100 80GB HBM3, compute capability 9.0, driver 550";
    assert_eq!(
        titles,
        ["training:", h100, "edge:", "compute capability 8.7"]
    );
    let smi = "name, compute_cap, driver_version\nTesla T4, 7.5, 535.1\nNVIDIA New, 10.3, 580.1\n";
    let (status, block, _) = ran(&here, &["fleet", "import", "--name", "ours"], smi);
    assert_eq!(status, 0);
    insta::assert_snapshot!(block, @r#"
    fleet:
      ours:
        gpus:
          - "Tesla T4"
          - "10.3"  # NVIDIA New
        driver: "535"
    "#);
    fs::write(here.join("imported.yaml"), block).unwrap();
    let (status, out, _) = ran(&here, &["fleet", "show", "--config", "imported.yaml"], "");
    assert_eq!((status, out.matches("driver 535").count()), (0, 2));
    let (status, _, err) = ran(&here, &["fleet", "import"], "L4\nH10O\n");
    assert_eq!(status, 2);
    assert!(
        err.starts_with("kimg-lint: -: line 2: `H10O` is not a known GPU; the nearest names: "),
        "{err}"
    );
}

#[test]
fn what_is_no_gpu_is_refused() {
    let here = folder("refused", &[]);
    for (words, expected) in [
        (
            ["fleet", "show", "--fleet", "RTX 6000"],
            "--fleet: `RTX 6000` fits several GPUs: Quadro RTX 6000, NVIDIA RTX 6000 Ada Generation, NVIDIA RTX PRO 6000 Blackwell Server Edition",
        ),
        (
            ["fleet", "show", "--fleet", "L4,H10O"],
            "--fleet: `H10O` is not a known GPU; the nearest names: NVIDIA H100 80GB HBM3, NVIDIA B100, NVIDIA H200",
        ),
        (
            ["fleet", "show", "--fleet", "aws:g6d.xlarge"],
            "--fleet: `aws:g6d.xlarge` is not a known GPU; the nearest names: aws:g6.*, aws:g6f.*, aws:g6e.*",
        ),
        (
            ["fleet", "show", "--fleet", "aws:g4ad.xlarge"],
            "--fleet: `g4ad.xlarge` has no NVIDIA GPU",
        ),
        (
            ["suggest", "--fleet", "A100,,L4", "--color=never"],
            "--fleet: the name of a GPU is empty",
        ),
        (
            ["explain", "RTX 6000", "--color", "never"],
            "`RTX 6000` fits several GPUs: Quadro RTX 6000, NVIDIA RTX 6000 Ada Generation, NVIDIA RTX PRO 6000 Blackwell Server Edition",
        ),
        (
            ["explain", "H10O", "--color", "never"],
            "no rule, builder or GPU is called `H10O`; the nearest names of GPUs: NVIDIA H100 80GB HBM3, NVIDIA B100, NVIDIA H200",
        ),
        (
            ["explain", "arch-list-mising", "--color", "never"],
            "no rule is called `arch-list-mising`; did you mean `arch-list-missing`?",
        ),
    ] {
        let (status, out, err) = ran(&here, &words, "");
        assert_eq!(
            (status, &*out, err),
            (2, "", format!("kimg-lint: {expected}\n")),
            "{words:?}"
        );
    }
}

#[test]
fn a_list_is_suggested_for_each_build() {
    const BASE: &str = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n";
    const GSPLAT: &str =
        "RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\n";
    let build = format!("{BASE}{GSPLAT}");
    let here = folder(
        "each",
        &[
            ("build", &build),
            ("none", "FROM python:3.12\nRUN pip install requests\n"),
        ],
    );
    let b200 = "kimg-lint: not reached: NVIDIA B200 (10.0): CUDA 12.4 compiles nothing for this generation, 12.8 is the first that does\n";
    let line = "build:2: ENV TORCH_CUDA_ARCH_LIST=\"8.0+PTX\"\n";
    for (file, fleet, expected) in [
        ("build", "A100", (0, line, "")),
        ("build", "A100,B200", (1, line, b200)),
        (
            "build",
            "B200",
            (1, "build:2: nothing to write for gsplat\n", b200),
        ),
        (
            "none",
            "A100",
            (0, "nothing in none compiles device code\n", ""),
        ),
    ] {
        let (status, out, err) = ran(&here, &["suggest", "--fleet", fleet, file], "");
        assert_eq!((status, &*out, &*err), expected, "{file} {fleet}");
    }
}

#[test]
fn a_configuration_is_written_once() {
    let here = folder("init", &[]);
    fs::create_dir(here.join("below")).unwrap();
    let (status, out, err) = ran(&here.join("below"), &["init"], "");
    assert_eq!((status, &*err), (0, ""));
    let path = here.join(".kimg-lint.yaml");
    assert_eq!(out, format!("{}\n", path.display()));
    let (status, _, err) = ran(&here, &["init"], "");
    assert_eq!(
        (status, err),
        (
            2,
            format!("kimg-lint: {}: it is there already\n", path.display())
        )
    );
    assert!(fs::read_to_string(path).unwrap().contains("\nroot: true\n"));
}

#[test]
fn gpus_are_explained() {
    let here = folder("explain", &[]);
    for (word, expected) in [
        (
            "12.1",
            "compute capability 12.1\n  runs      sm_120, sm_120f, sm_121, ",
        ),
        ("sm_90", "compute capability 9.0\n"),
        ("l4", "NVIDIA L4, compute capability 8.9\n"),
        ("101", "KIMG101 "),
        ("flash-attn", "FlashAttention 2 (flash-attn"),
    ] {
        let (status, out, err) = ran(&here, &["explain", word], "");
        assert_eq!((status, &*err), (0, ""), "{word}");
        assert!(
            out.to_lowercase().starts_with(&expected.to_lowercase()),
            "{word}: {out}"
        );
    }
}
