//! Commands that set variables: `set`, `list`, `string`.
use super::flags::is_flags;
use super::follow::Follow;
use super::variables::unknown;
use crate::projects::guard::Guard;
use crate::projects::seen::{Open, Piece, known};
use crate::text::cmake::Argument;
use crate::value::Site;

impl Follow<'_> {
    pub(super) fn set(&mut self, args: &[Argument], guard: &Guard, site: Site) {
        let Some(name) = args.first().and_then(|name| self.one(name)) else {
            return;
        };
        let cache = args.iter().position(|a| a.is("CACHE"));
        let for_parent = args.iter().position(|a| a.is("PARENT_SCOPE"));
        let end = cache.or(for_parent).unwrap_or(args.len());
        let force = cache.is_some() && args.last().is_some_and(|a| a.is("FORCE"));
        let values = args.get(1..end).unwrap_or_default();
        if values.is_empty() && cache.is_none() {
            self.variables.put(&name, None);
            return;
        }
        if name == "CMAKE_MODULE_PATH" {
            self.module_paths(values);
        }
        let is_archs = name == "CMAKE_CUDA_ARCHITECTURES";
        if cache.is_some() && !force {
            if is_archs && self.enabled && !self.old_policy {
                self.shows.late.get_or_insert(site);
                return;
            }
            self.shows.defaults.entry(name.clone()).or_insert(site);
            for (when, pieces) in self.joined(values) {
                // a cache entry is a default: the command line wins
                let value = match known(&pieces) {
                    Some(text) => Piece::Open(Open::Define(name.clone(), Some(text))),
                    None => match pieces.as_slice() {
                        [one @ Piece::Open(Open::Define(..) | Open::Env { .. } | Open::Gpu)] => {
                            one.clone()
                        }
                        _ => Piece::Open(Open::Unknown),
                    },
                };
                self.assign(&name, vec![value], &Guard::all([guard.clone(), when]));
            }
            self.variables.keep(&name, false);
            if is_flags(&name) {
                values.iter().for_each(|v| self.flags(v, guard));
            }
            return;
        }
        for (when, pieces) in self.joined(values) {
            self.assign(&name, pieces, &Guard::all([guard.clone(), when]));
        }
        if cache.is_some() || for_parent.is_some() {
            self.variables.keep(&name, for_parent.is_some());
        }
        if is_flags(&name) {
            values.iter().for_each(|v| self.flags(v, guard));
            self.pairs(values, guard);
        }
    }

    /// `list(APPEND …)`, `string(APPEND …)`, `string(REPLACE …)`.
    pub(super) fn change(&mut self, args: &[Argument], guard: &Guard) {
        let Some(verb) = args.first().and_then(Argument::literal) else {
            return;
        };
        match verb.as_str() {
            "APPEND" | "PREPEND" => {
                let Some(name) = args.get(1).and_then(Argument::literal) else {
                    return;
                };
                let values = args.get(2..).unwrap_or_default();
                if name == "CMAKE_MODULE_PATH" {
                    self.module_paths(values);
                }
                if is_flags(&name) {
                    values.iter().for_each(|v| self.flags(v, guard));
                    self.pairs(values, guard);
                }
                let more = self.joined(values);
                let guard = guard.given(&self.holds);
                self.variables.append(&name, &more, &guard);
            }
            "REPLACE" | "REGEX" | "STRIP" | "TOLOWER" | "TOUPPER" => {
                // the output is made from the last argument
                let (output, input) = match verb.as_str() {
                    "REPLACE" => (args.get(3), args.get(4)),
                    "REGEX" => (args.get(args.len().saturating_sub(2)), args.last()),
                    _ => (args.get(2), args.get(1)),
                };
                let Some(name) = output.and_then(Argument::literal) else {
                    return;
                };
                let texts: Vec<Option<String>> = args.iter().map(Argument::literal).collect();
                for (when, pieces) in input.map(|i| self.expand(i)).unwrap_or_default() {
                    let changed = match (known(&pieces), verb.as_str(), texts.as_slice()) {
                        (Some(text), "TOLOWER", _) => Some(text.to_lowercase()),
                        (Some(text), "TOUPPER", _) => Some(text.to_uppercase()),
                        (Some(text), "STRIP", _) => Some(text.trim().to_owned()),
                        (Some(text), "REPLACE", [_, Some(from), Some(to), ..])
                            if !from.is_empty() =>
                        {
                            Some(text.replace(from.as_str(), to))
                        }
                        _ => None,
                    };
                    let value = match (changed, known(&pieces)) {
                        (Some(text), _) => {
                            let site = Site {
                                file: self.file,
                                span: input.map(|i| i.span).unwrap_or_default(),
                            };
                            vec![Piece::Literal(text, site)]
                        }
                        (None, _)
                            if matches!(
                                pieces.as_slice(),
                                [Piece::Open(Open::Define(..) | Open::Env { .. } | Open::Gpu)]
                            ) =>
                        {
                            pieces
                        }
                        _ => vec![Piece::Open(Open::Unknown)],
                    };
                    self.assign(&name, value, &Guard::all([guard.clone(), when]));
                }
            }
            // they change no list that is followed: order and length
            "SORT" | "REMOVE_DUPLICATES" | "REVERSE" | "LENGTH" | "FIND" => {}
            "GET" | "JOIN" | "SUBLIST" => self.forget(args.last()),
            _ => self.forget(args.get(1)),
        }
    }

    pub(super) fn assign(&mut self, name: &str, value: Vec<Piece>, guard: &Guard) {
        let guard = guard.given(&self.holds);
        self.variables.assign(name, value, &guard);
    }

    pub(super) fn forget(&mut self, name: Option<&Argument>) {
        if let Some(name) = name.and_then(Argument::literal) {
            self.variables.put(&name, Some(unknown()));
        }
    }
}
