//! The values of Bake's expressions, over its variables and a row of a matrix. What a function or a loop gives is not known.
use crate::front::image_build::Environment;
use crate::span::Span;
use crate::text::hcl::{Body, Expression, Kind, Operator, Piece};
use crate::text::word::{Part, Word};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Variables stand for others this deep.
const MAX_DEPTH: u32 = 100;
/// What all values of a file may take to find, in expressions and pieces of text.
const BUDGET: usize = 200_000;
/// So much is shown of an expression that is not known.
const SHOWN: usize = 60;

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// `null`: as if nobody had said anything.
    Null,
    /// Text; numbers and booleans too.
    Text(Word),
    /// A list.
    List(Vec<Value>),
    /// A map.
    Map(Vec<Field>),
    /// It is not known what the expression gives.
    Unknown(Word),
}

/// An entry of a map.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The key.
    pub(super) name: String,
    /// The value.
    pub(super) value: Value,
    /// Both.
    pub(super) span: Span,
}

/// What names stand for in one row of a matrix.
pub(super) type Row = Vec<(String, Value)>;

impl Value {
    /// Its text; the word of an expression that is not known has no literal.
    pub(super) fn word(self) -> Option<Word> {
        match self {
            Self::Text(word) | Self::Unknown(word) => Some(word),
            _ => None,
        }
    }

    /// What a copy of it costs.
    fn size(&self) -> usize {
        let inner: usize = match self {
            Self::List(items) => items.iter().map(Self::size).sum(),
            Self::Map(fields) => fields.iter().map(|field| field.value.size()).sum(),
            Self::Text(word) => word.parts.len(),
            Self::Null | Self::Unknown(_) => 0,
        };
        1 + inner
    }

    /// Its text, where it is known.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Text(word) => word.literal(),
            _ => None,
        }
    }
}

/// Finds values.
pub(super) struct Values<'b> {
    /// The texts of the files.
    texts: Vec<&'b str>,
    /// The defaults, each with its file; `None` for those that the caller must give.
    variables: BTreeMap<&'b str, (usize, Option<&'b Expression>)>,
    /// What the environment of the caller gives.
    given: Option<Environment<'b>>,
    left: Cell<usize>,
}

impl<'b> Values<'b> {
    /// Those of files that are laid over each other.
    pub(super) fn new(
        files: impl Iterator<Item = (&'b str, &'b Body)>,
        given: Option<Environment<'b>>,
    ) -> Self {
        let mut texts = Vec::new();
        let mut variables = BTreeMap::new();
        for (at, (text, body)) in files.enumerate() {
            texts.push(text);
            let plain = body.attributes.iter();
            variables.extend(plain.map(|a| (a.name.as_str(), (at, Some(&a.value)))));
            let blocks = body.blocks.iter().filter(|b| b.kind == "variable");
            variables.extend(blocks.map(|b| {
                let default = b.body.get("default").map(|default| &default.value);
                (b.label.as_str(), (at, default))
            }));
        }
        Self {
            texts,
            variables,
            given,
            left: Cell::new(BUDGET),
        }
    }

    /// What an expression of a file gives in a row.
    pub(super) fn of(&self, file: usize, expression: &Expression, row: &Row) -> Value {
        self.value(file, expression, row, 0)
    }

