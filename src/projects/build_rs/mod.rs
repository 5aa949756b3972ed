//! A `build.rs` that compiles device code, as a builder record: by what its strings, names and calls show, never by running it.
mod origin;
mod returns;

use super::draft::Draft;
use super::guard::Guard;
use super::seen;
use crate::builders::record::{Effect, Place, Plain, Take};
use crate::cuda::arch_list::{self, Consumer, Syntax};
use crate::cuda::{Image, ImageKind};
use crate::span::Span;
use crate::text::rust::{Token, tokens};
use crate::value::Site;
use origin::{From, binding, origin};

/// What a build script shows.
#[derive(Debug, Default)]
pub struct Script {
    /// How device code gets to nvcc.
    by: Option<By>,
    /// Features in whose name something is done only for GPUs.
    features: Vec<String>,
    /// Where the architectures come from, the first that was seen.
    list: Option<(List, Span)>,
    /// It asks the GPU of the machine.
    asks_gpu: bool,
    /// It has nvcc ask the GPU of the machine: `-arch=native`.
    native: bool,
    /// What the environment has to be for it to return before it compiles.
    leaves: Vec<Guard>,
}

/// How device code gets to nvcc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// A compiler is called: `cc` with `.cuda(true)`, or nvcc itself.
    Compiler,
    /// CMake, with CUDA in what it is given.
    Cmake,
}

/// Where the architectures come from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum List {
    /// They are written out.
    Fixed(String),
    /// A variable of the environment, with what counts where it is not set, and what is made of it.
    Env {
        name: String,
        default: Option<String>,
        separator: Option<String>,
        dotted: bool,
        flag: String,
    },
    /// They are computed.
    Unknown,
}

/// Reads a build script.
pub fn read(text: &str) -> Script {
    let all = tokens(text);
    let mut script = Script {
        leaves: returns::early_returns(&all),
        ..Script::default()
    };
    for (at, token) in all.iter().enumerate() {
        let called = |name: &str| token.is(name) && all.get(at + 1).is_some_and(|t| t.is_sign('('));
        if called("cuda") && all.get(at + 2).is_some_and(|t| t.is("true")) {
            script.by = Some(By::Compiler);
        }
        if called("define") {
            script.define(&all, at);
        }
        let Some(literal) = token.text() else {
            continue;
        };
        if literal == "nvcc" || literal.ends_with("/nvcc") {
            script.by.get_or_insert(By::Compiler);
        }
        script.asks_gpu |= literal.contains("nvidia-smi");
        script.native |= literal.contains("arch=native");
        if let Some(feature) = literal.strip_prefix("CARGO_FEATURE_") {
            script.feature(&feature.to_ascii_lowercase().replace('_', "-"));
        }
        let asked = at > 1 && all[at - 1].is_sign('=') && all[at - 2].is("feature");
        if asked {
            script.feature(literal);
        }
        if is_flag(literal) {
            script.flag(&all, at, literal);
        }
    }
    script
}

impl Script {
    fn feature(&mut self, name: &str) {
        if is_of_gpu(name) && !self.features.iter().any(|known| known == name) {
            self.features.push(name.to_owned());
        }
    }

    /// `.define("NAME", value)` of the cmake crate.
    fn define(&mut self, all: &[Token], at: usize) {
        let Some(name) = all.get(at + 2).and_then(Token::text) else {
            return;
        };
        let upper = name.to_ascii_uppercase();
        if !upper.contains("CUDA") {
            return;
        }
        let end = closing(all, at + 1);
        let value = all.get(at + 4..end).unwrap_or_default();
        let off = value.first().and_then(Token::text).is_some_and(|v| {
            matches!(
                v.to_ascii_uppercase().as_str(),
                "OFF" | "0" | "FALSE" | "NO"
            )
        });
        if !off {
            self.by.get_or_insert(By::Cmake);
        }
        if upper.contains("ARCH") {
            let span = all.get(at + 2).map(|t| t.span).unwrap_or_default();
            let list = match origin(all, value, 0) {
                From::Text(text) => List::Fixed(text),
                From::Env(name, default) => List::Env {
                    name,
                    default,
                    separator: None,
                    dotted: false,
                    flag: String::new(),
                },
                From::Unknown => List::Unknown,
            };
            self.list.get_or_insert((list, span));
        }
    }

