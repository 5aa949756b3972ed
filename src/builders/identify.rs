//! Which record an action belongs to.
use super::catalogue::Catalogue;
use super::cond::{Case, Tri};
use super::judge::compiles_rows;
use super::local::Local;
use super::record::{Answer, Cond, Evidence, Match, Record};
use super::records::RECORDS;
use super::who::{Checkout, Who};
use crate::actions::{Action, Source, verb::Verb};
use crate::facts::Known;
use crate::table::One;
use crate::walk::state::State;
use std::borrow::Cow;

/// A record that fits.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'l> {
    /// The record.
    pub record: &'static Record,
    /// It rests on a directory's name, a fork, or on what is around it.
    pub likely: bool,
    /// No record knows the project: it is only a place where something may be built.
    pub unseen: bool,
    /// An unseen project with a public name, installed as plain Python packages are.
    pub weak: bool,
    /// The project's own files, which gave the record.
    pub local: Option<&'l Local>,
}

/// The kinds of match that rest on the very name of a package, repository or tool: those that a comment does not change.
const NAMED: u8 = 4;

/// The kind of match that rests on a directory's name; weaker ones give way to the project's own files.
const BY_DIRECTORY: u8 = 2;

/// How well a match fits; higher wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    kind: u8,
    subdir: usize,
}

/// The record of `action`, and the package's version where it is known.
///
/// `hint`: the id of the record that a comment declares. `asked`: something in the document sets a variable that only torch
/// extensions read.
pub fn identify<'l>(
    action: &Action,
    state: &State,
    hint: Option<&str>,
    asked: bool,
    records: &'static Catalogue,
    local: Option<&'l Local>,
) -> Option<(Identity<'l>, Option<String>)> {
    let mut who = Who::of(action, state);
    if let Some(local) = local {
        who.version = who.version.or_else(|| local.version.clone());
        who.name = Some(local.name.clone()).filter(|name| !name.is_empty());
    }
    let case = Case {
        action,
        state,
        version: who.version.as_deref(),
        list: Tri::Unknown,
    };
    let mut best: Option<(Rank, Identity<'_>)> = None;
    let in_directory = !who.dirs.is_empty() || !who.subdir.is_empty();
    let names = names_of(action, &who);
    for (record, rule) in records.rules(names.iter().map(|name| &**name), in_directory) {
        // scripts lie in every repository: only a record that speaks of them knows what they do
        if action.verb == Verb::Script && !speaks_of_scripts(record) {
            continue;
        }
        let Some((rank, likely)) = fits(rule, action, &who, &case) else {
            continue;
        };
        if best.as_ref().is_none_or(|(found, _)| rank > *found) {
            best = Some((
                rank,
                Identity {
                    record,
                    likely,
                    unseen: false,
                    weak: false,
                    local: None,
                },
            ));
        }
    }
    let named = best.as_ref().is_some_and(|(rank, _)| rank.kind >= NAMED);
    let by_name = best.as_ref().is_some_and(|(rank, identity)| {
        let vague = local.is_some_and(|local| local.leaves_open(identity.record));
        // a folder's name alone does not deny what the files in it show
        let denied = rank.kind == BY_DIRECTORY
            && local.is_some_and(|local| local.record.is_some())
            && says_no(identity.record, &case);
        vague || (!denied && outweighs_files(*rank, identity.record, &who))
    });
    let found = declared(hint.filter(|_| !named), action, records)
        .or_else(|| of_its_files(local.filter(|_| !by_name)))
        .or_else(|| best.map(|(_, identity)| identity))
        .or_else(|| unseen(action, &who, state, asked, records));
    found.map(|identity| (identity, who.version))
}

/// The names by which a record may ask for an action.
fn names_of<'a>(action: &'a Action, who: &'a Who) -> Vec<Cow<'a, str>> {
    let repo = who.repo.as_ref().map(Checkout::name);
    let plain = [Some(action.tool.as_str()), repo, who.name.as_deref()].into_iter();
    let crates = action.crates.iter().map(String::as_str);
    let mut names: Vec<Cow<'_, str>> = plain.flatten().chain(crates).map(Cow::from).collect();
    match &action.source {
        Source::Index { name, .. } => names.push(name.into()),
        Source::Wheel(file) => names.extend(distribution(file).map(Cow::from)),
        _ => {}
    }
    names
}

/// The package that a wheel is of, normalised.
fn distribution(wheel: &str) -> Option<String> {
    let name = wheel.rsplit('/').next()?.split('-').next()?;
    Some(crate::actions::normalise(name))
}

/// Whether a record says for sure that nothing is compiled.
fn says_no(record: &'static Record, case: &Case<'_>) -> bool {
    let mut rows = compiles_rows(record).iter();
    let first = rows.find_map(|row| {
        let holds = row.when.as_ref().map_or(Tri::Yes, |when| case.holds(when));
        (holds != Tri::No).then_some((holds, row.then))
    });
    first == Some((Tri::Yes, Answer::No))
}

/// Whether a match says more than the project's own files: a name that holds only for a folder around the project does not.
fn outweighs_files(rank: Rank, record: &Record, who: &Who) -> bool {
    let own = || {
        let dirs = record.matches.iter().filter_map(|rule| rule.dir);
        dirs.into_iter().any(|dir| {
            who.dirs
                .iter()
                .any(|(name, below)| below.is_empty() && dir_name_fits(name, &dir))
        })
    };
    rank.kind > BY_DIRECTORY || (rank.kind == BY_DIRECTORY && (rank.subdir > 0 || own()))
}

/// The record that the project's own files give.
fn of_its_files(local: Option<&Local>) -> Option<Identity<'_>> {
    let record = local?.record?;
    Some(Identity {
        record,
        likely: false,
        unseen: false,
        weak: false,
        local,
    })
}

