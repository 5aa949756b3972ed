//! What the shell of a `RUN` instruction gets to read.
use super::super::mapped::Mapped;
use super::super::shell;
use super::{Args, Instruction};
use std::borrow::Cow;

/// The text that a `RUN` in shell form runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunText<'i> {
    /// Text for the shell, the bodies of heredocs below their line: `shell::parse` reads it.
    Shell(Cow<'i, Mapped>),
    /// `RUN <<EOF` with a body that begins with `#!`: a program in another language, or for a shell of its own.
    Program {
        /// What follows `#!`, trimmed: `/usr/bin/env python3`.
        interpreter: String,
        /// The body, with the `#!` line.
        body: &'i Mapped,
    },
}

/// What runs: the line, the line with its heredocs, or the one heredoc that stands alone in it.
/// `None` if the instruction has no shell form.
pub fn run_text(instruction: &Instruction) -> Option<RunText<'_>> {
    if instruction.args != Args::Shell {
        return None;
    }
    let line = &instruction.rest;
    match instruction.heredocs.as_slice() {
        [] => Some(RunText::Shell(Cow::Borrowed(line))),
        [only] if only.marker == line.span(0, line.text().len()) => {
            let text = only.body.text();
            Some(match text.strip_prefix("#!") {
                Some(program) => RunText::Program {
                    interpreter: program.lines().next().unwrap_or_default().trim().to_owned(),
                    body: &only.body,
                },
                None => RunText::Shell(Cow::Borrowed(&only.body)),
            })
        }
        heredocs => {
            let mut text = line.clone();
            for heredoc in heredocs {
                if heredoc.body.text().is_empty() && heredoc.closing.is_none() {
                    break; // the file ends with the line
                }
                text.push("\n", heredoc.span.start.saturating_sub(1));
                text.append(&heredoc.body, 0..heredoc.body.text().len());
                if let Some(closing) = heredoc.closing {
                    text.push(&heredoc.delimiter, closing.start);
                }
            }
            Some(RunText::Shell(Cow::Owned(text)))
        }
    }
}

impl RunText<'_> {
    /// The script, if it is one for the shell.
    pub fn script(&self) -> Option<shell::Script> {
        match self {
            Self::Shell(text) => Some(shell::parse(text)),
            Self::Program { .. } => None,
        }
    }
}
