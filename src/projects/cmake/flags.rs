//! Flags and properties that name architectures.
use super::follow::Follow;
use crate::projects::guard::Guard;
use crate::projects::seen::{Open, Piece, Seen, sketch};
use crate::text::cmake::Argument;
use crate::value::Site;

impl Follow<'_> {
    pub(super) fn property(&mut self, args: &[Argument], guard: &Guard) {
        let Some(at) = args.iter().position(|a| a.is("CUDA_ARCHITECTURES")) else {
            if let Some(at) = args
                .iter()
                .position(|a| a.is("COMPILE_FLAGS") || a.is("COMPILE_OPTIONS"))
            {
                args[at..].iter().for_each(|a| self.flags(a, guard));
            }
            return;
        };
        let values: Vec<Argument> = args[at + 1..]
            .iter()
            .take_while(|a| {
                a.quoted
                    || !a.literal().is_some_and(|t| {
                        t.len() > 3
                            && t.contains('_')
                            && t.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
                    })
            })
            .cloned()
            .collect();
        let Some(first) = values.first() else { return };
        let site = Site {
            file: self.file,
            span: first.span,
        };
        for (when, what) in self.joined(&values) {
            // the variable's own value adds nothing
            if matches!(what.as_slice(), [Piece::Open(Open::Define(name, None))] if name == "CMAKE_CUDA_ARCHITECTURES")
            {
                continue;
            }
            self.shows.archs.push(Seen {
                guard: Guard::all([guard.clone(), when]),
                what,
                site,
            });
        }
    }

    /// Notes a flag that names architectures.
    pub(super) fn flags(&mut self, arg: &Argument, guard: &Guard) {
        let site = Site {
            file: self.file,
            span: arg.span,
        };
        for (when, what) in self.expand(arg) {
            let text = sketch(&what);
            let names = [
                "-gencode",
                "arch=compute",
                "-arch=",
                "-arch ",
                "--gpu-architecture",
                "--generate-code",
            ];
            let split = matches!(text.trim(), "-gencode" | "--generate-code" | "-arch");
            if !split && names.iter().any(|n| text.contains(n)) {
                self.shows.flags.push(Seen {
                    guard: Guard::all([guard.clone(), when]),
                    what: bare(what),
                    site,
                });
            }
        }
    }

    /// `-arch sm_80` as two arguments.
    pub(super) fn pairs(&mut self, args: &[Argument], guard: &Guard) {
        for pair in args.windows(2) {
            let [option, value] = pair else { continue };
            if option
                .literal()
                .is_some_and(|t| t == "-arch" || t == "--gpu-architecture")
            {
                for (when, what) in self.expand(value) {
                    let site = Site {
                        file: self.file,
                        span: option.span.to(value.span),
                    };
                    let mut pieces = vec![Piece::Literal("-arch=".to_owned(), site)];
                    pieces.extend(what);
                    self.shows.flags.push(Seen {
                        guard: Guard::all([guard.clone(), when]),
                        what: pieces,
                        site,
                    });
                }
            }
        }
    }
}

/// Flags out of a generator expression for the CUDA language.
pub(super) fn bare(pieces: Vec<Piece>) -> Vec<Piece> {
    let clean = |text: &str| {
        let mut text = text.replace("SHELL:", "").replace(';', " ");
        if text.contains("$<") {
            text = text
                .replace("$<$<COMPILE_LANGUAGE:CUDA>:", "")
                .replace("$<COMPILE_LANGUAGE:CUDA>", "")
                .replace(['>', '<', '$'], " ");
        }
        text
    };
    pieces
        .into_iter()
        // what the command line adds is a setting of its own
        .filter(|piece| !matches!(piece, Piece::Open(Open::Define(name, None)) if is_flags(name)))
        .map(|piece| match piece {
            Piece::Literal(text, site) => Piece::Literal(clean(&text), site),
            open => open,
        })
        .collect()
}

/// Variables whose text nvcc gets.
pub(super) fn is_flags(name: &str) -> bool {
    name.contains("FLAGS") && (name.contains("CUDA") || name.contains("NVCC"))
        || name.contains("GENCODE")
}
