//! `sarif`: SARIF 2.1.0, for code scanning.
use super::{Report, explained};
use crate::facts::{Edit, Finding, Related, Severity, SuppressedBy};
use crate::relative::Names;
use crate::rules::{Rule, fingerprints};
use crate::span::{Lines, Place, Span};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name and version of our fingerprints. Code scanning makes one of its own from the text of the line.
const FINGERPRINT: &str = "kimgLint/v1";

/// Writes one run. Suppressed findings are in it, as such.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let codes: BTreeSet<&str> = report.findings.iter().map(|f| &*f.code).collect();
    let codes: Vec<&str> = codes.into_iter().collect();
    let shown = Shown::new(report);
    let name = |path: &str| shown.names.of(path);
    let prints = fingerprints(&report.findings, &report.texts, name);
    let rules = codes.iter().map(|code| rule(report, code));
    let rules: Vec<Value> = rules.collect();
    let tool = json!({"driver": {
        "name": report.tool.name,
        "semanticVersion": report.tool.version,
        "informationUri": env!("CARGO_PKG_REPOSITORY"),
        "rules": rules,
    }});
    let results = || {
        report.findings.iter().zip(&prints).map(|(finding, print)| {
            let index = codes.iter().position(|code| *code == finding.code);
            result(finding, index, print, &shown)
        })
    };
    let log = Log {
        schema: SCHEMA,
        runs: [Run {
            column_kind: "unicodeCodePoints",
            invocations: [invocation(&shown)],
            results: Each(results),
            tool,
        }],
        version: "2.1.0",
    };
    serde_json::to_writer(&mut *out, &log)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Log<R: Serialize> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    runs: [Run<R>; 1],
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<R: Serialize> {
    column_kind: &'static str,
    invocations: [Value; 1],
    results: R,
    tool: Value,
}

/// What an iterator gives, made and written one by one: all results together take much memory.
struct Each<F>(F);

impl<F: Fn() -> I, I: Iterator<Item = Value>> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// The files that findings are about.
struct Shown<'r> {
    report: &'r Report,
    texts: BTreeMap<&'r str, Lines<'r>>,
    names: Names<'r>,
}

impl<'r> Shown<'r> {
    fn new(report: &'r Report) -> Self {
        let texts = report.texts.iter();
        Self {
            report,
            texts: texts
                .map(|(path, text)| (path.as_str(), Lines::new(text)))
                .collect(),
            names: Names::new(&report.here),
        }
    }

    fn uri(&self, path: &str) -> String {
        uri(&self.names.of(path))
    }
}

/// Whether all could be read, and what could not.
fn invocation(shown: &Shown) -> Value {
    let unreadable = shown.report.unreadable.iter().map(|file| {
        json!({
            "level": "error",
            "message": {"text": file.reason},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": shown.uri(&file.path)}}}],
        })
    });
    let unreadable: Vec<Value> = unreadable.collect();
    json!({"executionSuccessful": unreadable.is_empty(), "toolExecutionNotifications": unreadable})
}

fn rule(report: &Report, code: &str) -> Value {
    match report.rules.iter().find(|rule| *rule.code == *code) {
        Some(rule) => described(report, rule),
        None => json!({"id": code}),
    }
}

fn described(report: &Report, rule: &Rule) -> Value {
    let worst = rule.severities().first().copied();
    let url = report
        .findings
        .iter()
        .find(|finding| *finding.code == *rule.code)
        .map(|finding| &finding.url);
    json!({
        "id": rule.code.0,
        "name": rule.name.0,
        "shortDescription": {"text": rule.summary()},
        "fullDescription": {"text": rule.summary()},
        "help": {"text": rule.docs.0, "markdown": rule.docs.0},
        "helpUri": url,
        "defaultConfiguration": {"level": level(worst.unwrap_or(Severity::Info))},
        "properties": {
            "tags": ["cuda"],
            "problem.severity": match worst {
                Some(Severity::Error) => "error",
                Some(Severity::Warning) => "warning",
                _ => "recommendation",
            },
        },
    })
}

fn result(finding: &Finding, index: Option<usize>, print: &str, shown: &Shown) -> Value {
    let mut result = json!({
        "ruleId": finding.code,
        "level": level(finding.severity),
        "message": {"text": explained(finding)},
        "locations": [location(shown, &finding.path, finding.span)],
        "partialFingerprints": {FINGERPRINT: print},
        "suppressions": suppressions(finding),
        "properties": {"confidence": finding.confidence},
    });
    if let Some(index) = index {
        result["ruleIndex"] = index.into();
    }
    if !finding.related.is_empty() {
        let related = finding.related.iter().enumerate();
        result["relatedLocations"] = related
            .map(|(id, related)| related_location(shown, id, related))
            .collect();
    }
    if let Some(fix) = &finding.fix {
        let changes = fix.edits.iter().filter_map(|edit| change(shown, edit));
        let changes: Vec<Value> = changes.collect();
        if !changes.is_empty() {
            result["fixes"] = json!([{"artifactChanges": changes}]);
        }
    }
    result
}

/// Every result has a line, since code scanning takes none without: of a file that has no lines, the first.
fn location(shown: &Shown, path: &str, place: Place) -> Value {
    let region = if place.length == 0 {
        json!({"startLine": place.line.max(1)})
    } else {
        region(place)
    };
    json!({"physicalLocation": {"artifactLocation": {"uri": shown.uri(path)}, "region": region}})
}

fn region(place: Place) -> Value {
    json!({
        "startLine": place.line.max(1),
        "startColumn": place.column.max(1),
        "endLine": place.end_line.max(1),
        "endColumn": place.end_column.max(1),
    })
}

fn related_location(shown: &Shown, id: usize, related: &Related) -> Value {
    let mut location = location(shown, &related.path, related.span);
    location["id"] = id.into();
    location["message"] = json!({"text": related.message});
    location
}

/// An edit, by lines and columns of the text that it changes.
fn change(shown: &Shown, edit: &Edit) -> Option<Value> {
    let start = edit.offset as usize;
    let place = shown
        .texts
        .get(edit.path.as_str())?
        .place(Span::new(start, start + edit.length as usize));
    Some(json!({
        "artifactLocation": {"uri": shown.uri(&edit.path)},
        "replacements": [{"deletedRegion": region(place), "insertedContent": {"text": edit.text}}],
    }))
}

fn suppressions(finding: &Finding) -> Value {
    let one = finding.suppressed.as_ref().map(|suppressed| {
        let mut suppression = json!({
            "kind": match suppressed.by {
                SuppressedBy::Comment => "inSource",
                SuppressedBy::Config | SuppressedBy::Baseline => "external",
            },
            "status": "accepted",
        });
        if !suppressed.reason.is_empty() {
            suppression["justification"] = suppressed.reason.as_str().into();
        }
        suppression
    });
    one.into_iter().collect()
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// The path as a relative reference (RFC 3986), or as the address of a file where it has to start from the root. What is no
/// unreserved character, nor `/`, is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
