//! Values as far as they are known: literal text with its origin, and holes.
use crate::span::Span;
use std::fmt::Write as _;
use std::ops::Add;
use std::rc::Rc;

/// A span in one of the files of a run; `file` indexes the walker's file table, 0 is the linted file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// Index of the file.
    pub file: u16,
    /// The bytes.
    pub span: Span,
}

/// A piece of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text; `site` is where its bytes stand, `None` for text that no file holds (a preset, a build argument).
    Literal {
        /// The text.
        text: Rc<str>,
        /// Its bytes.
        site: Option<Site>,
    },
    /// Something unknown.
    Hole {
        /// Why, in words: "the build argument CUDA_ARCH has no default".
        why: Rc<str>,
        /// The name that whoever runs the build must supply, if it is one.
        supplier: Option<Rc<str>>,
        /// A command's output or a run-time value: counts as set and non-empty.
        non_empty: bool,
    },
}

/// A sequence of pieces; the empty sequence is the empty string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The pieces, in order; adjacent literals from one place are joined.
    pub pieces: Vec<Piece>,
}

/// How large a value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pieces: usize,
    bytes: usize,
}

impl Size {
    /// A value has no more pieces than this, and no more bytes.
    const LARGEST: Self = Self {
        pieces: 4096,
        bytes: 4 << 20,
    };

    /// Whether a value may be so large. What grows past any real value, such as a variable that is twice itself again and
    /// again, is not known any more.
    pub fn is_followed(self) -> bool {
        self.pieces <= Self::LARGEST.pieces && self.bytes <= Self::LARGEST.bytes
    }
}

impl Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            pieces: self.pieces + other.pieces,
            bytes: self.bytes + other.bytes,
        }
    }
}

impl Value {
    /// Text that stands at `site`.
    pub fn literal(text: &str, site: Option<Site>) -> Self {
        let text = Some(text).filter(|text| !text.is_empty());
        let piece = text.map(|text| Piece::Literal {
            text: text.into(),
            site,
        });
        // room for this one: few values have more
        Self {
            pieces: piece.map_or(Vec::new(), |piece| vec![piece]),
        }
    }

    /// An unknown value.
    pub fn hole(why: &str, supplier: Option<&str>, non_empty: bool) -> Self {
        Self {
            pieces: vec![Piece::Hole {
                why: why.into(),
                supplier: supplier.map(Into::into),
                non_empty,
            }],
        }
    }

    /// Appends text; empty text adds nothing.
    pub fn push_literal(&mut self, text: &str, site: Option<Site>) {
        if !text.is_empty() && !self.joins(text, site) {
            let text = text.into();
            self.pieces.push(Piece::Literal { text, site });
        }
    }

    /// Whether text became part of the last piece, behind which it stands.
    fn joins(&mut self, text: &str, site: Option<Site>) -> bool {
        if let Some(Piece::Literal {
            text: last,
            site: last_site,
        }) = self.pieces.last_mut()
        {
            let joined = match (last_site.as_mut(), site) {
                (None, None) => true,
                (Some(a), Some(b))
                    if a.file == b.file
                        && a.span.end == b.span.start
                        && a.span.len() == last.len() =>
                {
                    a.span.end = b.span.end;
                    true
                }
                _ => false,
            };
            if joined {
                *last = format!("{last}{text}").into();
            }
            return joined;
        }
        false
    }

    /// Appends a piece.
    pub fn push(&mut self, piece: &Piece) {
        let joins = match piece {
            Piece::Literal { text, site } => text.is_empty() || self.joins(text, *site),
            Piece::Hole { .. } => false,
        };
        if !joins {
            self.pieces.push(piece.clone());
        }
    }

    /// What stands for a value that is larger than any real one.
    pub fn too_long() -> Self {
        Self::hole("it is longer than what is followed", None, true)
    }

    /// Appends all of another value, if that does not grow too large.
    pub fn append(&mut self, other: &Self) {
        if !(self.size() + other.size()).is_followed() {
            *self = Self::too_long();
            return;
        }
        for piece in &other.pieces {
            self.push(piece);
        }
    }

    /// Its pieces, and the bytes of its text.
    pub fn size(&self) -> Size {
        let bytes = self.pieces.iter().map(|piece| match piece {
            Piece::Literal { text, .. } => text.len(),
            Piece::Hole { .. } => 0,
        });
        Size {
            pieces: self.pieces.len(),
            bytes: bytes.sum(),
        }
    }

