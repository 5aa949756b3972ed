//! One file through all floors: text → facts → findings → report.
mod callers;
mod candidates;
mod directives;
mod drift;
mod for_cpu;
mod ignored;
mod own_images;
mod problems;
mod unproven;

use crate::builders::catalogue::{BUILT_IN, Catalogue};
use crate::builders::{beside, evaluate, installs, settings, start, suggest, trace};
use crate::config::Config;
use crate::cuda::Device;
use crate::cuda::arch_list::Entry;
use crate::date::Date;
use crate::facts::{BaseImage, Build, Compiles, Facts, FleetFit, Trace, Unreadable};
use crate::front::directive;
use crate::front::document::Document;
use crate::front::kind::{Kind, Role, file_name, kind_of};
use crate::front::source::Source;
use crate::projects;
use crate::report::Report;
use crate::rules::JudgeError;
use crate::tree::{Tree, normal};
use crate::walk::files::Files;
use crate::walk::walked::{Given, Walked};
use std::path::Path;

/// What the user says beside the files.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the caller of the build gives.
    pub given: Given,
    /// The GPUs that code must run on.
    pub fleet: Vec<Device>,
    /// The builders that are known: the built-in ones, and before them the user's.
    pub records: &'static Catalogue,
    /// The architectures that the lines to write are made for; where there are none, the fleet decides.
    pub archs: Vec<Entry>,
    /// What kind of file the files are, whatever they are called.
    pub kind: Option<&'static Kind>,
    /// The files around the linted one; nothing is read from the default.
    pub tree: Tree,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            given: Given::default(),
            fleet: Vec::new(),
            records: &BUILT_IN,
            archs: Vec::new(),
            kind: None,
            tree: Tree::default(),
        }
    }
}

impl Options {
    /// What the caller gives, with what the configuration describes.
    pub fn new(given: &Given, config: &Config, fleet: Vec<Device>, tree: Tree) -> Self {
        let (images, runners) = (config.images, config.runners.clone());
        Self {
            given: Given {
                images,
                runners,
                ..given.clone()
            },
            fleet,
            records: config.records,
            archs: Vec::new(),
            kind: None,
            tree,
        }
    }
}

/// The file's path in the repository.
fn place(path: &str, tree: &Tree) -> String {
    normal(&format!("{}/{}", tree.folder(), file_name(path))).unwrap_or_default()
}

/// The file as statements.
fn read(kind: &Kind, path: &str, text: &str, tree: &Tree) -> Document {
    (kind.read)(&Source {
        text,
        path: &place(path, tree),
        open: &|path| tree.read(path, LARGEST_BESIDE).ok(),
    })
}

/// What the file does.
fn walk(document: &Document, path: &str, given: &Given, files: &Files<'_>, tree: &Tree) -> Walked {
    own_images::walk_on(document, place(path, tree), given, files, tree)
}

/// A file that is read together with others is no larger than this, in bytes.
const LARGEST_BESIDE: u64 = 1 << 18;

/// What one file teaches.
pub fn observe(path: &str, text: &str, options: &Options) -> Facts {
    let Some(kind) = options.kind.or_else(|| kind_of(path, text)) else {
        return Facts {
            unreadable: vec![Unreadable {
                path: path.to_owned(),
                reason: "what kind of file it is cannot be told: give `--kind`".to_owned(),
            }],
            ..Facts::default()
        };
    };
    let document = read(kind, path, text, &options.tree);
    let files = Files::new(path, text, &options.tree);
    let mut walked = walk(&document, path, &options.given, &files, &options.tree);
    let (mut builds, hang_on_defaults) = builds_of(&mut walked, &files, options);
    let mut texts: Vec<(String, String)> = Vec::new();
    let mut called_by = Vec::new();
    let sought = callers::sought(&document, &builds, hang_on_defaults, &options.given);
    if let Some(sought) = sought.filter(|_| options.tree.is_there()) {
        let callers = callers::of(&options.tree, file_name(path), &options.given, &sought);
        called_by = callers::files(&callers, &options.tree, path);
        texts.extend(
            called_by
                .iter()
                .map(|file| (file.path.clone(), file.text.clone())),
        );
        let of_callers = callers.into_iter().map(|caller| {
            let files = Files::new(path, text, &options.tree);
            let mut walked = walk(&document, path, &caller.given, &files, &options.tree);
            let (builds, _) = builds_of(&mut walked, &files, options);
            texts.extend(quoted(&files));
            (caller.fact.name, builds)
        });
        builds = sought.joined(builds, of_callers);
        beside::note_callers(&mut builds, &options.fleet, callers::is_asked_for);
    }
    if kind.role == Role::Service {
        for_cpu::doubt(&mut builds);
        unproven::mark(&mut builds, &walked, path, text, &options.tree);
    }
    let mut facts = Facts {
        settings: settings::settings(&walked, &files, &builds),
        builds,
        installs: installs::installs(&walked, &files, &options.given, &options.fleet),
        images: images(&walked, &files, options),
        inputs: vec![problems::input(path, &document, &walked, &files)],
        callers: called_by,
        ..Facts::default()
    };
    let comments = [(0, document.directives)].into_iter();
    let others = (1..).map_while(|file| Some((file, directive::of_lines(files.text_of(file)?))));
    for (file, comments) in comments.chain(others) {
        directives::add(&comments, file, &files, options.records, &mut facts);
    }
    texts.extend(quoted(&files));
    facts.texts.extend(texts);
    facts
}

