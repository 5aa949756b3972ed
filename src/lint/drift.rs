//! Lists of one project that disagree from file to file.
use crate::cuda::Target;
use crate::facts::{ArchSource, Build, Compiles, Confidence, Drift, SetAt};
use std::collections::{BTreeMap, BTreeSet};

/// A file that builds something with lists of its own.
#[derive(Default)]
struct Lists {
    /// All that its lists hold.
    archs: BTreeSet<String>,
    /// The builds, by their indices.
    builds: Vec<usize>,
}

/// Notes on each build that another file builds the same for more architectures.
pub(super) fn note(builds: &mut [Build]) {
    let mut by_project: BTreeMap<Project, BTreeMap<String, Lists>> = BTreeMap::new();
    for (index, build) in builds.iter().enumerate() {
        let Some(key) = project(build) else { continue };
        let files = by_project.entry(key).or_default();
        let lists = files.entry(build.path.clone()).or_default();
        lists.builds.push(index);
        lists.archs.extend(machine_code(build));
    }
    for files in by_project.values() {
        let mut several: Vec<&Lists> = files.values().filter(|l| is_release(&l.archs)).collect();
        // the longest list, the first of those that are as long
        several.sort_by_key(|lists| std::cmp::Reverse(lists.archs.len()));
        let Some((longest, others)) = several.split_first() else {
            continue;
        };
        for other in others {
            let only_there: Vec<String> = longest.archs.difference(&other.archs).cloned().collect();
            let there = longest.builds.iter().filter_map(|&at| builds.get(at));
            let more = |build: &&Build| {
                machine_code(build)
                    .filter(|a| only_there.contains(a))
                    .count()
            };
            let Some(drift) = there.max_by_key(more).and_then(|b| drift(b, &only_there)) else {
                continue;
            };
            let here = other.builds.first();
            if let Some(build) = here.and_then(|&at| builds.get_mut(at)) {
                build.drifts.push(drift);
            }
        }
    }
}

/// Builder, what of it, and the toolkit: another one has other architectures to offer, so that its list may well be another.
type Project = (String, String, String);

/// What tells two builds of the same project; `None` for one whose list is not written, not known, or nobody's in particular.
fn project(build: &Build) -> Option<Project> {
    let written = build.arch.source == ArchSource::Explicit && !build.arch.images.is_empty();
    (written && !build.of_any_project && build.compiles == Compiles::Yes).then(|| {
        (
            build.builder.clone(),
            build.title.clone(),
            build.toolkit.version.clone(),
        )
    })
}

fn machine_code(build: &Build) -> impl Iterator<Item = String> {
    let images = build.arch.images.iter();
    images.filter(|image| image.starts_with("sm_")).cloned()
}

/// A list for several desktop GPUs: one architecture is a test's, and those of Tegra chips are for boards.
fn is_release(archs: &BTreeSet<String>) -> bool {
    const TEGRA: [&str; 5] = ["sm_53", "sm_62", "sm_72", "sm_87", "sm_101"];
    let on_board = |arch: &String| TEGRA.contains(&&**arch);
    let known = |arch: &String| Target::from_undotted(arch.trim_start_matches("sm_")).is_some();
    archs.iter().filter(|arch| known(arch)).count() > 1 && !archs.iter().all(on_board)
}

fn drift(longest: &Build, only_there: &[String]) -> Option<Drift> {
    let at: SetAt = longest.arch.set_at.clone()?;
    (!only_there.is_empty()).then(|| Drift {
        text: longest.arch.text.clone(),
        at,
        path: longest.path.clone(),
        only_there: only_there.to_vec(),
        confidence: Confidence::Likely,
    })
}
