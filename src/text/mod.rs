//! Syntax with byte spans. Every token keeps its place in the *original* file, also through line continuations,
//! heredocs and quoting. After an error a reader goes on and leaves a located [`Problem`].
pub mod dockerfile;
pub mod mapped;
pub mod shell;
#[cfg(test)]
mod show;
mod template;
pub mod word;

use crate::span::Span;

/// A syntax problem that a reader noted before it went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What is wrong, in plain words, without a final full stop.
    pub message: String,
}
