//! A CMake project's facts as a record.
use super::{By, Cmake};
use crate::builders::local::Cause;
use crate::builders::record::{Effect, FixedList, Place, Record, Take};
use crate::cuda::Image;
use crate::cuda::arch_list::{self, Consumer, Special, Syntax};
use crate::projects::draft::Draft;
use crate::projects::guard::{Check, Guard, text};
use crate::projects::python::{nothing, parent_of};
use crate::projects::seen::{self, Open, Piece, Seen, known, unrolled};
use crate::table::{List, One};
use crate::value::Site;

const ARCHS: &str = "CMAKE_CUDA_ARCHITECTURES";
/// More rows than this say nothing.
const MAX_ROWS: usize = 12;

/// The record, and the places behind its rows; `None` where the files were not understood.
pub(super) fn record(cmake: &Cmake, shown: &str) -> Option<(&'static Record, Vec<(usize, Cause)>)> {
    let name = cmake.name.as_deref();
    let name = name.filter(|name| !name.contains(['$', '?']));
    let compiles_torch = cmake.torch.is_some() && !cmake.device_code.is_empty();
    // it compiles through helpers that are not followed: what nvcc is given says so
    let helped = cmake.find_cuda.is_some()
        && !(cmake.flags.is_empty() && cmake.selects.is_empty() && cmake.device_code.is_empty());
    // it uses CUDA's libraries, and what compiles device code may be in what is missing
    let by_libraries = cmake.missing && !cmake.toolkit.is_empty() && cmake.device_code.is_empty();
    let nothing_shows = cmake.cuda.is_empty() && !compiles_torch && !helped;
    let (mut draft, parent) = if nothing_shows && by_libraries && cmake.find_cuda.is_none() {
        (language(cmake), "cmake-cuda")
    } else if nothing_shows {
        if cmake.missing
            || !cmake.device_code.is_empty()
            || cmake.find_cuda.is_some() && cmake.mentions_cuda
        {
            return None;
        }
        (nothing("its CMakeLists.txt enables no CUDA"), "cmake-cuda")
    } else if cmake.torch.is_some()
        && (compiles_torch || cmake.cuda.iter().all(|c| c.what == By::Language))
    {
        let mut draft = Draft::default();
        gated(&cmake.gate(), &mut draft);
        return Some((
            draft.record_like(parent_of("torch-cmake")?, name, shown),
            Vec::new(),
        ));
    } else if cmake.cuda.iter().any(|c| c.what == By::Language) {
        (language(cmake), "cmake-cuda")
    } else {
        (old(cmake), "findcuda-legacy")
    };
    let causes = std::mem::take(&mut draft.causes);
    Some((draft.record(parent_of(parent)?, name, shown), causes))
}

/// Whether CUDA is on.
fn gated(gate: &Guard, draft: &mut Draft) {
    let say = match gate.switch() {
        Some(switch) => format!("without -D{switch} it is built for the CPU"),
        None => "the options given switch CUDA off".to_owned(),
    };
    let switch = gate.switch_of_cmake().filter(|name| {
        // unless the project reads the environment itself
        !gate.asks(&|g| matches!(g, Guard::Env(read, _) if read == name))
    });
    let Some(name) = switch else {
        return draft.only_if(gate, &say);
    };
    let set = Guard::Env(name.clone(), Check::On);
    draft.only_if_wanted(
        gate,
        &set,
        "wanted by a variable of the environment, which CMake does not read",
        &say,
    );
    let vain = Guard::all([gate.clone().not(), set]);
    let say = format!("{name} in the environment is not read");
    draft.row(&vain, Effect::CpuOnly, &say).switch = text(&format!("-D{name}=ON"));
}

