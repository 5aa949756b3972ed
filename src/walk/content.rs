//! What stands at the paths of an image, and which tools are in it.
use super::value::Value;
use crate::facts::{Known, Tool};
use std::rc::Rc;

/// What a path of the image holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A file or directory of the build context, by its path there; by its path in the repository where that begins with `/`.
    Context(String),
    /// A checkout.
    Repo {
        /// `owner/name`, lower case.
        name: Rc<str>,
        /// Branch, tag or commit.
        reference: Option<Rc<str>>,
        /// It is the repository of the linted file, at the branch that everybody gets.
        own: bool,
    },
    /// A file fetched from an address.
    Url(Rc<str>),
    /// Text written by a command or heredoc.
    Text(Value),
    /// Something that is there and unknown.
    Unknown,
}

/// A program or library that may be there, and its version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presence {
    /// Whether it is there.
    pub there: Known,
    /// Its version, as far as known.
    pub version: Option<Rc<str>>,
    /// `cu124`, for torch.
    pub variant: Option<Rc<str>>,
    /// What brought it: a base image, an install command.
    pub from: Rc<str>,
}

impl Presence {
    /// Known to be absent, because of `from`.
    pub fn absent(from: &str) -> Self {
        Self {
            there: Known::No,
            from: from.into(),
            ..Self::default()
        }
    }

    /// Known to be there.
    pub fn present(version: Option<&str>, from: &str) -> Self {
        Self {
            there: Known::Yes,
            version: version.map(Into::into),
            variant: None,
            from: from.into(),
        }
    }
}

impl Presence {
    /// As reports print it: `none` for what is known to be absent, `unknown` for what is not known.
    pub fn fact(&self) -> Tool {
        let version = match (self.there, &self.version) {
            (Known::No, _) => "none".to_owned(),
            (_, Some(version)) => version.to_string(),
            _ => "unknown".to_owned(),
        };
        Tool {
            version,
            variant: self.variant.as_deref().unwrap_or_default().to_owned(),
            from: self.from.to_string(),
        }
    }
}

pub(super) fn merge_presence(mine: &mut Presence, theirs: &Presence) {
    if mine.there != theirs.there {
        // what one arm installed may be there
        *mine = Presence {
            there: Known::Unknown,
            ..Presence::default()
        };
    } else if mine.version != theirs.version {
        mine.version = None;
        mine.variant = None;
    }
}

/// Whether a path is an address on the network, which some tools take in place of a file.
pub fn is_url(path: &str) -> bool {
    ["http://", "https://", "ftp://"]
        .iter()
        .any(|scheme| path.starts_with(scheme))
}

/// `path` seen from `base`, normalised; unknown parts are `?`.
pub fn join(base: &str, path: &str) -> String {
    if is_url(path) {
        return path.to_owned();
    }
    let full = if path.starts_with('/') || path.starts_with('?') {
        path.to_owned()
    } else {
        format!("{base}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in full.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != "?" => {
                    parts.pop();
                }
                _ => {}
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if joined.starts_with('?') {
        joined
    } else {
        format!("/{joined}")
    }
}
