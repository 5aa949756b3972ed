//! Lists of architectures that somebody set, and who reads them.
use super::record::{Place, Take};
use super::records::RECORDS;
use crate::actions::{Source, verb::Verb};
use crate::facts::{self, Build, Compiles, Outcome, Reader, Setting};
use crate::walk::files::Files;
use crate::walk::settings::{self as made, Life};
use crate::walk::walked::{Step, Walked};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

/// The settings of a document that hold a list of architectures for the whole of a stage.
pub fn settings(walked: &Walked, files: &Files<'_>, builds: &[Build]) -> Vec<Setting> {
    let lists = walked
        .settings
        .iter()
        .filter(|s| s.life == Life::Stage && names().contains(&*s.name));
    // a stage has many settings and one reader
    let known = Known::of(walked, builds);
    let mut readers: HashMap<usize, (Reader, &str)> = HashMap::new();
    let lists = lists.filter_map(|setting| Some((setting.scope?, (setting.scope?, setting))));
    let lists = walked.in_every_world(lists).into_iter();
    let facts = lists.filter_map(|(_, (scope, setting))| {
        let read_by = readers
            .entry(scope)
            .or_insert_with(|| known.reader(scope, walked));
        fact(setting, *read_by, walked, files)
    });
    facts.collect()
}

/// The variables in which some builder reads a list, and whose names say so.
fn names() -> &'static BTreeSet<&'static str> {
    static NAMES: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let knobs = RECORDS
            .iter()
            .flat_map(|r| r.knobs.iter())
            .flat_map(|k| k.0);
        knobs
            .filter(|k| k.place == Place::Env && matches!(k.take, Take::List | Take::One))
            .filter(|k| !k.general)
            .map(|k| k.name.0)
            .collect()
    })
}

fn fact(
    setting: &made::Setting,
    (reader, reader_text): (Reader, &str),
    walked: &Walked,
    files: &Files<'_>,
) -> Option<Setting> {
    let (scope, site) = (setting.scope?, setting.origin.site?);
    Some(Setting {
        name: setting.name.to_string(),
        text: setting.value.describe(),
        how: setting.origin.how,
        path: files.path(site).to_owned(),
        span: files.place(site),
        scope: walked
            .scopes
            .get(scope)
            .map(|s| s.title.clone())
            .unwrap_or_default(),
        reader,
        reader_text: reader_text.to_owned(),
    })
}

/// What tells who reads the settings of a stage.
struct Known<'w> {
    /// The stages that a build compiles in, by title.
    building: HashSet<&'w str>,
    /// The stages that do more than install what comes prebuilt.
    busy: HashSet<usize>,
}

impl<'w> Known<'w> {
    fn of(walked: &Walked, builds: &'w [Build]) -> Self {
        let reads = |b: &&Build| b.compiles != Compiles::No || b.outcome == Outcome::Runtime;
        let prebuilt = |step: &&Step| {
            matches!(step.action.verb, Verb::Index | Verb::System)
                && !matches!(step.action.source, Source::Requirements(_))
        };
        let busy = walked.steps.iter().filter(|step| !prebuilt(step));
        Self {
            building: builds.iter().filter(reads).map(|b| &*b.scope).collect(),
            busy: busy.map(|step| step.scope).collect(),
        }
    }

    fn reader(&self, scope: usize, walked: &Walked) -> (Reader, &'static str) {
        let heirs = (0..walked.scopes.len()).filter(|&s| walked.inherits(s, scope));
        let heirs: Vec<usize> = heirs.collect();
        let title = |s: &usize| walked.scopes[*s].title.as_str();
        if heirs.iter().any(|s| self.building.contains(title(s))) {
            return (Reader::Build, "a build reads it");
        }
        let has_torch = |s: &usize| walked.scopes[*s].end.torch.there == facts::Known::Yes;
        if heirs.iter().any(has_torch) && !heirs.iter().any(|s| self.busy.contains(s)) {
            return (Reader::Runtime, "what is installed here comes prebuilt");
        }
        (Reader::Unknown, "it is not known who reads it")
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_general_name_says_nothing() {
        for (name, says) in [
            ("TORCH_CUDA_ARCH_LIST", true),
            ("COMPUTE_CAPABILITIES", true),
            ("COMPUTE", false),
            ("GPU_TARGET", false),
        ] {
            assert_eq!(names().contains(name), says, "{name}");
        }
    }
}
