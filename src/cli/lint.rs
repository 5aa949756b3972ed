//! `kimg-lint PATH…`: reads, observes, judges, reports.
use super::input::Input;
use super::mending::Mending;
use super::{CliError, Color, LintArgs, Status, fleet};
use crate::config::{Config, Configs, FailOn};
use crate::cuda::Device;
use crate::cuda::arch_list::Entry;
use crate::date::Date;
use crate::facts::{Facts, Finding, Unreadable};
use crate::front::kind::{self, Kind};
use crate::lint::{Options, observe, together};
use crate::report::{Report, human};
use crate::rules::{Rule, Selection, builtin, by_place};
use crate::tree::Tree;
use crate::walk::walked::Given;
use rayon::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that is linted, with its configuration.
pub(super) struct Task {
    pub(super) input: Input,
    /// Its absolute path.
    pub(super) place: PathBuf,
    pub(super) config: Arc<Config>,
    pub(super) fleet: Vec<Device>,
    /// What it may lead to.
    pub(super) tree: Tree,
}

pub(super) fn run(args: &LintArgs, color: Color, out: &mut dyn Write) -> Result<Status, CliError> {
    args.output.check()?;
    if args.mending.fix && args.paths.iter().any(|path| path == Path::new("-")) {
        return Err(CliError::MendStdin);
    }
    let mut configs = Configs::here(args.config.as_deref())?;
    let groups = groups(tasks(args, &mut configs)?);
    let rules = rules(&groups);
    let selection = Selection::new(&args.select, &args.ignore, &rules)?;
    let given = given(args);
    let mending = Mending {
        args,
        given: &given,
        selection: &selection,
    };
    if args.mending.fix || args.mending.diff {
        mending.run(&groups, out)?;
    }
    let (mut all, mut findings) = (Facts::default(), Vec::new());
    let mut failed = false;
    for tasks in &groups {
        let (facts, mut found) = judge(tasks, args, &given)?;
        found.retain(|finding| selection.takes(finding));
        let config = &tasks[0].config;
        let silent = config.settings.silent(has_fleet(tasks));
        let speaks = |code: &str| selection.takes_code(code) && !silent.contains(code);
        args.baseline
            .apply(&mut found, &facts.texts, config, &configs, speaks)?;
        if args.output.has_edits() {
            mending.offer(tasks, &facts, &mut found)?;
        }
        failed |= fails(&found, args.fail_on.or(tasks[0].config.fail_on));
        all.append(facts);
        findings.append(&mut found);
    }
    by_place(&mut findings);
    // what is said of a configuration file that several configurations rest on
    findings.dedup();
    if args.baseline.write(&mut findings, &all.texts, &configs)? {
        failed = false;
    }
    let mut report = Report::new(all, findings);
    if args.mending.diff {
        return Ok(status(&report, failed));
    }
    report.rules = rules;
    args.output
        .write(&mut report, color, out, |report, terminal, out| {
            human::write(report, out, terminal, args.quiet)
        })?;
    Ok(status(&report, failed))
}

/// The inputs that are not excluded, in the order of the arguments.
fn tasks(args: &LintArgs, configs: &mut Configs) -> Result<Vec<Task>, CliError> {
    let fleet = fleet::resolve(&args.fleet)?;
    let mut tasks = Vec::new();
    for input in Input::list(&args.paths, args.stdin_filename.as_deref()) {
        let config = configs.of(input.file())?;
        let place = configs.absolute(input.file());
        if config.excludes(&place) {
            continue;
        }
        let fleet = if fleet.is_empty() {
            config.fleet(&place)
        } else {
            fleet.clone()
        };
        let tree = if args.no_links {
            Tree::default()
        } else {
            configs.tree(input.file())?
        };
        tasks.push(Task {
            tree,
            input,
            place,
            config,
            fleet,
        });
    }
    Ok(tasks)
}