/// What the files of one run teach, with what only shows where they are seen side by side.
pub fn together(learned: Vec<Facts>) -> Facts {
    let mut all = Facts::default();
    for facts in learned {
        all.append(facts);
    }
    drift::note(&mut all.builds);
    all
}

/// The builds, with the lines to write for the architectures that are wanted; and whether the list of one of them hangs on a
/// default of a build argument.
fn builds_of(walked: &mut Walked, files: &Files<'_>, options: &Options) -> (Vec<Build>, bool) {
    let Options {
        fleet,
        records,
        archs,
        ..
    } = options;
    let locals = projects::read(walked, files);
    let found = evaluate::found(walked, files, fleet, records, &locals);
    let hang_on_defaults = found.iter().any(|found| found.callers_choice);
    let builds = found.into_iter().map(|mut found| {
        if !archs.is_empty() && found.build.compiles != Compiles::No {
            found.build.suggest = suggest::of_found(&found, archs);
        }
        found.build
    });
    (builds.collect(), hang_on_defaults)
}

fn quoted(files: &Files<'_>) -> Vec<(String, String)> {
    let texts = files.quoted();
    texts
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .collect()
}

fn images(walked: &Walked, files: &Files<'_>, options: &Options) -> Vec<BaseImage> {
    let of_stage = walked
        .scopes
        .iter()
        .enumerate()
        .filter(|(_, s)| s.parent.is_none() && !s.image_site.span.is_empty());
    let last = walked.last().unwrap_or_default();
    let of_worlds = walked.in_every_world(of_stage.map(|(index, scope)| (index, (index, scope))));
    let mut images: Vec<BaseImage> = of_worlds
        .into_iter()
        .map(|(world, (index, scope))| BaseImage {
            reference: scope.image.sketch(),
            toolkit: scope.start.nvcc.fact(),
            nvcc: scope.start.nvcc.there,
            torch: scope.start.torch.fact(),
            path: files.path(scope.image_site).to_owned(),
            span: files.place(scope.image_site),
            fleet: FleetFit {
                gaps: start::gaps(index, world, last, walked, &options.given, &options.fleet),
                spare: Vec::new(),
            },
        })
        .collect();
    // a job names its image once for all its worlds
    images.dedup();
    images
}

/// How each build of one file is judged, and why.
pub fn traces(path: &str, text: &str, options: &Options) -> Vec<Trace> {
    let Some(kind) = options.kind.or_else(|| kind_of(path, text)) else {
        return Vec::new();
    };
    let document = read(kind, path, text, &options.tree);
    let files = Files::new(path, text, &options.tree);
    let mut walked = walk(&document, path, &options.given, &files, &options.tree);
    let locals = projects::read(&mut walked, &files);
    let found = evaluate::found(&walked, &files, &options.fleet, options.records, &locals);
    trace::traces(found, &files)
}

/// The report about one text, observed and judged as `config` says for the file at the absolute path `place`.
///
/// # Errors
/// A rule fails on a fact.
pub fn lint_text(
    path: &str,
    text: &str,
    config: &Config,
    place: &Path,
) -> Result<Report, JudgeError> {
    lint_within(path, text, config, place, Tree::default())
}

/// The same, with the files around it.
///
/// # Errors
/// A rule fails on a fact.
pub fn lint_within(
    path: &str,
    text: &str,
    config: &Config,
    place: &Path,
    tree: Tree,
) -> Result<Report, JudgeError> {
    let options = Options::new(&Given::default(), config, config.fleet(place), tree);
    let mut facts = observe(path, text, &options);
    let fleet = !options.fleet.is_empty();
    let findings = config.settings.judge(&mut facts, fleet, Date::today())?;
    Ok(Report::new(facts, findings))
}
