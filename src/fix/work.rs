//! A text whose findings are mended: what is known of it, and how much may still be tried.
use super::candidates::Case;
use super::{Fixer, Judged, Texts, apply};
use crate::cuda::arch_list::Entry;
use crate::facts::{Build, Caller, CallerFile, Edit, Finding};
use crate::rules::JudgeError;
use crate::text::dockerfile::{self, Dockerfile};
use std::cell::{Cell, RefCell};

/// The work on one text.
pub(super) struct Work<'w> {
    pub(super) fixer: &'w Fixer<'w>,
    texts: &'w Texts,
    /// The linted file's.
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
        texts: &'w Texts,
        judged: &'w Judged,
        budget: usize,
    ) -> Self {
        Self {
            fixer,
            texts,
            text: &texts.own,
            file: fixer.dockerfile.then(|| dockerfile::parse(&texts.own)),
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
                && is_in_one_of(build, &finding.worlds)
        })?;
        Some(Case {
            work: self,
            finding,
            build,
            spec,
        })
    }

    /// What builds the file in this world.
    pub(super) fn caller(&self, world: &str) -> Option<(&'w CallerFile, &'w Caller)> {
        let mut all = self.judged.callers.iter().flat_map(|file| {
            let callers = file.callers.iter();
            callers.map(move |caller| (file, caller))
        });
        all.find(|(_, caller)| caller.name == world)
    }

    /// The texts with edits, which are in order of their places.
    pub(super) fn edited(&self, edits: &[Edit]) -> Texts {
        fn of<'e>(edits: &'e [Edit], path: &'e str) -> impl Iterator<Item = &'e Edit> {
            edits.iter().filter(move |edit| edit.path == path)
        }
        let mut texts = Texts {
            own: apply(self.text, of(edits, self.fixer.path)),
            callers: self.texts.callers.clone(),
        };
        for file in &self.judged.callers {
            if of(edits, &file.path).next().is_some() {
                let text = apply(&file.text, of(edits, &file.path));
                texts.callers.insert(file.file.clone(), text);
            }
        }
        texts
    }

    /// What linting costs: who builds the file is read again, too.
    fn cost(&self) -> usize {
        let callers = self.judged.callers.iter();
        self.text.len() + callers.map(|file| file.text.len()).sum::<usize>()
    }

    /// Whether the text may still be linted so many times.
    pub(super) fn affords(&self, times: usize) -> bool {
        self.left.get() / self.cost().max(1) >= times
    }

    /// What is said of other texts in the place of these; `None` where enough was linted.
    pub(super) fn lint(
        &self,
        texts: &Texts,
        archs: &[Entry],
    ) -> Result<Option<Judged>, JudgeError> {
        let Some(left) = self.left.get().checked_sub(self.cost()) else {
            return Ok(None);
        };
        self.left.set(left);
        (self.fixer.lint)(texts, archs).map(Some)
    }

    /// The line to write for a build so that it gets this list.
    pub(super) fn line(&self, build: &Build, list: &[Entry]) -> Result<Option<String>, JudgeError> {
        let mut suggested = self.suggested.borrow_mut();
        let at = match suggested.iter().position(|(known, _)| known == list) {
            Some(at) => at,
            None => {
                let Some(judged) = self.lint(self.texts, list)? else {
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

/// Whether a build is in one of the worlds of a finding. A finding is joined from those about equal builds.
fn is_in_one_of(build: &Build, worlds: &[String]) -> bool {
    build.worlds.is_empty() || build.worlds.iter().any(|world| worlds.contains(world))
}