/// A project that uses CMake's own CUDA language.
fn language(cmake: &Cmake) -> Draft {
    let mut draft = Draft::default();
    if cmake.cuda.is_empty() {
        let unseen = Guard::Unknown("device code in a part that is not here".to_owned());
        let found = Guard::any(cmake.toolkit.iter().cloned());
        let gate = Guard::all([found, unseen]);
        draft.only_if(&gate, "its CMakeLists.txt uses CUDA's libraries only");
    } else {
        gated(&cmake.gate(), &mut draft);
    }
    let flags = literal_flags(&cmake.flags);
    let archs: Vec<&Seen<Vec<Piece>>> = cmake
        .archs
        .iter()
        .filter(|a| a.guard != Guard::Never)
        .collect();
    let mut own = Vec::new();
    let mut knobs: Vec<Knob> = Vec::new();
    for seen in archs {
        match (known(&seen.what), seen::first_open(&seen.what)) {
            (Some(text), _) => own.push((seen.guard.clone(), text, seen.site)),
            (None, Some(Open::Define(name, default))) => {
                let plain = seen.what.len() == 1;
                if name != ARCHS || default.is_some() {
                    if plain && !knobs.iter().any(|(n, ..)| n == name) {
                        knobs.push((
                            name.clone(),
                            Place::Define,
                            default.clone(),
                            seen.guard.clone(),
                            seen.site,
                        ));
                    } else if !plain {
                        own.push((seen.guard.clone(), "?".to_owned(), seen.site));
                    }
                }
            }
            (None, Some(Open::Env { name, default, .. })) => {
                knobs.push((
                    name.clone(),
                    Place::Env,
                    default.clone(),
                    seen.guard.clone(),
                    seen.site,
                ));
            }
            (None, Some(Open::Gpu)) => {
                own.push((seen.guard.clone(), "native".to_owned(), seen.site))
            }
            (None, _) => own.push((seen.guard.clone(), "?".to_owned(), seen.site)),
        }
    }
    own.truncate(MAX_ROWS);
    let overridden = Guard::any(own.iter().map(|(guard, ..)| guard.clone()));
    for (guard, text, site) in &own {
        arch_row(guard, text, &flags, *site, &mut draft);
    }
    let free = overridden.not();
    if free != Guard::Never {
        free_list(cmake, &knobs, &free, &flags, &mut draft);
    } else {
        draft.ignores(&[ARCHS, "CUDAARCHS"]);
    }
    draft.ignores(&[
        "TORCH_CUDA_ARCH_LIST",
        "env:CMAKE_CUDA_ARCHITECTURES",
        "CUDA_DOCKER_ARCH",
    ]);
    draft
}

type Knob = (String, Place, Option<String>, Guard, Site);

/// Where no line of the project sets the architectures for good.
fn free_list(cmake: &Cmake, knobs: &[Knob], free: &Guard, flags: &Flags, draft: &mut Draft) {
    let when = free.cond().map(One::new);
    // what the project makes of another variable does not read CMake's own
    let own = knobs
        .iter()
        .any(|(name, _, _, guard, _)| name != ARCHS && *guard == Guard::Always);
    for (name, place, ..) in knobs {
        draft.knob(name, *place, "cmake", Take::List).when = when;
    }
    if !own {
        if !knobs.iter().any(|(name, ..)| name == ARCHS) {
            draft.knob(ARCHS, Place::Define, "cmake", Take::List).when = when;
        }
        draft
            .knob("CMAKE_CUDA_FLAGS", Place::Define, "gencode", Take::RawFlags)
            .when = when;
        // a default that is there before CUDA is enabled wins over the environment
        if !knobs
            .iter()
            .any(|(name, _, default, ..)| name == ARCHS && default.is_some())
        {
            draft
                .knob("CUDAARCHS", Place::Env, "cmake", Take::List)
                .when = when;
        } else {
            draft.ignores(&["CUDAARCHS"]);
        }
    } else {
        draft.ignores(&[ARCHS, "CUDAARCHS"]);
    }
    draft.list();
    for (name, _, default, guard, site) in knobs {
        if let Some(default) = default.as_deref().filter(|d| !d.is_empty()) {
            let site = cmake.defaults.get(name).copied().unwrap_or(*site);
            arch_row(guard, default, flags, site, draft);
        }
    }
    if let Flags::Some(images, site) = flags {
        draft.fixed(
            &Guard::Always,
            Some(images),
            "the project passes the flags itself",
        );
        return draft.cause(*site, "these flags count");
    }
    if let Flags::Unknown(site) = flags {
        draft.fixed(&Guard::Always, None, "the project computes its own flags");
        return draft.cause(*site, "these flags count");
    }
    draft.row(&Guard::Always, Effect::CompilerDefault, "");
    if let Some(late) = cmake.late {
        draft.cause(
            late,
            "this comes too late: enabling CUDA has set the variable already",
        );
    } else if let Some(cuda) = cmake.cuda.first() {
        draft.cause(cuda.site, "CUDA is enabled here, without a list");
    }
}

