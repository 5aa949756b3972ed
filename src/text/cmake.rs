//! CMake's language: commands with arguments, in blocks. Arguments keep their places; variables in them stay references.
use super::find;
use crate::span::Span;

/// Commands one after the other.
pub type Block = Vec<Statement>;

/// A command and its bytes: for a block, those of its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it does.
    pub does: Does,
    /// Its bytes.
    pub span: Span,
}

/// What a command does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// `name(arguments)`, the name in lower case.
    Call(String, Vec<Argument>),
    /// `if`, `elseif` …, `else`.
    If {
        /// The conditions with their blocks.
        arms: Vec<(Vec<Argument>, Block)>,
        /// Else.
        otherwise: Block,
    },
    /// `foreach(arguments)`.
    Each(Vec<Argument>, Block),
    /// `function` or `macro`: the name in lower case, the parameters, the block.
    Define(String, Vec<Argument>, Block),
    /// `while`, `block`.
    Other(Block),
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its text.
    pub pieces: Vec<Piece>,
    /// It is quoted: one word, whatever is in it.
    pub quoted: bool,
    /// Its bytes, with quotes.
    pub span: Span,
}

/// A piece of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text, and the bytes that stand for it.
    Literal(String, Span),
    /// `${NAME}`; empty where the name is computed.
    Variable(String),
    /// `$ENV{NAME}`.
    Environment(String),
}

impl Argument {
    /// The text, if no variable is in it.
    pub fn literal(&self) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(literal, _) => text.push_str(literal),
                Piece::Variable(_) | Piece::Environment(_) => return None,
            }
        }
        Some(text)
    }

    /// Whether it is this word, unquoted.
    pub fn is(&self, word: &str) -> bool {
        !self.quoted
            && self
                .literal()
                .is_some_and(|text| text.eq_ignore_ascii_case(word))
    }
}

/// Blocks nested deeper than this are read as part of the block around them.
const MAX_DEPTH: u32 = 80;

/// Reads a file.
pub fn read(text: &str) -> Block {
    let commands = Scanner {
        text,
        bytes: text.as_bytes(),
        at: 0,
    }
    .commands();
    let mut reader = Reader {
        commands: commands.into_iter().peekable(),
        depth: 0,
    };
    let mut all = reader.block();
    // a stray `endif` does not end the file
    while reader.commands.next().is_some() {
        all.extend(reader.block());
    }
    all
}