    /// The text, if all of it is known.
    pub fn known(&self) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal { text: t, .. } => text.push_str(t),
                Piece::Hole { .. } => return None,
            }
        }
        Some(text)
    }

    /// The text with `?` for each hole.
    pub fn sketch(&self) -> String {
        if let [Piece::Literal { text, .. }] = self.pieces.as_slice() {
            return text.as_ref().to_owned();
        }
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal { text: t, .. } => text.push_str(t),
                Piece::Hole { .. } => text.push('?'),
            }
        }
        text
    }

    /// The known text before the first hole.
    pub fn known_prefix(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal { text: t, .. } => text.push_str(t),
                Piece::Hole { .. } => break,
            }
        }
        text
    }

    /// Whether any of it is unknown.
    pub fn has_hole(&self) -> bool {
        self.pieces.iter().any(|p| matches!(p, Piece::Hole { .. }))
    }

    /// `Some(true)` for the empty string, `Some(false)` for text, `None` if it cannot be known.
    pub fn is_empty(&self) -> Option<bool> {
        let mut unknown = false;
        for piece in &self.pieces {
            match piece {
                Piece::Literal { text, .. } if !text.is_empty() => return Some(false),
                Piece::Literal { .. } => {}
                Piece::Hole {
                    non_empty: true, ..
                } => return Some(false),
                Piece::Hole { .. } => unknown = true,
            }
        }
        if unknown { None } else { Some(true) }
    }

    /// Why it is not known: the first hole's reason and supplier.
    pub fn first_hole(&self) -> Option<(&str, Option<&str>)> {
        self.pieces.iter().find_map(|p| match p {
            Piece::Hole { why, supplier, .. } => Some((&**why, supplier.as_deref())),
            Piece::Literal { .. } => None,
        })
    }

    /// The place of the bytes `start..end` of [`Self::sketch`]'s text, if one file holds them in one piece (else of the piece that holds `start`).
    pub fn site_of(&self, start: usize, end: usize) -> Option<Site> {
        let mut offset = 0;
        for piece in &self.pieces {
            let length = match piece {
                Piece::Literal { text, .. } => text.len(),
                Piece::Hole { .. } => 1,
            };
            if start < offset + length || (start == offset && length == 0) {
                let Piece::Literal {
                    site: Some(site), ..
                } = piece
                else {
                    return None;
                };
                if site.span.len() != length {
                    return Some(*site);
                }
                let from = site.span.start + (start - offset) as u32;
                let to = (site.span.start + (end.max(start) - offset) as u32).min(site.span.end);
                return Some(Site {
                    file: site.file,
                    span: Span {
                        start: from,
                        end: to.max(from),
                    },
                });
            }
            offset += length;
        }
        self.site()
    }

    /// The places of its pieces.
    pub fn sites(&self) -> impl Iterator<Item = Site> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal { site, .. } => *site,
            Piece::Hole { .. } => None,
        })
    }

    /// From the first placed piece to the last one in the same file.
    pub fn site(&self) -> Option<Site> {
        let mut sites = self.sites();
        let first = sites.next()?;
        let span = sites
            .filter(|s| s.file == first.file)
            .fold(first.span, |all, s| all.to(s.span));
        Some(Site {
            file: first.file,
            span,
        })
    }

    /// The part from byte `from` of the sketch on.
    pub fn slice_from(&self, from: usize) -> Self {
        self.slice(from, usize::MAX)
    }

    /// The part `from..to` of the sketch.
    pub fn slice(&self, from: usize, to: usize) -> Self {
        let mut out = Self::default();
        let mut offset = 0;
        for piece in &self.pieces {
            match piece {
                Piece::Literal { text, site } => {
                    let (a, b) = (
                        from.saturating_sub(offset).min(text.len()),
                        to.saturating_sub(offset).min(text.len()),
                    );
                    if a < b && text.is_char_boundary(a) && text.is_char_boundary(b) {
                        let exact = site.filter(|s| s.span.len() == text.len());
                        let site = exact.map_or(*site, |s| {
                            Some(Site {
                                file: s.file,
                                span: Span {
                                    start: s.span.start + a as u32,
                                    end: s.span.start + b as u32,
                                },
                            })
                        });
                        out.push_literal(&text[a..b], site);
                    }
                    offset += text.len();
                }
                hole @ Piece::Hole { .. } => {
                    if (from..to).contains(&offset) {
                        out.pieces.push(hole.clone());
                    }
                    offset += 1;
                }
            }
        }
        out
    }

    /// For people: the text with `<why>` for each hole.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal { text: t, .. } => text.push_str(t),
                Piece::Hole {
                    supplier: Some(name),
                    ..
                } => {
                    let _ = write!(text, "${{{name}}}");
                }
                Piece::Hole { .. } => text.push_str("<unknown>"),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(start: usize, end: usize) -> Option<Site> {
        Some(Site {
            file: 0,
            span: Span::new(start, end),
        })
    }

    #[test]
    fn places_survive_slicing() {
        let mut value = Value::literal("abc", site(10, 13));
        value.pieces.extend(Value::hole("x", None, false).pieces);
        value.push_literal("def", site(20, 23));
        assert_eq!(value.sketch(), "abc?def");
        assert_eq!(value.site_of(1, 3), site(11, 13));
        assert_eq!(value.site_of(3, 4), None);
        assert_eq!(value.slice_from(5), Value::literal("ef", site(21, 23)));
        assert_eq!(value.slice(2, 4).sketch(), "c?");
        assert_eq!(value.site(), site(10, 23));
    }

    #[test]
    fn emptiness_is_three_valued() {
        assert_eq!(Value::default().is_empty(), Some(true));
        assert_eq!(Value::literal("x", None).is_empty(), Some(false));
        assert_eq!(Value::hole("arg", None, false).is_empty(), None);
        assert_eq!(Value::hole("command", None, true).is_empty(), Some(false));
    }
}
