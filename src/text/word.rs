//! Words: literal text and expansions, as the shell and the Dockerfile write them.
use super::mapped::Mapped;
use super::shell::Script;
use crate::span::Span;
use std::ops::Range;

/// One word before expansion, such as `-DX="$Y;90"`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Its parts, in order; empty for `""` (then `quoted` tells that a word was written at all).
    pub parts: Vec<Part>,
    /// Whether any of it was quoted (`""` is a word, nothing is not).
    pub quoted: bool,
    /// From its first byte to its last, quotes included.
    pub span: Span,
}

impl Word {
    /// The same as part of another text, where all of it stands at one place.
    pub fn moved(mut self, place: Span) -> Self {
        self.span = place;
        for part in &mut self.parts {
            match part {
                Part::Literal { span, .. }
                | Part::Parameter { span, .. }
                | Part::Command { span, .. }
                | Part::Opaque { span, .. } => *span = place,
            }
        }
        self
    }

    /// A word that stands for itself.
    pub fn of_text(text: &str, span: Span) -> Self {
        let part = (!text.is_empty()).then(|| Part::Literal {
            text: text.to_owned(),
            span,
            quoted: true,
        });
        Self {
            parts: part.into_iter().collect(),
            quoted: true,
            span,
        }
    }

    /// A word that some other program fills in, as one value; `text` says what stands there.
    pub fn opaque(text: String, span: Span) -> Self {
        Self {
            parts: vec![Part::Opaque {
                text,
                quoted: true,
                span,
            }],
            quoted: true,
            span,
        }
    }

    /// The text of a word without expansions; `None` if it has any.
    pub fn literal(&self) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Literal { text: t, .. } => text.push_str(t),
                _ => return None,
            }
        }
        Some(text)
    }
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text after quote and escape removal. Contiguous in the file, so that offsets inside map by addition:
    /// a quote or an escape ends one literal and begins the next. A decoded escape (`$'\n'`, `\u0041` in JSON) begins
    /// at the character after its backslash; only there does the text differ from the file's.
    Literal {
        /// The text.
        text: String,
        /// Its bytes in the file.
        span: Span,
        /// Inside quotes, or escaped: not split, and no glob or keyword.
        quoted: bool,
    },
    /// `$NAME`, `${NAME…}`, also `$1`, `$@`, `$?` (name `1`, `@`, `?`), `${NAME[@]}` (without the subscript; one element,
    /// `${NAME[1]}`, has [`ParameterOp::Other`]).
    Parameter {
        /// The name.
        name: String,
        /// What `${NAME…}` does to the value.
        op: ParameterOp,
        /// Inside double quotes: the result is one word.
        quoted: bool,
        /// `$` to the closing brace.
        span: Span,
    },
    /// `$(…)` or backticks.
    Command {
        /// What runs.
        script: Box<Script>,
        /// Inside double quotes.
        quoted: bool,
        /// With its delimiters.
        span: Span,
    },
    /// Anything whose value only run time knows: `$((…))`, `<(…)`, a template expression such as `${{ matrix.cuda }}`.
    Opaque {
        /// The source text.
        text: String,
        /// Inside double quotes.
        quoted: bool,
        /// Its bytes in the file.
        span: Span,
    },
}

impl Part {
    /// The bytes `range` of a text as literals, one for each run that is contiguous in the file.
    pub fn literals(
        text: &Mapped,
        range: Range<usize>,
        quoted: bool,
    ) -> impl Iterator<Item = Self> {
        text.runs(range).map(move |run| Self::Literal {
            span: text.span(run.start, run.end),
            text: text.text().get(run).unwrap_or_default().to_owned(),
            quoted,
        })
    }

    /// The bytes of the part in the file.
    pub fn span(&self) -> Span {
        match self {
            Self::Literal { span, .. }
            | Self::Parameter { span, .. }
            | Self::Command { span, .. }
            | Self::Opaque { span, .. } => *span,
        }
    }
}

/// The operator of `${NAME…}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterOp {
    /// `$NAME` or `${NAME}`.
    Plain,
    /// `${NAME:-word}`, `${NAME-word}`, `${NAME:=word}`, `${NAME=word}`.
    Default {
        /// With a colon: also when the value is empty.
        or_empty: bool,
        /// With `=`: the variable is set too.
        assign: bool,
        /// The fallback.
        word: Word,
    },
    /// `${NAME:+word}`, `${NAME+word}`.
    Alternate {
        /// With a colon: not when the value is empty.
        or_empty: bool,
        /// What stands when the name is set.
        word: Word,
    },
    /// `${NAME:?word}`, `${NAME?word}`.
    Required {
        /// With a colon: also when the value is empty.
        or_empty: bool,
    },
    /// `${NAME#pattern}`, `##`, `%`, `%%`.
    Trim {
        /// `%` trims the end, `#` the start.
        suffix: bool,
        /// Doubled: the longest match.
        longest: bool,
        /// The pattern.
        pattern: Word,
    },
    /// `${NAME/pattern/replacement}`, `//`.
    Replace {
        /// `//`: every match.
        all: bool,
        /// The pattern.
        pattern: Word,
        /// The replacement.
        replacement: Word,
    },
    /// `${NAME[*]}`, plain: in quotes, all elements in one word.
    Joined,
    /// `${#NAME}`.
    Length,
    /// Any other form (`${NAME:1:2}`, `${!NAME}`, `${NAME^^}`, …): the value is unknown.
    Other,
}
