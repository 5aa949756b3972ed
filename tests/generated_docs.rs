//! `docs/cli.md`, `docs/builders.md` and the table in `docs/reliability.md` are what the arguments, the records and
//! `fuzz/times.tsv` say.
//!
//! `KIMG_WRITE_DOCS=1 cargo test --test generated_docs` writes them anew.
#![cfg(feature = "probe")]
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use clap::CommandFactory;
use kimg_lint::builders::judge::knobs_of;
use kimg_lint::builders::record::{Match, Record};
use kimg_lint::builders::records::RECORDS;
use kimg_lint::cli::Cli;
use std::collections::BTreeSet;
use std::path::Path;

const CLI: &str = "\
# Command line

Written from the program by `KIMG_WRITE_DOCS=1 cargo test --test generated_docs`: what `--help` prints after each command.
";

const BUILDERS: &str = "\
# Builders

Written from the files under `rules/knowledge/builders` by `KIMG_WRITE_DOCS=1 cargo test --test generated_docs`. These are the
packages and tools of which kimg-lint knows how they choose architectures. `kimg-lint explain NAME` says the rest: when one compiles,
what follows without a list, and which file of the package says so, read on which day. A setting further to the left wins.
";

#[test]
fn the_manual_is_what_the_program_prints() {
    let mut page = CLI.to_owned();
    let mut command = Cli::command().term_width(100);
    command.build();
    help("kimg-lint", &mut command, &mut page);
    check("docs/cli.md", &page);
}

#[test]
fn the_builders_are_what_the_records_say() {
    let mut records: Vec<&'static Record> =
        RECORDS.iter().filter(|r| !r.matches.is_empty()).collect();
    records.sort_by_key(|record| record.title.to_lowercase());
    let rows: String = records.into_iter().map(row).collect();
    let head = "\n| builder | `explain` | known by | settings that choose the architectures |\n|---|---|---|---|\n";
    check("docs/builders.md", &format!("{BUILDERS}{head}{rows}"));
}

#[test]
fn the_time_of_fuzzing_is_what_was_measured() {
    const PATH: &str = "docs/reliability.md";
    const BEGIN: &str = "<!-- fuzz/times.tsv -->\n";
    const END: &str = "<!-- end -->\n";
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| {
        std::fs::read_to_string(root.join(path))
            .unwrap()
            .replace("\r\n", "\n")
    };
    let times = read("fuzz/times.tsv");
    let row = |line: &str| format!("| {} |\n", line.split('\t').collect::<Vec<_>>().join(" | "));
    let rows: String = times.lines().skip(1).map(row).collect();
    let page = read(PATH);
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let head = "| target | executions | CPU seconds | edges | faults |\n|---|---|---|---|---|\n";
    check(PATH, &format!("{before}{BEGIN}{head}{rows}{END}{after}"));
}

/// The help of a command and of those below it, hidden ones left out.
fn help(name: &str, command: &mut clap::Command, page: &mut String) {
    let text = command.render_long_help().to_string();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    *page += &format!(
        "\n## {name}\n\n```text\n{}\n```\n",
        lines.join("\n").trim_end()
    );
    for below in command.get_subcommands_mut().filter(|c| !c.is_hide_set()) {
        let name = format!("{name} {}", below.get_name());
        help(&name, below, page);
    }
}

fn row(record: &'static Record) -> String {
    let known: BTreeSet<String> = record.matches.iter().flat_map(known_by).collect();
    let mut known: Vec<String> = known.into_iter().collect();
    if known.is_empty() {
        known.push("the command".to_owned());
    }
    let mut settings: Vec<String> = Vec::new();
    for knob in knobs_of(record).iter() {
        let setting = format!("`{}`", knob.name);
        if !settings.contains(&setting) {
            settings.push(setting);
        }
    }
    let settings = if settings.is_empty() {
        "none".to_owned()
    } else {
        settings.join(", ")
    };
    let line = format!(
        "| {} | `{}` | {} | {settings} |\n",
        record.title,
        record.id,
        known.join(", ")
    );
    assert_eq!(line.matches(" | ").count(), 3, "a bar in a cell: {line}");
    line
}

/// What a record is recognised by, in words.
fn known_by(known: &Match) -> Vec<String> {
    let kinds = [
        ("package", known.pypi),
        ("repository", known.repo),
        ("crate", known.crate_name),
        ("program", known.tool),
        ("folder", known.dir),
    ];
    let mut words: Vec<String> = kinds
        .into_iter()
        .filter_map(|(kind, name)| name.map(|name| format!("{kind} {name}")))
        .collect();
    words.extend(known.spack.map(|_| "a package of spack".to_owned()));
    if known.evidence.is_some() {
        words.push("the project's own files".to_owned());
    }
    words
}

fn check(file: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("KIMG_WRITE_DOCS").is_some() {
        std::fs::write(&path, page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed.replace("\r\n", "\n") == page,
        "KIMG_WRITE_DOCS=1 cargo test --test generated_docs writes {file} anew"
    );
}
