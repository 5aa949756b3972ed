//! Simple commands: assignments, words, and functions that begin like one.
use super::super::word::Word;
use super::parameters::{closing_bracket, name_length};
use super::reader::{Broken, Reader};
use super::words::Mode;
use super::{AssignedValue, Assignment, Command, Simple};
use crate::span::Span;

/// Longest subscript looked for in `NAME[…]=`, so that a `[` never costs a search of the whole text.
const MAX_SUBSCRIPT: usize = 256;
/// Builtins whose arguments may be array assignments.
const DECLARATIONS: [&str; 5] = ["export", "declare", "local", "readonly", "typeset"];

impl Reader<'_> {
    /// Reads assignments, words and redirections up to an operator.
    pub(super) fn simple(&mut self) -> Result<Command, Broken> {
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
            if (simple.words.is_empty() || declares && self.array_follows())
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
                continue;
            }
            let word_start = self.at;
            let word = self.word()?;
            if simple.words.is_empty() {
                simple.words.reserve_exact(2);
                declares = DECLARATIONS.contains(&self.slice(word_start, self.at));
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

    /// Whether `NAME=(` or `NAME+=(` is at the cursor.
    fn array_follows(&self) -> bool {
        let rest = self.rest();
        let after = rest.get(name_length(rest)..).unwrap_or_default();
        let value = after.strip_prefix('+').unwrap_or(after);
        after.len() < rest.len() && value.starts_with("=(")
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
        let subscript_end = at;
        let append = bytes.get(at) == Some(&b'+');
        at += usize::from(append);
        if bytes.get(at) != Some(&b'=') {
            return Ok(None);
        }
        let mut parts = Vec::new();
        let mut value_start = at + 1;
        if element {
            // one element changes the array in a way that is not kept: something unknown is added
            self.at = subscript_end;
            self.opaque(&mut parts, name_end, true);
            value_start = name_end;
        }
        self.at = at + 1;
        let value = if self.peek() == Some(b'(') && !element {
            AssignedValue::Array(self.array()?)
        } else {
            AssignedValue::Word(Word {
                quoted: self.parts(Mode::Word, &mut parts)?,
                parts,
                span: self.span(value_start, self.at),
            })
        };
        Ok(Some(Assignment {
            name: self.slice(start, name_end).to_owned(),
            append: append || element,
            value,
            span: self.span(start, self.at),
        }))
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
