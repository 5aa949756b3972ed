//! Shell text as kimg-lint and rable see it: the names of the commands, in order.
use kimg_lint::text::mapped::Mapped;
use kimg_lint::text::shell::{
    self, AssignedValue, Command, Compound, CompoundKind, Redirect, RedirectKind, Script,
};
use kimg_lint::text::word::{Part, Word};
use rable::{Node, NodeKind};

/// rable recurses once per bracket or compound command.
const MAX_NESTING: usize = 200;

/// rable looks no deeper into substitutions inside substitutions.
const RABLE_LEVELS: usize = 2;
/// What rable lets pass and bash does not, or only with a warning: kimg-lint's problems with it.
const RABLE_ACCEPTS: [&str; 2] = ["a redirection without a target", "the heredoc is not ended"];

/// What kimg-lint sees; `None` if it has a problem with the text that rable should have too.
pub fn ours(source: &str) -> Option<Vec<String>> {
    let script = shell::parse(&Mapped::verbatim(source, 0));
    let mut names = Names {
        source,
        found: Vec::new(),
        level: 0,
    };
    names.script(&script);
    script.problems.is_empty().then_some(names.found)
}

/// Whether kimg-lint rightly refuses, or reads in its own way, what rable reads differently.
fn rable_is_wrong(source: &str) -> bool {
    let script = shell::parse(&Mapped::verbatim(source, 0));
    let accepts = |message: &str| RABLE_ACCEPTS.iter().any(|known| message.starts_with(known));
    script.problems.iter().any(|problem| accepts(&problem.message))
        || source.contains("{{") // a template expression with blanks is several words to rable
        || source.contains('\r') // rable takes it as text also before a line break
        || source.contains("!(") // negates a subshell: a pattern only where extglob is on
        || subshell_in_substitution(source)
}

/// rable takes `$((` as arithmetic even where the parentheses close apart.
fn subshell_in_substitution(source: &str) -> bool {
    let ends = |at: usize| {
        let mut depth = 0;
        let inside = source[at..].bytes().take_while(move |byte| {
            depth += i32::from(*byte == b'(') - i32::from(*byte == b')');
            depth > 0 || *byte != b')'
        });
        at + inside.count()
    };
    source.match_indices("$((").any(|(at, _)| {
        let inner = ends(at + 2);
        !source[inner..].starts_with("))")
    })
}

struct Names<'s> {
    source: &'s str,
    found: Vec<String>,
    /// How many substitutions are open.
    level: usize,
}

impl Names<'_> {
    fn script(&mut self, script: &Script) {
        for item in &script.items {
            let pipelines =
                std::iter::once(&item.first).chain(item.rest.iter().map(|(_, next)| next));
            for command in pipelines.flat_map(|pipeline| &pipeline.commands) {
                self.command(command);
            }
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => {
                if let Some(name) = simple.words.first() {
                    let text = self.source.get(name.span.range()).unwrap_or_default();
                    self.found.push(without_continuations(text));
                }
                for assignment in &simple.assignments {
                    match &assignment.value {
                        AssignedValue::Word(word) => self.word(word),
                        AssignedValue::Array(words) => {
                            words.iter().for_each(|word| self.word(word))
                        }
                    }
                }
                simple.words.iter().for_each(|word| self.word(word));
                self.redirects(&simple.redirects);
            }
            Command::Compound(compound) => self.compound(compound),
            Command::Function { body, .. } => self.compound(body),
            Command::Opaque { .. } => {}
        }
    }

    fn compound(&mut self, compound: &Compound) {
        match &compound.kind {
            CompoundKind::Group(body) | CompoundKind::Subshell(body) => self.script(body),
            CompoundKind::If { arms, otherwise } => {
                for (condition, body) in arms {
                    self.script(condition);
                    self.script(body);
                }
                otherwise.iter().for_each(|body| self.script(body));
            }
            CompoundKind::While { condition, body } => {
                self.script(condition);
                self.script(body);
            }
            CompoundKind::For { words, body, .. } => {
                words.iter().flatten().for_each(|word| self.word(word));
                self.script(body);
            }
            CompoundKind::Case { word, arms } => {
                self.word(word);
                for (patterns, body) in arms {
                    patterns.iter().for_each(|pattern| self.word(pattern));
                    self.script(body);
                }
            }
        }
        self.redirects(&compound.redirects);
    }

    fn redirects(&mut self, redirects: &[Redirect]) {
        for redirect in redirects {
            match &redirect.kind {
                RedirectKind::Read(word)
                | RedirectKind::Write(word)
                | RedirectKind::Append(word)
                | RedirectKind::HereString(word) => self.word(word),
                // rable keeps the body of a heredoc as text
                RedirectKind::Heredoc { .. } | RedirectKind::Other => {}
            }
        }
    }

    /// Only what stands in the word itself: rable keeps the words inside `${…}` as text.
    fn word(&mut self, word: &Word) {
        for part in &word.parts {
            if let Part::Command { script, .. } = part
                && self.level < RABLE_LEVELS
            {
                self.level += 1;
                self.script(script);
                self.level -= 1;
            }
        }
    }
}

