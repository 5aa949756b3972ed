//! The command as a user meets it: what it prints where, and its exit status.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use assert_cmd::Command;
use std::fs;
use std::path::PathBuf;

/// An empty folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn kimg_lint() -> Command {
    let mut command = Command::cargo_bin("kimg-lint").unwrap();
    command.env_clear().env("LC_ALL", "C.UTF-8");
    command
}

/// Exit status, standard output, standard error.
fn ran(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn a_file_with_nothing_wrong_passes() {
    let folder = folder("passes");
    fs::write(folder.join("Dockerfile"), "FROM scratch\n").unwrap();
    let (status, out, err) = ran(kimg_lint().current_dir(&folder).arg("Dockerfile"));
    assert_eq!(
        (status, &*out, &*err),
        (0, "nothing found in 1 file (0 builds)\n", "")
    );
    let (status, out, _) = ran(kimg_lint().current_dir(&folder).args(["-q", "Dockerfile"]));
    assert_eq!((status, &*out), (0, ""));
}

#[test]
fn what_cannot_be_read_is_said_and_never_passes() {
    let folder = folder("unreadable");
    fs::write(folder.join("binary"), b"FROM\0").unwrap();
    fs::write(folder.join("latin1"), b"FROM caf\xe9\n").unwrap();
    fs::write(folder.join("good"), "FROM scratch\n").unwrap();
    fs::write(folder.join("large"), "a".repeat(4096)).unwrap();
    let large = fs::File::options().write(true).open(folder.join("large"));
    large.unwrap().set_len((16 << 20) + 1).unwrap();
    let names = ["good", "gone", "binary", "latin1", "large"];
    for format in ["human", "concise", "json"] {
        let (status, _, err) = ran(kimg_lint()
            .current_dir(&folder)
            .args(["--format", format, "--fail-on", "never"])
            .args(names));
        assert_eq!((status, &*err), (2, ""), "{format}");
    }
    let (_, out, _) = ran(kimg_lint()
        .current_dir(&folder)
        .args(["--format", "concise"])
        .args(names));
    insta::assert_snapshot!(out, @r#"
    binary:1:1: KIMG001 cannot be read: it is no text: byte 4 is zero
    gone:1:1: KIMG001 cannot be read: no such file
    large:1:1: KIMG001 cannot be read: it is larger than 16 MiB
    latin1:1:1: KIMG001 cannot be read: it is no UTF-8: byte 8 is wrong
    "#);
    let (_, out, _) = ran(kimg_lint().current_dir(&folder).args(names));
    assert!(
        out.ends_with("4 errors in 5 files (0 builds); 4 files could not be read\n"),
        "{out}"
    );
}

#[test]
fn a_folder_is_walked() {
    let folder = folder("walked");
    let workflow = "jobs:\n  x:\n    runs-on: ubuntu-latest\n    steps:\n    - run: nvcc a.cu\n";
    let build = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nRUN nvcc a.cu\n";
    for (path, text) in [
        ("a/Dockerfile", build),
        ("ignored/Dockerfile", build),
        (".gitignore", "ignored/\n/.github/\n"),
        ("excluded/Dockerfile", build),
        (
            ".kimg-lint.yaml",
            "root: true\nexclude: [\"excluded/**\"]\n",
        ),
        (".github/workflows/a.yml", workflow),
        // what came with another project is run by nobody
        (".git/config", ""),
        ("vendored/.github/workflows/a.yml", workflow),
        ("other/action.yml", "name: not one of GitHub's\n"),
        ("notes.md", build),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let concise = |args: &[&str]| {
        let (status, out, err) = ran(kimg_lint()
            .current_dir(&folder)
            .args(["--format", "concise", "--select", "KIMG101"])
            .args(args));
        assert_eq!((status, &*err), (1, ""), "{args:?}");
        let places = out
            .lines()
            .map(|line| line.split(": ").next().unwrap_or_default());
        places.collect::<Vec<_>>().join(" ")
    };
    let all = concise(&[]);
    assert!(
        all.contains("a/Dockerfile:2:5") && !all.contains("ignored") && !all.contains("excluded"),
        "{all}"
    );
    assert!(all.contains(".github/workflows/a.yml:5:12"), "{all}");
    assert!(!all.contains("vendored"), "{all}");
    assert_eq!(concise(&["."]), all);
    assert_eq!(concise(&["a", "excluded/Dockerfile"]), "a/Dockerfile:2:5");
}

#[cfg(unix)]
#[test]
fn a_fifo_is_not_waited_for() {
    let folder = folder("fifo");
    let made = std::process::Command::new("mkfifo")
        .arg(folder.join("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    let (status, out, _) =
        ran(kimg_lint()
            .current_dir(&folder)
            .args(["--format", "concise", "pipe", "/dev/null"]));
    assert_eq!(status, 2);
    insta::assert_snapshot!(out, @r#"
    /dev/null:1:1: KIMG001 cannot be read: it is no regular file; `-` reads standard input
    pipe:1:1: KIMG001 cannot be read: it is no regular file; `-` reads standard input
    "#);
}

#[test]
fn hiding_a_finding_does_not_hide_that_nothing_was_read() {
    let (status, out, _) =
        ran(kimg_lint().args(["--ignore", "KIMG001", "--format", "concise", "no/such/file"]));
    assert_eq!((status, &*out), (2, ""));
}

#[test]
fn standard_input_has_a_name() {
    let json = |args: &[&str]| {
        let (status, out, _) = ran(kimg_lint()
            .args(["--format", "json"])
            .args(args)
            .write_stdin("FROM scratch\n"));
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        (status, report["summary"]["files"].as_u64().unwrap())
    };
    assert_eq!(json(&["-"]), (0, 1));
    assert_eq!(
        json(&["--stdin-filename", "docker/Dockerfile", "-"]),
        (0, 1)
    );
    let (status, out, _) = ran(kimg_lint()
        .args([
            "--format",
            "concise",
            "--stdin-filename",
            "docker/Dockerfile",
            "-",
        ])
        .write_stdin(&b"\xff"[..]));
    assert_eq!(status, 2);
    assert_eq!(
        out,
        "docker/Dockerfile:1:1: KIMG001 cannot be read: it is no UTF-8: byte 0 is wrong\n"
    );
}

#[test]
fn a_path_may_be_called_like_a_command() {
    let folder = folder("called-like-a-command");
    fs::write(folder.join("rules"), "FROM scratch\n").unwrap();
    //  arguments, whether `rules` is a file there
    for (args, file) in [
        (&["rules"][..], false),
        (&["./rules"], true),
        (&["--", "rules"], true),
        (&["-q", "rules"], true),
        (&["--color", "never", "rules"], true),
        (&["rules", "--color", "never"], false),
    ] {
        let (status, out, err) = ran(kimg_lint().current_dir(&folder).args(args));
        assert_eq!(status, 0, "{args:?} {err}");
        assert_eq!(!out.contains("KIMG101"), file, "{args:?} {out}");
    }
}

#[test]
fn wrong_usage_is_status_2() {
    for (args, expected) in [
        (
            &["--select", "arch-list-mising", "x"][..],
            "did you mean `arch-list-missing`?",
        ),
        (&["--ignore", "KIMG999", "x"], "no rule is called `KIMG999`"),
        (&["--build-arg", "A", "x"], "NAME=VALUE"),
        (&["--cuda", "12", "x"], "as in 12.4"),
        (&["--format", "xml", "x"], "human, concise, json"),
        (&["--no-such-option", "x"], "unexpected argument"),
        (&["explain"], "<WORD>"),
        (
            &["explain", "some", "other", "words"],
            "nothing is known of this message",
        ),
        (&["explain", "KIMG999"], "no rule is called `KIMG999`"),
    ] {
        let (status, out, err) = ran(kimg_lint().args(args));
        assert_eq!((status, &*out), (2, ""), "{args:?}");
        assert!(err.contains(expected), "{args:?}: {err}");
    }
}

#[test]
fn rules_are_listed_and_explained() {
    let (status, out, _) = ran(kimg_lint().arg("rules"));
    assert_eq!(status, 0);
    assert!(
        out.contains("KIMG101  arch-list-missing         error    Device code is compiled"),
        "{out}"
    );
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    let (status, by_code, _) = ran(kimg_lint().args(["explain", "kimg001"]));
    let (_, by_name, _) = ran(kimg_lint().args(["explain", "unreadable-input"]));
    assert_eq!((status, &by_code), (0, &by_name));
    insta::assert_snapshot!(by_code, @r#"
    KIMG001 unreadable-input (error)

    The file could not be read or decoded.

    What it says
    A file that was named, or that a linted file leads to, is missing, is no regular
    file, is larger than 16 MiB, or is not UTF-8 text. Nothing in it was checked.
    The other files were.

    Why it matters
    A check that skips what it cannot read looks like a check that passed. The exit
    status is 2, whatever `--fail-on` says.

    Example
        $ kimg-lint --format concise docker/Dockerfile.gone
        docker/Dockerfile.gone:1:1: KIMG001 cannot be read: no such file

    Instead
    Name an existing text file, or `-` for standard input.

    When not to listen
    Never: a file that is not meant for kimg-lint should not be passed to it.
    "#);
    let (_, painted, _) = ran(kimg_lint().args(["explain", "--color", "always", "KIMG001"]));
    assert!(painted.starts_with("\u{1b}[1mKIMG001"), "{painted}");
    let (_, family, _) = ran(kimg_lint().args(["explain", "10x"]));
    assert_eq!(family.matches("Why it matters").count(), 9);
}

#[test]
fn help_reads_like_a_manual() {
    let (status, out, _) = ran(kimg_lint().arg("--help"));
    assert_eq!(status, 0);
    for part in [
        "error 209",
        "Usage:",
        "Examples:",
        "Exit status:",
        "Environment:",
        "unknown is never a\npass",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("kimg-lint"))
        .args(["explain", "KIMG"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn errors_are_explained() {
    for args in [
        &["explain", "209"][..],
        &["explain", "cudaErrorNoKernelImageForDevice"],
        &[
            "explain",
            "CUDA error: no kernel image is available for execution on the device",
        ],
        &[
            "explain",
            "CUDA",
            "error:",
            "no",
            "kernel",
            "image",
            "is",
            "available",
            "for",
            "execution",
            "on",
            "the",
            "device",
        ],
    ] {
        let (status, out, err) = ran(kimg_lint().args(args));
        assert_eq!(status, 0, "{err}");
        assert!(out.starts_with("209: no kernel image"), "{out}");
        assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
        for piece in [
            "What else it can be",
            "NVIDIA_DRIVER_CAPABILITIES",
            "What to run next",
            "kimg-lint probe",
        ] {
            assert!(out.contains(piece), "{out}");
        }
    }
    // A number may be a rule's, too.
    let (_, out, _) = ran(kimg_lint().args(["explain", "301"]));
    assert!(
        out.starts_with("301: file not found") && out.contains("KIMG301 toolkit-too-old"),
        "{out}"
    );
    let mut pasted = kimg_lint();
    pasted
        .args(["explain", "-"])
        .write_stdin("    arch_list[-1] += '+PTX'\nIndexError: list index out of range\n");
    let (_, out, _) = ran(&mut pasted);
    assert!(out.starts_with("torch: arch_list[-1]"), "{out}");
}
