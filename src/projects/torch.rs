//! A `setup.py` with extensions of torch as a builder record.
//!
//! What torch does with it is in `torch/utils/cpp_extension.py`: a flag that holds `arch` switches its own list off; else
//! `TORCH_CUDA_ARCH_LIST` counts; else the GPUs that it sees.
use super::draft::Draft;
use super::guard::{Check, Guard};
use super::seen::{self, Open, Piece, Seen, known, unrolled};
use super::setup_py::{LIST, Setup, Written};
use crate::builders::record::{Effect, Place, Plain, Take};
use crate::cuda::Image;
use crate::cuda::arch_list::{self, Consumer, Syntax};
use crate::table::One;
use crate::value::Site;

/// More conditions around flags than this are not told apart.
const MAX_CONDITIONS: usize = 4;
const STOPS: &str = "IndexError: list index out of range in _get_cuda_arch_flags";

/// The record of a `setup.py` with device code; `None` where its architectures are not understood.
pub fn draft(setup: &Setup) -> Draft {
    let mut draft = Draft::default();
    let gate = Guard::any(setup.extensions.iter().map(|e| e.guard.clone()));
    draft.only_if(
        &gate.clone().without_gpu(),
        "its setup.py leaves device code out",
    );
    for stop in setup.stops.iter().filter(|s| stops_for_sure(&s.guard)) {
        draft.row(&stop.guard, Effect::Error, &stop.what);
        draft.cause(stop.site, "here it stops");
    }
    if gate.asks_for_gpu() {
        let switch = gate.switch().unwrap_or_default();
        draft.row(&gate.clone().not(), Effect::CpuOnly, "").switch = super::guard::text(&switch);
        if let Some(extension) = setup.extensions.iter().find(|e| e.guard.asks_for_gpu()) {
            draft.cause(
                extension.site,
                "device code is compiled only where a GPU is seen, or a switch is set",
            );
        }
    }
    let flags: Vec<Seen<Vec<Piece>>> = setup
        .flags
        .iter()
        .map(|f| Seen {
            guard: f.guard.beyond(&gate),
            ..f.clone()
        })
        .filter(|f| f.guard != Guard::Never)
        .collect();
    let own = own_flags(&flags, &mut draft);
    match own {
        Own::Always => draft.ignores(&[LIST]),
        Own::Sometimes(when) => {
            draft.ignores(&[LIST]);
            torch_list(setup, &gate, Some(when.not()), &mut draft);
        }
        Own::Never => match host_flag(setup, &gate, &mut draft) {
            Own::Always => {}
            Own::Sometimes(when) => torch_list(setup, &gate, Some(when.not()), &mut draft),
            Own::Never => torch_list(setup, &gate, None, &mut draft),
        },
    }
    draft.ignores(&["CMAKE_CUDA_ARCHITECTURES", "CUDAARCHS"]);
    for (site, text) in &setup.comparisons {
        draft.compares(
            LIST,
            text,
            *site,
            "what it does for that text alone it does not do here",
        );
    }
    draft
}

/// When the file's own flags decide.
enum Own {
    Always,
    Sometimes(Guard),
    Never,
}

