//! Reads Python's expressions from tokens. What is not understood is [`What::Unknown`].
use super::expression::{Argument, Expression, Piece, What};
use super::tokens::{self, Kind, Token};
use crate::span::Span;

/// Deeper nesting than this is unknown.
const MAX_DEPTH: u32 = 60;

/// Reads expressions from tokens.
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    depth: u32,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, tokens: Vec<Token>) -> Self {
        Self {
            text,
            tokens,
            at: 0,
            depth: 0,
        }
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn word_at(&self, at: usize) -> &'t str {
        match self.tokens.get(at) {
            Some(Token {
                kind: Kind::Name | Kind::Mark | Kind::Number,
                span,
            }) => self.text.get(span.range()).unwrap_or_default(),
            _ => "",
        }
    }

    /// The word or mark at hand; empty for strings and line structure.
    pub(super) fn word(&self) -> &'t str {
        self.word_at(self.at)
    }

    pub(super) fn eat(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        self.at += usize::from(found);
        found
    }

    fn here(&self) -> Span {
        let end = self.text.len();
        self.peek().map_or(Span::new(end, end), |t| t.span)
    }

    fn unknown(&self) -> Expression {
        Expression {
            what: What::Unknown,
            span: self.here(),
        }
    }

    /// One expression; a bare tuple is a list.
    pub(super) fn tuple(&mut self) -> Expression {
        let first = self.expression();
        if self.word() != "," {
            return first;
        }
        let mut span = first.span;
        let mut items = vec![first];
        while self.eat(",") {
            let ends = matches!(self.word(), "=" | ")" | "]" | "}" | ":")
                || self.peek().is_none_or(|t| t.kind == Kind::Line);
            if ends {
                break;
            }
            items.push(self.expression());
            span = span.to(items.last().map_or(span, |e| e.span));
        }
        Expression {
            what: What::List(items),
            span,
        }
    }

    pub(super) fn expression(&mut self) -> Expression {
        if self.depth >= MAX_DEPTH {
            let unknown = self.unknown();
            self.skip_balanced();
            return unknown;
        }
        self.depth += 1;
        let found = self.choice();
        self.depth -= 1;
        found
    }

    fn choice(&mut self) -> Expression {
        if self.word() == "lambda" {
            let unknown = self.unknown();
            while !matches!(self.word(), ":" | ")" | "]" | "}")
                && self.peek().is_some_and(|t| t.kind != Kind::Line)
            {
                self.at += 1;
            }
            self.eat(":");
            self.expression();
            return unknown;
        }
        let then = self.infix(0);
        if self.word() == ":=" {
            self.at += 1;
            return self.expression();
        }
        if self.word() != "if" {
            return then;
        }
        self.at += 1;
        let test = self.infix(0);
        if !self.eat("else") {
            return then;
        }
        let other = self.expression();
        let span = then.span.to(other.span);
        Expression {
            what: What::Choice {
                then: then.into(),
                test: test.into(),
                other: other.into(),
            },
            span,
        }
    }

    fn infix(&mut self, least: u8) -> Expression {
        let mut left = self.prefix();
        loop {
            let (operator, power, words) = self.operator();
            if power == 0 || power < least.max(1) {
                return left;
            }
            self.at += words;
            let right = self.infix(power + 1);
            let span = left.span.to(right.span);
            left = Expression {
                what: What::Infix(left.into(), operator, right.into()),
                span,
            };
        }
    }

    /// The operator at hand, how strongly it binds (0: none), and how many tokens it takes.
    fn operator(&self) -> (String, u8, usize) {
        let word = self.word();
        let (power, words) = match word {
            "or" => (1, 1),
            "and" => (2, 1),
            "not" if self.word_at(self.at + 1) == "in" => return ("not in".to_owned(), 4, 2),
            "is" if self.word_at(self.at + 1) == "not" => return ("is not".to_owned(), 4, 2),
            "in" | "is" | "==" | "!=" | "<" | ">" | "<=" | ">=" => (4, 1),
            "|" | "^" | "&" => (5, 1),
            "+" | "-" => (7, 1),
            "*" | "/" | "//" | "%" | "@" => (8, 1),
            "**" => (9, 1),
            _ => (0, 0),
        };
        (word.to_owned(), power, words)
    }

    fn prefix(&mut self) -> Expression {
        let from = self.here();
        let word = self.word();
        let power = match word {
            "not" => 3,
            "-" | "+" | "~" | "*" | "**" => 9,
            "await" => 9,
            _ => return self.postfix(),
        };
        if self.depth >= MAX_DEPTH {
            return self.unknown();
        }
        self.at += 1;
        self.depth += 1;
        let of = self.infix(power);
        self.depth -= 1;
        let span = from.to(of.span);
        Expression {
            what: What::Prefixed(word.to_owned(), of.into()),
            span,
        }
    }

    fn postfix(&mut self) -> Expression {
        let mut found = self.atom();
        loop {
            match self.word() {
                "." => {
                    self.at += 1;
                    let name = self.word().to_owned();
                    let span = found.span.to(self.here());
                    if name.is_empty() || self.peek().is_none_or(|t| t.kind != Kind::Name) {
                        return found;
                    }
                    self.at += 1;
                    found = Expression {
                        what: What::Attribute(found.into(), name),
                        span,
                    };
                }
                "(" => {
                    self.at += 1;
                    let (args, end) = self.arguments();
                    let span = found.span.to(end);
                    found = Expression {
                        what: What::Call(found.into(), args),
                        span,
                    };
                }
                "[" => {
                    self.at += 1;
                    let index = if self.word() == ":" {
                        self.unknown()
                    } else {
                        self.tuple()
                    };
                    let end = self.close("]");
                    let span = found.span.to(end);
                    found = Expression {
                        what: What::Index(found.into(), index.into()),
                        span,
                    };
                }
                _ => return found,
            }
        }
    }

    fn arguments(&mut self) -> (Vec<Argument>, Span) {
        let mut args = Vec::new();
        while self.peek().is_some() && self.word() != ")" {
            let before = self.at;
            let name = (self.peek().is_some_and(|t| t.kind == Kind::Name)
                && self.word_at(self.at + 1) == "=")
                .then(|| self.word().to_owned());
            if name.is_some() {
                self.at += 2;
            }
            let value = self.expression();
            let value = self.comprehension(value);
            args.push(Argument { name, value });
            if !self.eat(",") && self.word() != ")" {
                break;
            }
            if self.at == before {
                break;
            }
        }
        (args, self.close(")"))
    }

    /// Skips to the bracket that closes, and past it.
    fn close(&mut self, bracket: &str) -> Span {
        let mut depth = 0_u32;
        let mut end = self.here();
        while let Some(token) = self.peek() {
            end = token.span;
            let word = self.word();
            match word {
                "(" | "[" | "{" => depth += 1,
                _ if depth == 0 && word == bracket => {
                    self.at += 1;
                    break;
                }
                ")" | "]" | "}" if depth == 0 => break,
                ")" | "]" | "}" => depth -= 1,
                _ if token.kind == Kind::Line => break,
                _ => {}
            }
            self.at += 1;
        }
        end
    }

    /// Passes over one operand with its brackets.
    fn skip_balanced(&mut self) {
        match self.word() {
            "(" => {
                self.at += 1;
                self.close(")");
            }
            "[" => {
                self.at += 1;
                self.close("]");
            }
            "{" => {
                self.at += 1;
                self.close("}");
            }
            ")" | "]" | "}" | "," => {}
            _ if self.peek().is_some_and(|t| t.kind == Kind::Line) => {}
            _ => self.at += 1,
        }
    }

    /// `element for a in b if c …`, where a `for` follows.
    fn comprehension(&mut self, element: Expression) -> Expression {
        if self.word() != "for" {
            return element;
        }
        self.at += 1;
        let target = self.targets();
        self.eat("in");
        let over = self.infix(1);
        // further loops and conditions are passed over
        let mut depth = 0_u32;
        while let Some(token) = self.peek() {
            match self.word() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" if depth == 0 => break,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 0 => break,
                _ if token.kind == Kind::Line => break,
                _ => {}
            }
            self.at += 1;
        }
        let span = element.span.to(over.span);
        Expression {
            what: What::Each {
                element: element.into(),
                target: target.into(),
                over: over.into(),
            },
            span,
        }
    }

    /// The variables of a loop.
    pub(super) fn targets(&mut self) -> Expression {
        let first = self.infix(5);
        if self.word() != "," {
            return first;
        }
        let mut span = first.span;
        let mut items = vec![first];
        while self.eat(",") && self.word() != "in" {
            items.push(self.infix(5));
            span = span.to(items.last().map_or(span, |e| e.span));
        }
        Expression {
            what: What::List(items),
            span,
        }
    }

    fn atom(&mut self) -> Expression {
        let Some(token) = self.peek().cloned() else {
            return self.unknown();
        };
        let span = token.span;
        match token.kind {
            Kind::Text(_) => self.strings(),
            Kind::Number => {
                let text = self.word().to_owned();
                self.at += 1;
                Expression {
                    what: What::Number(text),
                    span,
                }
            }
            Kind::Name => {
                let name = self.word().to_owned();
                self.at += 1;
                Expression {
                    what: What::Name(name),
                    span,
                }
            }
            Kind::Mark => match self.word() {
                "(" => self.bracketed(")"),
                "[" => self.bracketed("]"),
                "{" => self.braces(),
                _ => {
                    let unknown = self.unknown();
                    self.skip_balanced();
                    unknown
                }
            },
            Kind::Line | Kind::Indent | Kind::Dedent => self.unknown(),
        }
    }

    fn strings(&mut self) -> Expression {
        let mut span = self.here();
        let mut pieces = Vec::new();
        while let Some(Token {
            kind: Kind::Text(parts),
            span: here,
        }) = self.peek().cloned()
        {
            span = span.to(here);
            self.at += 1;
            for part in parts {
                pieces.push(match part {
                    tokens::Piece::Literal(text, span) => Piece::Literal(text, span),
                    tokens::Piece::Hole(inner) => Piece::Hole(self.hole(inner)),
                });
            }
        }
        Expression {
            what: What::Text(pieces),
            span,
        }
    }

    fn hole(&self, span: Span) -> Expression {
        if self.depth >= MAX_DEPTH {
            return Expression {
                what: What::Unknown,
                span,
            };
        }
        let mut inner = Parser::new(self.text, tokens::inside(self.text, span));
        // a string in a hole in a string …: the depth is one for all of them
        inner.depth = self.depth + 10;
        inner.tuple()
    }

    fn bracketed(&mut self, close: &str) -> Expression {
        let from = self.here();
        self.at += 1;
        let mut items = Vec::new();
        let mut commas = false;
        while self.peek().is_some() && self.word() != close {
            let before = self.at;
            let item = self.expression();
            let item = self.comprehension(item);
            items.push(item);
            let comma = self.eat(",");
            commas |= comma;
            if !comma || self.at == before {
                break;
            }
        }
        let span = from.to(self.close(close));
        match (close, items.as_slice()) {
            (")", [one]) if !commas => Expression {
                what: one.what.clone(),
                span,
            },
            (
                "]",
                [
                    Expression {
                        what: What::Each { .. },
                        ..
                    },
                ],
            ) => Expression {
                what: items.remove(0).what,
                span,
            },
            _ => Expression {
                what: What::List(items),
                span,
            },
        }
    }

    fn braces(&mut self) -> Expression {
        let from = self.here();
        self.at += 1;
        let (mut entries, mut items) = (Vec::new(), Vec::new());
        while self.peek().is_some() && self.word() != "}" {
            let before = self.at;
            let key = self.expression();
            if self.eat(":") {
                let value = self.expression();
                let value = self.comprehension(value);
                entries.push((key, value));
            } else {
                items.push(self.comprehension(key));
            }
            if !self.eat(",") || self.at == before {
                break;
            }
        }
        let span = from.to(self.close("}"));
        let what = if entries.is_empty() && !items.is_empty() {
            What::List(items)
        } else {
            What::Dict(entries)
        };
        Expression { what, span }
    }
}
