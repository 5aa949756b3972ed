//! At most one finding about a build's list: the most specific. What the others would have said becomes notes.
use super::judged::{Judged, add_related};
use crate::facts::{Build, Finding, Related, Role};

/// The rules about the list, most specific first.
const ABOUT_THE_LIST: [&str; 7] = [
    "KIMG105", "KIMG106", "KIMG107", "KIMG104", "KIMG103", "KIMG102", "KIMG101",
];
const LIST_MISSING: &str = "KIMG101";

/// Says that a switch is missing: then a missing list is not the reason.
const SWITCH_MISSING: &str = "KIMG304";

/// Keeps the first finding of the most specific rule about the list of `build`, with the losers as its notes.
pub(super) fn keep_one(found: &mut Vec<Judged>, build: &Build) {
    if found
        .iter()
        .any(|judged| judged.finding.code == SWITCH_MISSING)
    {
        found.retain(|judged| judged.finding.code != LIST_MISSING);
    }
    let has = |code: &&str| found.iter().any(|judged| judged.finding.code == *code);
    let Some(winner) = ABOUT_THE_LIST.into_iter().find(has) else {
        return;
    };
    let mut kept = false;
    found.retain_mut(|judged| {
        let Judged { finding, .. } = judged;
        if !ABOUT_THE_LIST.contains(&finding.code.as_str()) {
            return true;
        }
        let wins = !kept && finding.code == winner;
        if wins {
            kept = true;
            add_losers(finding, build);
        }
        wins
    });
}

/// Notes the lost settings and bad tokens of the build that the finding does not show yet.
fn add_losers(finding: &mut Finding, build: &Build) {
    let lost = build.lost.iter().map(|lost| {
        let message = format!("{} is set here: {}", lost.name, lost.why_text);
        (&lost.path, Some(lost.span), message)
    });
    let faults = build.faults.iter().map(|fault| {
        let message = format!("`{}`: {}", fault.token, fault.reason);
        (&fault.path, fault.span, message)
    });
    for (path, span, message) in lost.chain(faults) {
        let Some(span) = span else {
            continue;
        };
        let loser = Related {
            role: Role::SetHere,
            path: path.clone(),
            span,
            message,
        };
        add_related(&mut finding.related, loser);
    }
}