/// What a value of `CMAKE_CUDA_ARCHITECTURES` leads to.
fn arch_row(guard: &Guard, value: &str, flags: &Flags, site: Site, draft: &mut Draft) {
    let say = "the project sets CMAKE_CUDA_ARCHITECTURES itself";
    let mut parsed = arch_list::parse(Syntax::Cmake, value, &Consumer::default());
    let special = parsed.specials.first().map(|(special, _)| *special);
    match special {
        _ if value.contains('?') => draft.fixed(guard, None, say),
        Some(Special::Native | Special::Auto) => {
            draft.row(
                &Guard::all([guard.clone(), Guard::Gpu]),
                Effect::VisibleGpu,
                say,
            );
            draft.cause(site, "the project asks for the GPU of the build machine");
            draft
                .row(
                    guard,
                    Effect::CompilerDefault,
                    "the project asks for the GPU of the build machine",
                )
                .native = true;
        }
        Some(_) => {
            let name = if value.contains("major") {
                "all-major"
            } else {
                "toolkit-all"
            };
            draft.row(guard, Effect::Fixed, say).list =
                Some(FixedList::Plain(List::from_iter([text(name)])));
        }
        None => {
            if let Flags::Some(more, _) = flags {
                parsed.images.extend(
                    more.iter()
                        .filter(|i| !parsed.images.contains(i))
                        .copied()
                        .collect::<Vec<_>>(),
                );
            }
            if parsed.images.is_empty() {
                draft.row(guard, Effect::CompilerDefault, "");
            } else {
                draft.fixed(guard, Some(&parsed.images), say);
            }
        }
    }
    draft.cause(site, "the architectures are set here");
}

/// The architectures that the project's own flags name.
enum Flags {
    None,
    Some(Vec<Image>, Site),
    Unknown(Site),
}

fn literal_flags(flags: &[Seen<Vec<Piece>>]) -> Flags {
    let mut images: Vec<Image> = Vec::new();
    let Some(first) = flags.iter().find(|f| f.guard != Guard::Never) else {
        return Flags::None;
    };
    for flag in flags {
        match unrolled(&flag.what) {
            _ if flag.guard == Guard::Never => {}
            Some(texts) if !flag.guard.is_unsure() => {
                for image in texts.iter().flat_map(|t| seen::images(t)) {
                    if !images.contains(&image) {
                        images.push(image);
                    }
                }
            }
            _ => return Flags::Unknown(flag.site),
        }
    }
    if images.is_empty() {
        Flags::Unknown(first.site)
    } else {
        Flags::Some(images, first.site)
    }
}

