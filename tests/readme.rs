//! The README and the pages under `docs` do not lie: their commands run and print what is quoted, their files exist.
//!
//! In a `console` block a line that begins with `$` is a command, the lines below it are quoted from what it prints, `⋮` stands
//! for lines left out, and `echo $?` shows its exit status, which else is 0.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::config::{Config, Layer, NAME};
use std::path::{Path, PathBuf};
use std::process::Command;

const README: &str = include_str!("../README.md");

/// How a command of kimg-lint begins; nothing else is run.
const OURS: [&str; 2] = ["kimg-lint", "cargo run --release --"];

/// What is left to others: this is it.
const NOT_RUN: [&str; 1] = ["cargo test"];

/// Left out.
const GAP: &str = "⋮";

/// A command with what the README says about it.
#[derive(Debug, PartialEq)]
struct Shown<'t> {
    command: &'t str,
    output: Vec<&'t str>,
    status: i32,
}

#[test]
fn commands_do_what_is_shown() {
    assert!(commands(README).len() > 5, "the README shows commands");
    for (path, text) in pages() {
        let shown = commands(&text).into_iter();
        for shown in shown.filter(|s| !NOT_RUN.contains(&s.command)) {
            let (status, printed) = run(shown.command);
            let place = format!("{}: {}", path.display(), shown.command);
            assert_eq!(status, shown.status, "{place}\n{printed}");
            if let Err(part) = quotes(&shown.output, &printed) {
                panic!("{place} does not print\n{part}\nbut\n{printed}");
            }
        }
    }
}

#[test]
fn the_configuration_shown_is_one() {
    let shown = README.split("```yaml\n").skip(1);
    let texts: Vec<&str> = shown.filter_map(|t| t.split("```").next()).collect();
    assert_eq!(texts.len(), 1);
    let layer = Layer::parse(NAME, Path::new("/repository"), texts[0]).unwrap();
    Config::new(&[layer]).unwrap();
}

#[test]
fn yaml_shown_is_yaml() {
    for (path, text) in pages() {
        for block in text.split("```yaml\n").skip(1) {
            let block = block.split("```").next().unwrap();
            if let Err(error) = serde_saphyr::from_str::<serde_json::Value>(block) {
                panic!("{}: {error}\n{block}", path.display());
            }
        }
    }
}

#[test]
fn named_files_exist() {
    for (path, text) in pages() {
        // Every second part lies within a block of code.
        let prose: String = text.split("```").step_by(2).collect();
        let targets = prose.split("](").skip(1).filter_map(|t| t.split_once(')'));
        let files = targets.map(|(t, _)| t).filter(|t| !t.contains("://"));
        for file in files {
            let (file, _) = file.split_once('#').unwrap_or((file, ""));
            let file = path.parent().unwrap().join(file);
            assert!(file.exists(), "{}: {}", path.display(), file.display());
        }
    }
}

#[test]
fn blocks_are_read() {
    let text = "x\n```console\n$ a b\none\n⋮\ntwo\n$ echo $?\n1\n$ c\n```\n```sh\n$ d\n```\n";
    let first = Shown {
        command: "a b",
        output: vec!["one", GAP, "two"],
        status: 1,
    };
    let second = Shown {
        command: "c",
        output: vec![],
        status: 0,
    };
    assert_eq!(commands(text), [first, second]);
}

#[test]
fn a_quotation_has_the_lines_in_order() {
    //  quoted, whether `1 2 3 4` is what was printed
    for (quoted, expected) in [
        (&[][..], true),
        (&["1", "2"], true),
        (&["1", GAP, "4"], true),
        (&[GAP, "3", "4"], true),
        (&["1", "3"], false),
        (&[GAP, "3", GAP, "2"], false),
        (&["5"], false),
    ] {
        assert_eq!(
            quotes(quoted, "1\n2\n3\n4\n").is_ok(),
            expected,
            "{quoted:?}"
        );
    }
}

fn commands(markdown: &str) -> Vec<Shown<'_>> {
    let mut commands: Vec<Shown> = Vec::new();
    for block in markdown.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let mut status_follows = false;
        for line in block.lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some("echo $?"), Some(_)) => status_follows = true,
                (Some(command), _) => commands.push(Shown {
                    command,
                    output: Vec::new(),
                    status: 0,
                }),
                (None, Some(shown)) if status_follows => {
                    shown.status = line.parse().unwrap();
                    status_follows = false;
                }
                (None, Some(shown)) => shown.output.push(line),
                (None, None) => panic!("no command above `{line}`"),
            }
        }
    }
    commands
}

/// The README and the pages, with their paths.
fn pages() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(root.join("docs")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths.insert(0, root.join("README.md"));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// Runs a command of a page with the program that was built for this test.
fn run(command: &str) -> (i32, String) {
    let arguments = OURS.iter().find_map(|start| command.strip_prefix(start));
    let arguments = arguments.unwrap_or_else(|| panic!("`{command}` is no command of kimg-lint"));
    let output = Command::new("sh")
        .args(["-c", &format!("\"$KIMG_LINT\" {arguments}")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .env("KIMG_LINT", env!("CARGO_BIN_EXE_kimg-lint"))
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    (output.status.code().unwrap(), printed)
}

/// Whether the parts between the gaps stand in `printed`, in this order; else the first that does not.
fn quotes(quoted: &[&str], printed: &str) -> Result<(), String> {
    let lines: Vec<&str> = printed.lines().collect();
    let mut from = 0;
    for part in quoted.split(|line| *line == GAP).filter(|p| !p.is_empty()) {
        let rest = &lines[from..];
        match rest.windows(part.len()).position(|w| w == part) {
            Some(at) => from += at + part.len(),
            None => return Err(part.join("\n")),
        }
    }
    Ok(())
}
