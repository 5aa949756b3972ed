//! Make's functions over text, and the words of values.
use crate::value::{Piece, Value};
use crate::walk::expand::ASKED_OF_A_GPU;

/// The functions that only change text.
pub(super) fn of_text(name: &str, values: &[Value]) -> Option<Value> {
    let value = |index: usize| values.get(index).cloned().unwrap_or_default();
    let text = |index: usize| value(index).sketch();
    let last = values.last().cloned().unwrap_or_default();
    Some(match name {
        "strip" => each(&last, |word| Some(word.clone())),
        "sort" => {
            let mut words = words(&last);
            words.sort_by_key(Value::sketch);
            words.dedup_by_key(|word| word.sketch());
            joined(words)
        }
        "firstword" => words(&last).into_iter().next().unwrap_or_default(),
        "lastword" => words(&last).into_iter().next_back().unwrap_or_default(),
        "word" => {
            let index: usize = text(0).trim().parse().ok()?;
            words(&last)
                .into_iter()
                .nth(index.checked_sub(1)?)
                .unwrap_or_default()
        }
        "words" => Value::literal(&words(&last).len().to_string(), None),
        "addprefix" => each(&last, |word| {
            let mut all = value(0);
            all.append(word);
            Some(all)
        }),
        "addsuffix" => each(&last, |word| {
            let mut all = word.clone();
            all.append(&value(0));
            Some(all)
        }),
        "filter" | "filter-out" => {
            let patterns: Vec<String> = words(&value(0)).iter().map(Value::sketch).collect();
            let wanted = name == "filter";
            each(&last, |word| {
                let text = word.sketch();
                let fits = patterns
                    .iter()
                    .any(|pattern| stem(pattern, &text).is_some());
                (fits == wanted).then(|| word.clone())
            })
        }
        "patsubst" => each(&last, |word| {
            Some(substituted(word, text(0).trim(), text(1).trim()))
        }),
        "subst" if last.known().is_some() => {
            let changed = last.known()?.replace(&text(0), &text(1));
            Value::literal(&changed, last.site())
        }
        "findstring" => {
            let found = text(1).contains(&text(0));
            if found { value(0) } else { Value::default() }
        }
        "notdir" | "dir" | "basename" => each(&last, |word| {
            let text = word.sketch();
            let cut = text.rfind('/').map_or(0, |at| at + 1);
            Some(match name {
                "notdir" => word.slice_from(cut),
                "dir" if cut == 0 => Value::literal("./", None),
                "dir" => word.slice(0, cut),
                _ => word.slice(
                    0,
                    text[cut..].rfind('.').map_or(text.len(), |dot| cut + dot),
                ),
            })
        }),
        _ => return None,
    })
}

/// `%.o` → `%.cu` for a word that fits.
pub(super) fn substituted(word: &Value, from: &str, to: &str) -> Value {
    let text = word.sketch();
    match stem(from, &text) {
        Some(stem) => Value::literal(&to.replacen('%', stem, 1), word.site()),
        None => word.clone(),
    }
}

/// What `%` stands for, if a pattern fits a name; a pattern without `%` fits itself.
pub(super) fn stem<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    match pattern.split_once('%') {
        Some((before, after)) => {
            let rest = name.strip_prefix(before)?;
            rest.strip_suffix(after).filter(|stem| !stem.is_empty())
        }
        None => (pattern == name).then_some(""),
    }
}

/// The words of a value.
pub(super) fn words(value: &Value) -> Vec<Value> {
    let text = value.sketch();
    let base = text.as_ptr() as usize;
    let ranges = text.split_whitespace().map(|word| {
        let from = word.as_ptr() as usize - base;
        value.slice(from, from + word.len())
    });
    ranges.collect()
}

fn joined(words: impl IntoIterator<Item = Value>) -> Value {
    let mut all = Value::default();
    for (index, word) in words.into_iter().enumerate() {
        if index > 0 {
            all.push_literal(" ", None);
        }
        all.append(&word);
    }
    all
}

/// Each word as `change` gives it.
pub(super) fn each(value: &Value, change: impl FnMut(&Value) -> Option<Value>) -> Value {
    joined(words(value).iter().filter_map(change).collect::<Vec<_>>())
}

/// A value as Makefile text.
pub(super) fn as_text(value: &Value) -> String {
    let pieces = value.pieces.iter().map(|piece| match piece {
        Piece::Literal { text, .. } => text,
        Piece::Hole { why, .. } if **why == *ASKED_OF_A_GPU => "$(shell nvidia-smi)",
        Piece::Hole { .. } => "$(shell unknown)",
    });
    pieces.collect()
}
