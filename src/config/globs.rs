//! Globs that start from a configuration file's folder, and the files that fit them.
use super::ConfigError;
use super::at::At;
use super::layer::Layer;
use crate::table::Text;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::{Path, PathBuf};

/// Globs below a folder.
#[derive(Clone, Debug)]
pub struct Globs {
    folder: PathBuf,
    set: GlobSet,
}

impl Globs {
    /// Globs that start from the layer's folder.
    ///
    /// # Errors
    /// A pattern that is no glob.
    pub(super) fn new(layer: &Layer, patterns: &[At<Text>]) -> Result<Self, ConfigError> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let glob = GlobBuilder::new(&pattern.value)
                .literal_separator(true)
                .build()
                .map_err(|error| layer.fault(pattern, error.kind()))?;
            set.add(glob);
        }
        Ok(Self {
            folder: layer.folder.clone(),
            set: set.build().map_err(|error| layer.broken(error))?,
        })
    }

    /// Whether the file at an absolute path fits one of them.
    pub fn fit(&self, path: &Path) -> bool {
        path.strip_prefix(&self.folder)
            .is_ok_and(|below| self.set.is_match(below))
    }
}

/// Whether a pattern is the path of one file.
pub(super) fn is_literal(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', '{', '\\'])
}

/// The files that fit a pattern, in order; at least one.
///
/// # Errors
/// The pattern is no glob, or no file fits.
pub(super) fn files(layer: &Layer, pattern: &At<Text>) -> Result<Vec<PathBuf>, ConfigError> {
    let globs = Globs::new(layer, std::slice::from_ref(pattern))?;
    let literal = pattern.value.split('/').take_while(|part| is_literal(part));
    let start = layer.folder.join(literal.collect::<PathBuf>());
    let found = ignore::WalkBuilder::new(start)
        .standard_filters(false)
        .sort_by_file_path(Path::cmp)
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let files: Vec<PathBuf> = found
        .map(ignore::DirEntry::into_path)
        .filter(|path| globs.fit(path))
        .collect();
    if files.is_empty() {
        return Err(layer.fault(pattern, format!("no file fits `{}`", pattern.value)));
    }
    Ok(files)
}
