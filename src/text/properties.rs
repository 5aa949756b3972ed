//! What must hold for any text at all: no panic, spans inside the file and in order, text that equals its source,
//! and nothing lost between the tokens.
use super::dockerfile::{self, Args, Instruction, RunText};
use super::mapped::Mapped;
use super::shell::{
    self, AssignedValue, Command, Compound, CompoundKind, Redirect, RedirectKind, Script,
};
use super::word::{ParameterOp, Part, Word};
use crate::span::Span;
use proptest::prelude::*;

/// Pieces of shell text that meet in every order.
const SHELL: &[&str] = &[
    "a", "bc", "é", "-x", "A=", "A=1", "A+=(", "A[1]=", ")", "(", "((", "))", "{", "}", "'", "\"",
    "`", "\\", "\\\n", "$", "$A", "${A}", "${A:-", "${A#", "${A/", "${", "$(", "$((", "${{ x }}",
    "{{", "}}", "if", "then", "elif", "else", "fi", "for", "v", "in", "do", "done", "while",
    "case", "esac", ";;", "[[", "]]", "function", "f()", "!", "time", "coproc", ";", "&", "&&",
    "|", "||", ">", ">>", "2>&1", "<", "<<E", "<<-E", "<<'E'", "<<<", "<(", "\nE\n", "\n", "\t",
    "#", " #c\n", "$'", "\\t", "[", "]", "/", "\r\n", "\u{0}", "=", "+", "@(",
];

/// Pieces of Dockerfiles.
const DOCKERFILE: &[&str] = &[
    "FROM ",
    "RUN ",
    "ENV ",
    "ARG ",
    "COPY ",
    "ONBUILD ",
    "CMD ",
    "LABEL ",
    "WORKDIR ",
    "# escape=`\n",
    "#c\n",
    "\n",
    "\\\n",
    "`\n",
    "\\ \n",
    "\r\n",
    "--from=x ",
    "--mount=",
    "AS ",
    "a",
    "é",
    "A=1 ",
    "A=",
    "\"",
    "'",
    "\\",
    "$A",
    "${A:-",
    "}",
    "[\"",
    "\",\"",
    "\"]",
    "\\u00e9",
    "\\n",
    "<<E ",
    "<<-E",
    "<<'E'",
    "\nE\n",
    " && ",
    "$(",
    ")",
    "{{ x }}",
    "\t",
    "\u{feff}",
    "\u{a0}",
    "if a; then ",
    "fi",
];

fn soup(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => proptest::sample::select(pieces).prop_map(str::to_owned),
        2 => Just(" ".to_owned()),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Collects the spans of a tree and checks its parts on the way.
struct Checker<'s> {
    source: &'s str,
    /// Spans of tokens: words, assignments, redirections, opaque text, heredoc bodies.
    tokens: Vec<Span>,
    /// Names of loops, which have no span of their own.
    names: Vec<String>,
}

impl<'s> Checker<'s> {
    fn new(source: &'s str) -> Self {
        Self {
            source,
            tokens: Vec::new(),
            names: Vec::new(),
        }
    }
}

