//! What a Dockerfile's commands run, in other files of the build context.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod conda;
mod easybuild;
mod gitlab;
mod imports;
mod kernel_builder;
mod makefiles;
mod own_images;
mod projects;
mod requirements;
mod scripts;
mod spack;
mod templates;

use kimg_lint::config::Config;
use kimg_lint::facts::{Compiles, Finding};
use kimg_lint::lint::lint_within;
use kimg_lint::report::Report;
use kimg_lint::tree::Tree;
use std::fs;
use std::path::{Path, PathBuf};

const CUDA: &str = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n";

/// The files that `text` lists: each begins with a line `== path`.
fn files(text: &str) -> Vec<(&str, &str)> {
    let parts = text.strip_prefix("== ").unwrap().split("\n== ");
    parts
        .map(|part| part.split_once('\n').unwrap_or((part, "")))
        .collect()
}

/// A repository of its own with these files.
fn repository(name: &str, text: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("links")
        .join(name);
    let _ = fs::remove_dir_all(&root);
    for (path, text) in files(text) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

/// The report about the Dockerfile at `linted` in the repository at `root`.
fn report(root: &Path, linted: &str) -> Report {
    let place = root.join(linted);
    let tree = Tree::new(root, &place, Path::new(linted));
    let text = fs::read_to_string(&place).unwrap();
    let config = Config::new(&[]).unwrap();
    lint_within(linted, &text, &config, &place, tree).unwrap()
}

/// Each build as `line builder images`, with ` < file:line` for the commands that lead to it, the last first; then each
/// finding as `code:line`.
fn answer(report: &Report) -> Vec<String> {
    let compiling = report
        .builds
        .iter()
        .filter(|build| build.compiles != Compiles::No);
    let builds = compiling.map(|build| {
        let maybe = if build.compiles == Compiles::Maybe {
            "?"
        } else {
            ""
        };
        let through = build.through.iter().rev();
        let through = through.map(|at| format!(" < {}:{}", at.path, at.span.line));
        let images = build.arch.images.join("+");
        let line = build.span.line;
        format!(
            "{line} {}{maybe} {images}{}",
            build.builder,
            through.collect::<String>()
        )
    });
    let counted = report
        .findings
        .iter()
        .filter(|finding| finding.suppressed.is_none());
    builds.chain(counted.map(said)).collect()
}

fn said(finding: &Finding) -> String {
    format!("{}:{}", finding.code, finding.span.line)
}

/// Fails with every case whose answer is another: its files after the base image, and the answer.
fn check(name: &str, cases: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (index, (text, expected)) in cases.iter().enumerate() {
        let text = format!("== Dockerfile\n{CUDA}{text}");
        let root = repository(&format!("{name}-{index}"), &text);
        let got = answer(&report(&root, "Dockerfile"));
        if got != *expected {
            wrong.push(format!("{text}\n  is {got:#?}\n  not {expected:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
