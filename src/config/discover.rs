//! Which configuration files apply to a file: those of its folder and the folders above, up to the repository's root.
use super::layer::Layer;
use super::resolve::Config;
use super::{ConfigError, read_text};
use crate::tree::{Folders, Tree};
use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The name of configuration files.
pub const NAME: &str = ".kimg-lint.yaml";

/// The configurations of a run: every file is read once.
pub struct Configs {
    /// The working directory.
    here: PathBuf,
    /// The file that the user names in place of those that are found.
    named: Option<Arc<Config>>,
    folders: HashMap<PathBuf, Vec<&'static Layer>>,
    /// Whether a folder has a `.git`.
    git: HashMap<PathBuf, bool>,
    /// The roots above folders, where there is one.
    roots: HashMap<PathBuf, Option<PathBuf>>,
    /// What lies below roots.
    trees: HashMap<PathBuf, Option<Arc<Folders>>>,
    /// By the nearest file.
    resolved: HashMap<Option<String>, Arc<Config>>,
}

impl Configs {
    /// Those that are found for paths seen from the working directory, or the one at `named` for all.
    ///
    /// # Errors
    /// The working directory is not known, or the named file cannot be read or used.
    pub fn here(named: Option<&Path>) -> Result<Self, ConfigError> {
        let here = std::env::current_dir().map_err(|error| ConfigError::Broken {
            path: ".".to_owned(),
            reason: error.to_string(),
        })?;
        Self::new(here, named)
    }

    /// Those that are found for paths seen from the folder `here`, or the one at `named` for all.
    ///
    /// # Errors
    /// The named file cannot be read or used.
    pub fn new(here: PathBuf, named: Option<&Path>) -> Result<Self, ConfigError> {
        let mut configs = Self {
            here,
            named: None,
            folders: HashMap::new(),
            git: HashMap::new(),
            roots: HashMap::new(),
            trees: HashMap::new(),
            resolved: HashMap::new(),
        };
        if let Some(path) = named {
            let path = configs.absolute(path);
            let layer = configs.read(&path)?;
            configs.named = Some(Arc::new(Config::new(&[layer])?));
        }
        Ok(configs)
    }

    /// The working directory.
    pub fn folder(&self) -> &Path {
        &self.here
    }

    /// An absolute path without `.` and `..`, by its words: links are not followed.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        let mut absolute = PathBuf::new();
        for component in self.here.join(path).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    absolute.pop();
                }
                other => absolute.push(other),
            }
        }
        absolute
    }

    /// The configuration for the file at `path`.
    ///
    /// # Errors
    /// A configuration file cannot be read or used.
    pub fn of(&mut self, path: &Path) -> Result<Arc<Config>, ConfigError> {
        if let Some(config) = &self.named {
            return Ok(Arc::clone(config));
        }
        let path = self.absolute(path);
        let layers = self.layers(path.parent().unwrap_or(&path))?;
        let nearest = layers.first().map(|layer| layer.path.clone());
        if let Some(config) = self.resolved.get(&nearest) {
            return Ok(Arc::clone(config));
        }
        let config = Arc::new(Config::new(&layers)?);
        self.resolved.insert(nearest, Arc::clone(&config));
        Ok(config)
    }

    /// The repository's root for the file at `path`: the nearest folder, from its own upward, that has a `.git` or a
    /// configuration with `root: true`; without one, the working directory if the file lies below it, else its own folder.
    ///
    /// # Errors
    /// A configuration file cannot be read.
    pub fn root(&mut self, path: &Path) -> Result<PathBuf, ConfigError> {
        let path = self.absolute(path);
        let own = path.parent().unwrap_or(&path);
        if let Some(root) = self.root_above(own)? {
            return Ok(root);
        }
        let below_here = own.starts_with(&self.here);
        Ok(if below_here { &self.here } else { own }.to_owned())
    }

    /// The nearest root, from a folder upward.
    fn root_above(&mut self, folder: &Path) -> Result<Option<PathBuf>, ConfigError> {
        if let Some(root) = self.roots.get(folder) {
            return Ok(root.clone());
        }
        let root = if self.is_root(folder)? {
            Some(folder.to_owned())
        } else {
            let above = folder.parent().map(|above| self.root_above(above));
            above.transpose()?.flatten()
        };
        self.roots.insert(folder.to_owned(), root.clone());
        Ok(root)
    }

    fn is_root(&mut self, folder: &Path) -> Result<bool, ConfigError> {
        if self.has_git(folder) {
            return Ok(true);
        }
        if self.named.is_some() {
            return Ok(false);
        }
        let nearest = self.layers(folder)?.first().copied();
        Ok(nearest.is_some_and(|layer| layer.folder == folder && layer.file.root))
    }

    fn has_git(&mut self, folder: &Path) -> bool {
        if let Some(&known) = self.git.get(folder) {
            return known;
        }
        let has = folder.join(".git").exists();
        self.git.insert(folder.to_owned(), has);
        has
    }

    /// The files that lie around the linted file at `path`.
    ///
    /// # Errors
    /// A configuration file cannot be read.
    pub fn tree(&mut self, path: &Path) -> Result<Tree, ConfigError> {
        let root = self.root(path)?;
        let place = self.absolute(path);
        let folders = match self.trees.get(&root) {
            Some(folders) => folders.clone(),
            None => {
                let folders = Folders::below(&root).map(Arc::new);
                self.trees.insert(root.clone(), folders.clone());
                folders
            }
        };
        Ok(Tree::within(folders, &root, &place, path))
    }

    /// The files of a folder and those above it, the nearest first.
    fn layers(&mut self, folder: &Path) -> Result<Vec<&'static Layer>, ConfigError> {
        if let Some(layers) = self.folders.get(folder) {
            return Ok(layers.clone());
        }
        let path = folder.join(NAME);
        let own = match path.symlink_metadata() {
            Err(error) if absent(&error) => None,
            _ => Some(self.read(&path)?),
        };
        let mut layers: Vec<_> = own.into_iter().collect();
        let is_root = own.is_some_and(|layer| layer.file.root);
        if let Some(above) = folder.parent().filter(|_| !self.has_git(folder)) {
            if !is_root {
                layers.extend(self.layers(above)?);
            } else if above.ancestors().any(|folder| self.has_git(folder)) {
                let above = self.layers(above)?;
                layers.extend(above.iter().filter_map(|layer| layer.locks()));
            }
        }
        self.folders.insert(folder.to_owned(), layers.clone());
        Ok(layers)
    }

    fn read(&self, path: &Path) -> Result<&'static Layer, ConfigError> {
        let shown = path.strip_prefix(&self.here).unwrap_or(path);
        let shown = shown.display().to_string();
        let text = read_text(path, &shown)?;
        Layer::parse(&shown, path.parent().unwrap_or(path), &text)
    }
}

fn absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}
