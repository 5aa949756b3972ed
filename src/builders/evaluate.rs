//! The steps of a walked document as Build facts.

use super::beside;
use super::catalogue::Catalogue;
use super::describe::{describe, list_text, strings};
use super::diagnose::{LostSetting, diagnose};
use super::fleet;
use super::identify::{Identity, identify};
use super::intent::is_for_cuda;
use super::judge::{Judged, Row, compiles_rows, has_native, judge, knobs_of, outcome_rows};
use super::knobs::List;
use super::local::Locals;
use super::record::{Cond, Effect, Place, Record};
use super::worlds;
use crate::cuda::Device;
use crate::facts::{Alternative, Build, Compiles, Confidence, Diagnosis, Known, Outcome};
use crate::front::document::Unit;
use crate::span::Span;
use crate::value::Site;
use crate::walk::files::Files;
use crate::walk::settings::Life;
use crate::walk::state::State;
use crate::walk::walked::{Arm, Step, Walked};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// More combinations of alternatives than this are not judged one by one.
const MAX_COMBINATIONS: usize = 16;

/// Variables that somebody sets only for an extension of torch.
const ASKS_FOR_EXTENSION: [&str; 2] = ["TORCH_CUDA_ARCH_LIST", "FORCE_CUDA"];

/// A build with what it was made from.
pub struct Found<'w> {
    /// The fact.
    pub build: Build,
    /// The command.
    pub step: &'w Step,
    /// The record that decides.
    pub record: &'static Record,
    /// The package's version, where it is pinned.
    pub version: Option<String>,
    /// Its list hangs on a default of a build argument: whoever builds may give another.
    pub callers_choice: bool,
    unseen: bool,
    weak: bool,
    /// The arms of conditions that it is in, also as the same command again.
    arms: Vec<Arm>,
}

/// The builds of a document, in the order of their commands, with what each was made from.
pub fn found<'w>(
    walked: &'w Walked,
    files: &Files<'_>,
    fleet: &[Device],
    records: &'static Catalogue,
    locals: &Locals,
) -> Vec<Found<'w>> {
    let find = |steps: &[Numbered<'w>]| found_among(steps, walked, files, fleet, records, locals);
    let steps: Vec<Numbered<'_>> = walked.steps.iter().enumerate().collect();
    let mut found = if walked.unit == Unit::Stage {
        find(&steps)
    } else {
        // the steps of a job in one world are judged by themselves
        let of_worlds = steps.chunk_by(|(_, a), (_, b)| a.scope == b.scope);
        worlds::merged(of_worlds.flat_map(find).collect(), walked)
    };
    beside::note(&mut found, walked, fleet);
    found
}

/// A step with its index.
type Numbered<'w> = (usize, &'w Step);