/// The record that a comment declares for what is built from source.
fn declared(
    hint: Option<&str>,
    action: &Action,
    records: &'static Catalogue,
) -> Option<Identity<'static>> {
    let from_source = match &action.source {
        Source::Tree(_) | Source::Project(_) | Source::Repo { .. } | Source::Archive(_) => true,
        Source::Index { .. } | Source::Requirements(_) | Source::Wheel(_) | Source::Nothing => {
            false
        }
    };
    let record = records.iter().find(|r| Some(&*r.id) == hint)?;
    from_source.then_some(Identity {
        record,
        likely: false,
        unseen: false,
        weak: false,
        local: None,
    })
}

fn speaks_of_scripts(record: &Record) -> bool {
    let names = |cond: Option<One<Cond>>| {
        cond.is_some_and(|c| {
            c.verb.contains(&Verb::Script) || c.any.iter().any(|c| c.verb.contains(&Verb::Script))
        })
    };
    record
        .matches
        .iter()
        .any(|m| m.verb.contains(&Verb::Script) || m.tool.is_some())
        || record
            .compiles
            .iter()
            .flat_map(|l| l.0)
            .any(|r| names(r.when))
        || record.knobs.iter().flat_map(|l| l.0).any(|k| names(k.when))
        || record
            .outcome
            .iter()
            .flat_map(|l| l.0)
            .any(|r| names(r.when))
}

/// An unseen project, where nvcc and torch are at hand: perhaps a torch extension.
fn unseen(
    action: &Action,
    who: &Who,
    state: &State,
    asked: bool,
    records: &'static Catalogue,
) -> Option<Identity<'static>> {
    let tree = match &action.source {
        // `./$WHEEL` may be anything
        Source::Tree(path) => path.rsplit('/').next() != Some("?") || path == "?",
        Source::Archive(_) | Source::Repo { .. } => true,
        _ => false,
    };
    if !tree || !matches!(action.verb, Verb::Source | Verb::Setup) {
        return None;
    }
    // a line in a list of packages is no hint of CUDA
    if action.at.is_some() {
        return None;
    }
    if who.dirs.iter().any(|(_, below)| is_aside(below)) || is_aside(&who.subdir) {
        return None;
    }
    // CMake has built it already: what is installed is what it made
    if let Source::Tree(path) = &action.source
        && state.configured.iter().any(|built| is_below(built, path))
    {
        return None;
    }
    let weak = who.repo.is_some() && action.verb != Verb::Setup;
    let torch_ext = asked || (state.torch.there == Known::Yes && state.nvcc.there == Known::Yes);
    let id = if torch_ext {
        "torch-ext"
    } else if state.nvcc.there == Known::Yes && action.no_binary {
        "setuptools-generic-sdist"
    } else {
        return None;
    };
    let record = records.iter().find(|r| &*r.id == id)?;
    Some(Identity {
        record,
        likely: true,
        unseen: true,
        weak,
        local: None,
    })
}

