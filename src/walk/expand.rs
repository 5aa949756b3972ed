//! Expansion: words + state → values.
use super::expression;
use super::patterns::{replace, trim};
use super::state::State;
use crate::span::Span;
use crate::text::shell::{Command, Join, Script, Simple};
use crate::text::word::{ParameterOp, Part, Word};
use crate::value::{Piece, Site, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Which alternative of each variable is looked at.
pub type Choice = BTreeMap<Rc<str>, usize>;

/// Stands between the elements of an array variable; never typed in a build file.
pub const ELEMENT: char = '\u{1f}';

/// At most this many combinations of alternatives are looked at for one command.
const MAX_CHOICES: usize = 8;

/// Why a value is not known that `nvidia-smi` prints.
pub const ASKED_OF_A_GPU: &str = "nvidia-smi prints it where a GPU is visible";

/// Whose rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Instructions of a Dockerfile: no word splitting, no commands.
    Docker,
    /// Shell text.
    Shell,
}

/// Expands words in one state.
#[derive(Clone, Copy)]
pub struct Expander<'s> {
    /// The state.
    pub state: &'s State,
    /// The file that the words stand in.
    pub file: u16,
    /// The alternatives looked at.
    pub choice: &'s Choice,
    /// Whose rules hold.
    pub dialect: Dialect,
}

