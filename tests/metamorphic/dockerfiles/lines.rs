//! The same lines with other comments, ends and continuations.
use super::{Replaced, at, plain, read, replace, run_script, runs, words};
use kimg_lint::span::Span;
use kimg_lint::text::dockerfile::Instruction;

/// The ends of all instructions, where a line may be put in.
fn after_each(text: &str, line: &str) -> Option<String> {
    let file = read(text)?;
    let ends = file.instructions.iter().map(|i| i.span.end);
    let ends = ends.filter(|end| text[*end as usize..].starts_with('\n'));
    let lines: Vec<Replaced> = ends.map(|end| (at(end), line.to_owned())).collect();
    replace(text, &lines)
}

pub fn comments(text: &str) -> Option<String> {
    after_each(text, "\n# how kimg-lint says \"it\n    # RUN nothing '")
}

pub fn blank_lines(text: &str) -> Option<String> {
    after_each(text, "\n\n  \n")
}

/// Where lines of an instruction are continued: the backslash to the first byte of the next line.
fn continuations(text: &str, instruction: &Instruction) -> Vec<Span> {
    let range = instruction.span.range();
    let found = text[range.clone()].match_indices("\\\n");
    found
        .map(|(at, _)| Span::new(range.start + at, range.start + at + 2))
        .collect()
}

pub fn comments_inside(text: &str) -> Option<String> {
    let file = read(text)?;
    let places = plain(&file, "").flat_map(|i| continuations(text, i));
    let lines: Vec<Replaced> = places
        .map(|place| (at(place.end), "  # between 'them\n".to_owned()))
        .collect();
    replace(text, &lines)
}

pub fn joined_lines(text: &str) -> Option<String> {
    let file = read(text)?;
    let has_comment = |i: &Instruction| file.comments.iter().any(|c| i.span.contains(c.span));
    let places = plain(&file, "")
        .filter(|i| !has_comment(i))
        .flat_map(|i| continuations(text, i));
    let lines: Vec<Replaced> = places.map(|place| (place, String::new())).collect();
    replace(text, &lines)
}

pub fn broken_lines(text: &str) -> Option<String> {
    let file = read(text)?;
    let mut breaks: Vec<Replaced> = Vec::new();
    for run in runs(&file) {
        for word in words(&run_script(run)) {
            breaks.push((at(word.span.start), "\\\n \t".to_owned()));
        }
    }
    replace(text, &breaks)
}

pub fn crlf(text: &str) -> Option<String> {
    (!text.contains('\r')).then(|| text.replace('\n', "\r\n"))
}

pub fn no_last_end(text: &str) -> Option<String> {
    let last = read(text)?.instructions.pop()?;
    let trimmed = text.strip_suffix('\n')?;
    last.heredocs.is_empty().then(|| trimmed.to_owned())
}

pub fn trailing_spaces(text: &str) -> Option<String> {
    let file = read(text)?;
    let ends = plain(&file, "").map(|i| (at(i.span.end), " \t ".to_owned()));
    replace(text, &ends.collect::<Vec<_>>())
}

pub fn lower_case(text: &str) -> Option<String> {
    let file = read(text)?;
    let keywords = file.instructions.iter().map(|i| i.keyword_span);
    let lower: Vec<Replaced> = keywords
        .map(|span| (span, text[span.range()].to_lowercase()))
        .collect();
    replace(text, &lower)
}

pub fn tabs(text: &str) -> Option<String> {
    let file = read(text)?;
    let after = file.instructions.iter().filter_map(|i| {
        let end = i.keyword_span.end;
        let space = Span {
            start: end,
            end: end + 1,
        };
        (text.get(space.range()) == Some(" ")).then(|| (space, "\t ".to_owned()))
    });
    replace(text, &after.collect::<Vec<_>>())
}
