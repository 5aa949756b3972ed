//! Make's variables and functions.
use super::Maker;
use crate::actions::Named;
use crate::span::Span;
use crate::text::make::{Assign, How};
use crate::text::mapped::Mapped;
use crate::walk::state::State;
use crate::walk::value::{Piece, Site, Value};

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    stored: Stored,
    rank: Rank,
    /// Recipes see it in their environment.
    pub(super) exported: bool,
}

#[derive(Clone, Debug)]
enum Stored {
    /// Expanded when it was set.
    Now(Value),
    /// Texts, each with its file, that are expanded where it is used.
    Later(Vec<(Mapped, u16)>),
}

/// Who set it; the higher one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Makefile,
    CommandLine,
    Override,
}

/// The file of a text that `eval` made.
pub(super) const NOWHERE: u16 = u16::MAX;
/// Expansions nest this deep.
const MAX_DEPTH: u16 = 48;
/// A longer value is unknown.
const MAX_LENGTH: usize = 1 << 16;

impl Maker<'_, '_> {
    pub(super) fn command_line(&mut self, named: &Named) {
        let variable = Variable {
            stored: Stored::Now(named.value.clone()),
            rank: Rank::CommandLine,
            exported: true,
        };
        self.variables.insert(named.name.clone(), variable);
    }

    /// The variables that recipes see in their environment.
    pub(super) fn exported(&mut self, state: &State) -> Vec<(String, Value)> {
        let all = self.export_all;
        let names: Vec<String> = self
            .variables
            .iter()
            .filter(|(name, variable)| variable.exported || all || state.mentions(name))
            .map(|(name, _)| name.clone())
            .collect();
        let values = names.into_iter().map(|name| {
            let value = self.variable(&name, state);
            (name, value)
        });
        values.collect()
    }

    /// The variables that the Makefile sets, with their values.
    pub(super) fn own(&mut self, state: &State) -> Vec<Named> {
        let own = |variable: &Variable| variable.rank != Rank::CommandLine;
        let names: Vec<String> = self
            .variables
            .iter()
            .filter(|(_, variable)| own(variable))
            .map(|(name, _)| name.clone())
            .collect();
        let named = names.into_iter().map(|name| Named {
            value: self.variable(&name, state),
            name,
        });
        named.collect()
    }

    pub(super) fn assign(&mut self, assign: &Assign, file: u16, unsure: bool, state: &State) {
        let name = self.expand(&assign.name, file, state).sketch();
        let rank = if assign.overrides {
            Rank::Override
        } else {
            Rank::Makefile
        };
        let known = self.variables.get(&name).cloned();
        let exported = assign.export || known.as_ref().is_some_and(|known| known.exported);
        if let Some(known) = known.as_ref().filter(|known| known.rank > rank) {
            let known = Variable {
                exported,
                ..known.clone()
            };
            self.variables.insert(name, known);
            return;
        }
        let from_environment = known.is_none() && in_environment(&name, state);
        let later = || Stored::Later(vec![(assign.value.clone(), file)]);
        let mut stored = match assign.how {
            How::IfUnset if known.is_some() || from_environment => return,
            How::IfUnset | How::Later => later(),
            How::Now => Stored::Now(self.expand(&assign.value, file, state)),
            How::Output => Stored::Now(printed()),
            How::Append => match known.map(|known| known.stored) {
                None if !from_environment => later(),
                Some(Stored::Later(mut texts)) => {
                    texts.push((assign.value.clone(), file));
                    Stored::Later(texts)
                }
                before => {
                    let mut value = match before {
                        Some(Stored::Now(value)) => value,
                        _ => self.variable(&name, state),
                    };
                    let more = self.expand(&assign.value, file, state);
                    value.push_literal(" ", None);
                    value.append(&more);
                    Stored::Now(value)
                }
            },
        };
        if unsure {
            let before = self.variable(&name, state).sketch();
            let after = match &stored {
                Stored::Now(value) => value.clone(),
                Stored::Later(_) => self.expand(&assign.value, file, state),
            };
            let more = match assign.how {
                How::Append => self.expand(&assign.value, file, state),
                _ => Value::default(),
            };
            // flags that choose no architecture may stand there or not
            if before != after.sketch() && !are_other_flags(&more) {
                let why = format!("{name} depends on a condition in the Makefile");
                stored = Stored::Now(Value::hole(&why, None, false));
            }
        }
        let variable = Variable {
            stored,
            rank,
            exported,
        };
        self.variables.insert(name, variable);
    }