impl Expander<'_> {
    /// The value of a word, as in an assignment: nothing is split.
    pub fn word(&self, word: &Word) -> Value {
        if let [only] = word.parts.as_slice() {
            return unarrayed(self.part(only));
        }
        let mut value = Value::default();
        for part in &word.parts {
            value.append(&self.part(part));
        }
        unarrayed(value)
    }

    /// The words of a command: unquoted expansions are split at white space, arrays at their elements.
    pub fn fields(&self, words: &[Word]) -> Vec<Value> {
        let mut fields = Vec::new();
        for word in words {
            self.split_word(word, &mut fields);
        }
        fields
    }

    fn split_word(&self, word: &Word, fields: &mut Vec<Value>) {
        if let [literal @ Part::Literal { text, .. }] = word.parts.as_slice()
            && !text.is_empty()
            && !text.contains(ELEMENT)
        {
            return fields.push(self.part(literal));
        }
        let mut current = Value::default();
        let mut started = word.quoted;
        for part in &word.parts {
            let value = self.part(part);
            let quoted = match part {
                Part::Literal { .. } => true,
                Part::Parameter { quoted, .. }
                | Part::Command { quoted, .. }
                | Part::Opaque { quoted, .. } => *quoted,
            };
            for piece in &value.pieces {
                match piece {
                    Piece::Literal { text, .. }
                        if text.contains(ELEMENT)
                            || (!quoted && text.contains(char::is_whitespace)) =>
                    {
                        let single = Value {
                            pieces: vec![piece.clone()],
                        };
                        let mut from = 0;
                        let is_cut = |c: char| c == ELEMENT || (!quoted && c.is_whitespace());
                        for (at, c) in text.char_indices().filter(|&(_, c)| is_cut(c)) {
                            current.append(&single.slice(from, at));
                            if started || !current.pieces.is_empty() {
                                fields.push(std::mem::take(&mut current));
                            }
                            started = false;
                            from = at + c.len_utf8();
                        }
                        current.append(&single.slice_from(from));
                    }
                    _ => current.push(piece),
                }
            }
        }
        if started || !current.pieces.is_empty() {
            fields.push(current);
        }
    }

    /// The value of a part of a word.
    pub fn value(&self, part: &Part) -> Value {
        unarrayed(self.part(part))
    }

    fn part(&self, part: &Part) -> Value {
        match part {
            Part::Literal { text, span, .. } => Value::literal(
                text,
                Some(Site {
                    file: self.file,
                    span: *span,
                }),
            ),
            Part::Parameter {
                name, op, quoted, ..
            } => {
                let is_whole = name == "*" && *op == ParameterOp::Plain;
                let value = self.parameter(name, op);
                match *quoted && (is_whole || *op == ParameterOp::Joined) {
                    true => separated(value, &self.separator()),
                    false => value,
                }
            }
            Part::Command { .. } if self.dialect == Dialect::Docker => {
                Value::hole("it is computed", None, true)
            }
            Part::Command { script, .. } => self.output(script),
            Part::Opaque { text, span, .. } => self.template(text, *span),
        }
    }

    /// What is filled in for a template expression.
    fn template(&self, text: &str, span: Span) -> Value {
        let site = Site {
            file: self.file,
            span,
        };
        let values = template_values(text, site, self.state);
        match (values.as_slice(), self.choice.get(text)) {
            ([only], _) => only.clone(),
            (all, Some(&index)) if index < all.len() => all[index].clone(),
            _ => Value::hole(&format!("`{text}` depends on a condition"), None, false),
        }
    }

    /// The output of the few commands that print what they are given.
    fn output(&self, script: &Script) -> Value {
        if asks_for_a_gpu(script) {
            return Value::hole(ASKED_OF_A_GPU, None, true);
        }
        let unknown = || Value::hole("it is the output of a command", None, true);
        let Some(commands) = in_order(script) else {
            return unknown();
        };
        let commands: Vec<Vec<Value>> = commands.iter().map(|c| self.fields(&c.words)).collect();
        let path = |text: String| Value::literal(&text, None);
        let resolve = |value: &Value| path(self.state.resolve(&value.sketch()));
        let words = |fields: &[Value]| fields.iter().map(Value::sketch).collect::<Vec<String>>();
        let texts: Vec<Vec<String>> = commands.iter().map(|fields| words(fields)).collect();
        let texts: Vec<Vec<&str>> = texts
            .iter()
            .map(|t| t.iter().map(|t| &**t).collect())
            .collect();
        let texts: Vec<&[&str]> = texts.iter().map(|t| &**t).collect();
        match texts.as_slice() {
            // a pattern stands for the files it names
            [["ls" | "echo", operand]] if !operand.starts_with('-') => commands[0][1].clone(),
            [["pwd", ..]] => path(self.state.cwd.to_string()),
            [["cd", _] | ["cd", "--" | "-P", _], ["pwd", ..]] => {
                commands[0].last().map_or_else(unknown, resolve)
            }
            [["realpath", _] | ["realpath" | "readlink", "-f" | "-e" | "-m" | "-s", _]] => {
                commands[0].last().map_or_else(unknown, resolve)
            }
            [["dirname", of] | ["dirname", "--", of]] => path(directory(of).to_owned()),
            [["basename", of]] => path(file_name(of).to_owned()),
            [["basename", of, end]] => {
                let name = file_name(of);
                path(name.strip_suffix(end).unwrap_or(name).to_owned())
            }
            _ => unknown(),
        }
    }

    /// The value of a variable, as it is.
    pub fn lookup(&self, name: &str) -> Option<Value> {
        let variable = self.state.get(name);
        let index = match (variable, self.choice.get(name)) {
            ([_], None) => 0,
            (_, Some(&index)) => index,
            (_, None) => {
                let why = format!("{name} depends on a condition");
                return Some(Value::hole(&why, None, false));
            }
        };
        variable.get(index)?.value.clone()
    }

    fn parameter(&self, name: &str, op: &ParameterOp) -> Value {
        if matches!(name, "@" | "*") && matches!(op, ParameterOp::Plain) {
            return self.positional();
        }
        if matches!(
            name,
            "?" | "$" | "!" | "-" | "RANDOM" | "HOSTNAME" | "SECONDS"
        ) {
            return Value::hole("it is known at run time only", None, true);
        }
        if name == "PWD" && !self.state.mentions(name) {
            return Value::literal(&self.state.cwd, None);
        }
        if name == "#" && *op == ParameterOp::Plain {
            return Value::literal(&positional(self.state).len().to_string(), None);
        }
        let found = self.lookup(name);
        let unset_text = |empty: bool| if empty { Some(true) } else { Some(false) };
        match op {
            ParameterOp::Plain | ParameterOp::Joined => found.unwrap_or_default(),
            ParameterOp::Default { or_empty, word, .. } => match &found {
                None => self.word(word),
                Some(value) if !or_empty => self.unless_unknown(name, value.clone(), word),
                Some(value) => match value.is_empty() {
                    Some(true) => self.word(word),
                    Some(false) => value.clone(),
                    None => self.unless_unknown(name, value.clone(), word),
                },
            },
            ParameterOp::Alternate { or_empty, word } => {
                let absent = match &found {
                    None => unset_text(true),
                    Some(_) if !or_empty => unset_text(false),
                    Some(value) => value.is_empty(),
                };
                match absent {
                    Some(true) => Value::default(),
                    Some(false) => self.word(word),
                    None => {
                        Value::hole(&format!("it depends on whether {name} is set"), None, false)
                    }
                }
            }
            ParameterOp::Required { .. } => found
                .unwrap_or_else(|| Value::hole(&format!("{name} must be given"), Some(name), true)),
            ParameterOp::Trim {
                suffix,
                longest,
                pattern,
            } => self.text_op(found, &[pattern], |text, patterns| {
                Some(trim(text, &patterns[0], *suffix, *longest).to_owned())
            }),
            ParameterOp::Replace {
                all,
                pattern,
                replacement,
            } => self.text_op(found, &[pattern, replacement], |text, words| {
                replace(text, &words[0], &words[1], *all)
            }),
            // `${BASH_SOURCE[0]}`
            ParameterOp::Other if name == "BASH_SOURCE" => found.unwrap_or_default(),
            ParameterOp::Length | ParameterOp::Other => match found {
                Some(value) if value.pieces.is_empty() && *op == ParameterOp::Other => {
                    Value::default()
                }
                None if *op == ParameterOp::Other => Value::default(),
                _ => Value::hole(&format!("it is computed from {name}"), None, true),
            },
        }
    }

    /// `${X:-word}` where X may come from outside: an unknown value with a fallback is the fallback only if X is nobody's to set.
    fn unless_unknown(&self, name: &str, value: Value, word: &Word) -> Value {
        let from_outside = value
            .first_hole()
            .is_some_and(|(_, supplier)| supplier.is_none())
            && !self.state.mentions(name);
        if from_outside {
            // an open environment could hold the name, but a script that brings its own fallback means it
            return self.word(word);
        }
        if value.has_hole() && value.is_empty().is_none() {
            return self.word(word);
        }
        value
    }

    fn text_op(
        &self,
        found: Option<Value>,
        words: &[&Word],
        apply: impl Fn(&str, &[String]) -> Option<String>,
    ) -> Value {
        let Some(value) = found else {
            return Value::default();
        };
        let known: Option<Vec<String>> = words.iter().map(|w| self.word(w).known()).collect();
        match (value.known(), known) {
            (Some(text), Some(words)) => match apply(&text, &words) {
                Some(changed) => Value::literal(&changed, value.site()),
                None => Value::hole("it is computed", None, true),
            },
            _ => Value::hole(
                value.first_hole().map_or("it is computed", |(why, _)| why),
                value.first_hole().and_then(|(_, s)| s),
                true,
            ),
        }
    }

    /// What stands between elements that are made one word.
    fn separator(&self) -> String {
        match self.lookup("IFS").map(|value| value.known()) {
            Some(Some(text)) => text.chars().take(1).collect(),
            _ => " ".to_owned(),
        }
    }

    fn positional(&self) -> Value {
        let mut all = Value::default();
        for (index, value) in positional(self.state).iter().enumerate() {
            if index > 0 {
                all.push_literal(&ELEMENT.to_string(), None);
            }
            all.append(value);
        }
        all
    }
}