/// The builds among steps that one run of the document takes.
fn found_among<'w>(
    steps: &[Numbered<'w>],
    walked: &'w Walked,
    files: &Files<'_>,
    fleet: &[Device],
    records: &'static Catalogue,
    locals: &Locals,
) -> Vec<Found<'w>> {
    let Some(scope) = steps.first().map(|(_, s)| s.scope) else {
        return Vec::new();
    };
    let of_extensions = || {
        let names = ASKS_FOR_EXTENSION.iter();
        let settings = names.flat_map(|name| walked.settings.of(name));
        settings.filter(|s| walked.is_near(s, scope))
    };
    let asked: Vec<&str> = of_extensions()
        .filter(|s| s.scope.is_some() || !s.value.has_hole())
        .map(|s| &*s.name)
        .collect();
    let mut found: Vec<Found<'_>> = Vec::new();
    let mut by_site: HashMap<Site, Vec<usize>> = HashMap::new();
    for &(index, step) in steps.iter().filter(|(_, s)| !s.state.other_gpu) {
        let hint = step.hint.as_deref();
        let local = locals.get(&index).map(|local| &**local);
        let Some((identity, version)) = identify(
            &step.action,
            &step.state,
            hint,
            !asked.is_empty(),
            records,
            local,
        ) else {
            continue;
        };
        let evaluated = evaluate(step, identity, version.as_deref(), walked, files, fleet);
        let Some((build, callers_choice)) = evaluated else {
            continue;
        };
        // the same command under several values of a variable that make no difference
        let here = by_site.entry(step.site).or_default();
        let same = here.iter().find(|&&other| found[other].build == build);
        if let Some(&same) = same {
            found[same].arms.extend(step.arms.iter());
            found[same].callers_choice |= callers_choice;
        } else {
            here.push(found.len());
            found.push(Found {
                build,
                step,
                record: identity.record,
                version,
                callers_choice,
                unseen: identity.unseen,
                weak: identity.weak,
                arms: step.arms.to_vec(),
            });
        }
    }
    // the list is somebody's: if no build that is known reads it, it was set for the one that is not
    let explains = |f: &&Found<'_>| {
        !f.unseen
            && f.build.compiles != Compiles::No
            && (ASKS_FOR_EXTENSION.contains(&&*f.build.arch.knob) || reads(f, &asked))
    };
    let explained: Vec<Span> = found
        .iter()
        .filter(explains)
        .map(|f| f.step.instruction)
        .collect();
    // what ends with an instruction was set for a build in it
    let asked_here: Vec<Span> = of_extensions()
        .filter(|s| matches!(s.life, Life::Run | Life::Command))
        .filter(|s| asked.contains(&&*s.name) && !explained.contains(&s.instruction))
        .map(|s| s.instruction)
        .collect();
    let is_asked_here = |f: &Found<'_>| {
        ASKS_FOR_EXTENSION.contains(&&*f.build.arch.knob)
            && asked_here.contains(&f.step.instruction)
    };
    let asked = !asked.is_empty() && explained.is_empty();
    for f in found
        .iter_mut()
        .filter(|f| !is_for_cuda(f.step, f.record, walked))
    {
        without_cuda(&mut f.build);
    }
    // of several unseen projects it cannot be told for which one the list was set
    let candidates = found.iter().filter(|f| f.unseen).count();
    found.retain(|f| !f.unseen || asked || is_asked_here(f) || (!f.weak && has_toolchain(f.step)));
    let building = found.iter().filter(|f| f.build.compiles != Compiles::No);
    let building: HashSet<(u32, u32)> = building
        .flat_map(|f| f.arms.iter().map(|arm| (arm.group, arm.index)))
        .collect();
    let maybe: Vec<bool> = found
        .iter()
        .map(|f| only_in_some_arm(f.step, &building))
        .collect();
    for (found, maybe) in found.iter_mut().zip(maybe) {
        if found.build.compiles != Compiles::Yes {
            continue;
        }
        if maybe {
            found.build.compiles = Compiles::Maybe;
            found.build.because = "it runs under a condition that is not known here".to_owned();
        } else if found.unseen && (!asked || candidates > 1) {
            found.build.compiles = Compiles::Maybe;
            found.build.because = "an unseen project: it may hold a CUDA extension".to_owned();
        }
    }
    found
}

/// Whether a build reads all that was set for an extension.
fn reads(found: &Found<'_>, asked: &[&str]) -> bool {
    let mut names: Vec<&str> = knobs_of(found.record).iter().map(|k| &*k.name).collect();
    let rows = compiles_rows(found.record).iter().map(|r| &r.when);
    let outcomes = outcome_rows(found.record).iter().map(|r| &r.when);
    let conditions = rows.chain(outcomes).filter_map(Option::as_ref);
    conditions.for_each(|cond| env_names(cond, &mut names));
    asked.iter().all(|name| names.contains(name))
}

/// Nothing here is meant for CUDA: the build makes what it makes for the CPU.
fn without_cuda(build: &mut Build) {
    build.compiles = Compiles::No;
    build.because = "nothing here is for CUDA: a CPU build".to_owned();
    build.diagnosis = Diagnosis::Ok;
    build.outcome = Outcome::None;
    build.outcome_text = "nothing is compiled for a GPU".to_owned();
    build.switch = None;
    build.lost.clear();
}

/// nvcc and torch are at hand.
fn has_toolchain(step: &Step) -> bool {
    step.state.nvcc.there == Known::Yes && step.state.torch.there == Known::Yes
}

/// Whether some arm of a condition around the step is not among those, by condition and number, that build something.
fn only_in_some_arm(step: &Step, building: &HashSet<(u32, u32)>) -> bool {
    step.arms
        .iter()
        .any(|arm| (0..arm.of).any(|index| !building.contains(&(arm.group, index))))
}