    fn value(&self, file: usize, expression: &Expression, row: &Row, depth: u32) -> Value {
        let unknown = || self.unknown(file, expression.span);
        if depth > MAX_DEPTH || !self.pay(1) {
            return unknown();
        }
        let of = |inner: &Expression| self.value(file, inner, row, depth + 1);
        let truth = |inner: &Expression| truth(&of(inner));
        let boolean = |known: Option<bool>| match known {
            Some(known) => Value::Text(Word::of_text(&known.to_string(), expression.span)),
            None => unknown(),
        };
        match &expression.kind {
            Kind::Null => Value::Null,
            Kind::Text(pieces) => match pieces.as_slice() {
                [Piece::Filled(only)] => of(only),
                pieces => self.text(file, pieces, expression.span, of),
            },
            Kind::List(items) => Value::List(items.iter().map(of).collect()),
            Kind::Map(entries) => {
                let fields = entries.iter().map(|(key, value)| {
                    Some(Field {
                        name: of(key).text()?,
                        value: of(value),
                        span: key.span.to(value.span),
                    })
                });
                let fields: Option<Vec<Field>> = fields.collect();
                fields.map_or_else(unknown, Value::Map)
            }
            Kind::Name(name) => {
                if let Some((_, value)) = row.iter().find(|(known, _)| known == name) {
                    let paid = self.pay(value.size());
                    return if paid { value.clone() } else { unknown() };
                }
                // a variable sees no row
                let Some((file, default)) = self.variables.get(name.as_str()) else {
                    return unknown();
                };
                let given = self.given.and_then(|given| given(name));
                match (given, default) {
                    (Some(text), _) => Value::Text(Word::of_text(&text, expression.span)),
                    (None, Some(default)) => self.value(*file, default, &Row::new(), depth + 1),
                    (None, None) => unknown(),
                }
            }
            Kind::Part(left, part) => {
                let found = match (of(left), of(part).text()) {
                    (Value::Map(fields), Some(name)) => fields
                        .into_iter()
                        .find(|field| field.name == name)
                        .map(|f| f.value),
                    (Value::List(mut items), Some(index)) => {
                        let index = index.parse::<usize>().ok().filter(|&i| i < items.len());
                        index.map(|index| items.swap_remove(index))
                    }
                    _ => None,
                };
                found.unwrap_or_else(unknown)
            }
            Kind::Choice(parts) => match truth(&parts[0]) {
                Some(true) => of(&parts[1]),
                Some(false) => of(&parts[2]),
                None => unknown(),
            },
            Kind::Not(inner) => boolean(truth(inner).map(|truth| !truth)),
            Kind::Pair(operator, sides) => {
                let [left, right] = &**sides;
                boolean(match operator {
                    Operator::Equal => equal(&of(left), &of(right)),
                    Operator::Unequal => equal(&of(left), &of(right)).map(|equal| !equal),
                    Operator::And => both(truth(left), truth(right), false),
                    Operator::Or => both(truth(left), truth(right), true),
                })
            }
            Kind::Other => unknown(),
        }
    }

    fn text(
        &self,
        file: usize,
        pieces: &[Piece],
        span: Span,
        of: impl Fn(&Expression) -> Value,
    ) -> Value {
        let mut parts: Vec<Part> = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => parts.extend(Part::literals(text, 0..text.text().len(), true)),
                Piece::Filled(inner) => match of(inner).word() {
                    Some(word) => parts.extend(word.parts),
                    None => return self.unknown(file, span),
                },
            }
            if !self.pay(parts.len()) {
                return self.unknown(file, span);
            }
        }
        Value::Text(Word {
            parts,
            quoted: true,
            span,
        })
    }

    /// Takes from the budget; false when it is spent.
    fn pay(&self, count: usize) -> bool {
        let left = self.left.get().checked_sub(count);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn unknown(&self, file: usize, span: Span) -> Value {
        let text = self.texts.get(file).copied().unwrap_or_default();
        let written = text.get(span.range()).unwrap_or_default();
        let mut text: String = written.chars().take(SHOWN).collect();
        if text.len() < written.len() {
            text.push('…');
        }
        Value::Unknown(Word::opaque(text, span))
    }
}

fn truth(value: &Value) -> Option<bool> {
    match value.text()?.as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn equal(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        (Value::Null, Value::Null) => Some(true),
        (Value::Null, Value::Text(_)) | (Value::Text(_), Value::Null) => Some(false),
        _ => Some(left.text()? == right.text()?),
    }
}

/// `&&`, or `||` where `wins` is true: either side decides that is `wins`.
fn both(left: Option<bool>, right: Option<bool>, wins: bool) -> Option<bool> {
    if left == Some(wins) || right == Some(wins) {
        return Some(wins);
    }
    left.and(right).map(|_| !wins)
}
