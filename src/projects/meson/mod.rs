//! A Meson project as a builder record: whether it enables CUDA, and which architectures its files give it.
//!
//! Meson adds none by itself. `nvcc_arch_flags` of its module `unstable-cuda` makes flags of a list; where that is `Auto`, of
//! the GPUs of the build machine, else of its common ones (`mesonbuild/modules/cuda.py`, 2026).
mod source;

use super::draft::Draft;
use super::guard::Guard;
use super::python::{join, parent_of};
use super::seen;
use crate::builders::local::Local;
use crate::builders::record::{Effect, Place, Take};
use crate::cuda::arch_list::{self, Consumer, Syntax};
use crate::value::Site;
use crate::walk::files::Files;
use source::{Given, Source, switch};
use std::collections::BTreeMap;

/// What a project shows.
#[derive(Default)]
struct Meson {
    name: String,
    /// Where CUDA is enabled, and when.
    cuda: Option<(Guard, Site)>,
    /// What `nvcc_arch_flags` is given.
    chosen: Option<(Given, Site)>,
    /// Flags that name architectures.
    flags: Option<(Given, Site)>,
}

/// Files that one project may lead to.
const MAX_FILES: usize = 64;

/// Reads the Meson project in a folder of the build context.
pub fn read(dir: &str, files: &Files<'_>) -> Option<Local> {
    let first = files.open(&join(dir, "meson.build")).ok()?;
    let defaults = ["meson.options", "meson_options.txt"]
        .iter()
        .find_map(|name| files.open(&join(dir, name)).ok())
        .map(|file| defaults(files.text(file)))
        .unwrap_or_default();
    let shown = files.path(Site {
        file: first,
        ..Site::default()
    });
    let mut meson = Meson::default();
    let mut left = vec![(dir.to_owned(), first, Guard::Always)];
    let mut read = Vec::new();
    while let Some((folder, file, when)) = left.pop() {
        if read.contains(&file) {
            continue;
        }
        read.push(file);
        if read.len() > MAX_FILES {
            return Some(Local {
                cut: Some(shown.to_owned()),
                ..Local::default()
            });
        }
        let source = Source::new(files.text(file), file, when);
        meson.file(&source, &defaults);
        for at in source.calls("subdir") {
            let Some(below) = source.string(at + 2) else {
                continue;
            };
            let folder = join(&folder, &below);
            if let Ok(file) = files.open(&join(&folder, "meson.build")) {
                left.push((folder, file, source.guard(at, &defaults)));
            }
        }
    }
    let mut draft = meson.draft();
    let causes = std::mem::take(&mut draft.causes);
    let name = Some(&*meson.name).filter(|name| !name.is_empty());
    Some(Local {
        record: Some(draft.record(parent_of("meson-cuda")?, name, shown)),
        causes,
        ..Local::default()
    })
}

/// The default of each option.
fn defaults(text: &str) -> BTreeMap<String, String> {
    let source = Source::new(text, 0, Guard::Always);
    let option = |at: usize| {
        let name = source.string(at + 2)?;
        let end = source.closing(at + 1);
        let value = (at..end).find(|i| source.is(*i, "value") && source.is(i + 1, ":"))?;
        let value = source
            .string(value + 2)
            .or_else(|| Some(source.word(value + 2)?.to_owned()));
        Some((name, value.unwrap_or_default()))
    };
    source.calls("option").filter_map(option).collect()
}

impl Meson {
    fn file(&mut self, source: &Source<'_>, defaults: &BTreeMap<String, String>) {
        if let Some(name) = source
            .calls("project")
            .next()
            .and_then(|at| source.string(at + 2))
        {
            self.name = name;
        }
        for call in ["project", "add_languages"] {
            for at in source.calls(call) {
                self.languages(source, at, defaults);
            }
        }
        for at in source.calls("find_program") {
            if source.names_nvcc(at + 2, source.closing(at + 1), 0) {
                let guard = source.guard(at, defaults);
                self.cuda.get_or_insert((guard, source.site(at)));
            }
        }
        for at in source.calls("nvcc_arch_flags") {
            let end = source.closing(at + 1);
            // past the compiler or version
            let comma = (at + 2..end).find(|i| source.is(*i, ",")).unwrap_or(end);
            let named = (comma..end).find(|i| source.is(i + 1, ":")).unwrap_or(end);
            let given = match comma + 1 < named {
                true => source.given(comma + 1, named, defaults, 0),
                false => Given::Text("Auto".to_owned()),
            };
            self.chosen.get_or_insert((given, source.site(at)));
        }
        for at in 0..source.tokens.len() {
            if let Some(text) = source.string(at).filter(|text| is_flag(text)) {
                self.flag(source, at, text, defaults);
            }
        }
    }

