//! Lists, pipelines and simple commands.
use super::super::mapped::Mapped;
use super::super::word::{Part, Word};
use super::parameters::{closing_bracket, name_length};
use super::reader::{Broken, Reader};
use super::words::{Mode, ends_word};
use super::{AssignedValue, Assignment, Command, Item, Join, Pipeline, Script, Simple};
use crate::span::Span;

/// Longest subscript looked for in `NAME[…]=`, so that a `[` never costs a search of the whole text.
const MAX_SUBSCRIPT: usize = 256;
/// Builtins whose arguments may be array assignments.
const DECLARATIONS: [&str; 5] = ["export", "declare", "local", "readonly", "typeset"];

/// Reads shell text to its end, whatever it holds.
pub fn parse(text: &Mapped) -> Script {
    let mut reader = Reader::new(text, 0);
    let mut items = Vec::new();
    while let Err(Broken::TooDeep) = reader.items(&mut items) {
        give_up(&mut reader, &mut items);
    }
    Script {
        items,
        problems: reader.problems,
    }
}

/// Splits text at blanks and line breaks, quotes kept together: how a program splits an option string.
/// Operators and `#` are text here.
pub fn words(text: &Mapped) -> Vec<Word> {
    let mut reader = Reader::new(text, 0);
    let mut words = Vec::new();
    loop {
        let rest = reader.rest();
        reader.at += rest.len() - rest.trim_start().len();
        if reader.peek().is_none() {
            return words;
        }
        let start = reader.at;
        words.push(reader.parts_as_word(Mode::Split).unwrap_or_else(|_| {
            let mut parts = Vec::new();
            reader.at = text.text().len();
            reader.opaque(&mut parts, start, false);
            Word {
                parts,
                quoted: false,
                span: reader.span(start, reader.at),
            }
        }));
    }
}

/// Makes what the last top-level item left unread one opaque command.
fn give_up(reader: &mut Reader<'_>, items: &mut Vec<Item>) {
    let start = reader.item_start;
    let end = reader.source.len();
    reader.problem(start, end, "nested too deeply: the rest is not read");
    reader.at = end;
    reader.depth = 0;
    reader.open.clear();
    let opaque = reader.opaque_command(start);
    items.push(lone(opaque));
}

/// A command that is a whole item.
pub(super) fn lone(command: Command) -> Item {
    Item {
        first: Pipeline {
            negated: false,
            commands: vec![command],
        },
        rest: Vec::new(),
        background: false,
    }
}

