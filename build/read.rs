//! Reads YAML files of records.
use crate::yaml;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

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

/// The files of a folder, by name.
///
/// # Errors
/// The message names the folder.
pub fn files(folder: &str) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut files: Vec<PathBuf> = paths
        .collect::<Result<_, _>>()
        .map_err(|error| format!("{folder}: {error}"))?;
    files.sort();
    Ok(files)
}

fn text(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}
