//! Edits that mend findings. Each is tried before it is offered: the text is edited in memory and linted again.
mod anchor;
mod candidates;
mod check;
mod meant;
mod suggested;

use crate::cuda::arch_list;
use crate::facts::{BaseImage, Build, Edit, Finding, Fix};
use crate::rules::{FixAction, FixSpec, JudgeError, Rule, fingerprints};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What is learned from a text, and said about it.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Its builds.
    pub builds: Vec<Build>,
    /// Its base images.
    pub images: Vec<BaseImage>,
    /// What the rules say.
    pub findings: Vec<Finding>,
}

/// Lints a text in the place of a file. The lines to write are made for a list, or, where that is empty, for the fleet.
pub type Lint<'l> = &'l dyn Fn(&str, &[arch_list::Entry]) -> Result<Judged, JudgeError>;

/// Mends one file.
pub struct Fixer<'f> {
    /// Its path, as findings call it.
    pub path: &'f str,
    /// Lints a text in its place.
    pub lint: Lint<'f>,
    /// The rules that exist.
    pub rules: &'f [&'static Rule],
    /// The user named the GPUs or the architectures. Where nobody did, a list is a guess, and writing it is not safe.
    pub chosen: bool,
}

/// A file with its edits.
#[derive(Clone, Debug, Default)]
pub struct Mended {
    /// The text.
    pub text: String,
    /// What it mends.
    pub findings: Vec<Finding>,
}

/// Edited texts that were linted: one edit may mend several findings.
type Tried = HashMap<String, Judged>;

/// The most text that is linted again to find edits for one report, in bytes: a long file with many findings is not worth
/// waiting for.
const BUDGET: usize = 1 << 20;

/// The most edits that are made to one file.
const MOST: usize = 1000;

impl Fixer<'_> {
    /// The edit for each finding of a text that some edit mends, by its number.
    ///
    /// # Errors
    /// A rule fails on a fact.
    pub fn offers(&self, text: &str, judged: &Judged) -> Result<Vec<(usize, Fix)>, JudgeError> {
        let mut left = BUDGET;
        let mut tried = Tried::new();
        let mut offers = Vec::new();
        for (number, finding) in judged.findings.iter().enumerate() {
            if finding.suppressed.is_none() && finding.path == self.path {
                let fix = self.fix(text, judged, finding, true, &mut left, &mut tried)?;
                offers.extend(fix.map(|fix| (number, fix)));
            }
        }
        Ok(offers)
    }

    /// Makes the edits that are safe, and where `all`, also the others.
    ///
    /// # Errors
    /// A rule fails on a fact.
    pub fn mend(&self, text: &str, all: bool) -> Result<Mended, JudgeError> {
        let mut mended = Mended {
            text: text.to_owned(),
            findings: Vec::new(),
        };
        let mut hopeless = HashSet::new();
        while mended.findings.len() < MOST {
            let judged = (self.lint)(&mended.text, &[])?;
            let texts = BTreeMap::from([(self.path.to_owned(), mended.text.clone())]);
            let prints = fingerprints(&judged.findings, &texts, str::to_owned);
            let mut tried = Tried::new();
            let mut found = None;
            for (finding, print) in judged.findings.iter().zip(prints) {
                let open = finding.suppressed.is_none() && finding.path == self.path;
                if !open || hopeless.contains(&print) {
                    continue;
                }
                let left = &mut usize::MAX.clone();
                found = self
                    .fix(&mended.text, &judged, finding, all, left, &mut tried)?
                    .map(|fix| (finding.clone(), fix));
                if found.is_some() {
                    break;
                }
                hopeless.insert(print);
            }
            let Some((finding, fix)) = found else {
                break;
            };
            mended.text = apply(&mended.text, &fix.edits);
            mended.findings.push(finding);
        }
        Ok(mended)
    }

    /// The first edit that mends a finding and does nothing else that somebody would mind.
    fn fix(
        &self,
        text: &str,
        judged: &Judged,
        finding: &Finding,
        all: bool,
        left: &mut usize,
        tried: &mut Tried,
    ) -> Result<Option<Fix>, JudgeError> {
        let Some((spec, build)) = self.subject(judged, finding) else {
            return Ok(None);
        };
        let case = candidates::Case {
            fixer: self,
            text,
            judged,
            finding,
            build,
            spec,
        };
        let list = !matches!(spec.action, FixAction::SetSwitch | FixAction::UseDevel);
        for fix in case.candidates()? {
            if !(all || fix.safe) {
                continue;
            }
            let edited = apply(text, &fix.edits);
            let after = match tried.entry(edited) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    match left.checked_sub(text.len()) {
                        Some(rest) => *left = rest,
                        None => return Ok(None),
                    }
                    let after = (self.lint)(new.key(), &[])?;
                    new.insert(after)
                }
            };
            if check::mends(judged, after, finding, build, &fix.edits, list) {
                return Ok(Some(fix));
            }
        }
        Ok(None)
    }

    /// What the rule of a finding says about mending, and the build that it is about.
    fn subject<'j>(&self, judged: &'j Judged, finding: &Finding) -> Option<(FixSpec, &'j Build)> {
        let rule = self.rules.iter().find(|rule| *rule.code == *finding.code)?;
        let build = judged.builds.iter().find(|build| {
            finding.builder.as_ref() == Some(&build.builder)
                && (&finding.path, finding.span) == (&build.path, build.span)
        })?;
        Some((rule.fix?, build))
    }
}

/// The text with edits, which are in order of their places and do not overlap.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut edited = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        let start = (edit.offset as usize).max(done);
        edited.push_str(text.get(done..start).unwrap_or_default());
        edited.push_str(&edit.text);
        done = start + edit.length as usize;
    }
    edited.push_str(text.get(done..).unwrap_or_default());
    edited
}
