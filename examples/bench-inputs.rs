//! Writes the files that are measured with, for `benches/compare.sh`.
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
    for lines in [inputs::LINES / 8, inputs::LINES / 4, inputs::LINES] {
        write(&folder, &format!("long/{lines}"), &inputs::long(lines))?;
        write(&folder, &format!("run/{lines}"), &inputs::long_run(lines))?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let folder = folder.join(name);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("Dockerfile"), text)
}
