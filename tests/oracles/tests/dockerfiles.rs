//! Wherever dockerfile-parser or parse-dockerfile accepts a Dockerfile, its instructions are those that kimg-lint sees.
use kimg_lint_oracles::dockerfiles::{compare, is_dockerfile};
use kimg_lint_oracles::inputs::{INSTRUCTIONS, dockerfiles};
use kimg_lint_oracles::{corpus, with_large_stack};
use proptest::prelude::*;

/// All differences at once, and how many times an oracle accepted a file.
fn check(files: impl Iterator<Item = String>) -> usize {
    let results: Vec<_> = files.map(|file| compare(&file)).collect();
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
    results.iter().flatten().sum()
}

#[test]
fn written_files() {
    let files = dockerfiles();
    let written = files.len();
    assert!(written >= 300);
    let accepted = with_large_stack(move || check(files.into_iter()));
    assert!(
        accepted > written,
        "the oracles refused too many: {accepted} of {written} read twice"
    );
}

#[test]
fn corpus_files() {
    let files = corpus().into_iter().map(|(_, text)| text);
    with_large_stack(|| check(files.filter(|text| is_dockerfile(text))));
}

proptest! {
    #[test]
    fn made_files(picked in proptest::collection::vec(proptest::sample::select(INSTRUCTIONS), 0..12)) {
        let file = format!("FROM a\n{}\n", picked.join("\n"));
        prop_assert!(compare(&file).is_ok(), "{:?}", compare(&file));
    }
}
