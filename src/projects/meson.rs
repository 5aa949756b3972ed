//! A Meson project as a builder record: whether it enables CUDA, and which architectures its files give it.
//!
//! Meson adds none by itself. `nvcc_arch_flags` of its module `unstable-cuda` makes flags of a list; where that is `Auto`, of
//! the GPUs of the build machine, else of its common ones (`mesonbuild/modules/cuda.py`, 2026).
use super::draft::Draft;
use super::guard::{Check, Guard};
use super::python::{join, parent_of};
use super::seen;
use crate::builders::local::Local;
use crate::builders::record::{Effect, Place, Take};
use crate::cuda::arch_list::{self, Consumer, Syntax};
use crate::text::python::{Kind, TextPiece, Token, tokens};
use crate::value::Site;
use crate::walk::files::Files;
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

/// Where a text comes from.
enum Given {
    Text(String),
    /// An option of the project, with its default.
    Option(String, String),
    Unknown,
}

/// A file with its tokens.
struct Source<'t> {
    text: &'t str,
    file: u16,
    tokens: Vec<Token>,
    /// When it is reached.
    when: Guard,
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
        let text = files.text(file);
        let source = Source {
            text,
            file,
            tokens: tokens(text),
            when,
        };
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
    Some(Local {
        record: Some(draft.record(parent_of("meson-cuda")?, Some(&meson.name), shown)),
        causes,
        ..Local::default()
    })
}

