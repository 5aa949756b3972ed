//! `docs/rules.md` is what the rule files say.
//!
//! `KIMG_WRITE_DOCS=1 cargo test --test rule_docs` writes it anew.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::facts::Severity;
use kimg_lint::rules::{Rule, builtin};
use std::path::Path;

const INTRODUCTION: &str = "\
# Rules

Written from the files under `rules/` by `KIMG_WRITE_DOCS=1 cargo test --test rule_docs`; `kimg-lint explain CODE` prints the
same texts. An error will fail or silently do nothing on a GPU, a warning depends on luck, an info costs time or cannot be
decided from the file. Where a rule has several severities, what the build does without the list decides. A finding that is
marked `likely` is never more than a warning, and one about a command that may or may not compile never more than an info.

| code | name | severity | says |
|---|---|---|---|
";

/// What goes wrong, the costliest kinds first as people reported them, and the rules that say it.
const CLASSES: [(&str, &[&str]); 33] = [
    (
        "a build falls back to the CPU without a word",
        &["KIMG304", "KIMG404"],
    ),
    (
        "somebody else's binary lacks the GPU, or has less than it claims",
        &["KIMG401", "KIMG405", "KIMG206"],
    ),
    (
        "the list leaves out a GPU of the fleet",
        &["KIMG201", "KIMG202"],
    ),
    (
        "the wheel of torch, or that of the base image, lacks the GPU",
        &["KIMG206"],
    ),
    (
        "the driver is too old for the toolkit, the wheel or the image",
        &["KIMG306", "KIMG406", "KIMG506"],
    ),
    (
        "CUDA 13 and the wheels for it dropped Pascal and Volta",
        &["KIMG302", "KIMG206"],
    ),
    ("no list in a build without a GPU", &["KIMG101", "KIMG004"]),
    (
        "the compiler at run time is missing, or older than the GPU",
        &["KIMG308"],
    ),
    (
        "one hard-coded architecture, or nvcc's default",
        &["KIMG101", "KIMG208"],
    ),
    ("the project ignores the usual variable", &["KIMG104"]),
    ("Jetson and other Tegra chips", &["KIMG207", "KIMG407"]),
    ("PTX newer than the driver", &["KIMG306", "KIMG406"]),
    ("the toolkit is too old for the architecture", &["KIMG301"]),
    (
        "the toolkit dropped or renamed the architecture",
        &["KIMG302"],
    ),
    (
        "10.3 and 12.1 beside 10.0 and 12.0",
        &["KIMG201", "KIMG203"],
    ),
    (
        "the variable does not reach the build",
        &["KIMG102", "KIMG103"],
    ),
    (
        "`native` or a detected GPU where there is none",
        &["KIMG107"],
    ),
    (
        "the GPU of the build machine decides what is shipped",
        &["KIMG107"],
    ),
    (
        "a target with `a` or `f` at its end does not carry",
        &["KIMG203"],
    ),
    (
        "some kernels lack the GPU that others have",
        &["KIMG403", "KIMG203"],
    ),
    (
        "architectures were left out to save space",
        &["KIMG201", "KIMG401", "KIMG205"],
    ),
    (
        "the build sees another torch than the image has",
        &["KIMG305", "KIMG310"],
    ),
    (
        "the reader of the list rejects or drops a token",
        &["KIMG105"],
    ),
    ("the list is empty", &["KIMG106"]),
    ("wrong results without an error", &["KIMG503", "KIMG504"]),
    ("flags and binary disagree", &["KIMG405"]),
    ("several kinds of GPU in one fleet", &["KIMG201", "KIMG208"]),
    ("no nvcc in the stage that compiles", &["KIMG303"]),
    (
        "a slow start, since only PTX reaches the GPU",
        &["KIMG202", "KIMG402", "KIMG204"],
    ),
    ("a list for processes that compile nothing", &["KIMG307"]),
    ("two lists of one project disagree", &["KIMG108"]),
    (
        "a package compares the whole list with a text",
        &["KIMG109"],
    ),
    ("nobody runs or looks into what is built", &["KIMG309"]),
];

#[test]
fn the_committed_page_is_what_the_rule_files_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md");
    let current = page();
    if std::env::var_os("KIMG_WRITE_DOCS").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        committed.replace("\r\n", "\n") == current,
        "KIMG_WRITE_DOCS=1 cargo test --test rule_docs writes docs/rules.md anew"
    );
}

/// Every rule about builds, fleets and toolchains stands among the kinds.
#[test]
fn no_rule_is_left_out_of_the_kinds() {
    let listed = |rule: &Rule| {
        CLASSES
            .iter()
            .any(|(_, codes)| codes.contains(&&*rule.code))
    };
    let about_code = |rule: &&Rule| ("KIMG101".."KIMG401").contains(&&*rule.code);
    let left_out: Vec<_> = builtin()
        .iter()
        .filter(about_code)
        .filter(|r| !listed(r))
        .collect();
    assert!(
        left_out.is_empty(),
        "in none of the CLASSES of this file: {:?}",
        left_out.iter().map(|r| r.code).collect::<Vec<_>>()
    );
}

fn page() -> String {
    let rows: String = builtin().iter().map(row).collect();
    let sections: String = builtin().iter().map(section).collect();
    format!("{INTRODUCTION}{rows}{}{sections}", classes())
}

/// The rules by what goes wrong.
fn classes() -> String {
    let mut table =
        "\n## By what goes wrong\n\n| what goes wrong | rules |\n|---|---|\n".to_owned();
    for (what, codes) in CLASSES {
        let rules = codes.iter().map(|code| {
            let rule = builtin().iter().find(|rule| *rule.code == **code).unwrap();
            link(rule)
        });
        table += &format!("| {what} | {} |\n", rules.collect::<Vec<_>>().join(", "));
    }
    table
}

fn link(rule: &Rule) -> String {
    let anchor = title(rule).to_lowercase().replace(' ', "-");
    format!("[{}](#{anchor})", rule.code)
}

fn row(rule: &Rule) -> String {
    let (name, severities, says) = (rule.name, severities(rule), rule.summary());
    format!("| {} | {name} | {severities} | {says} |\n", link(rule))
}

fn section(rule: &Rule) -> String {
    let text = rule.docs.trim_end().replace("\n## ", "\n### ");
    let mut section = format!("\n## {}\n\n{text}\n", title(rule));
    if !rule.sources.is_empty() {
        section += "\n### Sources\n";
        for source in rule.sources.iter() {
            section += &format!("- {source}\n");
        }
    }
    section
}

fn title(rule: &Rule) -> String {
    format!("{} {}", rule.code, rule.name)
}

fn severities(rule: &Rule) -> String {
    let words = rule
        .severities()
        .into_iter()
        .map(|severity| match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        });
    words.collect::<Vec<_>>().join(", ")
}
