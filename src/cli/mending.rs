//! `--fix`, `--diff`: edits that mend findings; and the edits that reports offer.
use super::edited::Edited;
use super::lint::{Task, each};
use super::{CliError, LintArgs, list};
use crate::cuda::Image;
use crate::cuda::arch_list::Entry;
use crate::date::Date;
use crate::facts::{Facts, Finding, SuppressedBy};
use crate::fix::{Fixer, Judged, Texts};
use crate::front::dockerfile;
use crate::front::kind::{self, Kind};
use crate::lint::{Options, observe};
use crate::rules::{JudgeError, RuleSet, Selection};
use crate::walk::walked::Given;
use clap::Args;
use std::collections::HashMap;
use std::io::{self, Write};
use std::iter;

/// Mending.
#[derive(Debug, Args)]
pub struct MendingArgs {
    /// Mend what can safely be mended, then lint
    ///
    /// A list is inserted or corrected for the build in the stage that needs it: the user's own list where it is only misspelt
    /// or lost, else one for the fleet, or for --archs. Each edit is tried in memory before it is made.
    #[arg(long, conflicts_with = "diff", help_heading = "Mending")]
    pub fix: bool,

    /// Print what --fix would do, as a unified diff, and change nothing
    #[arg(long, conflicts_with_all = ["format", "output"], help_heading = "Mending")]
    pub diff: bool,

    /// With --fix or --diff, also what may change something else
    ///
    /// Another list in place of one that works, a late ENV moved, a switch that forces device code, a base image with a compiler,
    /// and lists for the usual GPUs where no fleet is declared.
    #[arg(long, help_heading = "Mending")]
    pub unsafe_fixes: bool,

    /// The architectures that lines to write are made for, in place of what the fleet needs: "8.0;9.0+PTX", "80;90a"
    #[arg(long, value_name = "LIST", value_parser = archs, help_heading = "Mending")]
    pub archs: Option<Archs>,
}

/// Architectures.
#[derive(Clone, Debug)]
pub struct Archs(Vec<Image>);

fn archs(text: &str) -> Result<Archs, String> {
    list::images(text).map(Archs)
}

impl MendingArgs {
    /// The architectures that lines are made for; where there are none, the fleet decides.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let images = self.archs.as_ref();
        images.map_or(Vec::new(), |Archs(images)| list::entries(images))
    }
}

/// What a mended file is judged with.
pub(super) struct Mending<'m> {
    pub(super) args: &'m LintArgs,
    pub(super) given: &'m Given,
    pub(super) selection: &'m Selection,
}

