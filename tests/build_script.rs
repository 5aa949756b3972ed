//! The parts of the build script: what it reads, and the Rust that it writes.
#![allow(clippy::unwrap_used)] // clippy allows it in tests, but not in the functions that they call
#[allow(dead_code)]
#[path = "../build/read.rs"]
mod read;
#[path = "../build/rust.rs"]
mod rust;

use kimg_lint::table::{List, Text};
use kimg_lint::yaml;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Serialize, Deserialize, Debug, PartialEq)]
#[serde(deny_unknown_fields, rename_all(deserialize = "kebab-case"))]
struct Row {
    some_name: Text,
    #[serde(default)]
    list: List<Kind>,
    #[serde(default)]
    pair: Option<(bool, u8)>,
}

#[derive(Clone, Copy, Serialize, Deserialize, Debug, PartialEq)]
#[serde(rename_all(deserialize = "lowercase"))]
enum Kind {
    Unit,
    New(Text),
    Two(u8, i8),
    Fields { char: char },
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn every_form_is_written_as_rust() {
    let row = Row {
        some_name: Text("a \"quoted\" \\ line\n"),
        list: List(&[
            Kind::Unit,
            Kind::New(Text("é")),
            Kind::Two(1, -2),
            Kind::Fields { char: '\'' },
        ]),
        pair: Some((true, 7)),
    };
    assert_eq!(
        rust::expression(&row).unwrap(),
        r#"Row { some_name: Text("a \"quoted\" \\ line\n"), list: List(&[Kind::Unit, Kind::New(Text("é")), Kind::Two(1, -2, ), Kind::Fields { char: '\'', }, ]), pair: Some((true, 7, )), }"#
    );
    assert_eq!(
        rust::table("ROWS", "Kind", &[Kind::Unit]).unwrap(),
        "pub static ROWS: &[Kind] = &[\n    Kind::Unit,\n];\n"
    );
    assert_eq!(
        rust::constant("N", "Option<u8>", &None::<u8>).unwrap(),
        "pub static N: Option<u8> = None;\n"
    );
    let map = std::collections::BTreeMap::from([(1, 2)]);
    assert!(rust::expression(&map).is_err());
}

#[test]
fn a_file_holds_records_in_any_number_of_documents() {
    let path = file(
        "rows.yaml",
        "some-name: 12.10\n---\n- {some-name: b, list: [unit]}\n- {some-name: c}\n---\nsome-name: d\n",
    );
    let rows: Vec<Row> = read::records(&path).unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row.some_name.as_str()).collect();
    assert_eq!(names, ["12.10", "b", "c", "d"], "numbers keep their text");
    assert!(read::one::<Row>(&path).is_err(), "several documents");
}

#[test]
fn errors_name_the_file() {
    let path = file("bad.yaml", "- {some-name: a, sum-name: b}\n");
    let error = read::records::<Row>(&path).unwrap_err();
    assert!(error.contains("bad.yaml"), "{error}");
    assert!(error.contains("sum-name"), "{error}");
    let missing = read::records::<Row>(&path.with_file_name("no.yaml")).unwrap_err();
    assert!(missing.contains("no.yaml"), "{missing}");
}
