//! Configuration files as what the run works with.
use super::file::{FailOn, Maybe, PolicyEntries, RuleTable, Until};
use super::globs::{Globs, files, is_literal};
use super::layer::Layer;
use super::merge::{From, Layers, entries, value};
use super::{ConfigError, read_text};
use crate::builders;
use crate::builders::catalogue::{BUILT_IN, Catalogue};
use crate::builders::record::Record;
use crate::cuda::{Device, DriverBranch};
use crate::date::Date;
use crate::facts::{Covers, Facts, Ignore, Severity, SuppressedBy, SuppressionFault};
use crate::fleet;
use crate::knowledge::Cpu;
use crate::knowledge::images::lookup;
use crate::knowledge::own::OwnImage;
use crate::rules::{self, Level, Lock, Policy, Rule, Settings, builtin, find};
use crate::span::Place;
use crate::table::{List, Text};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// The configuration that applies to some files.
#[derive(Clone, Debug)]
pub struct Config {
    /// The files that it comes from, the nearest first.
    pub layers: Vec<&'static Layer>,
    /// How facts are judged.
    pub settings: Settings,
    /// The builders that are known: the user's first.
    pub records: &'static Catalogue,
    /// Base images that the user describes.
    pub images: List<OwnImage>,
    /// The GPUs of runner labels.
    pub runners: Vec<(Text, Device)>,
    /// The least severity that makes the exit status 1.
    pub fail_on: Option<FailOn>,
    /// The fleets that are declared, whatever files they apply to.
    pub fleets: Vec<Fleet>,
    /// The findings that are known.
    pub baseline: Option<BaselineFile>,
    exclude: Option<Globs>,
    ignores: Vec<Entry>,
}

/// A file of findings that are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineFile {
    /// Its absolute path.
    pub path: PathBuf,
    /// How far the configuration file that names it is from the linted files: 0 for the nearest.
    pub depth: usize,
}

/// A declared fleet.
#[derive(Clone, Debug)]
pub struct Fleet {
    /// Its name.
    pub name: &'static str,
    /// Its GPUs.
    pub devices: Vec<Device>,
    paths: Option<Globs>,
}

/// An entry of `ignore`.
#[derive(Clone, Debug)]
struct Entry {
    rule: (String, Place),
    /// The configuration file.
    path: String,
    /// How far it is from the linted files.
    depth: usize,
    paths: Option<Globs>,
    /// It is about files that one run may not see.
    and_others: bool,
    reason: String,
    until: Option<Date>,
}

impl Config {
    /// From the files that apply, the nearest first; from none, the defaults.
    ///
    /// # Errors
    /// A name in them means nothing, or a file that they name cannot be used.
    pub fn new(layers: &Layers) -> Result<Self, ConfigError> {
        let rules = all_rules(layers)?;
        let (levels, locks) = levels(layers, &rules)?;
        Ok(Self {
            settings: Settings {
                levels,
                locks,
                policy: policy(layers),
                require_reason: value(layers, |file| file.policy.as_ref()?.require_reason)
                    .is_some_and(|from| from.value),
                rules,
            },
            records: all_records(layers)?,
            images: images(layers)?,
            runners: runners(layers)?,
            fail_on: value(layers, |file| file.fail_on).map(|from| from.value),
            fleets: fleets(layers)?,
            baseline: value(layers, |file| file.baseline.as_ref()).map(|from| BaselineFile {
                path: from.layer.folder.join(&*from.value.value),
                depth: depth(layers, from.layer),
            }),
            exclude: value(layers, |file| file.exclude.as_ref())
                .map(|from| Globs::new(from.layer, from.value))
                .transpose()?,
            ignores: ignores(layers)?,
            layers: layers.to_vec(),
        })
    }

    /// Whether the file at an absolute path is not to be linted.
    pub fn excludes(&self, path: &Path) -> bool {
        self.exclude.as_ref().is_some_and(|globs| globs.fit(path))
    }

    /// The GPUs that the file at an absolute path has to run on: those of all fleets that apply to it, each once.
    pub fn fleet(&self, path: &Path) -> Vec<Device> {
        let applies = |fleet: &&Fleet| fleet.paths.as_ref().is_none_or(|globs| globs.fit(path));
        let devices = self.fleets.iter().filter(applies);
        once(devices.flat_map(|fleet| fleet.devices.iter().cloned()))
    }

