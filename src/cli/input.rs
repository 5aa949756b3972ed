//! Reading what is to be linted: regular files and standard input, as UTF-8 text of a bearable size.
use std::fs::File;
use std::io::{self, ErrorKind, Read};
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

/// Why a text cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum InputError {
    #[error("no such file")]
    Missing,
    #[error("it is a directory")]
    Directory,
    #[error("it is no regular file; `-` reads standard input")]
    Special,
    #[error("it is larger than 16 MiB")]
    TooLarge,
    #[error("it is UTF-16; UTF-8 is read")]
    Utf16,
    #[error("it is no text: byte {0} is zero")]
    Binary(usize),
    #[error("it is no UTF-8: byte {0} is wrong")]
    NotUtf8(usize),
    #[error("{0}")]
    Other(io::Error),
}

impl From<io::Error> for InputError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::Missing,
            ErrorKind::IsADirectory => Self::Directory,
            _ => Self::Other(error),
        }
    }
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
    pub(super) fn read(&self) -> Result<String, InputError> {
        match self {
            Self::File(path) => {
                // Asked before it is opened: opening a FIFO waits for a writer.
                let kind = path.metadata()?.file_type();
                if kind.is_dir() {
                    return Err(InputError::Directory);
                }
                if !kind.is_file() {
                    return Err(InputError::Special);
                }
                read(File::open(path)?)
            }
            Self::Stdin(_) => read(io::stdin().lock()),
        }
    }
}

fn read(source: impl Read) -> Result<String, InputError> {
    let mut bytes = Vec::new();
    source.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(InputError::TooLarge);
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(InputError::Utf16);
    }
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        return Err(InputError::Binary(at));
    }
    String::from_utf8(bytes).map_err(|error| InputError::NotUtf8(error.utf8_error().valid_up_to()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_is_read() {
        let large = vec![b'a'; LARGEST as usize + 1];
        for (bytes, expected) in [
            (&b"FROM a\n"[..], "FROM a\n"),
            (b"", ""),
            ("\u{feff}FROM é".as_bytes(), "\u{feff}FROM é"),
            (b"ab\0", "it is no text: byte 2 is zero"),
            (b"ab\xff", "it is no UTF-8: byte 2 is wrong"),
            (b"\xff\xfeF\0", "it is UTF-16; UTF-8 is read"),
            (b"\xfe\xff\0F", "it is UTF-16; UTF-8 is read"),
            (&large, "it is larger than 16 MiB"),
        ] {
            let got = read(bytes).unwrap_or_else(|error| error.to_string());
            assert_eq!(got, expected);
        }
        assert!(read(&large[1..]).is_ok());
    }

    #[test]
    fn an_input_that_is_named_twice_is_read_once() {
        let paths = ["a", "-", "./a", "a", "-"].map(PathBuf::from);
        let inputs = Input::list(&paths, Some(Path::new("Dockerfile")));
        let shown: Vec<_> = inputs.iter().map(Input::path).collect();
        assert_eq!(shown, ["a", "Dockerfile", "./a"]);
    }
}
