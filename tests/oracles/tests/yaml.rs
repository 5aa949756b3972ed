//! Wherever serde_yaml accepts a text, its values are those that kimg-lint sees.
use kimg_lint_oracles::corpus;
use kimg_lint_oracles::inputs::{YAML_KEYS, YAML_VALUES};
use kimg_lint_oracles::yaml::compare;
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

/// Every value, alone, below every key and as an item, with the line breaks of both worlds.
#[test]
fn written_values() {
    let indented = |value: &str| value.replace('\n', "\n    ");
    let below = YAML_VALUES.iter().flat_map(|value| {
        YAML_KEYS
            .iter()
            .map(move |key| format!("{key}: {}\nz: 1\n", indented(value)))
    });
    let items = YAML_VALUES
        .iter()
        .map(|value| format!("a:\n- {}\n- b\n", indented(value)));
    let alone = YAML_VALUES.iter().map(|&value| value.to_owned());
    let nested = YAML_VALUES.iter().map(|value| {
        format!(
            "a:\n  - b:\n      c: &x {}\n    d: *x\n",
            value.replace('\n', "\n          ")
        )
    });
    let unix: Vec<String> = below.chain(items).chain(alone).chain(nested).collect();
    let windows = unix.iter().map(|text| text.replace('\n', "\r\n"));
    let marked = YAML_VALUES.iter().map(|value| format!("\u{feff}{value}"));
    let others: Vec<_> = windows.chain(marked).collect();
    let texts = unix.len() + others.len();
    let both = check(unix.into_iter().chain(others));
    assert!(
        both * 10 > texts * 8,
        "serde_yaml refused too many: it read {both} of {texts}"
    );
}

#[test]
fn corpus_files() {
    let is_yaml = |path: &std::path::Path| {
        path.extension()
            .is_some_and(|ending| ending == "yml" || ending == "yaml")
    };
    check(
        corpus()
            .into_iter()
            .filter(|(path, _)| is_yaml(path))
            .map(|(_, text)| text),
    );
}

proptest! {
    #[test]
    fn made_documents(picked in proptest::collection::vec((0..4usize, proptest::sample::select(YAML_VALUES), 0..3usize), 1..10)) {
        let mut text = String::new();
        for (number, (depth, value, form)) in picked.into_iter().enumerate() {
            let (indent, deeper) = (" ".repeat(2 * depth), " ".repeat(2 * depth + 4));
            let value = value.replace('\n', &format!("\n{deeper}"));
            text.push_str(&match form {
                0 => format!("{indent}k{number}: {value}\n"),
                1 => format!("{indent}- {value}\n"),
                _ => format!("{indent}- k{number}: {value}\n"),
            });
        }
        let compared = compare(&text);
        prop_assert!(compared.is_ok(), "{compared:?}");
    }
}
