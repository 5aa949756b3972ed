//! A judged alternative as a Build fact.
use super::comparisons;
use super::cond::{Case, Tri};
use super::diagnose::{LostSetting, why_text};
use super::evaluate::{Alternate, speaking};
use super::fit::fit;
use super::fleet::covered;
use super::identify::Identity;
use super::judge::{Judged, Row, confidence, outcome_rows};
use super::knobs::List;
use super::local::Cause;
use super::record::Record;
use super::suggest;
use super::toolkit_notes::toolkit_notes;
use crate::cuda::{Device, Image, ImageKind};
use crate::facts::{
    self, Arch, ArchSource, Build, Compiles, Lost, Outcome, SetAt, SetHow, Switch, Through,
};
use crate::front::document::Unit;
use crate::value::Site;
use crate::walk::content::Presence;
use crate::walk::files::Files;
use crate::walk::state::State;
use crate::walk::variable::Origin;
use crate::walk::walked::{Step, Walked};

/// The commands in other files that a command of the linted file leads to.
fn through(step: &Step, files: &Files<'_>) -> Vec<Through> {
    let calls = step.calls.iter().copied().skip(1);
    let calls = calls.chain((!step.calls.is_empty()).then_some(step.site));
    let through = calls.map(|site| Through {
        path: files.path(site).to_owned(),
        span: files.place(site),
    });
    through.collect()
}

#[allow(clippy::too_many_arguments)]
pub(super) fn describe(
    step: &Step,
    identity: Identity<'_>,
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
    let root = step.root();
    let instruction = Site {
        span: step.instruction,
        ..root
    };
    let row = speaking(judged).filter(|_| judged.compiles != Compiles::No);
    let cause = row.and_then(|row| identity.local?.cause(row.row));
    let title = record.title.to_string();
    let (too_new, dropped) = toolkit_notes(judged, &step.state, files, step.site);
    Build {
        builder: record.id.to_string(),
        of_any_project: record.generic,
        confidence: confidence(record, identity.likely),
        command: files.excerpt(step.site),
        path: files.path(root).to_owned(),
        span: files.place(root),
        through: through(step, files),
        instruction: files.place(instruction),
        scope: walked
            .scopes
            .get(step.scope)
            .map(|s| s.title.clone())
            .unwrap_or_default(),
        shell: step.state.syntax,
        worlds: Vec::new(),
        compiles: judged.compiles,
        because: judged.because.clone(),
        arch: arch(judged, main.outcome, cause, files),
        diagnosis: main.diagnosis,
        faults: faults(judged, files, &step.site),
        lost: main
            .lost
            .iter()
            .filter_map(|l| lost(l, step, walked, files, &title))
            .collect(),
        outcome: main.outcome,
        outcome_text: outcome_text(record, main.outcome, row, judged, &step.state),
        switch: row.and_then(|r| switch(&r.row.switch)),
        cause: cause.map(|cause| facts::Cause {
            path: files.path(cause.site).to_owned(),
            span: files.place(cause.site),
            say: cause.say.clone(),
        }),
        comparisons: comparisons::of(record, identity.local, &judged.list, &case, files),
        toolkit: step.state.nvcc.fact(),
        torch: step.state.torch.fact(),
        nvcc: step.state.nvcc.there,
        gpu_visible: step.state.gpu,
        swallowed: step.swallowed,
        coverage: covered(main, &step.state, fleet),
        fleet: facts::FleetFit::default(),
        suggest: if judged.compiles == Compiles::No {
            String::new()
        } else {
            let line = suggest::line(record, &case, fleet, walked.unit);
            // what is written already needs no line
            let written = format!("\"{}\"", list_text(judged));
            Some(line)
                .filter(|line| !line.contains(&written))
                .unwrap_or_default()
        },
        too_new_for_toolkit: too_new,
        dropped_by_toolkit: dropped,
        drifts: Vec::new(),
        unproven: false,
        fit: if identity.unseen {
            facts::Fit::default()
        } else {
            fit(
                record,
                step,
                main.outcome,
                image_that_runs(step, walked),
                fleet,
            )
        },
        title,
    }
}

