//! What a run found, and the formats that it is printed in: one file a format.
pub mod archs;
pub mod builder;
pub mod capability;
pub mod catalogue;
mod clip;
pub mod comparison;
pub mod concise;
pub mod config;
pub mod coverage;
pub mod cuobjdump;
pub mod docs;
pub mod error;
mod excerpt;
pub mod fleet;
mod format;
pub mod github;
pub mod gitlab;
mod grid;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
pub mod kernels;
pub mod markdown;
pub mod matrix;
mod plain;
pub mod probe;
pub mod reach;
pub mod sarif;
pub mod serves;
mod size;
pub mod trace;
mod verdict;
mod wrap;

pub use format::Format;

use crate::date;
use crate::facts::{
    Artifact, BaseImage, Build, Facts, Finding, Fix, Install, Probe, Program, Severity, Unreadable,
};
use crate::rules::{Rule, builtin};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Everything that a run found: the object that `--format json` prints.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// The version of this shape: 1.
    pub version: u32,
    /// What made it.
    pub tool: ToolInfo,
    /// The counts.
    pub summary: Summary,
    /// What the rules say, in the order of the places.
    pub findings: Vec<Finding>,
    /// Places that build device code.
    pub builds: Vec<Build>,
    /// Prebuilt packages.
    pub installs: Vec<Install>,
    /// Base images.
    pub images: Vec<BaseImage>,
    /// Files with device code.
    pub artifacts: Vec<Artifact>,
    /// GPUs that were asked.
    pub probes: Vec<Probe>,
    /// Programs that were watched.
    pub programs: Vec<Program>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// The texts that findings point into, by path, for quoting.
    #[serde(skip)]
    pub texts: BTreeMap<String, String>,
    /// The files that were read.
    #[serde(skip)]
    pub files: Vec<String>,
    /// The rules that could speak.
    #[serde(skip)]
    pub rules: Vec<&'static Rule>,
    /// The folder that paths are relative to in formats for services, which show findings in files of a repository; where it
    /// is empty, paths stay as they are.
    #[serde(skip)]
    pub here: PathBuf,
    /// When it was made, in UTC: `2026-11-30T12:00:00`.
    #[serde(skip)]
    pub time: String,
}

/// What made a report.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolInfo {
    /// `kimg-lint`.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Counts; suppressed findings are in none but their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Files that were named, read or not.
    pub files: usize,
    /// Findings that are errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Infos.
    pub infos: usize,
    /// Findings that are listed and not counted.
    pub suppressed: usize,
    /// Files that could not be read.
    pub unreadable: usize,
}

impl Report {
    /// From what was learned and what the rules say about it.
    pub fn new(facts: Facts, findings: Vec<Finding>) -> Self {
        Self {
            version: 1,
            tool: ToolInfo {
                name: env!("CARGO_PKG_NAME"),
                version: env!("CARGO_PKG_VERSION"),
            },
            summary: Summary::new(&facts, &findings),
            findings,
            files: facts
                .inputs
                .iter()
                .map(|input| input.path.clone())
                .chain(facts.artifacts.iter().map(|artifact| artifact.path.clone()))
                .chain(facts.probes.iter().map(|probe| probe.path.clone()))
                .collect(),
            rules: builtin().iter().collect(),
            here: PathBuf::new(),
            time: date::now(),
            builds: facts.builds,
            installs: facts.installs,
            images: facts.images,
            artifacts: facts.artifacts,
            probes: facts.probes,
            programs: facts.programs,
            unreadable: facts.unreadable,
            texts: facts.texts,
        }
    }

    /// The findings that count.
    pub fn counted(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.suppressed.is_none())
    }

    /// The severity of the worst finding that counts.
    pub fn worst(&self) -> Option<Severity> {
        self.counted().map(|finding| finding.severity).max()
    }
}

impl Summary {
    fn new(facts: &Facts, findings: &[Finding]) -> Self {
        let mut summary = Self {
            files: facts.inputs.len() + facts.unreadable.len(),
            unreadable: facts.unreadable.len(),
            ..Self::default()
        };
        for finding in findings {
            *match (&finding.suppressed, finding.severity) {
                (Some(_), _) => &mut summary.suppressed,
                (None, Severity::Error) => &mut summary.errors,
                (None, Severity::Warning) => &mut summary.warnings,
                (None, Severity::Info) => &mut summary.infos,
            } += 1;
        }
        summary
    }
}

/// What the terminal can show.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Colours, and codes that link to their documentation.
    pub color: bool,
    /// Lines drawn with box characters; else with ASCII.
    pub unicode: bool,
    /// Columns.
    pub width: usize,
}

/// How text is shown where there are colours.
#[derive(Clone, Copy, Debug)]
enum Paint {
    Heading,
    Code,
    Severity(Severity),
}

impl Terminal {
    /// The text in its colour, if there are any.
    fn paint(self, paint: Paint, text: &str) -> String {
        if !self.color {
            return text.to_owned();
        }
        let code = match paint {
            Paint::Heading => 1,
            Paint::Severity(Severity::Error) => 31,
            Paint::Severity(Severity::Warning) => 33,
            Paint::Code | Paint::Severity(Severity::Info) => 36,
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// The word for a severity.
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// The message, and below it what to do.
fn explained(finding: &Finding) -> String {
    match finding.help.as_str() {
        "" => finding.message.clone(),
        help => format!("{}\n{help}", finding.message),
    }
}

/// Which option makes an edit.
fn fixable(fix: &Fix) -> &'static str {
    if fix.safe {
        "fixable with --fix"
    } else {
        "fixable with --fix --unsafe-fixes"
    }
}