/// The states that a record may meet: one for each combination of the alternatives of the variables that it reads.
fn cases(record: &'static Record, state: &State) -> Vec<(State, Option<String>)> {
    let mut names: Vec<&str> = Vec::new();
    names.extend(
        knobs_of(record)
            .iter()
            .filter(|k| k.place == Place::Env)
            .map(|k| &*k.name),
    );
    let mut add = |cond: &'static Cond| env_names(cond, &mut names);
    compiles_rows(record)
        .iter()
        .filter_map(|r| Some(r.when?.0))
        .for_each(&mut add);
    names.sort_unstable();
    names.dedup();
    let mut all = vec![(state.clone(), None)];
    for name in names {
        let variable = state.found_by_program(name);
        if variable.len() < 2 || all.len() * variable.len() > MAX_COMBINATIONS {
            continue;
        }
        all = all
            .iter()
            .flat_map(|(state, _)| {
                variable.iter().map(|alternative| {
                    let mut state = state.clone();
                    state.set(name, vec![alternative.clone()]);
                    let value = alternative
                        .value
                        .as_ref()
                        .map_or_else(|| "unset".to_owned(), |v| v.describe());
                    (state, Some(format!("{name} is {value}")))
                })
            })
            .collect();
    }
    all
}

fn env_names(cond: &'static Cond, names: &mut Vec<&'static str>) {
    names.extend(cond.env.iter().map(|(n, _)| n.0));
    cond.not
        .iter()
        .chain(cond.any.iter())
        .for_each(|inner| env_names(inner, names));
}

/// One judged alternative.
pub(super) struct Alternate {
    pub(super) judged: Judged,
    pub(super) diagnosis: Diagnosis,
    pub(super) lost: Vec<LostSetting>,
    pub(super) outcome: Outcome,
    pub(super) when: Option<String>,
}

fn evaluate(
    step: &Step,
    identity: Identity<'_>,
    version: Option<&str>,
    walked: &Walked,
    files: &Files<'_>,
    fleet: &[Device],
) -> Option<(Build, bool)> {
    let record = identity.record;
    let mut alternates: Vec<Alternate> = cases(record, &step.state)
        .into_iter()
        .map(|(state, when)| {
            let mut judged = judge(record, &step.action, &state, version);
            cut_short(&mut judged, walked, files);
            let seen = match when {
                None => Cow::Borrowed(step),
                Some(_) => Cow::Owned(Step {
                    state,
                    ..step.clone()
                }),
            };
            let (diagnosis, lost) = diagnose(record, &judged, &seen, walked);
            let outcome = outcome(&judged, &seen.state);
            Alternate {
                judged,
                diagnosis,
                lost,
                outcome,
                when,
            }
        })
        .collect();
    // bad in all is certain, in some likely: the worst one speaks
    alternates.sort_by_key(|a| std::cmp::Reverse(harm(a)));
    let (main, others) = alternates.split_first()?;
    let split = others
        .iter()
        .any(|a| a.diagnosis != main.diagnosis || a.outcome != main.outcome);
    let mut build = describe(step, identity, main, walked, files, fleet, version);
    build.fleet = match fleet {
        [] => fleet::implied(record, step, &alternates, files),
        fleet => fleet::fit(record, step, &alternates, files, fleet),
    };
    if main.judged.compiles
        != others
            .first()
            .map_or(main.judged.compiles, |o| o.judged.compiles)
    {
        build.compiles = Compiles::Maybe;
    }
    // an unknown environment may set what nobody is known to set
    let by_chance =
        step.state.is_open() && !matches!(main.outcome, Outcome::List | Outcome::Unknown);
    if split
        || by_chance
        || step.state.doubtful
        || main
            .judged
            .rows
            .iter()
            .any(|r| outcome_of(r.row.then) != outcome_of(main.judged.rows[0].row.then))
    {
        build.confidence = Confidence::Likely;
    }
    for other in others {
        let alternative = Alternative {
            text: list_text(&other.judged),
            images: strings(&other.judged.images),
            when: other.when.clone().unwrap_or_default(),
        };
        if alternative.text != build.arch.text && !build.arch.alternatives.contains(&alternative) {
            build.arch.alternatives.push(alternative);
        }
    }
    let lists = alternates.iter().map(|a| &a.judged.list);
    let callers_choice = build.compiles != Compiles::No
        && lists
            .into_iter()
            .any(|list| is_callers_choice(list, walked));
    Some((build, callers_choice))
}

