//! Who builds a Dockerfile: the commands of the repository that name it. Looked for only where a build argument decides a list.
use super::candidates::Candidates;
use crate::facts::{self, Arch, Build, CallerFile, Diagnosis, GivenArgument};
use crate::front::document::{Document, Does, Scope, Unit};
use crate::front::kind::{Kind as Format, Role, kind_of};
use crate::front::source::Source;
use crate::front::{bake, makefile, script};
use crate::span::Span;
use crate::text::word::Word;
use crate::tree::{Tree, normal};
use crate::value::{Piece, Site, Value};
use crate::walk::files::Files;
use crate::walk::walked::{DescribedImage, Given, Lent};
use crate::walk::walker::walk;
use std::collections::BTreeSet;

/// A caller is no larger than this, in bytes.
pub(super) const LARGEST: u64 = 1 << 20;
/// More callers are not told apart.
const MAX_CALLERS: usize = 64;

/// A command that builds the Dockerfile.
pub(super) struct Caller {
    /// Its place and what it gives, as facts.
    pub(super) fact: facts::Caller,
    /// What it gives.
    pub(super) given: Given,
    /// Its file, by its path in the repository; `None` where a file of its own says what it builds.
    file: Option<String>,
}

/// The files of callers, each with those that stand in it.
pub(super) fn files(callers: &[Caller], tree: &Tree, linted: &str) -> Vec<CallerFile> {
    let mut files: Vec<CallerFile> = Vec::new();
    for caller in callers {
        let Some(path) = &caller.file else {
            continue;
        };
        if files.last().is_none_or(|file| file.file != *path) {
            let Ok(text) = tree.read(path, LARGEST) else {
                continue;
            };
            files.push(CallerFile {
                builds: linted.to_owned(),
                path: tree.shown(path),
                file: path.clone(),
                text,
                callers: Vec::new(),
            });
        }
        if let Some(file) = files.last_mut() {
            file.callers.push(caller.fact.clone());
        }
    }
    files
}

/// Which callers are sought.
pub(super) enum Sought {
    /// All: a build waits for an argument that has no value.
    All,
    /// Those that may give one of these arguments another value than its default, where that is written out.
    Overriding(Vec<(String, Option<String>)>),
}

/// Which callers could change the answer; `None` if none could.
pub(super) fn sought(
    document: &Document,
    builds: &[Build],
    hang_on_defaults: bool,
    given: &Given,
) -> Option<Sought> {
    if document.unit != Unit::Stage {
        return None;
    }
    let waits =
        |build: &Build| matches!(build.diagnosis, Diagnosis::Undecidable | Diagnosis::Empty);
    let statements = document.scopes.iter().flat_map(|scope| &scope.statements);
    let mut without = false;
    let mut defaults = Vec::new();
    for statement in statements.chain(&document.globals) {
        match &statement.action {
            Does::Declare { name, .. } if given.build_args.contains_key(name) => {}
            Does::Declare { name, default, .. } => match default {
                Some(word) if !word.parts.is_empty() => {
                    defaults.push((name.clone(), word.literal()))
                }
                _ => without = true,
            },
            _ => {}
        }
    }
    if without && builds.iter().any(waits) {
        return Some(Sought::All);
    }
    (hang_on_defaults && !defaults.is_empty()).then_some(Sought::Overriding(defaults))
}

impl Sought {
    /// Whether a file may hold such a caller: an argument is given by its name.
    fn may_be_in(&self, text: &str) -> bool {
        match self {
            Self::All => true,
            Self::Overriding(defaults) => defaults.iter().any(|(name, _)| text.contains(name)),
        }
    }

    /// Whether a caller that gives these arguments is one. One that only says what is the default anyhow gives nothing.
    fn is_met_by(&self, given: &mut Given) -> bool {
        let Self::Overriding(defaults) = self else {
            return true;
        };
        given.build_args.retain(|name, value| {
            let mut own = defaults.iter().filter(|(of, _)| of == name).peekable();
            own.peek().is_none() || own.any(|(_, default)| default.as_deref() != Some(value))
        });
        defaults
            .iter()
            .any(|(name, _)| given.build_args.contains_key(name))
    }

    /// The builds that the callers lead to, and the file's own where it can be built without them.
    pub(super) fn joined(
        &self,
        own: Vec<Build>,
        of_callers: impl Iterator<Item = (String, Vec<Build>)>,
    ) -> Vec<Build> {
        match self {
            Self::All => {
                let joined = joined(of_callers);
                if joined.is_empty() { own } else { joined }
            }
            Self::Overriding(_) => {
                let own = std::iter::once((DEFAULTS.to_owned(), own));
                told_apart(joined(own.chain(of_callers)))
            }
        }
    }
}