fn own_flags(flags: &[Seen<Vec<Piece>>], draft: &mut Draft) -> Own {
    let Some(first) = flags.first() else {
        return Own::Never;
    };
    let say = "these flags switch torch's own list off";
    let mut asking = Vec::new();
    for flag in flags {
        match seen::first_open(&flag.what) {
            Some(open @ (Open::Env { .. } | Open::Define(..))) => {
                own_variable(open, &flag.what, flag.site, draft);
                return Own::Always;
            }
            Some(Open::Gpu) => {
                draft.visible_gpu("its setup.py asks the GPU of the build machine");
                // without a GPU the other flags count
                if flag.guard == Guard::Gpu {
                    draft.cause(flag.site, "made from the GPU of the build machine");
                    asking.push(flag.guard.clone());
                    continue;
                }
                draft.row(
                    &Guard::Always,
                    Effect::Error,
                    "its setup.py asks for the GPU of the build machine",
                );
                draft.cause(flag.site, "made from the GPU of the build machine");
                return if flag.guard == Guard::Always {
                    Own::Always
                } else {
                    Own::Sometimes(flag.guard.clone())
                };
            }
            Some(Open::Unknown) => {
                draft.fixed(&Guard::Always, None, "its setup.py computes its own flags");
                draft.cause(flag.site, say);
                return Own::Always;
            }
            Some(Open::Each(_)) | None => {}
        }
    }
    let fixed = flags
        .iter()
        .filter(|f| !matches!(seen::first_open(&f.what), Some(Open::Gpu)));
    let first = fixed.clone().next().unwrap_or(first);
    let literal: Vec<(Guard, Vec<Image>)> = fixed
        .map(|f| {
            (
                f.guard.clone(),
                unrolled(&f.what)
                    .unwrap_or_default()
                    .iter()
                    .flat_map(|t| seen::images(t))
                    .collect(),
            )
        })
        .collect();
    let mut conditions: Vec<Guard> = Vec::new();
    for (guard, _) in &literal {
        if *guard != Guard::Always && !conditions.contains(guard) {
            conditions.push(guard.clone());
        }
    }
    if conditions.len() > MAX_CONDITIONS {
        draft.fixed(&Guard::Always, None, "its setup.py computes its own flags");
        draft.cause(first.site, say);
        return Own::Always;
    }
    let mut bare = false;
    // each way in which the conditions can hold, all of them first
    for mask in (0..1_u32 << conditions.len()).rev() {
        let holds = |at: usize| mask & (1 << (conditions.len() - 1 - at)) != 0;
        let way = Guard::all(conditions.iter().enumerate().map(|(at, c)| {
            if holds(at) {
                c.clone()
            } else {
                c.clone().not()
            }
        }));
        let counts = |guard: &Guard| {
            *guard == Guard::Always
                || conditions
                    .iter()
                    .position(|c| c == guard)
                    .is_some_and(holds)
        };
        let mut images: Vec<Image> = Vec::new();
        for image in literal
            .iter()
            .filter(|(guard, _)| counts(guard))
            .flat_map(|(_, images)| images)
        {
            if !images.contains(image) {
                images.push(*image);
            }
        }
        if way == Guard::Never || asking.contains(&way) {
            continue;
        }
        if images.is_empty() {
            bare = true;
            continue;
        }
        // the last way needs no condition
        let last = mask == 0;
        draft.fixed(
            if last { &Guard::Always } else { &way },
            Some(&images),
            "its setup.py passes the flags itself",
        );
        draft.cause(first.site, say);
    }
    if bare {
        Own::Sometimes(Guard::any(conditions.into_iter().chain(asking)))
    } else {
        Own::Always
    }
}

/// A flag for nvcc that holds `arch` and names no architecture: torch adds none either, and nvcc's default is left.
fn host_flag(setup: &Setup, gate: &Guard, draft: &mut Draft) -> Own {
    let Some(flag) = setup.host_flags.first() else {
        return Own::Never;
    };
    let guard = flag.guard.beyond(gate);
    let say = "torch takes a flag that holds `arch` for the project's own list, and adds none";
    draft.ignores(&[LIST]);
    draft.row(&guard, Effect::CompilerDefault, say);
    draft.cause(flag.site, "this flag switches torch's own list off");
    match guard {
        Guard::Always => Own::Always,
        guard => Own::Sometimes(guard),
    }
}

/// A variable of the project's own, from whose value the flags are made.
fn own_variable(open: &Open, flag: &[Piece], site: Site, draft: &mut Draft) {
    let (name, place, default, separator, undotted) = match open {
        Open::Env {
            name,
            default,
            separator,
            undotted,
        } => (name, Place::Env, default, separator.as_deref(), *undotted),
        Open::Define(name, default) => (name, Place::Define, default, Some(";"), false),
        Open::Each(_) | Open::Gpu | Open::Unknown => return,
    };
    let dots = if undotted { "dotted" } else { "undotted" };
    let (syntax, take) = match separator {
        Some(separator) => (format!("{dots}({separator})"), Take::List),
        None => (format!("one-{dots}"), Take::One),
    };
    // what one entry makes nvcc embed
    let filled: String = flag
        .iter()
        .map(|piece| match piece {
            Piece::Literal(text, _) => text.as_str(),
            Piece::Open(_) => "80",
        })
        .collect();
    let kinds = seen::images(&filled);
    let (sass, ptx) = (kinds.iter().any(|i| !is_ptx(i)), kinds.iter().any(is_ptx));
    draft.knob(name, place, &syntax, take).plain = match (sass, ptx) {
        (true, true) => Plain::Both,
        (false, true) => Plain::Ptx,
        _ => Plain::Sass,
    };
    draft.list();
    let list = default
        .as_deref()
        .filter(|d| !d.is_empty())
        .and_then(|default| {
            let syntax: Syntax = syntax.parse().ok()?;
            Some(arch_list::parse(syntax, default, &Consumer::default()).images)
        });
    draft.fixed(&Guard::Always, list.as_deref(), &format!("without {name}"));
    draft.cause(site, &format!("made from {name}"));
}

