//! The variables of a CMake project, in scopes: what a function or a folder sets is undone at its end.
use crate::projects::guard::Guard;
use crate::projects::seen::{Open, Piece};
use std::collections::BTreeMap;

/// What a variable may be, each with its condition; a later one wins where both hold.
pub(super) type Ways = Vec<(Guard, Vec<Piece>)>;

/// More values than this of one argument are not told apart.
pub(super) const MAX_WAYS: usize = 8;

/// The variables.
#[derive(Default)]
pub(super) struct Variables {
    now: BTreeMap<String, Ways>,
    /// What was there before each change of the scopes that are open.
    before: Vec<(String, Option<Ways>)>,
    /// Where the changes of each scope that is open begin.
    scopes: Vec<usize>,
}

impl Variables {
    /// What `name` may be; empty where nothing sets it.
    pub(super) fn get(&self, name: &str) -> &[(Guard, Vec<Piece>)] {
        self.now.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether anything sets `name`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.now.contains_key(name)
    }

    /// Replaces all that `name` was; `None` unsets it.
    pub(super) fn put(&mut self, name: &str, ways: Option<Ways>) {
        let before = match ways {
            Some(ways) => self.now.insert(name.to_owned(), ways),
            None => self.now.remove(name),
        };
        if !self.scopes.is_empty() {
            self.before.push((name.to_owned(), before));
        }
    }

    /// Sets `name` where `guard` holds.
    pub(super) fn assign(&mut self, name: &str, value: Vec<Piece>, guard: &Guard) {
        let mut ways = match guard {
            Guard::Always => Vec::new(),
            _ => self.get(name).to_vec(),
        };
        if *guard == Guard::Never {
            return;
        }
        if ways.len() >= MAX_WAYS {
            ways = unknown();
        } else {
            ways.push((guard.clone(), value));
        }
        self.put(name, Some(ways));
    }

    /// Opens a scope; what it gives closes it.
    pub(super) fn open(&mut self) -> usize {
        self.scopes.push(self.before.len());
        self.before.len()
    }

    /// What `name` is now stays when the scope in hand closes, or all that are open: so it is with a cache entry.
    pub(super) fn keep(&mut self, name: &str, in_parent_only: bool) {
        let first = match in_parent_only {
            true => self.scopes.last().copied().unwrap_or(0),
            false => 0,
        };
        let now = self.now.get(name).cloned();
        let changes = self.before.iter_mut().skip(first);
        for (_, before) in changes.filter(|(changed, _)| changed == name) {
            before.clone_from(&now);
        }
    }

    /// Closes a scope: everything is as it was.
    pub(super) fn close(&mut self, opened: usize) {
        self.scopes.pop();
        for (name, ways) in self.before.drain(opened..).rev() {
            match ways {
                Some(ways) => self.now.insert(name, ways),
                None => self.now.remove(&name),
            };
        }
    }
}

/// A value that nobody knows.
pub(super) fn unknown() -> Ways {
    vec![(Guard::Always, vec![Piece::Open(Open::Unknown)])]
}
