//! Data flows one way: a module uses only those above it in `src/lib.rs`.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn a_module_uses_only_those_above_it() {
    let list = fs::read_to_string("src/lib.rs").unwrap();
    let modules: Vec<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    let place = |name: &str| modules.iter().position(|module| *module == name);
    assert!(modules.len() > 20, "{modules:?}");
    for (own, name) in modules.iter().enumerate() {
        for file in files(name) {
            let text = fs::read_to_string(&file).unwrap();
            // tests may look at everything
            let (code, _) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
            for used in code.split("crate::").skip(1) {
                let end = used.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let used = &used[..end.unwrap_or(used.len())];
                assert!(
                    place(used).is_none_or(|other| other <= own),
                    "{} uses `{used}`, which is below `{name}` in src/lib.rs",
                    file.display()
                );
            }
        }
    }
}

/// The files of a module, but for those that hold tests.
fn files(module: &str) -> Vec<PathBuf> {
    let folder = Path::new("src").join(module);
    let mut found = vec![folder.with_extension("rs")];
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.file_stem().is_some_and(|name| name == "tests") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                found.push(path);
            }
        }
    }
    found.retain(|path| path.exists());
    found
}
