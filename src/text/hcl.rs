//! HCL as a tree with byte spans: blocks, attributes, expressions. The only place that knows hcl-edit, which refuses what is
//! nested deeper than 64 levels. A file that breaks off is left out whole, since nobody else would read it either.
use super::Problem;
use super::mapped::Mapped;
use crate::span::Span;
use hcl_edit::Span as _;
use hcl_edit::expr::{self, BinaryOperator, ObjectKey, TraversalOperator, UnaryOperator};
use hcl_edit::structure;
use hcl_edit::template::{Element, Template};
use std::ops::Range;

/// A path with more parts is not followed.
const MAX_PARTS: usize = 64;

/// A parsed file.
#[derive(Clone, Debug, Default)]
pub struct Hcl {
    /// What stands in it; nothing where it cannot be read.
    pub body: Body,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// What stands between the braces of a block, or in a file.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// `name = value`.
    pub attributes: Vec<Attribute>,
    /// `kind "label" { … }`.
    pub blocks: Vec<Block>,
}

/// `name = value`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Expression,
    /// Name to end of value.
    pub span: Span,
}

/// `kind "label" { … }`.
#[derive(Clone, Debug)]
pub struct Block {
    /// The first word.
    pub kind: String,
    /// The first label; empty where there is none.
    pub label: String,
    /// What stands in it.
    pub body: Body,
    /// The first word and the label.
    pub span: Span,
}

/// A value that is computed.
#[derive(Clone, Debug)]
pub struct Expression {
    /// How.
    pub kind: Kind,
    /// Its bytes.
    pub span: Span,
}

/// The kinds of expression.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `null`
    Null,
    /// Text with expressions in it; numbers and booleans too, as HCL prints them: `8.0` is `8`.
    Text(Vec<Piece>),
    /// `[a, b]`
    List(Vec<Expression>),
    /// `{ a = b }`
    Map(Vec<(Expression, Expression)>),
    /// `NAME`
    Name(String),
    /// `a.b`, `a["b"]`, `a[0]`
    Part(Box<Expression>, Box<Expression>),
    /// `a ? b : c`
    Choice(Box<[Expression; 3]>),
    /// `!a`
    Not(Box<Expression>),
    /// `a == b`, `a != b`, `a && b`, `a || b`
    Pair(Operator, Box<[Expression; 2]>),
    /// A function, a loop, arithmetic.
    Other,
}

/// What stands between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// A piece of a text.
#[derive(Clone, Debug)]
pub enum Piece {
    /// As it is.
    Text(Mapped),
    /// `${a}`
    Filled(Expression),
}

impl Body {
    /// The last attribute with a name.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().rev().find(|a| a.name == name)
    }
}

/// Reads a file.
pub fn parse(source: &str) -> Hcl {
    // a mark keeps its bytes
    let text = match source.strip_prefix('\u{feff}') {
        Some(rest) => &format!("\n\n\n{rest}"),
        None => source,
    };
    match hcl_edit::parser::parse_body(text) {
        Ok(body) => Hcl {
            body: Reader {
                source,
                place: &|range| Span::new(range.start, range.end),
            }
            .body(&body),
            problems: Vec::new(),
        },
        Err(error) => {
            let at = error.location().offset().min(source.len());
            Hcl {
                body: Body::default(),
                problems: vec![Problem {
                    span: Span::new(at, at),
                    message: format!("not HCL: {}", error.message()),
                }],
            }
        }
    }
}

/// Reads the text of a string in which `${…}` stands for expressions, as in HCL's JSON.
pub fn template(text: &Mapped) -> Expression {
    let source = text.text();
    let span = text.span(0, source.len());
    let place = |range: Range<usize>| text.span(range.start, range.end);
    let reader = Reader {
        source,
        place: &place,
    };
    let kind = match hcl_edit::parser::parse_template(source) {
        Ok(template) => Kind::Text(reader.pieces(&template)),
        Err(_) => Kind::Other,
    };
    Expression { kind, span }
}

