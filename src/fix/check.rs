//! Whether edits mend findings and do nothing else that somebody would mind.
use super::Judged;
use crate::facts::{Build, Diagnosis, Edit, Finding, Outcome, Severity};
use std::collections::{HashMap, HashSet};

/// A text before and after edits.
pub(super) struct Comparison<'c> {
    before: &'c Judged,
    after: &'c Judged,
    moves: Moves<'c>,
    /// The builds after, by who they are.
    builds: HashMap<Identity<'c>, &'c Build>,
    /// The findings after that count.
    findings: HashSet<Said<'c>>,
}

/// Builder, worlds, file and place of a build.
type Identity<'c> = (&'c str, &'c [String], &'c str, u32);

/// Rule, file and place of a finding.
type Said<'c> = (&'c str, &'c str, u32);

impl<'c> Comparison<'c> {
    /// Of what was judged before and after `edits`, which are in order of their places.
    pub(super) fn new(before: &'c Judged, after: &'c Judged, edits: &'c [Edit]) -> Self {
        let identity = |build: &'c Build| {
            let place = (&*build.path, build.span.offset);
            (&*build.builder, &*build.worlds, place.0, place.1)
        };
        // the first of several that are alike
        let builds = after.builds.iter().rev();
        let counts = |finding: &&Finding| finding.suppressed.is_none();
        let findings = after.findings.iter().filter(counts);
        Self {
            before,
            after,
            moves: Moves::new(edits),
            builds: builds.map(|build| (identity(build), build)).collect(),
            findings: findings
                .map(|f| (&*f.code, &*f.path, f.span.offset))
                .collect(),
        }
    }

    /// Every build is still there, and nothing new is wrong.
    pub(super) fn is_harmless(&self) -> bool {
        let before = self.before.findings.iter();
        let known: HashSet<Said<'_>> = before.map(|finding| self.said(finding)).collect();
        let minded = |new: &&Finding| {
            let counts = new.suppressed.is_none();
            counts && (new.severity >= Severity::Warning || is_about_the_list(new))
        };
        let mut minded = self.after.findings.iter().filter(minded);
        let nothing_new =
            minded.all(|new| known.contains(&(&new.code, &new.path, new.span.offset)));
        let as_before = |old: &Build| {
            // a list in the wrong place may have been what asked for device code
            self.counterpart(old)
                .is_some_and(|new| new.compiles == old.compiles)
        };
        nothing_new
            && self.before.builds.len() == self.after.builds.len()
            && self.before.builds.iter().all(as_before)
    }

    /// The finding is gone, and its build has a list where that is what was wanted.
    pub(super) fn is_mended(&self, finding: &Finding, build: &Build, list: bool) -> bool {
        let has_list =
            |new: &Build| !list || new.diagnosis == Diagnosis::Ok && new.outcome == Outcome::List;
        !self.findings.contains(&self.said(finding))
            && self.counterpart(build).is_some_and(has_list)
    }

    /// A finding from before, where it would be now.
    fn said<'f>(&self, finding: &'f Finding) -> Said<'f> {
        let place = self.moves.at(&finding.path, finding.span.offset);
        (&finding.code, &finding.path, place)
    }

    /// What has become of a build.
    fn counterpart(&self, build: &Build) -> Option<&'c Build> {
        let place = self.moves.at(&build.path, build.span.offset);
        let identity = (&*build.builder, &*build.worlds, &*build.path, place);
        self.builds.get(&identity).copied()
    }
}

/// Findings of this family say that a list does not work, whatever their severity.
fn is_about_the_list(finding: &Finding) -> bool {
    finding.code.starts_with("KIMG1")
}

/// Where the bytes of the edited file go; what is written right before one moves it.
struct Moves<'e> {
    path: &'e str,
    /// The end of each edit, and by how much it and those before it move what comes after.
    ends: Vec<(u32, i64)>,
}

impl<'e> Moves<'e> {
    fn new(edits: &'e [Edit]) -> Self {
        let mut by = 0;
        let ends = edits.iter().map(|edit| {
            by += edit.text.len() as i64 - i64::from(edit.length);
            (edit.offset + edit.length, by)
        });
        Self {
            ends: ends.collect(),
            path: edits.first().map_or("", |edit| &edit.path),
        }
    }

    fn at(&self, path: &str, offset: u32) -> u32 {
        let before = self.ends.partition_point(|(end, _)| *end <= offset);
        let by = before.checked_sub(1).map_or(0, |last| self.ends[last].1);
        if path != self.path {
            return offset;
        }
        u32::try_from(i64::from(offset) + by).unwrap_or_default()
    }
}
