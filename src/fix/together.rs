//! Edits for all findings of a text, tried together: linting it once for each would take as many times as long as there are
//! findings. What fails in company is tried again in smaller company, at last alone.
use super::candidates::Case;
use super::check::Comparison;
use super::is_open;
use super::work::Work;
use crate::facts::{Edit, Fix};
use crate::rules::JudgeError;
use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};

/// A finding for which no edit is found yet.
struct Open<'w> {
    /// Its number.
    number: usize,
    case: Case<'w>,
    /// What could mend it, the best first.
    candidates: VecDeque<Fix>,
}

/// The edit for each finding that some edit mends, by its number.
pub(super) fn offers(work: &Work<'_>) -> Result<Vec<(usize, Fix)>, JudgeError> {
    let mut open = Vec::new();
    for (number, finding) in work.judged.findings.iter().enumerate() {
        let case = work
            .case(finding)
            .filter(|_| is_open(finding, work.fixer.path));
        if let Some(case) = case {
            let candidates = case.candidates()?.into();
            open.push(Open {
                number,
                case,
                candidates,
            });
        }
    }
    let mut offers = Vec::new();
    // where little can be tried, a large company that fails is dear
    let mut most = if work.affords(2 * open.len()) {
        usize::MAX
    } else {
        1
    };
    loop {
        open.retain(|open| !open.candidates.is_empty());
        let members = apart(&open, most);
        if members.is_empty() {
            break;
        }
        let company: Vec<&Open<'_>> = members.iter().map(|&at| &open[at]).collect();
        let Some(verdicts) = verdicts(work, &company)? else {
            break;
        };
        most = match verdicts.contains(&false) {
            true => (most / 2).max(1),
            false => most.saturating_mul(2),
        };
        for (at, mends) in members.into_iter().zip(verdicts) {
            let Open {
                number, candidates, ..
            } = &mut open[at];
            let tried = candidates.pop_front().filter(|_| mends);
            if let Some(fix) = tried {
                candidates.clear();
                offers.push((*number, fix));
            }
        }
    }
    offers.sort_by_key(|(number, _)| *number);
    Ok(offers)
}

/// At most so many findings whose next candidates can be made at once: their edits are the same, or apart.
fn apart(open: &[Open<'_>], most: usize) -> Vec<usize> {
    let mut taken: BTreeMap<(&str, u32), &Edit> = BTreeMap::new();
    let mut members = Vec::new();
    for (at, open) in open.iter().enumerate() {
        let Some(fix) = open.candidates.front() else {
            continue;
        };
        let fits = |edit: &Edit| {
            let (start, end) = ((&*edit.path, 0), (&*edit.path, edit.offset + edit.length));
            let mut near = taken.range(start..=end).rev().map(|(_, other)| *other);
            let before = near.next();
            before.is_none_or(|other| other == edit || other.offset + other.length < edit.offset)
        };
        if members.len() < most && fix.edits.iter().all(fits) {
            taken.extend(
                fix.edits
                    .iter()
                    .map(|edit| ((&*edit.path, edit.offset), edit)),
            );
            members.push(at);
        }
    }
    members
}

/// Whether the next candidate of each finding mends it; `None` where enough was linted.
fn verdicts(work: &Work<'_>, company: &[&Open<'_>]) -> Result<Option<Vec<bool>>, JudgeError> {
    let edits = edits(company);
    let Some(after) = work.lint(&work.edited(&edits), &[])? else {
        return Ok(None);
    };
    let comparison = Comparison::new(work.judged, &after, &edits);
    let mends = |open: &&Open<'_>| open.case.is_mended(&comparison);
    let mut mended: Vec<bool> = company.iter().map(mends).collect();
    let harmless = comparison.is_harmless();
    if company.len() == 1 || (harmless && mended.iter().all(|mended| *mended)) {
        mended.iter_mut().for_each(|mended| *mended &= harmless);
        return Ok(Some(mended));
    }
    if harmless && mended.contains(&true) {
        let others = company.iter().zip(&mended).filter(|(_, mended)| !**mended);
        let others: Vec<&Open<'_>> = others.map(|(open, _)| *open).collect();
        let Some(again) = verdicts(work, &others)? else {
            return Ok(None);
        };
        let mut again = again.into_iter();
        for mended in mended.iter_mut().filter(|mended| !**mended) {
            *mended = again.next().unwrap_or_default();
        }
        return Ok(Some(mended));
    }
    let (first, second) = company.split_at(company.len() / 2);
    let Some(mut all) = verdicts(work, first)? else {
        return Ok(None);
    };
    let second = verdicts(work, second)?;
    Ok(second.map(|second| {
        all.extend(second);
        all
    }))
}

/// The edits of the next candidates, each once, in order.
fn edits(company: &[&Open<'_>]) -> Vec<Edit> {
    let next = company.iter().filter_map(|open| open.candidates.front());
    let mut edits: Vec<Edit> = next.flat_map(|fix| fix.edits.iter().cloned()).collect();
    edits.sort_by(by_place);
    edits.dedup();
    edits
}

/// The order of edits.
pub(super) fn by_place(one: &Edit, other: &Edit) -> Ordering {
    (&one.path, one.offset).cmp(&(&other.path, other.offset))
}
