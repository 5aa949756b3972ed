//! The same settings and commands in other quotes and other instructions.
use super::{Replaced, plain, read, replace, run_script, runs, words};
use kimg_lint::span::Span;
use kimg_lint::text::dockerfile::{Args, Instruction};
use kimg_lint::text::shell::{self, Command, Join};
use kimg_lint::text::word::{Part, Word};

/// A word that means the same in quotes.
fn is_plain(word: &Word) -> bool {
    let [
        Part::Literal {
            text,
            quoted: false,
            ..
        },
    ] = word.parts.as_slice()
    else {
        return false;
    };
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./:+@,%".contains(c);
    !word.quoted && text.chars().all(harmless)
}

pub fn quoted_words(text: &str) -> Option<String> {
    let file = read(text)?;
    let mut quoted: Vec<Replaced> = Vec::new();
    for run in runs(&file) {
        let script = run_script(run);
        for (index, word) in words(&script).into_iter().enumerate() {
            let source = &text[word.span.range()];
            if is_plain(word) && !source.contains('\\') {
                let quote = if index % 2 == 0 { '"' } else { '\'' };
                quoted.push((word.span, format!("{quote}{source}{quote}")));
            }
        }
    }
    replace(text, &quoted)
}

pub fn quoted_values(text: &str) -> Option<String> {
    let file = read(text)?;
    let mut quoted: Vec<Replaced> = Vec::new();
    for instruction in plain(&file, "").filter(|i| i.keyword == "ENV" || i.keyword == "ARG") {
        let Args::Pairs(pairs) = &instruction.args else {
            continue;
        };
        let values = pairs
            .iter()
            .filter(|pair| text[pair.span.range()].contains('='));
        let values = values.filter_map(|pair| pair.value.as_ref());
        let written = |value: &&Word| {
            let source = &text[value.span.range()];
            !value.quoted && !source.is_empty() && !source.contains(['\\', '"', '\'', ' '])
        };
        let more = values.filter(written).map(|value| {
            let source = &text[value.span.range()];
            (value.span, format!("\"{source}\""))
        });
        quoted.extend(more);
    }
    replace(text, &quoted)
}

pub fn env_split(text: &str) -> Option<String> {
    let file = read(text)?;
    let mut split: Vec<Replaced> = Vec::new();
    for env in plain(&file, "ENV") {
        let Args::Pairs(pairs) = &env.args else {
            continue;
        };
        let source = &text[env.span.range()];
        // a value sees what was set before the instruction
        if pairs.len() < 2 || source.contains(['$', '#']) {
            continue;
        }
        let lines = pairs
            .iter()
            .map(|pair| format!("ENV {}", &text[pair.span.range()]));
        split.push((env.span, lines.collect::<Vec<_>>().join("\n")));
    }
    replace(text, &split)
}

pub fn env_joined(text: &str) -> Option<String> {
    let file = read(text)?;
    let is_one = |i: &Instruction| {
        let source = &text[i.span.range()];
        i.keyword == "ENV" && source.contains('=') && !source.contains(['$', '\\', '\n', '#'])
    };
    let pairs = file.instructions.windows(2);
    let next = |pair: &&[Instruction]| {
        let between = &text[pair[0].span.range().end..pair[1].span.range().start];
        is_one(&pair[0]) && is_one(&pair[1]) && between.trim().is_empty()
    };
    let joined = pairs.filter(next).map(|pair| {
        let gap = Span {
            start: pair[0].span.end,
            end: pair[1].keyword_span.end,
        };
        (gap, " \\\n   ".to_owned())
    });
    replace(text, &joined.collect::<Vec<_>>())
}

pub fn env_old(text: &str) -> Option<String> {
    let file = read(text)?;
    let mut old: Vec<Replaced> = Vec::new();
    for env in plain(&file, "ENV") {
        if let Args::Pairs(pairs) = &env.args
            && let [pair] = pairs.as_slice()
            && let Some(value) = pair.value.as_ref().and_then(Word::literal)
            && text[pair.span.range()].starts_with(&format!("{}=", pair.name))
            && !value.is_empty()
            && !value.contains(['$', '\\', '"', '\'', '\n'])
        {
            old.push((pair.span, format!("{} {value}", pair.name)));
        }
    }
    replace(text, &old)
}

