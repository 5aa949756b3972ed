//! YAML as kimg-lint and serde_yaml see it.
use kimg_lint::text::yaml::{self, Kind, Node, Style};
use serde::Deserialize;
use serde_yaml::Value;

/// serde_yaml's documents, merge keys resolved; `None` if it refuses the text.
fn theirs(source: &str) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    for document in serde_yaml::Deserializer::from_str(source) {
        let mut value = Value::deserialize(document).ok()?;
        value.apply_merge().ok()?;
        values.push(value);
    }
    // a document of nothing is none to kimg-lint
    values.retain(|value| !value.is_null());
    (!values.iter().any(is_half_merged)).then_some(values)
}

/// serde_yaml resolves a merge key that comes out of another merge only by luck.
fn is_half_merged(value: &Value) -> bool {
    match value {
        Value::Mapping(map) => map
            .iter()
            .any(|(key, value)| key == "<<" || is_half_merged(value)),
        Value::Sequence(items) => items.iter().any(is_half_merged),
        Value::Tagged(tagged) => is_half_merged(&tagged.value),
        _ => false,
    }
}

/// What serde_yaml accepts and YAML 1.2 does not, or reads as YAML 1.1 did: three characters that broke lines, a dash alone
/// in brackets, and a byte order mark that counts as a column.
fn serde_yaml_is_wrong(source: &str) -> bool {
    source.contains(['\u{85}', '\u{2028}', '\u{2029}'])
        || source.contains("[-]")
        || source.starts_with("\u{feff}---")
}

/// Whether a value is what serde_yaml sees. Numbers and booleans are text to kimg-lint: serde_yaml reads that text again.
fn agrees(ours: &Node, theirs: &Value) -> bool {
    match (&ours.kind, theirs) {
        (_, Value::Tagged(tagged)) => {
            let tag = ours.tag.as_ref().map(|tag| tag.trim_start_matches('!'));
            let untagged = Node {
                tag: None,
                ..ours.clone()
            };
            tag.is_some_and(|tag| tagged.tag == tag) && agrees(&untagged, &tagged.value)
        }
        (Kind::Null, Value::Null) => true,
        (Kind::Scalar(scalar), Value::String(text)) => scalar.text.text() == text,
        (Kind::Scalar(scalar), Value::Bool(_) | Value::Number(_)) => {
            let again = serde_yaml::from_str::<Value>(scalar.text.text()).ok();
            scalar.style == Style::Plain && again.as_ref().is_some_and(|again| same(again, theirs))
        }
        (Kind::List(items), Value::Sequence(values)) => {
            items.len() == values.len()
                && items
                    .iter()
                    .zip(values)
                    .all(|(item, value)| agrees(item, value))
        }
        (Kind::Map(entries), Value::Mapping(values)) => {
            entries.len() == values.len()
                && entries.iter().all(|entry| {
                    values
                        .iter()
                        .any(|(key, value)| agrees(&entry.key, key) && agrees(&entry.value, value))
                })
        }
        _ => false,
    }
}

/// Equal, and NaN is.
fn same(one: &Value, other: &Value) -> bool {
    let nan = |value: &Value| value.as_f64().is_some_and(f64::is_nan);
    one == other || (nan(one) && nan(other))
}

/// Compares both; the difference in words, or whether both accepted the text.
///
/// # Errors
/// They see different values.
pub fn compare(source: &str) -> Result<bool, String> {
    if serde_yaml_is_wrong(source) {
        return Ok(false);
    }
    let Some(theirs) = theirs(source) else {
        return Ok(false);
    };
    let ours = yaml::parse(source);
    let agree = ours.problems.is_empty()
        && ours.documents.len() == theirs.len()
        && ours
            .documents
            .iter()
            .zip(&theirs)
            .all(|(ours, theirs)| agrees(ours, theirs));
    if agree {
        return Ok(true);
    }
    Err(format!(
        "serde_yaml sees {theirs:?}\nkimg-lint sees {:#?}\nin {source:?}",
        ours
    ))
}