    /// A variable's value; the empty one if it is not set.
    pub(super) fn variable(&mut self, name: &str, state: &State) -> Value {
        let local = self.locals.iter().rev().find(|(local, _)| local == name);
        if let Some((_, value)) = local {
            return value.clone();
        }
        let value = match self.variables.get(name).map(|v| v.stored.clone()) {
            Some(Stored::Now(value)) => value,
            Some(Stored::Later(texts)) => {
                let mut value = Value::default();
                for (index, (text, file)) in texts.iter().enumerate() {
                    if index > 0 {
                        value.push_literal(" ", None);
                    }
                    value.append(&self.expand(text, *file, state));
                }
                value
            }
            None => self.given(name, state),
        };
        // whatever finds it, it is this program
        if name == "NVCC" && value.known().is_none() && !value.sketch().contains("nvcc") {
            return Value::literal("nvcc", None);
        }
        value
    }

    /// What make or the environment says of a variable that the Makefile does not set.
    fn given(&self, name: &str, state: &State) -> Value {
        let text = match name {
            "MAKE" => "make",
            "CURDIR" => &self.dir,
            "SHELL" => "/bin/sh",
            "CC" => "cc",
            "CXX" => "g++",
            "AR" => "ar",
            "RM" => "rm -f",
            "MAKEFILE_LIST" | "MAKEFLAGS" | "MAKELEVEL" => {
                return Value::hole("make sets it", None, true);
            }
            _ => {
                return match state.found_by_program(name).as_slice() {
                    [only] if only.exported => only.value.clone().unwrap_or_default(),
                    [_] => Value::default(),
                    _ => Value::hole(&format!("{name} depends on a condition"), None, false),
                };
            }
        };
        Value::literal(text, None)
    }

    /// A text with its variables and functions replaced.
    pub(super) fn expand(&mut self, text: &Mapped, file: u16, state: &State) -> Value {
        if self.depth >= MAX_DEPTH || !self.tick() {
            return Value::hole("it takes too much to expand", None, false);
        }
        self.depth += 1;
        let mut value = Value::default();
        let source = text.text();
        let mut at = 0;
        while let Some(dollar) = source[at..].find('$').map(|found| at + found) {
            push(&mut value, text, at..dollar, file);
            let rest = &source[dollar + 1..];
            let Some(next) = rest.chars().next() else {
                at = source.len();
                break;
            };
            let body = dollar + 1 + next.len_utf8();
            at = match next {
                '$' => {
                    push(&mut value, text, dollar + 1..body, file);
                    body
                }
                '(' | '{' => {
                    let end = closing(source, body, next);
                    let inside = text.slice(body..end);
                    value.append(&self.reference(&inside, file, state));
                    (end + 1).min(source.len())
                }
                _ => {
                    value.append(&self.variable(&next.to_string(), state));
                    body
                }
            };
            if value.pieces.len() > 4096 || value.sketch().len() > MAX_LENGTH {
                value = Value::hole("it is too long", None, true);
            }
        }
        push(&mut value, text, at..source.len(), file);
        self.depth -= 1;
        value
    }