    fn languages(&mut self, source: &Source<'_>, at: usize, defaults: &BTreeMap<String, String>) {
        let end = source.closing(at + 1);
        let positional = (at + 2..end).take_while(|i| !source.is(i + 1, ":"));
        let named = positional.into_iter().any(|i| {
            source.string(i).is_some_and(|t| t == "cuda")
                && !(source.is(at, "project") && i == at + 2)
        });
        if !named {
            return;
        }
        let required =
            (at..end).find(|i| source.is(*i, "required") && source.is(i + 2, "get_option"));
        let mut guard = source.guard(at, defaults);
        if let Some(name) = required.and_then(|i| source.string(i + 4)) {
            guard = Guard::all([guard, switch(&name, defaults)]);
        }
        self.cuda.get_or_insert((guard, source.site(at)));
    }

    fn flag(
        &mut self,
        source: &Source<'_>,
        at: usize,
        text: String,
        defaults: &BTreeMap<String, String>,
    ) {
        let joined = source.is(at + 1, "+") || source.is(at + 1, ".") || text.contains('@');
        let guard = source.guard(at, defaults);
        let with_cuda = self.cuda.as_ref().is_some_and(|(cuda, _)| *cuda == guard);
        let given = match joined {
            // one of several ways
            false if guard != Guard::Always && !with_cuda => Given::Unknown,
            false => Given::Text(text),
            true => match source.given(at + 1, source.line_end(at), defaults, 0) {
                Given::Text(_) => Given::Unknown,
                other => other,
            },
        };
        match (&mut self.flags, given) {
            // several written out add up
            (Some((Given::Text(all), _)), Given::Text(more)) => {
                all.push(' ');
                all.push_str(&more);
            }
            (Some((all @ Given::Text(_), _)), Given::Unknown) => *all = Given::Unknown,
            (Some(_), _) => {}
            (none, given) => *none = Some((given, source.site(at))),
        }
    }

    fn draft(&self) -> Draft {
        let Some((guard, site)) = &self.cuda else {
            return super::python::nothing("its meson.build enables no CUDA");
        };
        let mut draft = Draft::default();
        let say = match guard.switch() {
            Some(switch) => format!("without -D{switch} it is built for the CPU"),
            None => "the options given switch CUDA off".to_owned(),
        };
        draft.only_if(guard, &say);
        draft.ignores(&[
            "TORCH_CUDA_ARCH_LIST",
            "CMAKE_CUDA_ARCHITECTURES",
            "CUDAARCHS",
        ]);
        for (name, place) in [("cuda_args", Place::Define), ("CUFLAGS", Place::Env)] {
            draft.knob(name, place, "gencode", Take::RawFlags);
        }
        match (&self.chosen, &self.flags) {
            (Some((given, site)), _) => chosen(given, *site, &mut draft),
            (None, Some((Given::Option(name, default), site))) => {
                draft.knob(name, Place::Define, "names", Take::List);
                draft.list();
                let images = arch_list::parse(Syntax::Names, default, &Consumer::default()).images;
                let known = Some(images).filter(|images| !images.is_empty());
                draft.fixed(
                    &Guard::Always,
                    known.as_deref(),
                    &format!("without -D{name}"),
                );
                draft.cause(*site, &format!("made from the option {name}"));
            }
            (None, Some((given, site))) => {
                let known = match given {
                    Given::Text(flags) => Some(seen::images(flags)).filter(|i| !i.is_empty()),
                    _ => None,
                };
                draft.fixed(
                    &Guard::Always,
                    known.as_deref(),
                    "its meson.build passes the flags itself",
                );
                draft.cause(*site, "these flags count");
            }
            (None, None) => {
                draft.list();
                draft.row(&Guard::Always, Effect::CompilerDefault, "");
                draft.cause(*site, "CUDA is enabled here, without an architecture");
            }
        }
        draft
    }
}

/// What `nvcc_arch_flags` makes of its list.
fn chosen(given: &Given, site: Site, draft: &mut Draft) {
    let list = match given {
        Given::Text(list) => list.clone(),
        Given::Option(name, default) => {
            draft.knob(name, Place::Define, "find-cuda", Take::List);
            draft.list();
            default.clone()
        }
        Given::Unknown => "?".to_owned(),
    };
    if list.is_empty() || list == "Auto" {
        draft.visible_gpu("Auto: only the visible GPUs");
        draft.fixed(
            &Guard::Always,
            None,
            "Auto without a GPU: the common architectures of this Meson",
        );
    } else {
        let images = arch_list::parse(Syntax::FindCuda, &list, &Consumer::default()).images;
        let known = Some(images).filter(|images| !images.is_empty() && !list.contains('?'));
        draft.fixed(
            &Guard::Always,
            known.as_deref(),
            "its meson.build gives the list itself",
        );
    }
    draft.cause(site, "the architectures are chosen here");
}

/// Whether a string is a flag that names an architecture, or a part of one.
fn is_flag(text: &str) -> bool {
    let starts = [
        "-arch=",
        "-gencode=",
        "--gpu-architecture=",
        "--generate-code=",
    ];
    // `--arch=` is of other compilers
    let is_one = |word: &str| starts.iter().any(|start| word.starts_with(start));
    text.contains("arch=compute_") || text.split_whitespace().any(is_one)
}
