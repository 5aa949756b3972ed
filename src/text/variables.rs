//! Text in which `$NAME`, `${NAME}` and `${NAME:-default}` stand for variables, as CI configurations and Compose write it:
//! no quotes, no escapes but `$$`.
use super::mapped::Mapped;
use super::template::template_length;
use super::word::{ParameterOp, Part, Word};
use std::ops::Range;

/// How deep defaults may stand in defaults.
const MAX_DEPTH: usize = 20;

/// Reads a text as one word.
pub fn word(text: &Mapped) -> Word {
    let range = 0..text.text().len();
    Word {
        parts: parts(text, range.clone(), 0),
        quoted: true,
        span: text.span(range.start, range.end),
    }
}

/// The names of the variables that a word counts on, defaults included.
pub fn names(word: &Word) -> Vec<&str> {
    let mut found = Vec::new();
    for part in &word.parts {
        if let Part::Parameter { name, op, .. } = part {
            found.push(name.as_str());
            if let ParameterOp::Default { word, .. } | ParameterOp::Alternate { word, .. } = op {
                found.extend(names(word));
            }
        }
    }
    found
}

fn parts(text: &Mapped, range: Range<usize>, depth: usize) -> Vec<Part> {
    let source = text.text();
    let mut parts = Vec::new();
    let mut done = range.start;
    let mut at = range.start;
    while let Some(found) = source.get(at..range.end).and_then(|rest| rest.find('$')) {
        let start = at + found;
        let Some((end, part)) = special(text, start, range.end, depth) else {
            at = start + 1;
            continue;
        };
        parts.extend(Part::literals(text, done..start, true));
        parts.push(part);
        (done, at) = (end, end);
    }
    parts.extend(Part::literals(text, done..range.end, true));
    parts
}

/// What begins with the `$` at `start`, and where it ends.
fn special(text: &Mapped, start: usize, end: usize, depth: usize) -> Option<(usize, Part)> {
    let rest = text.text().get(start + 1..end)?;
    if rest.starts_with('$') {
        let dollar = Part::literals(text, start + 1..start + 2, true).next()?;
        return Some((start + 2, dollar));
    }
    if let Some(length) = template_length(rest) {
        let end = start + 1 + length;
        let part = Part::Opaque {
            text: text.text()[start..end].to_owned(),
            quoted: true,
            span: text.span(start, end),
        };
        return Some((end, part));
    }
    let braced = rest.starts_with('{');
    let from = start + 1 + usize::from(braced);
    let inner = text.text().get(from..end)?;
    let length = inner
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(inner.len());
    let name = inner
        .get(..length)
        .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))?;
    let (end, op) = if braced {
        operator(text, from + length, end, depth)?
    } else {
        (from + length, ParameterOp::Plain)
    };
    let part = Part::Parameter {
        name: name.to_owned(),
        op,
        quoted: true,
        span: text.span(start, end),
    };
    Some((end, part))
}

/// What follows the name in braces, and where the braces end.
fn operator(text: &Mapped, at: usize, end: usize, depth: usize) -> Option<(usize, ParameterOp)> {
    let rest = text.text().get(at..end)?;
    if rest.starts_with('}') {
        return Some((at + 1, ParameterOp::Plain));
    }
    let or_empty = rest.starts_with(':');
    let sign = *rest.as_bytes().get(usize::from(or_empty))?;
    let from = at + usize::from(or_empty) + 1;
    let close = closing_brace(text.text(), from, end)?;
    let word = || Word {
        parts: if depth < MAX_DEPTH {
            parts(text, from..close, depth + 1)
        } else {
            Vec::new()
        },
        quoted: true,
        span: text.span(from, close),
    };
    let op = match sign {
        b'-' | b'=' => ParameterOp::Default {
            or_empty,
            assign: false,
            word: word(),
        },
        b'+' => ParameterOp::Alternate {
            or_empty,
            word: word(),
        },
        b'?' => ParameterOp::Required { or_empty },
        _ => ParameterOp::Other,
    };
    Some((close + 1, op))
}

fn closing_brace(text: &str, from: usize, end: usize) -> Option<usize> {
    let mut open = 0;
    for (at, byte) in text.as_bytes().get(from..end)?.iter().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' if open == 0 => return Some(from + at),
            b'}' => open -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(word: &Word) -> String {
        let part = |part: &Part| match part {
            Part::Literal { text, .. } => text.clone(),
            Part::Parameter { name, op, .. } => match op {
                ParameterOp::Plain => format!("<{name}>"),
                ParameterOp::Default { or_empty, word, .. } => format!(
                    "<{name} or{} {}>",
                    if *or_empty { " empty" } else { "" },
                    show(word)
                ),
                ParameterOp::Alternate { word, .. } => format!("<{name} then {}>", show(word)),
                other => format!("<{name} {other:?}>"),
            },
            Part::Opaque { text, .. } => format!("<{text}>"),
            Part::Command { .. } => "command".to_owned(),
        };
        word.parts.iter().map(part).collect()
    }

    #[test]
    fn variables() {
        for (text, expected) in [
            ("a $B-${C}d", "a <B>-<C>d"),
            ("${A:-7.5 8.0}x", "<A or empty 7.5 8.0>x"),
            ("${A-${B:-c}}", "<A or <B or empty c>>"),
            ("${A:+b}", "<A then b>"),
            ("$$A $", "$A $"),
            ("${{ x }} ${", "<${{ x }}> ${"),
            ("'$A'", "'<A>'"),
            ("$1 ${A", "$1 ${A"),
            ("é$é", "é$é"),
        ] {
            let word = word(&Mapped::verbatim(text, 3));
            assert_eq!(show(&word), expected, "{text}");
        }
        let nested = "${A:-".repeat(5000) + &"}".repeat(5000);
        assert_eq!(word(&Mapped::verbatim(&nested, 0)).parts.len(), 1);
    }

    #[test]
    fn who_is_counted_on() {
        let text = Mapped::verbatim("$A ${B:-$C} d", 0);
        assert_eq!(names(&word(&text)), ["A", "B", "C"]);
    }
}