    /// The entries of `ignore` for linted files, given by the paths that they are reported under and their absolute paths.
    pub fn ignores<'p>(
        &self,
        linted: impl Iterator<Item = (&'p str, &'p Path)> + Clone,
    ) -> Vec<Ignore> {
        let entries = self.ignores.iter();
        let with_paths = entries.map(|entry| {
            let fits = |path: &Path| entry.paths.as_ref().is_none_or(|globs| globs.fit(path));
            let paths = linted.clone().filter(|(_, absolute)| fits(absolute));
            let paths: BTreeSet<String> = paths.map(|(path, _)| path.to_owned()).collect();
            Ignore {
                rules: vec![entry.rule.clone()],
                path: entry.path.clone(),
                covers: Covers::Paths {
                    and_others: entry.and_others || paths.is_empty(),
                    paths,
                },
                reason: entry.reason.clone(),
                until: entry.until,
                by: SuppressedBy::Config,
                depth: Some(entry.depth),
            }
        });
        with_paths.collect()
    }

    /// Adds the texts of the configuration files that facts point into, for reports to quote.
    pub fn quote(&self, facts: &mut Facts) {
        for layer in &self.layers {
            let points = |fault: &SuppressionFault| fault.path == layer.path;
            if facts.suppressions.iter().any(points) {
                facts.texts.insert(layer.path.clone(), layer.text.clone());
            }
        }
    }
}

/// Each device once.
pub fn once(devices: impl Iterator<Item = Device>) -> Vec<Device> {
    let mut all: Vec<Device> = Vec::new();
    for device in devices {
        if !all.contains(&device) {
            all.push(device);
        }
    }
    all
}

fn all_rules(layers: &Layers) -> Result<Vec<&'static Rule>, ConfigError> {
    let mut rules: Vec<&'static Rule> = builtin().iter().collect();
    if let Some(From { value, layer }) = value(layers, |file| file.rule_files.as_ref()) {
        for pattern in value {
            for path in files(layer, pattern)? {
                let shown = layer.shown(&path);
                let rule = rules::load(&shown, &read_text(&path, &shown)?)?;
                let taken = |known: &&Rule| known.code == rule.code || known.name == rule.name;
                if rules.iter().any(taken) {
                    return Err(ConfigError::Broken {
                        path: shown,
                        reason: format!("another rule is called {} or {}", rule.code, rule.name),
                    });
                }
                rules.push(rule);
            }
        }
    }
    rules.sort_by_key(|rule| rule.code);
    Ok(rules)
}

fn all_records(layers: &Layers) -> Result<&'static Catalogue, ConfigError> {
    let Some(From { value, layer }) = value(layers, |file| file.builders.as_ref()) else {
        return Ok(&BUILT_IN);
    };
    let mut records: Vec<Record> = Vec::new();
    for pattern in value {
        for path in files(layer, pattern)? {
            let shown = layer.shown(&path);
            let more = builders::load::load(&shown, &read_text(&path, &shown)?, &records)?;
            records.extend(more);
        }
    }
    records.extend_from_slice(&BUILT_IN);
    Ok(Box::leak(Box::new(Catalogue::new(records.leak()))))
}

/// How far a configuration file is from the linted files: 0 for the nearest.
fn depth(layers: &Layers, layer: &'static Layer) -> usize {
    let mut all = layers.iter();
    all.position(|other| std::ptr::eq(*other, layer))
        .unwrap_or(0)
}

/// The severities that the user wants, and what locks them, by code.
type Levels = (HashMap<&'static str, Level>, HashMap<&'static str, Lock>);

