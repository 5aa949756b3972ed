//! Reading what is to be linted: regular files and standard input, as UTF-8 text of a bearable size.
use super::below::below;
use crate::read::{self, ReadError};
use crate::relative;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

/// The largest text that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// Where a text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A file.
    File(PathBuf),
    /// A file that was found in a folder.
    Found(PathBuf),
    /// Standard input, under a name.
    Stdin(PathBuf),
}

impl Input {
    /// The inputs that the arguments name, each once; of a folder, the files below it that are of a known kind. Without
    /// arguments, of the working directory.
    pub(super) fn list(paths: &[PathBuf], stdin_filename: Option<&Path>) -> Vec<Self> {
        let here = [PathBuf::from(".")];
        let mut inputs = Vec::new();
        let mut known = HashSet::new();
        for path in if paths.is_empty() { &here } else { paths } {
            let found = if path == Path::new("-") {
                vec![Self::Stdin(stdin_filename.unwrap_or(path).to_owned())]
            } else if path.is_dir() {
                below(path).into_iter().map(Self::Found).collect()
            } else {
                vec![Self::File(path.clone())]
            };
            inputs.extend(
                found
                    .into_iter()
                    .filter(|input| known.insert(input.file().to_owned())),
            );
        }
        inputs
    }

    /// The path that it is reported under.
    pub(super) fn path(&self) -> String {
        relative::text(self.file()).into_owned()
    }

    /// The file that it is, or stands for.
    pub(super) fn file(&self) -> &Path {
        let (Self::File(path) | Self::Found(path) | Self::Stdin(path)) = self;
        path
    }

    /// Its text.
    pub(super) fn read(&self) -> Result<String, ReadError> {
        match self {
            Self::File(path) | Self::Found(path) => read::file(path, LARGEST),
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
