//! Python's statements.
use super::expression::{Expression, What};
use super::parser::Parser;
use super::tokens::{Kind, tokens};
use crate::span::Span;

/// Statements one after the other.
pub type Block = Vec<Statement>;

/// A statement and its bytes: for a compound one, those of its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it does.
    pub does: Does,
    /// Its bytes.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// `a = b = value`, `a: T = value`, `a += value`.
    Assign {
        /// What is set.
        targets: Vec<Expression>,
        /// To what.
        value: Expression,
        /// `+=` and the like: it is changed.
        changes: bool,
    },
    /// An expression alone.
    Evaluate(Expression),
    /// `if`, `elif` …, `else`.
    If {
        /// The conditions with their blocks.
        arms: Vec<(Expression, Block)>,
        /// Else.
        otherwise: Block,
    },
    /// `for target in over`.
    For {
        /// The loop's variables.
        target: Expression,
        /// What is looped over.
        over: Expression,
        /// The block.
        body: Block,
    },
    /// `try` with its blocks: what is tried, then each `except`, `else` and `finally`.
    Try(Block, Vec<Block>),
    /// A block that runs whatever its head says: `with`, `while`.
    Block(Vec<Expression>, Block),
    /// `def`.
    Define {
        /// The function.
        name: String,
        /// The parameters with their defaults.
        parameters: Vec<(String, Option<Expression>)>,
        /// The block.
        body: Block,
    },
    /// `class`.
    Class {
        /// Its name.
        name: String,
        /// The block.
        body: Block,
    },
    /// `return`.
    Return(Option<Expression>),
    /// `raise`.
    Raise(Option<Expression>),
    /// `import a`, `from a import b, c`: the module and the names taken from it.
    Import(String, Vec<String>),
    /// `break`, `continue`, `pass` and what is not understood.
    Other,
}

/// Blocks nested deeper than this are not read.
const MAX_DEPTH: u32 = 60;

/// Reads a file.
pub fn read(text: &str) -> Block {
    let mut reader = Reader {
        parser: Parser::new(text, tokens(text)),
        depth: 0,
    };
    let mut all = reader.statements();
    // a stray end of a block does not end the file
    while reader.parser.peek().is_some() {
        reader.parser.at += 1;
        all.extend(reader.statements());
    }
    all
}

struct Reader<'t> {
    parser: Parser<'t>,
    depth: u32,
}

