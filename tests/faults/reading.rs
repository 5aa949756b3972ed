//! What is read: errors, permissions, files that go or change.
use crate::{BUILD, folder, kimg_lint, library, listed, mode, nobody, text};
use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::Stdio;

#[test]
fn without_permission_nothing_passes_and_nothing_is_left() {
    let folder = folder("permission");
    fs::write(folder.join("Dockerfile"), BUILD).unwrap();
    fs::write(folder.join("secret"), BUILD).unwrap();
    fs::copy(library(), folder.join("lib.so")).unwrap();
    fs::create_dir(folder.join("closed")).unwrap();
    fs::write(folder.join("closed/Dockerfile"), BUILD).unwrap();
    let closed = ["secret", "lib.so", "closed"].map(|name| folder.join(name));
    closed.iter().for_each(|path| mode(path, 0));
    mode(&folder, 0o555);
    let run = |arguments: &[&str]| {
        let mut command = kimg_lint(&folder);
        nobody(command.args(arguments)).output()
    };
    // where others may not reach the program at all, there is nothing to see
    if run(&["--version"]).is_ok_and(|output| output.status.success()) {
        for (arguments, said) in [
            (
                &["--format", "concise", "secret"][..],
                "secret:1:1: KIMG001 cannot be read: Permission denied (os error 13)",
            ),
            (
                &["--format", "concise", "closed/Dockerfile"],
                "kimg-lint: closed/.kimg-lint.yaml: Permission denied (os error 13)",
            ),
            (&["archs", "lib.so"], "Permission denied (os error 13)"),
            (&["archs", "closed"], "Permission denied (os error 13)"),
            (
                &["--output", "json=new", "Dockerfile"],
                "kimg-lint: new: Permission denied (os error 13)",
            ),
            (
                &["--fix", "--unsafe-fixes", "Dockerfile"],
                "kimg-lint: Dockerfile: Permission denied (os error 13)",
            ),
            (&["init"], "Permission denied (os error 13)"),
        ] {
            let output = run(arguments).unwrap();
            let printed = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {printed}");
            assert!(printed.contains(said), "{arguments:?}: {printed}");
        }
    }
    mode(&folder, 0o755);
    closed.iter().for_each(|path| mode(path, 0o755));
    assert_eq!(
        listed(&folder),
        ["Dockerfile", "closed", "lib.so", "secret"]
    );
}

/// A connection that gives some bytes and then breaks.
fn broken(bytes: &[u8]) -> Stdio {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut reader = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut writer, _) = listener.accept().unwrap();
    // what is closed with something unread in it is not closed but broken
    reader.write_all(b"unread").unwrap();
    writer.peek(&mut [0]).unwrap();
    writer.write_all(bytes).unwrap();
    drop(writer);
    Stdio::from(OwnedFd::from(reader))
}

#[test]
fn an_error_in_the_middle_of_reading_is_told() {
    let folder = folder("middle");
    let code = fs::read(library()).unwrap();
    for (arguments, bytes) in [
        (
            &["--stdin-filename", "Dockerfile", "-"][..],
            BUILD.as_bytes(),
        ),
        (&["archs", "-"], &code),
        (&["verify", "--fleet", "H100", "-"], &code),
        (&["fleet", "import"], b"name\n"),
    ] {
        let output = kimg_lint(&folder)
            .args(arguments)
            .stdin(broken(bytes))
            .output()
            .unwrap();
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {printed}");
        assert!(
            printed.contains("Connection reset by peer"),
            "{arguments:?}: {printed}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_regular_file_that_fails_to_read_is_told() {
    // it can be opened, and has nothing at its beginning
    let output = kimg_lint(&folder("mem"))
        .args(["--format", "concise", "/proc/self/mem"])
        .output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = "/proc/self/mem:1:1: KIMG001 cannot be read: Input/output error (os error 5)";
    assert!(
        text(&output.stdout).contains(said),
        "{}",
        text(&output.stdout)
    );
}

/// What is there when the folder is listed, and not when it is read.
#[test]
fn a_file_that_is_gone_is_told() {
    let folder = folder("gone");
    std::os::unix::fs::symlink("nowhere", folder.join("link")).unwrap();
    for (arguments, said) in [
        (
            &["archs", "link"][..],
            "No such file or directory (os error 2)",
        ),
        (
            &["--format", "concise", "link"],
            "link:1:1: KIMG001 cannot be read: no such file",
        ),
    ] {
        let output = kimg_lint(&folder).args(arguments).output().unwrap();
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {printed}");
        assert!(printed.contains(said), "{arguments:?}: {printed}");
    }
}

/// Whenever it happens: the file is read whole before, or the change is told; the program is never ended.
#[test]
fn a_file_that_becomes_shorter_while_it_is_mapped_ends_nothing() {
    let folder = folder("shorter");
    let code = fs::read(library()).unwrap();
    let path = folder.join("large.so");
    for round in 0..8 {
        fs::write(&path, &code[..64]).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_len(256 << 20).unwrap();
        let child = kimg_lint(&folder)
            .args(["archs", "large.so"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(5 * round));
        file.set_len(100).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.code().is_some(), "{:?}", output.status);
    }
}
