//! Files that list packages for pip: a requirement or options a line.
use crate::span::Span;

/// A line that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A requirement.
    Requirement {
        /// Its words, without marker, hashes and comment.
        requirement: Span,
        /// What follows its `;`.
        marker: Option<Span>,
    },
    /// Options, as on pip's command line.
    Options(Vec<Span>),
}

/// Reads such a file.
pub fn read(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut words: Vec<Span> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let (body, goes_on) = match body.strip_suffix('\\') {
            Some(body) => (body, true),
            None => (body, false),
        };
        words.extend(words_of(body, start));
        start += line.len();
        if !goes_on {
            lines.extend(of_words(text, &words));
            words.clear();
        }
    }
    lines.extend(of_words(text, &words));
    lines
}

/// The words of a line up to a comment; quotes keep a word together.
fn words_of(line: &str, start: usize) -> Vec<Span> {
    let mut words = Vec::new();
    let mut from = None;
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '#') if from.is_none() => return words,
            (None, _) if c.is_whitespace() => {
                words.extend(from.take().map(|from| Span::new(start + from, start + at)));
            }
            (None, _) => {
                from.get_or_insert(at);
                quote = Some(c).filter(|c| matches!(c, '"' | '\''));
            }
        }
    }
    words.extend(from.map(|from| Span::new(start + from, start + line.len())));
    words
}

fn of_words(text: &str, words: &[Span]) -> Option<Line> {
    let of = |span: Span| text.get(span.range()).unwrap_or_default();
    let first = *words.first()?;
    if of(first).starts_with('-') {
        return Some(Line::Options(words.to_vec()));
    }
    let options = words.iter().position(|word| of(*word).starts_with("--"));
    let words = &words[..options.unwrap_or(words.len())];
    let all = first.to(*words.last()?);
    let whole = of(all);
    // in an address a `;` is a part of it unless a blank is before it
    let is_address = whole.contains("://");
    let cut = whole
        .char_indices()
        .find(|&(at, c)| c == ';' && (!is_address || whole[..at].ends_with(char::is_whitespace)));
    let Some((cut, _)) = cut else {
        return Some(Line::Requirement {
            requirement: all,
            marker: None,
        });
    };
    let base = all.start as usize;
    let requirement = whole[..cut].trim_end();
    Some(Line::Requirement {
        requirement: Span::new(base, base + requirement.len()),
        marker: Some(Span::new(
            base + whole.len() - whole[cut + 1..].trim_start().len(),
            base + whole.len(),
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_requirements_or_options() {
        for (text, expected) in [
            ("torch==2.6.0\n", "[torch==2.6.0]"),
            ("a\r\n\n# b\n  c # d\n", "[a] [c]"),
            ("a#egg=b\n", "[a#egg=b]"),
            (
                "torch >= 2.0 ; python_version < '3.9'",
                "[torch >= 2.0 | python_version < '3.9']",
            ),
            (
                "a; sys_platform=='win32' # no\n",
                "[a | sys_platform=='win32']",
            ),
            (
                "a==1 \\\n  --hash=sha256:0 \\\n  --hash=sha256:1\nb",
                "[a==1] [b]",
            ),
            (
                "a @ git+https://h/o/n.git@v1 ; os_name == 'nt'",
                "[a @ git+https://h/o/n.git@v1 | os_name == 'nt']",
            ),
            ("https://h/a;b.whl", "[https://h/a;b.whl]"),
            (
                "-r base.txt\n--extra-index-url https://x # y",
                "-r+base.txt --extra-index-url+https://x",
            ),
            ("-e ./ops[cuda]", "-e+./ops[cuda]"),
            ("a \\", "[a]"),
            ("\\\n", ""),
        ] {
            let of = |span: &Span| text[span.range()].to_owned();
            let lines = read(text);
            let shown = lines.iter().map(|line| match line {
                Line::Requirement {
                    requirement,
                    marker: None,
                } => format!("[{}]", of(requirement)),
                Line::Requirement {
                    requirement,
                    marker: Some(m),
                } => {
                    format!("[{} | {}]", of(requirement), of(m))
                }
                Line::Options(words) => words.iter().map(of).collect::<Vec<_>>().join("+"),
            });
            assert_eq!(shown.collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }
}
