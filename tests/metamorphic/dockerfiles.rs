//! Dockerfiles written otherwise.
mod lines;
mod statements;

use crate::{Change, check_same};
use kimg_lint::span::Span;
use kimg_lint::text::dockerfile::{Args, Dockerfile, Instruction, parse};
use kimg_lint::text::shell::{self, Command, Script};
use kimg_lint::text::word::Word;

#[test]
fn what_means_the_same_is_answered_the_same() {
    let changes: &[(&str, Change)] = &[
        ("comments", lines::comments),
        ("blank lines", lines::blank_lines),
        ("comments in continuations", lines::comments_inside),
        ("no continuations", lines::joined_lines),
        ("more continuations", lines::broken_lines),
        ("the ends of lines", lines::crlf),
        ("no last end of line", lines::no_last_end),
        ("spaces at the ends of lines", lines::trailing_spaces),
        ("case of instructions", lines::lower_case),
        ("tabs", lines::tabs),
        ("quoted words", statements::quoted_words),
        ("quoted values", statements::quoted_values),
        ("ENV split", statements::env_split),
        ("ENV joined", statements::env_joined),
        ("ENV without an equals sign", statements::env_old),
        ("RUN split", statements::run_split),
        ("RUN joined", statements::run_joined),
        ("RUN as a heredoc", statements::run_heredoc),
        ("stages renamed", stages_renamed),
        ("stages reordered", stages_reordered),
    ];
    check_same(|file| file.kind() == "dockerfile", changes);
}

/// What replaces some bytes.
type Replaced = (Span, String);

/// The text with replacements, which are in order.
fn replace(text: &str, replaced: &[Replaced]) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for (span, new) in replaced {
        out.push_str(&text[done..span.range().start]);
        out.push_str(new);
        done = span.range().end;
    }
    out.push_str(&text[done..]);
    (out != text).then_some(out)
}

fn at(offset: u32) -> Span {
    Span {
        start: offset,
        end: offset,
    }
}

/// The file, if it is whole: what is broken may be broken elsewhere after a change.
fn read(text: &str) -> Option<Dockerfile> {
    let file = parse(text);
    let other_escape = file.comments.iter().any(|c| c.text.starts_with("escape"));
    (file.problems.is_empty() && !other_escape).then_some(file)
}

/// Instructions of one logical line without heredocs.
fn plain<'f>(file: &'f Dockerfile, keyword: &'f str) -> impl Iterator<Item = &'f Instruction> {
    let all = file.instructions.iter();
    all.filter(move |i| i.heredocs.is_empty() && (keyword.is_empty() || i.keyword == keyword))
}

/// Words of commands that are run one after the other, outermost commands only.
fn words(script: &Script) -> Vec<&Word> {
    let pipelines = script.items.iter().flat_map(|item| {
        std::iter::once(&item.first).chain(item.rest.iter().map(|(_, pipeline)| pipeline))
    });
    let commands = pipelines.flat_map(|pipeline| &pipeline.commands);
    let simple = commands.filter_map(|command| match command {
        Command::Simple(simple) => Some(simple),
        _ => None,
    });
    simple.flat_map(|simple| &simple.words).collect()
}

fn run_script(instruction: &Instruction) -> Script {
    shell::parse(&instruction.rest)
}

/// `RUN` instructions in shell form that bash or sh reads.
fn runs(file: &Dockerfile) -> impl Iterator<Item = &Instruction> {
    let other_shell = file.instructions.iter().any(|i| i.keyword == "SHELL");
    let windows = |i: &&Instruction| i.keyword == "FROM" && i.rest.text().contains("windows");
    let other_shell = other_shell || file.instructions.iter().any(|i| windows(&i));
    plain(file, "RUN").filter(move |i| i.args == Args::Shell && !other_shell)
}

/// The stages: each from its FROM to the next, with its name.
fn stages(file: &Dockerfile) -> Vec<(Span, Option<(String, Span)>)> {
    let mut stages: Vec<(Span, Option<(String, Span)>)> = Vec::new();
    for instruction in &file.instructions {
        match (&instruction.args, stages.last_mut()) {
            (Args::From { alias, .. }, _) => stages.push((instruction.span, alias.clone())),
            (_, Some((span, _))) => span.end = instruction.span.end,
            _ => {}
        }
    }
    stages
}