struct Command {
    name: String,
    arguments: Vec<Argument>,
    span: Span,
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

impl Scanner<'_> {
    fn commands(&mut self) -> Vec<Command> {
        let mut all = Vec::new();
        while self.at < self.bytes.len() {
            let from = self.at;
            match self.bytes[from] {
                b'#' => self.comment(),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    while self
                        .bytes
                        .get(self.at)
                        .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
                    {
                        self.at += 1;
                    }
                    let name = self.text[from..self.at].to_ascii_lowercase();
                    while matches!(self.bytes.get(self.at), Some(b' ' | b'\t')) {
                        self.at += 1;
                    }
                    if self.bytes.get(self.at) == Some(&b'(') {
                        self.at += 1;
                        let arguments = self.arguments();
                        all.push(Command {
                            name,
                            arguments,
                            span: Span::new(from, self.at),
                        });
                    }
                }
                _ => self.at += 1,
            }
        }
        all
    }

    fn comment(&mut self) {
        self.at += 1;
        if let Some(end) = self.bracket() {
            self.at = end;
        } else {
            self.at = find(self.bytes, self.at, b'\n').unwrap_or(self.bytes.len());
        }
    }

    /// The end of the bracket argument that begins here: `[[ … ]]`, `[=[ … ]=]`.
    fn bracket(&self) -> Option<usize> {
        let (_, _, end) = self.bracketed()?;
        Some(end)
    }

    /// Where the text inside begins and ends, and where the closing bracket ends.
    fn bracketed(&self) -> Option<(usize, usize, usize)> {
        let rest = self.bytes.get(self.at..)?;
        let equals = rest.get(1..)?.iter().take_while(|b| **b == b'=').count();
        if rest.first() != Some(&b'[') || rest.get(1 + equals) != Some(&b'[') {
            return None;
        }
        let close = format!("]{}]", "=".repeat(equals));
        let inside = self.at + 2 + equals;
        let length = self.text.get(inside..)?.find(&close)?;
        Some((inside, inside + length, inside + length + close.len()))
    }

    /// The arguments up to the closing parenthesis; parentheses inside are arguments of their own.
    fn arguments(&mut self) -> Vec<Argument> {
        let mut all = Vec::new();
        let mut depth = 0_u32;
        while let Some(&byte) = self.bytes.get(self.at) {
            let from = self.at;
            match byte {
                b')' if depth == 0 => {
                    self.at += 1;
                    break;
                }
                b'(' | b')' => {
                    depth = if byte == b'(' { depth + 1 } else { depth - 1 };
                    self.at += 1;
                    let span = Span::new(from, self.at);
                    let literal = Piece::Literal(char::from(byte).to_string(), span);
                    all.push(Argument {
                        pieces: vec![literal],
                        quoted: false,
                        span,
                    });
                }
                b' ' | b'\t' | b'\r' | b'\n' | b';' => self.at += 1,
                b'#' => self.comment(),
                b'"' => {
                    self.at += 1;
                    let pieces = self.pieces(true);
                    all.push(Argument {
                        pieces,
                        quoted: true,
                        span: Span::new(from, self.at),
                    });
                }
                b'[' if self.bracket().is_some() => {
                    let Some((inside, end, after)) = self.bracketed() else {
                        continue;
                    };
                    self.at = after;
                    let literal =
                        Piece::Literal(self.text[inside..end].to_owned(), Span::new(inside, end));
                    all.push(Argument {
                        pieces: vec![literal],
                        quoted: true,
                        span: Span::new(from, after),
                    });
                }
                _ => {
                    let pieces = self.pieces(false);
                    all.push(Argument {
                        pieces,
                        quoted: false,
                        span: Span::new(from, self.at),
                    });
                }
            }
        }
        all
    }

    /// The pieces of an argument, past its closing quote.
    fn pieces(&mut self, quoted: bool) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut start = self.at;
        loop {
            let byte = self.bytes.get(self.at).copied();
            let ends = match byte {
                None => true,
                Some(b'"') => quoted,
                Some(b' ' | b'\t' | b'\r' | b'\n' | b'(' | b')' | b'#') => !quoted,
                _ => false,
            };
            if ends {
                self.literal(&mut pieces, start);
                if quoted && byte.is_some() {
                    self.at += 1;
                }
                return pieces;
            }
            match byte {
                Some(b'\\') => {
                    self.literal(&mut pieces, start);
                    let from = self.at;
                    let next = self.text[from + 1..].chars().next();
                    self.at += 1 + next.map_or(0, char::len_utf8);
                    // a backslash keeps the `;` of a list inside its element
                    let text = match next {
                        None | Some('\n') => String::new(),
                        Some('n') => "\n".to_owned(),
                        Some('t') => "\t".to_owned(),
                        Some(other) => other.to_string(),
                    };
                    if !text.is_empty() {
                        pieces.push(Piece::Literal(text, Span::new(from, self.at)));
                    }
                    start = self.at;
                }
                Some(b'$') => {
                    let rest = &self.text[self.at..];
                    let (open, environment) = if rest.starts_with("${") {
                        (2, false)
                    } else if rest.starts_with("$ENV{") {
                        (5, true)
                    } else {
                        self.at += 1;
                        continue;
                    };
                    self.literal(&mut pieces, start);
                    self.at += open;
                    let name = self.name();
                    pieces.push(if environment {
                        Piece::Environment(name)
                    } else {
                        Piece::Variable(name)
                    });
                    start = self.at;
                }
                _ => self.at += 1,
            }
        }
    }

    fn literal(&self, pieces: &mut Vec<Piece>, from: usize) {
        if let Some(text) = self.text.get(from..self.at).filter(|t| !t.is_empty()) {
            pieces.push(Piece::Literal(text.to_owned(), Span::new(from, self.at)));
        }
    }

    /// The name up to the closing brace, and past it; empty where it holds a variable itself.
    fn name(&mut self) -> String {
        let from = self.at;
        let mut depth = 0_u32;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'{' => depth += 1,
                b'}' if depth == 0 => break,
                b'}' => depth -= 1,
                b'\n' => break,
                _ => {}
            }
            self.at += 1;
        }
        let name = self.text.get(from..self.at).unwrap_or_default();
        if self.bytes.get(self.at) == Some(&b'}') {
            self.at += 1;
        }
        if name.contains('$') {
            String::new()
        } else {
            name.to_owned()
        }
    }
}

struct Reader<I: Iterator<Item = Command>> {
    commands: std::iter::Peekable<I>,
    depth: u32,
}

impl<I: Iterator<Item = Command>> Reader<I> {
    /// Commands up to one that ends or splits the block around them.
    fn block(&mut self) -> Block {
        let mut block = Vec::new();
        while let Some(command) = self.commands.peek() {
            if command.name.starts_with("end") || matches!(command.name.as_str(), "else" | "elseif")
            {
                break;
            }
            let Some(Command {
                name,
                arguments,
                span,
            }) = self.commands.next()
            else {
                break;
            };
            let opens = matches!(
                name.as_str(),
                "if" | "foreach" | "function" | "macro" | "while" | "block"
            );
            if !opens || self.depth >= MAX_DEPTH {
                block.push(Statement {
                    does: Does::Call(name, arguments),
                    span,
                });
                continue;
            }
            self.depth += 1;
            let does = self.compound(&name, arguments);
            self.depth -= 1;
            block.push(Statement { does, span });
        }
        block
    }

