//! A small repository, and what is to be said about some of its files.
use crate::case::Answered;
use kimg_lint::config::{Config, Layer, NAME};
use kimg_lint::date::Date;
use kimg_lint::facts::Severity;
use kimg_lint::lint::{Options, observe, together};
use kimg_lint::tree::Tree;
use kimg_lint::walk::walked::Given;
use std::fs;
use std::path::{Path, PathBuf};

/// Stands for the code of a rule that is not there yet: any will do.
pub const SOME_RULE: &str = "KIMG";

/// A repository, and what is to be said about it: all of it.
#[derive(Clone, Copy)]
pub struct Case {
    /// The situation.
    pub name: &'static str,
    /// The GPUs that the result has to run on.
    pub fleet: &'static str,
    /// Its files: each begins with a line `== path`.
    pub files: &'static str,
    /// The files that are linted.
    pub linted: &'static [&'static str],
    /// The findings: file, line of the command, code, severity.
    pub says: &'static [(&'static str, u32, &'static str, Severity)],
}

impl Answered for Case {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fault(&self) -> Option<String> {
        fault(self)
    }
}

/// How the answer to a case differs from the right one.
fn fault(case: &Case) -> Option<String> {
    let root = write(case);
    let text = format!("fleet: {{test: {{gpus: [{}]}}}}", case.fleet);
    let layer = Layer::parse(NAME, &root, &text).unwrap();
    let config = Config::new(&[layer]).unwrap();
    let learned = case.linted.iter().map(|linted| {
        let place = root.join(linted);
        let tree = Tree::new(&root, &place, Path::new(linted));
        let options = Options::new(&Given::default(), &config, config.fleet(&place), tree);
        observe(linted, &fs::read_to_string(&place).unwrap(), &options)
    });
    let mut facts = together(learned.collect());
    let findings = config
        .settings
        .judge(&mut facts, true, Date::today())
        .unwrap();
    let said: Vec<_> = findings
        .iter()
        .map(|f| (&*f.path, f.span.line, &*f.code, f.severity))
        .collect();
    let mut left = said.clone();
    // a code that is not there yet has no place in the order
    let all = case.says.iter().all(|right| {
        let same = |said: &(&str, u32, &str, Severity)| {
            (said.0, said.1, said.3) == (right.0, right.1, right.3)
                && (said.2 == right.2 || right.2 == SOME_RULE)
        };
        let found = left.iter().rposition(same);
        found.map(|at| left.remove(at)).is_some()
    });
    let same = all && left.is_empty();
    (!same).then(|| format!("{}: says {said:?}, not {:?}", case.name, case.says))
}

/// Writes the files of a case to a folder of its own.
fn write(case: &Case) -> PathBuf {
    let folder: String = case
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("reports")
        .join(folder);
    let _ = fs::remove_dir_all(&root);
    for part in case
        .files
        .trim_start()
        .strip_prefix("== ")
        .unwrap()
        .split("\n== ")
    {
        let (path, text) = part.split_once('\n').unwrap();
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}
