//! What stands at the paths of an image, and which tools are in it.
use crate::facts::{Known, Tool};
use crate::value::{Size, Value};
use rpds::List;
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
    /// Text written by commands or a heredoc.
    Text(Written),
    /// Something that is there and unknown.
    Unknown,
}

/// The text of a file, as commands wrote it one after the other. A copy shares what both have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The last one first.
    parts: List<Value>,
    size: Size,
}

impl Written {
    /// What one command wrote.
    pub fn new(text: Value) -> Self {
        let mut written = Self {
            parts: List::new(),
            size: Size::default(),
        };
        written.append(text);
        written
    }

    /// Adds what another command wrote, on a line of its own.
    pub fn append(&mut self, text: Value) {
        self.size = self.size + text.size();
        match self.size.is_followed() {
            true => self.parts.push_front_mut(text),
            false => *self = Self::new(Value::too_long()),
        }
    }

    /// All of it.
    pub fn text(&self) -> Value {
        let parts: Vec<&Value> = self.parts.iter().collect();
        let mut all = Value::default();
        for (at, part) in parts.into_iter().rev().enumerate() {
            if at > 0 {
                all.push_literal("\n", None);
            }
            all.append(part);
        }
        all
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> Written {
        let mut written = Written::new(Value::literal("0", None));
        for n in 1..count {
            written.append(Value::literal(&n.to_string(), None));
        }
        written
    }

    #[test]
    fn what_commands_write_is_read_line_by_line() {
        let before = lines(2);
        let mut after = before.clone();
        after.append(Value::literal("x", None));
        assert_eq!(before.text().sketch(), "0\n1");
        assert_eq!(after.text().sketch(), "0\n1\nx");
    }

    #[test]
    fn a_file_of_very_many_lines_is_not_known() {
        assert_eq!(
            lines(4000).text().known().map(|t| t.lines().count()),
            Some(4000)
        );
        assert!(lines(5000).text().has_hole());
    }
}
