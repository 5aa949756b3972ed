//! A list that reaches its build, taken away or put where it does not reach it.
use crate::answer::report;
use crate::written::{Written, written};
use kimg_lint::facts::{Build, Compiles, SetHow};
use kimg_lint::span::Span;
use kimg_lint::text::dockerfile::parse;
use std::collections::BTreeMap;

/// A change of a text in which a list stands at a place.
type Move = fn(&str, Span) -> Option<String>;

#[test]
fn what_takes_the_list_away_is_told() {
    let moves: &[(&str, SetHow, Move)] = &[
        ("ENV removed", SetHow::Env, removed),
        ("ENV late", SetHow::Env, late),
        ("ENV in another stage", SetHow::Env, elsewhere),
        ("ENV renamed", SetHow::Env, renamed),
        ("export renamed", SetHow::Export, renamed),
        ("not exported", SetHow::Export, not_exported),
        ("inline renamed", SetHow::Inline, renamed),
        ("inline not exported", SetHow::Inline, parted),
        ("env: renamed", SetHow::ConfigEnv, renamed_key),
    ];
    let mut made: BTreeMap<&str, usize> = moves.iter().map(|(name, ..)| (*name, 0)).collect();
    let mut wrong = Vec::new();
    for Written { path, text } in written() {
        let builds = report(path, text).builds;
        for (name, how, change) in moves {
            for build in builds.iter().filter(|build| is_set(build, path, *how)) {
                let place = build.arch.set_at.as_ref().and_then(|set| set.span).unwrap();
                let Some(changed) = change(text, place.span()) else {
                    continue;
                };
                *made.get_mut(name).unwrap() += 1;
                let number = |builds: &[Build]| builds.iter().filter(|b| same(b, build)).count();
                let after = report(path, &changed).builds;
                if number(&after) >= number(&builds) {
                    wrong.push(format!(
                        "{name}: {path}, {} by {} {:?}\n{text}----\n{changed}",
                        build.builder, build.arch.knob, build.arch.text
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n\n"),
        wrong.len()
    );
    for (name, made) in made {
        assert!(made > 2, "{name} is done {made} times");
    }
}

/// Whether a build compiles for a list that is set in the file in a certain way.
fn is_set(build: &Build, path: &str, how: SetHow) -> bool {
    let set = build.arch.set_at.as_ref();
    let here = set.is_some_and(|set| set.how == how && set.path == path && set.span.is_some());
    here && build.path == path && build.compiles == Compiles::Yes
}

/// Whether a build has the list of another.
fn same(build: &Build, other: &Build) -> bool {
    let how = |build: &Build| build.arch.set_at.as_ref().map(|set| set.how);
    build.builder == other.builder
        && build.arch.knob == other.arch.knob
        && build.arch.text == other.arch.text
        && how(build) == how(other)
}

/// `NAME=value` at the place, and the text without it.
fn cut(text: &str, at: Span) -> Option<(String, String)> {
    let pair = text.get(at.range())?.to_owned();
    pair.contains('=').then_some(())?;
    let file = parse(text);
    let env = file
        .instructions
        .iter()
        .find(|i| i.keyword == "ENV" && i.span.contains(at))?;
    let alone = text[env.keyword_span.range().end..env.span.range().end].trim() == pair;
    let gone = if alone { env.span.range() } else { at.range() };
    Some((
        pair,
        format!("{}{}", &text[..gone.start], &text[gone.end..]),
    ))
}

fn removed(text: &str, at: Span) -> Option<String> {
    Some(cut(text, at)?.1)
}

fn late(text: &str, at: Span) -> Option<String> {
    let (pair, rest) = cut(text, at)?;
    Some(format!("{}\nENV {pair}\n", rest.trim_end()))
}

fn elsewhere(text: &str, at: Span) -> Option<String> {
    let (pair, rest) = cut(text, at)?;
    let file = parse(&rest);
    let first = file.instructions.iter().find(|i| i.keyword == "FROM")?;
    let (head, tail) = rest.split_at(first.span.range().start);
    Some(format!(
        "{head}FROM scratch AS elsewhere\nENV {pair}\n{tail}"
    ))
}

fn renamed(text: &str, at: Span) -> Option<String> {
    let pair = text.get(at.range())?;
    let (name, value) = pair.split_once('=')?;
    let start = at.range().start;
    Some(format!(
        "{}{name}_OTHER={value}{}",
        &text[..start],
        &text[at.range().end..]
    ))
}

/// The key before a value in YAML.
fn renamed_key(text: &str, at: Span) -> Option<String> {
    let start = at.range().start;
    let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let before = &text[line..start];
    let colon = line + before.rfind(':')?;
    Some(format!("{}_OTHER{}", &text[..colon], &text[colon..]))
}

fn not_exported(text: &str, at: Span) -> Option<String> {
    let name = text.get(at.range())?.split('=').next()?;
    // what was exported before stays so
    if text.matches(name).count() > 1 {
        return None;
    }
    let before = text[..at.range().start].strip_suffix("export ")?;
    Some(format!("{before}{}", &text[at.range().start..]))
}

/// An assignment before a command becomes one of its own.
fn parted(text: &str, at: Span) -> Option<String> {
    let end = at.range().end;
    let before = text[..at.range().start].trim_end();
    // behind `env` it is an argument
    let begins = before.ends_with(['&', ';', '\n']) || before.ends_with("RUN");
    (begins && text[end..].starts_with(' ')).then(|| format!("{};{}", &text[..end], &text[end..]))
}
