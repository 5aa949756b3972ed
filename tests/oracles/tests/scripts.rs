//! Wherever rable accepts shell text, its commands are those that kimg-lint sees.
use kimg_lint::text::dockerfile::{self, RunText};
use kimg_lint_oracles::inputs::{COMMANDS, scripts};
use kimg_lint_oracles::scripts::compare;
use kimg_lint_oracles::{corpus, with_large_stack};
use proptest::prelude::*;

/// All differences at once, and how many texts both accepted.
fn check(texts: impl Iterator<Item = String>) -> usize {
    let results: Vec<_> = texts.map(|text| compare(&text)).collect();
    let differences: Vec<_> = results
        .iter()
        .filter_map(|result| result.as_ref().err())
        .collect();
    assert!(
        differences.is_empty(),
        "{} differences, first: {}",
        differences.len(),
        differences[0]
    );
    results.iter().flatten().filter(|&&both| both).count()
}

#[test]
fn written_scripts() {
    let texts = scripts();
    let written = texts.len();
    assert!(written >= 300);
    let both = with_large_stack(move || check(texts.into_iter()));
    assert!(
        both * 10 > written * 9,
        "rable refused too many: it read {both} of {written}"
    );
}

/// Shell scripts as they are, and the RUN bodies of Dockerfiles.
#[test]
fn corpus_files() {
    let texts = corpus().into_iter().flat_map(|(_, text)| {
        if text.starts_with("#!") {
            return vec![text];
        }
        let file = dockerfile::parse(&text);
        let runs = file.instructions.iter().filter_map(|instruction| {
            match dockerfile::run_text(instruction)? {
                RunText::Shell(run) => Some(run.text().to_owned()),
                RunText::Program { .. } => None,
            }
        });
        runs.collect()
    });
    let texts: Vec<_> = texts.collect();
    with_large_stack(move || check(texts.into_iter()));
}

proptest! {
    #[test]
    fn made_scripts(picked in proptest::collection::vec((proptest::sample::select(COMMANDS), 0..5usize), 1..8)) {
        let joins = ["\n", " && ", "; ", " || ", " | "];
        let text: String = picked.iter().map(|(command, join)| format!("{command}{}", joins[*join])).collect();
        let text = format!("{text}true");
        prop_assert!(compare(&text).is_ok(), "{:?}", compare(&text));
    }
}