impl Reader<'_> {
    /// Statements up to the end of the block.
    fn statements(&mut self) -> Block {
        let mut block = Vec::new();
        while let Some(token) = self.parser.peek() {
            match token.kind {
                Kind::Dedent => break,
                Kind::Line => self.parser.at += 1,
                // indented without a head
                Kind::Indent => {
                    self.parser.at += 1;
                    block.extend(self.indented());
                }
                _ => {
                    let before = self.parser.at;
                    block.push(self.statement());
                    if self.parser.at == before {
                        self.parser.at += 1;
                    }
                }
            }
        }
        block
    }

    /// What follows an indent, and the dedent.
    fn indented(&mut self) -> Block {
        self.depth += 1;
        let block = if self.depth > MAX_DEPTH {
            self.skip_block();
            Vec::new()
        } else {
            self.statements()
        };
        self.depth -= 1;
        if self.parser.peek().is_some_and(|t| t.kind == Kind::Dedent) {
            self.parser.at += 1;
        }
        block
    }

    fn skip_block(&mut self) {
        let mut depth = 0_u32;
        while let Some(token) = self.parser.peek() {
            match token.kind {
                Kind::Indent => depth += 1,
                Kind::Dedent if depth == 0 => return,
                Kind::Dedent => depth -= 1,
                _ => {}
            }
            self.parser.at += 1;
        }
    }

    /// The block after a colon, on the same line or indented.
    fn block(&mut self) -> Block {
        self.skip_to_colon();
        if self.parser.peek().is_some_and(|t| t.kind != Kind::Line) {
            let mut block = Vec::new();
            while self
                .parser
                .peek()
                .is_some_and(|t| !matches!(t.kind, Kind::Line | Kind::Dedent))
            {
                let before = self.parser.at;
                block.push(self.simple());
                self.parser.eat(";");
                if self.parser.at == before {
                    self.parser.at += 1;
                }
            }
            return block;
        }
        if self.parser.peek().is_some() {
            self.parser.at += 1;
        }
        if self.parser.peek().is_some_and(|t| t.kind == Kind::Indent) {
            self.parser.at += 1;
            return self.indented();
        }
        Vec::new()
    }

    /// Past the colon that ends a head.
    fn skip_to_colon(&mut self) {
        while self
            .parser
            .peek()
            .is_some_and(|t| !matches!(t.kind, Kind::Line | Kind::Indent | Kind::Dedent))
        {
            if self.parser.eat(":") {
                return;
            }
            self.parser.at += 1;
        }
    }

    fn statement(&mut self) -> Statement {
        let start = self.parser.peek().map_or_else(Span::default, |t| t.span);
        let does = match self.parser.word() {
            "if" => self.conditional(),
            "for" => self.each(),
            "while" | "with" => self.headed(),
            "try" => self.attempt(),
            "def" => self.define(),
            "class" => self.class(),
            "async" => {
                self.parser.at += 1;
                return self.statement();
            }
            "@" => {
                self.skip_to_line();
                Does::Other
            }
            _ => return self.simple_line(),
        };
        let end = start;
        Statement {
            does,
            span: start.to(end),
        }
    }

    fn simple_line(&mut self) -> Statement {
        let statement = self.simple();
        if !self.parser.eat(";") {
            // what was not understood: to the end of the line, and a block that hangs there
            let colon = self.skip_to_line();
            if colon {
                if self.parser.peek().is_some() {
                    self.parser.at += 1;
                }
                if self.parser.peek().is_some_and(|t| t.kind == Kind::Indent) {
                    self.parser.at += 1;
                    let body = self.indented();
                    return Statement {
                        does: Does::Block(Vec::new(), body),
                        span: statement.span,
                    };
                }
            }
        }
        statement
    }

    /// To the end of the line; whether its last word is a colon.
    fn skip_to_line(&mut self) -> bool {
        let mut colon = false;
        while self
            .parser
            .peek()
            .is_some_and(|t| !matches!(t.kind, Kind::Line | Kind::Indent | Kind::Dedent))
        {
            colon = self.parser.word() == ":";
            self.parser.at += 1;
        }
        colon
    }

    fn conditional(&mut self) -> Does {
        let mut arms = Vec::new();
        let mut otherwise = Vec::new();
        while matches!(self.parser.word(), "if" | "elif") {
            if self.parser.word() == "if" && !arms.is_empty() {
                break;
            }
            self.parser.at += 1;
            let test = self.parser.expression();
            arms.push((test, self.block()));
            self.skip_lines();
        }
        if self.parser.word() == "else" {
            otherwise = self.block();
        }
        Does::If { arms, otherwise }
    }

    fn skip_lines(&mut self) {
        while self.parser.peek().is_some_and(|t| t.kind == Kind::Line) {
            self.parser.at += 1;
        }
    }

    fn each(&mut self) -> Does {
        self.parser.at += 1;
        let target = self.parser.targets();
        self.parser.eat("in");
        let over = self.parser.tuple();
        let body = self.block();
        Does::For { target, over, body }
    }

    fn headed(&mut self) -> Does {
        self.parser.at += 1;
        let head = self.parser.expression();
        Does::Block(vec![head], self.block())
    }

    fn attempt(&mut self) -> Does {
        let tried = self.block();
        let mut others = Vec::new();
        self.skip_lines();
        while matches!(self.parser.word(), "except" | "else" | "finally") {
            others.push(self.block());
            self.skip_lines();
        }
        Does::Try(tried, others)
    }

    fn define(&mut self) -> Does {
        self.parser.at += 1;
        let name = self.parser.word().to_owned();
        self.parser.at += 1;
        let mut parameters = Vec::new();
        if self.parser.eat("(") {
            while self.parser.peek().is_some() && !self.parser.eat(")") {
                let before = self.parser.at;
                while matches!(self.parser.word(), "*" | "**" | "/" | ",") {
                    self.parser.at += 1;
                }
                let parameter = self.parser.word().to_owned();
                if !matches!(parameter.as_str(), "" | ")") {
                    self.parser.at += 1;
                    if self.parser.eat(":") {
                        self.parser.expression();
                    }
                    let default = self.parser.eat("=").then(|| self.parser.expression());
                    parameters.push((parameter, default));
                }
                if self.parser.at == before {
                    self.parser.at += 1;
                }
            }
        }
        Does::Define {
            name,
            parameters,
            body: self.block(),
        }
    }

    fn class(&mut self) -> Does {
        self.parser.at += 1;
        let name = self.parser.word().to_owned();
        Does::Class {
            name,
            body: self.block(),
        }
    }

    fn simple(&mut self) -> Statement {
        let start = self.parser.peek().map_or_else(Span::default, |t| t.span);
        let value = |reader: &mut Self| {
            reader.parser.at += 1;
            let ends = reader.parser.peek().is_none_or(|t| t.kind == Kind::Line);
            (!ends).then(|| reader.parser.tuple())
        };
        let does = match self.parser.word() {
            "return" => Does::Return(value(self)),
            "raise" => Does::Raise(value(self)),
            "import" | "from" => self.import(),
            "pass" | "break" | "continue" | "global" | "nonlocal" | "del" => {
                self.parser.at += 1;
                Does::Other
            }
            _ => self.evaluate(),
        };
        let last = self.parser.at.saturating_sub(1);
        let end = self.parser.tokens.get(last).map_or(start, |t| t.span);
        Statement {
            does,
            span: start.to(end),
        }
    }

    fn import(&mut self) -> Does {
        let from = self.parser.eat("from");
        if !from {
            self.parser.at += 1;
        }
        let mut module = String::new();
        while self.parser.peek().is_some_and(|t| t.kind != Kind::Line)
            && self.parser.word() != "import"
        {
            let word = self.parser.word();
            if !from && matches!(word, "," | "as") {
                break;
            }
            module += word;
            self.parser.at += 1;
        }
        let mut names = Vec::new();
        if from && self.parser.eat("import") {
            while self.parser.peek().is_some_and(|t| t.kind != Kind::Line) {
                let word = self.parser.word();
                if self.parser.peek().is_some_and(|t| t.kind == Kind::Name) {
                    names.push(word.to_owned());
                }
                self.parser.at += 1;
            }
        } else {
            self.skip_to_line();
        }
        Does::Import(module, names)
    }

    fn evaluate(&mut self) -> Does {
        let first = self.parser.tuple();
        if self.parser.word() == ":" && matches!(first.what, What::Name(_) | What::Attribute(..)) {
            self.parser.at += 1;
            self.parser.expression();
        }
        let changes = matches!(self.parser.word(), "+=" | "|=" | "-=" | "*=" | "/=" | "%=");
        if changes {
            self.parser.at += 1;
            let value = self.parser.tuple();
            return Does::Assign {
                targets: vec![first],
                value,
                changes,
            };
        }
        let mut chain = vec![first];
        while self.parser.eat("=") {
            chain.push(self.parser.tuple());
        }
        match chain.pop() {
            Some(value) if !chain.is_empty() => Does::Assign {
                targets: chain,
                value,
                changes,
            },
            Some(alone) => Does::Evaluate(alone),
            None => Does::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::expression::Piece;
    use super::*;

    fn expression(of: &Expression) -> String {
        let inner = |e: &Expression| expression(e);
        let list = |items: &[Expression]| items.iter().map(inner).collect::<Vec<_>>().join(" ");
        match &of.what {
            What::Text(pieces) => {
                let piece = |p: &Piece| match p {
                    Piece::Literal(text, _) => text.clone(),
                    Piece::Hole(e) => format!("<{}>", inner(e)),
                };
                format!("'{}'", pieces.iter().map(piece).collect::<String>())
            }
            What::Number(n) | What::Name(n) => n.clone(),
            What::Attribute(of, name) => format!("{}.{name}", inner(of)),
            What::Call(of, args) => {
                let arg = |a: &super::super::Argument| match &a.name {
                    Some(name) => format!("{name}={}", inner(&a.value)),
                    None => inner(&a.value),
                };
                format!(
                    "{}({})",
                    inner(of),
                    args.iter().map(arg).collect::<Vec<_>>().join(" ")
                )
            }
            What::Index(of, at) => format!("{}[{}]", inner(of), inner(at)),
            What::List(items) => format!("[{}]", list(items)),
            What::Dict(entries) => {
                let entry =
                    |(k, v): &(Expression, Expression)| format!("{}:{}", inner(k), inner(v));
                format!(
                    "{{{}}}",
                    entries.iter().map(entry).collect::<Vec<_>>().join(" ")
                )
            }
            What::Each {
                element,
                target,
                over,
            } => {
                format!("each({} {} {})", inner(element), inner(target), inner(over))
            }
            What::Prefixed(op, of) => format!("({op} {})", inner(of)),
            What::Infix(a, op, b) => format!("({} {op} {})", inner(a), inner(b)),
            What::Choice { then, test, other } => {
                format!("({} ? {} : {})", inner(test), inner(then), inner(other))
            }
            What::Unknown => "?".to_owned(),
        }
    }

    fn block(block: &Block) -> String {
        let one = |s: &Statement| match &s.does {
            Does::Assign {
                targets,
                value,
                changes,
            } => {
                let targets: Vec<String> = targets.iter().map(expression).collect();
                let sign = if *changes { "+=" } else { "=" };
                format!("{} {sign} {}", targets.join(" = "), expression(value))
            }
            Does::Evaluate(e) => expression(e),
            Does::If { arms, otherwise } => {
                let arm = |(test, body): &(Expression, Block)| {
                    format!("if {} {{{}}}", expression(test), self::block(body))
                };
                let arms: Vec<String> = arms.iter().map(arm).collect();
                format!("{} else {{{}}}", arms.join(" "), self::block(otherwise))
            }
            Does::For { target, over, body } => format!(
                "for {} in {} {{{}}}",
                expression(target),
                expression(over),
                self::block(body)
            ),
            Does::Try(tried, others) => {
                let others: Vec<String> = others.iter().map(self::block).collect();
                format!("try {{{}}} {{{}}}", self::block(tried), others.join("|"))
            }
            Does::Block(_, body) => format!("block {{{}}}", self::block(body)),
            Does::Define {
                name,
                parameters,
                body,
            } => {
                let names: Vec<&str> = parameters.iter().map(|(n, _)| n.as_str()).collect();
                format!("def {name}({}) {{{}}}", names.join(" "), self::block(body))
            }
            Does::Class { name, body } => format!("class {name} {{{}}}", self::block(body)),
            Does::Return(e) => format!("return {}", e.as_ref().map(expression).unwrap_or_default()),
            Does::Raise(_) => "raise".to_owned(),
            Does::Import(module, names) => format!("import {module} {}", names.join(" ")),
            Does::Other => "…".to_owned(),
        };
        block.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn statements_are_read() {
        for (text, want) in [
            ("a = b = [1, 'x' 'y']\n", "a = b = [1 'xy']"),
            ("a: int = 3\nb.c += d", "a = 3; b.c += d"),
            (
                "if a and not b:\n  x()\nelif c: y\nelse:\n  z\nw",
                "if (a and (not b)) {x()} if c {y} else {z}; w",
            ),
            ("for a, b in c.items():\n  d", "for [a b] in c.items() {d}"),
            (
                "def f(a, b: str = 'x', *c, **d) -> int:\n  return a\ng",
                "def f(a b c d) {return a}; g",
            ),
            (
                "@x\nclass A(B):\n    def f(self):\n        pass\n",
                "…; class A {def f(self) {…}}",
            ),
            (
                "try:\n  import torch\nexcept E as e:\n  raise\nx",
                "try {import torch } {raise}; x",
            ),
            (
                "from a.b import (c,\n d)\nimport e as f",
                "import a.b c d; import e ",
            ),
            (
                "x = {'k': [1], **y, 'z': f(a, b=2)[0]}",
                "x = {'k':[1] 'z':f(a b=2)[0]}",
            ),
            ("x = [f'a{b}c' for b in c if d]", "x = each('a<b>c' b c)"),
            ("x = a if b else c", "x = (b ? a : c)"),
            (
                "x = a not in b or a is not None",
                "x = ((a not in b) or (a is not None))",
            ),
            ("x = '%s' % y + 'z'", "x = (('%s' % y) + 'z')"),
            ("with open(f) as g:\n  x", "block {x}"),
            (
                "x = sorted(a, key=lambda v: v[0])\ny",
                "x = sorted(a key=?); y",
            ),
            (
                "match a:\n  case 1:\n    x = 1\ny",
                "block {block {x = 1}}; y",
            ),
            ("return (yield x)", "return yield"),
            ("x = a[1:2]\ny = a[:2]\nz", "x = a[1]; y = a[?]; z"),
            ("  x\ny", "x; y"),
            ("x = (\ny = 3", "x = ["),
        ] {
            let got = block(&read(text));
            if want.ends_with('[') {
                assert!(got.starts_with("x ="), "{text:?}: {got}");
            } else {
                assert_eq!(got, want, "{text:?}");
            }
        }
    }

    #[test]
    fn odd_input_ends() {
        let deep = "(".repeat(20_000);
        let nested = (0..500)
            .map(|d| format!("{}if a:\n", " ".repeat(d)))
            .collect::<String>();
        let holes = "f'{".repeat(2_000);
        let nots = "not ".repeat(20_000);
        let lambdas = "lambda: ".repeat(5_000);
        for text in [
            &deep,
            &nested,
            &holes,
            &nots,
            &lambdas,
            "\0\u{1}é'",
            "))) x = 1",
            "def",
            "class",
            "if",
        ] {
            read(text);
        }
    }
}
