//! Dockerfiles as statements: one scope a stage.
use super::directive::{self, Directive};
use super::document::{Assign, Document, Does, Scope, Statement};
use super::kind::{Kind, Role, file_name};
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::Problem;
use crate::text::dockerfile::{self, Args, Dockerfile, Instruction, RunText};
use crate::text::shell::{self, Script};
use crate::text::word::{Part, Word};

/// Dockerfiles.
pub static KIND: Kind = Kind {
    name: "dockerfile",
    role: Role::Recipe,
    is_at,
    is_in: |_| true,
    read: |source| read(source.text),
};

/// `Dockerfile`, `Dockerfile.cuda`, `cuda.Dockerfile`, `Containerfile`.
fn is_at(path: &str) -> bool {
    let name = file_name(path);
    let others = ["yml", "yaml", "json", "toml", "lock", "dockerignore"];
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    let by_name = ["dockerfile", "containerfile"]
        .iter()
        .any(|word| name.starts_with(word) || name.ends_with(&format!(".{word}")));
    by_name && !others.contains(&end)
}

/// Whether some line begins with FROM.
pub(super) fn has_from(text: &str) -> bool {
    text.lines().any(|line| {
        let word = line.split_whitespace().next().unwrap_or_default();
        word.eq_ignore_ascii_case("from")
    })
}

/// Reads a Dockerfile.
pub fn read(source: &str) -> Document {
    let file = dockerfile::parse(source);
    let mut document = Document {
        directives: directives(source, &file),
        problems: file.problems,
        ..Document::default()
    };
    // RUN text is for another shell than a Unix one
    let mut foreign = false;
    for instruction in &file.instructions {
        foreign = is_foreign(instruction).unwrap_or(foreign);
        let statements = if foreign && instruction.keyword == "RUN" {
            vec![Statement {
                action: Does::Foreign("PowerShell or cmd".to_owned()),
                span: instruction.span,
            }]
        } else {
            statements(instruction, &mut document.problems)
        };
        if let Args::From { alias, .. } = &instruction.args {
            let alias = alias.as_ref().map(|(name, _)| name.clone());
            let title = alias
                .clone()
                .unwrap_or_else(|| format!("stage {}", document.scopes.len() + 1));
            document.scopes.push(Scope {
                title,
                alias,
                ..Scope::default()
            });
        }
        match document.scopes.last_mut() {
            Some(scope) => scope.statements.extend(statements),
            None if instruction.keyword == "ARG" => document.globals.extend(statements),
            // a fragment without FROM is still read: as one stage on an unknown base
            None => document.scopes.push(Scope {
                title: "fragment".to_owned(),
                statements,
                ..Scope::default()
            }),
        }
    }
    document
}

/// The comments that are addressed to this tool, each with the instruction that holds or follows it.
fn directives(source: &str, file: &Dockerfile) -> Vec<Directive> {
    let instructions = &file.instructions;
    let is_from = |at: &usize| matches!(instructions[*at].args, Args::From { .. });
    let mut directives = Vec::new();
    for comment in &file.comments {
        let Some(mut directive) = directive::read(source, comment.span) else {
            continue;
        };
        let next = instructions.partition_point(|i| i.span.end <= comment.span.start);
        directive.instruction = instructions.get(next).map(|i| i.span);
        let count = instructions.len();
        let first = (0..count.min(next + 1)).rev().find(is_from).unwrap_or(0);
        let end = (next + 1..count)
            .find(is_from)
            .map_or(source.len(), |at| instructions[at].span.start as usize);
        let start = instructions.get(first).map_or(0, |i| i.span.start as usize);
        directive.stage = Span::new(start, end);
        directives.push(directive);
    }
    directives
}

/// Whether RUN text after this instruction is for PowerShell or cmd; `None` if it says nothing about it.
fn is_foreign(instruction: &Instruction) -> Option<bool> {
    match (instruction.keyword.as_str(), &instruction.args) {
        ("SHELL", Args::Exec(words)) => {
            let program = words.first().and_then(Word::literal)?.to_ascii_lowercase();
            let name = program
                .rsplit(['/', '\\'])
                .next()
                .unwrap_or(&program)
                .trim_end_matches(".exe")
                .to_owned();
            Some(matches!(name.as_str(), "powershell" | "pwsh" | "cmd"))
        }
        // a stage on a Windows base begins with cmd; one on an earlier stage keeps that stage's shell
        ("FROM", Args::From { image, .. }) => {
            let windows = image.parts.iter().any(|p| matches!(p, Part::Literal { text, .. } if ["windows/", "nanoserver", "servercore"].iter().any(|w| text.contains(w))));
            let external = image
                .parts
                .iter()
                .any(|p| matches!(p, Part::Literal { text, .. } if text.contains([':', '/'])));
            external.then_some(windows)
        }
        _ => None,
    }
}

