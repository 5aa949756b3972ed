//! What the fuzz targets do with the inputs that are kept: seeds, files of the repository, and what once went wrong. No
//! nightly Rust is needed for that; `fuzz/run.sh` looks for more.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::path::{Path, PathBuf};

/// Folders with inputs of a target beside its seeds, as `fuzz/run.sh` has them, and more.
fn folders(target: &str) -> Vec<&'static str> {
    const CODE: &str = "tests/fixtures/artifacts/out";
    match target {
        "device_code" => vec![CODE],
        "containers" => vec![CODE, "tests/fixtures/images/out"],
        "rules" => vec!["rules"],
        "config" => vec!["rules/knowledge/builders"],
        _ => Vec::new(),
    }
}

fn files(folder: PathBuf) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_file()).collect()
}

#[test]
fn what_is_kept_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, target) in targets::TARGETS {
        let own = files(root.join("fuzz/seeds").join(name));
        let others = folders(name)
            .into_iter()
            .flat_map(|folder| files(root.join(folder)));
        for path in own.into_iter().chain(others) {
            // shown where the test fails
            println!("{name} {}", path.display());
            target(&std::fs::read(path).unwrap());
        }
    }
}

/// A seed without a target, and a target that nothing runs, would go unnoticed.
#[test]
fn every_target_has_a_program_and_every_seed_a_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let names = |folder: &str| {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().path());
        let mut names: Vec<String> = names
            .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    let mut known: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    assert_eq!(names("fuzz_targets"), known);
    for folder in names("seeds") {
        assert!(known.contains(&folder.as_str()), "{folder}");
    }
}
