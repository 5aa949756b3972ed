//! The steps of a walked document as Build facts.
use super::cond::Case;
use super::cond::Tri;
use super::diagnose::{LostSetting, diagnose, why_text};
use super::identify::{Identity, identify};
use super::judge::{Judged, Row, compiles_rows, confidence, has_native, judge, knobs_of};
use super::knobs::List;
use super::record::{Cond, Effect, Place, Record};
use super::suggest;
use crate::cuda::{Coverage, Device, Image, Jit, Support, ToolkitVersion, coverage, support};
use crate::facts::{
    self, Alternative, Arch, ArchSource, Build, Compiles, Confidence, Diagnosis, Known, Lost, Note,
    Outcome, SetAt, SetHow, Switch, Verdict,
};
use crate::walk::files::Files;
use crate::walk::state::{Origin, State};
use crate::walk::value::Site;
use crate::walk::walker::{Step, Walked};

/// More combinations of alternatives than this are not judged one by one.
const MAX_COMBINATIONS: usize = 16;

/// Variables that somebody sets only for an extension of torch.
const ASKS_FOR_EXTENSION: [&str; 2] = ["TORCH_CUDA_ARCH_LIST", "FORCE_CUDA"];

/// A build with what it was made from.
struct Found<'w> {
    build: Build,
    step: &'w Step,
    unseen: bool,
}

/// The builds of a document, in the order of their commands.
pub fn builds(
    walked: &Walked,
    files: &Files<'_>,
    fleet: &[Device],
    records: &'static [Record],
) -> Vec<Build> {
    let asked = walked
        .settings
        .iter()
        .any(|s| ASKS_FOR_EXTENSION.contains(&&*s.name));
    let mut found: Vec<Found<'_>> = Vec::new();
    for step in walked.steps.iter().filter(|s| !s.state.other_gpu) {
        let hint = step.hint.as_deref();
        let Some((identity, version)) = identify(&step.action, &step.state, hint, asked, records)
        else {
            continue;
        };
        let Some(build) = evaluate(step, identity, version.as_deref(), walked, files, fleet) else {
            continue;
        };
        // the same command under several values of a variable that make no difference
        if !found.iter().any(|other| other.build == build) {
            found.push(Found {
                build,
                step,
                unseen: identity.unseen,
            });
        }
    }
    // the list is somebody's: if no build that is known reads it, it was set for the one that is not
    let explained = found.iter().any(|f| {
        !f.unseen
            && f.build.compiles != Compiles::No
            && ASKS_FOR_EXTENSION.contains(&&*f.build.arch.knob)
    });
    let asked = asked && !explained;
    found.retain(|f| !f.unseen || asked || has_toolchain(f.step));
    let maybe: Vec<bool> = found
        .iter()
        .map(|f| only_in_some_arm(f.step, &found))
        .collect();
    for (found, maybe) in found.iter_mut().zip(maybe) {
        if found.build.compiles != Compiles::Yes {
            continue;
        }
        if maybe {
            found.build.compiles = Compiles::Maybe;
            found.build.because = "it runs under a condition that is not known here".to_owned();
        } else if found.unseen && !asked {
            found.build.compiles = Compiles::Maybe;
            found.build.because = "an unseen project: it may hold a CUDA extension".to_owned();
        }
    }
    found.into_iter().map(|f| f.build).collect()
}

/// nvcc and torch are at hand.
fn has_toolchain(step: &Step) -> bool {
    step.state.nvcc.there == Known::Yes && step.state.torch.there == Known::Yes
}

