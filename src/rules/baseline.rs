//! A baseline: findings that are known and wait for better days. They stay quiet, and new ones do not.
use super::fingerprint::fingerprints;
use crate::facts::{Finding, Suppressed, SuppressedBy};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// The version of the file's shape.
const VERSION: u32 = 1;

/// The findings that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    /// In the order of the places that they had.
    findings: Vec<KnownFinding>,
}

/// A finding that is known. Only its fingerprint is compared; the others are for whoever reads the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFinding {
    /// The rule.
    pub code: String,
    /// The file, seen from the baseline's folder.
    pub path: String,
    /// What makes it the same finding.
    pub fingerprint: String,
    /// What was said.
    pub message: String,
}

/// A text that is no baseline.
#[derive(Debug, thiserror::Error)]
pub enum NoBaseline {
    /// It has another shape.
    #[error("it is no baseline: {0}")]
    Shape(#[from] serde_json::Error),
    /// It is of another version.
    #[error("it is a baseline of version {0}; {VERSION} is read")]
    Version(u32),
}

impl Baseline {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// It is no baseline of this version.
    pub fn read(text: &str) -> Result<Self, NoBaseline> {
        let baseline: Self = serde_json::from_str(text)?;
        match baseline.version {
            VERSION => Ok(baseline),
            other => Err(NoBaseline::Version(other)),
        }
    }

    /// The findings that count, with their paths as `name` calls them.
    pub fn new(
        findings: &[Finding],
        texts: &BTreeMap<String, String>,
        name: impl Fn(&str) -> String,
    ) -> Self {
        let prints = fingerprints(findings, texts, &name);
        let findings = findings.iter().zip(prints);
        let counted = findings.filter(|(finding, _)| finding.suppressed.is_none());
        let known = counted.map(|(finding, fingerprint)| KnownFinding {
            code: finding.code.clone(),
            path: name(&finding.path),
            fingerprint,
            message: finding.message.clone(),
        });
        Self {
            version: VERSION,
            findings: known.collect(),
        }
    }

    /// Marks the findings that are known, with `reason`, and returns what is known and was not found. `may` says of which
    /// rules findings may be marked.
    pub fn apply(
        &self,
        findings: &mut [Finding],
        texts: &BTreeMap<String, String>,
        name: impl Fn(&str) -> String,
        may: impl Fn(&str) -> bool,
        reason: &str,
    ) -> Vec<&KnownFinding> {
        let prints = fingerprints(findings, texts, name);
        let known: HashSet<&str> = self.findings.iter().map(|k| &*k.fingerprint).collect();
        for (finding, print) in findings.iter_mut().zip(&prints) {
            if known.contains(&**print) && may(&finding.code) {
                finding.suppressed.get_or_insert_with(|| Suppressed {
                    by: SuppressedBy::Baseline,
                    reason: reason.to_owned(),
                });
            }
        }
        let found: HashSet<&str> = prints.iter().map(String::as_str).collect();
        let stale = self.findings.iter();
        stale
            .filter(|known| !found.contains(&*known.fingerprint))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_baseline_is_read() {
        let empty = Baseline::new(&[], &BTreeMap::new(), str::to_owned);
        let text = serde_json::to_string(&empty).unwrap();
        assert_eq!(Baseline::read(&text).unwrap(), empty);
        for (text, expected) in [
            ("", "it is no baseline: "),
            ("[]", "it is no baseline: "),
            ("{\"version\": 1}", "missing field `findings`"),
            ("{\"version\": 2, \"findings\": []}", "of version 2"),
            (
                "{\"version\": 1, \"findings\": [], \"more\": 1}",
                "unknown field `more`",
            ),
        ] {
            let error = Baseline::read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
