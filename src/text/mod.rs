//! Syntax with byte spans. Every token keeps its place in the *original* file, also through line continuations,
//! heredocs and quoting. After an error a reader goes on and leaves a located [`Problem`].
pub mod cargo;
pub mod cibuildwheel;
pub mod cmake;
pub mod cmd;
pub mod conda_env;
pub mod dockerfile;
pub mod dotenv;
pub mod easystack;
pub mod expression;
pub mod groovy;
pub mod hcl;
pub mod kernel_toml;
pub mod lock;
pub mod make;
pub mod mapped;
pub mod marker;
pub mod powershell;
#[cfg(test)]
mod properties;
pub mod pyproject;
pub mod python;
pub mod recipe;
pub mod requirements;
pub mod rust;
pub mod shell;
#[cfg(test)]
mod show;
pub mod spack;
pub mod template;
pub mod uv_lock;
pub mod variables;
pub mod word;
pub mod yaml;

use crate::span::Span;

/// A syntax problem that a reader noted before it went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What is wrong, in plain words, without a final full stop.
    pub message: String,
}

/// Problems of one text past this number say nothing new.
const MAX_PROBLEMS: usize = 200;

/// Source text for a message: control characters made visible, and cut when it is long.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut excerpt: String = text.chars().take(LONGEST).collect();
    if excerpt.len() < text.len() {
        excerpt.push('…');
    }
    excerpt.escape_debug().to_string()
}

/// The first `byte` at or after `from`.
fn find(bytes: &[u8], from: usize, byte: u8) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let length = rest.iter().position(|&b| b == byte)?;
    Some(from + length)
}

/// The first `"` at or after `from` without a backslash before it.
fn closing_quote(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
