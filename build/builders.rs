//! The table of builder records.
#[path = "../src/builders/check.rs"]
mod check;
#[allow(dead_code)]
#[path = "../src/builders/record.rs"]
mod record;

use crate::{read, table};
use record::Record;

/// The file that `src/builders/records.rs` includes.
pub fn tables() -> Result<String, String> {
    let files = read::files("rules/knowledge/builders")?;
    let rows = table::<Record>("RECORDS", "Record", &files, |records| {
        check::check(records, &[])
    })?;
    Ok(format!("/// Every builder, by file.\n{rows}"))
}
