//! Every file that the tests and the rules hold, changed: in ways that must not alter the answer, and in ways that must.
//!
//! `KIMG_WRITE_SEEDS=1 cargo test --test metamorphic` writes the files into `fuzz/corpus`, as seeds for fuzzing.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod answer;
mod dockerfiles;
mod lists;
mod seeds;
mod written;
mod yaml;

use answer::answer;
use std::collections::BTreeMap;
use written::{Written, written};

/// A change of a text; `None` where there is nothing to change.
type Change = fn(&str) -> Option<String>;

/// Makes each change to each file that `takes` takes, and fails with those after which something else is said.
fn check_same(takes: impl Fn(&Written) -> bool, changes: &[(&str, Change)]) {
    let mut made: BTreeMap<&str, usize> = changes.iter().map(|(name, _)| (*name, 0)).collect();
    let mut wrong = Vec::new();
    for Written { path, text } in written().iter().filter(|file| takes(file)) {
        let before = answer(path, text);
        for (name, change) in changes {
            let Some(changed) = change(text) else {
                continue;
            };
            *made.get_mut(name).unwrap() += 1;
            let after = answer(path, &changed);
            if after != before {
                let only = |a: &[String], b: &[String]| {
                    let only = a.iter().filter(|line| !b.contains(line));
                    only.cloned().collect::<Vec<_>>().join("\n  ")
                };
                wrong.push(format!(
                    "{name}: {path}\n{text}----\n{changed}----\nno more:\n  {}\nnew:\n  {}",
                    only(&before, &after),
                    only(&after, &before)
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n\n"),
        wrong.len()
    );
    for (name, made) in made {
        assert!(made > 2, "{name} changes {made} files");
    }
}
