//! Which build arguments a list may come from.
use crate::text::dockerfile::{Args, Dockerfile, Pair};
use crate::text::word::Part;
use std::collections::BTreeSet;

/// More names are not followed.
const MOST: usize = 64;

/// The `ARG`s of a Dockerfile that may be in a variable, or in what is written where it is set; also by way of others.
pub(in crate::fix) fn arguments<'f>(
    file: &'f Dockerfile,
    variable: &str,
    written: &str,
) -> Vec<&'f Pair> {
    let mut pending = references(written);
    pending.push(variable.to_owned());
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(name) = pending.pop() {
        if seen.len() >= MOST || !seen.insert(name.clone()) {
            continue;
        }
        for (keyword, pair) in pairs(file).filter(|(_, pair)| pair.name == name) {
            if keyword == "ARG" {
                found.push(pair);
            }
            let parts = pair.value.iter().flat_map(|word| &word.parts);
            pending.extend(parts.filter_map(|part| match part {
                Part::Parameter { name, .. } => Some(name.clone()),
                _ => None,
            }));
        }
    }
    found
}

fn pairs(file: &Dockerfile) -> impl Iterator<Item = (&str, &Pair)> {
    file.instructions.iter().flat_map(|instruction| {
        let pairs = match &instruction.args {
            Args::Pairs(pairs) => pairs.as_slice(),
            _ => &[],
        };
        pairs.iter().map(|pair| (&*instruction.keyword, pair))
    })
}

/// The names behind `$` and `${`.
fn references(written: &str) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut after = written.split('$');
    after.next();
    let names = after.map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        rest.split(|c| !is_name(c)).next().unwrap_or_default()
    });
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::dockerfile::parse;

    #[test]
    fn arguments_behind_a_list() {
        for (text, knob, expected) in [
            ("FROM a\nARG KNOB\n", "KNOB", &["KNOB"][..]),
            ("FROM a\nARG x=1 y\nENV KNOB=$x\n", "KNOB", &["x"]),
            (
                "ARG x\nFROM a\nARG x\nENV a=${x:-8.0}\nENV KNOB=\"$a;9.0\"\n",
                "KNOB",
                &["x", "x"],
            ),
            ("FROM a\nENV KNOB=$KNOB\n", "KNOB", &[][..]),
            ("FROM a\nARG x\nENV KNOB=8.0\n", "KNOB", &[]),
        ] {
            let file = parse(text);
            let found = arguments(&file, knob, "");
            let found: Vec<&str> = found.iter().map(|pair| &*pair.name).collect();
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(references("A=${b:-c} $d \"$e;\" $1"), ["b", "d", "e", "1"]);
    }
}
