//! The table of builder records.
#[path = "../src/builders/check.rs"]
mod check;
#[allow(dead_code)]
#[path = "../src/builders/record.rs"]
mod record;

use crate::table;
use record::Record;

/// The file that `src/builders/records.rs` includes.
pub fn tables() -> Result<String, String> {
    let folder = "rules/knowledge/builders";
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))? {
        files.push(entry.map_err(|error| format!("{folder}: {error}"))?.path());
    }
    files.sort();
    let rows = table::<Record>("RECORDS", "Record", &files, |records| {
        check::check(records, &[])
    })?;
    Ok(format!("/// Every builder, by file.\n{rows}"))
}
