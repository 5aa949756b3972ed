//! Who builds a Dockerfile: the commands of the repository that name it. Looked for only where a build argument without a value
//! decides.
use crate::facts::{Build, Diagnosis};
use crate::front::document::{Document, Does, Statement, Unit};
use crate::front::kind::{kind_of, named};
use crate::front::{makefile, script};
use crate::text::word::{Part, Word};
use crate::tree::{Kind, Tree, normal};
use crate::walk::files::Files;
use crate::walk::walked::{Given, Lent};
use crate::walk::walker::walk;

/// A folder that holds nothing of the project's own is passed over.
const SKIPPED: [&str; 7] = [
    ".git",
    "node_modules",
    "third_party",
    "thirdparty",
    "vendor",
    "external",
    "submodules",
];
/// How deep folders are searched, and how many names are looked at.
const MAX_DEPTH: usize = 6;
const MAX_NAMES: usize = 20_000;
/// A caller is no larger than this, in bytes.
const LARGEST: u64 = 1 << 20;
/// More callers are not told apart.
const MAX_CALLERS: usize = 64;

/// Formats whose paths are seen from the folder of the file; those of others are seen from the top. Bake's are seen from the
/// folder that it is run in, which may be either.
const OWN_FOLDER: [&str; 4] = ["bake", "bake-override", "compose", "devcontainer"];

/// A command that builds the Dockerfile.
pub(super) struct Caller {
    /// Its place: `compose.yml:12`, with its row of a matrix.
    pub(super) name: String,
    /// What it gives.
    pub(super) given: Given,
}

/// Whether a caller could change the answer: some argument has no value, and a build waits for one.
pub(super) fn matter(document: &Document, builds: &[Build], given: &Given) -> bool {
    let statements = document
        .scopes
        .iter()
        .flat_map(|scope| &scope.statements)
        .chain(&document.globals);
    let mut open = statements.filter(|statement| match &statement.action {
        Does::Declare { name, default, .. } => {
            !given.build_args.contains_key(name)
                && default.as_ref().is_none_or(|word| word.parts.is_empty())
        }
        _ => false,
    });
    let waits =
        |build: &Build| matches!(build.diagnosis, Diagnosis::Undecidable | Diagnosis::Empty);
    document.unit == Unit::Stage && builds.iter().any(waits) && open.next().is_some()
}

/// The commands that build the Dockerfile called `name` in the folder of `tree`, by place.
pub(super) fn of(tree: &Tree, name: &str, given: &Given) -> Vec<Caller> {
    let Some(wanted) = normal(&format!("{}/{name}", tree.folder())) else {
        return Vec::new();
    };
    let mut callers: Vec<Caller> = Vec::new();
    for path in candidates(tree) {
        let Ok(text) = tree.read(&path, LARGEST) else {
            continue;
        };
        if callers.len() >= MAX_CALLERS {
            break;
        }
        let is_makefile = makefile::is_makefile(&path);
        let kind = kind_of(&path, &text).filter(|_| !is_makefile);
        let own_folder = kind.is_some_and(|kind| OWN_FOLDER.contains(&kind.name));
        if !own_folder && !may_build(&text, name) {
            continue;
        }
        let document = || match kind {
            Some(kind) => (kind.read)(&text),
            None if is_makefile => makefile::read(&text, &path),
            None => script::read(&text),
        };
        let file = CallerFile {
            tree,
            path: &path,
            text: &text,
        };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if own_folder && !folder.is_empty() {
            let before = callers.len();
            callers.extend(file.callers(&standing_in(folder, document()), &wanted, given));
            if callers.len() > before || !kind.is_some_and(|kind| kind.name.starts_with("bake")) {
                continue;
            }
        }
        callers.extend(file.callers(&document(), &wanted, given));
    }
    callers.truncate(MAX_CALLERS);
    callers
}

/// A quick look, for what is read most often in vain.
fn may_build(text: &str, name: &str) -> bool {
    let builds = ["docker", "podman", "buildah", "kaniko", "build:"]
        .iter()
        .any(|word| text.contains(word));
    builds && (name == "Dockerfile" || text.contains(name))
}

/// The files in which images are built: CI configurations, Compose, scripts. Those next to the top come first.
fn candidates(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    let mut names = 0;
    for _ in 0..=MAX_DEPTH {
        let mut below = Vec::new();
        for folder in folders {
            for name in tree.names(&folder) {
                names += 1;
                let path = if folder.is_empty() {
                    name.clone()
                } else {
                    format!("{folder}/{name}")
                };
                let may_be_folder = !name.contains('.') || name.starts_with('.');
                if is_candidate(&path, &name) {
                    found.push(path);
                } else if names < MAX_NAMES
                    && may_be_folder
                    && !SKIPPED.contains(&name.as_str())
                    && tree.kind(&path) == Some(Kind::Folder)
                {
                    below.push(path);
                }
            }
        }
        folders = below;
    }
    found
}

fn is_candidate(path: &str, name: &str) -> bool {
    let is_script = name.ends_with(".sh") || name.ends_with(".bash") || makefile::is_makefile(name);
    let is_dockerfile =
        named("dockerfile").is_some_and(|kind| (kind.is_at)(&path.to_ascii_lowercase()));
    is_script || (!is_dockerfile && crate::front::kind::is_known(path))
}

/// The document with its jobs run in a folder.
fn standing_in(folder: &str, mut document: Document) -> Document {
    for scope in &mut document.scopes {
        let Some(machine) = scope.statements.first() else {
            continue;
        };
        let span = machine.span;
        let folder = Part::Literal {
            text: format!("/{folder}"),
            span,
            quoted: true,
        };
        let action = Does::Chdir(Word {
            parts: vec![folder],
            quoted: true,
            span,
        });
        scope.statements.insert(1, Statement { action, span });
    }
    document
}

/// A file that may build the Dockerfile.
struct CallerFile<'t> {
    tree: &'t Tree,
    path: &'t str,
    text: &'t str,
}

impl CallerFile<'_> {
    /// Its commands that build the Dockerfile at the path `wanted`.
    fn callers(&self, document: &Document, wanted: &str, given: &Given) -> Vec<Caller> {
        if document.unit == Unit::Stage {
            return Vec::new();
        }
        let shown = self.tree.shown(self.path);
        let files = Files::new(&shown, self.text, self.tree);
        let nothing = Given {
            images: given.images,
            ..Given::default()
        };
        let walked = walk(document, &nothing, &files);
        let builds = |lent: &&Lent| lent.file.as_deref() == Some(wanted);
        let lent = walked.lent.iter().filter(builds);
        let lent = walked.in_every_world(lent.map(|lent| (lent.scope, lent)));
        let callers = lent.into_iter().map(|(world, lent)| {
            let row = world.names.iter();
            let row: Vec<String> = row.map(|(name, value)| format!("{name}={value}")).collect();
            let mut name = format!("{}:{}", files.path(lent.site), files.place(lent.site).line);
            if !row.is_empty() {
                name.push_str(&format!(" ({})", row.join(", ")));
            }
            Caller {
                name,
                given: with(given, lent),
            }
        });
        callers.collect()
    }
}

/// What the user says wins over what the caller gives.
fn with(given: &Given, lent: &Lent) -> Given {
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
pub(super) fn joined(of_callers: impl Iterator<Item = (String, Vec<Build>)>) -> Vec<Build> {
    let mut all: Vec<Build> = Vec::new();
    for (caller, builds) in of_callers {
        for build in builds {
            let same = |known: &Build| {
                let worlds = known.worlds.clone();
                *known
                    == Build {
                        worlds,
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