/// The tasks that have one configuration, together.
fn groups(tasks: Vec<Task>) -> Vec<Vec<Task>> {
    let mut groups: Vec<Vec<Task>> = Vec::new();
    for task in tasks {
        let same = |group: &&mut Vec<Task>| Arc::ptr_eq(&group[0].config, &task.config);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(task),
            None => groups.push(vec![task]),
        }
    }
    groups
}

/// The rules of all configurations.
fn rules(groups: &[Vec<Task>]) -> Vec<&'static Rule> {
    let mut rules: Vec<&'static Rule> = builtin().iter().collect();
    for group in groups {
        for &rule in &group[0].config.settings.rules {
            if !rules.iter().any(|known| std::ptr::eq(*known, rule)) {
                rules.push(rule);
            }
        }
    }
    rules
}

/// Observes tasks of one configuration in parallel, and judges what was learned.
fn judge(
    tasks: &[Task],
    args: &LintArgs,
    given: &Given,
) -> Result<(Facts, Vec<Finding>), CliError> {
    let archs = args.mending.entries();
    let kind = args.kind.as_deref().and_then(kind::named);
    let learn = |task: &Task| learn(task, given, kind, &archs);
    let mut all = together(each(tasks, learn));
    if args.no_inline_ignores {
        all.ignores.clear();
    }
    let config = &tasks[0].config;
    let paths: Vec<String> = tasks.iter().map(|task| task.input.path()).collect();
    let linted = paths.iter().map(String::as_str);
    let places = tasks.iter().map(|task| &*task.place);
    all.ignores.extend(config.ignores(linted.zip(places)));
    let found = config
        .settings
        .judge(&mut all, has_fleet(tasks), Date::today())?;
    config.quote(&mut all);
    Ok((all, found))
}

/// Does the work for each task, on all cores where there are several.
pub(super) fn each<R: Send>(tasks: &[Task], work: impl Fn(&Task) -> R + Send + Sync) -> Vec<R> {
    match tasks {
        // without threads, except where the first one has a small stack
        [only] if !cfg!(windows) => vec![work(only)],
        _ => tasks.par_iter().map(work).collect(),
    }
}

fn has_fleet(tasks: &[Task]) -> bool {
    tasks.iter().all(|task| !task.fleet.is_empty())
}

fn learn(task: &Task, given: &Given, kind: Option<&'static Kind>, archs: &[Entry]) -> Facts {
    let (fleet, tree) = (task.fleet.clone(), task.tree.clone());
    let options = Options {
        kind,
        archs: archs.to_vec(),
        ..Options::new(given, &task.config, fleet, tree)
    };
    match task.input.read() {
        // a name that other tools use, too
        Ok(text) if matches!(task.input, Input::Found(_)) && is_foreign(task, &text) => {
            Facts::default()
        }
        Ok(text) => observe(&task.input.path(), &text, &options),
        Err(error) => Facts {
            unreadable: vec![Unreadable {
                path: task.input.path(),
                reason: error.to_string(),
            }],
            ..Facts::default()
        },
    }
}

fn is_foreign(task: &Task, text: &str) -> bool {
    kind::kind_of(&task.input.path(), text).is_none()
}

fn given(args: &LintArgs) -> Given {
    Given {
        build_args: args.build_args.iter().cloned().collect(),
        env: args.env.iter().cloned().collect(),
        target: args.target.clone(),
        cuda: args.cuda.clone(),
        platform: args.platform.clone(),
        ..Given::default()
    }
}

/// Whether a finding that counts is as bad as the threshold.
fn fails(findings: &[Finding], fail_on: Option<FailOn>) -> bool {
    let fail_on = fail_on.unwrap_or(FailOn::Warning);
    let mut counted = findings.iter().filter(|f| f.suppressed.is_none());
    counted.any(|finding| fail_on.includes(finding.severity))
}

/// What could not be read is never a pass.
fn status(report: &Report, failed: bool) -> Status {
    if !report.unreadable.is_empty() {
        Status::Failed
    } else if failed {
        Status::Findings
    } else {
        Status::Clean
    }
}
