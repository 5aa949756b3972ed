//! Where the packages of a Python installation lie: the interpreter is asked, since only it knows.
use super::CliError;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints the folders of packages that are there, one a line.
const ASK: &str = "\
import os, sys
for path in dict.fromkeys(os.path.realpath(path) for path in sys.path):
    if os.path.basename(path) in ('site-packages', 'dist-packages') and os.path.isdir(path):
        print(path)
";

/// The folders of packages of the interpreter `python`.
pub(super) fn site_packages(python: &Path) -> Result<Vec<PathBuf>, CliError> {
    let fail = |why: String| CliError::Python(python.display().to_string(), why);
    let output = Command::new(python)
        .args(["-c", ASK])
        .output()
        .map_err(|error| fail(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let folders: Vec<PathBuf> = text.lines().map(PathBuf::from).collect();
    if !output.status.success() || folders.is_empty() {
        let last = String::from_utf8_lossy(&output.stderr);
        let last = last
            .lines()
            .last()
            .unwrap_or("it names no folder of packages");
        return Err(fail(last.to_owned()));
    }
    Ok(folders)
}
