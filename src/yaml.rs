//! YAML files of ours, read strictly: the built-in tables (by `build.rs`) and the user's files, by one loader.
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Error, MessageFormatter, UserMessageFormatter};
use std::fmt;
use std::marker::PhantomData;

/// Why a text cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct Fault {
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// What is wrong, in words.
    pub message: String,
    /// The word that nobody knows, with those that are known in its place.
    pub unknown: Option<(String, Vec<&'static str>)>,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let error = error.without_snippet();
        let (line, column) = error
            .location()
            .map_or((1, 1), |at| (at.line() as u32, at.column() as u32));
        let (message, unknown) = match error {
            Error::SerdeUnknownField {
                field, expected, ..
            } => (
                format!("unknown key `{field}`"),
                Some((field.clone(), expected.clone())),
            ),
            Error::SerdeUnknownVariant {
                variant, expected, ..
            } => (
                format!("`{variant}` is none of {}", expected.join(", ")),
                Some((variant.clone(), expected.clone())),
            ),
            Error::DuplicateMappingKey { key: Some(key), .. } => {
                (format!("the key `{key}` is there twice"), None)
            }
            Error::SerdeMissingField { field, .. } => {
                (format!("the key `{field}` is missing"), None)
            }
            Error::InvalidBooleanStrict { .. } => ("true or false is expected".to_owned(), None),
            other => (
                UserMessageFormatter.format_message(other).into_owned(),
                None,
            ),
        };
        Self {
            line,
            column,
            message,
            unknown,
        }
    }
}

/// The documents of a text.
///
/// # Errors
/// Some document has another shape.
pub fn documents<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, Fault> {
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    Ok(serde_saphyr::from_multiple_with_options(text, options)?)
}

/// The only document of a text; `None` for a text without one.
///
/// # Errors
/// It has another shape, or there are several.
pub fn one<T: DeserializeOwned>(text: &str) -> Result<Option<T>, Fault> {
    let mut documents = documents(text)?;
    let last = documents.pop();
    if documents.is_empty() {
        return Ok(last);
    }
    Err(Fault {
        line: 1,
        column: 1,
        message: "one document is expected, and there are several".to_owned(),
        unknown: None,
    })
}

/// The records of a text: any number of documents, each one record or a list of them.
///
/// # Errors
/// A record has another shape.
pub fn records<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, Fault> {
    let documents = documents::<OneOrMore<T>>(text)?;
    Ok(documents.into_iter().flat_map(|many| many.0).collect())
}

struct OneOrMore<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMore<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMoreVisitor(PhantomData))
    }
}

struct OneOrMoreVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMoreVisitor<T> {
    type Value = OneOrMore<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record or a list of records")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        let record = T::deserialize(MapAccessDeserializer::new(map))?;
        Ok(OneOrMore(vec![record]))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, list: S) -> Result<Self::Value, S::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(OneOrMore)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Row {
        name: String,
        #[serde(default)]
        on: bool,
        #[serde(default)]
        kind: Option<Kind>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        Small,
        Large,
    }

    #[test]
    fn records_come_alone_in_lists_and_in_documents() {
        for (text, expected) in [
            ("", 0),
            ("name: a", 1),
            ("[{name: a}, {name: b}]", 2),
            ("name: a\n---\n- name: b\n- name: c\n", 3),
        ] {
            assert_eq!(records::<Row>(text).unwrap().len(), expected, "{text}");
        }
        assert_eq!(one::<Row>("# nothing\n"), Ok(None));
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, expected) in [
            ("nmae: a", "1:1: unknown key `nmae`"),
            ("name: a\non: yes", "2:5: true or false is expected"),
            ("name: a\nkind: smal", "2:7: `smal` is none of small, large"),
            ("name: a\nname: b", "2:1: the key `name` is there twice"),
            ("on: true", "1:1: the key `name` is missing"),
            (
                "name: a\n---\nname: b",
                "1:1: one document is expected, and there are several",
            ),
        ] {
            let fault = one::<Row>(text).unwrap_err();
            assert_eq!(fault.to_string(), expected, "{text}");
        }
        let fault = one::<Row>("nmae: a").unwrap_err();
        let unknown = ("nmae".to_owned(), vec!["name", "on", "kind"]);
        assert_eq!(fault.unknown, Some(unknown));
        assert!(one::<Row>("name: [").is_err());
    }
}
