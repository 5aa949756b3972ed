//! What the terminal can show.
use super::Color;
use crate::report::Terminal;
use std::env;
use std::io::{IsTerminal, stdout};

/// Columns where nothing says otherwise, and the fewest that are worth using.
const COLUMNS: usize = 80;
const FEWEST_COLUMNS: usize = 40;

/// What standard output can show.
pub(super) fn detect(wanted: Color) -> Terminal {
    Terminal {
        color: color(wanted),
        unicode: unicode(),
        width: columns(),
    }
}

fn color(wanted: Color) -> bool {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    match wanted {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            stdout().is_terminal()
                && !set("NO_COLOR")
                && env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// Whether box characters can be shown.
fn unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(|name| env::var(name).ok());
    cfg!(windows)
        || locale
            .into_iter()
            .find(|value| !value.is_empty())
            .is_some_and(|value| names_utf8(&value))
}

fn names_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

fn columns() -> usize {
    let columns = env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    columns.unwrap_or(COLUMNS).max(FEWEST_COLUMNS)
}