/// A number of JSON as it becomes text; anything else as it is.
pub fn number(text: &Mapped) -> Mapped {
    let number = text
        .text()
        .parse::<f64>()
        .ok()
        .and_then(hcl_edit::Number::from_f64);
    match number.map(|number| whole(&number)) {
        Some(written) if written != text.text() => {
            let mut mapped = Mapped::default();
            mapped.push_all_from(&written, text.origin(0));
            mapped
        }
        _ => text.clone(),
    }
}

/// Turns hcl-edit's tree into ours.
struct Reader<'s> {
    source: &'s str,
    /// Where a range of `source` stands in the file.
    place: &'s dyn Fn(Range<usize>) -> Span,
}

impl Reader<'_> {
    fn span(&self, range: Option<Range<usize>>) -> Span {
        range.map_or_else(Span::default, self.place)
    }

    fn body(&self, body: &structure::Body) -> Body {
        let blocks = body.blocks().map(|block| Block {
            kind: block.ident.as_str().to_owned(),
            label: block
                .labels
                .first()
                .map(|label| label.as_str().to_owned())
                .unwrap_or_default(),
            body: self.body(&block.body),
            span: self.span(block.ident.span()).to(self.span(
                block
                    .labels
                    .first()
                    .and_then(|label| label.span())
                    .or(block.ident.span()),
            )),
        });
        let attributes = body.attributes().map(|attribute| Attribute {
            name: attribute.key.as_str().to_owned(),
            value: self.expression(&attribute.value),
            span: self.span(attribute.span()),
        });
        Body {
            attributes: attributes.collect(),
            blocks: blocks.collect(),
        }
    }

    fn expression(&self, expression: &expr::Expression) -> Expression {
        use expr::Expression as E;
        let span = self.span(expression.span());
        let text = |text: &str| Kind::Text(vec![Piece::Text(self.text(text, expression.span()))]);
        let boxed = |inner: &expr::Expression| Box::new(self.expression(inner));
        let kind = match expression {
            E::Null(_) => Kind::Null,
            E::Bool(value) => text(if *value.value() { "true" } else { "false" }),
            E::Number(number) => text(&whole(number.value())),
            E::String(value) => {
                let inner = expression
                    .span()
                    .map(|range| range.start + 1..range.end - 1);
                Kind::Text(vec![Piece::Text(self.text(value.as_str(), inner))])
            }
            E::Array(items) => Kind::List(items.iter().map(|i| self.expression(i)).collect()),
            E::Object(object) => {
                let entry = |(key, value): (&ObjectKey, &expr::ObjectValue)| {
                    (self.key(key), self.expression(value.expr()))
                };
                Kind::Map(object.iter().map(entry).collect())
            }
            E::StringTemplate(template) => {
                Kind::Text(template.iter().map(|e| self.piece(e)).collect())
            }
            E::HeredocTemplate(heredoc) => Kind::Text(self.pieces(&heredoc.template)),
            E::Parenthesis(inner) => return self.expression(inner.inner()),
            E::Variable(name) => Kind::Name(name.as_str().to_owned()),
            E::Conditional(choice) => Kind::Choice(Box::new([
                self.expression(&choice.cond_expr),
                self.expression(&choice.true_expr),
                self.expression(&choice.false_expr),
            ])),
            E::Traversal(path) => return self.path(path, span),
            E::UnaryOp(op) if *op.operator.value() == UnaryOperator::Not => {
                Kind::Not(boxed(&op.expr))
            }
            E::BinaryOp(op) => match operator(*op.operator.value()) {
                Some(operator) => Kind::Pair(
                    operator,
                    Box::new([self.expression(&op.lhs_expr), self.expression(&op.rhs_expr)]),
                ),
                None => Kind::Other,
            },
            E::UnaryOp(_) | E::FuncCall(_) | E::ForExpr(_) => Kind::Other,
        };
        Expression { kind, span }
    }

    /// A bare word is a name of the map's own, no variable.
    fn key(&self, key: &ObjectKey) -> Expression {
        match key {
            ObjectKey::Ident(name) => Expression {
                kind: Kind::Text(vec![Piece::Text(self.text(name.as_str(), name.span()))]),
                span: self.span(name.span()),
            },
            ObjectKey::Expression(key) => self.expression(key),
        }
    }

    fn path(&self, path: &expr::Traversal, span: Span) -> Expression {
        let first = self.expression(&path.expr);
        if path.operators.len() > MAX_PARTS {
            return Expression {
                kind: Kind::Other,
                span,
            };
        }
        path.operators.iter().fold(first, |left, operator| {
            let text = |text: &str| Kind::Text(vec![Piece::Text(self.text(text, operator.span()))]);
            let part = match operator.value() {
                TraversalOperator::GetAttr(name) => text(name.as_str()),
                TraversalOperator::LegacyIndex(index) => text(&index.to_string()),
                TraversalOperator::Index(index) => self.expression(index).kind,
                TraversalOperator::AttrSplat(_) | TraversalOperator::FullSplat(_) => Kind::Other,
            };
            let part = Expression {
                kind: part,
                span: self.span(operator.span()),
            };
            Expression {
                kind: Kind::Part(Box::new(left), Box::new(part)),
                span,
            }
        })
    }

    fn pieces(&self, template: &Template) -> Vec<Piece> {
        template.iter().map(|element| self.piece(element)).collect()
    }

    fn piece(&self, element: &Element) -> Piece {
        match element {
            Element::Literal(text) => Piece::Text(self.text(text.as_str(), text.span())),
            Element::Interpolation(filled) => Piece::Filled(self.expression(&filled.expr)),
            Element::Directive(_) => Piece::Filled(Expression {
                kind: Kind::Other,
                span: self.span(element.span()),
            }),
        }
    }

    /// A decoded text; what was escaped stands at its first byte as a whole.
    fn text(&self, text: &str, range: Option<Range<usize>>) -> Mapped {
        let mut mapped = Mapped::default();
        let verbatim = range
            .clone()
            .and_then(|range| self.source.get(range))
            .is_some_and(|written| written == text);
        let start = self.span(range).start;
        if verbatim {
            mapped.push(text, start);
        } else {
            mapped.push_all_from(text, start);
        }
        mapped
    }
}

