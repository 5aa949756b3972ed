//! A `meson.build` as tokens: its calls, and under which conditions they stand.
use crate::projects::guard::{Check, Guard};
use crate::text::python::{Kind, TextPiece, Token, tokens};
use crate::value::Site;
use std::collections::BTreeMap;

/// Where a text comes from.
pub(super) enum Given {
    Text(String),
    /// An option of the project, with its default.
    Option(String, String),
    Unknown,
}

/// A file with its tokens.
pub(super) struct Source<'t> {
    text: &'t str,
    file: u16,
    pub(super) tokens: Vec<Token>,
    /// When it is reached.
    when: Guard,
}

impl<'t> Source<'t> {
    /// A file that is reached when `when` holds.
    pub(super) fn new(text: &'t str, file: u16, when: Guard) -> Self {
        Self {
            text,
            file,
            tokens: tokens(text),
            when,
        }
    }

    pub(super) fn word(&self, at: usize) -> Option<&str> {
        let token = self.tokens.get(at)?;
        match token.kind {
            Kind::Text(_) => None,
            _ => self.text.get(token.span.range()),
        }
    }

    pub(super) fn is(&self, at: usize, word: &str) -> bool {
        self.word(at) == Some(word)
    }

    pub(super) fn string(&self, at: usize) -> Option<String> {
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
    pub(super) fn calls(&self, name: &str) -> impl Iterator<Item = usize> {
        let found =
            (0..self.tokens.len()).filter(move |at| self.is(*at, name) && self.is(at + 1, "("));
        found.collect::<Vec<_>>().into_iter()
    }

    /// Where the bracket that opens at `from` closes.
    pub(super) fn closing(&self, from: usize) -> usize {
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

    pub(super) fn site(&self, at: usize) -> Site {
        let span = self.tokens.get(at).map(|token| token.span);
        Site {
            file: self.file,
            span: span.unwrap_or_default(),
        }
    }

    /// When a token is reached.
    pub(super) fn guard(&self, at: usize, defaults: &BTreeMap<String, String>) -> Guard {
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
    pub(super) fn names_nvcc(&self, from: usize, to: usize, depth: u8) -> bool {
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
    pub(super) fn line_end(&self, from: usize) -> usize {
        let line = |at: &usize| self.tokens.get(*at).is_none_or(|t| t.kind == Kind::Line);
        (from..=self.tokens.len()).find(line).unwrap_or(from)
    }

    /// Where the arguments from one token to another come from.
    pub(super) fn given(
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
pub(super) fn switch(name: &str, defaults: &BTreeMap<String, String>) -> Guard {
    match defaults.get(name).map(String::as_str) {
        // what is not said is on: `true` for a boolean, `enabled` or `auto` for a feature
        Some("false" | "disabled") => Guard::Define(name.to_owned(), Check::On),
        _ => Guard::Define(name.to_owned(), Check::Off).not(),
    }
}
