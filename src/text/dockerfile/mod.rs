//! Dockerfile structure as BuildKit reads it: directives, instructions, continuations, heredocs.
mod args;
mod heredoc;
mod instruction;
mod json;
mod parameters;
mod run;
mod scan;
#[cfg(test)]
mod tests;
mod words;

pub use run::{RunText, run_text};
pub use scan::parse;

use super::Problem;
use super::mapped::Mapped;
use super::word::Word;
use crate::span::Span;

/// A Dockerfile, read to its end whatever it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dockerfile {
    /// The instructions, in order.
    pub instructions: Vec<Instruction>,
    /// Every comment line, directives included, in order: also those inside continuations (not those in heredocs).
    pub comments: Vec<Comment>,
    /// What was wrong.
    pub problems: Vec<Problem>,
}

/// A `# …` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// What follows the `#`, trimmed.
    pub text: String,
    /// `#` to the end of the line, line break excluded.
    pub span: Span,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The keyword in upper case, as written otherwise: `RUN`, `ENV`, and unknown ones too.
    pub keyword: String,
    /// The keyword's bytes.
    pub keyword_span: Span,
    /// `--name=value` words after the keyword, for instructions that take flags.
    pub flags: Vec<Flag>,
    /// The rest of the logical line: continuations joined, comments and blank lines dropped, spaces at the end trimmed.
    pub rest: Mapped,
    /// What the rest says, by instruction.
    pub args: Args,
    /// Heredocs, in order of their markers.
    pub heredocs: Vec<Heredoc>,
    /// From the keyword to the last byte, heredocs and their last delimiter included, final line break excluded.
    pub span: Span,
}

/// `--mount=type=cache,target=/c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Without the dashes.
    pub name: String,
    /// After `=`; `None` for `--link`.
    pub value: Option<Word>,
    /// All of it.
    pub span: Span,
}

/// The arguments of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Args {
    /// `FROM image AS name` (flags such as `--platform` are in `flags`).
    From {
        /// The image.
        image: Word,
        /// The stage's name, as written.
        alias: Option<(String, Span)>,
    },
    /// `ENV` and `ARG` and `LABEL`: names with their values (`None`: `ARG NAME`).
    Pairs(Vec<Pair>),
    /// Shell form of `RUN`, `CMD`, `ENTRYPOINT`: `rest` holds the text for the shell reader.
    Shell,
    /// JSON form of `RUN`, `CMD`, `ENTRYPOINT`, `SHELL`, `COPY`, `ADD`, `VOLUME`: the strings, unescaped. No expansion in RUN, CMD, ENTRYPOINT.
    Exec(Vec<Word>),
    /// Words: `COPY` and `ADD` (sources, then the destination; heredoc markers left out), `WORKDIR` and `USER` (one word), the others.
    Words(Vec<Word>),
    /// `ONBUILD …`.
    OnBuild(Box<Instruction>),
    /// The arguments could not be read; a problem says why.
    Broken,
}

/// `NAME=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The name.
    pub name: String,
    /// The value, unexpanded.
    pub value: Option<Word>,
    /// Name to end of value.
    pub span: Span,
}

/// A heredoc of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heredoc {
    /// The delimiter without quotes.
    pub delimiter: String,
    /// Whether variables are expanded (the delimiter was not quoted).
    pub expand: bool,
    /// The body: with `<<-`, leading tabs dropped.
    pub body: Mapped,
    /// The marker (`<<-EOF`) in the instruction line.
    pub marker: Span,
    /// The body's lines in the file, delimiter line excluded.
    pub span: Span,
    /// The delimiter that ends the body; `None` if the file ends first.
    pub closing: Option<Span>,
}
