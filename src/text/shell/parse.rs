//! Lists, pipelines and simple commands.
use super::super::excerpt;
use super::super::mapped::Mapped;
use super::super::word::Word;
use super::reader::{Broken, Reader};
use super::words::{Mode, ends_word};
use super::{Command, Item, Join, Pipeline, Script};

/// Reads shell text to its end, whatever it holds.
pub fn parse(text: &Mapped) -> Script {
    let mut reader = Reader::new(text);
    let mut items = Vec::new();
    if let Err(Broken::GiveUp(why)) = reader.items(&mut items) {
        give_up(&mut reader, &mut items, why);
    }
    Script {
        items,
        problems: reader.problems,
    }
}

/// Splits text at blanks and line breaks, quotes kept together: how a program splits an option string.
/// Operators and `#` are text here.
pub fn words(text: &Mapped) -> Vec<Word> {
    let mut reader = Reader::new(text);
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
fn give_up(reader: &mut Reader<'_>, items: &mut Vec<Item>, why: &str) {
    let start = reader.item_start;
    reader.at = reader.source.len();
    reader.problem(start, reader.at, format!("{why}: the rest is not read"));
    items.push(lone(reader.opaque_command(start)));
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
                let leftover = self.recover(|reader| reader.unexpected(reader.at))?;
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
        self.spend()?;
        self.recover(Self::any_command)
    }

    /// Reads a command; if something in it is never closed, its line becomes an opaque command.
    fn recover(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Command, Broken>,
    ) -> Result<Command, Broken> {
        let start = self.at;
        let (problems, open, depth) = (self.problems.len(), self.open.len(), self.depth);
        match read(self) {
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
        // `time` is reserved only where a pipeline begins
        let Some(token) = token.filter(|&token| token != "time") else {
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
            text => format!("`{}` cannot stand here", excerpt(text)),
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

    /// The reserved word or control operator at the cursor, where a command may begin.
    pub(super) fn token(&self) -> Option<&'static str> {
        const LONGEST: usize = "function".len();
        let rest = self.source.as_bytes().get(self.at..)?;
        match rest {
            [b')', ..] => return Some(")"),
            [b';', b';' | b'&', ..] => return Some(";;"),
            _ => {}
        }
        let length = rest
            .iter()
            .take(LONGEST + 1)
            .position(|&byte| ends_word(byte));
        let word = rest.get(..length.unwrap_or(rest.len()))?;
        Some(match word {
            b"if" => "if",
            b"then" => "then",
            b"elif" => "elif",
            b"else" => "else",
            b"fi" => "fi",
            b"for" => "for",
            b"select" => "select",
            b"case" => "case",
            b"esac" => "esac",
            b"while" => "while",
            b"until" => "until",
            b"do" => "do",
            b"done" => "done",
            b"function" => "function",
            b"time" => "time",
            b"coproc" => "coproc",
            b"{" => "{",
            b"}" => "}",
            b"!" => "!",
            b"[[" => "[[",
            _ => return None,
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
