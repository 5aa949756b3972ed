//! Reading text: UTF-8 of a bearable size, from regular files.
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// What is looked at of a file that is too large, in bytes.
const HEAD: u64 = 4096;

/// Why a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Nothing is there.
    #[error("no such file")]
    Missing,
    /// A directory is there.
    #[error("it is a directory")]
    Directory,
    /// A device, a socket, a FIFO.
    #[error("it is no regular file; `-` reads standard input")]
    Special,
    /// It has more bytes than this.
    #[error("it is larger than {}", size(*.0))]
    TooLarge(u64),
    /// Another encoding, by its first bytes.
    #[error("it is UTF-16; UTF-8 is read")]
    Utf16,
    /// The first byte that no text has.
    #[error("it is no text: byte {0} is zero")]
    Binary(usize),
    /// The first byte that is wrong.
    #[error("it is no UTF-8: byte {0} is wrong")]
    NotUtf8(usize),
    /// What the system says.
    #[error("{0}")]
    Other(String),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::Missing,
            ErrorKind::IsADirectory => Self::Directory,
            _ => Self::Other(error.to_string()),
        }
    }
}

fn size(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{bytes} bytes"),
        mebibytes => format!("{mebibytes} MiB"),
    }
}

/// The text of the regular file at `path`, of at most `largest` bytes.
///
/// # Errors
/// It is not there, or no such text.
pub fn file(path: &Path, largest: u64) -> Result<String, ReadError> {
    // asked before it is opened: opening a FIFO waits for a writer
    let about = path.metadata()?;
    if about.is_dir() {
        return Err(ReadError::Directory);
    }
    if !about.is_file() {
        return Err(ReadError::Special);
    }
    let file = File::open(path)?;
    if about.len() > largest {
        return Err(too_large(file, largest));
    }
    sized(file, about.len(), largest)
}

/// What is wrong with a file of more than `largest` bytes: a program is no text of whatever size.
fn too_large(file: impl Read, largest: u64) -> ReadError {
    match sized(file.take(HEAD), HEAD, HEAD) {
        Err(ReadError::Binary(at)) => ReadError::Binary(at),
        _ => ReadError::TooLarge(largest),
    }
}

/// All that `source` gives, at most `largest` bytes.
///
/// # Errors
/// It is no such text.
pub fn text(source: impl Read, largest: u64) -> Result<String, ReadError> {
    sized(source, 0, largest)
}

/// The same, of about `expected` bytes.
fn sized(source: impl Read, expected: u64, largest: u64) -> Result<String, ReadError> {
    // with room for all and a byte more, the end of a file is found in two calls
    let room = usize::try_from(expected.min(largest)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(room + 1);
    source
        .take(largest.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        return Err(ReadError::TooLarge(largest));
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(ReadError::Utf16);
    }
    if let Some(at) = memchr::memchr(0, &bytes) {
        return Err(ReadError::Binary(at));
    }
    String::from_utf8(bytes).map_err(|error| ReadError::NotUtf8(error.utf8_error().valid_up_to()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_is_read() {
        const LARGEST: u64 = 2 << 20;
        let large = vec![b'a'; LARGEST as usize + 1];
        for (bytes, expected) in [
            (&b"FROM a\n"[..], "FROM a\n"),
            (b"", ""),
            ("\u{feff}FROM é".as_bytes(), "\u{feff}FROM é"),
            (b"ab\0", "it is no text: byte 2 is zero"),
            (b"ab\xff", "it is no UTF-8: byte 2 is wrong"),
            (b"\xff\xfeF\0", "it is UTF-16; UTF-8 is read"),
            (b"\xfe\xff\0F", "it is UTF-16; UTF-8 is read"),
            (&large, "it is larger than 2 MiB"),
        ] {
            let got = text(bytes, LARGEST).unwrap_or_else(|error| error.to_string());
            assert_eq!(got, expected);
        }
        assert!(text(&large[1..], LARGEST).is_ok());
    }
}
