//! `kimg-lint init`: a commented configuration to begin with.
use super::CliError;
use crate::config::NAME;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

/// What is written.
const TEXT: &str = include_str!("init.yaml");

pub(super) fn run(out: &mut dyn Write) -> Result<(), CliError> {
    let path = root()?.join(NAME);
    let shown = path.display().to_string();
    let made = OpenOptions::new().write(true).create_new(true).open(&path);
    let written = made.and_then(|mut file| file.write_all(TEXT.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => CliError::Exists(shown.clone()),
        _ => CliError::Unwritable(shown.clone(), error),
    })?;
    writeln!(out, "{shown}")?;
    Ok(())
}

/// The root of the repository that the working directory lies in; the working directory, where it lies in none.
fn root() -> io::Result<PathBuf> {
    let here = std::env::current_dir()?;
    let root = here.ancestors().find(|folder| folder.join(".git").exists());
    Ok(root.unwrap_or(&here).to_owned())
}

#[cfg(test)]
mod tests {
    use super::TEXT;
    use crate::config::{Config, Layer};
    use std::path::Path;

    /// With the comment marks taken off its lines, the text means something, too; prose has a space after the mark.
    fn uncommented() -> String {
        let lines = TEXT.lines().map(|line| match line.strip_prefix('#') {
            Some(code) if !code.starts_with(' ') || code.starts_with("  ") => code,
            _ => line,
        });
        lines.map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn every_line_of_it_means_something() {
        for text in [TEXT.to_owned(), uncommented()] {
            let layer = Layer::parse(".kimg-lint.yaml", Path::new("/repo"), &text);
            let layer = layer.unwrap_or_else(|error| panic!("{error}\n{text}"));
            Config::new(&[layer]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        }
        let keys = [
            "fleet", "policy", "rules", "ignore", "exclude", "images", "runners", "fail-on",
        ];
        for key in keys {
            assert!(uncommented().contains(&format!("\n{key}:")), "{key}");
        }
    }
}