    /// What stands between `$(` and `)`.
    fn reference(&mut self, inside: &Mapped, file: u16, state: &State) -> Value {
        let text = inside.text();
        if let Some((function, rest)) = text.split_once([' ', '\t'])
            && function
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b == b'-')
        {
            let from = text.len() - rest.trim_start().len();
            let args = inside.slice(from..text.len());
            return self.function(function, &args, file, state);
        }
        let name = self.expand(inside, file, state).sketch();
        if let Some((name, (from, to))) = name
            .split_once(':')
            .and_then(|(name, change)| Some((name, change.split_once('=')?)))
        {
            let value = self.variable(name, state);
            let (from, to) = match from.contains('%') {
                true => (from.to_owned(), to.to_owned()),
                false => (format!("%{from}"), format!("%{to}")),
            };
            return each(&value, |word| Some(substituted(word, &from, &to)));
        }
        self.variable(&name, state)
    }

    fn function(&mut self, name: &str, args: &Mapped, file: u16, state: &State) -> Value {
        let parts = split(args);
        let part = |index: usize| parts.get(index).cloned().unwrap_or_default();
        match name {
            "foreach" => {
                let local = self.expand(&part(0), file, state).sketch();
                let words = words(&self.expand(&part(1), file, state));
                let body = rest_of(args, &parts, 2);
                let mut all = Value::default();
                for (index, word) in words.into_iter().enumerate() {
                    if index > 0 {
                        all.push_literal(" ", None);
                    }
                    self.locals.push((local.trim().to_owned(), word));
                    let value = self.expand(&body, file, state);
                    self.locals.pop();
                    all.append(&value);
                }
                all
            }
            "if" => match self.expand(&part(0), file, state).is_empty() {
                Some(true) => self.expand(&rest_of(args, &parts, 2), file, state),
                Some(false) => self.expand(&part(1), file, state),
                None => Value::hole("it depends on what is not known", None, false),
            },
            "or" => {
                let mut values = parts.iter().map(|part| self.expand(part, file, state));
                values
                    .find(|value| value.is_empty() != Some(true))
                    .unwrap_or_default()
            }
            "and" => {
                let mut last = Value::default();
                for part in &parts {
                    last = self.expand(part, file, state);
                    if last.is_empty() == Some(true) {
                        return last;
                    }
                }
                last
            }
            "eval" => {
                let text = self.expand(args, file, state);
                self.evaluate(&text, state);
                Value::default()
            }
            "call" => {
                let values: Vec<Value> = parts
                    .iter()
                    .map(|part| self.expand(part, file, state))
                    .collect();
                let Some((called, values)) = values.split_first() else {
                    return Value::default();
                };
                let before = self.locals.len();
                for (index, value) in values.iter().enumerate() {
                    self.locals.push(((index + 1).to_string(), value.clone()));
                }
                let value = self.variable(called.sketch().trim(), state);
                self.locals.truncate(before);
                value
            }
            "shell" => {
                let command = self.expand(args, file, state).sketch();
                match command.trim() {
                    "pwd" => Value::literal(&self.dir, None),
                    _ => printed(),
                }
            }
            "wildcard" => {
                let patterns = self.expand(args, file, state);
                each(&patterns, |word| self.matching(word, state))
            }
            "info" | "warning" | "error" => Value::default(),
            _ => {
                let values: Vec<Value> = parts
                    .iter()
                    .map(|part| self.expand(part, file, state))
                    .collect();
                of_text(name, &values)
                    .unwrap_or_else(|| Value::hole(&format!("$({name} …) computes it"), None, true))
            }
        }
    }
}

fn printed() -> Value {
    Value::hole("it is the output of a command", None, true)
}

/// `-DUSE_MPI -lmpi`: flags of a compiler that say nothing of architectures.
fn are_other_flags(text: &Value) -> bool {
    let about = ["arch", "compute_", "sm_", "gencode", "gpu="];
    let other = |word: &str| {
        let lower = word.to_ascii_lowercase();
        word.starts_with('-') && !about.iter().any(|part| lower.contains(part))
    };
    text.known().is_some_and(|text| {
        let mut words = text.split_whitespace().peekable();
        words.peek().is_some() && words.all(other)
    })
}

fn in_environment(name: &str, state: &State) -> bool {
    let found = state.found_by_program(name);
    found.iter().any(|a| a.exported && a.value.is_some())
}

