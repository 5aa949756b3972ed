//! Configuration as a user meets it: which files apply, what they change, and what is said of one that is wrong.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use assert_cmd::Command;
use kimg_lint::config::{Config, Layer};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of its own for a test, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("config")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    // a repository's root: what lies above is not looked at
    fs::create_dir_all(folder.join(".git")).unwrap();
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Exit status, standard output, standard error.
fn ran(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("kimg-lint").unwrap();
    command.env_clear().env("LC_ALL", "C.UTF-8");
    let output = command.current_dir(folder).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let status = output.status.code().unwrap();
    (status, text(output.stdout), text(output.stderr))
}

/// What `--format concise` says, without the words: `path:line CODE`.
fn said(folder: &Path, args: &[&str]) -> Vec<String> {
    let (_, out, err) = ran(folder, &[&["--format", "concise"], args].concat());
    assert_eq!(err, "");
    let lines = out.lines().map(|line| {
        let (place, rest) = line.split_once(": ").unwrap();
        let (place, _) = place.rsplit_once(':').unwrap();
        format!("{place} {}", rest.split(' ').next().unwrap())
    });
    lines.collect()
}

const MISSING: &str = "\
FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
";

#[test]
fn the_files_of_a_folder_and_above_apply_up_to_the_root() {
    let here = folder(
        "above",
        &[
            (".kimg-lint.yaml", "rules: {KIMG101: off}"),
            ("Dockerfile", MISSING),
            ("a/b/Dockerfile", MISSING),
            (
                "loud/.kimg-lint.yaml",
                "rules: {arch-list-missing: warning}",
            ),
            ("loud/c/Dockerfile", MISSING),
            ("root/.kimg-lint.yaml", "root: true"),
            ("root/Dockerfile", MISSING),
            ("repository/.git", "gitdir: elsewhere"),
            ("repository/Dockerfile", MISSING),
        ],
    );
    let paths = [
        "Dockerfile",
        "a/b/Dockerfile",
        "loud/c/Dockerfile",
        "root/Dockerfile",
        "repository/Dockerfile",
        "a/../root/./Dockerfile",
    ];
    assert_eq!(
        said(&here, &paths),
        [
            "a/../root/./Dockerfile:2 KIMG101",
            "loud/c/Dockerfile:2 KIMG101",
            "repository/Dockerfile:2 KIMG101",
            "root/Dockerfile:2 KIMG101",
        ]
    );
    assert_eq!(
        said(&here.join("a"), &["b/Dockerfile", "../root/Dockerfile"]).len(),
        1
    );
    let named = [
        "--config",
        "root/.kimg-lint.yaml",
        "Dockerfile",
        "a/b/Dockerfile",
    ];
    assert_eq!(said(&here, &named).len(), 2);
    let (status, _, _) = ran(&here, &["Dockerfile"]);
    assert_eq!(status, 0);
}

