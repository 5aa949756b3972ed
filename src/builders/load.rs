//! Reading the user's records, in the shape and by the loader of the built-in ones.
use super::check::check;
use super::record::Record;
use super::records::RECORDS;
use crate::yaml;

/// Why a file of records cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It has another shape.
    #[error("{path}:{fault}")]
    Shape {
        /// The file.
        path: String,
        /// Why.
        fault: yaml::Fault,
    },
    /// It has the shape of records, and they fit neither together nor to the built-in ones.
    #[error("{path}: {fault}")]
    Meaning {
        /// The file.
        path: String,
        /// Why.
        fault: String,
    },
}

/// The records of the file at `path` (used in errors only), which stand beside the built-in ones and `others`.
///
/// # Errors
/// They have another shape, an id that is taken, or name a record that is not there.
pub fn load(path: &str, text: &str, others: &[Record]) -> Result<Vec<Record>, LoadError> {
    let path = || path.to_owned();
    let records: Vec<Record> = yaml::records(text).map_err(|fault| LoadError::Shape {
        path: path(),
        fault,
    })?;
    // a parent is looked for among the built-in ones
    let known: Vec<Record> = RECORDS.iter().chain(others).copied().collect();
    let stranger = records.iter().find(|record| {
        record
            .extends
            .is_some_and(|parent| !RECORDS.iter().any(|known| known.id == parent))
    });
    match stranger {
        Some(record) => Err(format!("{}: extends no built-in record", record.id)),
        None => check(&records, &known),
    }
    .map_err(|fault| LoadError::Meaning {
        path: path(),
        fault,
    })?;
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = "\
id: our-kernels
title: our kernels
match: [{dir: our-kernels}]
extends: torch-ext
confidence: high
";

    #[test]
    fn records_are_read_or_refused() {
        for (from, to, expected) in [
            ("", "", "1"),
            ("title:", "titel:", "r.yaml:2:1: unknown key `titel`"),
            (
                "high",
                "sure",
                "r.yaml:5:13: `sure` is none of high, medium, low",
            ),
            (
                "id: our-kernels",
                "id: torch-ext",
                "r.yaml: the id torch-ext is used twice",
            ),
            (
                "id: our-kernels",
                "id: theirs",
                "r.yaml: the id theirs is used twice",
            ),
            (
                "{dir: our-kernels}",
                "{verb: make}",
                "r.yaml: our-kernels: a row of `match` needs a name, `evidence` or `when`: `verb` and `subdir` only narrow it",
            ),
            (
                "extends: torch-ext",
                "extends: theirs",
                "r.yaml: our-kernels: extends no built-in record",
            ),
        ] {
            let theirs = load("x", &RECORD.replace("our-kernels", "theirs"), &[]).unwrap();
            let got = match load("r.yaml", &RECORD.replacen(from, to, 1), &theirs) {
                Ok(records) => records.len().to_string(),
                Err(error) => error.to_string(),
            };
            assert_eq!(got, expected);
        }
    }
}