/// The functions that only change text.
fn of_text(name: &str, values: &[Value]) -> Option<Value> {
    let value = |index: usize| values.get(index).cloned().unwrap_or_default();
    let text = |index: usize| value(index).sketch();
    let last = values.last().cloned().unwrap_or_default();
    Some(match name {
        "strip" => each(&last, |word| Some(word.clone())),
        "sort" => {
            let mut words = words(&last);
            words.sort_by_key(Value::sketch);
            words.dedup_by_key(|word| word.sketch());
            joined(words)
        }
        "firstword" => words(&last).into_iter().next().unwrap_or_default(),
        "lastword" => words(&last).into_iter().next_back().unwrap_or_default(),
        "word" => {
            let index: usize = text(0).trim().parse().ok()?;
            words(&last)
                .into_iter()
                .nth(index.checked_sub(1)?)
                .unwrap_or_default()
        }
        "words" => Value::literal(&words(&last).len().to_string(), None),
        "addprefix" => each(&last, |word| {
            let mut all = value(0);
            all.append(word);
            Some(all)
        }),
        "addsuffix" => each(&last, |word| {
            let mut all = word.clone();
            all.append(&value(0));
            Some(all)
        }),
        "filter" | "filter-out" => {
            let patterns: Vec<String> = words(&value(0)).iter().map(Value::sketch).collect();
            let wanted = name == "filter";
            each(&last, |word| {
                let text = word.sketch();
                let fits = patterns
                    .iter()
                    .any(|pattern| stem(pattern, &text).is_some());
                (fits == wanted).then(|| word.clone())
            })
        }
        "patsubst" => each(&last, |word| {
            Some(substituted(word, text(0).trim(), text(1).trim()))
        }),
        "subst" if last.known().is_some() => {
            let changed = last.known()?.replace(&text(0), &text(1));
            Value::literal(&changed, last.site())
        }
        "findstring" => {
            let found = text(1).contains(&text(0));
            if found { value(0) } else { Value::default() }
        }
        "notdir" | "dir" | "basename" => each(&last, |word| {
            let text = word.sketch();
            let cut = text.rfind('/').map_or(0, |at| at + 1);
            Some(match name {
                "notdir" => word.slice_from(cut),
                "dir" if cut == 0 => Value::literal("./", None),
                "dir" => word.slice(0, cut),
                _ => word.slice(
                    0,
                    text[cut..].rfind('.').map_or(text.len(), |dot| cut + dot),
                ),
            })
        }),
        _ => return None,
    })
}

/// `%.o` → `%.cu` for a word that fits.
fn substituted(word: &Value, from: &str, to: &str) -> Value {
    let text = word.sketch();
    match stem(from, &text) {
        Some(stem) => Value::literal(&to.replacen('%', stem, 1), word.site()),
        None => word.clone(),
    }
}

/// What `%` stands for, if a pattern fits a name; a pattern without `%` fits itself.
pub(super) fn stem<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    match pattern.split_once('%') {
        Some((before, after)) => {
            let rest = name.strip_prefix(before)?;
            rest.strip_suffix(after).filter(|stem| !stem.is_empty())
        }
        None => (pattern == name).then_some(""),
    }
}

/// The words of a value.
pub(super) fn words(value: &Value) -> Vec<Value> {
    let text = value.sketch();
    let base = text.as_ptr() as usize;
    let ranges = text.split_whitespace().map(|word| {
        let from = word.as_ptr() as usize - base;
        value.slice(from, from + word.len())
    });
    ranges.collect()
}

fn joined(words: impl IntoIterator<Item = Value>) -> Value {
    let mut all = Value::default();
    for (index, word) in words.into_iter().enumerate() {
        if index > 0 {
            all.push_literal(" ", None);
        }
        all.append(&word);
    }
    all
}

/// Each word as `change` gives it.
fn each(value: &Value, change: impl FnMut(&Value) -> Option<Value>) -> Value {
    joined(words(value).iter().filter_map(change).collect::<Vec<_>>())
}

fn push(value: &mut Value, text: &Mapped, range: std::ops::Range<usize>, file: u16) {
    for run in text.runs(range) {
        let start = text.origin(run.start);
        let piece = &text.text()[run.clone()];
        let span = Span {
            start,
            end: start + piece.len() as u32,
        };
        let site = (file != NOWHERE).then_some(Site { file, span });
        value.push_literal(piece, site);
    }
}

/// Where the bracket that is open at `from` closes.
fn closing(text: &str, from: usize, open: char) -> usize {
    let close = if open == '(' { ')' } else { '}' };
    let mut depth = 1;
    for (at, c) in text[from..].char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return from + at;
            }
        }
    }
    text.len()
}

/// The arguments of a function, before expansion.
fn split(args: &Mapped) -> Vec<Mapped> {
    let text = args.text();
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(args.slice(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(args.slice(from..text.len()));
    parts
}

/// The last argument of a function that takes no more, commas and all.
fn rest_of(args: &Mapped, parts: &[Mapped], from: usize) -> Mapped {
    let start: usize = parts
        .iter()
        .take(from)
        .map(|part| part.text().len() + 1)
        .sum();
    let length = args.text().len();
    args.slice(start.min(length)..length)
}

/// A value as Makefile text.
pub(super) fn as_text(value: &Value) -> String {
    let pieces = value.pieces.iter().map(|piece| match piece {
        Piece::Literal { text, .. } => text,
        Piece::Hole { .. } => "$(shell unknown)",
    });
    pieces.collect()
}
