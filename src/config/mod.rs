//! Configuration: `.kimg-lint.yaml` files, found, read strictly, merged key by key, and made into what a run works with.
mod at;
mod discover;
mod file;
mod globs;
mod layer;
mod map;
mod merge;
mod resolve;
#[cfg(feature = "schema")]
mod schema;
#[cfg(test)]
mod tests;

pub use at::At;
pub use discover::{Configs, NAME};
pub use file::{
    ConfigFile, FailOn, FleetEntry, IgnoreEntry, ImageEntry, Maybe, PolicyEntries, RuleEntry,
    RuleTable, Until,
};
pub use globs::Globs;
pub use layer::Layer;
pub use map::Map;
pub use merge::{From, Layers, entries, value};
pub use resolve::{BaselineFile, Config, Fleet, once};

use crate::builders;
use crate::rules;
use std::io::Read;
use std::path::Path;

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Something at a place in it.
    #[error("{path}:{line}:{column}: {message}")]
    Fault {
        /// The file.
        path: String,
        /// From 1.
        line: u32,
        /// In characters, from 1.
        column: u32,
        /// What is wrong.
        message: String,
    },
    /// A file as a whole.
    #[error("{path}: {reason}")]
    Broken {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file of the user's builders.
    #[error(transparent)]
    Builders(#[from] builders::load::LoadError),
    /// One of the user's rules.
    #[error(transparent)]
    Rules(#[from] rules::LoadError),
}

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The text of a file that the configuration consists of; `shown` is its path in messages.
fn read_text(path: &Path, shown: &str) -> Result<String, ConfigError> {
    let broken = |reason: String| ConfigError::Broken {
        path: shown.to_owned(),
        reason,
    };
    let read = || -> std::io::Result<Option<String>> {
        // asked before it is opened: opening a FIFO waits for a writer
        if !path.metadata()?.is_file() {
            return Ok(None);
        }
        let mut text = String::new();
        let file = std::fs::File::open(path)?;
        file.take(LARGEST + 1).read_to_string(&mut text)?;
        Ok(Some(text))
    };
    match read() {
        Ok(Some(text)) if text.len() as u64 > LARGEST => {
            Err(broken("it is larger than 1 MiB".into()))
        }
        Ok(Some(text)) => Ok(text),
        Ok(None) => Err(broken("it is no regular file".into())),
        Err(error) => Err(broken(error.to_string())),
    }
}
