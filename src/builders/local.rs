//! What is known of a project that lies in the repository itself: a record made from its own files. Who made it is not this
//! floor's business.
use super::record::{FixedList, OutcomeRow, Record};
use crate::actions::Named;
use crate::value::Site;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A project of the repository.
#[derive(Clone, Debug, Default)]
pub struct Local {
    /// Its name on a package index, normalised; empty if it has none.
    pub name: String,
    /// Its version, as far as it is written.
    pub version: Option<String>,
    /// What its files say; `None` where they were not understood.
    pub record: Option<&'static Record>,
    /// Defines that its files pass to CMake; the command's own come after them.
    pub defines: Vec<Named>,
    /// The file that took too much to read to its end.
    pub cut: Option<String>,
    /// Where a row of the record's outcome stands in its files, by the row's index, and what to say of it.
    pub causes: Vec<(usize, Cause)>,
    /// Where the comparisons of the record stand in its files, in their order.
    pub compared_at: Vec<Site>,
}

/// The line of a project's file that decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Where.
    pub site: Site,
    /// What it does, as a clause: `these flags switch torch's own list off`.
    pub say: String,
}

/// The projects that the steps of a walk build, by the index of the step.
pub type Locals = BTreeMap<usize, Rc<Local>>;

impl Local {
    /// Whether its files compute a list that cannot be told from them, and `record` is of a project that it knows by name: then that
    /// knows more.
    pub fn leaves_open(&self, record: &Record) -> bool {
        let Some(own) = self.record else { return false };
        let unknown = |row: &OutcomeRow| match &row.list {
            Some(FixedList::Plain(list)) => list.iter().any(|entry| &**entry == "unknown"),
            _ => false,
        };
        let rows = own.outcome.iter().flat_map(|rows| rows.iter());
        let named = record
            .matches
            .iter()
            .any(|rule| rule.repo.is_some() || rule.pypi.is_some() || rule.dir.is_some());
        named && own.id != record.id && rows.into_iter().any(unknown)
    }

    /// The line that is behind a row of the record's outcome.
    pub fn cause(&self, row: &OutcomeRow) -> Option<&Cause> {
        let rows = self.record?.outcome?;
        let index = rows.iter().position(|r| std::ptr::eq(r, row))?;
        self.causes
            .iter()
            .find(|(at, _)| *at == index)
            .map(|(_, cause)| cause)
    }
}