fn without_continuations(text: &str) -> String {
    text.replace("\\\r\n", "").replace("\\\n", "")
}

/// What rable sees; `None` if it refuses the text, or the text nests so deeply that rable would abort.
pub fn rable(source: &str) -> Option<Vec<String>> {
    if nesting(source) > MAX_NESTING || rable_is_wrong(source) {
        return None;
    }
    let nodes = rable::parse(source, true).ok()?;
    let mut names = Vec::new();
    nodes.iter().for_each(|node| visit(node, &mut names));
    Some(names)
}

/// How many brackets and compound commands may be open at once, at most.
fn nesting(source: &str) -> usize {
    let words = ["if", "for", "while", "until", "case", "select"];
    let brackets = source.bytes().filter(|byte| b"({`".contains(byte)).count();
    brackets
        + words
            .iter()
            .map(|word| source.matches(word).count())
            .sum::<usize>()
}

fn visit(node: &Node, names: &mut Vec<String>) {
    let mut all = |nodes: &[Node]| nodes.iter().for_each(|node| visit(node, names));
    match &node.kind {
        NodeKind::Command {
            assignments,
            words,
            redirects,
        } => {
            if let Some(Node {
                kind: NodeKind::Word { value, .. },
                ..
            }) = words.first()
            {
                names.push(without_continuations(value));
            }
            for nodes in [assignments, words, redirects] {
                nodes.iter().for_each(|node| visit(node, names));
            }
        }
        NodeKind::Word { parts, .. } => all(parts),
        NodeKind::Pipeline { commands, .. } => all(commands),
        NodeKind::List { items } => items.iter().for_each(|item| visit(&item.command, names)),
        NodeKind::If {
            condition,
            then_body,
            else_body,
            redirects,
        } => {
            visit(condition, names);
            visit(then_body, names);
            else_body.iter().for_each(|body| visit(body, names));
            redirects.iter().for_each(|node| visit(node, names));
        }
        NodeKind::While {
            condition,
            body,
            redirects,
        }
        | NodeKind::Until {
            condition,
            body,
            redirects,
        } => {
            visit(condition, names);
            visit(body, names);
            redirects.iter().for_each(|node| visit(node, names));
        }
        NodeKind::For {
            words,
            body,
            redirects,
            ..
        }
        | NodeKind::Select {
            words,
            body,
            redirects,
            ..
        } => {
            words.iter().flatten().for_each(|node| visit(node, names));
            visit(body, names);
            redirects.iter().for_each(|node| visit(node, names));
        }
        NodeKind::Case {
            word,
            patterns,
            redirects,
        } => {
            visit(word, names);
            for arm in patterns {
                arm.patterns.iter().for_each(|node| visit(node, names));
                arm.body.iter().for_each(|node| visit(node, names));
            }
            redirects.iter().for_each(|node| visit(node, names));
        }
        NodeKind::ForArith {
            body, redirects, ..
        }
        | NodeKind::Subshell { body, redirects }
        | NodeKind::BraceGroup { body, redirects } => {
            visit(body, names);
            redirects.iter().for_each(|node| visit(node, names));
        }
        NodeKind::Function { body, .. } => visit(body, names),
        NodeKind::Redirect { target, .. } => visit(target, names),
        NodeKind::CommandSubstitution { command, .. } => visit(command, names),
        NodeKind::Negation { pipeline } | NodeKind::Time { pipeline, .. } => visit(pipeline, names),
        NodeKind::Array { elements } => all(elements),
        // kimg-lint takes tests, arithmetic, coprocesses and process substitutions as opaque
        _ => {}
    }
}

/// Compares both; the difference in words, or whether both accepted the text.
pub fn compare(source: &str) -> Result<bool, String> {
    let Some(theirs) = rable(source) else {
        return Ok(false);
    };
    match ours(source) {
        Some(ours) if ours == theirs => Ok(true),
        ours => Err(format!(
            "rable sees {theirs:?}\nkimg-lint sees {ours:?}\nin {source:?}"
        )),
    }
}
