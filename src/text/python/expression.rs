//! Python's expressions as far as build scripts need them. What is not understood is [`What::Unknown`].
use crate::span::Span;

/// An expression and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// What it is.
    pub what: What,
    /// Its bytes.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A string; literals that stand side by side are one.
    Text(Vec<Piece>),
    /// A number, as written.
    Number(String),
    /// A name; `None`, `True` and `False` are names too.
    Name(String),
    /// `a.b`.
    Attribute(Box<Expression>, String),
    /// `f(a, b=c)`.
    Call(Box<Expression>, Vec<Argument>),
    /// `a[b]`.
    Index(Box<Expression>, Box<Expression>),
    /// A list, tuple or set.
    List(Vec<Expression>),
    /// `{a: b}`; `**a` is left out.
    Dict(Vec<(Expression, Expression)>),
    /// `element for target in over`.
    Each {
        /// What is made.
        element: Box<Expression>,
        /// The loop's variables.
        target: Box<Expression>,
        /// What is looped over.
        over: Box<Expression>,
    },
    /// `not a`, `-a`, `*a`.
    Prefixed(String, Box<Expression>),
    /// `a + b`, `a and b`, `a not in b`.
    Infix(Box<Expression>, String, Box<Expression>),
    /// `then if test else other`.
    Choice {
        /// Where the test holds.
        then: Box<Expression>,
        /// The test.
        test: Box<Expression>,
        /// Else.
        other: Box<Expression>,
    },
    /// Anything else.
    Unknown,
}

/// A piece of a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text, and the bytes that stand for it.
    Literal(String, Span),
    /// What stands in the braces of an f-string.
    Hole(Expression),
}

impl Piece {
    fn hole(&self) -> Option<&Expression> {
        match self {
            Self::Hole(inner) => Some(inner),
            Self::Literal(..) => None,
        }
    }
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// `name=`.
    pub name: Option<String>,
    /// The value.
    pub value: Expression,
}

impl Expression {
    /// `a.b.c`, for a name or a chain of attributes.
    pub fn path(&self) -> Option<String> {
        match &self.what {
            What::Name(name) => Some(name.clone()),
            What::Attribute(of, name) => Some(format!("{}.{name}", of.path()?)),
            _ => None,
        }
    }

    /// The last name of a path.
    pub fn last_name(&self) -> Option<&str> {
        match &self.what {
            What::Name(name) | What::Attribute(_, name) => Some(name),
            _ => None,
        }
    }

    /// The text of a string without holes.
    pub fn literal(&self) -> Option<String> {
        let What::Text(pieces) = &self.what else {
            return None;
        };
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Literal(literal, _) => text.push_str(literal),
                Piece::Hole(_) => return None,
            }
        }
        Some(text)
    }

    /// The expressions directly inside.
    pub fn parts(&self) -> Vec<&Expression> {
        match &self.what {
            What::Text(pieces) => {
                let holes = pieces.iter().filter_map(Piece::hole);
                holes.collect()
            }
            What::Attribute(of, _) | What::Prefixed(_, of) => vec![of],
            What::Call(of, args) => std::iter::once(&**of)
                .chain(args.iter().map(|a| &a.value))
                .collect(),
            What::Index(a, b) | What::Infix(a, _, b) => vec![a, b],
            What::List(items) => items.iter().collect(),
            What::Dict(entries) => entries.iter().flat_map(|(k, v)| [k, v]).collect(),
            What::Each {
                element,
                target,
                over,
            } => vec![over, target, element],
            What::Choice { then, test, other } => vec![test, then, other],
            What::Number(_) | What::Name(_) | What::Unknown => Vec::new(),
        }
    }
}
