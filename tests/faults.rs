//! What the world does to a run: disks that are full, files that go, readers that leave, signals, odd places. Each has an
//! outcome that somebody can count on: an exit status, a line that says why, and output files that are whole or absent.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A build without a list: one finding.
const BUILD: &str = "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n\
    RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\n";
const FORMATS: [&str; 9] = [
    "human", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html",
];

/// An empty folder of its own for a test, that anybody may use.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("faults")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn kimg_lint(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kimg-lint"));
    command
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .current_dir(folder);
    command
}

fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/artifacts/out/lib.so")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Exit status, and the last line on standard error.
fn failure(output: &Output) -> (Option<i32>, String) {
    let err = text(&output.stderr);
    (
        output.status.code(),
        err.lines().last().unwrap_or_default().to_owned(),
    )
}

fn names(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<OsString> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

/// Runs a command of the shell after `limit`, with the program as `$0`.
fn limited(folder: &Path, limit: &str, arguments: &[&str]) -> Output {
    let mut shell = Command::new("bash");
    let script = format!("{limit}; exec \"$0\" \"$@\"");
    shell
        .current_dir(folder)
        .args(["-c", &script, env!("CARGO_BIN_EXE_kimg-lint")]);
    shell.args(arguments).output().unwrap()
}

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
    for format in FORMATS {
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
    for format in FORMATS {
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
    assert_eq!(names(&folder), ["Dockerfile", "out"]);
}

/// A user that may do nothing; the tests often run as root, who may do everything.
fn nobody(command: &mut Command) -> &mut Command {
    let root = fs::metadata("/proc/self")
        .is_ok_and(|about| std::os::unix::fs::MetadataExt::uid(&about) == 0);
    if root {
        command.uid(65534).gid(65534)
    } else {
        command
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

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
    assert_eq!(names(&folder), ["Dockerfile", "closed", "lib.so", "secret"]);
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

#[test]
fn standard_streams_may_be_closed() {
    let folder = folder("closed");
    fs::write(folder.join("Dockerfile"), BUILD).unwrap();
    for (streams, status) in [
        ("exec >&-", 1),
        ("exec 2>&-", 1),
        ("exec <&-", 1),
        ("exec <&- >&- 2>&-", 1),
    ] {
        let output = limited(&folder, streams, &["Dockerfile"]);
        assert_eq!(output.status.code(), Some(status), "{streams}");
    }
}

#[test]
fn a_signal_ends_the_run_and_leaves_nothing() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let folder = folder(&format!("signal-{signal}"));
        let mut child = kimg_lint(&folder)
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
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(number));
        assert_eq!(text(&output.stdout), "");
        assert!(names(&folder).is_empty());
    }
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

#[test]
fn home_and_temporary_folder_are_not_needed() {
    let folder = folder("home");
    fs::write(folder.join("Dockerfile"), BUILD).unwrap();
    let reference = kimg_lint(&folder).arg("Dockerfile").output().unwrap();
    assert_eq!(reference.status.code(), Some(1));
    let read_only = folder.join("read-only");
    fs::create_dir(&read_only).unwrap();
    mode(&read_only, 0o555);
    for home in [
        &*read_only,
        Path::new("/nowhere"),
        Path::new(""),
        Path::new("/dev/null"),
    ] {
        for name in ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR"] {
            let mut command = kimg_lint(&folder);
            let output = nobody(command.arg("Dockerfile").env(name, home)).output();
            // others may not reach the program
            if let Ok(output) = output.filter_denied() {
                assert_eq!(
                    text(&output.stdout),
                    text(&reference.stdout),
                    "{name} {}",
                    home.display()
                );
            }
        }
    }
    let library = library();
    let output = kimg_lint(&folder)
        .arg("archs")
        .arg(&library)
        .env("TMPDIR", "/nowhere")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(names(&read_only).is_empty());
}

/// Outputs of programs that could be started.
trait FilterDenied: Sized {
    fn filter_denied(self) -> Self;
}

impl FilterDenied for std::io::Result<Output> {
    fn filter_denied(self) -> Self {
        self.and_then(|output| match output.status.code() {
            Some(126 | 127) => Err(std::io::ErrorKind::PermissionDenied.into()),
            _ => Ok(output),
        })
    }
}

#[test]
fn locales_change_the_lines_drawn_and_nothing_else() {
    let folder = folder("locale");
    fs::write(folder.join("Dockerfile"), BUILD).unwrap();
    let run = |locale: &OsStr, format: &str| {
        let mut command = kimg_lint(&folder);
        command.args(["--format", format, "Dockerfile"]);
        command
            .env("LC_ALL", locale)
            .env("LANG", locale)
            .env("LANGUAGE", locale);
        command.output().unwrap()
    };
    let locales = [
        "C",
        "POSIX",
        "",
        "tr_TR.UTF-8",
        "de_DE@euro",
        "ja_JP.SJIS",
        "../../etc/passwd",
    ];
    let locales = locales
        .map(OsStr::new)
        .into_iter()
        .chain([OsStr::from_bytes(b"\xff\xfe")]);
    for locale in locales {
        for format in ["concise", "gitlab", "github"] {
            let reference = run(OsStr::new("C.UTF-8"), format);
            let output = run(locale, format);
            assert_eq!(output.status.code(), Some(1), "{locale:?}");
            assert_eq!(
                text(&output.stdout),
                text(&reference.stdout),
                "{locale:?} {format}"
            );
        }
        let human = run(locale, "human");
        let is_utf8 = locale.to_string_lossy().contains("UTF-8");
        let drawn = text(&human.stdout).contains(['│', '╭', '×']);
        assert!(is_utf8 == drawn, "{locale:?}: {}", text(&human.stdout));
    }
}

/// Names that a shell, a URL, a table or a line would trip over.
fn odd_names() -> Vec<OsString> {
    let mut names: Vec<OsString> = [
        "with space",
        " begins",
        "ends ",
        "two\nlines",
        "carriage\rreturn",
        "tab\tin it",
        "quote'\"`",
        "a|b",
        "<b>&amp;",
        "%2e%0A",
        "::error::x",
        "##[error]x",
        "-dash",
        "a:b,c",
        "café",
        "e\u{301}\u{202e}txt",
        "\u{1b}[31mred",
        "a\\b",
        "*?[x]",
        "#",
        "$HOME",
    ]
    .map(OsString::from)
    .into();
    names.push(OsString::from_vec(b"not \xff utf-8 \xc3".to_vec()));
    names
}

#[test]
fn odd_names_of_files_break_no_format() {
    let folder = folder("names");
    for name in odd_names() {
        let inner = folder.join(&name);
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("Dockerfile"), BUILD).unwrap();
        let path = Path::new(&name).join("Dockerfile");
        let mut path = path.into_os_string();
        if name.as_bytes().starts_with(b"-") {
            path = [OsStr::new("./"), &path].into_iter().collect();
        }
        for format in FORMATS {
            let output = kimg_lint(&folder)
                .args(["--format", format])
                .arg(&path)
                .output()
                .unwrap();
            let shown = format!("{path:?} {format}");
            assert_eq!(failure(&output), (Some(1), String::new()), "{shown}");
            let printed = String::from_utf8(output.stdout).unwrap();
            // whoever reads annotations has to find the file by its name
            let shows_escapes = printed.contains("\u{1b}[31m") && format != "github";
            assert!(!shows_escapes, "{shown}: {printed}");
            match format {
                "concise" => assert_eq!(printed.matches('\n').count(), 1, "{shown}: {printed}"),
                "github" => {
                    let commands = printed.lines().filter(|line| line.starts_with("::"));
                    assert_eq!(commands.count(), 1, "{shown}: {printed}");
                    let mut others = printed.lines().filter(|line| !line.starts_with("::"));
                    assert!(
                        !others.any(|line| line.contains("##[")),
                        "{shown}: {printed}"
                    );
                }
                "json" | "sarif" | "gitlab" => {
                    serde_json::from_str::<serde_json::Value>(&printed).unwrap();
                }
                _ => {}
            }
        }
        let output = kimg_lint(&folder)
            .args(["--fix", "--unsafe-fixes"])
            .arg(&path)
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{path:?}: {}",
            text(&output.stderr)
        );
        assert_ne!(fs::read_to_string(inner.join("Dockerfile")).unwrap(), BUILD);
        assert_eq!(names(&inner), ["Dockerfile"]);
    }
}

