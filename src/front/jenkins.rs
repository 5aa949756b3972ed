//! Jenkinsfiles: what their `sh` steps run, in order, with the environment, directory and container around them. Groovy itself
//! is not run: every block is taken once.
use super::document::{Assign, Document, Does, Scope, Statement, Unit};
use super::kind::{Kind, Role, file_name};
use super::node;
use crate::facts::SetHow;
use crate::span::Span;
use crate::text::Problem;
use crate::text::groovy::{Token, tokens};
use crate::text::mapped::Mapped;
use crate::text::variables;
use crate::text::word::Word;
use std::collections::BTreeSet;

/// The kind of Jenkinsfiles.
pub static KIND: Kind = Kind {
    name: "jenkins",
    role: Role::Service,
    is_at: |path| {
        let name = file_name(path);
        name.starts_with("jenkinsfile")
            || name.ends_with(".jenkinsfile")
            || (name.ends_with(".groovy") && path.contains("jenkins"))
    },
    is_in: |_| true,
    read: |source| read(source.text),
};

/// Blocks stand in each other this deep; what is deeper is read as if it stood there.
const MAX_DEPTH: usize = 60;

/// Reads a Jenkinsfile.
pub fn read(source: &str) -> Document {
    let tokens = tokens(source);
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        names: BTreeSet::new(),
        problems: Vec::new(),
    };
    let mut statements = Vec::new();
    let mut agent = Agent::default();
    // a closing brace too many ends nothing
    while reader.at < tokens.len() {
        reader.body(&mut statements, &mut agent, 0);
    }
    let span = Span::new(0, source.len());
    let machine = Does::Machine(agent.labels.clone());
    let mut all = vec![Statement {
        action: machine,
        span,
    }];
    // a pipeline begins with a checkout of its own
    all.extend(node::checkout_named(&["WORKSPACE"], span));
    all.extend(agent.around(statements, span));
    Document {
        unit: Unit::Job,
        scopes: vec![Scope {
            title: "pipeline".to_owned(),
            statements: all,
            ..Scope::default()
        }],
        problems: reader.problems,
        ..Document::default()
    }
}

/// Where the steps of a block run.
#[derive(Clone, Default)]
struct Agent {
    image: Option<Word>,
    gpus: bool,
    labels: Vec<Word>,
}

impl Agent {
    fn around(self, body: Vec<Statement>, span: Span) -> Vec<Statement> {
        let Some(image) = self.image else { return body };
        let action = Does::Enter {
            image,
            gpus: self.gpus,
            body,
        };
        vec![Statement { action, span }]
    }
}

struct Reader<'t> {
    tokens: &'t [(Token, Span)],
    at: usize,
    /// Variables of the environment: `${NAME}` in a Groovy string is what the shell would find.
    names: BTreeSet<String>,
    problems: Vec<Problem>,
}

