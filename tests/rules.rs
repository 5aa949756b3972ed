//! The examples of the rule files: each rule speaks at the named places of its bad files, and nowhere in its good ones.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::config::{Config, Layer, NAME};
use kimg_lint::date::Date;
use kimg_lint::lint::{Options, observe, together};
use kimg_lint::rules::{File, Files, Rule, builtin};
use kimg_lint::tree::Tree;
use kimg_lint::walk::walked::Given;
use std::path::Path;

#[test]
fn examples_are_what_they_say() {
    let problems: Vec<String> = builtin().iter().flat_map(problems).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What is wrong with a rule's examples.
fn problems(rule: &Rule) -> Vec<String> {
    let mut problems = Vec::new();
    for (index, example) in rule.examples.iter().enumerate() {
        let (files, expected): (_, Vec<String>) = match (example.bad, example.good) {
            (Some(files), None) => (files, example.at.iter().map(ToString::to_string).collect()),
            (None, Some(files)) => (files, Vec::new()),
            _ => panic!("{}: example {index} is neither bad nor good", rule.code),
        };
        let found = places(rule, files);
        if found != expected {
            problems.push(format!(
                "{}: example {index} speaks at {found:?}, not at {expected:?}",
                rule.code
            ));
        }
    }
    problems
}

/// `path:line` of each finding of the rule.
fn places(rule: &Rule, files: Files) -> Vec<String> {
    let root = Path::new("/repository");
    let (configs, linted): (Vec<&File>, Vec<&File>) =
        files.0.iter().partition(|f| *f.path == *NAME);
    let layers: Vec<_> = configs
        .iter()
        .map(|file| Layer::parse(&file.path, root, &file.text).unwrap())
        .collect();
    let config = Config::new(&layers).unwrap();
    let learned = linted.iter().map(|file| {
        let fleet = config.fleet(&root.join(&*file.path));
        let options = Options::new(&Given::default(), &config, fleet, Tree::default());
        observe(&file.path, &file.text, &options)
    });
    let mut facts = together(learned.collect());
    let fleet = !config.fleet(&root.join("Dockerfile")).is_empty();
    let judged = config.settings.judge(&mut facts, fleet, Date::today());
    let findings = judged.unwrap().into_iter();
    findings
        .filter(|finding| finding.code == *rule.code)
        .map(|finding| format!("{}:{}", finding.path, finding.span.line))
        .collect()
}

#[test]
fn a_bad_example_says_where() {
    for rule in builtin() {
        for example in rule.examples.iter() {
            assert!(
                example.bad.is_some() != example.good.is_some(),
                "{}",
                rule.code
            );
            assert_eq!(
                example.bad.is_some(),
                !example.at.is_empty(),
                "{}",
                rule.code
            );
        }
    }
}

/// The code in the documentation is the code that runs as a test.
#[test]
fn examples_are_those_of_the_documentation() {
    for rule in builtin() {
        for block in code_blocks(&rule.docs) {
            let (config, text) = with_config(&block);
            if !text.starts_with("FROM ") {
                continue;
            }
            let mut files = rule
                .examples
                .iter()
                .filter_map(|example| example.bad.or(example.good));
            let run = files.any(|files| {
                let has = |wanted: &str| files.0.iter().any(|file| *file.text == *wanted);
                has(text) && config.is_none_or(has)
            });
            assert!(run, "{}: no example runs\n{block}", rule.code);
        }
    }
}

/// The configuration that the first line of a block shows, and the rest.
fn with_config(block: &str) -> (Option<&str>, &str) {
    let shown = block.strip_prefix(&*format!("# {NAME}: "));
    match shown.and_then(|rest| rest.split_once('\n')) {
        Some((config, text)) => (Some(config), text),
        None => (None, block),
    }
}

fn code_blocks(markdown: &str) -> Vec<String> {
    let blocks = markdown.split("```").skip(1).step_by(2);
    blocks
        .map(|block| {
            block
                .split_once('\n')
                .map_or("", |(_, code)| code)
                .to_owned()
        })
        .collect()
}
