//! Inputs that nobody means to write: what is wrong is said at its place, the rest is read, and the other files are, too.
//!
//! Peak memory, looked at by hand: 9 MiB for most of them, 70 MiB for a line of 15 MiB, 110 MiB for 200,000 continued words.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use assert_cmd::Command;
use std::fs;
use std::path::PathBuf;

/// A build without a list: the finding that shows that a file was read to its end.
const BUILD: &str =
    "RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\n";
const BASE: &str = "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n";

/// How deep, or how often.
const DEEP: usize = 100_000;
const OFTEN: usize = 200_000;
const MIB: usize = 1 << 20;

/// An empty folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The exit status, and what is printed: `line:column: CODE message`, without the path.
fn lint(folder: &PathBuf, name: &str) -> (i32, Vec<String>) {
    let output = Command::cargo_bin("kimg-lint")
        .unwrap()
        .current_dir(folder)
        .args(["--format", "concise", name])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{name}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let prefix = format!("{name}:");
    let lines = printed.lines().map(|line| {
        let line = line.strip_prefix(&prefix).unwrap_or(line);
        line.to_owned()
    });
    (output.status.code().unwrap(), lines.collect())
}

/// Fails unless the lines printed begin with those expected, one by one.
fn check(name: &str, content: &[u8], status: i32, expected: &[&str]) {
    let folder = folder(&format!("odd-{name}"));
    fs::write(folder.join(name), content).unwrap();
    let (got, lines) = lint(&folder, name);
    assert_eq!(got, status, "{name}: {lines:?}");
    let same = lines.len() == expected.len()
        && lines
            .iter()
            .zip(expected)
            .all(|(line, start)| line.starts_with(start));
    assert!(same, "{name} prints {lines:#?}, not {expected:#?}");
}

const TOO_LONG: &str = "2:1: KIMG002 BuildKit refuses a line of more than 65535 bytes";
const TOO_DEEP: &str = "KIMG002 nested too deeply: the rest is not read";

#[test]
fn files_with_next_to_nothing_in_them() {
    for (name, content) in [("empty", ""), ("blank", "\n\n"), ("comment", "# nothing\n")] {
        let nothing = "1:1: KIMG002 the file holds no instruction";
        check(name, content.as_bytes(), 1, &[nothing]);
    }
}

#[test]
fn what_is_no_text_is_not_read() {
    let utf16 =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let cannot = |why: &str| format!("1:1: KIMG001 cannot be read: {why}");
    for (name, content, why) in [
        (
            "elf",
            b"\x7fELF\x02\x01\0\0".to_vec(),
            "it is no text: byte 6 is zero",
        ),
        (
            "latin1",
            b"FROM a # caf\xe9\n".to_vec(),
            "it is no UTF-8: byte 12 is wrong",
        ),
        (
            "utf16",
            utf16("\u{feff}FROM a\n"),
            "it is UTF-16; UTF-8 is read",
        ),
        (
            "utf16-without-mark",
            utf16("FROM a\n"),
            "it is no text: byte 1 is zero",
        ),
        ("huge", vec![b'x'; 64 * MIB], "it is larger than 16 MiB"),
    ] {
        check(name, &content, 2, &[&cannot(why)]);
    }
}

#[test]
fn ends_of_lines_marks_and_letters_of_either_case() {
    let text = format!("{BASE}{BUILD}");
    let continued = text.replace("RUN ", "RUN set -e; \\\n    ");
    for (name, content, place) in [
        ("crlf", text.replace('\n', "\r\n"), "2:5"),
        ("crlf-continued", continued.replace('\n', "\r\n"), "3:5"),
        ("bom", format!("\u{feff}{text}"), "2:5"),
        (
            "lower-case",
            text.replace("FROM", "from").replace("RUN", "run"),
            "2:5",
        ),
        ("no-last-newline", text.trim_end().to_owned(), "2:5"),
        ("tabs", text.replace(' ', "\t"), "2:5"),
    ] {
        let finding = format!("{place}: KIMG101 gsplat");
        check(name, content.as_bytes(), 1, &[&finding]);
    }
}