/// Whether a folder lies in another one, which is not the root.
fn is_below(inner: &str, outer: &str) -> bool {
    let rest = inner.strip_prefix(outer).filter(|_| outer.len() > 1);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// How `rule` fits, and whether it is only likely.
fn fits(rule: &Match, action: &Action, who: &Who, case: &Case<'_>) -> Option<(Rank, bool)> {
    if !rule.verb.is_empty() && !rule.verb.contains(&action.verb) {
        return None;
    }
    let (kind, subdir, likely) = names(rule, action, who)?;
    let mut certain = true;
    if let Some(cond) = &rule.when {
        match case.holds(cond) {
            Tri::No => return None,
            Tri::Unknown => certain = false,
            Tri::Yes => {}
        }
    }
    Some((Rank { kind, subdir }, likely || !certain))
}

/// `(kind of match, length of the subdirectory, likely)`.
fn names(rule: &Match, action: &Action, who: &Who) -> Option<(u8, usize, bool)> {
    if let Some(repo) = &rule.repo {
        let found = who.repo.as_ref()?;
        let owner = repo.strip_suffix(found.name())?;
        if found.whole == **repo {
            return Some((6, subdir_fits(rule, &who.subdir)?, false));
        }
        // a fork keeps the name; an owner with projects of its own in the table has another one of that name
        let fork = found.name > 0
            && owner.find('/') == owner.len().checked_sub(1)
            && !owns_a_record(found.owner());
        return fork.then_some((3, subdir_fits(rule, &who.subdir)?, true));
    }
    if let Some(name) = &rule.pypi {
        return match &action.source {
            Source::Index { name: found, .. }
                if matches!(action.verb, Verb::Index) && found == &**name =>
            {
                Some((5, 0, false))
            }
            Source::Wheel(file) => (distribution(file)? == **name).then_some((5, 0, false)),
            // the project calls itself so: it, or a copy of it
            Source::Tree(_) | Source::Project(_) if who.name.as_deref() == Some(&**name) => {
                Some((3, 0, true))
            }
            _ => None,
        };
    }
    if let Some(name) = &rule.crate_name {
        return match &action.source {
            Source::Index { name: found, .. } if action.verb == Verb::Cargo && found == &**name => {
                Some((5, 0, false))
            }
            _ => action
                .crates
                .iter()
                .any(|c| c == &**name)
                .then_some((5, 0, false)),
        };
    }
    if let Some(name) = &rule.spack {
        let is_it = matches!(&action.source, Source::Index { name: found, .. } if found == &**name);
        return (is_it && action.verb == Verb::Spack).then_some((5, 0, false));
    }
    if let Some(tool) = &rule.tool {
        return (action.tool == **tool).then_some((4, 0, false));
    }
    if let Some(ends) = &rule.path_ends {
        let is_it = |name: &str, below: &str| {
            ends.strip_prefix(name).and_then(|e| e.strip_prefix('/')) == Some(below)
        };
        let found = who.dirs.iter().any(|(name, below)| is_it(name, below))
            || who.subdir.ends_with(&**ends);
        return found.then_some((2, ends.len(), true));
    }
    if let Some(dir) = &rule.dir {
        // a checkout's own name says more than the directory it was put into
        let best = who
            .dirs
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, (name, _))| dir_name_fits(name, dir))
            // `tests/jax` holds the tests of something else for it
            .filter(|(at, _)| *at == 0 || who.dirs.get(at - 1).is_none_or(|(n, _)| !is_aside(n)))
            .find_map(|(_, (_, below))| subdir_fits(rule, below))?;
        if who.repo.as_ref().is_some_and(|repo| {
            repo.last() != &**dir && !who.subdir.split('/').any(|p| p == &**dir)
        }) {
            return None;
        }
        return Some((2, best, true));
    }
    match rule.evidence {
        Some(Evidence::TorchJitLoad) => (action.verb == Verb::Jit).then_some((1, 0, false)),
        Some(Evidence::UnknownTree) | None if rule.when.is_some() => Some((1, 0, true)),
        _ => None,
    }
}

/// Tests, examples and documentation of a project are not the project.
fn is_aside(below: &str) -> bool {
    let first = below.split('/').next().unwrap_or_default();
    matches!(
        first,
        "test"
            | "tests"
            | "doc"
            | "docs"
            | "example"
            | "examples"
            | "benchmark"
            | "benchmarks"
            | "samples"
            | "tutorials"
    )
}

fn owns_a_record(owner: &str) -> bool {
    let mut repos = RECORDS
        .iter()
        .flat_map(|r| r.matches.iter())
        .filter_map(|m| m.repo);
    repos.any(|repo| repo.split_once('/').is_some_and(|(o, _)| o == owner))
}

/// `apex`, also `apex-22.4` as archives unpack to.
fn dir_name_fits(name: &str, dir: &str) -> bool {
    let Some((head, rest)) = name.split_at_checked(dir.len()) else {
        return false;
    };
    if !head.eq_ignore_ascii_case(dir) {
        return false;
    }
    rest.is_empty()
        || rest.strip_prefix('-').is_some_and(|v| {
            v.trim_start_matches('v')
                .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '?' | '*'))
                || matches!(v, "main" | "master")
        })
}

/// Length of the subdirectory that `rule` asks for, if `below` is it.
fn subdir_fits(rule: &Match, below: &str) -> Option<usize> {
    match &rule.subdir {
        None => (!is_aside(below)).then_some(0),
        Some(wanted) if wanted.is_empty() => below.is_empty().then_some(1),
        Some(wanted) => {
            let within = below == &**wanted
                || below
                    .strip_prefix(&**wanted)
                    .is_some_and(|rest| rest.starts_with('/'));
            within.then_some(wanted.len() + 1)
        }
    }
}
