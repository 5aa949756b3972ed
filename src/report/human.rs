//! `--format human`: each finding with the command and the cause quoted, then one line that sums up.
use super::excerpt::{CONTEXT, Excerpt, Label};
use super::plain::plain;
use super::wrap::wrap;
use super::{Report, Terminal, fixable, word};
use crate::facts::{Compiles, Confidence, Finding, Related, Role, Severity};
use crate::span::Lines;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode, ThemeCharacters,
    ThemeStyles,
};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::io::{self, Write};

/// Writes each finding that counts, then the summary unless it is to be `quiet`.
pub fn write(
    report: &Report,
    out: &mut dyn Write,
    terminal: Terminal,
    quiet: bool,
) -> io::Result<()> {
    let files = quoted_files(report);
    for finding in report.counted() {
        let shown = Shown::new(finding, &files, terminal.width);
        let mut text = String::new();
        handler(&shown, terminal)
            .render_report(&mut text, &shown)
            .map_err(io::Error::other)?;
        for line in text.trim_end().lines() {
            out.write_all(line.trim_end().as_bytes())?;
            out.write_all(b"\n")?;
        }
        writeln!(out)?;
    }
    if !quiet {
        writeln!(out, "{}", summary(report))?;
    }
    Ok(())
}

/// The lines of the files that findings point into, each file indexed once.
fn quoted_files(report: &Report) -> BTreeMap<&str, Lines<'_>> {
    let mut files = BTreeMap::new();
    for finding in report.counted() {
        let related = finding.related.iter().map(|related| &related.path);
        for path in std::iter::once(&finding.path).chain(related) {
            if let Some(text) = report.texts.get(path) {
                files
                    .entry(path.as_str())
                    .or_insert_with(|| Lines::new(text));
            }
        }
    }
    files
}

/// Columns to the left of a message: its icon; of a help: the word.
const MESSAGE_INDENT: usize = 4;
const HELP_INDENT: usize = 8;

/// A finding as miette takes it.
#[derive(Debug)]
struct Shown<'f> {
    finding: &'f Finding,
    message: String,
    help: String,
    excerpt: Excerpt,
}

impl<'f> Shown<'f> {
    fn new(finding: &'f Finding, files: &BTreeMap<&str, Lines>, width: usize) -> Self {
        let cause = finding
            .related
            .first()
            .filter(|related| matches!(related.role, Role::Cause | Role::RunsHere));
        let excerpt = Excerpt::new(&labels(finding, cause), files, width);
        let quoted = excerpt.labels().next().is_some();
        let place = if quoted {
            String::new()
        } else {
            format!("{}: ", location(finding))
        };
        let message = format!("{place}{}", plain(&finding.message));
        let help = help(finding, usize::from(cause.is_some()));
        Self {
            message: wrap(&message, width.saturating_sub(MESSAGE_INDENT)),
            help: wrap(&help, width.saturating_sub(HELP_INDENT)),
            excerpt,
            finding,
        }
    }
}

/// The command, and the cause.
fn labels(finding: &Finding, cause: Option<&Related>) -> Vec<Label> {
    let this = Label {
        path: finding.path.clone(),
        place: finding.span,
        text: match (cause, &finding.builder) {
            (Some(_), Some(_)) => "this build".into(),
            _ => String::new(),
        },
        primary: true,
    };
    let cause = cause.map(|cause| Label {
        path: cause.path.clone(),
        place: cause.span,
        text: cause.message.clone(),
        primary: false,
    });
    std::iter::once(this).chain(cause).collect()
}

/// `path`, or `path:line:column` where the finding is about a part of the file.
fn location(finding: &Finding) -> String {
    let path = plain(&finding.path);
    match finding.span {
        span if span.length == 0 => path.into_owned(),
        span => format!("{path}:{}:{}", span.line, span.column),
    }
}

/// What to do, then the places that are not quoted, and where the finding holds; one a line.
fn help(finding: &Finding, quoted: usize) -> String {
    let mut lines = Vec::new();
    if !finding.help.is_empty() {
        lines.push(plain(&finding.help).into_owned());
    }
    for Related {
        path,
        span,
        message,
        ..
    } in finding.related.iter().skip(quoted)
    {
        lines.push(format!(
            "see {}:{}:{}: {}",
            plain(path),
            span.line,
            span.column,
            plain(message)
        ));
    }
    // most messages name them
    if !finding.gpus.iter().all(|gpu| finding.message.contains(gpu)) {
        lines.push(format!("for {}", plain(&finding.gpus.join(", "))));
    }
    if !finding.worlds.is_empty() {
        lines.push(format!("with {}", plain(&finding.worlds.join("; "))));
    }
    if let Some(fix) = &finding.fix {
        lines.push(fixable(fix).to_owned());
    }
    lines.join("\n")
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        let Finding {
            code,
            rule,
            severity,
            ..
        } = self.finding;
        let likely = match self.finding.confidence {
            Confidence::Likely => ", likely",
            Confidence::Certain => "",
        };
        Some(Box::new(format!(
            "{}[{code}] {rule}{likely}",
            word(*severity)
        )))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.finding.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        (!self.help.is_empty()).then(|| Box::new(&self.help) as Box<dyn Display>)
    }

    fn url<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(&self.finding.url))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.excerpt.labels().cloned()))
    }
}

fn handler(shown: &Shown, terminal: Terminal) -> GraphicalReportHandler {
    let mut styles = if terminal.color {
        ThemeStyles::ansi()
    } else {
        ThemeStyles::none()
    };
    let cause = match shown.finding.severity {
        Severity::Error => styles.error,
        Severity::Warning => styles.warning,
        Severity::Info => styles.advice,
    };
    let command = styles.highlights.first().copied().unwrap_or(cause);
    let labels = shown.excerpt.labels();
    styles.highlights = labels
        .map(|label| if label.primary() { command } else { cause })
        .collect();
    let characters = if terminal.unicode {
        ThemeCharacters::unicode()
    } else {
        ThemeCharacters::ascii()
    };
    GraphicalReportHandler::new_themed(GraphicalTheme { characters, styles })
        .with_wrap_lines(false)
        .with_context_lines(CONTEXT as usize)
        .with_urls(terminal.color)
        .with_link_display_text("")
}

/// `1 error, 2 warnings in 3 files (5 builds); 1 file could not be read`.
pub(super) fn summary(report: &Report) -> String {
    let summary = &report.summary;
    let builds = report.builds.iter();
    let builds = builds.filter(|build| build.compiles != Compiles::No);
    let found: Vec<String> = [
        (summary.errors, "error"),
        (summary.warnings, "warning"),
        (summary.infos, "info"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| count(n, what))
    .collect();
    let found = if found.is_empty() {
        "nothing found".to_owned()
    } else {
        found.join(", ")
    };
    let mut line = format!(
        "{found} in {} ({})",
        count(summary.files, "file"),
        count(builds.count(), "build")
    );
    if summary.suppressed > 0 {
        line.push_str(&format!("; {} suppressed", summary.suppressed));
    }
    if summary.unreadable > 0 {
        line.push_str(&format!(
            "; {} could not be read",
            count(summary.unreadable, "file")
        ));
    }
    line
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