impl Mending<'_> {
    /// Mends the files, or says how.
    pub(super) fn run(&self, groups: &[Vec<Task>], out: &mut dyn Write) -> Result<(), CliError> {
        let mut edited = Edited::default();
        let mut mended: Vec<(String, Vec<Finding>)> = Vec::new();
        for tasks in groups {
            let Some(rules) = rule_set(tasks) else {
                continue;
            };
            let nothing = Edited::default();
            let all = each(tasks, |task| self.mend(task, &rules, &nothing)).into_iter();
            let all: Result<Vec<_>, JudgeError> = all.collect();
            for (task, texts) in tasks.iter().zip(all?) {
                // another one edits the same files
                let again = texts
                    .as_ref()
                    .is_some_and(|(texts, _)| edited.has_some(task, texts));
                let texts = match again {
                    true => self.mend(task, &rules, &edited)?,
                    false => texts,
                };
                if let Some((texts, findings)) = texts {
                    edited.add(task, texts);
                    mended.push((task.input.path(), findings));
                }
            }
        }
        if self.args.mending.diff {
            return Ok(edited.show(out)?);
        }
        edited.write()?;
        for task in groups.iter().flatten() {
            task.tree.forget_texts();
        }
        let mut err = io::stderr().lock();
        for (path, findings) in &mended {
            for Finding {
                code, span, rule, ..
            } in findings
            {
                writeln!(err, "kimg-lint: mended {path}:{}: {code} {rule}", span.line)?;
            }
        }
        Ok(())
    }

    /// What becomes of it and what that mends, with the edits that were made before; `None` where nothing does.
    fn mend(
        &self,
        task: &Task,
        rules: &RuleSet,
        edited: &Edited,
    ) -> Result<Option<(Texts, Vec<Finding>)>, JudgeError> {
        let Some(own) = edited.text(task) else {
            return Ok(None);
        };
        let texts = Texts {
            own: own.clone(),
            callers: edited.around(task),
        };
        let mended = self.with(task, &own, rules, |fixer| {
            fixer.mend(texts, self.args.mending.unsafe_fixes)
        })?;
        let found = Some(mended).filter(|mended| !mended.findings.is_empty());
        Ok(found.map(|mended| (mended.texts, mended.findings)))
    }

    /// Adds the edits that mend findings about the files.
    pub(super) fn offer(
        &self,
        tasks: &[Task],
        facts: &Facts,
        findings: &mut [Finding],
    ) -> Result<(), JudgeError> {
        let Some(rules) = rule_set(tasks) else {
            return Ok(());
        };
        let numbers = by_path(findings, |finding| &finding.path);
        let builds = by_path(&facts.builds, |build| &build.path);
        let images = by_path(&facts.images, |image| &image.path);
        let callers = by_path(&facts.callers, |file| &file.builds);
        let offers = each(tasks, |task| {
            let path = task.input.path();
            let Some(numbers) = numbers.get(&*path) else {
                return Ok(Vec::new());
            };
            let Some(text) = facts.texts.get(&path) else {
                return Ok(Vec::new());
            };
            let judged = Judged {
                builds: chosen(&facts.builds, builds.get(&*path)),
                images: chosen(&facts.images, images.get(&*path)),
                callers: chosen(&facts.callers, callers.get(&*path)),
                findings: chosen(findings, Some(numbers)),
            };
            let offers = self.with(task, text, &rules, |fixer| fixer.offers(text, &judged))?;
            let offers = offers.into_iter();
            Ok(offers.map(|(at, fix)| (numbers[at], fix)).collect())
        });
        let offers: Result<Vec<Vec<_>>, JudgeError> = offers.into_iter().collect();
        for (number, fix) in offers?.into_iter().flatten() {
            findings[number].fix = Some(fix);
        }
        Ok(())
    }

    fn with<T>(
        &self,
        task: &Task,
        text: &str,
        rules: &RuleSet,
        work: impl FnOnce(&Fixer) -> Result<T, JudgeError>,
    ) -> Result<T, JudgeError> {
        let path = task.input.path();
        let lint = |texts: &Texts, archs: &[Entry]| self.judge(task, rules, &path, texts, archs);
        let fixer = Fixer {
            path: &path,
            dockerfile: self.is_dockerfile(&path, text),
            lint: &lint,
            rules: &task.config.settings.rules,
            chosen: !task.fleet.is_empty() || self.args.mending.archs.is_some(),
        };
        work(&fixer)
    }

    /// The kind that the user says all files are of.
    fn kind(&self) -> Option<&'static Kind> {
        self.args.kind.as_deref().and_then(kind::named)
    }

    fn is_dockerfile(&self, path: &str, text: &str) -> bool {
        let kind = self.kind().or_else(|| kind::kind_of(path, text));
        kind.is_some_and(|kind| std::ptr::eq(kind, &dockerfile::KIND))
    }

    fn judge(
        &self,
        task: &Task,
        rules: &RuleSet,
        path: &str,
        texts: &Texts,
        archs: &[Entry],
    ) -> Result<Judged, JudgeError> {
        let tree = task.tree.clone().edited(texts.callers.clone());
        let fleet = task.fleet.clone();
        let options = Options {
            kind: self.kind(),
            archs: match archs {
                [] => self.args.mending.entries(),
                archs => archs.to_vec(),
            },
            ..Options::new(self.given, &task.config, fleet, tree)
        };
        let mut facts = observe(path, &texts.own, &options);
        if self.args.no_inline_ignores {
            facts
                .ignores
                .retain(|ignore| ignore.by != SuppressedBy::Comment);
        }
        let linted = iter::once((path, &*task.place));
        facts.ignores.extend(task.config.ignores(linted));
        let settings = &task.config.settings;
        let fleet = !task.fleet.is_empty();
        let mut findings = settings.judge_with(rules, &mut facts, fleet, Date::today())?;
        findings.retain(|finding| self.selection.takes(finding));
        Ok(Judged {
            builds: facts.builds,
            images: facts.images,
            callers: facts.callers,
            findings,
        })
    }
}

/// The numbers of the things of each path.
fn by_path<T>(all: &[T], path: impl Fn(&T) -> &str) -> HashMap<&str, Vec<usize>> {
    let mut numbers: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, thing) in all.iter().enumerate() {
        numbers.entry(path(thing)).or_default().push(number);
    }
    numbers
}

fn chosen<T: Clone>(all: &[T], numbers: Option<&Vec<usize>>) -> Vec<T> {
    let numbers = numbers.into_iter().flatten();
    numbers.map(|&number| all[number].clone()).collect()
}

/// The rules for tasks of one configuration.
fn rule_set(tasks: &[Task]) -> Option<RuleSet> {
    let first = tasks.first()?;
    Some(first.config.settings.rule_set())
}
