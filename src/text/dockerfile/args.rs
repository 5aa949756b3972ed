//! Arguments, by the form that an instruction gives them.
use super::super::mapped::Mapped;
use super::super::word::{Part, Word};
use super::instruction::Context;
use super::json::{self, Array};
use super::words::{Until, Words};
use super::{Args, Pair};

fn reader<'t>(rest: &'t Mapped, context: &'t mut Context) -> Words<'t> {
    Words::new(rest, context.escape, &mut context.problems)
}

/// `image [AS name]`.
pub(super) fn from(rest: &Mapped, context: &mut Context) -> Args {
    let mut words = reader(rest, context).all([]).into_iter();
    let Some(image) = words.next() else {
        return Args::Broken;
    };
    let is_as = |word: &Word| {
        word.literal()
            .is_some_and(|text| text.eq_ignore_ascii_case("as"))
    };
    let rest_words: Vec<_> = words.collect();
    let alias = match rest_words.as_slice() {
        [] => None,
        [keyword, name, ..] if is_as(keyword) => Some((source_of(name), name.span)),
        [other, ..] => {
            let span = other.span;
            context.problems.push(super::Problem {
                span,
                message: "FROM takes an image, then AS and a name".to_owned(),
            });
            None
        }
    };
    Args::From { image, alias }
}

/// The text of a word, parameters as they are written.
fn source_of(word: &Word) -> String {
    word.parts
        .iter()
        .map(|part| match part {
            Part::Literal { text, .. } | Part::Opaque { text, .. } => text.clone(),
            Part::Parameter { name, .. } => format!("${{{name}}}"),
            Part::Command { .. } => String::new(),
        })
        .collect()
}

/// `NAME` and `NAME=value`, several in a line.
pub(super) fn arg(rest: &Mapped, context: &mut Context) -> Args {
    let mut words = reader(rest, context);
    let mut pairs = Vec::new();
    while words.next() {
        pairs.push(pair(rest, &mut words));
    }
    Args::Pairs(pairs)
}

/// `NAME=value …`, or the old form `NAME value with blanks`.
pub(super) fn pairs(rest: &Mapped, keyword: &str, context: &mut Context) -> Args {
    let mut words = reader(rest, context);
    let mut pairs = Vec::new();
    while words.next() {
        let start = words.at;
        let pair = pair(rest, &mut words);
        if pair.value.is_none() {
            if pairs.is_empty() && words.next() {
                let value = words.word(Until::End);
                return Args::Pairs(vec![Pair {
                    span: rest.span(start, words.at),
                    value: Some(value),
                    ..pair
                }]);
            }
            let message = format!("{keyword} wants NAME=value, and here is no `=`");
            words.problem(start, words.at, message);
            continue;
        }
        pairs.push(pair);
    }
    if pairs.is_empty() {
        return Args::Broken;
    }
    Args::Pairs(pairs)
}

fn pair(rest: &Mapped, words: &mut Words<'_>) -> Pair {
    let start = words.at;
    let name = words.name();
    let value = words.value();
    Pair {
        name: unquoted(rest.text().get(name).unwrap_or_default()),
        value,
        span: rest.span(start, words.at),
    }
}

/// A name without the quotes around it, which labels often have.
fn unquoted(name: &str) -> String {
    let inside = |quote| {
        name.strip_prefix(quote)
            .and_then(|name| name.strip_suffix(quote))
    };
    inside('"')
        .or_else(|| inside('\''))
        .unwrap_or(name)
        .to_owned()
}

/// The JSON form; `None` if the argument has another form. In `COPY` and its like (`expand`) variables are expanded.
pub(super) fn json(rest: &Mapped, context: &mut Context, expand: bool) -> Option<Args> {
    let strings = match json::array(rest) {
        Array::Strings(strings) => strings,
        Array::NotJson => return None,
        Array::NotStrings => {
            let all = 0..rest.text().len();
            context.problem(rest, all, "a JSON array here may hold strings only");
            return Some(Args::Broken);
        }
    };
    let words = strings.iter().map(|(string, range)| {
        let word = if expand {
            reader(string, context).word(Until::End)
        } else {
            literal(string)
        };
        Word {
            quoted: true,
            span: rest.span(range.start, range.end),
            ..word
        }
    });
    Some(Args::Exec(words.collect()))
}

/// A word in which nothing is special.
fn literal(text: &Mapped) -> Word {
    let all = 0..text.text().len();
    Word {
        parts: Part::literals(text, all.clone(), true).collect(),
        quoted: true,
        span: text.span(all.start, all.end),
    }
}

/// Words between blanks.
pub(super) fn words(rest: &Mapped, context: &mut Context) -> Args {
    Args::Words(reader(rest, context).all([]))
}

/// All of it as one word, blanks included.
pub(super) fn one_word(rest: &Mapped, context: &mut Context) -> Args {
    Args::Words(vec![reader(rest, context).word(Until::End)])
}

/// All of it as text.
pub(super) fn text(rest: &Mapped) -> Args {
    Args::Words(vec![literal(rest)])
}
