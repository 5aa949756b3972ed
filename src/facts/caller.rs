//! Who builds a linted Dockerfile: what edits of the build arguments start from.
use crate::span::Span;

/// A file whose commands, or whose descriptions of images, build a linted Dockerfile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerFile {
    /// The path of the linted file.
    pub builds: String,
    /// Its own path, as the user would write it.
    pub path: String,
    /// The same in the repository.
    pub file: String,
    /// Its text.
    pub text: String,
    /// What builds the linted file there.
    pub callers: Vec<Caller>,
}

/// A command, or the description of an image, that builds a linted Dockerfile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The world in which it builds: `compose.yml:12 (cuda=12.4)`.
    pub name: String,
    /// What tells it from others at the same place: `cuda=12.4`.
    pub row: String,
    /// Its place in its file.
    pub span: Span,
    /// The build arguments that it gives.
    pub args: Vec<GivenArgument>,
}

/// A build argument with the value that a caller gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenArgument {
    /// The name.
    pub name: String,
    /// The value, if it is known.
    pub text: Option<String>,
    /// Where all of the value stands in the caller's file just as it is, if there is such a place.
    pub written: Option<Span>,
}
