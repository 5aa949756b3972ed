//! What build scripts show, with the condition under which it counts and its place.
use super::guard::Guard;
use crate::cuda::arch_list::{self, Consumer, Syntax};
use crate::cuda::{Image, ImageKind};
use crate::value::{Site, Value};

/// Something seen under a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen<T> {
    /// When it counts.
    pub guard: Guard,
    /// What.
    pub what: T,
    /// Where.
    pub site: Site,
}

/// A piece of a flag or list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text, and the bytes that stand for it.
    Literal(String, Site),
    /// What is only known from outside.
    Open(Open),
}

impl Piece {
    fn sketch(&self) -> &str {
        match self {
            Self::Literal(text, _) => text,
            Self::Open(_) => "?",
        }
    }
}

/// What a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    /// Each of these, in turn.
    Each(Vec<(String, Site)>),
    /// A variable of the environment.
    Env {
        /// Its name.
        name: String,
        /// What counts where it is not set.
        default: Option<String>,
        /// Between what characters it is split.
        separator: Option<String>,
        /// Dots are taken out of it.
        undotted: bool,
    },
    /// A CMake define, and what counts where it is not given.
    Define(String, Option<String>),
    /// The GPU of the build machine.
    Gpu,
    /// Anything else.
    Unknown,
}

/// Text with `?` for what is open.
pub fn sketch(pieces: &[Piece]) -> String {
    pieces.iter().map(Piece::sketch).collect()
}

/// The text, if all of it is known.
pub fn known(pieces: &[Piece]) -> Option<String> {
    let literal = |piece: &Piece| match piece {
        Piece::Literal(text, _) => Some(text.clone()),
        Piece::Open(_) => None,
    };
    pieces.iter().map(literal).collect()
}

/// The first thing in it that is open.
pub fn first_open(pieces: &[Piece]) -> Option<&Open> {
    pieces.iter().find_map(|piece| match piece {
        Piece::Open(open) => Some(open),
        Piece::Literal(..) => None,
    })
}

/// As a value of a command line.
pub fn value(pieces: &[Piece]) -> Value {
    let mut value = Value::default();
    for piece in pieces {
        match piece {
            Piece::Literal(text, site) => value.push_literal(text, Some(*site)),
            Piece::Open(_) => {
                value.append(&Value::hole("the project's files compute it", None, false))
            }
        }
    }
    value
}

/// The texts that a loop over known values makes of it; `None` where something else is open.
pub fn unrolled(pieces: &[Piece]) -> Option<Vec<String>> {
    let each = pieces.iter().find_map(|piece| match piece {
        Piece::Open(Open::Each(items)) => Some(items),
        _ => None,
    });
    let Some(items) = each else {
        return known(pieces).map(|text| vec![text]);
    };
    let one = |(text, site): &(String, Site)| {
        let filled: Vec<Piece> = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Open(Open::Each(other)) if other == items => {
                    Piece::Literal(text.clone(), *site)
                }
                other => other.clone(),
            })
            .collect();
        known(&filled)
    };
    items.iter().map(one).collect()
}

/// The images that compiler flags name.
pub fn images(flags: &str) -> Vec<Image> {
    arch_list::parse(Syntax::Flags, flags, &Consumer::default()).images
}

/// Images as a record's list writes them: `80`, `80-virtual`.
pub fn entries(images: &[Image]) -> Vec<String> {
    let entry = |image: &Image| {
        let name = image.to_string();
        let number = name
            .split_once('_')
            .map_or(name.as_str(), |(_, number)| number);
        match image.kind {
            ImageKind::Ptx => format!("{number}-virtual"),
            _ => number.to_owned(),
        }
    };
    images.iter().map(entry).collect()
}
