//! `html`: one page that needs nothing else: no script to be read, no file beside it, no network.
use super::grid::{Grid, grids};
use super::human::summary;
use super::plain::plain;
use super::verdict::{ALL, meaning, word as verdict_word};
use super::{Report, fixable, word};
use crate::facts::{Compiles, Confidence, Finding};
use crate::span::{Lines, Place};
use minijinja::{AutoEscape, Environment, context};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

const PAGE: &str = include_str!("page.html");

/// The most lines of a command that are quoted.
const QUOTED: u32 = 4;

/// A finding as the page shows it.
#[derive(Serialize)]
struct Shown {
    code: String,
    rule: String,
    severity: &'static str,
    likely: bool,
    place: String,
    message: String,
    help: String,
    fixable: Option<&'static str>,
    url: String,
    worlds: String,
    quoted: Vec<Quoted>,
    related: Vec<(String, String)>,
    /// By what it is suppressed, and why; empty where it is not.
    suppressed: String,
    reason: String,
}

/// A line of a file.
#[derive(Serialize)]
struct Quoted {
    number: u32,
    text: String,
}

/// A build as the page shows it.
#[derive(Serialize)]
struct ShownBuild {
    title: String,
    place: String,
    command: String,
    images: String,
    list: String,
    outcome: String,
}

/// Writes the page.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let texts: BTreeMap<&str, Lines> = report
        .texts
        .iter()
        .map(|(path, text)| (path.as_str(), Lines::new(text)))
        .collect();
    let findings = report.findings.iter();
    let findings: Vec<Shown> = findings.map(|finding| shown(finding, &texts)).collect();
    let grids: Vec<Grid> = grids(&report.builds, &report.artifacts);
    let verdicts = ALL.map(|verdict| (verdict_word(Some(verdict)), meaning(verdict)));
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    let values = context! {
        summary => summary(report),
        counts => report.summary,
        version => report.tool.version,
        builds => builds(report),
        findings,
        grids,
        verdicts,
    };
    let page = environment.template_from_str(PAGE);
    let page = page.and_then(|page| page.render(values));
    out.write_all(page.map_err(io::Error::other)?.as_bytes())
}

fn shown(finding: &Finding, texts: &BTreeMap<&str, Lines>) -> Shown {
    let safe = |text: &str| plain(text).into_owned();
    let suppressed = finding.suppressed.as_ref();
    Shown {
        code: safe(&finding.code),
        rule: safe(&finding.rule),
        severity: word(finding.severity),
        likely: finding.confidence == Confidence::Likely,
        place: place(&finding.path, finding.span),
        message: safe(&finding.message),
        help: safe(&finding.help),
        fixable: finding.fix.as_ref().map(fixable),
        url: finding.url.clone(),
        worlds: safe(&finding.worlds.join("; ")),
        quoted: quoted(&finding.path, finding.span, texts),
        related: finding
            .related
            .iter()
            .map(|related| (place(&related.path, related.span), safe(&related.message)))
            .collect(),
        suppressed: suppressed.map_or(String::new(), |by| by.by.word().to_owned()),
        reason: suppressed.map_or(String::new(), |by| safe(&by.reason)),
    }
}

fn place(path: &str, span: Place) -> String {
    let path = plain(path);
    match span.length {
        0 => path.into_owned(),
        _ => format!("{path}:{}:{}", span.line, span.column),
    }
}

fn quoted(path: &str, span: Place, texts: &BTreeMap<&str, Lines>) -> Vec<Quoted> {
    let Some(lines) = texts.get(path).filter(|_| span.length > 0) else {
        return Vec::new();
    };
    let last = span.end_line.min(span.line + QUOTED - 1);
    let numbers = span.line..=last;
    let quoted = numbers.filter_map(|number| {
        let (_, text) = lines.line(number)?;
        Some(Quoted {
            number,
            text: text.split('\t').map(plain).collect::<Vec<_>>().join("    "),
        })
    });
    quoted.collect()
}

fn builds(report: &Report) -> Vec<ShownBuild> {
    let builds = report.builds.iter();
    let builds = builds.filter(|build| build.compiles != Compiles::No);
    let safe = |text: &str| plain(text).into_owned();
    let builds = builds.map(|build| ShownBuild {
        title: safe(&build.title),
        place: place(&build.path, build.span),
        command: safe(&build.command),
        images: build.arch.images.join(" "),
        list: match (&*build.arch.knob, &*build.arch.text) {
            ("", text) => safe(text),
            (knob, text) => safe(&format!("{knob}={text}")),
        },
        outcome: safe(&build.outcome_text),
    });
    builds.collect()
}
