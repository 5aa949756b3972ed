//! A shell script of the repository as a job of its own, for who looks for the commands in it.
use super::document::{Document, Does, Scope, Statement, Unit};
use super::node;
use crate::span::Span;
use crate::text::mapped::Mapped;

/// Reads a script that is run at the top of its repository.
pub fn read(source: &str) -> Document {
    let span = Span::new(0, source.len());
    let mut document = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    let mut statements = vec![Statement {
        action: Does::Machine(Vec::new()),
        span,
    }];
    statements.extend(node::checkout(span));
    let action = node::run(&Mapped::verbatim(source, 0), &mut document.problems);
    statements.push(Statement { action, span });
    document.scopes.push(Scope {
        title: "script".to_owned(),
        statements,
        ..Scope::default()
    });
    document
}
