//! A text whose findings are mended: what is known of it, and how much may still be tried.
use super::candidates::Case;
use super::{Fixer, Judged};
use crate::cuda::arch_list::Entry;
use crate::facts::{Build, Finding};
use crate::rules::JudgeError;
use crate::text::dockerfile::{self, Dockerfile};
use std::cell::{Cell, RefCell};

/// The work on one text.
pub(super) struct Work<'w> {
    pub(super) fixer: &'w Fixer<'w>,
    pub(super) text: &'w str,
    /// The text as a Dockerfile, if it is one.
    pub(super) file: Option<Dockerfile>,
    pub(super) judged: &'w Judged,
    /// The bytes of text that may still be linted.
    left: Cell<usize>,
    /// The builds with the lines to write for lists that were asked for.
    suggested: RefCell<Vec<(Vec<Entry>, Vec<Build>)>>,
}

impl<'w> Work<'w> {
    /// On a text that was judged, for which `budget` bytes of text may be linted.
    pub(super) fn new(
        fixer: &'w Fixer<'w>,
        text: &'w str,
        judged: &'w Judged,
        budget: usize,
    ) -> Self {
        Self {
            fixer,
            text,
            file: fixer.dockerfile.then(|| dockerfile::parse(text)),
            judged,
            left: Cell::new(budget),
            suggested: RefCell::default(),
        }
    }

    /// What the rule of a finding says about mending, and the build that it is about.
    pub(super) fn case(&self, finding: &'w Finding) -> Option<Case<'_>> {
        let mut rules = self.fixer.rules.iter();
        let spec = rules.find(|rule| *rule.code == *finding.code)?.fix?;
        let build = self.judged.builds.iter().find(|build| {
            (finding.span, &finding.path) == (build.span, &build.path)
                && finding.builder.as_ref() == Some(&build.builder)
        })?;
        Some(Case {
            work: self,
            finding,
            build,
            spec,
        })
    }

    /// Whether the text may still be linted so many times.
    pub(super) fn affords(&self, times: usize) -> bool {
        self.left.get() / self.text.len().max(1) >= times
    }

    /// What is said of another text in the place of this one; `None` where enough was linted.
    pub(super) fn lint(&self, text: &str, archs: &[Entry]) -> Result<Option<Judged>, JudgeError> {
        let Some(left) = self.left.get().checked_sub(text.len()) else {
            return Ok(None);
        };
        self.left.set(left);
        (self.fixer.lint)(text, archs).map(Some)
    }

    /// The line to write for a build so that it gets this list.
    pub(super) fn line(&self, build: &Build, list: &[Entry]) -> Result<Option<String>, JudgeError> {
        let mut suggested = self.suggested.borrow_mut();
        let at = match suggested.iter().position(|(known, _)| known == list) {
            Some(at) => at,
            None => {
                let Some(judged) = self.lint(self.text, list)? else {
                    return Ok(None);
                };
                suggested.push((list.to_owned(), judged.builds));
                suggested.len() - 1
            }
        };
        let same = |other: &&Build| (&other.builder, other.span) == (&build.builder, build.span);
        let build = suggested[at].1.iter().find(same);
        Ok(build.map(|build| build.suggest.clone()))
    }
}