fn is_ptx(image: &Image) -> bool {
    image.kind == crate::cuda::ImageKind::Ptx
}

/// Torch's own list.
fn torch_list(setup: &Setup, gate: &Guard, when: Option<Guard>, draft: &mut Draft) {
    let cond = when.as_ref().and_then(Guard::cond).map(One::new);
    for flags in &setup.raw_flags {
        draft
            .knob(&flags.what, Place::Env, "gencode", Take::RawFlags)
            .when = cond;
    }
    let asks = |guard: &Guard| guard.asks(&|g| matches!(g, Guard::Env(name, _) if name == LIST));
    let mut defaults = Vec::new();
    let mut overwritten = false;
    for list in &setup.lists {
        let guard = list.guard.beyond(gate);
        if list.what.default || asks(&guard) {
            let rest = guard.with(&|g| match &g {
                // where it is not set
                Guard::Env(name, check) if name == LIST => match check {
                    Check::Set | Check::On => Guard::Never,
                    Check::Is(value) => {
                        if value.is_empty() {
                            Guard::Always
                        } else {
                            Guard::Never
                        }
                    }
                    Check::Off => Guard::Never,
                },
                _ => g,
            });
            defaults.push(Seen {
                guard: rest,
                what: list.what.clone(),
                site: list.site,
            });
        } else if guard == Guard::Always {
            written(&guard, &list.what, list.site, draft);
            overwritten = true;
        } else {
            written(&guard, &list.what, list.site, draft);
        }
    }
    if overwritten {
        draft.ignores(&[LIST]);
        return;
    }
    draft.knob(LIST, Place::Env, "torch", Take::List).when = cond;
    draft.list();
    for default in defaults {
        written(&default.guard, &default.what, default.site, draft);
        if default.guard == Guard::Always {
            return;
        }
    }
    draft.visible_gpu("only the GPUs of the build machine, +PTX on the highest");
    draft.row(&Guard::Always, Effect::Error, STOPS);
}

/// The list that the file itself writes.
fn written(guard: &Guard, list: &Written, site: Site, draft: &mut Draft) {
    let pieces = match &list.value {
        None => {
            draft.row(
                &Guard::all([guard.clone(), Guard::Gpu]),
                Effect::VisibleGpu,
                "its setup.py takes the list away",
            );
            draft.row(guard, Effect::Error, STOPS);
            return draft.cause(site, "here the list is taken away");
        }
        Some(pieces) => pieces,
    };
    if matches!(seen::first_open(pieces), Some(Open::Gpu)) {
        draft.row(
            &Guard::all([guard.clone(), Guard::Gpu]),
            Effect::VisibleGpu,
            "its setup.py asks the GPU of the build machine",
        );
        draft.row(
            guard,
            Effect::Error,
            "its setup.py asks for the GPU of the build machine",
        );
        return draft.cause(site, "made from the GPU of the build machine");
    }
    let text = known(pieces);
    if text.as_deref() == Some("") {
        draft.row(
            &Guard::all([guard.clone(), Guard::Gpu]),
            Effect::VisibleGpu,
            "its setup.py empties the list",
        );
        draft.row(guard, Effect::Error, STOPS);
        return draft.cause(site, "here the list is emptied");
    }
    let images =
        text.map(|text| arch_list::parse(Syntax::Torch, &text, &Consumer::default()).images);
    draft.fixed(
        guard,
        images.as_deref(),
        "its setup.py writes the list itself",
    );
    draft.cause(site, "here the list is written");
}

/// A condition without anything unknown, and not one that always holds.
fn stops_for_sure(guard: &Guard) -> bool {
    !matches!(guard, Guard::Always | Guard::Never) && !guard.is_unsure()
}
