//! Values with their places.
use crate::span::Span;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_saphyr::Spanned;

/// A value, and where a file gives it.
#[derive(Clone, Copy, Debug)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Its line, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: u32,
    /// Its bytes.
    pub span: Span,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned {
            value, referenced, ..
        } = Spanned::deserialize(deserializer)?;
        let start = referenced.span().byte_offset().unwrap_or(0) as usize;
        let length = referenced.span().byte_len().unwrap_or(0) as usize;
        Ok(Self {
            value,
            line: referenced.line() as u32,
            column: referenced.column() as u32,
            span: Span::new(start, start + length),
        })
    }
}

impl<T: Serialize> Serialize for At<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}