    /// A string that is a flag with an architecture, or the format of one.
    fn flag(&mut self, all: &[Token], at: usize, literal: &str) {
        let span = all[at].span;
        if !literal.contains('{') {
            // several such flags add up
            match &mut self.list {
                Some((List::Fixed(flags), _)) => {
                    flags.push(' ');
                    flags.push_str(literal);
                }
                Some(_) => {}
                none => *none = Some((List::Fixed(literal.to_owned()), span)),
            }
            return;
        }
        let end = all[at..]
            .iter()
            .position(|token| token.is_sign(';'))
            .map_or(all.len(), |length| at + length);
        let inner = literal
            .split('{')
            .nth(1)
            .and_then(|rest| rest.split('}').next());
        let named = inner.filter(|name| !name.is_empty() && !name.contains(':'));
        let from = match named {
            Some(name) => binding(all, name, 0),
            None => origin(all, &all[at + 1..end], 0),
        };
        let list = match from {
            From::Env(name, default) => {
                let separator = separator(all, &name);
                List::Env {
                    name,
                    default,
                    separator,
                    dotted: dots_go(all),
                    flag: filled(literal),
                }
            }
            From::Text(text) => {
                List::Fixed(literal.replace(&format!("{{{}}}", inner.unwrap_or_default()), &text))
            }
            From::Unknown => List::Unknown,
        };
        self.list.get_or_insert((list, span));
    }

    /// What the script does, the run's file of this number, and the generic record that it stands in for; `None` where it
    /// compiles no device code.
    pub fn draft(&self, file: u16, on: &[String]) -> Option<(Draft, &'static str)> {
        let by = self.by?;
        let mut draft = Draft::default();
        draft.never_if(
            &Guard::any(self.leaves.iter().cloned()),
            "its build.rs returns before it compiles",
        );
        let given = |name: &String| on.contains(name);
        if !self.features.is_empty() && !self.features.iter().any(given) {
            let gate = Guard::any(self.features.iter().cloned().map(Guard::Feature));
            let first = self.features.first().map_or("", String::as_str);
            draft.only_if(
                &gate,
                &format!("without --features {first} it is built for the CPU"),
            );
        }
        draft.ignores(&["TORCH_CUDA_ARCH_LIST"]);
        let site = |span| Site { file, span };
        match &self.list {
            Some((List::Env { name, .. }, span)) => {
                self.own_variable(by, &mut draft);
                draft.cause(site(*span), &format!("made from {name}"));
            }
            Some((List::Fixed(text), span)) => {
                let syntax = match by {
                    By::Compiler => Syntax::Flags,
                    By::Cmake => Syntax::Cmake,
                };
                let images = arch_list::parse(syntax, text, &Consumer::default()).images;
                let known = Some(images).filter(|images| !images.is_empty());
                draft.fixed(
                    &Guard::Always,
                    known.as_deref(),
                    "its build.rs passes the list itself",
                );
                draft.cause(site(*span), "the architectures are set here");
                draft.ignores(&["CMAKE_CUDA_ARCHITECTURES", "CUDAARCHS"]);
            }
            Some((List::Unknown, span)) => {
                self.gpu(&mut draft);
                draft.fixed(&Guard::Always, None, "its build.rs computes the list");
                draft.cause(site(*span), "the architectures are set here");
            }
            None => self.no_list(by, &mut draft),
        }
        let parent = match by {
            By::Compiler => "nvcc",
            By::Cmake => "cmake-cuda",
        };
        Some((draft, parent))
    }