#[test]
fn each_file_has_its_own_fleet_threshold_and_exclusions() {
    let text = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n\
                ENV TORCH_CUDA_ARCH_LIST=\"8.0+PTX\"\n\
                RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\n";
    let here = folder(
        "fleets",
        &[
            (
                ".kimg-lint.yaml",
                "fleet: {all: {gpus: [A100]}, edge: {gpus: [Jetson AGX Orin], paths: ['edge/**']}}\n\
                 exclude: ['third_party/**']\nfail-on: error",
            ),
            ("Dockerfile", text),
            ("edge/Dockerfile", text),
            ("third_party/Dockerfile", MISSING),
        ],
    );
    let gpus = |args: &[&str]| {
        let (_, out, _) = ran(&here, &[&["--format", "json"], args].concat());
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        let builds = report["builds"].as_array().unwrap().clone();
        let gpus = |build: &serde_json::Value| {
            let covered = build["coverage"].as_array().unwrap().clone();
            covered
                .iter()
                .map(|c| c["gpu"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        builds.iter().map(gpus).collect::<Vec<_>>()
    };
    let a100 = "NVIDIA A100-SXM4-40GB";
    assert_eq!(gpus(&["Dockerfile"]), [[a100]]);
    assert_eq!(gpus(&["edge/Dockerfile"]), [[a100, "Orin"]]);
    assert_eq!(
        gpus(&["--fleet", "L4,L4", "edge/Dockerfile"]),
        [["NVIDIA L4"]]
    );
    assert!(gpus(&["third_party/Dockerfile"]).is_empty());
    assert_eq!(ran(&here, &["third_party/Dockerfile"]).0, 0);
}

#[test]
fn a_configuration_at_fault_is_status_2() {
    let here = folder(
        "faults",
        &[
            ("a/.kimg-lint.yaml", "fleet: {ours: {gpus: [H10O]}}"),
            ("a/Dockerfile", MISSING),
            ("b/.kimg-lint.yaml", "flet: {}"),
            ("b/Dockerfile", MISSING),
            ("c/.kimg-lint.yaml", "builders: ['k/*.yaml']"),
            (
                "c/k/one.yaml",
                "id: one\ntitle: One\nmatch: [{dir: one}]\nconfidnce: high",
            ),
            ("c/Dockerfile", MISSING),
            ("d/.kimg-lint.yaml", "rule-files: ['r.yaml']"),
            ("d/r.yaml", "code: TEST001"),
            ("d/Dockerfile", MISSING),
        ],
    );
    for (args, expected) in [
        (
            &["a/Dockerfile"][..],
            "kimg-lint: a/.kimg-lint.yaml:1:23: `H10O` is not a known GPU; the nearest names: ",
        ),
        (
            &["b/Dockerfile"],
            "kimg-lint: b/.kimg-lint.yaml:1:1: unknown key `flet`; did you mean `fleet`?",
        ),
        (
            &["c/Dockerfile"],
            "kimg-lint: c/k/one.yaml:4:1: unknown key `confidnce`",
        ),
        (&["d/Dockerfile"], "kimg-lint: d/r.yaml:1:1: the key "),
        (&["--config", "none.yaml", "a/Dockerfile"], "kimg-lint: "),
        (
            &["--fleet", "H10O", "none"],
            "kimg-lint: --fleet: `H10O` is not a known GPU; the nearest names: ",
        ),
        (
            &["--show-config", "b/Dockerfile"],
            "kimg-lint: b/.kimg-lint.yaml:1:1: ",
        ),
    ] {
        let (status, out, err) = ran(&here, args);
        assert_eq!((status, &*out), (2, ""), "{args:?}");
        assert!(err.contains(expected), "{args:?}: {err}");
    }
}

#[test]
fn the_users_builders_rules_and_images_count() {
    let here = folder(
        "own",
        &[
            (
                ".kimg-lint.yaml",
                "builders: ['ci/kimg/*.yaml']\nrule-files: ['ci/rules/*.yaml']\n\
                 images: {'registry.example/base:*': {like: 'nvidia/cuda:12.4.1-devel-ubuntu22.04', env: {TORCH_CUDA_ARCH_LIST: '8.0,9.0'}}}",
            ),
            (
                "ci/kimg/ours.yaml",
                "id: our-kernels\ntitle: our kernels\nmatch: [{repo: ours/kernels}]\nextends: torch-ext\nconfidence: high",
            ),
            (
                "ci/rules/TEST001-ours.yaml",
                "code: TEST001\nname: ours\non: build\nwhen: build.builder == \"our-kernels\"\n\
                 severity: [{error: \"true\"}]\nmessage: \"{{ build.title }}\"\ndocs: Ours.",
            ),
            (
                "Dockerfile",
                "FROM registry.example/base:1\nRUN pip install git+https://github.com/ours/kernels\n",
            ),
        ],
    );
    let (status, out, err) = ran(
        &here,
        &["--format", "concise", "--ignore", "TEST001", "Dockerfile"],
    );
    assert_eq!((status, &*err), (1, ""));
    assert!(
        out.starts_with("Dockerfile:2:5: KIMG105 our kernels (pip install "),
        "{out}"
    );
    assert_eq!(
        said(&here, &["--select", "ours", "Dockerfile"]),
        ["Dockerfile:2 TEST001"]
    );
}

#[test]
fn the_configuration_suppresses_too() {
    let ignore = |entry: &str| format!("ignore: [{entry}]");
    let here = folder(
        "ignore",
        &[("old/Dockerfile", MISSING), ("Dockerfile", MISSING)],
    );
    for (entry, expected) in [
        (
            "{rule: KIMG101, path: 'old/**', reason: legacy}",
            vec!["Dockerfile:2 KIMG101"],
        ),
        ("{rule: KIMG101}", vec![]),
        (
            "{rule: KIMG301, path: 'old/**'}",
            vec!["Dockerfile:2 KIMG101", "old/Dockerfile:2 KIMG101"],
        ),
        (
            "{rule: KIMG301, path: Dockerfile}",
            vec![
                ".kimg-lint.yaml:1 KIMG003",
                "Dockerfile:2 KIMG101",
                "old/Dockerfile:2 KIMG101",
            ],
        ),
        (
            "{rule: KIMG101, until: 2020-01-01}",
            vec![
                ".kimg-lint.yaml:1 KIMG003",
                "Dockerfile:2 KIMG101",
                "old/Dockerfile:2 KIMG101",
            ],
        ),
    ] {
        fs::write(here.join(".kimg-lint.yaml"), ignore(entry)).unwrap();
        assert_eq!(
            said(&here, &["Dockerfile", "old/Dockerfile"]),
            expected,
            "{entry}"
        );
    }
    // the file that an entry names is not linted: nobody knows whether it is needed
    let elsewhere = ignore("{rule: KIMG301, path: Dockerfile}");
    fs::write(here.join(".kimg-lint.yaml"), elsewhere).unwrap();
    assert_eq!(
        said(&here, &["old/Dockerfile"]),
        ["old/Dockerfile:2 KIMG101"]
    );
    fs::write(
        here.join(".kimg-lint.yaml"),
        ignore("{rule: KIMG101, reason: legacy}"),
    )
    .unwrap();
    let (status, out, _) = ran(&here, &["--format", "json", "Dockerfile"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(status, 0);
    assert_eq!(report["summary"]["suppressed"], 1);
    let suppressed = &report["findings"][0]["suppressed"];
    assert_eq!(
        *suppressed,
        serde_json::json!({"by": "config", "reason": "legacy"})
    );
}

#[test]
fn the_merged_configuration_is_shown() {
    let here = folder(
        "show",
        &[
            (
                ".kimg-lint.yaml",
                "fleet: {all: {gpus: [A100]}, edge: {gpus: [L4], paths: ['edge/**']}}",
            ),
            ("edge/.kimg-lint.yaml", "policy: {ptx: deny}"),
        ],
    );
    let (status, out, err) = ran(&here, &["--show-config", "edge/Dockerfile"]);
    assert_eq!((status, &*err), (0, ""));
    for line in [
        "# edge/Dockerfile",
        "  all: {gpus: [A100]}  # .kimg-lint.yaml",
        "  ptx: deny  # edge/.kimg-lint.yaml",
        "fail-on: warning  # default",
        "# GPU: NVIDIA L4 (8.9)",
    ] {
        assert!(out.lines().any(|shown| shown == line), "{line}\n{out}");
    }
}

#[test]
fn a_record_of_low_confidence_makes_a_warning_at_most() {
    let record = |confidence: &str| {
        format!(
            "id: fake-ext\ntitle: Fake extension\nmatch: [{{pypi: fake-ext}}]\n\
             knobs: [{{name: TORCH_CUDA_ARCH_LIST, in: env, syntax: torch, take: list}}]\n\
             outcome: [{{then: error, say: it stops}}]\nsources: [{{repo: nobody, file: nothing}}]\n\
             confidence: {confidence}\n"
        )
    };
    for (confidence, severity) in [("high", "error"), ("low", "warning")] {
        let here = folder(
            &format!("confidence-{confidence}"),
            &[
                (".kimg-lint.yaml", "builders: [fake.yaml]"),
                ("fake.yaml", &record(confidence)),
                (
                    "Dockerfile",
                    "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nRUN pip install fake-ext\n",
                ),
            ],
        );
        let (_, out, _) = ran(&here, &["--format", "json", "Dockerfile"]);
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        let finding = &report["findings"][0];
        let likely = if confidence == "low" {
            "likely"
        } else {
            "certain"
        };
        assert_eq!(finding["code"], "KIMG101");
        assert_eq!(finding["severity"], severity);
        assert_eq!(finding["confidence"], likely);
    }
}

/// The page shows a configuration that is one, with every key; what names files of the reader's is left out.
#[test]
fn the_page_shows_a_configuration() {
    let page = include_str!("../docs/configuration.md");
    let block = page.split("```yaml\n").nth(1).unwrap();
    let block = block.split("```").next().unwrap();
    let files = ["baseline:", "builders:", "rule-files:"];
    let own = |line: &&str| !files.iter().any(|key| line.starts_with(key));
    let text: String = block
        .lines()
        .filter(own)
        .map(|l| format!("{l}\n"))
        .collect();
    let layer = Layer::parse("page", Path::new("/repository"), &text).unwrap();
    Config::new(&[layer]).unwrap_or_else(|error| panic!("{error}"));
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../schema/config-v1.json")).unwrap();
    for key in schema["properties"].as_object().unwrap().keys() {
        assert!(
            block.contains(&format!("\n{key}:")) || block.starts_with(key),
            "{key}"
        );
        assert!(page.contains(&format!("`{key}")), "{key}");
    }
}
