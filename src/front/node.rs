//! YAML values as the pieces of documents: words, settings, scripts, comments.
use super::directive;
use super::document::{Assign, Document, Does, Scope, Statement, Unit};
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::Problem;
use crate::text::mapped::Mapped;
use crate::text::word::{Part, Word};
use crate::text::yaml::{self, Entry, Node, Yaml};
use crate::text::{cmd, powershell, shell};
use std::collections::BTreeSet;

/// A text as one word, by the rules of a format.
pub(super) type Reading = fn(&Mapped) -> Word;

/// A text in which nothing is special.
pub(super) fn plain(text: &Mapped) -> Word {
    let range = 0..text.text().len();
    Word {
        parts: Part::literals(text, range.clone(), true).collect(),
        quoted: true,
        span: text.span(range.start, range.end),
    }
}

/// A scalar as a word; null is the empty word.
pub(super) fn word(node: &Node, reading: impl Fn(&Mapped) -> Word) -> Word {
    node.scalar()
        .map_or_else(|| Word::of_text("", node.span), reading)
}

/// The settings of a map of names and values, or of a list of `NAME=value`; a name without a value is none.
pub(super) fn assigns(node: &Node, reading: impl Fn(&Mapped) -> Word) -> Vec<Assign> {
    let of_map = node
        .entries()
        .iter()
        .filter_map(|entry| assign(entry, &reading));
    let of_list = node
        .items()
        .iter()
        .filter_map(Node::scalar)
        .filter_map(|text| pair(text, &reading));
    of_map.chain(of_list).collect()
}

/// One entry as a setting.
pub(super) fn assign(entry: &Entry, reading: impl Fn(&Mapped) -> Word) -> Option<Assign> {
    Some(Assign {
        name: entry.name()?.to_owned(),
        value: reading(entry.value.scalar()?),
        span: entry.span,
    })
}

/// `NAME=value` as a setting.
pub(super) fn pair(text: &Mapped, reading: impl Fn(&Mapped) -> Word) -> Option<Assign> {
    let (name, value) = text.text().split_once('=')?;
    let name = name.trim();
    let (from, to) = (text.text().len() - value.len(), text.text().len());
    Some(Assign {
        name: name.to_owned(),
        value: reading(&text.slice(from..to)),
        span: text.span(0, to),
    })
}

/// The settings in a line of the shell.
pub(super) fn shell_pairs(line: &Mapped) -> Vec<Assign> {
    let script = shell::parse(line);
    let commands = script.items.iter().flat_map(|item| &item.first.commands);
    let assignments = commands.filter_map(|command| match command {
        shell::Command::Simple(simple) => Some(&simple.assignments),
        _ => None,
    });
    let pairs = assignments
        .flatten()
        .filter_map(|assignment| match &assignment.value {
            shell::AssignedValue::Word(value) => Some(Assign {
                name: assignment.name.clone(),
                value: value.clone(),
                span: assignment.span,
            }),
            shell::AssignedValue::Array(_) => None,
        });
    pairs.collect()
}

/// Shell text; expressions in it are filled in before it is read.
pub(super) fn run(text: &Mapped, problems: &mut Vec<Problem>) -> Does {
    run_by(None, text, problems)
}

fn run_by(shell: Option<&str>, text: &Mapped, problems: &mut Vec<Problem>) -> Does {
    let mut script = shell::parse(text);
    problems.append(&mut script.problems);
    Does::Run {
        script,
        flags: Vec::new(),
        template: text.text().contains("${{").then(|| text.clone()),
        shell: shell.map(str::to_owned),
    }
}

/// A script in the shell that a command line such as `bash -e {0}` names.
pub(super) fn run_in(shell: &str, script: &Mapped, problems: &mut Vec<Problem>) -> Does {
    let program = shell.split_whitespace().next().unwrap_or_default();
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    match name.trim_end_matches(".exe") {
        name @ ("bash" | "sh" | "zsh" | "dash" | "ash") => run_by(Some(name), script, problems),
        // rewritten as shell text; what of it is not understood is no fault of the file
        name @ ("pwsh" | "powershell") => {
            run_by(Some(name), &powershell::as_shell(script), &mut Vec::new())
        }
        name @ "cmd" => run_by(Some(name), &cmd::as_shell(script), &mut Vec::new()),
        other => Does::Foreign(other.to_owned()),
    }
}

/// Where a job has the files of the repository, unless its format says otherwise.
pub(super) const REPOSITORY: &str = "/repo";

