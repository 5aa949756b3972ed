//! `kimg-lint PATH…`: reads, observes, judges, reports.
use super::input::Input;
use super::{CliError, Color, FailOn, Format, LintArgs, Status, terminal};
use crate::facts::{Facts, Unreadable};
use crate::fleet;
use crate::lint::{Options, observe};
use crate::report::{Report, concise, human, json};
use crate::rules::{Policy, RuleSet, Selection, builtin};
use crate::walk::walked::Given;
use rayon::prelude::*;
use std::io::{self, Write};

pub(super) fn run(args: &LintArgs, color: Color, out: &mut dyn Write) -> Result<Status, CliError> {
    let rules: Vec<_> = builtin().iter().collect();
    let selection = Selection::new(&args.select, &args.ignore, &rules)?;
    let facts = learn(args)?;
    let mut findings = RuleSet::new(rules).judge(&facts, Policy::default())?;
    findings.retain(|finding| selection.takes(finding));
    let report = Report::new(facts, findings);
    write(&report, args, color, out)?;
    Ok(status(&report, args.fail_on))
}

/// Reads and observes all inputs, in parallel; the result is in the order of the arguments.
fn learn(args: &LintArgs) -> Result<Facts, CliError> {
    let inputs = Input::list(&args.paths, args.stdin_filename.as_deref());
    let options = options(args)?;
    let learned: Vec<Facts> = inputs
        .par_iter()
        .map(|input| learn_one(input, &options))
        .collect();
    let mut all = Facts::default();
    for facts in learned {
        all.append(facts);
    }
    Ok(all)
}

fn learn_one(input: &Input, options: &Options) -> Facts {
    match input.read() {
        Ok(text) => observe(&input.path(), &text, options),
        Err(error) => Facts {
            unreadable: vec![Unreadable {
                path: input.path(),
                reason: error.to_string(),
            }],
            ..Facts::default()
        },
    }
}

fn options(args: &LintArgs) -> Result<Options, CliError> {
    let given = Given {
        build_args: args.build_args.iter().cloned().collect(),
        env: args.env.iter().cloned().collect(),
        target: args.target.clone(),
        cuda: args.cuda.clone(),
        platform: args.platform.clone(),
    };
    let fleet: Result<Vec<_>, _> = args.fleet.iter().map(|name| fleet::resolve(name)).collect();
    Ok(Options {
        given,
        fleet: fleet?,
    })
}

fn write(report: &Report, args: &LintArgs, color: Color, out: &mut dyn Write) -> io::Result<()> {
    match args.format {
        Format::Json => json::write(report, out),
        Format::Concise => concise::write(report, out),
        Format::Human => human::write(report, out, terminal::detect(color), args.quiet),
    }
}

/// What could not be read is never a pass.
fn status(report: &Report, fail_on: FailOn) -> Status {
    if !report.unreadable.is_empty() {
        Status::Failed
    } else if report.worst().is_some_and(|worst| fail_on.includes(worst)) {
        Status::Findings
    } else {
        Status::Clean
    }
}
