//! The table of builder records.
#[path = "../src/builders/check.rs"]
mod check;
#[allow(dead_code)]
#[path = "../src/builders/record.rs"]
mod record;

use crate::{read, rust, table};
use record::Record;
use std::path::PathBuf;

/// The file that `src/builders/records.rs` includes.
pub fn tables() -> Result<String, String> {
    let files = read::files("rules/knowledge/builders")?;
    let rows = table::<Record>("RECORDS", "Record", &files, |records| {
        check::check(records, &[])
    })?;
    let examples = examples(&files)?;
    Ok(format!(
        "/// Every builder, by file.\n{rows}\n/// The examples of each, by its id.\n{examples}"
    ))
}

fn examples(files: &[PathBuf]) -> Result<String, String> {
    let mut rows = Vec::new();
    for file in files {
        let records = read::records::<Record>(file)?.into_iter();
        rows.extend(records.map(|record| (record.id, record.examples)));
    }
    rust::table("EXAMPLES", "(Text, List<Example>)", &rows).map_err(|error| error.to_string())
}