    /// What follows where the script names no architecture.
    fn no_list(&self, by: By, draft: &mut Draft) {
        draft.ignores(&["CMAKE_CUDA_ARCHITECTURES"]);
        if by == By::Cmake {
            self.gpu(draft);
            draft.knob("CUDAARCHS", Place::Env, "cmake", Take::List);
            draft.list();
            return draft.fixed(
                &Guard::Always,
                None,
                "the CMake project that its build.rs configures decides",
            );
        }
        // nvcc itself reads two variables
        draft.knob(
            "-gencode/-arch/-code",
            Place::Flag,
            "nvcc-flags",
            Take::RawFlags,
        );
        draft.list();
        self.gpu(draft);
        if self.native {
            let say = "its build.rs asks for the GPU of the build machine";
            draft.visible_gpu(say);
            draft
                .row(&Guard::Always, Effect::CompilerDefault, say)
                .native = true;
            return;
        }
        draft.row(
            &Guard::Always,
            Effect::CompilerDefault,
            "its build.rs names no architecture",
        );
    }

    fn gpu(&self, draft: &mut Draft) {
        if self.asks_gpu {
            draft.visible_gpu("its build.rs asks the GPU of the build machine");
        }
    }

    fn own_variable(&self, by: By, draft: &mut Draft) {
        let Some((
            List::Env {
                name,
                default,
                separator,
                dotted,
                flag,
            },
            _,
        )) = &self.list
        else {
            return;
        };
        let dots = if *dotted { "dotted" } else { "undotted" };
        let (syntax, take) = match (by, separator) {
            (By::Cmake, _) => ("cmake".to_owned(), Take::List),
            (By::Compiler, Some(separator)) => (format!("{dots}({separator})"), Take::List),
            (By::Compiler, None) => (format!("one-{dots}"), Take::One),
        };
        let images = seen::images(flag);
        let is_ptx = |image: &Image| image.kind == ImageKind::Ptx;
        let plain = match (images.iter().any(|i| !is_ptx(i)), images.iter().any(is_ptx)) {
            (true, true) => Plain::Both,
            (false, true) => Plain::Ptx,
            _ => Plain::Sass,
        };
        draft.knob(name, Place::Env, &syntax, take).plain = plain;
        draft.list();
        self.gpu(draft);
        let parsed = default.as_deref().and_then(|default| {
            let syntax: Syntax = syntax.parse().ok()?;
            Some(arch_list::parse(syntax, default, &Consumer::default()).images)
        });
        let known = parsed.filter(|images| !images.is_empty());
        draft.fixed(&Guard::Always, known.as_deref(), &format!("without {name}"));
    }
}

/// Whether a feature is called as those for GPUs are.
pub(super) fn is_of_gpu(feature: &str) -> bool {
    let words = ["cuda", "gpu", "cublas", "nvidia", "cudnn", "flash-attn"];
    words.iter().any(|word| feature.contains(word))
}

/// Whether a string is a flag that names an architecture, or the format of one.
fn is_flag(text: &str) -> bool {
    let names = [
        "arch=compute_",
        "arch=sm_",
        "gencode=",
        "gpu-architecture=",
        "generate-code=",
    ];
    names.iter().any(|name| text.contains(name))
}

/// A format with an architecture in its gaps: what one entry makes nvcc embed.
fn filled(format: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        out.push_str("80");
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// Between what a list in a variable is split, if it is.
fn separator(all: &[Token], variable: &str) -> Option<String> {
    let read = all
        .iter()
        .position(|token| token.text() == Some(variable))?;
    let after = all[read..].windows(3).take(200);
    let mut splits = after.filter_map(|three| match three {
        [name, open, text] if name.word()?.starts_with("split") && open.is_sign('(') => {
            text.text().map(str::to_owned)
        }
        _ => None,
    });
    splits.next().filter(|found| !found.is_empty())
}

/// Whether dots are taken out of values.
fn dots_go(all: &[Token]) -> bool {
    all.windows(3)
        .any(|three| three[0].is("replace") && three[2].text() == Some("."))
}

/// Where the bracket that opens at `from` closes.
fn closing(all: &[Token], from: usize) -> usize {
    let mut open = 0i32;
    for (at, token) in all.iter().enumerate().skip(from) {
        if token.is_sign('(') {
            open += 1;
        } else if token.is_sign(')') {
            open -= 1;
            if open == 0 {
                return at;
            }
        }
    }
    all.len()
}
