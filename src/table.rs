//! The two containers that table types are made of, so that one set of serde types serves `build.rs`, which writes the
//! tables as Rust constants, and the run time, which reads the same shapes from the user's files.
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::str::FromStr;

/// Text of a table. Reading leaks it, which is right: a user's file is read once in a process and used to its end.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Text(pub &'static str);

impl Text {
    /// The text, for as long as the process runs.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

/// YAML gives any scalar as it is written: `90` and `13.10` are texts.
impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(String::deserialize(deserializer)?.leak()))
    }
}

/// A list of a table. Reading leaks it, as with [`Text`].
#[derive(Serialize)]
pub struct List<T: 'static>(pub &'static [T]);

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(&[])
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Eq> Eq for List<T> {}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

impl<T> IntoIterator for List<T> {
    type Item = &'static T;
    type IntoIter = std::slice::Iter<'static, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect::<Vec<_>>().leak())
    }
}

/// Reads a sequence, or a single element as a list of one.
impl<'de, T: Deserialize<'de> + 'static> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + 'static> Visitor<'de> for OneOrMany<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list, or one element")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<List<T>, A::Error> {
                let items: Vec<T> = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
                Ok(items.into_iter().collect())
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<List<T>, A::Error> {
                let item = T::deserialize(MapAccessDeserializer::new(map))?;
                Ok(List::from_iter([item]))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<List<T>, E> {
                let item = T::deserialize(text.into_deserializer())?;
                Ok(List::from_iter([item]))
            }
        }
        deserializer.deserialize_any(OneOrMany(PhantomData))
    }
}

/// A value of a table that stands elsewhere: most rows have none, and those take no room for it. Reading leaks it, as with
/// [`Text`].
pub struct One<T: 'static>(pub &'static T);

impl<T> One<T> {
    /// The value, which is leaked.
    pub fn new(value: T) -> Self {
        Self(Box::leak(Box::new(value)))
    }
}

impl<T> Clone for One<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for One<T> {}

impl<T> Deref for One<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<T: fmt::Display> fmt::Display for One<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0, f)
    }
}

impl<T: fmt::Debug> fmt::Debug for One<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

/// `One(&(value))`, where it is written as Rust.
impl<T: Serialize> Serialize for One<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct("One", &Reference(self.0))
    }
}

#[derive(Serialize)]
#[serde(rename = "&")]
struct Reference<'t, T>(&'t T);

impl<'de, T: Deserialize<'de> + 'static> Deserialize<'de> for One<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::new)
    }
}

/// A map of a table, in the order of the file. Reading leaks it, as with [`Text`].
#[derive(Serialize)]
pub struct Pairs<T: 'static>(pub &'static [(Text, T)]);

impl<T> Clone for Pairs<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Pairs<T> {}

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Self(&[])
    }
}

impl<T> Deref for Pairs<T> {
    type Target = [(Text, T)];

    fn deref(&self) -> &[(Text, T)] {
        self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Pairs<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.0.iter().map(|(name, value)| (name, value)))
            .finish()
    }
}

impl<'de, T: Deserialize<'de> + 'static> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + 'static> Visitor<'de> for Entries<T> {
            type Value = Pairs<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Pairs(entries.leak()))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// How well a row of a table is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum Trust {
    /// Measured, or read in the source itself.
    High,
    /// From documentation, or inferred from what was measured beside it.
    Medium,
    /// From memory, or quoted by others.
    Low,
}

/// Reads a value from its text form: the body of `Deserialize` for versions, capabilities and the like.
///
/// # Errors
/// The text is not one.
pub fn from_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    String::deserialize(deserializer)?
        .parse()
        .map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_lists_read_like_strings_and_vectors() {
        let list: List<Text> = serde_json::from_str(r#"["a", "b"]"#).unwrap();
        assert_eq!(
            list.iter().map(|t| t.as_str()).collect::<Vec<_>>(),
            ["a", "b"]
        );
        let read = |text: &str| {
            serde_json::from_str::<List<Text>>(text)
                .map(|l| l.len())
                .ok()
        };
        assert_eq!(read("\"one\""), Some(1), "a single element is a list");
        assert_eq!(read("[true]"), None);
        assert_eq!(List::<u8>::default().len(), 0);
    }
}
