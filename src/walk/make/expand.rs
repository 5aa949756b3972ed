//! Makefile text with its variables and functions replaced.
use super::Maker;
use super::functions::{each, of_text, substituted, words};
use super::variables::{NOWHERE, printed};
use crate::span::Span;
use crate::text::mapped::Mapped;
use crate::text::shell;
use crate::value::{Site, Value};
use crate::walk::expand::{ASKED_OF_A_GPU, asks_for_a_gpu};
use crate::walk::state::State;

/// Expansions nest this deep.
const MAX_DEPTH: u16 = 48;
/// A longer value is unknown.
const MAX_LENGTH: usize = 1 << 16;

impl Maker<'_, '_> {
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
                    command => of_command(command),
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

/// What a command prints: unknown, and why.
fn of_command(command: &str) -> Value {
    if asks_for_a_gpu(&shell::parse(&Mapped::verbatim(command, 0))) {
        return Value::hole(ASKED_OF_A_GPU, None, true);
    }
    printed()
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
