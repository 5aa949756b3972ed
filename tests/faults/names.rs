//! Names and paths that nobody would choose.
use crate::{BUILD, FORMATS, failure, folder, kimg_lint, listed, text};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

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
        for format in FORMATS.iter() {
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
            match format.as_str() {
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
        assert_eq!(listed(&inner), ["Dockerfile"]);
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
    for format in FORMATS.iter() {
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
