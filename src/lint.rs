//! One file through all floors: text → facts → findings → report.
use crate::builders::{evaluate, records, settings, trace};
use crate::cuda::Device;
use crate::facts::{BaseImage, Facts, Input, InputProblem, Trace};
use crate::front;
use crate::front::document::Document;
use crate::report::Report;
use crate::rules::{JudgeError, Policy, RuleSet, builtin};
use crate::walk::files::Files;
use crate::walk::value::Site;
use crate::walk::walked::{Given, Walked};
use crate::walk::walker::walk;

/// What the user says beside the files.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the caller of the build gives.
    pub given: Given,
    /// The GPUs that code must run on.
    pub fleet: Vec<Device>,
}

/// What one Dockerfile teaches.
pub fn observe(path: &str, text: &str, options: &Options) -> Facts {
    let document = front::dockerfile::read(text);
    let walked = walk(&document, &options.given);
    let files = Files::new(path, text);
    let builds = evaluate::builds(&walked, &files, &options.fleet, records::RECORDS);
    let mut facts = Facts {
        settings: settings::settings(&walked, &files, &builds),
        builds,
        images: images(&walked, &files),
        inputs: vec![input(path, &document, &walked, &files)],
        ..Facts::default()
    };
    facts.texts.insert(path.to_owned(), text.to_owned());
    facts
}

fn input(path: &str, document: &Document, walked: &Walked, files: &Files<'_>) -> Input {
    let syntax = document.problems.iter().map(|p| {
        (
            Site {
                file: 0,
                span: p.span,
            },
            p.message.clone(),
        )
    });
    let problems = syntax
        .chain(walked.notes.iter().cloned())
        .map(|(site, message)| InputProblem {
            span: files.place(site),
            message,
        });
    Input {
        path: path.to_owned(),
        problems: first_of(problems.collect()),
    }
}

/// A file that is something else than it seems has a problem in every line: the first few tell.
fn first_of(mut problems: Vec<InputProblem>) -> Vec<InputProblem> {
    const SHOWN: usize = 5;
    let more = problems.len().saturating_sub(SHOWN);
    problems.truncate(SHOWN);
    if let (Some(last), true) = (problems.last_mut(), more > 0) {
        last.message = format!("{}; {more} more like this are left out", last.message);
    }
    problems
}

fn images(walked: &Walked, files: &Files<'_>) -> Vec<BaseImage> {
    let of_stage = walked
        .scopes
        .iter()
        .filter(|s| s.parent.is_none() && !s.image_site.span.is_empty());
    of_stage
        .map(|scope| BaseImage {
            reference: scope.image.sketch(),
            toolkit: scope.start.nvcc.fact(),
            nvcc: scope.start.nvcc.there,
            torch: scope.start.torch.fact(),
            path: files.path(scope.image_site).to_owned(),
            span: files.place(scope.image_site),
        })
        .collect()
}

/// How each build of one Dockerfile is judged, and why.
pub fn traces(path: &str, text: &str, options: &Options) -> Vec<Trace> {
    let document = front::dockerfile::read(text);
    let walked = walk(&document, &options.given);
    let files = Files::new(path, text);
    let found = evaluate::found(&walked, &files, &options.fleet, records::RECORDS);
    trace::traces(found, &files)
}

/// The report about one text, by the built-in rules.
pub fn lint_text(path: &str, text: &str, options: &Options) -> Result<Report, JudgeError> {
    let facts = observe(path, text, options);
    let findings = RuleSet::new(builtin()).judge(&facts, Policy::default())?;
    Ok(Report::new(facts, findings))
}