/// Whether stages are only named as such: not by number, not by a variable.
fn names_are_plain(file: &Dockerfile) -> bool {
    let from = |i: &Instruction| {
        let flags = i.flags.iter().filter(|flag| flag.name == "from");
        let values = flags.map(|flag| flag.value.as_ref().and_then(Word::literal));
        let mut values = values.collect::<Vec<_>>().into_iter();
        values.all(|value| value.is_some_and(|value| value.parse::<u32>().is_err()))
    };
    let image = |i: &Instruction| match &i.args {
        Args::From { image, .. } => image.literal().is_some(),
        _ => true,
    };
    file.instructions
        .iter()
        .all(|i| from(i) && image(i) && !i.rest.text().contains("from="))
        && file
            .instructions
            .iter()
            .all(|i| i.flags.iter().all(|flag| flag.name != "mount"))
}

fn stages_renamed(text: &str) -> Option<String> {
    let file = read(text).filter(names_are_plain)?;
    let mut renamed: Vec<Replaced> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for instruction in &file.instructions {
        let known = |word: &Word, names: &[String]| {
            let name = word.literal().unwrap_or_default().to_lowercase();
            names
                .contains(&name)
                .then(|| (word.span, format!("other-{name}")))
        };
        for flag in instruction.flags.iter().filter(|flag| flag.name == "from") {
            renamed.extend(flag.value.as_ref().and_then(|word| known(word, &names)));
        }
        if let Args::From { image, alias } = &instruction.args {
            renamed.extend(known(image, &names));
            if let Some((name, span)) = alias {
                names.push(name.to_lowercase());
                renamed.push((*span, format!("other-{}", name.to_lowercase())));
            }
        }
    }
    replace(text, &renamed)
}

/// The first two stages that do not need each other, the other way round; the last stays the last.
fn stages_reordered(text: &str) -> Option<String> {
    let file = read(text).filter(names_are_plain)?;
    let stages = stages(&file);
    let uses = |stage: Span, name: &Option<(String, Span)>| {
        let name = name.as_ref().map(|(name, _)| name.to_lowercase());
        name.is_some_and(|name| text[stage.range()].to_lowercase().contains(&name))
    };
    let inner = stages.get(..stages.len().checked_sub(1)?)?;
    let pair = inner
        .windows(2)
        .find(|pair| !uses(pair[1].0, &pair[0].1) && !uses(pair[0].0, &pair[1].1))?;
    let (first, second) = (pair[0].0, pair[1].0);
    let swapped = [
        (first, text[second.range()].to_owned()),
        (second, text[first.range()].to_owned()),
    ];
    replace(text, &swapped)
}

/// What the helpers rest on.
#[test]
fn changes_are_what_they_say() {
    let table: &[(Change, &str, &str)] = &[
        (lines::joined_lines, "RUN a \\\n b\n", "RUN a  b\n"),
        (lines::broken_lines, "RUN a b\n", "RUN \\\n \ta \\\n \tb\n"),
        (
            statements::quoted_words,
            "RUN a 'b' c\n",
            "RUN \"a\" 'b' \"c\"\n",
        ),
        (
            statements::quoted_values,
            "ENV A=1 B=$C\n",
            "ENV A=\"1\" B=\"$C\"\n",
        ),
        (
            statements::env_split,
            "ENV A=1 B=\"2 3\"\n",
            "ENV A=1\nENV B=\"2 3\"\n",
        ),
        (
            statements::env_joined,
            "ENV A=1\nENV B=2\n",
            "ENV A=1 \\\n    B=2\n",
        ),
        (statements::env_old, "ENV A=\"1 2\"\n", "ENV A 1 2\n"),
        (
            statements::run_split,
            "RUN git a && b\n",
            "RUN git a\nRUN b\n",
        ),
        (statements::run_split, "RUN cd a && b\n", ""),
        (
            statements::run_joined,
            "RUN git a\nRUN b\n",
            "RUN git a && \\\n    b\n",
        ),
        (statements::run_heredoc, "RUN a\n", "RUN <<END\na\nEND\n"),
        (
            stages_renamed,
            "FROM a AS b\nFROM b\nCOPY --from=b c d\n",
            "FROM a AS other-b\nFROM other-b\nCOPY --from=other-b c d\n",
        ),
        (
            stages_reordered,
            "FROM a AS x\nRUN c\nFROM a AS y\nFROM d\n",
            "FROM a AS y\nFROM a AS x\nRUN c\nFROM d\n",
        ),
    ];
    for (change, text, expected) in table {
        let text = if text.starts_with("FROM") {
            text.to_string()
        } else {
            format!("FROM z\n{text}")
        };
        let changed = change(&text).unwrap_or_default();
        assert_eq!(changed.trim_start_matches("FROM z\n"), *expected, "{text}");
    }
}
