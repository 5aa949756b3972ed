//! What the program never does, seen from outside by strace: run what it reads, follow a link out of the tree, open a connection.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may fail loudly, and says what it skips"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a Dockerfile, a workflow and a setup.py would do if something ran them, and links that lead out.
fn tree() -> PathBuf {
    let outside = Path::new(env!("CARGO_TARGET_TMPDIR")).join("system-calls");
    let _ = fs::remove_dir_all(&outside);
    let here = outside.join("repository");
    fs::create_dir_all(here.join(".github/workflows")).unwrap();
    fs::create_dir_all(here.join(".git")).unwrap();
    fs::write(outside.join("secret.sh"), "pip install flash-attn\n").unwrap();
    fs::write(outside.join("Dockerfile"), "FROM a\n").unwrap();
    symlink("../secret.sh", here.join("link.sh")).unwrap();
    symlink("..", here.join("leads-up")).unwrap();
    symlink("../Dockerfile", here.join("Dockerfile.linked")).unwrap();
    for (name, text) in [
        (
            "Dockerfile",
            "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nCOPY . /src\nWORKDIR /src\nADD https://example.com/a.tar.gz /a\n\
             RUN bash build.sh && bash link.sh && bash leads-up/secret.sh && make && pip install -r https://example.com/r.txt .\n",
        ),
        ("build.sh", "touch ran; curl https://example.com\n"),
        ("Makefile", "X := $(shell touch ran)\nall:\n\ttouch ran\n"),
        ("setup.py", "import os\nos.system('touch ran')\n"),
        (
            ".github/workflows/ci.yml",
            "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n    - uses: other/repo/.github/workflows/b.yml@v1\n    - run: ./build.sh\n",
        ),
        (
            ".gitlab-ci.yml",
            "include:\n- remote: https://example.com/a.yml\na:\n  script: [./build.sh]\n",
        ),
    ] {
        fs::write(here.join(name), text).unwrap();
    }
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/artifacts/out/exe");
    fs::copy(library, here.join("exe")).unwrap();
    here
}

/// The calls of one run, or `None` where strace cannot work.
fn traced(here: &Path, args: &[&str]) -> Option<String> {
    let log = here.with_file_name("calls");
    let strace = Command::new("strace")
        .args([
            "-f",
            "-qq",
            "-e",
            "trace=%process,%network,open,openat",
            "-o",
        ])
        .arg(&log)
        .arg(env!("CARGO_BIN_EXE_kimg-lint"))
        .args(args)
        .current_dir(here)
        .output();
    match strace {
        Ok(run) if log.exists() => {
            assert!(run.status.success(), "{args:?}: {run:?}");
            Some(fs::read_to_string(log).unwrap())
        }
        other => {
            eprintln!("skipped: strace does not run here ({other:?})");
            None
        }
    }
}

#[test]
fn nothing_is_run_nothing_is_fetched_and_no_link_leads_out() {
    let here = tree();
    for args in [
        &["."][..],
        &["Dockerfile", "--output", "json=-"],
        &["coverage", "--fleet", "A100", "Dockerfile"],
        &["why", "Dockerfile:5"],
        &["archs", "."],
        &["verify", "--fleet", "A100", "."],
    ] {
        let Some(calls) = traced(&here, args) else {
            return;
        };
        let of = |name: &str| calls.lines().filter(|line| line.contains(name)).count();
        assert_eq!(of("execve("), 1, "{args:?}: {calls}");
        assert_eq!(of("socket(") + of("connect("), 0, "{args:?}: {calls}");
        let opened = |line: &&str| line.contains("open") && !line.contains("ENOENT");
        for line in calls.lines().filter(opened) {
            let led_out = ["secret.sh", "link.sh", "Dockerfile.linked", "leads-up/"];
            let led_out = led_out.iter().any(|name| line.contains(name));
            assert!(!led_out, "{args:?}: {line}");
        }
        assert!(!here.join("ran").exists(), "{args:?}");
    }
}