/// The world of a Dockerfile whose arguments nobody gives.
const DEFAULTS: &str = "its own defaults";

/// Whether some caller leads to a build, not only the file's own defaults.
pub(super) fn is_asked_for(build: &Build) -> bool {
    build.worlds.iter().any(|world| world != DEFAULTS)
}

/// Builds of which there is only one at their place hold for everybody.
fn told_apart(mut builds: Vec<Build>) -> Vec<Build> {
    let place = |build: &Build| (build.span, build.through.clone(), build.builder.clone());
    let places: Vec<_> = builds.iter().map(place).collect();
    for (build, at) in builds.iter_mut().zip(&places) {
        if places.iter().filter(|other| *other == at).count() == 1 {
            build.worlds.clear();
        }
    }
    builds
}

/// The commands that build the Dockerfile called `name` in the folder of `tree`, by place.
pub(super) fn of(tree: &Tree, name: &str, given: &Given, sought: &Sought) -> Vec<Caller> {
    let Some(wanted) = normal(&format!("{}/{name}", tree.folder())) else {
        return Vec::new();
    };
    let mut found = Found::default();
    let mut describing = Vec::new();
    let candidates = Candidates::of_run(tree);
    for path in candidates.iter().flat_map(|all| all.0.iter().cloned()) {
        let Ok(text) = tree.read(&path, LARGEST) else {
            continue;
        };
        if found.callers.len() >= MAX_CALLERS {
            break;
        }
        let file = Candidate { tree, path, text };
        match file.kind() {
            // what commands make of these is looked for first
            Some(kind) if kind.role == Role::Images => describing.push((kind, file)),
            kind => {
                let by_itself = may_build(&file.text, name) && sought.may_be_in(&file.text);
                if by_itself || builds_what_files_describe(&file.text) {
                    found.take(&file, &file.document(kind), &wanted, given);
                }
            }
        }
    }
    // what a file says may stand in another one that is laid over it
    let sought_in: BTreeSet<String> = describing
        .iter()
        .filter(|(_, file)| sought.may_be_in(&file.text))
        .map(|(_, file)| file.folder().to_owned())
        .collect();
    for (kind, file) in describing {
        if !sought_in.contains(file.folder()) {
            continue;
        }
        let mut document = file.document(Some(kind));
        document
            .scopes
            .retain(|scope| !found.is_built(&file.path, scope));
        let folder = file.folder();
        if !folder.is_empty() {
            let before = found.callers.len();
            let standing_there = standing_in(folder, document.clone());
            found.take(&file, &standing_there, &wanted, given);
            // Bake's paths are seen from the folder that it is run in, which may be the top as well
            if found.callers.len() > before || !bake::is_one(kind) {
                continue;
            }
        }
        found.take(&file, &document, &wanted, given);
    }
    let mut callers = found.callers;
    callers.retain_mut(|caller| sought.is_met_by(&mut caller.given));
    callers.truncate(MAX_CALLERS);
    callers
}

/// What was found so far.
#[derive(Default)]
struct Found {
    callers: Vec<Caller>,
    /// Images that commands build as files describe them: what else those files say of them is not asked for.
    built: BTreeSet<DescribedImage>,
}

impl Found {
    fn take(&mut self, file: &Candidate<'_>, document: &Document, wanted: &str, given: &Given) {
        let (callers, built) = file.callers(document, wanted, given);
        self.callers.extend(callers);
        self.built.extend(built);
    }

    /// Whether a command builds this image of a file.
    fn is_built(&self, path: &str, scope: &Scope) -> bool {
        let name = scope.alias.clone().unwrap_or_default();
        let path = path.to_owned();
        self.built.contains(&DescribedImage { path, name })
    }
}

