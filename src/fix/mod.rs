//! Edits that mend findings. They are tried before they are offered: the text is edited in memory and linted again.
mod anchor;
mod arguments;
mod candidates;
mod check;
mod layout;
mod meant;
mod suggested;
mod together;
mod work;
mod worlds;

use check::Comparison;
use work::Work;

use crate::cuda::arch_list::Entry;
use crate::facts::{BaseImage, Build, CallerFile, Edit, Finding, Fix};
use crate::rules::{JudgeError, Rule, fingerprints};
use std::collections::{BTreeMap, HashSet};

/// What is learned from a text, and said about it.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Its builds.
    pub builds: Vec<Build>,
    /// Its base images.
    pub images: Vec<BaseImage>,
    /// Who builds it, where that was looked for.
    pub callers: Vec<CallerFile>,
    /// What the rules say.
    pub findings: Vec<Finding>,
}

/// The text of the linted file, and of others in the repository where those are edited, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// That of the linted file.
    pub own: String,
    /// Those of files that build it, by their paths in the repository.
    pub callers: BTreeMap<String, String>,
}

impl Texts {
    /// A file alone.
    pub fn of(own: impl Into<String>) -> Self {
        Self {
            own: own.into(),
            callers: BTreeMap::new(),
        }
    }
}

/// Lints texts in the place of files. The lines to write are made for a list, or, where that is empty, for the fleet.
pub type Lint<'l> = &'l dyn Fn(&Texts, &[Entry]) -> Result<Judged, JudgeError>;

/// Mends one file.
pub struct Fixer<'f> {
    /// Its path, as findings call it.
    pub path: &'f str,
    /// It is a Dockerfile, in which a setting may be an instruction of its own.
    pub dockerfile: bool,
    /// Lints a text in its place.
    pub lint: Lint<'f>,
    /// The rules that exist.
    pub rules: &'f [&'static Rule],
    /// The user named the GPUs or the architectures. Where nobody did, a list is a guess, and writing it is not safe.
    pub chosen: bool,
}

/// Files with their edits.
#[derive(Clone, Debug, Default)]
pub struct Mended {
    /// Their texts.
    pub texts: Texts,
    /// What it mends.
    pub findings: Vec<Finding>,
}

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
        together::offers(&Work::new(self, &Texts::of(text), judged, BUDGET))
    }

    /// Makes the edits that are safe, and where `all`, also the others. A caller that has a text here already is edited there.
    ///
    /// # Errors
    /// A rule fails on a fact.
    pub fn mend(&self, texts: Texts, all: bool) -> Result<Mended, JudgeError> {
        let mut mended = Mended {
            texts,
            findings: Vec::new(),
        };
        let mut hopeless = HashSet::new();
        let mut fresh = true;
        while mended.findings.len() < MOST {
            let judged = (self.lint)(&mended.texts, &[])?;
            let texts = BTreeMap::from([(self.path.to_owned(), mended.texts.own.clone())]);
            let prints = fingerprints(&judged.findings, &texts, str::to_owned);
            let work = Work::new(self, &mended.texts, &judged, usize::MAX);
            let mut found = None;
            for (finding, print) in judged.findings.iter().zip(prints) {
                if !is_open(finding, self.path) || hopeless.contains(&print) {
                    continue;
                }
                found = fix(&work, finding, all)?.map(|fix| (finding.clone(), fix));
                if found.is_some() {
                    break;
                }
                hopeless.insert(print);
            }
            let Some((finding, fix)) = found else {
                if fresh {
                    break;
                }
                // what could not be mended before may be now that something else is
                hopeless.clear();
                fresh = true;
                continue;
            };
            fresh = false;
            let edited = work.edited(&fix.edits);
            mended.texts = edited;
            mended.findings.push(finding);
        }
        Ok(mended)
    }
}

/// The first edit that mends a finding and does nothing else that somebody would mind.
fn fix(work: &Work<'_>, finding: &Finding, all: bool) -> Result<Option<Fix>, JudgeError> {
    let Some(case) = work.case(finding) else {
        return Ok(None);
    };
    for fix in case.candidates()? {
        if !(all || fix.safe) {
            continue;
        }
        let Some(after) = work.lint(&work.edited(&fix.edits), &[])? else {
            break;
        };
        let comparison = Comparison::new(work.judged, &after, &fix.edits);
        if comparison.is_harmless() && case.is_mended(&comparison) {
            return Ok(Some(fix));
        }
    }
    Ok(None)
}

/// Whether a finding is about the file, and counts.
fn is_open(finding: &Finding, path: &str) -> bool {
    finding.suppressed.is_none() && finding.path == path
}

/// The text with edits, which are in order of their places and do not overlap.
pub fn apply<'e>(text: &str, edits: impl IntoIterator<Item = &'e Edit>) -> String {
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
