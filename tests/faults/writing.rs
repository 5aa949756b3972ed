//! Where results go: full disks, signals, very many of them.
use crate::{BUILD, FORMATS, failure, folder, kimg_lint, library, limited, listed, text};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_a_failure() {
    let folder = folder("full");
    fs::write(folder.join("Dockerfile"), BUILD).unwrap();
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    let library = library();
    let table: [&[&OsStr]; 5] = [
        &["Dockerfile".as_ref()],
        &[
            "--diff".as_ref(),
            "--unsafe-fixes".as_ref(),
            "Dockerfile".as_ref(),
        ],
        &["archs".as_ref(), library.as_ref()],
        &[
            "verify".as_ref(),
            "--fleet".as_ref(),
            "H100".as_ref(),
            library.as_ref(),
        ],
        &["rules".as_ref()],
    ];
    for arguments in table {
        let output = kimg_lint(&folder)
            .args(arguments)
            .stdout(full())
            .output()
            .unwrap();
        let expected =
            "kimg-lint: the output cannot be written: No space left on device (os error 28)";
        assert_eq!(
            failure(&output),
            (Some(2), expected.to_owned()),
            "{arguments:?}"
        );
    }
    for format in FORMATS.iter() {
        let arguments = ["--format", format, "Dockerfile"];
        let output = kimg_lint(&folder)
            .args(arguments)
            .stdout(full())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{format}");
    }
}

#[test]
fn where_a_file_cannot_be_written_whole_the_old_one_stays() {
    let folder = folder("whole");
    fs::write(folder.join("Dockerfile"), BUILD).unwrap();
    fs::write(folder.join("out"), "old").unwrap();
    // a file may have no byte
    let full = "trap '' XFSZ; ulimit -f 0";
    for format in FORMATS.iter() {
        for name in ["out", "new"] {
            let to = format!("{format}={name}");
            let output = limited(&folder, full, &["--output", &to, "Dockerfile"]);
            let (status, said) = failure(&output);
            assert_eq!(status, Some(2), "{to}");
            assert!(said.starts_with(&format!("kimg-lint: {name}: ")), "{said}");
        }
    }
    let output = limited(&folder, full, &["--write-baseline", "out", "Dockerfile"]);
    assert_eq!(output.status.code(), Some(2));
    let output = limited(&folder, full, &["--fix", "--unsafe-fixes", "Dockerfile"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(
        fs::read_to_string(folder.join("Dockerfile")).unwrap(),
        BUILD
    );
    assert_eq!(fs::read_to_string(folder.join("out")).unwrap(), "old");
    assert_eq!(listed(&folder), ["Dockerfile", "out"]);
}

/// What starts the tests may have it ignore signals, which is handed down.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_run_and_leaves_nothing() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let folder = folder(&format!("signal-{signal}"));
        let mut child = Command::new("env")
            .arg(format!("--default-signal={signal}"))
            .arg(env!("CARGO_BIN_EXE_kimg-lint"))
            .current_dir(&folder)
            .args(["verify", "--fleet", "H100", "--output", "json=out", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // more than a pipe holds: the program is in the middle of its work when this returns
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"\x7fELF").unwrap();
        input.write_all(&[0; 1 << 20]).unwrap();
        let id = child.id().to_string();
        let kill = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(kill.unwrap().success());
        drop(input);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(number));
        assert_eq!(text(&output.stdout), "");
        assert!(listed(&folder).is_empty());
    }
}

/// As many as nobody reads are written all the same; with `KIMG_ALL_INPUTS` a million, which takes minutes and 4 GiB.
#[test]
fn very_many_findings_are_written() {
    const LINES: usize = 1000;
    let folder = folder("many");
    let all = std::env::var_os("KIMG_ALL_INPUTS").is_some();
    let files = if all { 1000 } else { 2 };
    let content = format!(
        "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n{}",
        "RUN nvcc a.cu\n".repeat(LINES)
    );
    for file in 0..files {
        fs::write(folder.join(format!("{file}.Dockerfile")), &content).unwrap();
    }
    // looking for edits, which the other formats show, is another matter
    let formats = FORMATS
        .iter()
        .filter(|format| !all || !["json", "sarif", "html"].contains(&format.as_str()));
    let outputs = formats.flat_map(|format| ["--output".to_owned(), format!("{format}={format}")]);
    let mut command = kimg_lint(&folder);
    let output = command
        .args(["--format", "concise"])
        .args(outputs)
        .output()
        .unwrap();
    assert_eq!(failure(&output), (Some(1), String::new()));
    assert_eq!(text(&output.stdout).lines().count(), files * LINES);
    let gitlab = fs::read(folder.join("gitlab")).unwrap();
    let gitlab: serde_json::Value = serde_json::from_slice(&gitlab).unwrap();
    assert_eq!(gitlab.as_array().unwrap().len(), files * LINES);
}