/// All that may be filled in for a template expression; never empty.
pub fn template_values(text: &str, site: Site, state: &State) -> Vec<Value> {
    if state.contexts.is_empty() || !text.starts_with("${{") {
        let why = format!("`{text}` is filled in elsewhere");
        return vec![Value::hole(&why, None, false)];
    }
    expression::values(text, site, &state.contexts)
}

/// `$1`, `$2`, …, as far as they are set.
pub(super) fn positional(state: &State) -> Vec<Value> {
    let bound = (1..).map_while(|index: usize| {
        let name = index.to_string();
        state.single(&name).filter(|_| state.mentions(&name))
    });
    bound.collect()
}

/// The simple commands of a script that runs one after the other, or each if the one before it succeeds.
fn in_order(script: &Script) -> Option<Vec<&Simple>> {
    let mut commands = Vec::new();
    for item in &script.items {
        let rest = item.rest.iter();
        let rest = rest.map(|(join, pipeline)| (*join == Join::And).then_some(pipeline));
        for pipeline in std::iter::once(Some(&item.first)).chain(rest) {
            let [Command::Simple(simple)] = pipeline?.commands.as_slice() else {
                return None;
            };
            let plain = simple.assignments.is_empty() && !item.background;
            let quiet = simple
                .redirects
                .iter()
                .all(|r| r.fd.is_some() || commands.is_empty());
            commands.push(Some(simple).filter(|_| plain && quiet)?);
        }
    }
    Some(commands)
}

