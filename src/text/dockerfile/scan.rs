//! Lines: directives, comments, continuations and the bodies of heredocs.
use super::super::mapped::Mapped;
use super::super::template::{is_statement, line_closer};
use super::super::{MAX_PROBLEMS, Problem, excerpt};
use super::heredoc::Marker;
use super::instruction::{self, Context};
use super::{Args, Comment, Dockerfile, Heredoc, Instruction};
use crate::span::Span;

/// BuildKit's scanner refuses longer lines.
const MAX_LINE: usize = 65_535;
/// How many instructions and comments are read, which bounds the memory that a file takes.
const MAX_ENTRIES: usize = 500_000;

/// Reads a Dockerfile to its end, whatever it holds.
pub fn parse(source: &str) -> Dockerfile {
    let mut scanner = Scanner::new(source);
    scanner.directives();
    while let Some(line) = scanner.next_line() {
        if scanner.full() {
            scanner.problem(
                Span::new(line.start, source.len()),
                "too long: the rest is not read",
            );
            break;
        }
        let text = line.text.trim_start();
        if text.starts_with('#') {
            scanner.comment(line);
        } else if !text.is_empty() && !scanner.template(line) {
            scanner.instruction(line);
        }
    }
    scanner.finish()
}

/// A line without its break.
#[derive(Clone, Copy)]
struct Line<'s> {
    text: &'s str,
    /// Offset of its first byte in the file.
    start: usize,
}

impl<'s> Line<'s> {
    /// The line without white space at its start.
    fn trimmed(self) -> Self {
        let text = self.text.trim_start();
        Self {
            text,
            start: self.start + self.text.len() - text.len(),
        }
    }

    fn end(self) -> usize {
        self.start + self.text.len()
    }
}

struct Scanner<'s> {
    source: &'s str,
    at: usize,
    escape: u8,
    /// Ends of template statements that stand nowhere below.
    absent: Vec<&'static str>,
    /// An instruction other than ARG was read.
    staged: bool,
    file: Dockerfile,
}

impl<'s> Scanner<'s> {
    fn new(source: &'s str) -> Self {
        let byte_order_mark = '\u{feff}';
        Self {
            source,
            at: if source.starts_with(byte_order_mark) {
                byte_order_mark.len_utf8()
            } else {
                0
            },
            escape: b'\\',
            absent: Vec::new(),
            staged: false,
            file: Dockerfile::default(),
        }
    }

    fn full(&self) -> bool {
        self.file.instructions.len() + self.file.comments.len() >= MAX_ENTRIES
    }

    fn finish(mut self) -> Dockerfile {
        if self.file.instructions.is_empty() {
            self.problem(Span::default(), "the file holds no instruction");
        }
        self.file.problems.sort_by_key(|problem| problem.span);
        self.file
    }

    fn problem(&mut self, span: Span, message: impl Into<String>) {
        if self.file.problems.len() < MAX_PROBLEMS {
            self.file.problems.push(Problem {
                span,
                message: message.into(),
            });
        }
    }

