//! How long linting takes; `docs/performance.md` says what for.
mod built;
#[allow(dead_code, reason = "the other inputs are for the other benchmark")]
mod inputs;

use divan::Bencher;
use divan::counter::ItemsCount;
use kimg_lint::config::Config;
use kimg_lint::lint::{Options, lint_text, observe};
use kimg_lint::report::Terminal;
use kimg_lint::report::{Report, human};
use kimg_lint::rules::{Policy, RuleSet, builtin};
use kimg_lint::tree::Tree;
use std::path::Path;
use std::sync::LazyLock;

fn main() {
    divan::main();
}

fn lint(text: &str) -> Report {
    static CONFIG: LazyLock<Config> =
        LazyLock::new(|| Config::new(&[]).unwrap_or_else(|error| panic!("{error}")));
    let place = Path::new("/repository/Dockerfile");
    let report = lint_text("Dockerfile", text, &CONFIG, place);
    report.unwrap_or_else(|error| panic!("{error}"))
}

#[divan::bench]
fn one_file(bencher: Bencher) {
    let text = inputs::one();
    bencher.bench(|| lint(&text));
}

#[divan::bench(sample_count = 10)]
fn many_files(bencher: Bencher) {
    let texts = inputs::many();
    bencher.counter(ItemsCount::new(texts.len())).bench(|| {
        texts
            .iter()
            .map(|text| lint(text).findings.len())
            .sum::<usize>()
    });
}

/// Should grow with the number of lines.
#[divan::bench(args = [inputs::LINES / 4, inputs::LINES], sample_count = 10)]
fn long_file(bencher: Bencher, lines: usize) {
    let text = inputs::long(lines);
    bencher
        .counter(ItemsCount::new(lines))
        .bench(|| lint(&text));
}

/// Should grow with the number of lines.
#[divan::bench(args = [inputs::LINES / 4, inputs::LINES], sample_count = 10)]
fn long_run(bencher: Bencher, lines: usize) {
    let text = inputs::long_run(lines);
    bencher
        .counter(ItemsCount::new(lines))
        .bench(|| lint(&text));
}

/// Should grow with the number of files that the Dockerfile leads to.
#[divan::bench(args = [5, 20, 80], sample_count = 20)]
fn links(bencher: Bencher, files: usize) {
    within(bencher, "links", files, inputs::linked(files));
}

/// Should grow with the number of projects that are built.
#[divan::bench(args = [4, 16, 64], sample_count = 20)]
fn projects(bencher: Bencher, projects: usize) {
    within(bencher, "projects", projects, built::projects(projects));
}

/// Should grow with the conditions of a Makefile that cannot be decided, not with the ways of combining them.
#[divan::bench(args = [10, 40, 160], sample_count = 20)]
fn undecided(bencher: Bencher, conditions: usize) {
    within(
        bencher,
        "undecided",
        conditions,
        built::undecided(conditions),
    );
}

/// Lints the last of these files among the others.
fn within(bencher: Bencher, name: &str, count: usize, all: Vec<(String, String)>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{count}"));
    for (path, text) in &all {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(&folder);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, text));
        written.unwrap_or_else(|error| panic!("{error}"));
    }
    let place = folder.join("Dockerfile");
    let text = all.last().map(|(_, text)| text.clone()).unwrap_or_default();
    let options = Options {
        tree: Tree::new(&folder, &place, Path::new("Dockerfile")),
        ..Options::default()
    };
    bencher
        .counter(ItemsCount::new(count))
        .bench(|| observe("Dockerfile", &text, &options));
}

/// The parts that `many_files` is made of.
mod parts {
    use super::*;

    #[divan::bench(sample_count = 10)]
    fn facts(bencher: Bencher) {
        let texts = inputs::many();
        let options = Options::default();
        bencher.bench(|| {
            let builds = texts
                .iter()
                .map(|t| observe("Dockerfile", t, &options).builds.len());
            builds.sum::<usize>()
        });
    }

    #[divan::bench(sample_count = 10)]
    fn rules(bencher: Bencher) {
        let options = Options::default();
        let facts: Vec<_> = inputs::many()
            .iter()
            .map(|text| observe("Dockerfile", text, &options))
            .collect();
        let rules = RuleSet::new(builtin());
        bencher.bench(|| {
            let judged = facts.iter().map(|f| rules.judge(f, Policy::default()));
            judged
                .flatten()
                .map(|findings| findings.len())
                .sum::<usize>()
        });
    }

    #[divan::bench(sample_count = 10)]
    fn output(bencher: Bencher) {
        let reports: Vec<_> = inputs::many().iter().map(|text| lint(text)).collect();
        let terminal = Terminal {
            color: false,
            unicode: true,
            width: 80,
        };
        bencher.bench(|| {
            for report in &reports {
                let written = human::write(report, &mut std::io::sink(), terminal, false);
                written.unwrap_or_else(|error| panic!("{error}"));
            }
        });
    }
}
