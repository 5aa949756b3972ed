//! What a build's architectures mean for the fleet.
use super::cond::{Case, Tri};
use super::evaluate::Alternate;
use super::knobs::List;
use super::record::{Record, Take};
use super::suggest::{entries, writable};
use super::toolkit_notes::note;
use crate::cuda::{Device, Image, ImageKind, ToolkitVersion};
use crate::facts::{
    Compiles, Confidence, FleetFit, FleetGap, GapKind, GpuCoverage, Known, Note, Outcome, SetHow,
    Verdict,
};
use crate::fleet::code::Code;
use crate::fleet::gaps::{fact, gaps};
use crate::walk::files::Files;
use crate::walk::state::State;
use crate::walk::walked::Step;

/// What the main alternative means for each GPU.
pub(super) fn covered(main: &Alternate, state: &State, fleet: &[Device]) -> Vec<GpuCoverage> {
    if main.judged.compiles == Compiles::No {
        return Vec::new();
    }
    let unknown = Code {
        images: &[],
        more: true,
        ptx_open: false,
        toolkit: None,
    };
    let code = code(main, state).unwrap_or(unknown);
    fleet.iter().map(|device| code.covers(device)).collect()
}

/// What is wrong for the fleet.
pub(super) fn fit(
    record: &'static Record,
    step: &Step,
    alternates: &[Alternate],
    files: &Files<'_>,
    fleet: &[Device],
) -> FleetFit {
    let Some(main) = alternates.first().filter(|_| !fleet.is_empty()) else {
        return FleetFit::default();
    };
    if main.judged.compiles == Compiles::No {
        return FleetFit::default();
    }
    let codes: Vec<Option<Code<'_>>> = alternates.iter().map(|a| code(a, &step.state)).collect();
    let mut gaps = gaps(&codes, fleet);
    gaps.extend(one_arch(record, step, main, fleet));
    FleetFit {
        gaps,
        spare: spare(main, step, files, fleet),
    }
}

/// What is wrong for the GPU of the machine that the job runs on, where that is known: the tests of the job run there, perhaps.
pub(super) fn implied(
    record: &'static Record,
    step: &Step,
    alternates: &[Alternate],
    files: &Files<'_>,
) -> FleetFit {
    let gpu = step.state.machine_gpu.as_deref();
    let Some(device) = gpu.filter(|_| step.state.gpu != Known::No) else {
        return FleetFit::default();
    };
    let fit = fit(
        record,
        step,
        alternates,
        files,
        std::slice::from_ref(device),
    );
    FleetFit {
        gaps: of_runner(fit.gaps),
        spare: Vec::new(),
    }
}

/// The gaps that count for a runner: nothing runs there. That it starts slowly, or that others are served too, is no fault.
pub(super) fn of_runner(mut gaps: Vec<FleetGap>) -> Vec<FleetGap> {
    gaps.retain(|gap| {
        matches!(
            gap.kind,
            GapKind::Missing | GapKind::Toolkit | GapKind::Suffix
        )
    });
    for gap in &mut gaps {
        gap.confidence = Confidence::Likely;
        gap.gpus_text.push_str(", the GPU of its runner");
    }
    gaps
}

fn toolkit(state: &State) -> Option<ToolkitVersion> {
    state.nvcc.version.as_deref()?.parse().ok()
}

/// The code that an alternative compiles; `None` where that is not known, or where nothing is compiled.
fn code<'a>(alternate: &'a Alternate, state: &State) -> Option<Code<'a>> {
    let known = matches!(
        alternate.outcome,
        Outcome::List | Outcome::Fixed | Outcome::CompilerDefault
    );
    let more = match &alternate.judged.list {
        List::Set(list) => list.value.has_hole(),
        List::Unknown { .. } => true,
        List::Empty(_) | List::Unset => false,
    };
    let images = alternate.judged.images.as_slice();
    (known && !images.is_empty()).then(|| Code {
        images,
        more,
        ptx_open: matches!(&alternate.judged.list, List::Set(list) if list.open_ptx),
        toolkit: toolkit(state),
    })
}

/// GPUs that stay without code of their own because the builder takes one architecture.
fn one_arch(
    record: &'static Record,
    step: &Step,
    main: &Alternate,
    fleet: &[Device],
) -> Option<FleetGap> {
    let case = Case {
        action: &step.action,
        state: &step.state,
        version: None,
        list: Tri::Unknown,
    };
    let (name, images) = match &main.judged.list {
        List::Set(list) if list.one => (list.name.clone(), main.judged.images.clone()),
        List::Unset | List::Empty(_) => {
            let knob = writable(record, &case).filter(|knob| knob.take == Take::One)?;
            let first = *entries(fleet, toolkit(&step.state), None).first()?;
            (knob.name.to_string(), vec![Image::sass(first.target)])
        }
        List::Set(_) | List::Unknown { .. } => return None,
    };
    let code = Code {
        images: &images,
        more: false,
        ptx_open: false,
        toolkit: toolkit(&step.state),
    };
    let native = |device: &&Device| code.covers(device).verdict == Verdict::Native;
    let left: Vec<&Device> = fleet.iter().filter(|device| !native(device)).collect();
    // one architecture would do, if it were another one
    let one_is_enough = entries(fleet, toolkit(&step.state), None).len() < 2;
    if left.is_empty() || one_is_enough {
        return None;
    }
    let reason = format!("{name} takes one architecture, and the fleet needs several");
    Some(fact(GapKind::OneArch, &left, reason, Confidence::Certain))
}

/// Targets of a list that the user wrote which no GPU of the fleet needs.
fn spare(main: &Alternate, step: &Step, files: &Files<'_>, fleet: &[Device]) -> Vec<Note> {
    let (List::Set(list), Some(code)) = (&main.judged.list, code(main, &step.state)) else {
        return Vec::new();
    };
    let preset = list
        .origin
        .as_ref()
        .is_some_and(|o| o.how == SetHow::Preset);
    if preset || code.more {
        return Vec::new();
    }
    let covered: Vec<GpuCoverage> = fleet.iter().map(|device| code.covers(device)).collect();
    if covered.iter().any(|gpu| gpu.verdict == Verdict::Unknown) {
        return Vec::new();
    }
    // the newest PTX is there for GPUs to come
    let ptx = code.images.iter().filter(|i| i.kind == ImageKind::Ptx);
    let newest = ptx.map(|image| image.target).max();
    let needed = |image: &Image| {
        let names = [*image, Image::ptx(image.target)].map(|image| image.to_string());
        covered.iter().any(|gpu| names.contains(&gpu.by))
    };
    let images = list.parsed.images.iter();
    let spare = images.filter(|image| {
        image.kind == ImageKind::Sass && Some(image.target) != newest && !needed(image)
    });
    spare
        .map(|image| {
            let reason = "no GPU of the fleet needs it".to_owned();
            note(Some(list), image.target, reason, files, &step.site)
        })
        .collect()
}
