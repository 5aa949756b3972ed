//! `sarif`: SARIF 2.1.0, for code scanning.
use super::{Report, explained};
use crate::facts::{Confidence, Edit, Finding, Related, Severity, Suppressed, SuppressedBy};
use crate::relative::Names;
use crate::rules::{Rule, fingerprints};
use crate::span::{Lines, Place, Span};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::borrow::Cow;
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
            found(finding, index, print, &shown)
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

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Each<F> {
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

    fn artifact(&self, path: &str) -> Artifact {
        Artifact {
            uri: uri(&self.names.of(path)),
        }
    }
}

/// Whether all could be read, and what could not.
fn invocation(shown: &Shown) -> Value {
    let unreadable = shown.report.unreadable.iter().map(|file| {
        json!({
            "level": "error",
            "message": {"text": file.reason},
            "locations": [{"physicalLocation": {"artifactLocation": shown.artifact(&file.path)}}],
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

/// A finding. Keys stand in alphabetical order here and below, as in all that is written through `json!`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'f> {
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<[Fix<'f>; 1]>,
    level: &'static str,
    locations: [Location<'f>; 1],
    message: Text<'f>,
    partial_fingerprints: BTreeMap<&'static str, &'f str>,
    properties: BTreeMap<&'static str, Confidence>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'f>>,
    rule_id: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    suppressions: Vec<Suppression<'f>>,
}

#[derive(Serialize)]
struct Text<'f> {
    text: Cow<'f, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'f> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text<'f>>,
    physical_location: Physical,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
    start_line: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix<'f> {
    artifact_changes: Vec<Change<'f>>,
}

/// An edit, by lines and columns of the text that it changes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Change<'f> {
    artifact_location: Artifact,
    replacements: [Replacement<'f>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement<'f> {
    deleted_region: Region,
    inserted_content: Text<'f>,
}

#[derive(Serialize)]
struct Suppression<'f> {
    #[serde(skip_serializing_if = "Option::is_none")]
    justification: Option<&'f str>,
    kind: &'static str,
    status: &'static str,
}

fn found<'f>(
    finding: &'f Finding,
    rule_index: Option<usize>,
    print: &'f str,
    shown: &Shown,
) -> Found<'f> {
    let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
    let changes: Vec<Change> = edits.filter_map(|edit| change(shown, edit)).collect();
    let related = finding.related.iter().enumerate();
    Found {
        fixes: (!changes.is_empty()).then_some([Fix {
            artifact_changes: changes,
        }]),
        level: level(finding.severity),
        locations: [location(shown, &finding.path, finding.span)],
        message: Text {
            text: explained(finding).into(),
        },
        partial_fingerprints: BTreeMap::from([(FINGERPRINT, print)]),
        properties: BTreeMap::from([("confidence", finding.confidence)]),
        related_locations: related
            .map(|(id, related)| related_location(shown, id, related))
            .collect(),
        rule_id: &finding.code,
        rule_index,
        suppressions: finding.suppressed.iter().map(suppression).collect(),
    }
}

/// Every result has a line, since code scanning takes none without: of a file that has no lines, the first.
fn location<'f>(shown: &Shown, path: &str, place: Place) -> Location<'f> {
    let line_alone = Region {
        end_column: None,
        end_line: None,
        start_column: None,
        start_line: place.line.max(1),
    };
    Location {
        id: None,
        message: None,
        physical_location: Physical {
            artifact_location: shown.artifact(path),
            region: match place.length {
                0 => line_alone,
                _ => region(place),
            },
        },
    }
}

fn region(place: Place) -> Region {
    Region {
        end_column: Some(place.end_column.max(1)),
        end_line: Some(place.end_line.max(1)),
        start_column: Some(place.column.max(1)),
        start_line: place.line.max(1),
    }
}

fn related_location<'f>(shown: &Shown, id: usize, related: &'f Related) -> Location<'f> {
    let message = Text {
        text: related.message.as_str().into(),
    };
    Location {
        id: Some(id),
        message: Some(message),
        ..location(shown, &related.path, related.span)
    }
}

fn change<'f>(shown: &Shown, edit: &'f Edit) -> Option<Change<'f>> {
    let start = edit.offset as usize;
    let place = shown
        .texts
        .get(edit.path.as_str())?
        .place(Span::new(start, start + edit.length as usize));
    let replacement = Replacement {
        deleted_region: region(place),
        inserted_content: Text {
            text: edit.text.as_str().into(),
        },
    };
    Some(Change {
        artifact_location: shown.artifact(&edit.path),
        replacements: [replacement],
    })
}

fn suppression(suppressed: &Suppressed) -> Suppression<'_> {
    Suppression {
        justification: Some(suppressed.reason.as_str()).filter(|reason| !reason.is_empty()),
        kind: match suppressed.by {
            SuppressedBy::Comment => "inSource",
            SuppressedBy::Config | SuppressedBy::Baseline => "external",
        },
        status: "accepted",
    }
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
