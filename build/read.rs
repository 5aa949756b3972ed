//! Reads YAML files of records.
use crate::yaml;
use serde::de::DeserializeOwned;
use std::path::Path;

/// The records of a file: any number of documents, each one record or a list of them.
///
/// # Errors
/// The message names the file and the place.
pub fn records<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, String> {
    yaml::records(&text(file)?).map_err(|fault| format!("{}:{fault}", file.display()))
}

/// The only document of a file.
///
/// # Errors
/// The message names the file and the place.
pub fn one<T: DeserializeOwned>(file: &Path) -> Result<T, String> {
    let name = file.display();
    let document = yaml::one(&text(file)?).map_err(|fault| format!("{name}:{fault}"))?;
    document.ok_or_else(|| format!("{name}: there is no document"))
}

fn text(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}