/// A project that uses `find_package(CUDA)`, or calls nvcc itself.
fn old(cmake: &Cmake) -> Draft {
    let mut draft = Draft::default();
    gated(&cmake.gate(), &mut draft);
    draft.ignores(&[ARCHS, "CUDAARCHS", "TORCH_CUDA_ARCH_LIST"]);
    let select = cmake.selects.iter().find(|s| s.guard != Guard::Never);
    if let Some(select) = select {
        let default = match (known(&select.what), select.what.as_slice()) {
            (Some(text), _) if text.is_empty() => Some("Auto".to_owned()),
            (Some(text), _) => Some(text),
            (None, [Piece::Open(Open::Define(name, default))]) => {
                draft.knob(name, Place::Define, "find-cuda", Take::List);
                draft.list();
                Some(default.clone().unwrap_or_else(|| "Auto".to_owned()))
            }
            (None, [Piece::Open(Open::Env { name, .. })]) => {
                draft.knob(name, Place::Env, "find-cuda", Take::List);
                draft.list();
                Some("Auto".to_owned())
            }
            _ => None,
        };
        match default.as_deref() {
            Some("Auto" | "") => {
                draft.visible_gpu("Auto: only the visible GPUs");
                draft.fixed(
                    &Guard::Always,
                    None,
                    "Auto without a GPU: the common architectures of this CMake",
                );
            }
            Some(list) => {
                let images = arch_list::parse(Syntax::FindCuda, list, &Consumer::default()).images;
                draft.fixed(
                    &Guard::Always,
                    Some(&images).filter(|i| !i.is_empty()).map(Vec::as_slice),
                    "the project gives the list itself",
                );
            }
            None => draft.fixed(&Guard::Always, None, "the project computes the list"),
        }
        draft.cause(select.site, "the architectures are chosen here");
        return draft;
    }
    let flags: Vec<&Seen<Vec<Piece>>> = cmake
        .flags
        .iter()
        .filter(|f| f.guard != Guard::Never)
        .collect();
    for flag in &flags {
        if let Some(Open::Define(name, default)) = seen::first_open(&flag.what) {
            draft.knob(name, Place::Define, "undotted(;)", Take::List);
            draft.list();
            let images = default
                .as_deref()
                .map(|d| arch_list::parse(Syntax::Cmake, d, &Consumer::default()).images);
            draft.fixed(
                &Guard::Always,
                images.as_deref().filter(|i| !i.is_empty()),
                "the project's own list",
            );
            draft.cause(flag.site, "the flags are made here");
            return draft;
        }
    }
    ways(&flags, &mut draft);
    if flags.is_empty() {
        draft.knob("CUDA_NVCC_FLAGS", Place::Define, "gencode", Take::RawFlags);
        draft.list();
        draft.row(&Guard::Always, Effect::CompilerDefault, "");
        if let Some(cuda) = cmake.cuda.first() {
            draft.cause(cuda.site, "nvcc is called here, without a list");
        }
    }
    draft
}

/// A list for each condition under which flags are passed.
fn ways(flags: &[&Seen<Vec<Piece>>], draft: &mut Draft) {
    let Some(first) = flags.first() else { return };
    let mut guards: Vec<Guard> = Vec::new();
    for flag in flags {
        if flag.guard != Guard::Always && !guards.contains(&flag.guard) {
            guards.push(flag.guard.clone());
        }
    }
    guards.truncate(MAX_ROWS);
    for guard in guards.iter().chain([&Guard::Always]) {
        let mut images = Vec::new();
        let mut sure = true;
        for flag in flags
            .iter()
            .filter(|f| f.guard == Guard::Always || f.guard == *guard)
        {
            match unrolled(&flag.what) {
                Some(texts) => images.extend(texts.iter().flat_map(|t| seen::images(t))),
                None => sure = false,
            }
        }
        let mut once: Vec<Image> = Vec::new();
        images.into_iter().for_each(|i| {
            if !once.contains(&i) {
                once.push(i);
            }
        });
        if *guard == Guard::Always && once.is_empty() && sure {
            draft.row(guard, Effect::CompilerDefault, "");
        } else {
            draft.fixed(
                guard,
                Some(&once)
                    .filter(|o| sure && !o.is_empty())
                    .map(Vec::as_slice),
                "the project passes the flags itself",
            );
        }
        draft.cause(first.site, "these flags count");
    }
}
