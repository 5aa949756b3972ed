//! GitHub: workflows and composite actions.
pub mod action;
mod matrix;
pub mod step;
pub mod workflow;

use crate::text::mapped::Mapped;
use crate::text::template;
use crate::text::word::Word;
use crate::text::yaml::{Kind, Node, Style};

/// A scalar as GitHub passes it on.
fn word(node: &Node) -> Word {
    match text(node) {
        Some(text) => template::word(&text),
        None => Word {
            span: node.span,
            quoted: true,
            ..Word::default()
        },
    }
}

/// The text of a scalar. A plain number is a number to GitHub, which writes it in the shortest form: `8.0` becomes `8`.
fn text(node: &Node) -> Option<Mapped> {
    let Kind::Scalar(scalar) = &node.kind else {
        return None;
    };
    let text = &scalar.text;
    if scalar.style == Style::Plain && is_fraction(text.text()) {
        let length = text
            .text()
            .trim_end_matches('0')
            .trim_end_matches('.')
            .len();
        return Some(text.slice(0..length));
    }
    Some(text.clone())
}

/// `12.10`: digits, a point, digits.
fn is_fraction(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    text.split_once('.')
        .is_some_and(|(whole, rest)| digits(whole.trim_start_matches('-')) && digits(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::yaml;

    #[test]
    fn numbers_lose_their_zeros() {
        for (source, expected) in [
            ("8.0", "8"),
            ("12.10", "12.1"),
            ("12.4", "12.4"),
            ("\"8.0\"", "8.0"),
            ("8.0;9.0", "8.0;9.0"),
            ("80", "80"),
            ("8.0.0", "8.0.0"),
        ] {
            let read = yaml::parse(source);
            let found = text(&read.documents[0]).unwrap();
            assert_eq!(found.text(), expected, "{source}");
        }
    }
}
