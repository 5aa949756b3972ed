//! `.env` files: a line a setting, as Compose reads them.
use super::mapped::Mapped;
use super::variables;
use super::word::{Part, Word};
use crate::span::Span;

/// The settings of a file, in order.
pub fn read(source: &str) -> Vec<(String, Word)> {
    let mut settings = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        settings.extend(setting(line, at));
        at += line.len();
    }
    settings
}

/// `NAME=value`, `export NAME="value"`; `None` for a comment, a name alone, and what is neither.
fn setting(line: &str, at: usize) -> Option<(String, Word)> {
    let (before, value) = line.split_once('=')?;
    let name = before.trim();
    let name = name.strip_prefix("export ").unwrap_or(name).trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let start = at + before.len() + 1 + (value.len() - value.trim_start().len());
    Some((name.to_owned(), word(value.trim(), start)))
}

/// A value; what follows its quotes, or white space and `#`, is a comment.
fn word(value: &str, start: usize) -> Word {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let inner = quote.and_then(|quote| {
        let rest = value.get(1..)?;
        rest.find(quote).and_then(|end| rest.get(..end))
    });
    let (text, start) = match inner {
        Some(inner) => (inner, start + 1),
        None => (without_comment(value), start),
    };
    let text = Mapped::verbatim(text, Span::new(start, start).start);
    if quote == Some('\'') && inner.is_some() {
        return Word {
            parts: Part::literals(&text, 0..text.text().len(), true).collect(),
            quoted: true,
            span: text.span(0, text.text().len()),
        };
    }
    variables::word(&text)
}

fn without_comment(value: &str) -> &str {
    let comment = value
        .match_indices('#')
        .map(|(at, _)| at)
        .find(|&at| at == 0 || value[..at].ends_with([' ', '\t']));
    value[..comment.unwrap_or(value.len())].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings() {
        let source = "# é\nA=8.0;9.0+PTX # x\nexport B = \"a b\" # y\r\nC='$A'\nD=${A:-1}#2\nE=\nF\n=1\na b=1\nG=\"x\nH=#\n";
        let shown: Vec<String> = read(source)
            .iter()
            .map(|(name, word)| {
                let text = word.literal().unwrap_or_else(|| "?".to_owned());
                format!("{name}={text} {}", &source[word.span.range()])
            })
            .collect();
        assert_eq!(
            shown,
            [
                "A=8.0;9.0+PTX 8.0;9.0+PTX",
                "B=a b a b",
                "C=$A $A",
                "D=? ${A:-1}#2",
                "E= ",
                "G=\"x \"x",
                "H= ",
            ]
        );
    }
}