/// Whether a command builds images as other files describe them.
fn builds_what_files_describe(text: &str) -> bool {
    [
        "buildx bake",
        "docker bake",
        "bake-action",
        "docker compose",
        "docker-compose",
        "podman-compose",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// A quick look: whether a text speaks of building images.
pub(super) fn may_build_images(text: &str) -> bool {
    let words = ["docker", "podman", "buildah", "kaniko", "build:"];
    words.iter().any(|word| text.contains(word))
}

/// A quick look, for what is read most often in vain.
fn may_build(text: &str, name: &str) -> bool {
    may_build_images(text) && (name == "Dockerfile" || text.contains(name))
}

/// The document with its jobs run in a folder.
pub(super) fn standing_in(folder: &str, mut document: Document) -> Document {
    for scope in &mut document.scopes {
        let start = scope.statements.first();
        let span = start.map_or_else(Span::default, |machine| machine.span);
        let folder = Word::of_text(&format!("/{folder}"), span);
        scope.begin_with(Does::Chdir(folder));
    }
    document
}

/// A file that may build images.
pub(super) struct Candidate<'t> {
    /// The repository.
    pub(super) tree: &'t Tree,
    /// Its path there.
    pub(super) path: String,
    /// Its text.
    pub(super) text: String,
}

impl Candidate<'_> {
    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub(super) fn kind(&self) -> Option<&'static Format> {
        let is_makefile = makefile::is_makefile(&self.path);
        kind_of(&self.path, &self.text).filter(|_| !is_makefile)
    }

    pub(super) fn document(&self, kind: Option<&Format>) -> Document {
        match kind {
            Some(kind) => (kind.read)(&Source {
                text: &self.text,
                path: &self.path,
                open: &|path| self.tree.read(path, LARGEST).ok(),
            }),
            None if makefile::is_makefile(&self.path) => makefile::read(&self.text, &self.path),
            None => script::read(&self.text),
        }
    }

    /// Its commands that build the Dockerfile at the path `wanted`, and the images of other files that it builds.
    fn callers(
        &self,
        document: &Document,
        wanted: &str,
        given: &Given,
    ) -> (Vec<Caller>, Vec<DescribedImage>) {
        if document.unit == Unit::Stage {
            return Default::default();
        }
        let shown = self.tree.shown(&self.path);
        let files = Files::new(&shown, &self.text, self.tree);
        let nothing = Given {
            images: given.images,
            ..Given::default()
        };
        let walked = walk(document, &nothing, &files);
        let builds = |lent: &&Lent| lent.file.as_deref() == Some(wanted);
        let lent = walked.lent.iter().filter(builds);
        let lent = walked.in_every_world(lent.map(|lent| (lent.scope, lent)));
        let callers = lent.into_iter().map(|(world, lent)| {
            let row = world.names.iter().chain(&lent.row);
            let row: Vec<String> = row.map(|(name, value)| format!("{name}={value}")).collect();
            let row = row.join(", ");
            let mut name = format!("{}:{}", files.path(lent.site), files.place(lent.site).line);
            if !row.is_empty() {
                name.push_str(&format!(" ({row})"));
            }
            Caller {
                fact: facts::Caller {
                    name,
                    row,
                    span: lent.site.span,
                    args: lent.args.iter().map(argument).collect(),
                },
                given: with(given, lent),
                file: (lent.site.file == 0).then(|| self.path.clone()),
            }
        });
        (callers.collect(), walked.described)
    }
}

/// A build argument as a fact.
fn argument((name, value): &(String, Value)) -> GivenArgument {
    let written = match value.pieces.as_slice() {
        [
            Piece::Literal {
                text,
                site: Some(Site { file: 0, span }),
            },
        ] if span.len() == text.len() => Some(*span),
        _ => None,
    };
    GivenArgument {
        name: name.clone(),
        text: value.known(),
        written,
    }
}

/// What the user says wins over what the caller gives.
pub(super) fn with(given: &Given, lent: &Lent) -> Given {
    let mut all = given.clone();
    for (name, value) in &lent.args {
        if let Some(text) = value.known() {
            all.build_args.entry(name.clone()).or_insert(text);
        }
    }
    all.target = all
        .target
        .or_else(|| lent.target.clone().filter(|target| !target.contains('?')));
    all.platform = all.platform.or_else(|| lent.platform.clone());
    all.context = lent.context.clone();
    all
}

/// Joins the builds that callers lead to: equal ones name all of them.
fn joined(of_callers: impl Iterator<Item = (String, Vec<Build>)>) -> Vec<Build> {
    let mut all: Vec<Build> = Vec::new();
    for (caller, builds) in of_callers {
        for build in builds {
            // the same list is the same, whoever gives it
            let same = |known: &Build| {
                let (worlds, set_at) = (known.worlds.clone(), known.arch.set_at.clone());
                let arch = Arch {
                    set_at,
                    ..build.arch.clone()
                };
                *known
                    == Build {
                        worlds,
                        arch,
                        ..build.clone()
                    }
            };
            match all.iter().position(same) {
                Some(at) => all[at].worlds.push(caller.clone()),
                None => all.push(Build {
                    worlds: vec![caller.clone()],
                    ..build
                }),
            }
        }
    }
    all.sort_by_key(|build| build.span.offset);
    all
}
