//! nvcc called by hand.
use super::args::Argv;
use super::verb::Verb;
use super::{Action, Did, Source};

/// Options after which nothing is compiled.
const NO_COMPILE: [&str; 16] = [
    "--version",
    "-V",
    "--help",
    "-h",
    "-E",
    "--preprocess",
    "-M",
    "-MM",
    "--generate-dependencies",
    "--dryrun",
    "-dryrun",
    "-dlink",
    "--device-link",
    "--list-gpu-arch",
    "--list-gpu-code",
    "-code-ls",
];

/// `nvcc …`.
pub(super) fn recognise(argv: &Argv<'_>) -> Vec<Did> {
    let words = &argv.texts()[1..];
    let compiles = words.iter().any(|w| {
        [".cu", ".ptx", "?", ".cup"].iter().any(|e| w.ends_with(e)) && !w.starts_with('-')
    }) || words
        .iter()
        .any(|w| w == "-x" || w.starts_with("--x=") || w.starts_with("-x=") || w.starts_with("@"));
    if !compiles || words.iter().any(|w| NO_COMPILE.contains(&w.as_str())) {
        return Vec::new();
    }
    let mut action = Action::new(Verb::Nvcc, "nvcc", Source::Nothing);
    action.flags = argv.values()[1..].to_vec();
    vec![Did::Action(action)]
}