    fn next_line(&mut self) -> Option<Line<'s>> {
        let start = self.at;
        let rest = self.source.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
        self.at += length;
        let text = rest.get(..length)?.trim_end_matches(['\r', '\n']);
        if length > MAX_LINE {
            let message = format!("BuildKit refuses a line of more than {MAX_LINE} bytes");
            self.problem(Span::new(start, start + text.len()), message);
        }
        Some(Line { text, start })
    }

    fn comment(&mut self, line: Line<'_>) {
        if self.full() {
            return;
        }
        let line = line.trimmed();
        self.file.comments.push(Comment {
            text: line.text.trim_start_matches('#').trim().to_owned(),
            span: Span::new(line.start, line.end()),
        });
    }

    /// Skips a template statement at the start of a line, which may reach over lines; tells whether one stood there.
    fn template(&mut self, line: Line<'_>) -> bool {
        let line = line.trimmed();
        let Some(closer) = line_closer(line.text).filter(|closer| !self.absent.contains(closer))
        else {
            return false;
        };
        let rest = self.source.get(line.start..).unwrap_or_default();
        let Some(length) = rest.find(closer) else {
            self.absent.push(closer);
            return false;
        };
        self.at = line.start + length + closer.len();
        self.template_problem(line.start, self.at);
        true
    }

    fn template_problem(&mut self, start: usize, end: usize) {
        let message = "a template statement: what it adds or leaves out is not known";
        self.problem(Span::new(start, end), message);
    }

    /// Reads the directives, which end at the first line that is none.
    fn directives(&mut self) {
        let mut seen = Vec::new();
        loop {
            let before = self.at;
            let Some(line) = self.next_line() else { return };
            let Some((name, value)) = directive(line.trimmed().text) else {
                self.at = before;
                return;
            };
            self.comment(line);
            let span = Span::new(line.start, line.end());
            if seen.contains(&name) {
                self.problem(span, format!("a second `{name}` directive"));
            } else if name == "escape" {
                match value {
                    "\\" | "`" => self.escape = value.as_bytes()[0],
                    _ => self.problem(span, "the escape character can be \\ or ` only"),
                }
            }
            seen.push(name);
        }
    }

    fn instruction(&mut self, first: Line<'s>) {
        let text = self.logical_line(first);
        if text.text().trim().is_empty() {
            return;
        }
        let mut context = Context {
            escape: self.escape,
            problems: std::mem::take(&mut self.file.problems),
        };
        let (mut instruction, markers) = instruction::read(&text, &mut context);
        self.file.problems = context.problems;
        self.check_place(&instruction);
        let heredocs: Vec<_> = markers.iter().map(|marker| self.heredoc(marker)).collect();
        if let Some(last) = heredocs.last() {
            let end = last.closing.unwrap_or(last.span).end;
            instruction.span.end = end;
            match &mut instruction.args {
                Args::OnBuild(inner) => {
                    inner.span.end = end;
                    inner.heredocs = heredocs;
                }
                _ => instruction.heredocs = heredocs,
            }
        }
        self.file.instructions.push(instruction);
    }

    /// Joins the lines of the instruction that begins with `first`.
    fn logical_line(&mut self, first: Line<'s>) -> Mapped {
        let mut text = Mapped::default();
        let mut line = Some(first.trimmed());
        while let Some(next) = line.take() {
            let content = self.continued(next.text);
            text.push(content.unwrap_or(next.text), offset(next.start));
            if content.is_some() {
                line = self.next_continuation();
            }
        }
        text
    }

    /// What stands before the escape character that continues a line; `None` if the line ends the instruction.
    /// An escape character before it takes its meaning.
    fn continued<'l>(&self, line: &'l str) -> Option<&'l str> {
        let escape = char::from(self.escape);
        let content = line.trim_end_matches([' ', '\t']).strip_suffix(escape)?;
        (!content.ends_with(escape)).then_some(content)
    }

    /// The next line of a continued instruction: comments and empty lines do not end it.
    fn next_continuation(&mut self) -> Option<Line<'s>> {
        loop {
            let line = self.next_line()?;
            let text = line.text.trim_start();
            if text.starts_with('#') {
                self.comment(line);
            } else if is_statement(text) {
                self.template_problem(line.start, line.end());
            } else if !text.is_empty() {
                return Some(line);
            }
        }
    }

    /// Only ARG may stand before the first FROM.
    fn check_place(&mut self, instruction: &Instruction) {
        let keyword = instruction.keyword.as_str();
        if !self.staged && !matches!(keyword, "FROM" | "ARG") {
            let message = format!("{} stands before the first FROM", excerpt(keyword));
            self.problem(instruction.keyword_span, message);
        }
        self.staged |= keyword != "ARG";
    }

    /// Reads the body below the instruction.
    fn heredoc(&mut self, marker: &Marker) -> Heredoc {
        let start = self.at;
        let mut body = Mapped::default();
        let mut body_end = self.source.len();
        let mut closing = None;
        while let Some(line) = self.next_line() {
            let stripped = if marker.strip_tabs {
                line.text.trim_start_matches('\t')
            } else {
                line.text
            };
            if stripped == marker.delimiter {
                body_end = line.start;
                closing = Some(Span::new(line.end() - stripped.len(), line.end()));
                break;
            }
            body.push(stripped, offset(line.end() - stripped.len()));
            if self
                .source
                .get(..self.at)
                .is_some_and(|read| read.ends_with('\n'))
            {
                body.push("\n", offset(self.at - 1));
            }
        }
        if closing.is_none() {
            let message = format!(
                "the heredoc is not ended by a line `{}`",
                excerpt(&marker.delimiter)
            );
            self.problem(marker.span, message);
        }
        Heredoc {
            delimiter: marker.delimiter.clone(),
            expand: marker.expand,
            body,
            marker: marker.span,
            span: Span::new(start, body_end),
            closing,
        }
    }
}

/// An offset as spans hold it.
fn offset(at: usize) -> u32 {
    Span::new(at, at).start
}

/// Name and value of a directive line: `# escape=…`, `# syntax=…` or `# check=…`.
fn directive(line: &str) -> Option<(&'static str, &str)> {
    let (name, value) = line.strip_prefix('#')?.split_once('=')?;
    let known = ["escape", "syntax", "check"];
    let name = known
        .into_iter()
        .find(|known| name.trim().eq_ignore_ascii_case(known))?;
    let value = value.trim();
    (!value.is_empty()).then_some((name, value))
}