/// What `dirname` prints.
fn directory(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((above, _)) => above,
        None => ".",
    }
}

fn file_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a script calls `nvidia-smi`.
pub(super) fn asks_for_a_gpu(script: &Script) -> bool {
    let pipelines = script
        .items
        .iter()
        .flat_map(|i| std::iter::once(&i.first).chain(i.rest.iter().map(|(_, p)| p)));
    pipelines
        .flat_map(|p| &p.commands)
        .any(|command| match command {
            Command::Simple(simple) => simple
                .words
                .first()
                .and_then(Word::literal)
                .is_some_and(|w| w.ends_with("nvidia-smi")),
            _ => false,
        })
}

/// The value with array elements set apart by spaces.
fn unarrayed(value: Value) -> Value {
    separated(value, " ")
}

/// The value with something else between array elements.
fn separated(value: Value, separator: &str) -> Value {
    if !value
        .pieces
        .iter()
        .any(|p| matches!(p, Piece::Literal { text, .. } if text.contains(ELEMENT)))
    {
        return value;
    }
    let pieces = value.pieces.iter().map(|p| match p {
        Piece::Literal { text, site } => Piece::Literal {
            text: text.replace(ELEMENT, separator).into(),
            site: *site,
        },
        hole => hole.clone(),
    });
    Value {
        pieces: pieces.collect(),
    }
}

/// Every combination of the alternatives of the variables that `words` name; one, if they have one each, or if there are too many.
pub fn choices(words: &[&Word], state: &State) -> Vec<Choice> {
    let mut names = Vec::new();
    for word in words {
        parameter_names(word, &mut names);
    }
    names.sort_unstable();
    names.dedup();
    let mut all = vec![Choice::new()];
    for name in names {
        let count = if name.starts_with("${{") {
            template_values(name, Site::default(), state).len()
        } else {
            state.get(name).len()
        };
        if count < 2 || all.len() * count > MAX_CHOICES {
            continue;
        }
        all = all
            .iter()
            .flat_map(|choice| {
                (0..count).map(move |index| {
                    let mut choice = choice.clone();
                    choice.insert(name.into(), index);
                    choice
                })
            })
            .collect();
    }
    all
}

fn parameter_names<'w>(word: &'w Word, names: &mut Vec<&'w str>) {
    for part in &word.parts {
        let (name, op) = match part {
            Part::Parameter { name, op, .. } => (name, op),
            Part::Opaque { text, .. } => {
                names.push(text);
                continue;
            }
            _ => continue,
        };
        names.push(name);
        match op {
            ParameterOp::Default { word, .. }
            | ParameterOp::Alternate { word, .. }
            | ParameterOp::Trim { pattern: word, .. } => parameter_names(word, names),
            ParameterOp::Replace {
                pattern,
                replacement,
                ..
            } => {
                parameter_names(pattern, names);
                parameter_names(replacement, names);
            }
            _ => {}
        }
    }
}
