//! `docker-bake.json`: the same blocks as objects, with expressions in strings.
use crate::span::Span;
use crate::text::hcl::{self, Attribute, Block, Body, Expression, Kind, Piece};
use crate::text::yaml::{Entry, Kind as Value, Node, Style};

/// The blocks of a file: `{"target": {"app": {…}}}`.
pub(super) fn body(root: &Node) -> Body {
    let mut body = Body::default();
    for entry in root.entries() {
        let kind = entry.name().unwrap_or_default();
        for block in entry.value.entries() {
            body.blocks.push(Block {
                kind: kind.to_owned(),
                label: block.name().unwrap_or_default().to_owned(),
                body: Body {
                    attributes: block.value.entries().iter().map(attribute).collect(),
                    blocks: Vec::new(),
                },
                span: block.key.span,
            });
        }
    }
    body
}

fn attribute(entry: &Entry) -> Attribute {
    Attribute {
        name: entry.name().unwrap_or_default().to_owned(),
        value: expression(&entry.value),
        span: entry.span,
    }
}

fn expression(node: &Node) -> Expression {
    let kind = match &node.kind {
        Value::Null => Kind::Null,
        Value::Scalar(scalar) if scalar.style == Style::Plain => {
            Kind::Text(vec![Piece::Text(hcl::number(&scalar.text))])
        }
        Value::Scalar(scalar) => hcl::template(&scalar.text).kind,
        Value::List(items) => Kind::List(items.iter().map(expression).collect()),
        Value::Map(entries) => {
            let entry = |entry: &Entry| (expression(&entry.key), expression(&entry.value));
            Kind::Map(entries.iter().map(entry).collect())
        }
    };
    let span: Span = node.span;
    Expression { kind, span }
}
