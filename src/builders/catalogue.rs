//! The records that are known, and which of their matches a name leads to.
use super::record::{Match, Record};
use super::records::RECORDS;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::OnceLock;

/// The records that are built in.
pub static BUILT_IN: Catalogue = Catalogue::new(RECORDS);

/// Records, the first of which win over later ones.
#[derive(Debug)]
pub struct Catalogue {
    records: &'static [Record],
    index: OnceLock<Index>,
}

/// A match and the record that has it.
pub(super) type Rule = (&'static Record, &'static Match);

#[derive(Debug)]
struct Index {
    rules: Vec<Rule>,
    /// The rules that ask for a package, also of spack, a crate, a tool or a repository, by that name. A repository's is that without its owner.
    named: HashMap<&'static str, Vec<usize>>,
    /// The rules that ask for a directory.
    of_directories: Vec<usize>,
    /// The rules that ask for something else.
    others: Vec<usize>,
}

impl Catalogue {
    /// A catalogue of these records.
    pub const fn new(records: &'static [Record]) -> Self {
        Self {
            records,
            index: OnceLock::new(),
        }
    }

    /// The rules that may fit what has one of these names, in the order of the records; those about directories only where
    /// `in_directory`.
    pub(super) fn rules<'n>(
        &'static self,
        names: impl Iterator<Item = &'n str>,
        in_directory: bool,
    ) -> impl Iterator<Item = Rule> {
        let index = self.index.get_or_init(|| Index::of(self.records));
        let mut found = index.others.clone();
        for name in names {
            found.extend(index.named.get(name).into_iter().flatten());
        }
        if in_directory {
            found.extend(&index.of_directories);
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|at| index.rules[at])
    }
}

impl Deref for Catalogue {
    type Target = [Record];

    fn deref(&self) -> &[Record] {
        self.records
    }
}

impl Index {
    fn of(records: &'static [Record]) -> Self {
        let rules = records
            .iter()
            .flat_map(|record| record.matches.into_iter().map(move |rule| (record, rule)));
        let mut index = Self {
            rules: rules.collect(),
            named: HashMap::new(),
            of_directories: Vec::new(),
            others: Vec::new(),
        };
        for (at, (_, rule)) in index.rules.iter().enumerate() {
            let repo = rule.repo.map(|repo| without_owner(repo.as_str()));
            let other = || rule.pypi.or(rule.crate_name).or(rule.spack).or(rule.tool);
            let name = repo.or_else(|| other().map(|name| name.as_str()));
            let place = match name {
                Some(name) => index.named.entry(name).or_default(),
                None if rule.path_ends.is_some() || rule.dir.is_some() => &mut index.of_directories,
                None => &mut index.others,
            };
            place.push(at);
        }
        index
    }
}

/// `name` of `owner/name`.
pub(super) fn without_owner(repo: &str) -> &str {
    repo.split_once('/').map_or(repo, |(_, name)| name)
}
