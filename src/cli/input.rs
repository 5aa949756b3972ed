//! Reading what is to be linted: regular files and standard input, as UTF-8 text of a bearable size.
use crate::read::{self, ReadError};
use std::io;
use std::path::{Path, PathBuf};

/// The largest text that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// Where a text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A file.
    File(PathBuf),
    /// Standard input, under a name.
    Stdin(PathBuf),
}

impl Input {
    /// The inputs that the arguments name, each once.
    pub(super) fn list(paths: &[PathBuf], stdin_filename: Option<&Path>) -> Vec<Self> {
        let mut inputs = Vec::new();
        for path in paths {
            let input = if path == Path::new("-") {
                Self::Stdin(stdin_filename.unwrap_or(path).to_owned())
            } else {
                Self::File(path.clone())
            };
            if !inputs.contains(&input) {
                inputs.push(input);
            }
        }
        inputs
    }

    /// The path that it is reported under.
    pub(super) fn path(&self) -> String {
        self.file().to_string_lossy().into_owned()
    }

    /// The file that it is, or stands for.
    pub(super) fn file(&self) -> &Path {
        let (Self::File(path) | Self::Stdin(path)) = self;
        path
    }

    /// Its text.
    pub(super) fn read(&self) -> Result<String, ReadError> {
        match self {
            Self::File(path) => read::file(path, LARGEST),
            Self::Stdin(_) => read::text(io::stdin().lock(), LARGEST),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_is_named_twice_is_read_once() {
        let paths = ["a", "-", "./a", "a", "-"].map(PathBuf::from);
        let inputs = Input::list(&paths, Some(Path::new("Dockerfile")));
        let shown: Vec<_> = inputs.iter().map(Input::path).collect();
        assert_eq!(shown, ["a", "Dockerfile", "./a"]);
    }
}
