//! Types that live both in the static tables that the build script writes and in files that users bring.
//!
//! A user's file is read once per process and kept to its end, so its strings and lists are leaked: one set of types then serves both.
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// A string that lives as long as the process. Reads any scalar: `90` in a table is the text "90".
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(pub &'static str);

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
        f.write_str(self.0)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text.leak())
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct("Text", self.0)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Scalar;
        impl Visitor<'_> for Scalar {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a number")
            }
            fn visit_str<E>(self, text: &str) -> Result<Text, E> {
                Ok(text.to_owned().into())
            }
            fn visit_u64<E>(self, number: u64) -> Result<Text, E> {
                Ok(number.to_string().into())
            }
            fn visit_i64<E>(self, number: i64) -> Result<Text, E> {
                Ok(number.to_string().into())
            }
        }
        deserializer.deserialize_any(Scalar)
    }
}

/// A list that lives as long as the process. Reads a sequence, or a single element as a list of one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct List<T: 'static>(pub &'static [T]);

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

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items.leak())
    }
}

impl<T: Serialize> Serialize for List<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct("List", self.0)
    }
}

impl<'de, T: Deserialize<'de> + 'static> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + 'static> Visitor<'de> for OneOrMany<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list, or one element")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(items.into())
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<List<T>, A::Error> {
                Ok(vec![T::deserialize(
                    serde::de::value::MapAccessDeserializer::new(map),
                )?]
                .into())
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<List<T>, E> {
                Ok(vec![T::deserialize(serde::de::value::StrDeserializer::new(
                    text,
                ))?]
                .into())
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<List<T>, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(OneOrMany(PhantomData))
    }
}

/// A map that lives as long as the process, in the order of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Pairs<T: 'static>(pub &'static [(Text, T)]);

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
        fmt::Debug::fmt(self.0, f)
    }
}

impl<T: Serialize> Serialize for Pairs<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct("Pairs", self.0)
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