/// The farthest file first, so that nearer ones win; in a file, a word that means many rules before one that means few. What a
/// farther file locks, a nearer one may raise and not lower.
fn levels(layers: &Layers, rules: &[&'static Rule]) -> Result<Levels, ConfigError> {
    let mut levels: HashMap<&'static str, Level> = HashMap::new();
    let mut locks: HashMap<&'static str, Lock> = HashMap::new();
    for (depth, layer) in layers.iter().enumerate().rev() {
        let mut entries = Vec::new();
        for (word, entry) in &layer.file.rules.0 {
            let found = find(word, rules).map_err(|error| layer.fault(entry, error))?;
            entries.push((found, entry));
        }
        entries.sort_by_key(|(found, _)| std::cmp::Reverse(found.len()));
        for (found, entry) in entries {
            let RuleTable { severity, locked } = entry
                .value
                .table()
                .map_err(|message| layer.fault(entry, message))?;
            for rule in found {
                let code = rule.code.0;
                let lock = locks.get(code).filter(|lock| lock.depth > depth);
                let before = levels.get(code).copied().unwrap_or_else(|| worst(rule));
                if let Some(lock) = lock
                    && severity.is_some_and(|level| level < before)
                {
                    let message = format!("{code} is locked by {}", lock.path);
                    return Err(layer.fault(entry, message));
                }
                levels.extend(severity.map(|level| (code, level)));
                if locked {
                    let path = &layer.path;
                    locks.entry(code).or_insert(Lock { depth, path });
                }
            }
        }
    }
    Ok((levels, locks))
}

/// The level that a rule has by itself.
fn worst(rule: &Rule) -> Level {
    match rule.severities().first() {
        Some(Severity::Error) => Level::Error,
        Some(Severity::Warning) => Level::Warning,
        Some(Severity::Info) | None => Level::Info,
    }
}

fn policy(layers: &Layers) -> Policy {
    fn or<T>(layers: &Layers, key: impl Fn(&PolicyEntries) -> Option<T>, default: T) -> T {
        value(layers, |file| key(file.policy.as_ref()?)).map_or(default, |from| from.value)
    }
    let usual = Policy::default();
    Policy {
        ptx: or(layers, |policy| policy.ptx, usual.ptx),
        forward_ptx: or(layers, |policy| policy.forward_ptx, usual.forward_ptx),
        unexpected: or(layers, |policy| policy.unexpected, usual.unexpected),
        maybe: or(
            layers,
            |policy| policy.maybe.map(Maybe::severity),
            usual.maybe,
        ),
    }
}

fn fleets(layers: &Layers) -> Result<Vec<Fleet>, ConfigError> {
    let mut fleets = Vec::new();
    for (name, From { value, layer }) in entries(layers, |file| &file.fleet) {
        let driver = value.driver.as_ref().map(|driver| {
            let branch = driver.value.parse::<DriverBranch>();
            branch.map_err(|error| layer.fault(driver, error))
        });
        let driver = driver.transpose()?;
        let mut devices = Vec::new();
        for gpu in &value.gpus {
            let device = fleet::resolve(&gpu.value).map_err(|error| layer.fault(gpu, error))?;
            devices.push(Device { driver, ..device });
        }
        let paths = value.paths.as_ref();
        fleets.push(Fleet {
            name,
            devices,
            paths: paths.map(|paths| Globs::new(layer, paths)).transpose()?,
        });
    }
    Ok(fleets)
}

fn runners(layers: &Layers) -> Result<Vec<(Text, Device)>, ConfigError> {
    let runners = entries(layers, |file| &file.runners).into_iter();
    let resolved = runners.map(|(label, From { value, layer })| {
        let device = fleet::resolve(&value.value).map_err(|error| layer.fault(value, error))?;
        Ok((Text(label), device))
    });
    resolved.collect()
}

fn images(layers: &Layers) -> Result<List<OwnImage>, ConfigError> {
    let mut images = Vec::new();
    for (pattern, From { value, layer }) in entries(layers, |file| &file.images) {
        if let Some(like) = &value.like
            && lookup(&like.value, Cpu::X86).is_none()
        {
            let message = format!("nothing is known of the image `{}`", like.value);
            return Err(layer.fault(like, message));
        }
        images.push(OwnImage {
            pattern: Text(pattern),
            like: value.like.as_ref().map(|like| like.value),
            env: List(&value.env.0),
            torch: value.torch,
            nvcc: value.nvcc,
        });
    }
    Ok(images.into_iter().collect())
}

fn ignores(layers: &Layers) -> Result<Vec<Entry>, ConfigError> {
    let Some(From { value, layer }) = value(layers, |file| file.ignore.as_ref()) else {
        return Ok(Vec::new());
    };
    let entries = value.iter().map(|entry| {
        let path = entry.path.as_ref();
        Ok(Entry {
            rule: (entry.rule.value.to_string(), layer.place(entry.rule.span)),
            path: layer.path.clone(),
            depth: depth(layers, layer),
            paths: path
                .map(|path| Globs::new(layer, std::slice::from_ref(path)))
                .transpose()?,
            and_others: !path.is_some_and(|path| is_literal(&path.value)),
            reason: entry
                .reason
                .map(|reason| reason.to_string())
                .unwrap_or_default(),
            until: entry.until.map(|Until(day)| day),
        })
    });
    entries.collect()
}