/// Whether some arm of a condition around the step builds nothing.
fn only_in_some_arm(step: &Step, all: &[Found<'_>]) -> bool {
    let builds_in = |group: u32, index: u32| {
        all.iter().any(|f| {
            f.build.compiles != Compiles::No
                && f.step
                    .arms
                    .iter()
                    .any(|a| a.group == group && a.index == index)
        })
    };
    step.arms
        .iter()
        .any(|arm| (0..arm.of).any(|index| !builds_in(arm.group, index)))
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
        .filter_map(|r| r.when.as_ref())
        .for_each(&mut add);
    names.sort_unstable();
    names.dedup();
    let mut all = vec![(state.clone(), None)];
    for name in names {
        let variable = state.get(name);
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
struct Alternate {
    judged: Judged,
    diagnosis: Diagnosis,
    lost: Vec<LostSetting>,
    outcome: Outcome,
    when: Option<String>,
}

fn evaluate(
    step: &Step,
    identity: Identity,
    version: Option<&str>,
    walked: &Walked,
    files: &Files<'_>,
    fleet: &[Device],
) -> Option<Build> {
    let record = identity.record;
    let mut alternates: Vec<Alternate> = cases(record, &step.state)
        .into_iter()
        .map(|(state, when)| {
            let mut judged = judge(record, &step.action, &state, version);
            cut_short(&mut judged, walked);
            let seen = Step {
                state,
                ..step.clone()
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
    if main.judged.compiles
        != others
            .first()
            .map_or(main.judged.compiles, |o| o.judged.compiles)
    {
        build.compiles = Compiles::Maybe;
    }
    if split
        || main
            .judged
            .rows
            .iter()
            .any(|r| outcome_of(r.row.then) != main.outcome)
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
    Some(build)
}

/// An unquoted `;` ends a list in the shell: what follows is run as a command, and is not found.
fn cut_short(judged: &mut Judged, walked: &Walked) {
    let List::Set(list) = &mut judged.list else {
        return;
    };
    let Some(mut end) = list.value.site() else {
        return;
    };
    for (site, text) in &walked.strays {
        let gap = site.span.start.saturating_sub(end.span.end);
        if site.file == end.file && (1..=2).contains(&gap) {
            list.cut.push((*site, text.clone()));
            end = *site;
        }
    }
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

/// The row that speaks: the only one, or the worst of several.
fn speaking(judged: &Judged) -> Option<&Row> {
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

#[allow(clippy::too_many_arguments)]
fn describe(
    step: &Step,
    identity: Identity,
    main: &Alternate,
    walked: &Walked,
    files: &Files<'_>,
    fleet: &[Device],
    version: Option<&str>,
) -> Build {
    let record = identity.record;
    let judged = &main.judged;
    let case = Case {
        action: &step.action,
        state: &step.state,
        version,
        list: Tri::Unknown,
    };
    let instruction = Site {
        file: step.site.file,
        span: if step.site.file == 0 {
            step.instruction
        } else {
            step.site.span
        },
    };
    let row = speaking(judged).filter(|_| judged.compiles != Compiles::No);
    let title = record.title.to_string();
    let (too_new, dropped) = toolkit_notes(judged, &step.state, files, &step.site);
    Build {
        builder: record.id.to_string(),
        confidence: confidence(record, identity.likely),
        command: files.excerpt(step.site),
        path: files.path(step.site).to_owned(),
        span: files.place(step.site),
        instruction: files.place(instruction),
        scope: walked
            .scopes
            .get(step.scope)
            .map(|s| s.title.clone())
            .unwrap_or_default(),
        worlds: Vec::new(),
        compiles: judged.compiles,
        because: judged.because.clone(),
        arch: arch(judged, main.outcome, files),
        diagnosis: main.diagnosis,
        faults: faults(judged, files, &step.site),
        lost: main
            .lost
            .iter()
            .filter_map(|l| lost(l, step, walked, files, &title))
            .collect(),
        outcome: main.outcome,
        outcome_text: outcome_text(main.outcome, row, judged, &step.state),
        switch: row.and_then(|r| switch(&r.row.switch)),
        toolkit: step.state.nvcc.fact(),
        torch: step.state.torch.fact(),
        nvcc: step.state.nvcc.there,
        gpu_visible: step.state.gpu,
        swallowed: step.swallowed,
        coverage: covered(judged, main.outcome, fleet, &step.state),
        suggest: if judged.compiles == Compiles::No {
            String::new()
        } else {
            suggest::line(record, &case, fleet)
        },
        too_new_for_toolkit: too_new,
        dropped_by_toolkit: dropped,
        fit: facts::Fit::default(),
        title,
    }
}

fn strings(images: &[Image]) -> Vec<String> {
    images.iter().map(Image::to_string).collect()
}

fn list_text(judged: &Judged) -> String {
    match &judged.list {
        List::Set(list) | List::Empty(list) => list.value.describe(),
        List::Unset | List::Unknown { .. } => String::new(),
    }
}

fn arch(judged: &Judged, outcome: Outcome, files: &Files<'_>) -> Arch {
    let source = match (&judged.list, outcome) {
        _ if judged.compiles == Compiles::No => ArchSource::None,
        (_, Outcome::CpuOnly | Outcome::None | Outcome::Runtime) => ArchSource::None,
        (List::Unknown { .. }, _) => ArchSource::Unknown,
        (List::Set(list), Outcome::List | Outcome::Error) => {
            match list.origin.as_ref().map(|o| o.how) {
                Some(SetHow::Preset) => ArchSource::Preset,
                _ => ArchSource::Explicit,
            }
        }
        (_, Outcome::Fixed) => ArchSource::Package,
        (_, Outcome::CompilerDefault) => ArchSource::Compiler,
        (_, Outcome::VisibleGpu) => ArchSource::Gpu,
        (_, Outcome::Error) => ArchSource::None,
        _ => ArchSource::Unknown,
    };
    let (knob, origin) = match &judged.list {
        List::Set(list) | List::Empty(list) => (list.name.clone(), list.origin.as_ref()),
        List::Unknown { name, origin, .. } => (name.clone(), origin.as_ref()),
        List::Unset => (String::new(), None),
    };
    Arch {
        source,
        knob,
        text: list_text(judged),
        images: strings(&judged.images),
        set_at: origin.and_then(|o| set_at(o, files)),
        alternatives: Vec::new(),
    }
}

fn set_at(origin: &Origin, files: &Files<'_>) -> Option<SetAt> {
    let path = origin
        .site
        .map(|s| files.path(s).to_owned())
        .unwrap_or_default();
    Some(SetAt {
        how: origin.how,
        path,
        span: origin.site.map(|s| files.place(s)),
    })
}

fn faults(judged: &Judged, files: &Files<'_>, command: &Site) -> Vec<facts::Fault> {
    let List::Set(list) = &judged.list else {
        return Vec::new();
    };
    let fault = |f: &crate::cuda::arch_list::Fault| {
        let site = list
            .token_site(&f.token.range)
            .or_else(|| list.origin.as_ref().and_then(|o| o.site));
        let kind = match f.kind {
            crate::cuda::arch_list::FaultKind::Rejected => facts::FaultKind::Rejected,
            crate::cuda::arch_list::FaultKind::Dropped => facts::FaultKind::Dropped,
        };
        facts::Fault {
            kind,
            token: f.token.text.clone(),
            path: files.path(site.unwrap_or(*command)).to_owned(),
            span: site.map(|s| files.place(s)),
            reason: f.reason.clone(),
        }
    };
    let cut = list.cut.iter().map(|(site, text)| facts::Fault {
        kind: facts::FaultKind::Rejected,
        token: text.clone(),
        path: files.path(*site).to_owned(),
        span: Some(files.place(*site)),
        reason: "the shell ends the list at the `;` before it and runs the rest as a command: quote the list".to_owned(),
    });
    list.parsed.faults.iter().map(fault).chain(cut).collect()
}

fn lost(
    lost: &LostSetting,
    step: &Step,
    walked: &Walked,
    files: &Files<'_>,
    title: &str,
) -> Option<Lost> {
    // a preset of the base image stands where the image is named
    let site = lost
        .origin
        .site
        .or_else(|| walked.scopes.get(step.scope).map(|s| s.image_site))?;
    let why_text = why_text(lost, step, walked, title);
    Some(Lost {
        name: lost.name.clone(),
        text: lost.value.describe(),
        path: files.path(site).to_owned(),
        span: files.place(site),
        why: lost.why,
        why_text,
    })
}

fn switch(text: &str) -> Option<Switch> {
    if text.is_empty() {
        return None;
    }
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    Some(Switch {
        name: name.to_owned(),
        value: value.to_owned(),
    })
}

/// What will happen, as a clause.
fn outcome_text(outcome: Outcome, row: Option<&Row>, judged: &Judged, state: &State) -> String {
    let say = row.map(|r| &*r.row.say).filter(|s| !s.is_empty());
    let with = |text: String| match say {
        Some(say) => format!("{text}: {say}"),
        None => text,
    };
    let images = || strings(&judged.images).join(", ");
    match outcome {
        Outcome::List => format!(
            "it compiles for {}",
            if judged.images.is_empty() {
                "the list given".to_owned()
            } else {
                images()
            }
        ),
        Outcome::Fixed if judged.images.is_empty() => {
            with("it compiles for a list of its own".to_owned())
        }
        Outcome::Fixed => with(format!("it compiles for a list of its own, {}", images())),
        Outcome::CompilerDefault => match (judged.images.as_slice(), &judged.list) {
            ([], _) => with("nvcc compiles for its default architecture only".to_owned()),
            (images, _) => with(format!(
                "nvcc {} compiles for its default only, {}",
                state.nvcc.version.as_deref().unwrap_or_default(),
                strings(images).join(" and ")
            )),
        },
        Outcome::VisibleGpu => with("it compiles for the GPU of the build machine only".to_owned()),
        Outcome::CpuOnly => with("it leaves device code out and succeeds".to_owned()),
        Outcome::Error => match &judged.list {
            List::Set(_) => "the build stops at the list".to_owned(),
            _ => with("without a GPU the build stops".to_owned()),
        },
        Outcome::Runtime => with("it compiles on the machine where it runs".to_owned()),
        Outcome::None => "nothing is compiled".to_owned(),
        Outcome::Unknown => "it is not known which architectures it compiles for".to_owned(),
    }
}

/// Targets of a written list that this toolkit does not take.
fn toolkit_notes(
    judged: &Judged,
    state: &State,
    files: &Files<'_>,
    command: &Site,
) -> (Vec<Note>, Vec<Note>) {
    let (mut too_new, mut dropped) = (Vec::new(), Vec::new());
    let List::Set(list) = &judged.list else {
        return (too_new, dropped);
    };
    let Some(cuda) = state
        .nvcc
        .version
        .as_deref()
        .and_then(|v| v.parse::<ToolkitVersion>().ok())
    else {
        return (too_new, dropped);
    };
    let mut targets: Vec<_> = list.parsed.images.iter().map(|i| i.target).collect();
    targets.dedup();
    for target in targets {
        let named = |n: &crate::cuda::arch_list::Token| {
            n.text.contains(&target.dotted()) || n.text.contains(&target.undotted())
        };
        let site = list
            .parsed
            .tokens
            .iter()
            .find(|t| named(t))
            .and_then(|t| list.token_site(&t.range))
            .or_else(|| list.origin.as_ref().and_then(|o| o.site));
        let note = |reason: String| Note {
            token: format!("sm_{}", target.undotted()),
            reason,
            path: files.path(site.unwrap_or(*command)).to_owned(),
            span: site.map(|s| files.place(s)),
        };
        match support(target, cuda) {
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
    let once = |notes: &mut Vec<Note>| {
        let mut seen = Vec::new();
        notes.retain(|n| {
            !seen.contains(&n.token) && {
                seen.push(n.token.clone());
                true
            }
        });
    };
    once(&mut too_new);
    once(&mut dropped);
    (too_new, dropped)
}

fn covered(
    judged: &Judged,
    outcome: Outcome,
    fleet: &[Device],
    state: &State,
) -> Vec<facts::GpuCoverage> {
    if judged.compiles == Compiles::No {
        return Vec::new();
    }
    let cuda = state.nvcc.version.as_deref().and_then(|v| v.parse().ok());
    let known = matches!(
        outcome,
        Outcome::List | Outcome::Fixed | Outcome::CompilerDefault
    ) && !judged.images.is_empty();
    fleet
        .iter()
        .map(|device| {
            let (verdict, by) = if known {
                verdict(coverage(&judged.images, device, cuda, Jit::Allowed))
            } else {
                (Verdict::Unknown, String::new())
            };
            facts::GpuCoverage {
                gpu: device.name.clone(),
                capability: device.capability.to_string(),
                verdict,
                by,
            }
        })
        .collect()
}

fn verdict(coverage: Coverage) -> (Verdict, String) {
    match coverage {
        Coverage::Native { by } => (Verdict::Native, by.to_string()),
        Coverage::Jit { by, .. } => (Verdict::Jit, by.to_string()),
        Coverage::Blocked { by, .. } => (Verdict::Blocked, by.to_string()),
        Coverage::Missing(_) => (Verdict::Missing, String::new()),
        Coverage::Unknown(_) => (Verdict::Unknown, String::new()),
    }
}