#[test]
fn text_for_another_shell_is_passed_over_with_one_note() {
    check(
        "powershell",
        b"FROM scratch\nSHELL [\"powershell\"]\nRUN a\nRUN b\nSHELL [\"/bin/sh\", \"-c\"]\nRUN <<EOF\n#!/usr/bin/env perl\nc\nEOF\n",
        0,
        &[
            "3:1: KIMG005 text for PowerShell or cmd is not read: what it builds is not known; 1 more like this are left out",
            "6:1: KIMG005 text for /usr/bin/env perl is not read",
        ],
    );
}

#[test]
fn what_is_left_open_is_said_where_it_begins() {
    for (name, opened, expected) in [
        (
            "heredoc",
            "RUN <<EOF\n",
            &["2:5: KIMG002 the heredoc is not ended by a line `EOF`"][..],
        ),
        (
            "quote",
            "RUN echo 'a\n",
            &["2:10: KIMG002 `'` is never closed", "3:5: KIMG101"],
        ),
        (
            "continued-quote",
            "RUN echo \"a \\\n",
            &["2:10: KIMG002 `\"` is never closed"],
        ),
        (
            "brace",
            "ENV A=${B\n",
            &[
                "2:7: KIMG002",
                "2:7: KIMG002 `${` is never closed",
                "3:5: KIMG101",
            ],
        ),
        (
            "if",
            "RUN if true; then\n",
            &["2:5: KIMG002", "3:5: KIMG101"],
        ),
    ] {
        check(
            name,
            format!("{BASE}{opened}{BUILD}").as_bytes(),
            1,
            expected,
        );
    }
}

#[test]
fn depth_and_length_are_bounded() {
    let at = |place: &str, what: &str| format!("{place}: {what}");
    for (name, content, expected) in [
        (
            "substitutions",
            format!("RUN echo {}\n", "$(".repeat(DEEP)),
            vec![
                TOO_LONG.to_owned(),
                at("2:5", TOO_DEEP),
                at("3:5", "KIMG101"),
            ],
        ),
        (
            "closed-substitutions",
            format!("RUN echo {}a{}\n", "$(".repeat(DEEP), ")".repeat(DEEP)),
            vec![
                TOO_LONG.to_owned(),
                at("2:5", TOO_DEEP),
                at("3:5", "KIMG101"),
            ],
        ),
        (
            "groups",
            format!("RUN {}\n", "( ".repeat(DEEP)),
            vec![
                TOO_LONG.to_owned(),
                at("2:5", TOO_DEEP),
                at("3:5", "KIMG101"),
            ],
        ),
        (
            "defaults",
            format!("ENV A={}\n", "${a:-".repeat(DEEP)),
            vec![
                TOO_LONG.to_owned(),
                at("2:259", TOO_DEEP),
                at("3:5", "KIMG101"),
            ],
        ),
        (
            "long-word",
            format!("RUN echo {}\n", "x".repeat(15 * MIB)),
            vec![TOO_LONG.to_owned(), at("3:5", "KIMG101")],
        ),
        (
            "continuations",
            format!("RUN echo {}a\n", "\\\n".repeat(OFTEN)),
            vec![at("200003:5", "KIMG101")],
        ),
        (
            "continued-words",
            format!("RUN echo a{}\n", " \\\n  b".repeat(OFTEN)),
            vec![at("200003:5", "KIMG101")],
        ),
        (
            "comments",
            format!("RUN echo a \\\n{}b\n", "# c\n".repeat(OFTEN)),
            vec![at("200004:5", "KIMG101")],
        ),
        (
            "loops",
            format!(
                "RUN {}:{}\n",
                "for a in 1 2 3 4 5 6 7 8; do ".repeat(20),
                "; done".repeat(20)
            ),
            vec![at("3:5", "KIMG101")],
        ),
        (
            "doubled",
            format!("ENV A=xy\n{}", "ENV A=${A}${A}\n".repeat(40)),
            vec![at("43:5", "KIMG101")],
        ),
        (
            "recursion",
            "RUN f() { f; f; }; f\n".to_owned(),
            vec![at("3:5", "KIMG101")],
        ),
    ] {
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(
            name,
            format!("{BASE}{content}{BUILD}").as_bytes(),
            1,
            &expected,
        );
    }
}

