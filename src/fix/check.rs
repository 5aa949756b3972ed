//! Whether edits mend findings and do nothing else that somebody would mind.
use super::Judged;
use super::worlds::Worlds;
use crate::facts::{Build, Diagnosis, Edit, Finding, Outcome, Severity};
use std::collections::HashMap;

/// Texts before and after edits.
pub(super) struct Comparison<'c> {
    before: &'c Judged,
    after: &'c Judged,
    moves: Moves<'c>,
    worlds: Worlds<'c>,
    /// The builds after, by who they are.
    builds: HashMap<Identity<'c>, Vec<&'c Build>>,
    /// The findings after that count.
    findings: HashMap<Said<'c>, Vec<&'c Finding>>,
}

/// Builder, file and place of a build.
type Identity<'c> = (&'c str, &'c str, u32);

/// Rule, file and place of a finding.
type Said<'c> = (&'c str, &'c str, u32);

impl<'c> Comparison<'c> {
    /// Of what was judged before and after `edits`, which are in order of their places.
    pub(super) fn new(before: &'c Judged, after: &'c Judged, edits: &'c [Edit]) -> Self {
        let mut builds: HashMap<Identity<'c>, Vec<&'c Build>> = HashMap::new();
        for build in &after.builds {
            let identity = (&*build.builder, &*build.path, build.span.offset);
            builds.entry(identity).or_default().push(build);
        }
        let moves = Moves::new(edits);
        Self {
            before,
            after,
            worlds: Worlds::new(&before.callers, &after.callers, &moves),
            moves,
            builds,
            findings: by_said(after.findings.iter(), said),
        }
    }

    /// Every build is still there, and nothing new is wrong.
    pub(super) fn is_harmless(&self) -> bool {
        let known = by_said(self.before.findings.iter(), |finding| self.said(finding));
        let minded = |new: &&Finding| {
            let counts = new.suppressed.is_none();
            counts && (new.severity >= Severity::Warning || is_about_the_list(new))
        };
        let mut minded = self.after.findings.iter().filter(minded);
        let nothing_new = minded.all(|new| {
            let before = known.get(&said(new)).map_or(&[][..], Vec::as_slice);
            let held = |world: &String| before.iter().any(|old| self.worlds.hold(old, world));
            !before.is_empty() && new.worlds.iter().all(held)
        });
        let as_before = |old: &Build| {
            // a list in the wrong place may have been what asked for device code
            let as_before =
                |new: Option<&Build>| new.is_some_and(|new| new.compiles == old.compiles);
            self.counterparts(old).all(as_before)
        };
        nothing_new && self.has_as_many_builds() && self.before.builds.iter().all(as_before)
    }

    /// The finding is gone, and its build has a list where that is what was wanted.
    pub(super) fn is_mended(&self, finding: &Finding, build: &Build, list: bool) -> bool {
        let has_list =
            |new: &Build| !list || new.diagnosis == Diagnosis::Ok && new.outcome == Outcome::List;
        let left = self.findings.get(&self.said(finding));
        let left = left.map_or(&[][..], Vec::as_slice);
        !left
            .iter()
            .any(|new| self.worlds.share(&finding.worlds, &new.worlds))
            && self
                .counterparts(build)
                .all(|new| new.is_some_and(has_list))
    }

    /// Whether no build is new or gone. Those of callers become one where they become the same.
    fn has_as_many_builds(&self) -> bool {
        let (before, after) = (&self.before.builds, &self.after.builds);
        if self.before.callers.is_empty() && self.after.callers.is_empty() {
            return before.len() == after.len();
        }
        let known: Vec<Identity<'_>> = before.iter().map(|build| self.identity(build)).collect();
        self.builds.keys().all(|identity| known.contains(identity))
    }

    /// A finding from before, where it would be now.
    fn said<'f>(&self, finding: &'f Finding) -> Said<'f> {
        let place = self.moves.at(&finding.path, finding.span.offset);
        (&finding.code, &finding.path, place)
    }

    fn identity<'b>(&self, build: &'b Build) -> Identity<'b> {
        let place = self.moves.at(&build.path, build.span.offset);
        (&*build.builder, &*build.path, place)
    }

    /// What has become of a build, in each of its worlds.
    fn counterparts(&self, build: &'c Build) -> impl Iterator<Item = Option<&'c Build>> {
        let now = self.builds.get(&self.identity(build));
        let now = now.map_or(&[][..], Vec::as_slice);
        let alone = build.worlds.is_empty().then(|| now.first().copied());
        let of_worlds = build.worlds.iter().map(|world| {
            let mut now = now.iter().copied();
            now.find(|new| self.worlds.is_of(new, world))
        });
        let all: Vec<Option<&Build>> = alone.into_iter().chain(of_worlds).collect();
        all.into_iter()
    }
}

fn said(finding: &Finding) -> Said<'_> {
    (&finding.code, &finding.path, finding.span.offset)
}

/// The findings that count, by what they say.
fn by_said<'f>(
    findings: impl Iterator<Item = &'f Finding>,
    said: impl Fn(&'f Finding) -> Said<'f>,
) -> HashMap<Said<'f>, Vec<&'f Finding>> {
    let mut all: HashMap<Said<'_>, Vec<&Finding>> = HashMap::new();
    for finding in findings {
        all.entry(said(finding)).or_default().push(finding);
    }
    all
}

/// Findings of this family say that a list does not work, whatever their severity.
fn is_about_the_list(finding: &Finding) -> bool {
    finding.code.starts_with("KIMG1")
}

/// Where the bytes of edited files go; what is written right before one moves it.
pub(super) struct Moves<'e> {
    /// The end of each edit in each file, and by how much it and those before it move what comes after.
    ends: HashMap<&'e str, Vec<(u32, i64)>>,
}

impl<'e> Moves<'e> {
    fn new(edits: &'e [Edit]) -> Self {
        let mut ends: HashMap<&str, Vec<(u32, i64)>> = HashMap::new();
        for edit in edits {
            let ends = ends.entry(&edit.path).or_default();
            let before = ends.last().map_or(0, |(_, by)| *by);
            let by = before + edit.text.len() as i64 - i64::from(edit.length);
            ends.push((edit.offset + edit.length, by));
        }
        Self { ends }
    }

    /// Where a byte of a file is now.
    pub(super) fn at(&self, path: &str, offset: u32) -> u32 {
        let Some(ends) = self.ends.get(path) else {
            return offset;
        };
        let before = ends.partition_point(|(end, _)| *end <= offset);
        let by = before.checked_sub(1).map_or(0, |last| ends[last].1);
        u32::try_from(i64::from(offset) + by).unwrap_or_default()
    }
}
