//! Lists of architectures that somebody set, seen from where they stand.
use super::SetHow;
use crate::span::Place;
use serde::{Deserialize, Serialize};

/// A variable that holds a list of architectures, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The variable.
    pub name: String,
    /// Its text.
    pub text: String,
    /// In which form it is set.
    pub how: SetHow,
    /// The file.
    pub path: String,
    /// The name and the value.
    pub span: Place,
    /// The stage or job.
    pub scope: String,
    /// Who reads it.
    pub reader: Reader,
    /// The same in words: for `runtime`, the packages that bring their code prebuilt.
    pub reader_text: String,
}

/// Who reads a setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reader {
    /// A build, or a package that compiles when it runs.
    Build,
    /// Only processes that run prebuilt code.
    Runtime,
    /// It cannot be known.
    #[default]
    Unknown,
}