/// A number as HCL prints it in a text.
fn whole(number: &hcl_edit::Number) -> String {
    match number.as_f64() {
        Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => format!("{float:.0}"),
        _ => number.to_string(),
    }
}

fn operator(operator: BinaryOperator) -> Option<Operator> {
    Some(match operator {
        BinaryOperator::Eq => Operator::Equal,
        BinaryOperator::NotEq => Operator::Unequal,
        BinaryOperator::And => Operator::And,
        BinaryOperator::Or => Operator::Or,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(expression: &Expression) -> String {
        let all = |items: &[Expression]| items.iter().map(show).collect::<Vec<_>>().join(" ");
        match &expression.kind {
            Kind::Null => "null".to_owned(),
            Kind::Text(pieces) => {
                let piece = |piece: &Piece| match piece {
                    Piece::Text(text) => text.text().to_owned(),
                    Piece::Filled(inner) => format!("<{}>", show(inner)),
                };
                format!("'{}'", pieces.iter().map(piece).collect::<String>())
            }
            Kind::List(items) => format!("[{}]", all(items)),
            Kind::Map(entries) => {
                let entry = |(key, value): &(Expression, Expression)| {
                    format!("{}={}", show(key), show(value))
                };
                format!("{{{}}}", entries.iter().map(entry).collect::<String>())
            }
            Kind::Name(name) => name.clone(),
            Kind::Part(left, part) => format!("{}.{}", show(left), show(part)),
            Kind::Choice(parts) => format!("({}?)", all(&parts[..])),
            Kind::Not(inner) => format!("!{}", show(inner)),
            Kind::Pair(operator, sides) => format!("({operator:?} {})", all(&sides[..])),
            Kind::Other => "other".to_owned(),
        }
    }

    #[test]
    fn expressions() {
        for (text, expected) in [
            ("\"a\"", "'a'"),
            ("\"a${B}c$${d}\"", "'a<B>c${d}'"),
            ("\"\\\"q\\\"\"", "'\"q\"'"),
            ("8.0", "'8'"),
            ("8.6", "'8.6'"),
            ("16", "'16'"),
            ("true", "'true'"),
            ("null", "null"),
            ("[A, \"b\"]", "[A 'b']"),
            ("{ a = 1, \"b\" : 2, (C) = 3 }", "{'a'='1''b'='2'C='3'}"),
            ("a.b[\"c\"][0]", "a.'b'.'c'.'0'"),
            ("A == \"\" ? \"x\" : B", "((Equal A '') 'x' B?)"),
            ("!(A && B || C)", "!(Or (And A B) C)"),
            ("f(A)", "other"),
            ("\"${f(A)}\"", "'<other>'"),
            ("1 + 2", "other"),
            ("[for a in B : a]", "other"),
            ("a[*].b", "a.other.'b'"),
            ("\"%{ if A }b%{ endif }\"", "'<other>'"),
            ("<<EOT\na${B}\nEOT", "'a<B>\n'"),
        ] {
            let hcl = parse(&format!("x = {text}\n"));
            let attribute = hcl.body.get("x").unwrap_or_else(|| panic!("{text}"));
            assert_eq!(show(&attribute.value), expected, "{text}");
        }
    }

    #[test]
    fn every_text_knows_its_bytes() {
        let source = "\u{feff}# é\ntarget \"app\" {\n  args = { LIST = \"8.0 ${B}\" }\n}\n";
        let hcl = parse(source);
        let block = &hcl.body.blocks[0];
        assert_eq!(
            (block.kind.as_str(), block.label.as_str()),
            ("target", "app")
        );
        assert_eq!(&source[block.span.range()], "target \"app\"");
        let Kind::Map(entries) = &block.body.attributes[0].value.kind else {
            panic!("no map");
        };
        let (key, value) = &entries[0];
        assert_eq!(&source[key.span.range()], "LIST");
        assert_eq!(&source[value.span.range()], "\"8.0 ${B}\"");
        let Kind::Text(pieces) = &value.kind else {
            panic!("no text");
        };
        let Piece::Text(text) = &pieces[0] else {
            panic!("no text");
        };
        assert_eq!(&source[text.span(0, text.text().len()).range()], "8.0 ");
    }

    #[test]
    fn a_template_of_json_stands_where_it_is_written() {
        let text = Mapped::verbatim("a${B}", 10);
        let expression = template(&text);
        assert_eq!(show(&expression), "'a<B>'");
        let Kind::Text(pieces) = &expression.kind else {
            panic!("no text");
        };
        let Piece::Filled(name) = &pieces[1] else {
            panic!("nothing is filled in");
        };
        assert_eq!(name.span, Span::new(13, 14));
        assert!(matches!(
            template(&Mapped::verbatim("${", 0)).kind,
            Kind::Other
        ));
    }

    #[test]
    fn hostile_files_end_in_a_located_problem() {
        let deep = |open: &str, close: &str, count: usize| {
            format!("a = {}1{}\n", open.repeat(count), close.repeat(count))
        };
        for (name, source) in [
            ("lists", deep("[", "]", 50_000)),
            ("open lists", format!("a = {}", "[".repeat(50_000))),
            ("maps", deep("{a=", "}", 50_000)),
            ("parentheses", deep("(", ")", 50_000)),
            ("templates", deep("\"${", "}\"", 50_000)),
            ("blocks", "a {\n".repeat(50_000)),
            ("operators", format!("a = {}1\n", "1 + ".repeat(50_000))),
            ("choices", format!("a = {}1\n", "b ? c : ".repeat(50_000))),
            ("nots", format!("a = {}b\n", "!".repeat(50_000))),
            ("functions", deep("f(", ")", 50_000)),
            ("loops", deep("[for a in ", " : a]", 50_000)),
            ("no HCL", "target {{{\n".to_owned()),
            ("a string", "a = \"b".to_owned()),
        ] {
            let hcl = parse(&source);
            assert_eq!(hcl.problems.len(), 1, "{name}");
            assert!(hcl.problems[0].span.range().end <= source.len(), "{name}");
        }
        // as deep as is read
        for (open, close) in [
            ("[", "]"),
            ("{a=", "}"),
            ("(", ")"),
            ("[for a in ", " : a]"),
            ("f(", ")"),
        ] {
            parse(&deep(open, close, 60));
        }
        let long = format!("a = \"{}\"\n", "x".repeat(1 << 20));
        assert!(parse(&long).problems.is_empty());
        let path = format!("a = b{}\n", ".c".repeat(50_000));
        parse(&path);
    }
}
