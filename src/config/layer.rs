//! One configuration file, read.
use super::ConfigError;
use super::at::At;
use super::file::ConfigFile;
use super::map::Map;
use crate::span::{Lines, Place, Span};
use crate::spelling::{did_you_mean, nearest};
use crate::yaml;
use std::path::{Path, PathBuf};

/// A configuration file with the folder that its globs start from.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Its path, as shown.
    pub path: String,
    /// Its folder: an absolute path.
    pub folder: PathBuf,
    /// Its text.
    pub text: String,
    /// What it says.
    pub file: ConfigFile,
}

impl Layer {
    /// Reads the text of the file at `path` (used in messages) in `folder`. It lives as long as the program.
    ///
    /// # Errors
    /// It is no such YAML.
    pub fn parse(path: &str, folder: &Path, text: &str) -> Result<&'static Self, ConfigError> {
        let file = yaml::one(text).map_err(|fault| ConfigError::Fault {
            path: path.to_owned(),
            line: fault.line,
            column: fault.column,
            message: match &fault.unknown {
                Some((word, known)) => {
                    let near = nearest(word, known.iter().copied());
                    format!("{}{}", fault.message, did_you_mean(near))
                }
                None => fault.message,
            },
        })?;
        Ok(Box::leak(Box::new(Self {
            path: path.to_owned(),
            folder: folder.to_owned(),
            text: text.to_owned(),
            file: file.unwrap_or_default(),
        })))
    }

    /// What of it holds below a file that says `root: true`: the rules that it locks. `None` if it locks none.
    pub(super) fn locks(&self) -> Option<&'static Self> {
        let rules = self.file.rules.0.iter();
        let locked = rules.filter(|(_, entry)| entry.value.is_locked());
        let locked: Vec<_> = locked.copied().collect();
        if locked.is_empty() {
            return None;
        }
        Some(Box::leak(Box::new(Self {
            file: ConfigFile {
                rules: Map(locked),
                rule_files: self.file.rule_files.clone(),
                ..ConfigFile::default()
            },
            ..self.clone()
        })))
    }

    /// The path of a file below its folder, as shown.
    pub(super) fn shown(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.folder).unwrap_or(path);
        Path::new(&self.path)
            .with_file_name("")
            .join(below)
            .display()
            .to_string()
    }

    /// The error at a value.
    pub(super) fn fault<T>(&self, at: &At<T>, message: impl ToString) -> ConfigError {
        ConfigError::Fault {
            path: self.path.clone(),
            line: at.line,
            column: at.column,
            message: message.to_string(),
        }
    }

    /// The place of some bytes.
    pub(super) fn place(&self, span: Span) -> Place {
        Lines::new(&self.text).place(span)
    }

    /// The error of the file as a whole.
    pub(super) fn broken(&self, reason: impl ToString) -> ConfigError {
        ConfigError::Broken {
            path: self.path.clone(),
            reason: reason.to_string(),
        }
    }
}
