//! Compiles everything under `rules/` into static tables, so that start-up parses nothing, and checks it.
//!
//! Each table is written to `$OUT_DIR/NAME.rs` and included by the module that owns it, which has the types in scope.
#[path = "build/read.rs"]
mod read;
#[path = "build/rust.rs"]
mod rust;

// The types, shared with the crate.
#[path = "build/actions.rs"]
mod actions;
#[path = "build/builders.rs"]
mod builders;
#[path = "build/cuda.rs"]
mod cuda;
#[allow(dead_code)]
#[path = "build/facts.rs"]
mod facts;
#[path = "build/knowledge.rs"]
mod knowledge;
#[path = "build/rules.rs"]
mod rules;
#[allow(dead_code)]
#[path = "src/span.rs"]
mod span;
#[allow(dead_code)]
#[path = "src/table.rs"]
mod table;
#[allow(dead_code)]
#[path = "src/yaml.rs"]
mod yaml;

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Makes the text of a generated file.
type Make = fn() -> Result<String, String>;

/// The generated files: a new table is one line here.
const FILES: &[(&str, Make)] = &[
    ("builders.rs", builders::tables),
    ("cuda.rs", cuda::tables),
    ("knowledge.rs", knowledge::tables),
    ("rules.rs", rules::tables),
];

fn main() {
    println!("cargo::rerun-if-changed=rules");
    fixed_address();
    for (name, make) in FILES {
        let text = match make() {
            Ok(text) => text,
            // An error stops the build once this script ends.
            Err(message) => {
                for line in message.lines() {
                    println!("cargo::error={line}");
                }
                continue;
            }
        };
        let Some(folder) = std::env::var_os("OUT_DIR") else {
            println!("cargo::error=OUT_DIR is not set");
            return;
        };
        if let Err(error) = std::fs::write(PathBuf::from(folder).join(name), text) {
            println!("cargo::error={name}: {error}");
        }
    }
}

/// Links the program for a fixed address where that is known to work. The tables hold some 25,000 pointers: computing them at
/// each start takes as long as linting a file, and every page of them becomes memory of the process's own.
fn fixed_address() {
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}"));
    if target("OS").as_deref() == Ok("linux") && target("ENV").as_deref() == Ok("gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// A table as it stands in its files: `pub static NAME: &[TYPE] = &[..];`
///
/// # Errors
/// A file cannot be read or does not hold such records, or `check` finds fault with them; the message names the file.
fn table<T: DeserializeOwned + Serialize>(
    name: &str,
    type_name: &str,
    files: &[impl AsRef<Path>],
    check: impl Fn(&[T]) -> Result<(), String>,
) -> Result<String, String> {
    let mut rows = Vec::new();
    for file in files {
        rows.extend(read::records::<T>(file.as_ref())?);
    }
    check(&rows)
        .and_then(|()| rust::table(name, type_name, &rows).map_err(|error| error.to_string()))
        .map_err(|problem| match files {
            [file] => format!("{}: {problem}", file.as_ref().display()),
            _ => format!("{name}: {problem}"),
        })
}
