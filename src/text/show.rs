//! Syntax trees on one line, for the tables of tests.
use super::shell::{
    AssignedValue, Command, Compound, CompoundKind, Item, Join, Pipeline, Redirect, RedirectKind,
    Script,
};
use super::word::{ParameterOp, Part, Word};

/// Commands separated by ` ; `, words by blanks: quoted text as `'text'`, an empty word as `''`, opaque text as `<text>`.
pub(super) fn script(script: &Script) -> String {
    join(&script.items, " ; ", item)
}

/// The parts of a word, without blanks between them.
pub(super) fn word(word: &Word) -> String {
    if word.parts.is_empty() {
        return "''".to_owned();
    }
    join(&word.parts, "", part)
}

/// Words with blanks between them.
pub(super) fn words(words: &[Word]) -> String {
    join(words, " ", word)
}

fn join<T>(list: &[T], separator: &str, show: impl Fn(&T) -> String) -> String {
    list.iter().map(show).collect::<Vec<_>>().join(separator)
}

fn item(item: &Item) -> String {
    let mut shown = pipeline(&item.first);
    for (operator, next) in &item.rest {
        shown += match operator {
            Join::And => " && ",
            Join::Or => " || ",
        };
        shown += &pipeline(next);
    }
    if item.background {
        shown += " &";
    }
    shown
}

fn pipeline(pipeline: &Pipeline) -> String {
    let commands = join(&pipeline.commands, " | ", command);
    if pipeline.negated {
        format!("! {commands}")
    } else {
        commands
    }
}

fn command(command: &Command) -> String {
    match command {
        Command::Simple(simple) => {
            let mut pieces = Vec::new();
            for assignment in &simple.assignments {
                let operator = if assignment.append { "+=" } else { "=" };
                let value = match &assignment.value {
                    AssignedValue::Word(value) => word(value),
                    AssignedValue::Array(values) => format!("({})", words(values)),
                };
                pieces.push(format!("{}{operator}{value}", assignment.name));
            }
            pieces.extend(simple.words.iter().map(word));
            pieces.extend(simple.redirects.iter().map(redirect));
            pieces.join(" ")
        }
        Command::Compound(body) => compound(body),
        Command::Function { name, body, .. } => format!("{name}() {}", compound(body)),
        Command::Opaque { text, .. } => format!("<{text}>"),
    }
}

fn redirect(redirect: &Redirect) -> String {
    let fd = redirect.fd.map(|fd| fd.to_string()).unwrap_or_default();
    match &redirect.kind {
        RedirectKind::Read(target) => format!("{fd}<{}", word(target)),
        RedirectKind::Write(target) => format!("{fd}>{}", word(target)),
        RedirectKind::Append(target) => format!("{fd}>>{}", word(target)),
        RedirectKind::Heredoc { body } => format!("{fd}<<{{{}}}", word(body)),
        RedirectKind::HereString(text) => format!("{fd}<<<{}", word(text)),
        RedirectKind::Other => format!("{fd}>?"),
    }
}

fn compound(compound: &Compound) -> String {
    let mut shown = match &compound.kind {
        CompoundKind::Group(body) => format!("{{ {} }}", script(body)),
        CompoundKind::Subshell(body) => format!("( {} )", script(body)),
        CompoundKind::If { arms, otherwise } => {
            let arms = join(arms, " elif ", |(condition, body)| {
                format!("{} then {}", script(condition), script(body))
            });
            let otherwise = otherwise
                .as_ref()
                .map(|body| format!(" else {}", script(body)));
            format!("if {arms}{} fi", otherwise.unwrap_or_default())
        }
        CompoundKind::While { condition, body } => {
            format!("while {} do {} done", script(condition), script(body))
        }
        CompoundKind::For {
            name,
            words: list,
            body,
        } => {
            let list = list.as_ref().map(|list| format!(" in {}", words(list)));
            format!(
                "for {name}{} do {} done",
                list.unwrap_or_default(),
                script(body)
            )
        }
        CompoundKind::Case {
            word: subject,
            arms,
        } => {
            let arms = join(arms, "", |(patterns, body)| {
                format!(" {}) {} ;;", join(patterns, "|", word), script(body))
            });
            format!("case {}{arms} esac", word(subject))
        }
    };
    for next in &compound.redirects {
        shown += " ";
        shown += &redirect(next);
    }
    shown
}

fn part(part: &Part) -> String {
    match part {
        Part::Literal {
            text, quoted: true, ..
        } => format!("'{text}'"),
        Part::Literal { text, .. } => text.clone(),
        Part::Opaque { text, .. } => format!("<{text}>"),
        Part::Command {
            script: body,
            quoted,
            ..
        } => {
            let quote = if *quoted { "\"" } else { "" };
            format!("{quote}$({}){quote}", script(body))
        }
        Part::Parameter {
            name, op, quoted, ..
        } => {
            let quote = if *quoted { "\"" } else { "" };
            format!("{quote}{}{quote}", parameter(name, op))
        }
    }
}

fn parameter(name: &str, op: &ParameterOp) -> String {
    let colon = |or_empty: &bool| if *or_empty { ":" } else { "" };
    match op {
        ParameterOp::Plain => format!("${name}"),
        ParameterOp::Joined => format!("${{{name}[*]}}"),
        ParameterOp::Default {
            or_empty,
            assign,
            word: fallback,
        } => {
            let operator = if *assign { "=" } else { "-" };
            format!("${{{name}{}{operator}{}}}", colon(or_empty), word(fallback))
        }
        ParameterOp::Alternate {
            or_empty,
            word: alternate,
        } => format!("${{{name}{}+{}}}", colon(or_empty), word(alternate)),
        ParameterOp::Required { or_empty } => format!("${{{name}{}?}}", colon(or_empty)),
        ParameterOp::Trim {
            suffix,
            longest,
            pattern,
        } => {
            let operator = if *suffix { "%" } else { "#" };
            let operator = operator.repeat(if *longest { 2 } else { 1 });
            format!("${{{name}{operator}{}}}", word(pattern))
        }
        ParameterOp::Replace {
            all,
            pattern,
            replacement,
        } => {
            let operator = if *all { "//" } else { "/" };
            format!(
                "${{{name}{operator}{}/{}}}",
                word(pattern),
                word(replacement)
            )
        }
        ParameterOp::Length => format!("${{#{name}}}"),
        ParameterOp::Other => format!("${{{name}?!}}"),
    }
}
