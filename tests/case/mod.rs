//! A Dockerfile, and what is to be said about it.
use kimg_lint::config::{Config, Layer, NAME};
use kimg_lint::facts::{Compiles, Finding, Severity};
use kimg_lint::lint::lint_text;
use kimg_lint::report::Report;
use std::path::Path;

/// A Dockerfile, and what is to be said about it: all of it.
#[derive(Clone, Copy)]
pub struct Case {
    /// The situation.
    pub name: &'static str,
    /// The Dockerfile; a first line `# fleet: H100, T4; driver 550` names the GPUs that it has to run on, and their driver.
    pub text: &'static str,
    /// The findings: code, severity, line of the command.
    pub says: &'static [(&'static str, Severity, u32)],
    /// Lines with a command that compiles device code and about which nothing is said.
    pub quiet: &'static [u32],
}

/// Something that is linted, and what is to be said about it.
pub trait Answered {
    /// What it is called.
    fn name(&self) -> &'static str;
    /// How the answer differs from the right one.
    fn fault(&self) -> Option<String>;
}

impl Answered for Case {
    fn name(&self) -> &'static str {
        self.name
    }

    fn fault(&self) -> Option<String> {
        fault(self)
    }
}

/// A case that is answered wrongly today.
#[derive(Clone, Copy)]
pub struct KnownWrong<C = Case> {
    /// The case with the right answer.
    pub case: C,
    /// What is wrong.
    pub fault: &'static str,
}

/// Fails with every case whose answer is another.
pub fn check(cases: &[impl Answered]) {
    let wrong: Vec<String> = cases.iter().filter_map(Answered::fault).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Fails with every case whose answer is right after all.
pub fn check_known_wrong(cases: &[KnownWrong<impl Answered>]) {
    let mended: Vec<_> = cases
        .iter()
        .filter(|known| known.case.fault().is_none())
        .map(|known| format!("{}: no longer so: {}", known.case.name(), known.fault))
        .collect();
    assert!(
        mended.is_empty(),
        "mended, so among the others with it:\n{}",
        mended.join("\n")
    );
}

/// How the answer to a case differs from the right one.
fn fault(case: &Case) -> Option<String> {
    let place = Path::new("/repository/Dockerfile");
    let report = lint_text("Dockerfile", case.text, &config(case), place).unwrap();
    let said: Vec<_> = report.findings.iter().map(summary).collect();
    let unseen: Vec<u32> = case
        .quiet
        .iter()
        .copied()
        .filter(|line| !compiles(&report, *line))
        .collect();
    if said == case.says && unseen.is_empty() {
        return None;
    }
    Some(format!(
        "{}: says {said:?}, not {:?}; sees no build in lines {unseen:?}",
        case.name, case.says
    ))
}

/// The configuration that names the fleet of a case.
fn config(case: &Case) -> Config {
    let first = case.text.lines().next().unwrap_or_default();
    let Some(gpus) = first.strip_prefix("# fleet: ") else {
        return Config::new(&[]).unwrap();
    };
    let (gpus, driver) = gpus.split_once("; driver ").unwrap_or((gpus, ""));
    let driver = match driver {
        "" => String::new(),
        driver => format!(", driver: \"{driver}\""),
    };
    let text = format!("fleet: {{test: {{gpus: [{gpus}]{driver}}}}}");
    let layer = Layer::parse(NAME, Path::new("/repository"), &text).unwrap();
    Config::new(&[layer]).unwrap()
}

fn summary(finding: &Finding) -> (&str, Severity, u32) {
    (&finding.code, finding.severity, finding.span.line)
}

fn compiles(report: &Report, line: u32) -> bool {
    let mut builds = report.builds.iter();
    builds.any(|build| build.span.line == line && build.compiles != Compiles::No)
}