impl Reader<'_> {
    /// Reads the whole text of a nested reader; its problems stay with the reader.
    pub(super) fn whole(&mut self) -> Result<Script, Broken> {
        let mut items = Vec::new();
        self.items(&mut items)?;
        Ok(Script {
            items,
            problems: Vec::new(),
        })
    }

    /// Reads items up to one of `closers` (or one that an outer construct waits for), which stays unread.
    pub(super) fn script(&mut self, closers: &'static [&'static str]) -> Result<Script, Broken> {
        self.enter()?;
        self.open.push(closers);
        let mut items = Vec::new();
        self.items(&mut items)?;
        self.open.pop();
        self.leave();
        Ok(Script {
            items,
            problems: Vec::new(),
        })
    }

    /// Reads the script of `$(…)` and its like up to the `)`, which is taken. `start` is where it opens.
    pub(super) fn parenthesised(
        &mut self,
        start: usize,
        opening: &'static str,
    ) -> Result<Script, Broken> {
        let script = self.script(&[")"])?;
        self.expect(")", start, opening);
        Ok(script)
    }

    /// Takes `closer`, or notes that what opened at `start` lacks it.
    pub(super) fn expect(&mut self, closer: &'static str, start: usize, opening: &str) -> bool {
        let found = self.token() == Some(closer);
        if found {
            self.at += closer.len();
        } else {
            let message = format!("`{opening}` has no `{closer}`");
            self.problem(start, start + opening.len(), message);
        }
        found
    }

    fn items(&mut self, items: &mut Vec<Item>) -> Result<(), Broken> {
        loop {
            self.skip_lines();
            let Some(byte) = self.peek() else {
                return Ok(());
            };
            if self.at_closer() {
                return Ok(());
            }
            if byte == b';' {
                self.problem(self.at, self.at + 1, "`;` ends no command");
                self.at += 1;
                continue;
            }
            if self.open.is_empty() && self.depth == 0 {
                self.item_start = self.at;
            }
            let mut item = self.item()?;
            let operator = self.item_operator();
            item.background = operator == Some(b'&');
            items.push(item);
            if operator.is_none() && !self.at_item_end() {
                let leftover = self.unexpected(self.at)?;
                items.push(lone(leftover));
            }
        }
    }

    fn item(&mut self) -> Result<Item, Broken> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let join = match (self.peek(), self.byte(1)) {
                (Some(b'&'), Some(b'&')) => Join::And,
                (Some(b'|'), Some(b'|')) => Join::Or,
                _ => break,
            };
            let operator = self.at;
            self.at += 2;
            self.skip_lines();
            if self.peek().is_none() || self.at_closer() {
                self.problem(operator, operator + 2, "a command is missing after this");
                break;
            }
            rest.push((join, self.pipeline()?));
        }
        Ok(Item {
            first,
            rest,
            background: false,
        })
    }

    /// Takes the `;` or `&` after an item, if one stands there.
    fn item_operator(&mut self) -> Option<u8> {
        match (self.peek(), self.byte(1)) {
            (Some(b';'), Some(b';' | b'&')) => None, // `;;` and `;&` end an arm of `case`
            (Some(operator @ (b';' | b'&')), _) => {
                self.at += 1;
                Some(operator)
            }
            _ => None,
        }
    }

    fn at_item_end(&self) -> bool {
        matches!(self.peek(), None | Some(b'\n' | b';')) || self.at_closer()
    }

    fn pipeline(&mut self) -> Result<Pipeline, Broken> {
        let mut negated = false;
        loop {
            self.skip_blanks();
            match self.token() {
                Some("!") => {
                    negated = !negated;
                    self.at += 1;
                }
                Some("time") => {
                    self.at += "time".len();
                    self.skip_blanks();
                    if self.rest().starts_with("-p") && self.byte(2).is_none_or(ends_word) {
                        self.at += "-p".len();
                    }
                }
                _ => break,
            }
        }
        let mut commands = Vec::with_capacity(1);
        commands.push(self.command()?);
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.byte(1) == Some(b'|') {
                break;
            }
            let operator = self.at;
            self.at += 1;
            self.at += usize::from(self.peek() == Some(b'&'));
            self.skip_lines();
            if self.peek().is_none() || self.at_closer() {
                self.problem(operator, operator + 1, "a command is missing after this");
                break;
            }
            commands.push(self.command()?);
        }
        Ok(Pipeline { negated, commands })
    }

    /// Reads one command; broken syntax becomes an opaque one. Always takes at least one byte if there is one.
    fn command(&mut self) -> Result<Command, Broken> {
        let start = self.at;
        let (problems, open, depth) = (self.problems.len(), self.open.len(), self.depth);
        match self.any_command() {
            Err(Broken::Unclosed { at, what }) => {
                self.problems.truncate(problems);
                self.open.truncate(open);
                self.depth = depth;
                self.problem(at, at + what.len(), format!("`{what}` is never closed"));
                self.abandon_line(start);
                Ok(self.opaque_command(start))
            }
            other => other,
        }
    }

    fn any_command(&mut self) -> Result<Command, Broken> {
        let start = self.at;
        let token = match self.peek() {
            Some(b'(') => Some("("),
            _ => self.token(),
        };
        let Some(token) = token else {
            return self.simple();
        };
        match self.compound_command(token)? {
            Some(command) => Ok(command),
            None => self.unexpected(start),
        }
    }

    /// Notes that what stands at the cursor cannot, and makes everything from `start` to the next `;` or line end opaque.
    pub(super) fn unexpected(&mut self, start: usize) -> Result<Command, Broken> {
        let word_end = self.at
            + match self.token() {
                Some(token) => token.len(),
                None => self.rest().chars().next().map_or(0, char::len_utf8),
            };
        let message = match self.slice(self.at, word_end) {
            "" => "the text ends where a command is expected".to_owned(),
            text => format!("`{}` cannot stand here", text.escape_debug()),
        };
        self.problem(self.at, word_end, message);
        if word_end > self.at && self.peek() != Some(b'\n') {
            self.at = word_end;
        }
        self.skip_broken()?;
        Ok(self.opaque_command(start))
    }

    /// Goes to the next `;`, line break, or `)` that an outer construct waits for.
    fn skip_broken(&mut self) -> Result<(), Broken> {
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(b'\n' | b';') => return Ok(()),
                Some(b')') if self.at_closer() => return Ok(()),
                Some(_) => {
                    let before = self.at;
                    self.word()?;
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
    }

    /// The text from `start` to the cursor as an opaque command, blanks at its end left out.
    pub(super) fn opaque_command(&self, start: usize) -> Command {
        let text = self.slice(start, self.at).trim_end();
        Command::Opaque {
            text: text.to_owned(),
            span: self.span(start, start + text.len()),
        }
    }

    fn simple(&mut self) -> Result<Command, Broken> {
        let start = self.at;
        let mut simple = Simple::default();
        let mut declares = false;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'(') => {
                    return match simple.words.as_slice() {
                        [name] if self.function_follows(&simple) => {
                            let name = name.literal().unwrap_or_default();
                            self.function(start, name)
                        }
                        _ => self.unexpected(start),
                    };
                }
                Some(_) => {}
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
                continue;
            }
            let mut word = self.word()?;
            if declares && self.peek() == Some(b'(') && ends_with_equals(&word) {
                self.array_argument(&mut word)?;
            }
            if simple.words.is_empty() {
                simple.words.reserve_exact(2);
                declares = word
                    .literal()
                    .is_some_and(|name| DECLARATIONS.contains(&name.as_str()));
            }
            simple.words.push(word);
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty() {
            return self.unexpected(start);
        }
        simple.span = extent(&simple);
        Ok(Command::Simple(simple))
    }

    /// Whether `()` follows the only word of a command, a plain one.
    fn function_follows(&self, simple: &Simple) -> bool {
        let inside = self.slice(self.at + 1, self.source.len());
        simple.assignments.is_empty()
            && simple.redirects.is_empty()
            && inside.trim_start_matches([' ', '\t']).starts_with(')')
    }

    /// `(…)` after `NAME=` among the arguments of a declaration: its value is not kept.
    fn array_argument(&mut self, word: &mut Word) -> Result<(), Broken> {
        let start = self.at;
        self.array()?;
        self.opaque(&mut word.parts, start, false);
        word.span.end = self.span(start, self.at).end;
        Ok(())
    }

    fn assignment(&mut self) -> Result<Option<Assignment>, Broken> {
        let start = self.at;
        let name_end = start + name_length(self.rest());
        if name_end == start {
            return Ok(None);
        }
        let bytes = self.source.as_bytes();
        let mut at = name_end;
        let element = bytes.get(at) == Some(&b'[');
        if element {
            let most = (at + MAX_SUBSCRIPT).min(bytes.len());
            match closing_bracket(bytes.get(..most).unwrap_or_default(), at + 1) {
                Some(end) => at = end + 1,
                None => return Ok(None),
            }
        }
        let append = bytes.get(at) == Some(&b'+');
        at += usize::from(append);
        if bytes.get(at) != Some(&b'=') {
            return Ok(None);
        }
        self.at = at + 1;
        let value_start = self.at;
        let value = if self.peek() == Some(b'(') && !element {
            AssignedValue::Array(self.array()?)
        } else {
            AssignedValue::Word(self.word()?)
        };
        let span = self.span(start, self.at);
        Ok(Some(Assignment {
            name: self.slice(start, name_end).to_owned(),
            // one element changes the array in a way that is not kept: something unknown is added
            append: append || element,
            value: if element {
                self.unknown_value(value_start)
            } else {
                value
            },
            span,
        }))
    }

    fn unknown_value(&self, start: usize) -> AssignedValue {
        let mut parts = Vec::new();
        self.opaque(&mut parts, start, true);
        AssignedValue::Word(Word {
            parts,
            quoted: true,
            span: self.span(start, self.at),
        })
    }

    /// Reads `(a b c)`.
    fn array(&mut self) -> Result<Vec<Word>, Broken> {
        let start = self.at;
        self.at += 1;
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            match self.peek() {
                None => {
                    return Err(Broken::Unclosed {
                        at: start,
                        what: "(",
                    });
                }
                Some(b')') => {
                    self.at += 1;
                    return Ok(words);
                }
                Some(_) => {
                    let before = self.at;
                    let word = self.word()?;
                    if self.at > before {
                        words.push(word);
                    } else {
                        self.problem(before, before + 1, "an operator cannot stand in an array");
                        self.at += 1;
                    }
                }
            }
        }
    }

    /// The reserved word or control operator at the cursor, where a command may begin.
    pub(super) fn token(&self) -> Option<&'static str> {
        const TOKENS: [&str; 22] = [
            "if", "then", "elif", "else", "fi", "for", "select", "case", "esac", "while", "until",
            "do", "done", "function", "time", "coproc", "{", "}", "!", "[[", ")", ";;",
        ];
        let rest = self.rest();
        let first = *rest.as_bytes().first()?;
        match first {
            b')' => return Some(")"),
            b';' => {
                return (rest.starts_with(";;") || rest.starts_with(";&")).then_some(";;");
            }
            _ => {}
        }
        TOKENS.into_iter().find(|token| {
            token.as_bytes().first() == Some(&first)
                && rest.starts_with(token)
                && rest
                    .as_bytes()
                    .get(token.len())
                    .copied()
                    .is_none_or(ends_word)
        })
    }

    /// Whether the token at the cursor ends an open construct.
    pub(super) fn at_closer(&self) -> bool {
        !self.open.is_empty()
            && self
                .token()
                .is_some_and(|token| self.open.iter().any(|closers| closers.contains(&token)))
    }
}

fn ends_with_equals(word: &Word) -> bool {
    matches!(word.parts.last(), Some(Part::Literal { text, quoted: false, .. }) if text.ends_with('='))
}

/// From the first assignment or word to the last; of the redirections if there is neither.
fn extent(simple: &Simple) -> Span {
    let words = simple.words.iter().map(|word| word.span);
    let assignments = simple.assignments.iter().map(|assignment| assignment.span);
    let redirects = simple.redirects.iter().map(|redirect| redirect.span);
    words
        .chain(assignments)
        .reduce(Span::to)
        .or_else(|| redirects.reduce(Span::to))
        .unwrap_or_default()
}
