//! Dockerfiles as kimg-lint, dockerfile-parser and parse-dockerfile see them.
use dockerfile_parser as pest;
use kimg_lint::text::dockerfile::{self, Args, Dockerfile, Instruction};
use parse_dockerfile as iter;

/// What is compared of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// In upper case.
    pub keyword: String,
    /// The names that ENV and ARG set, where the parser tells them.
    pub names: Option<Vec<String>>,
}

impl Seen {
    fn new(keyword: &str, names: Option<Vec<String>>) -> Self {
        Self {
            keyword: keyword.to_uppercase(),
            names,
        }
    }

    /// Whether both agree in what both know.
    pub fn agrees(&self, other: &Self) -> bool {
        let known = self.names.is_some() && other.names.is_some();
        self.keyword == other.keyword && (!known || self.names == other.names)
    }
}

/// What kimg-lint sees.
pub fn ours(file: &Dockerfile) -> Vec<Seen> {
    let seen = |instruction: &Instruction| {
        let names = match (instruction.keyword.as_str(), &instruction.args) {
            ("ENV" | "ARG", Args::Pairs(pairs)) => {
                Some(pairs.iter().map(|pair| pair.name.clone()).collect())
            }
            _ => None,
        };
        Seen::new(&instruction.keyword, names)
    };
    file.instructions.iter().map(seen).collect()
}

/// What dockerfile-parser sees; `None` if it refuses the file or is known to read it wrongly.
pub fn pest(source: &str, file: &Dockerfile) -> Option<Vec<Seen>> {
    if pest_is_wrong(source, file) {
        return None;
    }
    let parsed = pest::Dockerfile::parse(source).ok()?;
    let seen = |instruction: &pest::Instruction| match instruction {
        pest::Instruction::From(_) => Seen::new("FROM", None),
        pest::Instruction::Arg(arg) => Seen::new("ARG", Some(vec![arg.name.content.clone()])),
        pest::Instruction::Label(_) => Seen::new("LABEL", None),
        pest::Instruction::Run(_) => Seen::new("RUN", None),
        pest::Instruction::Entrypoint(_) => Seen::new("ENTRYPOINT", None),
        pest::Instruction::Cmd(_) => Seen::new("CMD", None),
        pest::Instruction::Copy(_) => Seen::new("COPY", None),
        pest::Instruction::Env(env) => {
            let names = env.vars.iter().map(|var| var.key.content.clone());
            Seen::new("ENV", Some(names.collect()))
        }
        pest::Instruction::Misc(misc) => Seen::new(&misc.instruction.content, None),
    };
    Some(parsed.instructions.iter().map(seen).collect())
}

/// dockerfile-parser knows no heredocs (their lines become instructions) and no escape directive,
/// and takes the letters that an unknown word begins with as its keyword.
fn pest_is_wrong(source: &str, file: &Dockerfile) -> bool {
    let letters = |keyword: &str| keyword.bytes().all(|byte| byte.is_ascii_alphabetic());
    has_heredoc(file)
        || has_escape_directive(source)
        || !file
            .instructions
            .iter()
            .all(|instruction| letters(&instruction.keyword))
}

/// What parse-dockerfile sees; `None` if it refuses the file or is known to read it wrongly.
pub fn iter(source: &str, file: &Dockerfile) -> Option<Vec<Seen>> {
    if has_late_heredoc(file) || has_escaped_escape(source) {
        return None;
    }
    let instructions = iter::parse_iter(source)
        .ok()?
        .collect::<Result<Vec<_>, _>>()
        .ok()?;
    let seen = |instruction: &iter::Instruction<'_>| Seen::new(keyword(instruction), None);
    Some(instructions.iter().map(seen).collect())
}

fn keyword(instruction: &iter::Instruction<'_>) -> &'static str {
    match instruction {
        iter::Instruction::Add(_) => "ADD",
        iter::Instruction::Arg(_) => "ARG",
        iter::Instruction::Cmd(_) => "CMD",
        iter::Instruction::Copy(_) => "COPY",
        iter::Instruction::Entrypoint(_) => "ENTRYPOINT",
        iter::Instruction::Env(_) => "ENV",
        iter::Instruction::Expose(_) => "EXPOSE",
        iter::Instruction::From(_) => "FROM",
        iter::Instruction::Healthcheck(_) => "HEALTHCHECK",
        iter::Instruction::Label(_) => "LABEL",
        iter::Instruction::Maintainer(_) => "MAINTAINER",
        iter::Instruction::Onbuild(_) => "ONBUILD",
        iter::Instruction::Run(_) => "RUN",
        iter::Instruction::Shell(_) => "SHELL",
        iter::Instruction::Stopsignal(_) => "STOPSIGNAL",
        iter::Instruction::User(_) => "USER",
        iter::Instruction::Volume(_) => "VOLUME",
        iter::Instruction::Workdir(_) => "WORKDIR",
        _ => "?",
    }
}

fn has_escape_directive(source: &str) -> bool {
    let comments = source
        .lines()
        .take_while(|line| line.trim_start().starts_with('#'));
    let mut directives =
        comments.filter_map(|line| line.trim_start_matches(['#', ' ', '\t']).split_once('='));
    directives.any(|(name, _)| name.trim().eq_ignore_ascii_case("escape"))
}

fn inner(instruction: &Instruction) -> &Instruction {
    match &instruction.args {
        Args::OnBuild(inner) => inner,
        _ => instruction,
    }
}

fn has_heredoc(file: &Dockerfile) -> bool {
    file.instructions
        .iter()
        .any(|instruction| !inner(instruction).heredocs.is_empty())
}

/// parse-dockerfile finds a heredoc of RUN only where it is the first word.
fn has_late_heredoc(file: &Dockerfile) -> bool {
    let late = |instruction: &Instruction| match inner(instruction).heredocs.as_slice() {
        [] => false,
        [only] => !instruction.rest.text().starts_with("<<") || only.marker.len() < 3,
        _ => true,
    };
    file.instructions.iter().any(late)
}

/// parse-dockerfile takes a line that ends in two escape characters as continued.
fn has_escaped_escape(source: &str) -> bool {
    source.lines().any(|line| line.trim_end().ends_with("\\\\"))
}

/// Whether the first line that is no comment begins a Dockerfile.
pub fn is_dockerfile(source: &str) -> bool {
    let text = source
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim_start);
    let mut lines = text.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let first = lines.next().unwrap_or_default().to_uppercase();
    !source.starts_with("#!") && (first.starts_with("FROM ") || first.starts_with("ARG "))
}

/// Compares kimg-lint with both; the difference in words, or how many of them accepted the file.
pub fn compare(source: &str) -> Result<usize, String> {
    let file = dockerfile::parse(source);
    let ours = ours(&file);
    let oracles = [
        ("dockerfile-parser", pest(source, &file)),
        ("parse-dockerfile", iter(source, &file)),
    ];
    let mut accepted = 0;
    for (name, theirs) in oracles {
        let Some(theirs) = theirs else { continue };
        accepted += 1;
        let agree =
            ours.len() == theirs.len() && ours.iter().zip(&theirs).all(|(a, b)| a.agrees(b));
        if !agree {
            return Err(format!(
                "{name} sees {theirs:?}\nkimg-lint sees {ours:?}\nin {source:?}"
            ));
        }
    }
    Ok(accepted)
}