/// nvcc in the image that the file makes, the last one or the target, where that runs what the step installs. A job makes none.
fn image_that_runs<'w>(step: &'w Step, walked: &'w Walked) -> Option<&'w Presence> {
    let last = walked.scopes.len().checked_sub(1)?;
    if walked.unit == Unit::Job {
        return None;
    }
    if step.scope == last {
        return Some(&step.state.nvcc);
    }
    let copied = |(from, into): &(usize, usize)| {
        walked.inherits(last, *into) && walked.inherits(*from, step.scope)
    };
    let copied = walked.environments.iter().any(copied);
    copied.then(|| &walked.scopes[last].end.nvcc)
}

pub(super) fn strings(images: &[Image]) -> Vec<String> {
    images.iter().map(Image::to_string).collect()
}

pub(super) fn list_text(judged: &Judged) -> String {
    match &judged.list {
        List::Set(list) | List::Empty(list) => list.value.describe(),
        List::Unset | List::Unknown { .. } => String::new(),
    }
}

fn arch(judged: &Judged, outcome: Outcome, cause: Option<&Cause>, files: &Files<'_>) -> Arch {
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
        set_at: match cause.filter(|_| outcome == Outcome::Fixed) {
            Some(cause) => Some(SetAt {
                how: SetHow::Project,
                path: files.path(cause.site).to_owned(),
                span: Some(files.place(cause.site)),
            }),
            None => origin.and_then(|o| set_at(o, files)),
        },
        rewritten: rewritten(judged),
        sass_only: is_sass_only(judged),
        alternatives: Vec::new(),
    }
}

fn is_sass_only(judged: &Judged) -> bool {
    let open = matches!(&judged.list, List::Set(list) if list.open_ptx);
    let has_ptx = judged
        .images
        .iter()
        .any(|image| image.kind == ImageKind::Ptx);
    !judged.images.is_empty() && !has_ptx && !open
}

/// `120 into 120a`
fn rewritten(judged: &Judged) -> String {
    let List::Set(list) = &judged.list else {
        return String::new();
    };
    let pairs = list.rewritten.iter();
    let pairs = pairs.map(|(from, to)| format!("{} into {}", from.undotted(), to.undotted()));
    pairs.collect::<Vec<_>>().join(", ")
}

pub(super) fn set_at(origin: &Origin, files: &Files<'_>) -> Option<SetAt> {
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
        how: lost.origin.how,
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

/// Whether a builder does something else where it sees a GPU.
fn asks_for_a_gpu(record: &'static Record) -> bool {
    let rows = outcome_rows(record).iter();
    rows.filter_map(|row| row.when)
        .any(|when| when.gpu.is_some())
}

/// What will happen, as a clause.
fn outcome_text(
    record: &'static Record,
    outcome: Outcome,
    row: Option<&Row>,
    judged: &Judged,
    state: &State,
) -> String {
    let several = judged.rows.len() > 1;
    // where several rows may hold, the words of one of them would claim too much
    let say = row
        .filter(|_| !several || outcome != Outcome::Fixed)
        .map(|r| &*r.row.say)
        .filter(|s| !s.is_empty());
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
        Outcome::Fixed if several => {
            "it compiles for a list of its own, which depends on its version".to_owned()
        }
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
            _ if asks_for_a_gpu(record) => with("without a GPU the build stops".to_owned()),
            _ => with("the build stops".to_owned()),
        },
        Outcome::Runtime => with("it compiles on the machine where it runs".to_owned()),
        Outcome::None => "nothing is compiled".to_owned(),
        Outcome::Unknown if judged.hangs_on_toolkit => {
            "what it compiles for hangs on the version of CUDA, which is not known here".to_owned()
        }
        Outcome::Unknown => "it is not known which architectures it compiles for".to_owned(),
    }
}
