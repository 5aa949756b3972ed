//! Device code that CI compiles and nothing runs or looks into.
use crate::facts::{Build, Compiles, Known};
use crate::front::document::Unit;
use crate::front::kind::is_known;
use crate::tree::Tree;
use crate::walk::walked::Walked;

/// Folders of workflows.
const WORKFLOWS: [&str; 3] = [
    ".github/workflows",
    ".gitea/workflows",
    ".forgejo/workflows",
];
/// What looks into built files.
const LOOKS: [&str; 3] = ["kimg-lint", "cuobjdump", "nvdisasm"];
/// Machines of GitHub's own without a GPU, and what a matrix fills in.
const HOSTED: [&str; 4] = ["ubuntu-", "windows-", "macos-", "${{ matrix.os"];
/// A workflow is no larger than this, in bytes.
const LARGEST: u64 = 1 << 20;

/// Marks the builds of a CI configuration on machines without a GPU, where no machine beside them can run what they make.
pub(super) fn mark(builds: &mut [Build], walked: &Walked, path: &str, text: &str, tree: &Tree) {
    let in_jobs = walked.unit == Unit::Job;
    let no_gpu = walked
        .scopes
        .iter()
        .all(|scope| scope.start.gpu == Known::No);
    let makes = |build: &Build| build.compiles == Compiles::Yes && build.gpu_visible == Known::No;
    if !in_jobs || !no_gpu || !builds.iter().any(makes) || looks(text) || others_may(path, tree) {
        return;
    }
    for build in builds.iter_mut().filter(|build| makes(build)) {
        build.unproven = true;
    }
}

fn looks(text: &str) -> bool {
    let looks = |line: &str| LOOKS.iter().any(|word| line.contains(word));
    statements(text).any(looks)
}

/// The lines without what is only said in comments.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| {
        let start = line.trim_start();
        let is_comment = start.starts_with('#') || start.starts_with("//");
        let statement = line.split(" # ").next().unwrap_or_default();
        if is_comment { "" } else { statement }
    })
}

/// The workflows of a repository that have other machines, or look into built files. A run finds them once.
struct Proving(Vec<String>);

impl Proving {
    fn of(tree: &Tree) -> Self {
        let paths = WORKFLOWS.iter().flat_map(|folder| {
            let names = tree.names(folder).into_iter();
            names.map(move |name| format!("{folder}/{name}"))
        });
        let proves = |path: &String| {
            let text = tree.read(path, LARGEST);
            text.is_ok_and(|text| looks(&text) || has_other_machines(&text))
        };
        let known = paths.filter(|path| is_known(path));
        Self(known.filter(proves).collect())
    }
}

/// Whether another workflow of the repository may run it, or looks into it.
fn others_may(own: &str, tree: &Tree) -> bool {
    let proving = tree.once(|| Proving::of(tree));
    proving.is_some_and(|proving| proving.0.iter().any(|path| !own.ends_with(path)))
}

fn has_other_machines(text: &str) -> bool {
    let other = |line: &str| {
        let labels = line.split_once("runs-on:").map(|(_, labels)| labels.trim());
        labels.is_some_and(|l| !l.is_empty() && !HOSTED.iter().any(|known| l.contains(known)))
    };
    let own = |line: &str| line.contains("self-hosted") || line.contains("--gpus");
    statements(text).any(|line| own(line) || other(line))
}
