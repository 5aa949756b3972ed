//! What counts as unknown in a file, few enough to be read.
use crate::facts::{Input, InputProblem, ProblemKind};
use crate::front::document::Document;
use crate::value::Site;
use crate::walk::files::Files;
use crate::walk::walked::Walked;

/// What could not be understood or followed in one file.
pub(super) fn input(path: &str, document: &Document, walked: &Walked, files: &Files<'_>) -> Input {
    let problem = |site, kind, message: &String| InputProblem {
        span: files.place(site),
        message: message.clone(),
        kind,
    };
    let syntax = document.problems.iter().map(|p| {
        let site = Site {
            file: 0,
            span: p.span,
        };
        problem(site, ProblemKind::Syntax, &p.message)
    });
    let notes = walked.notes.iter();
    let notes = notes.map(|n| problem(n.site, n.kind, &n.message));
    Input {
        path: path.to_owned(),
        problems: few(syntax.chain(notes).collect()),
    }
}

/// A file that is something else than it seems has a problem in every line: the first few of a kind tell, and what is the
/// same in many places is said at the first.
fn few(problems: Vec<InputProblem>) -> Vec<InputProblem> {
    let mut few: Vec<(InputProblem, usize)> = Vec::new();
    for problem in problems {
        match place_for(&few, &problem) {
            Some(at) => few[at].1 += 1,
            None => few.push((problem, 0)),
        }
    }
    let said = few.into_iter().map(|(mut problem, more)| {
        if more > 0 {
            problem.message = format!("{}; {more} more like this are left out", problem.message);
        }
        problem
    });
    said.collect()
}

/// The problem that `problem` is left out for.
fn place_for(few: &[(InputProblem, usize)], problem: &InputProblem) -> Option<usize> {
    const SHOWN: usize = 5;
    let kin = |p: &InputProblem| p.kind == problem.kind;
    let same = |p: &InputProblem| {
        kin(p) && problem.kind == ProblemKind::PassedOver && p.message == problem.message
    };
    if let Some(at) = few.iter().position(|(p, _)| same(p)) {
        return Some(at);
    }
    let full = few.iter().filter(|(p, _)| kin(p)).count() == SHOWN;
    let last = few.iter().rposition(|(p, _)| kin(p));
    last.filter(|_| full)
}
