//! YAML values as the pieces of documents: words, settings, scripts, comments.
use super::directive;
use super::document::{Document, Does, Scope, Statement};
use crate::span::Span;
use crate::text::Problem;
use crate::text::mapped::Mapped;
use crate::text::shell;
use crate::text::word::{Part, Word};
use crate::text::yaml::Yaml;

/// A word that stands for itself.
pub(super) fn literal(text: &str, span: Span) -> Word {
    let parts = if text.is_empty() {
        Vec::new()
    } else {
        vec![Part::Literal {
            text: text.to_owned(),
            span,
            quoted: true,
        }]
    };
    Word {
        parts,
        quoted: true,
        span,
    }
}

/// Shell text; expressions in it are filled in before it is read.
pub(super) fn run(text: &Mapped, problems: &mut Vec<Problem>) -> Does {
    let mut script = shell::parse(text);
    problems.append(&mut script.problems);
    Does::Run {
        script,
        flags: Vec::new(),
        template: text.text().contains("${{").then(|| text.clone()),
    }
}

/// A document of a YAML file: its comments belong to the statement that holds or follows them.
pub(super) fn document(source: &str, yaml: &Yaml, mut document: Document) -> Document {
    let mut statements: Vec<(Span, Span)> = Vec::new();
    for scope in &document.scopes {
        let spans = spans(scope);
        let all = spans.iter().copied().reduce(Span::to).unwrap_or_default();
        statements.extend(spans.into_iter().map(|span| (span, all)));
    }
    statements.sort_unstable();
    for &comment in &yaml.comments {
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
    let mut problems = yaml.problems.clone();
    problems.append(&mut document.problems);
    document.problems = problems;
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