/// Two names that are no text must not become one.
#[test]
fn names_that_are_no_text_stay_apart() {
    let folder = folder("apart");
    for byte in [0xfe, 0xff] {
        let name = OsString::from_vec([b"a", &[byte][..], b".Dockerfile"].concat());
        let text = BUILD.replace(
            "RUN",
            if byte == 0xff {
                "RUN"
            } else {
                "# first\n\nRUN"
            },
        );
        fs::write(folder.join(name), text).unwrap();
    }
    let output = kimg_lint(&folder)
        .args(["--format", "concise", "."])
        .output()
        .unwrap();
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.split_once(" KIMG"))
        .map(|(place, _)| place)
        .collect();
    assert_eq!(lines, ["a\\xFE.Dockerfile:4:5:", "a\\xFF.Dockerfile:2:5:"]);
}

#[test]
fn a_path_of_four_thousand_characters() {
    let folder = folder("long");
    let mut path = PathBuf::new();
    while path.as_os_str().len() < 3800 - folder.as_os_str().len() {
        path.push("d".repeat(200));
    }
    fs::create_dir_all(folder.join(&path)).unwrap();
    path.push("Dockerfile");
    fs::write(folder.join(&path), BUILD).unwrap();
    for format in FORMATS {
        let output = kimg_lint(&folder)
            .args(["--format", format])
            .arg(&path)
            .output()
            .unwrap();
        assert_eq!(failure(&output), (Some(1), String::new()), "{format}");
    }
    // longer than the system takes
    let longer: PathBuf = std::iter::repeat_n("d".repeat(200), 30).collect();
    let output = kimg_lint(&folder)
        .args(["--format", "concise"])
        .arg(&longer)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let printed = text(&output.stdout) + &text(&output.stderr);
    assert!(printed.contains("File name too long"), "{printed}");
    let output = kimg_lint(&folder)
        .arg("archs")
        .arg(&longer)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// As many as nobody reads are written all the same; with `KIMG_ALL_INPUTS` a million, which takes minutes and 3 GiB.
#[test]
fn very_many_findings_are_written() {
    let folder = folder("many");
    let all = std::env::var_os("KIMG_ALL_INPUTS").is_some();
    let (files, lines) = (if all { 1000 } else { 10 }, 1000);
    let content = format!(
        "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n{}",
        "RUN nvcc a.cu\n".repeat(lines)
    );
    for file in 0..files {
        fs::write(folder.join(format!("{file}.Dockerfile")), &content).unwrap();
    }
    let outputs = FORMATS.map(|format| ["--output".to_owned(), format!("{format}={format}")]);
    let mut command = kimg_lint(&folder);
    command
        .args(["--format", "concise"])
        .args(outputs.as_flattened());
    let output = command.output().unwrap();
    assert_eq!(failure(&output), (Some(1), String::new()));
    assert_eq!(text(&output.stdout).lines().count(), files * lines);
    let json = fs::File::open(folder.join("json")).unwrap();
    let json: serde_json::Value = serde_json::from_reader(std::io::BufReader::new(json)).unwrap();
    assert_eq!(json["findings"].as_array().unwrap().len(), files * lines);
}