impl Checker<'_> {
    fn inside(&self, span: Span) -> &str {
        let text = self.source.get(span.range());
        text.unwrap_or_else(|| panic!("{span:?} is no place in {:?}", self.source))
    }

    fn script(&mut self, script: &Script) {
        for item in &script.items {
            let pipelines =
                std::iter::once(&item.first).chain(item.rest.iter().map(|(_, next)| next));
            for pipeline in pipelines {
                assert!(!pipeline.commands.is_empty());
                for command in &pipeline.commands {
                    self.command(command);
                }
            }
        }
        for problem in &script.problems {
            self.inside(problem.span);
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => {
                self.inside(simple.span);
                for assignment in &simple.assignments {
                    self.token(assignment.span);
                    assert!(
                        self.inside(assignment.span)
                            .starts_with(&assignment.name[..1])
                    );
                    match &assignment.value {
                        AssignedValue::Word(word) => self.word(word),
                        AssignedValue::Array(words) => self.words(words),
                    }
                }
                self.words(&simple.words);
                self.redirects(&simple.redirects);
                let words = simple.words.iter().map(|word| word.span);
                assert!(words.clone().all(|span| simple.span.contains(span)));
                assert!(words.is_sorted());
            }
            Command::Compound(compound) => self.compound(compound),
            Command::Function { body, span, .. } => {
                self.inside(*span);
                self.tokens.push(Span {
                    start: span.start,
                    end: body.span.start,
                });
                self.compound(body);
            }
            Command::Opaque { span, .. } => self.token(*span),
        }
    }

    fn compound(&mut self, compound: &Compound) {
        self.inside(compound.span);
        match &compound.kind {
            CompoundKind::Group(body) | CompoundKind::Subshell(body) => self.script(body),
            CompoundKind::If { arms, otherwise } => {
                for (condition, body) in arms {
                    self.script(condition);
                    self.script(body);
                }
                otherwise.iter().for_each(|body| self.script(body));
            }
            CompoundKind::While { condition, body } => {
                self.script(condition);
                self.script(body);
            }
            CompoundKind::For { name, words, body } => {
                self.names.push(name.clone());
                words.iter().for_each(|words| self.words(words));
                self.script(body);
            }
            CompoundKind::Case { word, arms } => {
                self.words(std::slice::from_ref(word));
                for (patterns, body) in arms {
                    self.words(patterns);
                    self.script(body);
                }
            }
        }
        self.redirects(&compound.redirects);
    }

    fn redirects(&mut self, redirects: &[Redirect]) {
        for redirect in redirects {
            self.token(redirect.span);
            match &redirect.kind {
                RedirectKind::Read(word)
                | RedirectKind::Write(word)
                | RedirectKind::Append(word)
                | RedirectKind::HereString(word) => self.word(word),
                RedirectKind::Heredoc { body } => {
                    self.token(body.span);
                    self.word(body);
                }
                RedirectKind::Other => {}
            }
        }
    }

    fn words(&mut self, words: &[Word]) {
        for word in words {
            self.token(word.span);
            self.word(word);
        }
    }

    fn token(&mut self, span: Span) {
        self.inside(span);
        self.tokens.push(span);
    }

    fn word(&mut self, word: &Word) {
        self.inside(word.span);
        let mut at = word.span.start;
        for part in &word.parts {
            let span = part.span();
            assert!(word.span.contains(span), "{part:?} in {word:?}");
            assert!(at <= span.start, "{word:?}");
            at = span.end;
            match part {
                Part::Literal { text, .. } => self.literal(text, span),
                Part::Parameter { op, .. } => self.operator(op),
                Part::Command { script, .. } => {
                    let tokens = std::mem::take(&mut self.tokens);
                    self.script(script);
                    self.tokens = tokens;
                }
                Part::Opaque { .. } => {
                    self.inside(span);
                }
            }
        }
    }

    /// A literal equals its source, unless it is a decoded escape.
    fn literal(&self, text: &str, span: Span) {
        let source = self.inside(span);
        let escaped = self.source[..span.range().start].ends_with('\\');
        assert!(
            source == text || escaped,
            "{text:?} at {span:?} in {:?}",
            self.source
        );
        assert!(!text.is_empty());
    }

    fn operator(&mut self, op: &ParameterOp) {
        match op {
            ParameterOp::Default { word, .. } | ParameterOp::Alternate { word, .. } => {
                self.word(word)
            }
            ParameterOp::Trim { pattern, .. } => self.word(pattern),
            ParameterOp::Replace {
                pattern,
                replacement,
                ..
            } => {
                self.word(pattern);
                self.word(replacement);
            }
            ParameterOp::Plain
            | ParameterOp::Required { .. }
            | ParameterOp::Joined
            | ParameterOp::Length
            | ParameterOp::Other => {}
        }
    }

    /// The source without tokens and comments.
    fn between_tokens(&self) -> String {
        let mut bytes = self.source.as_bytes().to_vec();
        for span in &self.tokens {
            bytes[span.range()].fill(b' ');
        }
        let text = String::from_utf8(bytes).expect("tokens begin and end between characters");
        let lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default());
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn check_shell(source: &str) {
    let script = shell::parse(&Mapped::verbatim(source, 0));
    let mut checker = Checker::new(source);
    checker.script(&script);
    let known = [
        "if", "then", "elif", "else", "fi", "for", "v", "in", "do", "done", "while", "case",
        "esac", "{", "}", "!", "time", "E", "\\",
    ];
    // the bodies of an opaque command's heredocs are nowhere in the tree
    let between = if source.contains("<<") {
        String::new()
    } else {
        checker.between_tokens()
    };
    for lost in between.split(|c: char| c.is_whitespace() || ";&|()".contains(c)) {
        assert!(
            lost.is_empty()
                || known.contains(&lost)
                || checker.names.iter().any(|name| name == lost),
            "{lost:?} is lost from {source:?}: {script:#?}"
        );
    }
    for word in shell::words(&Mapped::verbatim(source, 0)) {
        checker.word(&word);
    }
}

