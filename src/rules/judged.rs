//! Findings on their way out: sorted, said once, joined where only their worlds differ.
use crate::facts::{Finding, Related, Role, Through};
use std::collections::HashSet;

/// A finding, with the value that it may be given for only once.
pub(super) struct Judged {
    pub(super) finding: Finding,
    pub(super) once: Option<String>,
}

/// Adds a place, unless it is shown already: itself, or a part of it.
pub(super) fn add_related(related: &mut Vec<Related>, new: Related) {
    let shown =
        |known: &Related| known.path == new.path && new.span.span().contains(known.span.span());
    if !related.iter().any(shown) {
        related.push(new);
    }
}

/// Adds the command in another file that a finding's place leads to: behind the cause, before all else.
pub(super) fn add_command(related: &mut Vec<Related>, command: &Through) {
    let command = Related {
        role: Role::RunsHere,
        path: command.path.clone(),
        span: command.span,
        message: "this is what runs".to_owned(),
    };
    let cause = related.first().filter(|first| first.role == Role::Cause);
    match cause {
        Some(cause)
            if cause.path == command.path && command.span.span().contains(cause.span.span()) => {}
        Some(_) => related.insert(1, command),
        None => related.insert(0, command),
    }
}

/// Sorts, drops what may be said only once, and joins findings that differ in nothing but their worlds.
pub(super) fn in_order(mut found: Vec<Judged>) -> Vec<Finding> {
    found.sort_by(|a, b| key(&a.finding).cmp(&key(&b.finding)));
    let mut said = HashSet::new();
    let mut findings: Vec<Finding> = Vec::new();
    for Judged { finding, once } in found {
        if once.is_some_and(|value| !said.insert((finding.code.clone(), value))) {
            continue;
        }
        match findings.last_mut() {
            Some(last) if same_but_worlds(last, &finding) => {
                last.worlds.extend(finding.worlds);
                last.worlds.sort();
                last.worlds.dedup();
                for related in finding.related {
                    add_related(&mut last.related, related);
                }
            }
            _ => findings.push(finding),
        }
    }
    findings
}

/// Sorts by the places that the findings point to.
pub fn by_place(findings: &mut [Finding]) {
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
}

fn key(finding: &Finding) -> impl Ord + '_ {
    let Finding {
        path,
        span,
        code,
        message,
        worlds,
        ..
    } = finding;
    (path, span.line, span.column, code, message, worlds)
}

/// Whether two findings say the same of one place, each in worlds of its own: the causes may differ.
fn same_but_worlds(a: &Finding, b: &Finding) -> bool {
    let worlds = a.worlds.clone();
    let related = match a.worlds.is_empty() || b.worlds.is_empty() {
        true => b.related.clone(),
        false => a.related.clone(),
    };
    *a == Finding {
        worlds,
        related,
        ..b.clone()
    }
}