/// The default of each option.
fn defaults(text: &str) -> BTreeMap<String, String> {
    let source = Source {
        text,
        file: 0,
        tokens: tokens(text),
        when: Guard::Always,
    };
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

impl Source<'_> {
    fn word(&self, at: usize) -> Option<&str> {
        let token = self.tokens.get(at)?;
        match token.kind {
            Kind::Text(_) => None,
            _ => self.text.get(token.span.range()),
        }
    }

    fn is(&self, at: usize, word: &str) -> bool {
        self.word(at) == Some(word)
    }

    fn string(&self, at: usize) -> Option<String> {
        let Kind::Text(pieces) = &self.tokens.get(at)?.kind else {
            return None;
        };
        let piece = |piece: &TextPiece| match piece {
            TextPiece::Literal(text, _) => text.clone(),
            TextPiece::Hole(_) => "@0@".to_owned(),
        };
        Some(pieces.iter().map(piece).collect())
    }

    /// Where a function of this name is called.
    fn calls(&self, name: &str) -> impl Iterator<Item = usize> {
        let found =
            (0..self.tokens.len()).filter(move |at| self.is(*at, name) && self.is(at + 1, "("));
        found.collect::<Vec<_>>().into_iter()
    }

    /// Where the bracket that opens at `from` closes.
    fn closing(&self, from: usize) -> usize {
        let mut open = 0i32;
        for at in from..self.tokens.len() {
            match self.word(at) {
                Some("(" | "[") => open += 1,
                Some(")" | "]") => open -= 1,
                _ => {}
            }
            if open <= 0 {
                return at;
            }
        }
        self.tokens.len()
    }

    fn site(&self, at: usize) -> Site {
        let span = self.tokens.get(at).map(|token| token.span);
        Site {
            file: self.file,
            span: span.unwrap_or_default(),
        }
    }

    /// When a token is reached.
    fn guard(&self, at: usize, defaults: &BTreeMap<String, String>) -> Guard {
        let mut guard = Guard::all([self.when.clone(), self.around(at, defaults)]);
        for done in self.calls("subdir_done").take_while(|done| *done < at) {
            guard = guard.after(&self.around(done, defaults));
        }
        guard
    }

    /// The conditions of the `if`s around a token, as far as each is one option.
    fn around(&self, at: usize, defaults: &BTreeMap<String, String>) -> Guard {
        let mut around: Vec<usize> = Vec::new();
        for index in 0..at {
            match self.word(index) {
                Some("if") => around.push(index),
                Some("elif" | "else") => {
                    around.pop();
                    around.push(index);
                }
                Some("endif") => drop(around.pop()),
                _ => {}
            }
        }
        let parts = around.iter().map(|start| {
            let of_option = self.option_test(*start, defaults);
            of_option.unwrap_or_else(|| Guard::Unknown(self.line(*start)))
        });
        Guard::all(parts)
    }

    /// `if get_option('x')`, `if not get_option('x').disabled()`, and nothing after it.
    fn option_test(&self, start: usize, defaults: &BTreeMap<String, String>) -> Option<Guard> {
        let negated = self.is(start + 1, "not");
        let at = start + 1 + usize::from(negated);
        if !self.is(start, "if") || !self.is(at, "get_option") {
            return None;
        }
        let name = self.string(at + 2)?;
        let ends = |at: usize| self.tokens.get(at).is_none_or(|t| t.kind == Kind::Line);
        let of_feature = self.is(at + 4, ".") && ends(at + 8);
        let guard = match self.word(at + 5) {
            _ if ends(at + 4) => switch(&name, defaults),
            Some("allowed") if of_feature => switch(&name, defaults),
            Some(value @ ("enabled" | "disabled")) if of_feature => {
                let is = Guard::Define(name.clone(), Check::Is(value.to_owned()));
                let by_default = defaults.get(&name).is_some_and(|default| default == value);
                let unset = Guard::Define(name, Check::Set).not();
                Guard::any([is, if by_default { unset } else { Guard::Never }])
            }
            _ => return None,
        };
        Some(if negated { guard.not() } else { guard })
    }

    fn line(&self, at: usize) -> String {
        let start = self.site(at).span.range().start;
        let rest = self.text.get(start..).unwrap_or_default();
        rest.lines().next().unwrap_or_default().trim().to_owned()
    }

    /// Whether nvcc is among the programs named from one token to another, also by variables: by its name, or by a path.
    fn names_nvcc(&self, from: usize, to: usize, depth: u8) -> bool {
        let named = |text: String| text.rsplit('/').next() == Some("nvcc");
        let by_variable = |name: &str| {
            let assigned =
                |at: &usize| self.is(*at, name) && (self.is(at + 1, "=") || self.is(at + 1, "+="));
            let mut places = (0..self.tokens.len()).filter(assigned);
            depth < 4 && places.any(|at| self.names_nvcc(at + 2, self.line_end(at), depth + 1))
        };
        (from..to).any(|at| match self.tokens.get(at).map(|token| &token.kind) {
            Some(Kind::Text(_)) => self.string(at).is_some_and(named),
            // not the name of an argument
            Some(Kind::Name) if !self.is(at + 1, ":") => self.word(at).is_some_and(by_variable),
            _ => false,
        })
    }

    /// Where the line of a token ends.
    fn line_end(&self, from: usize) -> usize {
        let line = |at: &usize| self.tokens.get(*at).is_none_or(|t| t.kind == Kind::Line);
        (from..=self.tokens.len()).find(line).unwrap_or(from)
    }

    /// Where the arguments from one token to another come from.
    fn given(
        &self,
        from: usize,
        to: usize,
        defaults: &BTreeMap<String, String>,
        depth: u8,
    ) -> Given {
        let of_option = (from..to).find(|at| self.is(*at, "get_option"));
        if let Some(name) = of_option.and_then(|at| self.string(at + 2)) {
            let default = defaults.get(&name).cloned().unwrap_or_default();
            return Given::Option(name, default);
        }
        let texts: Vec<String> = (from..to).filter_map(|at| self.string(at)).collect();
        if !texts.is_empty() {
            return Given::Text(texts.join(";"));
        }
        // a variable: the first value that it is given
        let name =
            (from..to).find_map(|at| self.word(at).filter(|_| self.tokens[at].kind == Kind::Name));
        let set = name.and_then(|name| {
            (0..self.tokens.len()).find(|at| self.is(*at, name) && self.is(at + 1, "="))
        });
        match set {
            Some(at) if depth < 4 => self.given(at + 2, self.line_end(at), defaults, depth + 1),
            _ => Given::Unknown,
        }
    }
}

/// When an option is on.
fn switch(name: &str, defaults: &BTreeMap<String, String>) -> Guard {
    match defaults.get(name).map(String::as_str) {
        // what is not said is on: `true` for a boolean, `enabled` or `auto` for a feature
        Some("false" | "disabled") => Guard::Define(name.to_owned(), Check::On),
        _ => Guard::Define(name.to_owned(), Check::Off).not(),
    }
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