fn check_instruction(source: &str, instruction: &Instruction) {
    let mut checker = Checker::new(source);
    checker.inside(instruction.span);
    assert!(instruction.span.contains(instruction.keyword_span));
    for flag in &instruction.flags {
        checker.inside(flag.span);
        flag.value.iter().for_each(|value| checker.word(value));
    }
    match &instruction.args {
        Args::From { image, alias } => {
            checker.word(image);
            alias.iter().for_each(|(_, span)| checker.token(*span));
        }
        Args::Pairs(pairs) => {
            for pair in pairs {
                checker.token(pair.span);
                pair.value.iter().for_each(|value| checker.word(value));
            }
        }
        Args::Exec(words) | Args::Words(words) => checker.words(words),
        Args::OnBuild(inner) => check_instruction(source, inner),
        Args::Shell | Args::Broken => {}
    }
    for heredoc in &instruction.heredocs {
        checker.inside(heredoc.span);
        checker.inside(heredoc.marker);
    }
    match dockerfile::run_text(instruction) {
        Some(RunText::Shell(text)) => checker.script(&shell::parse(&text)),
        Some(RunText::Program { .. }) | None => {}
    }
}

fn check_dockerfile(source: &str) {
    let file = dockerfile::parse(source);
    for instruction in &file.instructions {
        check_instruction(source, instruction);
    }
    let spans = file.instructions.iter().map(|instruction| instruction.span);
    assert!(spans.is_sorted());
    for comment in &file.comments {
        assert!(source[comment.span.range()].starts_with('#'));
    }
    for problem in &file.problems {
        assert!(source.get(problem.span.range()).is_some(), "{problem:?}");
    }
}

/// Whole files, which the mutation test breaks in all places.
const DOCUMENTS: &[&str] = &[
    "# syntax=docker/dockerfile:1\nARG CUDA=12.4\nFROM --platform=$P nvidia/cuda:${CUDA:-12}-devel AS build\nENV A=\"7.0 8.0+PTX\" \\\n    # why\n    B=c\\ d\nRUN --mount=type=cache,target=/c set -ex; \\\n  if [ -n \"$A\" ]; then pip install \"torch==${V%%+*}\"; else exit 1; fi && \\\n  for x in a 'b c'; do make -j$(nproc) \"$x\" 2>&1 | tee /log; done\nCOPY --from=build [\"a b\", \"/c\"]\nCMD [\"x\", \"\\u00e9\"]\n",
    "FROM a\nRUN <<EOF bash -e\ncase $x in a|b) c ;; *) d ;; esac\nEOF\nCOPY <<-'X' <<Y /d/\n\t$a\n\tX\n$b\nY\nONBUILD RUN f() { `a \\`b\\``; }; f <(c) ${{ m.x }}\n",
    "# escape=`\nFROM a\nRUN a `\n  b\nENV C d e\nLABEL \"f g\"=h i='j k'\nARG L=${M:-7.0 8.0} N O=\n",
];

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    /// A place between two characters.
    fn boundary(&mut self, text: &str) -> usize {
        let at = self.below(text.len() + 1);
        (0..=at)
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0)
    }

    fn mutate(&mut self, text: &mut String, pieces: &[&str]) {
        let (a, b) = (self.boundary(text), self.boundary(text));
        let (from, to) = (a.min(b), a.max(b));
        match self.below(4) {
            0 => text.replace_range(from..to, ""),
            1 => text.insert_str(from, pieces[self.below(pieces.len())]),
            2 => text.truncate(to),
            _ => {
                let copy = text[from..to].to_owned();
                text.insert_str(to, &copy);
            }
        }
    }
}

#[test]
fn mutated_documents() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..3000 {
        let mut text = DOCUMENTS[round % DOCUMENTS.len()].to_owned();
        for _ in 0..=random.below(6) {
            random.mutate(&mut text, if round % 2 == 0 { SHELL } else { DOCKERFILE });
        }
        check_dockerfile(&text);
        check_shell(&text);
    }
}

proptest! {
    #[test]
    fn shell_text(source in soup(SHELL)) {
        check_shell(&source);
    }

    #[test]
    fn dockerfiles(source in soup(DOCKERFILE)) {
        check_dockerfile(&source);
    }

    #[test]
    fn any_text(source in any::<String>()) {
        check_shell(&source);
        check_dockerfile(&source);
    }

    /// A value put together from pieces of anywhere.
    #[test]
    fn shell_text_from_many_places(pieces in proptest::collection::vec((soup(SHELL), 0u32..1000), 0..5)) {
        let mut text = Mapped::default();
        for (piece, from) in &pieces {
            text.push(piece, *from);
        }
        shell::parse(&text);
        shell::words(&text);
    }

    #[test]
    fn shell_text_in_a_dockerfile(source in soup(SHELL)) {
        check_dockerfile(&format!("FROM a\nRUN {}", source.replace('\n', "\\\n")));
        check_dockerfile(&format!("FROM a\nRUN <<EOF\n{source}\nEOF"));
    }
}
