//! Writes the files that are measured with, for `benches/compare.sh`.
#[allow(dead_code, reason = "the other inputs are for the benchmarks")]
#[path = "../benches/inputs/mod.rs"]
mod inputs;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("name a folder"))?;
    write(&folder, "one", &inputs::one())?;
    for (number, text) in inputs::many().iter().enumerate() {
        write(&folder, &format!("many/{number:03}"), text)?;
    }
    for (number, text) in inputs::full_of_findings().iter().enumerate() {
        write(&folder, &format!("findings/{number:03}"), text)?;
    }
    for lines in [inputs::LINES / 8, inputs::LINES / 4, inputs::LINES] {
        write(&folder, &format!("long/{lines}"), &inputs::long(lines))?;
        write(&folder, &format!("run/{lines}"), &inputs::long_run(lines))?;
    }
    for files in [5, 20, 80] {
        let folder = folder.join(format!("links/{files}"));
        for (path, text) in inputs::linked(files) {
            put(&folder.join(path), &text)?;
        }
    }
    Ok(())
}

fn write(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    put(&folder.join(name).join("Dockerfile"), text)
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, text)
}