#[test]
fn other_formats_are_bounded() {
    let deep = |open: &str, close: &str| open.repeat(DEEP) + &close.repeat(DEEP);
    for (name, content, expected) in [
        (
            "docker-bake.hcl",
            format!("a = {}\n", deep("[", "]")),
            "1:70: KIMG002 not HCL: invalid nesting depth; expected at most 64 nested levels",
        ),
        (
            "docker-bake.json",
            deep("[", "]"),
            "1:129: KIMG002 not JSON: ",
        ),
        ("docker-bake.override.json", deep("{\"a\":", "}"), "1:"),
        (
            "devcontainer.json",
            deep("[", "]"),
            "1:129: KIMG002 not JSON: ",
        ),
        (
            "azure-pipelines.yml",
            format!("steps: {}", deep("[", "]")),
            "1:",
        ),
    ] {
        check(name, content.as_bytes(), 1, &[expected]);
    }
    let rows: String = (0..3000)
        .map(|at| format!("      r{at}: {{a: {at}}}\n"))
        .collect();
    let rows =
        format!("jobs:\n- job: a\n  strategy:\n    matrix:\n{rows}  steps:\n  - bash: echo $(a)\n");
    check("azure-pipelines.yml", rows.as_bytes(), 0, &[]);
    // what stands for itself
    let doubled: String = (0..60)
        .map(|at| {
            format!(
                "variable \"V{at}\" {{ default = \"${{V{}}}${{V{}}}\" }}\n",
                at + 1,
                at + 1
            )
        })
        .collect();
    let target = "target \"a\" { args = { A = V0 } }\n";
    let circle =
        "target \"a\" { inherits = [\"b\", \"b\"] }\ntarget \"b\" { inherits = [\"a\", \"a\"] }\n";
    let rows = "target \"a\" { matrix = { a = V, b = V, c = V, d = V } }\nvariable \"V\" { default = [1, 2, 3, 4, 5, 6, 7, 8, 9] }\n";
    for content in [doubled + target, circle.to_owned(), rows.to_owned()] {
        check("docker-bake.hcl", content.as_bytes(), 0, &[]);
    }
    let chain: String = (0..3000)
        .map(|at| format!("  V{at}: $(V{})\n", at + 1))
        .collect();
    let pipeline = format!("variables:\n{chain}steps:\n- bash: echo $(V0)\n");
    check("azure-pipelines.yml", pipeline.as_bytes(), 0, &[]);
}

#[test]
fn stages_that_are_built_from_one_another() {
    let text = format!("FROM a AS a\nFROM c AS b\nFROM b AS c\n{BUILD}");
    check("stages", text.as_bytes(), 0, &["4:5: KIMG004"]);
}

#[cfg(unix)]
#[test]
fn other_files_are_checked_all_the_same() {
    let folder = folder("odd-together");
    fs::write(folder.join("binary"), b"\0").unwrap();
    fs::write(folder.join("good"), format!("{BASE}{BUILD}")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.join("fifo"))
        .status();
    assert!(made.unwrap().success());
    let output = Command::cargo_bin("kimg-lint")
        .unwrap()
        .current_dir(&folder)
        .args(["--format", "concise", "--fail-on", "never"])
        .args(["binary", "fifo", "gone", "good"])
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let codes: Vec<&str> = printed
        .lines()
        .filter_map(|l| l.get(..l.find(" KIMG")? + 8))
        .collect();
    let expected = [
        "binary:1:1: KIMG001",
        "fifo:1:1: KIMG001",
        "gone:1:1: KIMG001",
        "good:2:5: KIMG101",
    ];
    assert_eq!((output.status.code(), codes), (Some(2), expected.to_vec()));
}

/// Nobody can be kept from reading by permissions where the tests run as root.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("odd-permissions");
    let path = folder.join("secret");
    fs::write(&path, BASE).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::File::open(&path).is_ok() {
        return;
    }
    let (status, lines) = lint(&folder, "secret");
    assert_eq!(status, 2);
    assert!(
        lines[0].starts_with("1:1: KIMG001 cannot be read: "),
        "{lines:?}"
    );
}
