//! Targets of a list that this toolkit does not compile for.
use super::judge::Judged;
use super::knobs::{List, SetList};
use super::record::Effect;
use crate::cuda::{Image, Support, Target, ToolkitVersion, support};
use crate::facts::Note;
use crate::value::Site;
use crate::walk::files::Files;
use crate::walk::state::State;

/// Those that it is too old for, and those that it has dropped: of a list that somebody wrote, or of the package's own.
pub(super) fn toolkit_notes(
    judged: &Judged,
    state: &State,
    files: &Files<'_>,
    command: Site,
) -> (Vec<Note>, Vec<Note>) {
    let (mut too_new, mut dropped) = (Vec::new(), Vec::new());
    let Some(cuda) = state
        .nvcc
        .version
        .as_deref()
        .and_then(|v| v.parse::<ToolkitVersion>().ok())
    else {
        return (too_new, dropped);
    };
    let (images, list) = compiled(judged);
    let mut targets: Vec<Target> = Vec::new();
    for image in images {
        if targets.contains(&image.target) {
            continue;
        }
        targets.push(image.target);
        let note = |reason: String| note(list, image.target, reason, files, &command);
        match support(image.target, cuda) {
            Support::TooOld { first, called } => {
                let called = called
                    .map(|t| format!(", and {cuda} calls the same chip sm_{}", t.undotted()))
                    .unwrap_or_default();
                too_new.push(note(format!(
                    "CUDA {first} is the first that has it{called}"
                )));
            }
            Support::Dropped { last, renamed_to } => {
                let renamed = renamed_to
                    .map(|t| format!("; the same chip is now sm_{}", t.undotted()))
                    .unwrap_or_default();
                dropped.push(note(format!(
                    "CUDA {last} was the last that had it{renamed}"
                )));
            }
            Support::NeverExisted => too_new.push(note("no CUDA release has it".to_owned())),
            Support::Supported | Support::Unknown => {}
        }
    }
    (too_new, dropped)
}

/// The images of the list that decides, and the list where somebody wrote it.
fn compiled(judged: &Judged) -> (&[Image], Option<&SetList>) {
    match (&judged.list, judged.rows.as_slice()) {
        (List::Set(list), rows) if rows.iter().any(|r| r.row.then == Effect::List) => {
            (&list.parsed.images, Some(list))
        }
        (_, [only]) if only.row.then == Effect::Fixed => (&judged.images, None),
        _ => (&[], None),
    }
}

/// A target with the place of the token that names it, in a list that somebody wrote.
pub(super) fn note(
    list: Option<&SetList>,
    target: Target,
    reason: String,
    files: &Files<'_>,
    command: &Site,
) -> Note {
    let (dotted, undotted) = (target.dotted(), target.undotted());
    let names = |text: &str| text.contains(&dotted) || text.contains(&undotted);
    let site = list.and_then(|list| {
        let token = list.parsed.tokens.iter().find(|t| names(&t.text));
        token
            .and_then(|t| list.token_site(&t.range))
            .or_else(|| list.origin.as_ref().and_then(|o| o.site))
    });
    Note {
        token: format!("sm_{undotted}"),
        reason,
        path: files.path(site.unwrap_or(*command)).to_owned(),
        span: site.map(|s| files.place(s)),
    }
}
