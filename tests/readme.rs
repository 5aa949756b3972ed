//! The README and the pages with commands do not lie: their commands run and print what is quoted.
//!
//! In a `console` block a line that begins with `$` is a command, the lines below it are quoted from what it prints, `⋮` stands
//! for lines left out, and `echo $?` shows its exit status, which else is 0.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::config::{Config, Layer, NAME};
use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../README.md");

/// All that show commands.
const PAGES: [&str; 2] = [README, include_str!("../docs/fleets.md")];

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
    let pages = PAGES.map(commands);
    for page in &pages {
        assert!(page.len() > 5, "the page shows commands");
    }
    let shown = pages.iter().flatten();
    for shown in shown.filter(|s| !NOT_RUN.contains(&s.command)) {
        let (status, printed) = run(shown.command);
        assert_eq!(status, shown.status, "{}\n{printed}", shown.command);
        if let Err(part) = quotes(&shown.output, &printed) {
            panic!("`{}` does not print\n{part}\nbut\n{printed}", shown.command);
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
fn named_files_exist() {
    let targets = README.split("](").skip(1).filter_map(|t| t.split_once(')'));
    let files = targets.map(|(t, _)| t).filter(|t| !t.contains("://"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in files {
        assert!(root.join(file).exists(), "{file}");
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

/// Runs a command of the README with the program that was built for this test.
fn run(command: &str) -> (i32, String) {
    let words: Vec<&str> = command.split(' ').collect();
    let arguments = match words.as_slice() {
        ["cargo", "run", "--release", "--", arguments @ ..] => arguments,
        ["kimg-lint", arguments @ ..] => arguments,
        _ => panic!("`{command}` is no command of kimg-lint"),
    };
    let output = Command::new(env!("CARGO_BIN_EXE_kimg-lint"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
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