/// The files of the repository come to the job's directory.
pub(super) fn checkout(span: Span) -> [Statement; 2] {
    let copy = Does::Copy {
        from: None,
        sources: vec![Word::of_text(".", span)],
        destination: Word::of_text(REPOSITORY, span),
        add: false,
    };
    [copy, Does::Chdir(Word::of_text(REPOSITORY, span))].map(|action| Statement { action, span })
}

/// The same, by a service that has variables for the place.
pub(super) fn checkout_named(names: &[&str], span: Span) -> Vec<Statement> {
    let place = Span::new(span.start as usize, span.start as usize);
    let assigns = names.iter().map(|name| Assign {
        name: (*name).to_owned(),
        value: Word::of_text(REPOSITORY, place),
        span: place,
    });
    let action = Does::Set {
        assigns: assigns.collect(),
        how: SetHow::ConfigEnv,
    };
    let mut all: Vec<Statement> = checkout(span).into();
    all.push(Statement { action, span });
    all
}

/// Settings of which each name is set once: the last of them counts.
pub(super) fn last_wins(assigns: Vec<Assign>, key: impl Fn(&str) -> String) -> Vec<Assign> {
    let mut seen = BTreeSet::new();
    let last = assigns.into_iter().rev();
    let mut kept: Vec<Assign> = last.filter(|a| seen.insert(key(&a.name))).collect();
    kept.reverse();
    kept
}

/// Settings in the order in which they can be made: each round after those that it counts on. Those that count on each other
/// in a circle, or in too long a chain, are the last round.
pub(super) fn rounds(
    mut pending: Vec<Assign>,
    counts_on: impl Fn(&Assign) -> Vec<String>,
) -> Vec<Vec<Assign>> {
    const MAX_ROUNDS: usize = 32;
    let mut rounds = Vec::new();
    while !pending.is_empty() && rounds.len() < MAX_ROUNDS {
        let names: BTreeSet<String> = pending.iter().map(|assign| assign.name.clone()).collect();
        let waits = |assign: &Assign| {
            let mut others = counts_on(assign).into_iter();
            others.any(|name| name != assign.name && names.contains(&name))
        };
        let (waiting, ready): (Vec<_>, Vec<_>) = pending.into_iter().partition(waits);
        pending = waiting;
        if ready.is_empty() {
            break;
        }
        rounds.push(ready);
    }
    if !pending.is_empty() {
        rounds.push(pending);
    }
    rounds
}

/// Joins texts to one, each on lines of its own.
pub(super) fn lines<'t>(texts: impl IntoIterator<Item = &'t Mapped>) -> Mapped {
    let mut joined = Mapped::default();
    for text in texts {
        let length = text.text().len();
        joined.append(text, 0..length);
        if !text.text().ends_with('\n') {
            joined.push("\n", text.origin(length));
        }
    }
    joined
}

/// A file of jobs in YAML: `take` adds what its first document holds.
pub(super) fn jobs(source: &str, take: impl FnOnce(&Node, &mut Document)) -> Document {
    let yaml = yaml::parse(source);
    let mut jobs = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    if let Some(root) = yaml.documents.first() {
        take(root, &mut jobs);
    }
    document(source, &yaml, jobs)
}

/// A document of a YAML file, with its comments and problems.
pub(super) fn document(source: &str, yaml: &Yaml, document: Document) -> Document {
    let mut document = commented(source, &yaml.comments, document);
    let mut problems = yaml.problems.clone();
    problems.append(&mut document.problems);
    document.problems = problems;
    document
}

/// A document with the comments of its file: each belongs to the statement that holds or follows it.
pub(super) fn commented(source: &str, comments: &[Span], mut document: Document) -> Document {
    let mut statements: Vec<(Span, Span)> = Vec::new();
    for scope in &document.scopes {
        let spans = spans(scope);
        let all = spans.iter().copied().reduce(Span::to).unwrap_or_default();
        statements.extend(spans.into_iter().map(|span| (span, all)));
    }
    statements.sort_unstable();
    for &comment in comments {
        let Some(mut directive) = directive::read(source, comment) else {
            continue;
        };
        let holder = statements
            .iter()
            .rev()
            .find(|(span, _)| span.contains(comment));
        let next = statements
            .iter()
            .find(|(span, _)| span.start >= comment.end);
        if let Some(&(span, scope)) = holder.or(next) {
            directive.instruction = Some(span);
            directive.stage = scope;
        }
        document.directives.push(directive);
    }
    document
}

/// The places of a scope's statements, those inside of others included.
fn spans(scope: &Scope) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut open: Vec<&Statement> = scope.statements.iter().collect();
    while let Some(statement) = open.pop() {
        spans.push(statement.span);
        if let Does::Block { body, .. } | Does::Enter { body, .. } = &statement.action {
            open.extend(body);
        }
    }
    spans
}
