//! Reads YAML files of records.
use serde::Deserialize;
use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

/// The records of a file: any number of documents, each one record or a list of them.
///
/// # Errors
/// The message names the file and the line.
pub fn records<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, String> {
    Ok(documents::<OneOrMore<T>>(file)?
        .into_iter()
        .flat_map(|document| document.0)
        .collect())
}

/// The only document of a file.
///
/// # Errors
/// The message names the file and the line.
pub fn one<T: DeserializeOwned>(file: &Path) -> Result<T, String> {
    let mut documents = documents(file)?;
    match (documents.pop(), documents.is_empty()) {
        (Some(document), true) => Ok(document),
        _ => Err(format!("{}: one document is expected", file.display())),
    }
}

fn documents<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, String> {
    let name = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_multiple_with_options(&text, options)
        .map_err(|error| format!("{name}: {error}"))
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
        let record = T::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(OneOrMore(vec![record]))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, list: S) -> Result<Self::Value, S::Error> {
        Vec::deserialize(de::value::SeqAccessDeserializer::new(list)).map(OneOrMore)
    }
}