fn statements(instruction: &Instruction, problems: &mut Vec<Problem>) -> Vec<Statement> {
    let span = instruction.span;
    let one = |action| vec![Statement { action, span }];
    let flag = |name: &str| {
        instruction
            .flags
            .iter()
            .find(|f| f.name == name)
            .and_then(|f| f.value.clone())
    };
    match (instruction.keyword.as_str(), &instruction.args) {
        (_, Args::From { image, .. }) => one(Does::Base {
            image: image.clone(),
            platform: flag("platform"),
        }),
        ("ARG", Args::Pairs(pairs)) => pairs
            .iter()
            .map(|p| Statement {
                action: Does::Declare {
                    name: p.name.clone(),
                    default: p.value.clone(),
                    span: p.span,
                },
                span,
            })
            .collect(),
        ("ENV", Args::Pairs(pairs)) => {
            let assigns = pairs.iter().filter_map(|p| {
                Some(Assign {
                    name: p.name.clone(),
                    value: p.value.clone()?,
                    span: p.span,
                })
            });
            one(Does::Set {
                assigns: assigns.collect(),
                how: SetHow::Env,
            })
        }
        ("WORKDIR", Args::Words(words)) => words
            .first()
            .map_or_else(Vec::new, |w| one(Does::Chdir(w.clone()))),
        ("USER", Args::Words(words)) => words
            .first()
            .map_or_else(Vec::new, |w| one(Does::User(w.clone()))),
        ("SHELL", Args::Exec(words)) => one(Does::Shell(
            words.iter().filter_map(Word::literal).collect(),
        )),
        ("RUN", Args::Exec(words)) => one(Does::Exec(words.clone())),
        ("RUN", Args::Shell) => one(run(instruction, problems)),
        ("CMD" | "ENTRYPOINT", Args::Exec(words)) => one(Does::Start(words.clone())),
        ("COPY" | "ADD", Args::Words(words) | Args::Exec(words)) => {
            copy(instruction, words, flag("from"), span)
        }
        ("ONBUILD", _) => one(Does::Deferred),
        _ => Vec::new(),
    }
}

fn run(instruction: &Instruction, problems: &mut Vec<Problem>) -> Does {
    let mut named = None;
    let mut script = match dockerfile::run_text(instruction) {
        Some(RunText::Shell(text)) => shell::parse(&text),
        Some(RunText::Program { interpreter, body }) if is_shell(&interpreter) => {
            named = Some(interpreter);
            shell::parse(body)
        }
        Some(RunText::Program { interpreter, .. }) => return Does::Foreign(interpreter),
        None => Script::default(),
    };
    problems.append(&mut script.problems);
    let flags = instruction
        .flags
        .iter()
        .map(|f| (f.name.clone(), f.value.clone()))
        .collect();
    Does::Run {
        script,
        flags,
        template: None,
        shell: named,
    }
}

/// `/bin/bash -e`, `/usr/bin/env bash`.
pub(crate) fn is_shell(interpreter: &str) -> bool {
    let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut words = interpreter
        .split_whitespace()
        .map(name)
        .filter(|w| w != "env");
    words
        .next()
        .is_some_and(|w| matches!(w.as_str(), "sh" | "bash" | "dash" | "ash" | "zsh"))
}

fn copy(
    instruction: &Instruction,
    words: &[Word],
    from: Option<Word>,
    span: Span,
) -> Vec<Statement> {
    let Some((destination, sources)) = words.split_last() else {
        return Vec::new();
    };
    let is_marker = |w: &Word| {
        instruction
            .heredocs
            .iter()
            .any(|h| h.marker.contains(w.span) || w.span.contains(h.marker))
    };
    let files: Vec<Word> = sources.iter().filter(|w| !is_marker(w)).cloned().collect();
    let mut statements: Vec<Statement> = instruction
        .heredocs
        .iter()
        .map(|h| Statement {
            action: Does::Write {
                text: h.clone(),
                destination: destination.clone(),
            },
            span,
        })
        .collect();
    if !files.is_empty() {
        let add = instruction.keyword == "ADD";
        statements.push(Statement {
            action: Does::Copy {
                from,
                sources: files,
                destination: destination.clone(),
                add,
            },
            span,
        });
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the directives of a text cover, by instruction and by stage.
    #[test]
    fn a_comment_belongs_to_the_instruction_that_holds_or_follows_it() {
        let source = "\
# kimg-lint: builds a
ARG X
# kimg-lint: builds b
FROM one
RUN c \\
# kimg-lint: builds c
  d
# kimg-lint: builds d
FROM two

# kimg-lint: builds e

# another
EXPOSE 1
RUN f
# kimg-lint: builds f
";
        let file = read(source);
        let text = |span: Span| {
            let text = &source[span.range()];
            text.lines().next().unwrap_or_default()
        };
        let covered: Vec<_> = file
            .directives
            .iter()
            .map(|d| (d.instruction.map(text), text(d.stage)))
            .collect();
        assert_eq!(
            covered,
            [
                (Some("ARG X"), "ARG X"),
                (Some("FROM one"), "FROM one"),
                (Some("RUN c \\"), "FROM one"),
                (Some("FROM two"), "FROM two"),
                (Some("EXPOSE 1"), "FROM two"),
                (None, "FROM two"),
            ]
        );
        assert_eq!(file.directives[5].stage.end as usize, source.len());
    }
}
