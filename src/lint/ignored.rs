//! What git ignores in a tree, by the `.gitignore` files that are met on the way down.
use crate::tree::Tree;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::rc::Rc;

/// A `.gitignore` is no larger than this, in bytes.
const LARGEST: u64 = 1 << 18;

/// The rules that hold in a folder, those of the top first.
#[derive(Clone, Default)]
pub(super) struct Ignored {
    rules: Rc<Vec<Rc<Gitignore>>>,
}

impl Ignored {
    /// The rules in `folder`, in which there are files of these names.
    pub(super) fn within(self, tree: &Tree, folder: &str, names: &[String]) -> Self {
        let path = match folder {
            "" => ".gitignore".to_owned(),
            folder => format!("{folder}/.gitignore"),
        };
        let is_there = names.iter().any(|name| name == ".gitignore");
        let Some(text) = is_there.then(|| tree.read(&path, LARGEST).ok()).flatten() else {
            return self;
        };
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.lines() {
            // a line that is no pattern ignores nothing
            let _ = builder.add_line(None, line);
        }
        let Ok(own) = builder.build() else {
            return self;
        };
        let mut rules = Rc::unwrap_or_clone(self.rules);
        rules.push(Rc::new(own));
        Self {
            rules: Rc::new(rules),
        }
    }

    /// Whether git ignores what is at `path`: the nearest rule decides.
    pub(super) fn has(&self, path: &str, is_folder: bool) -> bool {
        let found =
            self.rules
                .iter()
                .rev()
                .find_map(|rules| match rules.matched(path, is_folder) {
                    Match::None => None,
                    Match::Ignore(_) => Some(true),
                    Match::Whitelist(_) => Some(false),
                });
        found.unwrap_or(false)
    }
}
