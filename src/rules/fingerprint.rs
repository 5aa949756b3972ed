//! What makes a finding the same finding in another run, also where its lines have moved.
use crate::facts::{Finding, Role};
use crate::span::Place;
use std::collections::{BTreeMap, HashMap};

/// One fingerprint a finding, in order: 16 hexadecimal digits.
///
/// It covers the rule, the file as `name` calls it, the words at the finding's place and at its cause, and the GPUs that it
/// is about; neither lines nor messages, which change with what stands above and with versions. Findings that agree in all of
/// that are numbered.
pub fn fingerprints(
    findings: &[Finding],
    texts: &BTreeMap<String, String>,
    name: impl Fn(&str) -> String,
) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let print = |finding: &Finding| {
        let identity = identity(finding, texts, &name);
        let number = seen.entry(identity.clone()).or_default();
        *number += 1;
        format!("{:016x}", hash(&format!("{identity}\0{number}")))
    };
    findings.iter().map(print).collect()
}

fn identity(
    finding: &Finding,
    texts: &BTreeMap<String, String>,
    name: impl Fn(&str) -> String,
) -> String {
    let words = |path: &str, place: Place| -> Option<String> {
        let words = texts.get(path)?.get(place.span().range())?;
        let words: Vec<&str> = words.split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    };
    let cause = finding
        .related
        .first()
        .filter(|related| related.role == Role::Cause);
    let parts = [
        finding.code.clone(),
        name(&finding.path),
        // what has no text, such as a library, is known by what is said of it
        words(&finding.path, finding.span).unwrap_or_else(|| finding.message.clone()),
        cause
            .and_then(|cause| words(&cause.path, cause.span))
            .unwrap_or_default(),
        finding.gpus.join(","),
    ];
    parts.join("\0")
}

/// FNV-1a of 64 bits: the same in every version and on every machine.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::sample;
    use crate::rules::{Policy, RuleSet, builtin};

    fn prints(text: &str, findings: &[Finding]) -> Vec<String> {
        let texts = BTreeMap::from([(sample::PATH.to_owned(), text.to_owned())]);
        fingerprints(findings, &texts, str::to_owned)
    }

    #[test]
    fn the_published_values_of_the_hash() {
        for (text, expected) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(hash(text), expected, "{text}");
        }
    }

    #[test]
    fn moved_lines_keep_their_findings_and_other_words_do_not() {
        let findings = RuleSet::new(builtin())
            .judge(&sample::facts(), Policy::default())
            .unwrap();
        let of_rule: Vec<Finding> = findings
            .into_iter()
            .filter(|f| f.code == "KIMG105")
            .collect();
        let before = prints(sample::TEXT, &of_rule);
        let mut moved = of_rule.clone();
        let above = "# a line\n";
        for place in moved.iter_mut().flat_map(|finding| {
            let related = finding.related.iter_mut().map(|related| &mut related.span);
            related.chain([&mut finding.span])
        }) {
            place.offset += above.len() as u32;
            place.line += 1;
        }
        assert_eq!(before, prints(&format!("{above}{}", sample::TEXT), &moved));
        let other = sample::TEXT.replace("pip", "PIP");
        assert_ne!(other, sample::TEXT);
        assert_ne!(before, prints(&other, &of_rule));
        let twice = [of_rule.clone(), of_rule].concat();
        let prints = prints(sample::TEXT, &twice);
        assert_ne!(prints[0], prints[1], "equal findings are numbered");
    }
}
