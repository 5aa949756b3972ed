//! The table of rules.
#[allow(dead_code)]
#[path = "../src/rules/rule.rs"]
mod rule;

use crate::{read, table};
use rule::Rule;

/// The file that `src/rules/load.rs` includes.
pub fn tables() -> Result<String, String> {
    let mut files = read::files("rules")?;
    files.retain(|path| path.extension().is_some_and(|e| e == "yaml"));
    let rows = table::<Rule>("RULES", "Rule", &files, check)?;
    Ok(format!("/// Every rule, in order of the codes.\n{rows}"))
}

fn check(rules: &[Rule]) -> Result<(), String> {
    let codes: Vec<&str> = rules.iter().map(|r| &*r.code).collect();
    match codes.windows(2).find(|pair| pair[0] >= pair[1]) {
        Some(pair) => Err(format!("{} stands before {}", pair[0], pair[1])),
        None => Ok(()),
    }
}