/// Whether a list, or a part of it, was written as the default of a build argument, or under a condition that one decides.
fn is_callers_choice(list: &List, walked: &Walked) -> bool {
    let List::Set(list) = list else {
        return false;
    };
    let sites = list.value.sites();
    let mut sites = sites.chain(list.origin.as_ref().and_then(|origin| origin.site));
    let is_in =
        |outer: &Site, site: Site| outer.file == site.file && outer.span.contains(site.span);
    sites.any(|site| walked.overridable.iter().any(|outer| is_in(outer, site)))
}

/// An unquoted `;` ends a list in the shell: what follows is run as a command, and is not found.
fn cut_short(judged: &mut Judged, walked: &Walked, files: &Files<'_>) {
    let List::Set(list) = &mut judged.list else {
        return;
    };
    let Some(mut end) = list.value.site() else {
        return;
    };
    for (site, text) in &walked.strays {
        let between = Span {
            start: end.span.end,
            end: site.span.start,
        };
        let gap = files.text(end.file).get(between.range());
        if site.file == end.file && gap.is_some_and(is_semicolon) {
            list.cut.push((*site, text.clone()));
            end = *site;
        }
    }
}

/// Whether nothing stands in a text but one `;`: quotes that end before it and white space, also continued, are nothing.
fn is_semicolon(text: &str) -> bool {
    let after = text.trim_start_matches(['"', '\'']).strip_prefix(';');
    after.is_some_and(|after| after.chars().all(|c| c.is_whitespace() || c == '\\'))
}

/// How bad an alternative is; the worst speaks for a build.
fn harm(alternate: &Alternate) -> (bool, u8, u8) {
    let outcome = match alternate.outcome {
        Outcome::Error | Outcome::CpuOnly => 5,
        Outcome::VisibleGpu => 4,
        Outcome::CompilerDefault => 3,
        Outcome::Unknown => 2,
        Outcome::Fixed => 1,
        Outcome::List | Outcome::Runtime | Outcome::None => 0,
    };
    let diagnosis = u8::from(alternate.diagnosis != Diagnosis::Ok)
        + u8::from(alternate.diagnosis == Diagnosis::Malformed);
    (
        alternate.judged.compiles != Compiles::No,
        diagnosis,
        outcome,
    )
}

fn outcome_of(effect: Effect) -> Outcome {
    match effect {
        Effect::List => Outcome::List,
        Effect::Fixed => Outcome::Fixed,
        Effect::CompilerDefault => Outcome::CompilerDefault,
        Effect::VisibleGpu => Outcome::VisibleGpu,
        Effect::CpuOnly => Outcome::CpuOnly,
        Effect::Error => Outcome::Error,
        Effect::Runtime => Outcome::Runtime,
        Effect::None => Outcome::None,
    }
}

/// The row that speaks: the only one, or the worst of several; none where it hangs on the toolkit's version which one is reached.
pub(super) fn speaking(judged: &Judged) -> Option<&Row> {
    if judged.hangs_on_toolkit {
        return None;
    }
    let badness = |row: &&Row| match row.row.then {
        Effect::Error => 6,
        Effect::CpuOnly => 5,
        Effect::VisibleGpu => 4,
        Effect::CompilerDefault => 3,
        Effect::Fixed => 2,
        Effect::List => 1,
        Effect::Runtime | Effect::None => 0,
    };
    // where a row holds for sure it speaks, unless a worse one may come before it
    judged.rows.iter().rev().max_by_key(badness)
}

fn outcome(judged: &Judged, state: &State) -> Outcome {
    if judged.compiles == Compiles::No {
        return speaking(judged)
            .map(|r| outcome_of(r.row.then))
            .filter(|o| *o == Outcome::Runtime)
            .unwrap_or(Outcome::None);
    }
    let Some(row) = speaking(judged) else {
        return Outcome::Unknown;
    };
    match (&judged.list, row.row.then) {
        (List::Set(list), Effect::List)
            if !list.parsed.faults.is_empty()
                && list
                    .parsed
                    .faults
                    .iter()
                    .any(|f| f.kind == crate::cuda::arch_list::FaultKind::Rejected) =>
        {
            Outcome::Error
        }
        (List::Set(list), Effect::List) if has_native(list) => {
            if state.gpu == Known::Yes {
                Outcome::VisibleGpu
            } else {
                Outcome::CompilerDefault
            }
        }
        (List::Unknown { .. }, _) if judged.rows.len() > 1 => Outcome::Unknown,
        (_, effect) => outcome_of(effect),
    }
}
