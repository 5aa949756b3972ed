//! Template expressions, `{{ … }}` and `${{ … }}`, which some other program fills in before the text is read as what it is.

use super::mapped::Mapped;
use super::word::{Part, Word};

/// A text in which nothing is special but `${{ … }}`.
pub fn word(text: &Mapped) -> Word {
    let source = text.text();
    let mut parts = Vec::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(found) = source.get(at..).and_then(|rest| rest.find("${{")) {
        let start = at + found;
        let Some(length) = template_length(&source[start + 1..]) else {
            at = start + 1;
            continue;
        };
        let end = start + 1 + length;
        parts.extend(Part::literals(text, done..start, true));
        parts.push(Part::Opaque {
            text: source[start..end].to_owned(),
            quoted: true,
            span: text.span(start, end),
        });
        (done, at) = (end, end);
    }
    parts.extend(Part::literals(text, done..source.len(), true));
    Word {
        parts,
        quoted: true,
        span: text.span(0, source.len()),
    }
}

/// The text with what stands between `open` and `close` in the form that expressions have everywhere else, `${{ … }}`, where
/// `expression` makes one of it.
pub fn filled(
    text: &Mapped,
    open: &str,
    close: &str,
    expression: impl Fn(&str) -> Option<String>,
) -> Mapped {
    let source = text.text();
    let mut out = Mapped::default();
    let mut done = 0;
    let mut at = 0;
    while let Some(found) = source.get(at..).and_then(|rest| rest.find(open)) {
        let start = at + found;
        at = start + open.len();
        let inner = source.get(at..).and_then(|rest| rest.split_once(close));
        let Some((inner, made)) = inner.and_then(|(inner, _)| Some((inner, expression(inner)?)))
        else {
            continue;
        };
        out.append(text, done..start);
        out.push_all_from(&format!("${{{{ {made} }}}}"), text.origin(start));
        at += inner.len() + close.len();
        done = at;
    }
    out.append(text, done..source.len());
    out
}

/// Length of the template expression at the start of `text`, if one begins there and ends on its line.
/// `}}` inside its strings does not end it.
pub(super) fn template_length(text: &str) -> Option<usize> {
    let bytes = text.strip_prefix("{{")?.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'\n' => return None,
            b'}' if bytes.get(at + 1) == Some(&b'}') => return Some("{{".len() + at + "}}".len()),
            b'\'' => at += 1 + string_length(bytes.get(at + 1..)?),
            _ => at += 1,
        }
    }
}

/// Length of the rest of a string, its quote included; 0 if it does not end on its line: then the quote is text.
fn string_length(rest: &[u8]) -> usize {
    match rest.iter().position(|byte| matches!(byte, b'\'' | b'\n')) {
        Some(length) if rest.get(length) == Some(&b'\'') => length + 1,
        _ => 0,
    }
}

/// What ends the template statement or expression that begins a line, such as `{% if x %}` or `{{ end }}`.
pub(super) fn line_closer(line: &str) -> Option<&'static str> {
    [("{{", "}}"), ("{%", "%}"), ("{#", "#}")]
        .into_iter()
        .find_map(|(opener, closer)| line.starts_with(opener).then_some(closer))
}

/// Whether a line holds a template statement and nothing else: it leaves no text of its own.
pub(super) fn is_statement(line: &str) -> bool {
    const KEYWORDS: [&str; 8] = ["if", "else", "end", "range", "with", "for", "define", ")"];
    let line = line.trim();
    let Some(closer) = line_closer(line).filter(|closer| line.ends_with(closer)) else {
        return false;
    };
    let inside = line.get("{{".len()..).unwrap_or_default();
    let inside = inside.trim_start_matches(['-', ' ', '\t']);
    closer != "}}" || KEYWORDS.iter().any(|keyword| inside.starts_with(keyword))
}

#[cfg(test)]
mod tests {
    use super::{is_statement, template_length};

    #[test]
    fn lines_that_are_statements() {
        for line in [
            "{% if x %}",
            " {%- endif -%} ",
            "{# x #}",
            "{{ if .X }}",
            "{{- end }}",
            "{{ ) else ( -}}",
        ] {
            assert!(is_statement(line), "{line}");
        }
        for line in ["{{ x }}", "a {% if x %}", "{% if x %} a", "{% if", "", "{{"] {
            assert!(!is_statement(line), "{line}");
        }
    }

    #[test]
    fn where_an_expression_ends() {
        for (line, expected) in [
            ("{{x}}", Some(5)),
            ("{{ x }} y }}", Some(7)),
            ("{{ f('}}') }}z", Some(13)),
            ("{{ it's }}", Some(10)),
            ("{{ x }", None),
            ("{{ x\n}}", None),
            ("{{ it's }}\n'", Some(10)),
            ("{x}", None),
            ("", None),
        ] {
            assert_eq!(template_length(line), expected, "{line}");
        }
    }
}