/// Programs after which the shell is as it was.
const HARMLESS: [&str; 10] = [
    "apt-get", "apt", "pip", "pip3", "git", "mkdir", "rm", "wget", "curl", "echo",
];

/// A command that leaves nothing to the ones behind it but files.
fn is_harmless(command: &Command) -> bool {
    let Command::Simple(simple) = command else {
        return false;
    };
    let name = simple.words.first().and_then(Word::literal);
    simple.assignments.is_empty() && name.is_some_and(|name| HARMLESS.contains(&&*name))
}

pub fn run_split(text: &str) -> Option<String> {
    let file = read(text)?;
    let mut split: Vec<Replaced> = Vec::new();
    for run in runs(&file).filter(|run| run.flags.is_empty()) {
        let script = run_script(run);
        let [item] = script.items.as_slice() else {
            continue;
        };
        let mut pipelines = vec![&item.first];
        pipelines.extend(item.rest.iter().map(|(_, pipeline)| pipeline));
        let one = |pipeline: &&shell::Pipeline| pipeline.commands.len() == 1;
        let only_and = item.rest.iter().all(|(join, _)| *join == Join::And);
        let (_, first) = pipelines.split_last()?;
        let harmless = first
            .iter()
            .all(|pipeline| is_harmless(&pipeline.commands[0]));
        if !only_and
            || item.background
            || first.is_empty()
            || !pipelines.iter().all(one)
            || !harmless
        {
            continue;
        }
        // the operators: from a command's end to the next one's beginning
        let spans: Option<Vec<Span>> = pipelines
            .iter()
            .map(|pipeline| match &pipeline.commands[0] {
                Command::Simple(simple) if simple.redirects.is_empty() => Some(simple.span),
                _ => None,
            })
            .collect();
        let Some(spans) = spans else {
            continue;
        };
        split.extend(spans.windows(2).map(|pair| {
            let gap = Span {
                start: pair[0].end,
                end: pair[1].start,
            };
            (gap, "\nRUN ".to_owned())
        }));
    }
    replace(text, &split)
}

pub fn run_joined(text: &str) -> Option<String> {
    let file = read(text)?;
    let joinable: Vec<&Instruction> = runs(&file).filter(|run| run.flags.is_empty()).collect();
    let is_harmless_run = |run: &Instruction| {
        let script = run_script(run);
        let [item] = script.items.as_slice() else {
            return false;
        };
        item.rest.is_empty()
            && item.first.commands.len() == 1
            && is_harmless(&item.first.commands[0])
    };
    let is_simple = |run: &Instruction| {
        let script = run_script(run);
        script.items.len() == 1
            && script.items[0]
                .rest
                .iter()
                .all(|(join, _)| *join == Join::And)
    };
    let joined = joinable.windows(2).filter_map(|pair| {
        let between = &text[pair[0].span.range().end..pair[1].span.range().start];
        let gap = Span {
            start: pair[0].span.end,
            end: pair[1].keyword_span.end,
        };
        let fits = between.trim().is_empty() && is_harmless_run(pair[0]) && is_simple(pair[1]);
        fits.then(|| (gap, " && \\\n   ".to_owned()))
    });
    replace(text, &joined.collect::<Vec<_>>())
}

pub fn run_heredoc(text: &str) -> Option<String> {
    let file = read(text)?;
    let one_line = |run: &&Instruction| !text[run.span.range()].contains('\n');
    let heredocs = runs(&file).filter(one_line).map(|run| {
        let start = run.rest.span(0, run.rest.text().len()).start;
        let span = Span {
            start,
            end: run.span.end,
        };
        (span, format!("<<END\n{}\nEND", run.rest.text()))
    });
    // what a heredoc expands before the shell does is another matter
    let heredocs: Vec<Replaced> = heredocs
        .filter(|(_, new)| !new.contains(['$', '`', '\\']))
        .collect();
    replace(text, &heredocs)
}