impl<'t> Reader<'t> {
    fn peek(&self, ahead: usize) -> Option<&'t Token> {
        self.tokens.get(self.at + ahead).map(|(token, _)| token)
    }

    fn span(&self) -> Span {
        self.tokens
            .get(self.at)
            .or(self.tokens.last())
            .map_or_else(Span::default, |&(_, span)| span)
    }

    /// Reads to the end of a block, whose opening brace is behind.
    fn body(&mut self, body: &mut Vec<Statement>, agent: &mut Agent, depth: usize) {
        while let Some(token) = self.peek(0) {
            self.at += 1;
            match token {
                Token::Close(b'}') => return,
                Token::Open(b'{') => self.block(Vec::new(), body, depth),
                Token::Word(word) => self.word(word, body, agent, depth),
                _ => {}
            }
        }
    }

    /// A block of its own: what it sets ends with it.
    fn block(&mut self, mut inner: Vec<Statement>, body: &mut Vec<Statement>, depth: usize) {
        let start = self.span();
        if depth >= MAX_DEPTH {
            return;
        }
        let mut agent = Agent::default();
        self.body(&mut inner, &mut agent, depth + 1);
        let span = start.to(self.before());
        let inner = agent.around(inner, span);
        if !inner.is_empty() {
            let action = Does::Block {
                id: None,
                body: inner,
            };
            body.push(Statement { action, span });
        }
    }

    /// The token that was read last.
    fn before(&self) -> Span {
        self.at
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .map_or_else(Span::default, |&(_, span)| span)
    }

    fn word(&mut self, word: &str, body: &mut Vec<Statement>, agent: &mut Agent, depth: usize) {
        let span = self.before();
        match word {
            "environment" if self.peek(0) == Some(&Token::Open(b'{')) => {
                self.at += 1;
                // a later one may count on an earlier one
                for assign in self.environment() {
                    let span = assign.span;
                    let action = Does::Set {
                        assigns: vec![assign],
                        how: SetHow::ConfigEnv,
                    };
                    body.push(Statement { action, span });
                }
            }
            "agent" => self.agent(agent),
            "sh" => {
                let texts = self.arguments();
                let Some((text, interpolated)) = texts.first() else {
                    return;
                };
                let text = if *interpolated {
                    self.spliced(text)
                } else {
                    (*text).clone()
                };
                let action = match foreign(text.text()) {
                    Some(language) => Does::Foreign(language),
                    None => node::run(&text, &mut self.problems),
                };
                body.push(Statement {
                    action,
                    span: span.to(self.before()),
                });
            }
            "bat" | "powershell" | "pwsh" if !self.arguments().is_empty() => {
                let action = Does::Foreign("powershell or cmd".to_owned());
                body.push(Statement {
                    action,
                    span: span.to(self.before()),
                });
            }
            "checkout" | "git" => {
                self.arguments();
                body.extend(node::checkout_named(&["WORKSPACE"], span));
            }
            "dir" | "withEnv" | "docker.image" => {
                let texts: Vec<Mapped> = self
                    .arguments()
                    .into_iter()
                    .map(|(text, interpolated)| {
                        if interpolated {
                            self.spliced(text)
                        } else {
                            text.clone()
                        }
                    })
                    .collect();
                self.around(word, &texts, span, body, depth);
            }
            _ => {}
        }
    }

    /// `dir('x') { … }`, `withEnv([…]) { … }`, `docker.image('x').inside('…') { … }`.
    fn around(
        &mut self,
        word: &str,
        texts: &[Mapped],
        span: Span,
        body: &mut Vec<Statement>,
        depth: usize,
    ) {
        let mut gpus = false;
        if word == "docker.image" {
            if self.peek(0) != Some(&Token::Sign(b'.'))
                || self.peek(1) != Some(&Token::Word("inside".to_owned()))
            {
                return;
            }
            self.at += 2;
            gpus = self
                .arguments()
                .iter()
                .any(|(text, _)| asks_for_gpus(text.text()));
        }
        if self.peek(0) != Some(&Token::Open(b'{')) {
            return;
        }
        self.at += 1;
        let Some(text) = texts.first() else { return };
        let mut inner = Vec::new();
        match word {
            "dir" => inner.push(Statement {
                action: Does::Chdir(variables::word(text)),
                span,
            }),
            "withEnv" => {
                let assigns: Vec<Assign> = texts
                    .iter()
                    .filter_map(|text| node::pair(text, variables::word))
                    .collect();
                self.names
                    .extend(assigns.iter().map(|assign| assign.name.clone()));
                inner.push(Statement {
                    action: Does::Set {
                        assigns,
                        how: SetHow::ConfigEnv,
                    },
                    span,
                });
            }
            _ => {
                let mut steps = Vec::new();
                self.block(Vec::new(), &mut steps, depth);
                let action = Does::Enter {
                    image: variables::word(text),
                    gpus,
                    body: steps,
                };
                body.push(Statement {
                    action,
                    span: span.to(self.before()),
                });
                return;
            }
        }
        self.block(inner, body, depth);
    }

    /// `A = 'b'` to the closing brace; a value that is no string is not known.
    fn environment(&mut self) -> Vec<Assign> {
        let mut assigns = Vec::new();
        while let Some(token) = self.peek(0) {
            self.at += 1;
            match token {
                Token::Close(b'}') => break,
                Token::Word(name) if self.peek(0) == Some(&Token::Sign(b'=')) => {
                    let span = self.before();
                    self.at += 1;
                    let value = match self.peek(0) {
                        Some(Token::Text { text, interpolated }) => {
                            self.at += 1;
                            if *interpolated {
                                variables::word(&self.spliced(text))
                            } else {
                                node::plain(text)
                            }
                        }
                        _ => variables::word(&Mapped::verbatim("${{ groovy.value }}", span.start)),
                    };
                    let span = span.to(self.before());
                    self.names.insert(name.clone());
                    assigns.push(Assign {
                        name: name.clone(),
                        value,
                        span,
                    });
                }
                _ => {}
            }
        }
        assigns
    }

    /// `agent any`, `agent { label 'x' }`, `agent { docker { image 'x'; args '--gpus all' } }`, `agent { docker 'x' }`.
    fn agent(&mut self, agent: &mut Agent) {
        if self.peek(0) != Some(&Token::Open(b'{')) {
            return;
        }
        let mut open = 0;
        while let Some(token) = self.peek(0) {
            self.at += 1;
            match token {
                Token::Open(_) => open += 1,
                Token::Close(_) => {
                    open -= 1;
                    if open == 0 {
                        return;
                    }
                }
                Token::Word(word) => {
                    let texts = self.strings();
                    let Some((text, interpolated)) = texts.first() else {
                        continue;
                    };
                    let text = if *interpolated {
                        self.spliced(text)
                    } else {
                        (*text).clone()
                    };
                    match word.as_str() {
                        "image" | "docker" => agent.image = Some(variables::word(&text)),
                        "args" => agent.gpus = asks_for_gpus(text.text()),
                        "label" => agent.labels.push(variables::word(&text)),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }

    /// The strings of a call: in its parentheses, or on its line.
    fn arguments(&mut self) -> Vec<(&'t Mapped, bool)> {
        if self.peek(0) != Some(&Token::Open(b'(')) {
            return self.strings();
        }
        let mut texts = Vec::new();
        let mut open = 0;
        while let Some(token) = self.peek(0) {
            self.at += 1;
            match token {
                Token::Open(_) => open += 1,
                Token::Close(_) => open -= 1,
                Token::Text { text, interpolated } => texts.push((text, *interpolated)),
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        texts
    }

    /// `name 'text'`, `name key: 'text'`: strings without parentheses.
    fn strings(&mut self) -> Vec<(&'t Mapped, bool)> {
        let mut ahead = 0;
        if matches!(
            (self.peek(0), self.peek(1)),
            (Some(Token::Word(_)), Some(Token::Sign(b':')))
        ) {
            ahead = 2;
        }
        match self.peek(ahead) {
            Some(Token::Text { text, interpolated }) => {
                self.at += ahead + 1;
                vec![(text, *interpolated)]
            }
            _ => Vec::new(),
        }
    }

    /// A string with its values: those of the environment are left to the shell, of others nothing is known.
    fn spliced(&self, text: &Mapped) -> Mapped {
        let source = text.text();
        let mut out = Mapped::default();
        let mut done = 0;
        while let Some(start) = source
            .get(done..)
            .and_then(|rest| rest.find('$'))
            .map(|at| done + at)
        {
            out.append(text, done..start);
            let rest = &source[start + 1..];
            let (length, name) = if rest.starts_with('$') {
                (2, None)
            } else if let Some(inner) = rest.strip_prefix('{') {
                let length = inner.find('}').unwrap_or(inner.len());
                (1 + 1 + length + 1, Some(&inner[..length]))
            } else {
                let length = rest
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(rest.len());
                (1 + length, Some(&rest[..length]))
            };
            let from = text.origin(start);
            match name.map(|name| name.trim().trim_start_matches("env.")) {
                None => out.push_all_from("$", from),
                Some("") => out.push_all_from("$", from),
                Some(name) if self.names.contains(name) => {
                    out.push_all_from(&format!("${{{name}}}"), from)
                }
                Some(_) => out.push_all_from("${{ groovy.value }}", from),
            }
            done = (start + length).min(source.len());
        }
        out.append(text, done..source.len());
        out
    }
}

fn asks_for_gpus(args: &str) -> bool {
    args.contains("--gpus") || args.contains("nvidia")
}

/// The language of a script whose first line names another than a shell.
fn foreign(text: &str) -> Option<String> {
    let first = text.lines().next()?.strip_prefix("#!")?;
    let is_shell = ["sh", "bash", "zsh", "dash"]
        .iter()
        .any(|shell| first.split(['/', ' ']).any(|word| word == *shell));
    (!is_shell).then(|| first.to_owned())
}
