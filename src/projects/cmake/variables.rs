//! The variables of a CMake project, in scopes: what a function or a folder sets is undone at its end.
use crate::projects::guard::Guard;
use crate::projects::seen::{Open, Piece};
use crate::value::Site;
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
        if *guard == Guard::Never {
            return;
        }
        // what holds only where this does counts no more
        let before = self.get(name).iter();
        let mut ways: Ways = before
            .filter(|(when, _)| !when.implies(guard))
            .cloned()
            .collect();
        if ways.len() >= MAX_WAYS {
            ways = unknown();
        } else {
            ways.push((guard.clone(), value));
        }
        self.put(name, Some(ways));
    }

    /// Adds to `name` where `guard` holds, in each way that it and what is added may be.
    pub(super) fn append(&mut self, name: &str, more: &Ways, guard: &Guard) {
        if *guard == Guard::Never || more.is_empty() {
            return;
        }
        let before = self.get(name);
        let unset = [(
            Guard::Always,
            vec![Piece::Open(Open::Define(name.to_owned(), None))],
        )];
        let may_be_unset = !before.iter().any(|(when, _)| *when == Guard::Always);
        let unset = unset.iter().filter(|_| may_be_unset);
        let mut ways = Ways::new();
        for (at, (when, value)) in unset.chain(before).enumerate() {
            // where it is added, what it was counts no more; elsewhere it does
            let is_inside = when.implies(guard);
            let is_unset = may_be_unset && at == 0;
            if !is_inside && !is_unset {
                ways.push((when.clone(), value.clone()));
            }
            let here = match is_inside {
                true => when.clone(),
                false => Guard::all([guard.clone(), when.clone()]),
            };
            for (also, added) in more {
                let when = Guard::all([here.clone(), also.clone()]);
                if when != Guard::Never {
                    ways.push((when, added_to(value, added, name)));
                }
            }
        }
        let mut kept = Ways::new();
        for (when, value) in ways.into_iter().rev() {
            // a later one wins wherever this holds
            if !kept.iter().any(|(later, _)| when.implies(later)) {
                kept.push((when, value));
            }
        }
        kept.reverse();
        if kept.len() > MAX_WAYS {
            kept = unknown();
        }
        self.put(name, Some(kept));
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

/// A list with more at its end.
pub(super) fn listed(list: &[Piece], more: &[Piece]) -> Vec<Piece> {
    let mut joined = list.to_vec();
    if !joined.is_empty() && !more.is_empty() {
        joined.push(Piece::Literal(";".to_owned(), Site::default()));
    }
    joined.extend(more.iter().cloned());
    joined
}

/// The variable `name` with more at its end. What the command line gives in place of nothing, or of a default, is not counted on.
fn added_to(value: &[Piece], more: &[Piece], name: &str) -> Vec<Piece> {
    match value {
        [Piece::Open(Open::Define(of, Some(text)))] if of == name => {
            listed(&[Piece::Literal(text.clone(), Site::default())], more)
        }
        [Piece::Open(Open::Define(of, None))] if of == name => more.to_vec(),
        value => listed(value, more),
    }
}

/// A value that nobody knows.
pub(super) fn unknown() -> Ways {
    vec![(Guard::Always, vec![Piece::Open(Open::Unknown)])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projects::seen::sketch;

    fn text(text: &str) -> Vec<Piece> {
        vec![Piece::Literal(text.to_owned(), Site::default())]
    }

    /// What `X` may be, the later over the earlier.
    fn shown(variables: &Variables) -> Vec<String> {
        let ways = variables.get("X").iter();
        ways.map(|(when, value)| format!("{when:?}: {}", sketch(value)))
            .collect()
    }

    #[test]
    fn what_is_added_a_hundred_times_under_one_condition_has_two_ways() {
        let condition = |name: &str| Guard::Unknown(name.to_owned());
        let mut variables = Variables::default();
        variables.assign("X", text("a"), &Guard::Always);
        for _ in 0..100 {
            variables.append("X", &vec![(Guard::Always, text("b"))], &condition("c"));
        }
        let [plain, long] = shown(&variables).try_into().unwrap();
        assert_eq!(plain, "Always: a");
        assert_eq!(long, format!("Unknown(\"c\"): a{}", ";b".repeat(100)));
        // what holds only there counts no more
        variables.assign("X", text("d"), &condition("c"));
        assert_eq!(shown(&variables), ["Always: a", "Unknown(\"c\"): d"]);
        // another condition: where both hold, both were added
        let mut variables = Variables::default();
        for name in ["c", "d"] {
            variables.append("X", &vec![(Guard::Always, text(name))], &condition(name));
        }
        assert_eq!(
            shown(&variables),
            [
                "Unknown(\"d\"): d",
                "Unknown(\"c\"): c",
                "All([Unknown(\"d\"), Unknown(\"c\")]): c;d",
            ]
        );
        variables.append("X", &vec![(Guard::Always, text("e"))], &Guard::Always);
        assert_eq!(variables.get("X").len(), 4);
    }
}
