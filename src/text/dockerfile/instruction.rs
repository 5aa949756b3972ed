//! Instructions: keyword, flags, and which reader their arguments have.
use super::super::mapped::Mapped;
use super::super::{MAX_PROBLEMS, Problem, excerpt};
use super::args;
use super::heredoc::{self, Marker};
use super::words::{Words, is_blank};
use super::{Args, Flag, Instruction};
use std::ops::Range;

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
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem {
                span: text.span(range.start, range.end),
                message: message.into(),
            });
        }
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
    let after = position(text, keyword_end, end, |byte| !is_blank(byte));
    let (flags, rest_start) = match keyword.as_str() {
        "ADD" | "COPY" | "FROM" | "HEALTHCHECK" | "RUN" => read_flags(line, after, end, context),
        _ => (Vec::new(), after),
    };
    let rest = line.slice(rest_start..end);
    let mut markers = Vec::new();
    let args = if on_build && keyword == "ONBUILD" {
        Err("ONBUILD cannot stand in ONBUILD".to_owned())
    } else if keyword == "ONBUILD" && !rest.text().is_empty() {
        let (inner, inner_markers) = read_inside(&rest, context, true);
        markers = inner_markers;
        Ok(Args::OnBuild(Box::new(inner)))
    } else {
        arguments(&keyword, &rest, context, || {
            markers = heredoc::markers(line);
            let inside = |at: usize| at.saturating_sub(rest_start);
            let ranges = markers
                .iter()
                .map(|marker| inside(marker.range.start)..inside(marker.range.end));
            ranges.collect()
        })
    };
    let args = args.unwrap_or_else(|message| {
        context.problem(line, start..keyword_end, message);
        Args::Broken
    });
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

/// Reads the arguments after the flags, or says why they cannot be read. `markers` finds the heredoc markers of the line
/// and gives their places in `rest`; only ADD, COPY and RUN may have them, and not in JSON form.
fn arguments(
    keyword: &str,
    rest: &Mapped,
    context: &mut Context,
    markers: impl FnOnce() -> Vec<Range<usize>>,
) -> Result<Args, String> {
    let long = rest.text().len() > MAX_ARGUMENTS;
    let empty = rest.text().is_empty();
    Ok(match keyword {
        // empty arguments of these take back what the base image has
        "CMD" | "ENTRYPOINT" if empty => Args::Shell,
        "ADD" | "ARG" | "COPY" | "ENV" | "EXPOSE" | "FROM" | "HEALTHCHECK" | "LABEL"
        | "MAINTAINER" | "ONBUILD" | "RUN" | "SHELL" | "STOPSIGNAL" | "USER" | "VOLUME"
        | "WORKDIR"
            if empty =>
        {
            return Err(format!("{keyword} has no arguments"));
        }
        "RUN" | "CMD" | "ENTRYPOINT" => {
            let json = if long {
                None
            } else {
                args::json(rest, context, false)
            };
            json.unwrap_or_else(|| {
                if keyword == "RUN" {
                    markers();
                }
                Args::Shell
            })
        }
        _ if long => return Err("too long: the arguments are not read".to_owned()),
        "ADD" | "COPY" => args::json(rest, context, true).unwrap_or_else(|| {
            Args::Words(Words::new(rest, context.escape, &mut context.problems).all(markers()))
        }),
        "SHELL" => args::json(rest, context, false).ok_or("SHELL wants a JSON array of strings")?,
        "VOLUME" => args::json(rest, context, true).unwrap_or_else(|| args::words(rest, context)),
        "FROM" => args::from(rest, context),
        "ARG" => args::arg(rest, context),
        "ENV" | "LABEL" => args::pairs(rest, keyword, context),
        "WORKDIR" | "USER" | "STOPSIGNAL" => args::one_word(rest, context),
        "EXPOSE" | "HEALTHCHECK" => args::words(rest, context),
        "MAINTAINER" => args::text(rest),
        _ => return Err(format!("unknown instruction {}", excerpt(keyword))),
    })
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
