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

fn page() -> String {
    let rows: String = builtin().iter().map(row).collect();
    let sections: String = builtin().iter().map(section).collect();
    format!("{INTRODUCTION}{rows}{sections}")
}

fn row(rule: &Rule) -> String {
    let title = title(rule);
    let anchor = title.to_lowercase().replace(' ', "-");
    let (code, name) = (rule.code, rule.name);
    let (severities, says) = (severities(rule), rule.summary());
    format!("| [{code}](#{anchor}) | {name} | {severities} | {says} |\n")
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
