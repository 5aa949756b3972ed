//! Instructions: keyword, flags, and which reader their arguments have.
use super::super::Problem;
use super::super::excerpt;
use super::super::mapped::Mapped;
use super::args;
use super::heredoc::{self, Marker};
use super::words::{Words, is_blank};
use super::{Args, Flag, Instruction};
use std::ops::Range;

/// All instructions but those that an empty argument resets (CMD, ENTRYPOINT).
const WANT_ARGUMENTS: [&str; 16] = [
    "ADD",
    "ARG",
    "COPY",
    "ENV",
    "EXPOSE",
    "FROM",
    "HEALTHCHECK",
    "LABEL",
    "MAINTAINER",
    "ONBUILD",
    "RUN",
    "SHELL",
    "STOPSIGNAL",
    "USER",
    "VOLUME",
    "WORKDIR",
];

/// Longer arguments are not split, which bounds the memory that an instruction takes.
const MAX_ARGUMENTS: usize = 1 << 20;

/// What all readers of an instruction share.
pub(super) struct Context {
    pub(super) escape: u8,
    pub(super) problems: Vec<Problem>,
}

impl Context {
    pub(super) fn problem(
        &mut self,
        text: &Mapped,
        range: Range<usize>,
        message: impl Into<String>,
    ) {
        self.problems.push(Problem {
            span: text.span(range.start, range.end),
            message: message.into(),
        });
    }
}

/// Reads the logical line of an instruction. The heredocs that its markers announce are the caller's to read.
pub(super) fn read(line: &Mapped, context: &mut Context) -> (Instruction, Vec<Marker>) {
    read_inside(line, context, false)
}

fn read_inside(line: &Mapped, context: &mut Context, on_build: bool) -> (Instruction, Vec<Marker>) {
    let text = line.text();
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len().max(start);
    let keyword_end = position(text, start, end, is_blank);
    let keyword = text
        .get(start..keyword_end)
        .unwrap_or_default()
        .to_uppercase();
    let mut rest_start = position(text, keyword_end, end, |byte| !is_blank(byte));
    let mut flags = Vec::new();
    if matches!(
        keyword.as_str(),
        "ADD" | "COPY" | "FROM" | "HEALTHCHECK" | "RUN"
    ) {
        (flags, rest_start) = read_flags(line, rest_start, end, context);
    }
    let rest = line.slice(rest_start..end);
    let mut markers = Vec::new();
    let args = match keyword.as_str() {
        _ if rest.text().is_empty() && WANT_ARGUMENTS.contains(&keyword.as_str()) => {
            context.problem(
                line,
                start..keyword_end,
                format!("{keyword} has no arguments"),
            );
            Args::Broken
        }
        "RUN" | "CMD" | "ENTRYPOINT" if rest.text().len() > MAX_ARGUMENTS => {
            markers = heredoc::markers(line);
            Args::Shell
        }
        _ if rest.text().len() > MAX_ARGUMENTS => {
            context.problem(
                line,
                start..keyword_end,
                "too long: the arguments are not read",
            );
            Args::Broken
        }
        "ADD" | "COPY" => args::json(&rest, context, true).unwrap_or_else(|| {
            markers = heredoc::markers(line);
            let inside = |at: usize| at.saturating_sub(rest_start);
            let ranges = markers
                .iter()
                .map(|marker| inside(marker.range.start)..inside(marker.range.end));
            Args::Words(Words::new(&rest, context.escape, &mut context.problems).all(ranges))
        }),
        "RUN" => args::json(&rest, context, false).unwrap_or_else(|| {
            markers = heredoc::markers(line);
            Args::Shell
        }),
        "CMD" | "ENTRYPOINT" => args::json(&rest, context, false).unwrap_or(Args::Shell),
        "SHELL" => args::json(&rest, context, false).unwrap_or_else(|| {
            context.problem(
                &rest,
                0..rest.text().len(),
                "SHELL wants a JSON array of strings",
            );
            Args::Broken
        }),
        "VOLUME" => args::json(&rest, context, true).unwrap_or_else(|| args::words(&rest, context)),
        "FROM" => args::from(&rest, context),
        "ARG" => args::arg(&rest, context),
        "ENV" | "LABEL" => args::pairs(&rest, &keyword, context),
        "WORKDIR" | "USER" | "STOPSIGNAL" => args::one_word(&rest, context),
        "EXPOSE" | "HEALTHCHECK" => args::words(&rest, context),
        "MAINTAINER" => args::text(&rest),
        "ONBUILD" if !on_build => {
            let (inner, inner_markers) = read_inside(&rest, context, true);
            markers = inner_markers;
            Args::OnBuild(Box::new(inner))
        }
        _ => {
            let message = format!("unknown instruction {}", excerpt(&keyword));
            context.problem(line, start..keyword_end, message);
            Args::Broken
        }
    };
    let instruction = Instruction {
        keyword,
        keyword_span: line.span(start, keyword_end),
        flags,
        rest,
        args,
        heredocs: Vec::new(),
        span: line.span(start, end),
    };
    (instruction, markers)
}

/// The first byte in `from..to` that fits, or `to`.
fn position(text: &str, from: usize, to: usize, fits: impl Fn(u8) -> bool) -> usize {
    let bytes = text.as_bytes().get(from..to).unwrap_or_default();
    bytes
        .iter()
        .position(|&byte| fits(byte))
        .map_or(to, |length| from + length)
}

/// Reads `--name=value` words at `from`; gives them and the start of what follows.
fn read_flags(line: &Mapped, from: usize, end: usize, context: &mut Context) -> (Vec<Flag>, usize) {
    let mut flags = Vec::new();
    let written = |text: &str| text.starts_with("--");
    if !line.text().get(from..end).is_some_and(written) {
        return (flags, from);
    }
    let head = line.slice(from..end.min(from + MAX_ARGUMENTS));
    // BuildKit reads flags with the backslash, whatever the escape character of the file
    let mut words = Words::new(&head, b'\\', &mut context.problems);
    while words.next() && head.text().get(words.at..).is_some_and(written) {
        let start = words.at;
        words.at += "--".len();
        let name = words.name();
        let value = words.value();
        if name.is_empty() && value.is_none() {
            words.next();
            break; // `--` alone ends the flags
        }
        flags.push(Flag {
            name: head.text().get(name).unwrap_or_default().to_owned(),
            value,
            span: head.span(start, words.at),
        });
    }
    (flags, from + words.at)
}