    fn compound(&mut self, name: &str, mut arguments: Vec<Argument>) -> Does {
        let mut body = self.block();
        if name == "if" {
            let mut arms = Vec::new();
            let mut otherwise = Vec::new();
            let mut test = Some(arguments);
            loop {
                match test.take() {
                    Some(test) => arms.push((test, body)),
                    None => otherwise = body,
                }
                match self.commands.next() {
                    Some(command) if command.name == "elseif" => test = Some(command.arguments),
                    Some(command) if command.name == "else" => {}
                    _ => break,
                }
                body = self.block();
            }
            return Does::If { arms, otherwise };
        }
        self.commands.next();
        match name {
            "foreach" => Does::Each(arguments, body),
            "function" | "macro" if !arguments.is_empty() => {
                let name = arguments.remove(0).literal().unwrap_or_default();
                Does::Define(name.to_ascii_lowercase(), arguments, body)
            }
            _ => Does::Other(body),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(list: &[Argument]) -> String {
        let piece = |p: &Piece| match p {
            Piece::Literal(text, _) => text.clone(),
            Piece::Variable(name) => format!("<{name}>"),
            Piece::Environment(name) => format!("<env {name}>"),
        };
        let one = |a: &Argument| {
            let text: String = a.pieces.iter().map(piece).collect();
            if a.quoted { format!("'{text}'") } else { text }
        };
        list.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn show(block: &Block) -> String {
        let one = |s: &Statement| match &s.does {
            Does::Call(name, args) => format!("{name}({})", arguments(args)),
            Does::If { arms, otherwise } => {
                let arm = |(test, body): &(Vec<Argument>, Block)| {
                    format!("if {} {{{}}}", arguments(test), show(body))
                };
                let arms: Vec<String> = arms.iter().map(arm).collect();
                format!("{} else {{{}}}", arms.join(" "), show(otherwise))
            }
            Does::Each(args, body) => format!("each {} {{{}}}", arguments(args), show(body)),
            Does::Define(name, args, body) => {
                format!("def {name} {} {{{}}}", arguments(args), show(body))
            }
            Does::Other(body) => format!("{{{}}}", show(body)),
        };
        block.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn commands_are_read() {
        for (text, want) in [
            (
                "Project(x LANGUAGES CXX CUDA)\r\n",
                "project(x LANGUAGES CXX CUDA)",
            ),
            (
                "set(A \"80;90\" # no\n CACHE STRING \"\")",
                "set(A '80;90' CACHE STRING '')",
            ),
            ("set(A 80;90)", "set(A 80;90)"),
            (
                "set(B \"${A} -arch=sm_$ENV{X}\" ${${A}})",
                "set(B '<A> -arch=sm_<env X>' <>)",
            ),
            (
                "if(NOT (A AND B))\n x()\nelseif(C)\n y()\nelse()\n z()\nendif()\nw()",
                "if NOT ( A AND B ) {x()} if C {y()} else {z()}; w()",
            ),
            (
                "foreach(a IN LISTS b)\nx(${a})\nendforeach()",
                "each a IN LISTS b {x(<a>)}",
            ),
            (
                "function(F a)\nx()\nendfunction()\nF(1)",
                "def f a {x()}; f(1)",
            ),
            ("#[[ x()\n ]] y([=[ a]] ]=])", "y(' a]] ')"),
            ("# x()\ny()", "y()"),
            ("endif() x()", "x()"),
            ("a(\"b\\\"c\" d\\;e)", "a('b\"c' d;e)"),
            (
                "add(x $<$<COMPILE_LANGUAGE:CUDA>:-arch=sm_80>)",
                "add(x $<$<COMPILE_LANGUAGE:CUDA>:-arch=sm_80>)",
            ),
            ("while(A)\nx()\nendwhile()", "{x()}"),
            ("if(A", "if A {} else {}"),
            ("a(\"", "a('')"),
            ("é(x) a(ü)", "a(ü)"),
        ] {
            assert_eq!(show(&read(text)), want, "{text:?}");
        }
    }

    #[test]
    fn odd_input_ends() {
        for text in [
            "if(a)\n".repeat(5_000),
            "(".repeat(10_000),
            "a(${".repeat(5_000),
            "a([[".repeat(3_000),
        ] {
            read(&text);
        }
    }
}
