//! Lists of architectures that somebody set, and who reads them.
use super::record::{Place, Take};
use super::records::RECORDS;
use crate::actions::{Source, verb::Verb};
use crate::facts::{Build, Compiles, Known, Outcome, Reader, Setting};
use crate::walk::files::Files;
use crate::walk::settings::{self as made, Life};
use crate::walk::walked::Walked;
use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

/// The settings of a document that hold a list of architectures for the whole of a stage.
pub fn settings(walked: &Walked, files: &Files<'_>, builds: &[Build]) -> Vec<Setting> {
    let lists = walked
        .settings
        .iter()
        .filter(|s| s.life == Life::Stage && names().contains(&*s.name));
    // a stage has many settings and one reader
    let mut readers: HashMap<usize, (Reader, String)> = HashMap::new();
    let lists = lists.filter_map(|setting| Some((setting.scope?, (setting.scope?, setting))));
    let lists = walked.in_every_world(lists).into_iter();
    let facts = lists.filter_map(|(_, (scope, setting))| {
        let read_by = readers
            .entry(scope)
            .or_insert_with(|| reader(scope, walked, builds));
        fact(setting, read_by.clone(), walked, files)
    });
    facts.collect()
}

/// The variables in which some builder reads a list.
fn names() -> &'static BTreeSet<&'static str> {
    static NAMES: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let knobs = RECORDS
            .iter()
            .flat_map(|r| r.knobs.iter())
            .flat_map(|k| k.0);
        knobs
            .filter(|k| k.place == Place::Env && matches!(k.take, Take::List | Take::One))
            .map(|k| k.name.0)
            .collect()
    })
}

fn fact(
    setting: &made::Setting,
    (reader, reader_text): (Reader, String),
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
        reader_text,
    })
}

fn reader(scope: usize, walked: &Walked, builds: &[Build]) -> (Reader, String) {
    let titles: Vec<&str> = (0..walked.scopes.len())
        .filter(|&s| walked.inherits(s, scope))
        .map(|s| walked.scopes[s].title.as_str())
        .collect();
    let here = |b: &&Build| titles.contains(&b.scope.as_str());
    if builds
        .iter()
        .filter(here)
        .any(|b| b.compiles != Compiles::No || b.outcome == Outcome::Runtime)
    {
        return (Reader::Build, "a build reads it".to_owned());
    }
    let steps: Vec<_> = walked
        .steps
        .iter()
        .filter(|s| walked.inherits(s.scope, scope))
        .collect();
    let only_prebuilt = steps.iter().all(|s| {
        matches!(s.action.verb, Verb::Index | Verb::System)
            && !matches!(s.action.source, Source::Requirements(_))
    });
    let torch = walked
        .scopes
        .iter()
        .enumerate()
        .any(|(s, w)| walked.inherits(s, scope) && w.end.torch.there == Known::Yes);
    if only_prebuilt && torch {
        return (
            Reader::Runtime,
            "what is installed here comes prebuilt".to_owned(),
        );
    }
    (Reader::Unknown, "it is not known who reads it".to_owned())
}
