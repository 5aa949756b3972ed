//! Shell text: lists, words, groups and compound commands, and no more. Unknown syntax is one opaque command and a problem.
mod compound;
mod expansions;
mod parameters;
mod parse;
mod quotes;
mod reader;
mod redirects;
mod simple;
#[cfg(test)]
mod tests;
mod words;

pub use parse::{parse, words};

use super::Problem;
use super::word::Word;
use crate::span::Span;

/// A parsed piece of shell text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Its lists, in order.
    pub items: Vec<Item>,
    /// What could not be read as shell. Problems of nested scripts are reported by the outermost one.
    pub problems: Vec<Problem>,
}

/// Pipelines joined by `&&` and `||`, up to `;`, `&` or a newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The first pipeline.
    pub first: Pipeline,
    /// The others, each with the operator before it.
    pub rest: Vec<(Join, Pipeline)>,
    /// Ended by `&`.
    pub background: bool,
}

/// `&&` or `||`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// After `!`.
    pub negated: bool,
    /// At least one command.
    pub commands: Vec<Command>,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `A=1 name arg >file`.
    Simple(Simple),
    /// A group, loop or condition, with its redirections.
    Compound(Box<Compound>),
    /// `name() …`.
    Function {
        /// The function's name.
        name: String,
        /// Its body.
        body: Box<Compound>,
        /// All of it.
        span: Span,
    },
    /// Text that is not read: `[[ … ]]`, `(( … ))`, `coproc`, or broken syntax (then a problem says why).
    Opaque {
        /// The source text.
        text: String,
        /// Its bytes.
        span: Span,
    },
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// `NAME=value` before the name, and `NAME=(a b)` among the arguments of a declaration: `declare -a A=(b)`.
    pub assignments: Vec<Assignment>,
    /// The name and its arguments, before expansion.
    pub words: Vec<Word>,
    /// Redirections, wherever they stand.
    pub redirects: Vec<Redirect>,
    /// From the first assignment or word to the last word (redirections inside count, heredoc bodies do not).
    pub span: Span,
}

/// `NAME=value`, `NAME+=value`, `NAME=(a b)`. `NAME[1]=value` changes a part that the tree does not tell:
/// it appends a word that begins with the opaque subscript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The name.
    pub name: String,
    /// `+=`.
    pub append: bool,
    /// The value.
    pub value: AssignedValue,
    /// Name to end of value.
    pub span: Span,
}

/// The right side of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssignedValue {
    /// One word (empty parts for `NAME=`).
    Word(Word),
    /// `(a b c)`.
    Array(Vec<Word>),
}

/// `>file`, `2>&1`, `<<EOF`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The file descriptor written before the operator.
    pub fd: Option<u32>,
    /// The operator.
    pub kind: RedirectKind,
    /// Operator to target (a heredoc's body is not in it).
    pub span: Span,
}

/// What a redirection does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<file`.
    Read(Word),
    /// `>file`, `>|file`, `&>file`.
    Write(Word),
    /// `>>file`, `&>>file`.
    Append(Word),
    /// `<<EOF`: the body as one word (no parameters in it when the delimiter was quoted).
    Heredoc {
        /// The body; `span` covers the body's lines without the delimiter line.
        body: Word,
    },
    /// `<<<word`.
    HereString(Word),
    /// `>&2`, `<&-`, `<>`: nothing that matters here.
    Other,
}

/// A compound command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compound {
    /// Which.
    pub kind: CompoundKind,
    /// Its redirections.
    pub redirects: Vec<Redirect>,
    /// From its first to its last keyword.
    pub span: Span,
}

/// The kinds of compound command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompoundKind {
    /// `{ …; }`
    Group(Script),
    /// `( … )`
    Subshell(Script),
    /// `if … then … elif … else … fi`: conditions with their bodies, and the last `else`.
    If {
        /// `(condition, body)`.
        arms: Vec<(Script, Script)>,
        /// `else`.
        otherwise: Option<Script>,
    },
    /// `while` and `until`; also `for ((…; …; …))`, whose condition is then one opaque command.
    While {
        /// The condition.
        condition: Script,
        /// The body.
        body: Script,
    },
    /// `for NAME in words; do … done` and `select`; `words` is `None` without `in`.
    For {
        /// The loop variable.
        name: String,
        /// What it runs over.
        words: Option<Vec<Word>>,
        /// The body.
        body: Script,
    },
    /// `case word in pattern) … ;; esac`.
    Case {
        /// The word.
        word: Word,
        /// Patterns and bodies.
        arms: Vec<(Vec<Word>, Script)>,
    },
}
