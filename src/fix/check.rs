//! Whether an edit mends a finding and does nothing else that somebody would mind.
use super::Judged;
use crate::facts::{Build, Diagnosis, Edit, Finding, Outcome, Severity};

/// The finding is gone, its build has a list where that is what was wanted, every build is still there, and nothing new is wrong.
pub(super) fn mends(
    before: &Judged,
    after: &Judged,
    finding: &Finding,
    build: &Build,
    edits: &[Edit],
    list: bool,
) -> bool {
    let at = |path: &str, offset| (path.to_owned(), moved(path, offset, edits));
    let same = |old: &Finding, new: &Finding| {
        old.code == new.code
            && at(&old.path, old.span.offset) == (new.path.clone(), new.span.offset)
    };
    let counts = |finding: &&Finding| finding.suppressed.is_none();
    let gone = !after
        .findings
        .iter()
        .filter(counts)
        .any(|new| same(finding, new));
    let minded = |new: &&Finding| new.severity >= Severity::Warning || is_about_the_list(new);
    let known = |new: &Finding| before.findings.iter().any(|old| same(old, new));
    let nothing_new = after
        .findings
        .iter()
        .filter(counts)
        .filter(minded)
        .all(known);
    let counterpart = |old: &Build| {
        let place = at(&old.path, old.span.offset);
        let is_it = |new: &&Build| {
            new.builder == old.builder
                && new.worlds == old.worlds
                && (new.path.clone(), new.span.offset) == place
        };
        after.builds.iter().find(is_it)
    };
    let others = before.builds.iter().all(|old| {
        counterpart(old).is_some_and(|new| {
            // a list in the wrong place may have been what asked for device code
            new.compiles == old.compiles
        })
    });
    let has_list = counterpart(build)
        .is_some_and(|new| !list || new.diagnosis == Diagnosis::Ok && new.outcome == Outcome::List);
    gone && nothing_new && others && has_list && before.builds.len() == after.builds.len()
}

/// Findings of this family say that a list does not work, whatever their severity.
fn is_about_the_list(finding: &Finding) -> bool {
    finding.code.starts_with("KIMG1")
}

/// Where a byte of a file is after the edits; what is written right before it moves it.
fn moved(path: &str, offset: u32, edits: &[Edit]) -> u32 {
    let before = edits
        .iter()
        .filter(|edit| edit.path == path && edit.offset + edit.length <= offset);
    before.fold(offset, |offset, edit| {
        (offset + edit.text.len() as u32).saturating_sub(edit.length)
    })
}
