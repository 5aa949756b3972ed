//! Groups, loops, conditions and functions.
use super::super::word::Word;
use super::parameters::name_length;
use super::parse::lone;
use super::reader::{Broken, Reader};
use super::words::ends_word;
use super::{Command, Compound, CompoundKind, Redirect, Script};

impl Reader<'_> {
    /// Reads the compound command that `token` begins; `None` if it begins none.
    pub(super) fn compound_command(&mut self, token: &str) -> Result<Option<Command>, Broken> {
        let start = self.at;
        let kind = match token {
            "[[" => return self.test().map(Some),
            "coproc" => return self.coprocess().map(Some),
            "function" => return self.function_keyword().map(Some),
            "(" if self.byte(1) == Some(b'(') => match self.arithmetic_end(start + 2) {
                Some(end) => {
                    self.at = end;
                    return Ok(Some(self.opaque_command(start)));
                }
                None => self.subshell()?,
            },
            _ => match self.compound_kind(token)? {
                Some(kind) => kind,
                None => return Ok(None),
            },
        };
        let compound = self.finish(start, kind)?;
        Ok(Some(Command::Compound(Box::new(compound))))
    }

    fn compound_kind(&mut self, token: &str) -> Result<Option<CompoundKind>, Broken> {
        let kind = match token {
            "{" => self.group()?,
            "(" => self.subshell()?,
            "if" => self.condition()?,
            "while" | "until" => self.while_loop(token.len())?,
            "for" | "select" => return self.for_loop(token.len()),
            "case" => self.case()?,
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    /// Adds the span and the redirections that follow.
    fn finish(&mut self, start: usize, kind: CompoundKind) -> Result<Compound, Broken> {
        let span = self.span(start, self.at);
        Ok(Compound {
            kind,
            redirects: self.redirects()?,
            span,
        })
    }

    fn redirects(&mut self) -> Result<Vec<Redirect>, Broken> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    fn group(&mut self) -> Result<CompoundKind, Broken> {
        let start = self.at;
        self.at += 1;
        let script = self.script(&["}"])?;
        self.expect("}", start, "{");
        Ok(CompoundKind::Group(script))
    }

    fn subshell(&mut self) -> Result<CompoundKind, Broken> {
        let start = self.at;
        self.at += 1;
        Ok(CompoundKind::Subshell(self.parenthesised(start, "(")?))
    }

    fn condition(&mut self) -> Result<CompoundKind, Broken> {
        let start = self.at;
        let mut arms = Vec::new();
        let mut otherwise = None;
        self.at += "if".len();
        loop {
            let condition = self.script(&["then", "fi"])?;
            if !self.expect("then", start, "if") {
                arms.push((condition, Script::default()));
                break;
            }
            let body = self.script(&["elif", "else", "fi"])?;
            arms.push((condition, body));
            match self.token() {
                Some("elif") => self.at += "elif".len(),
                Some("else") => {
                    self.at += "else".len();
                    otherwise = Some(self.script(&["fi"])?);
                    break;
                }
                _ => break,
            }
        }
        self.expect("fi", start, "if");
        Ok(CompoundKind::If { arms, otherwise })
    }

    fn while_loop(&mut self, keyword: usize) -> Result<CompoundKind, Broken> {
        let start = self.at;
        self.at += keyword;
        let condition = self.script(&["do", "done"])?;
        let body = self.do_done(start)?;
        Ok(CompoundKind::While { condition, body })
    }

    /// `do … done` of the loop that began at `start`.
    fn do_done(&mut self, start: usize) -> Result<Script, Broken> {
        let keyword_end = start + self.plain_length(start);
        let keyword = self.slice(start, keyword_end);
        if !self.expect("do", start, keyword) {
            return Ok(Script::default());
        }
        let body = self.script(&["done"])?;
        self.expect("done", start, keyword);
        Ok(body)
    }

    /// `None`, with the cursor at the name, if that is none.
    fn for_loop(&mut self, keyword: usize) -> Result<Option<CompoundKind>, Broken> {
        let start = self.at;
        self.at += keyword;
        self.skip_blanks();
        if self.rest().starts_with("((") {
            return self.arithmetic_loop(start).map(Some);
        }
        let length = name_length(self.rest());
        if length == 0 || !self.byte(length).is_none_or(ends_word) {
            return Ok(None);
        }
        let name = self.slice(self.at, self.at + length).to_owned();
        self.at += length;
        self.skip_lines();
        let words = if self.keyword("in") {
            self.at += "in".len();
            Some(self.loop_words()?)
        } else {
            None
        };
        self.skip_separators();
        let body = self.loop_body(start)?;
        Ok(Some(CompoundKind::For { name, words, body }))
    }

    /// `for ((…; …; …)); do … done`: a loop whose condition is not read.
    fn arithmetic_loop(&mut self, start: usize) -> Result<CompoundKind, Broken> {
        let from = self.at;
        self.at = self.arithmetic_end(from + 2).ok_or(Broken::Unclosed {
            at: from,
            what: "((",
        })?;
        let opaque = self.opaque_command(from);
        self.skip_separators();
        let body = self.loop_body(start)?;
        Ok(CompoundKind::While {
            condition: Script {
                items: vec![lone(opaque)],
                problems: Vec::new(),
            },
            body,
        })
    }

    fn loop_body(&mut self, start: usize) -> Result<Script, Broken> {
        if self.token() != Some("{") {
            return self.do_done(start);
        }
        match self.group()? {
            CompoundKind::Group(body) => Ok(body),
            _ => Ok(Script::default()),
        }
    }

    /// The words after `in`, up to `;` or the end of the line.
    fn loop_words(&mut self) -> Result<Vec<Word>, Broken> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            let before = self.at;
            let word = self.word()?;
            if self.at == before {
                return Ok(words);
            }
            words.push(word);
        }
    }

    /// Skips a `;` and line breaks before `do`.
    fn skip_separators(&mut self) {
        self.skip_lines();
        if self.peek() == Some(b';') && self.byte(1) != Some(b';') {
            self.at += 1;
            self.skip_lines();
        }
    }

    fn case(&mut self) -> Result<CompoundKind, Broken> {
        let start = self.at;
        self.at += "case".len();
        self.skip_blanks();
        let word = self.word()?;
        self.skip_lines();
        let mut arms = Vec::new();
        if self.keyword("in") {
            self.at += "in".len();
            while let Some(arm) = self.case_arm()? {
                arms.push(arm);
            }
            self.expect("esac", start, "case");
        } else {
            self.problem(start, start + "case".len(), "`case` has no `in`");
        }
        Ok(CompoundKind::Case { word, arms })
    }

    /// One arm of `case`; `None` at `esac`, or where no pattern stands.
    fn case_arm(&mut self) -> Result<Option<(Vec<Word>, Script)>, Broken> {
        self.skip_lines();
        if self.token() == Some("esac") {
            return Ok(None);
        }
        if self.peek() == Some(b'(') {
            self.at += 1;
        }
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            let before = self.at;
            let pattern = self.word()?;
            if self.at == before {
                break;
            }
            patterns.push(pattern);
            self.skip_blanks();
            if self.peek() != Some(b'|') {
                break;
            }
            self.at += 1;
        }
        if patterns.is_empty() {
            return Ok(None);
        }
        if self.peek() != Some(b')') {
            return Ok(Some((patterns, Script::default()))); // what follows makes `esac` be missed
        }
        self.at += 1;
        let body = self.script(&[";;", "esac"])?;
        if self.token() == Some(";;") {
            let operators = [";;&", ";;", ";&"];
            let operator = operators.iter().find(|op| self.rest().starts_with(**op));
            self.at += operator.map_or(0, |op| op.len());
        }
        Ok(Some((patterns, body)))
    }

    /// `function name { … }`, the cursor at the keyword.
    fn function_keyword(&mut self) -> Result<Command, Broken> {
        let start = self.at;
        self.at += "function".len();
        self.skip_blanks();
        let name = self.word()?.literal().unwrap_or_default();
        self.skip_blanks();
        self.function(start, name)
    }

    /// The rest of a function that began at `start`: an optional `()` and the body.
    pub(super) fn function(&mut self, start: usize, name: String) -> Result<Command, Broken> {
        if self.peek() == Some(b'(') {
            let inside = self.slice(self.at + 1, self.source.len());
            let blanks = inside.len() - inside.trim_start_matches([' ', '\t']).len();
            if self.byte(1 + blanks) == Some(b')') {
                self.at += blanks + 2;
            }
        }
        self.skip_lines();
        let body_start = self.at;
        let token = if self.peek() == Some(b'(') {
            "("
        } else {
            self.token().unwrap_or_default()
        };
        match self.compound_kind(token)? {
            Some(kind) => Ok(Command::Function {
                name,
                body: Box::new(self.finish(body_start, kind)?),
                span: self.span(start, self.at),
            }),
            None => self.unexpected(start),
        }
    }

    /// `[[ … ]]`, which is not read.
    fn test(&mut self) -> Result<Command, Broken> {
        let start = self.at;
        self.at += "[[".len();
        loop {
            self.skip_lines();
            if self.peek().is_none() {
                return Err(Broken::Unclosed {
                    at: start,
                    what: "[[",
                });
            }
            if self.keyword("]]") {
                self.at += "]]".len();
                return Ok(self.opaque_command(start));
            }
            let before = self.at;
            self.word()?;
            if self.at == before {
                self.at += 1; // `&&`, `(`, `<` and the like
            }
        }
    }

    /// `coproc …`: what runs beside the script is not followed.
    fn coprocess(&mut self) -> Result<Command, Broken> {
        let start = self.at;
        self.at += "coproc".len();
        self.skip_blanks();
        let name = self.plain_length(self.at);
        let after = self.slice(self.at + name, self.source.len());
        if name > 0
            && after
                .trim_start_matches([' ', '\t'])
                .starts_with(['{', '('])
        {
            self.at += name;
            self.skip_blanks();
        }
        let token = if self.peek() == Some(b'(') {
            "("
        } else {
            self.token().unwrap_or_default()
        };
        if self.compound_kind(token)?.is_none() {
            while !self.word()?.parts.is_empty() {
                self.skip_blanks();
            }
        }
        self.redirects()?;
        Ok(self.opaque_command(start))
    }

    /// Whether the plain word `word` stands at the cursor.
    fn keyword(&self, word: &str) -> bool {
        self.rest().starts_with(word) && self.byte(word.len()).is_none_or(ends_word)
    }

    /// Length of the word at `from`, quotes not looked at.
    fn plain_length(&self, from: usize) -> usize {
        let rest = self.slice(from, self.source.len());
        rest.bytes().position(ends_word).unwrap_or(rest.len())
    }
}
