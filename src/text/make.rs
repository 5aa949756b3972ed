//! Makefiles: assignments, rules with their recipes, conditionals. Nothing is expanded.
use super::mapped::Mapped;
use crate::span::Span;

/// A line that says something, or a conditional with the lines in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// `NAME = value`.
    Assign(Assign),
    /// `targets: prerequisites`, and the recipe.
    Rule(Rule),
    /// A line of the last rule's recipe after or inside a conditional.
    Recipe(Mapped),
    /// `export NAMES`, `unexport NAMES`; no names: all.
    Export {
        /// The names.
        names: Mapped,
        /// Not `unexport`.
        on: bool,
    },
    /// `include files`.
    Include {
        /// The files.
        files: Mapped,
        /// `-include`, `sinclude`: nothing is wrong if they are not there.
        optional: bool,
    },
    /// `$(eval …)` and other text that is expanded for what it does.
    Expand(Mapped),
    /// `ifeq` … `else` … `endif`: each arm with its condition; the last may have none.
    If(Vec<(Option<Condition>, Vec<Line>)>),
}

/// An assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assign {
    /// The variable, before expansion.
    pub name: Mapped,
    /// How it is set.
    pub how: How,
    /// The value, before expansion.
    pub value: Mapped,
    /// It is exported.
    pub export: bool,
    /// It wins over the command line.
    pub overrides: bool,
    /// The targets that it is for; all, if none.
    pub targets: Option<Mapped>,
}

/// How an assignment sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// `=`: expanded where it is used.
    Later,
    /// `:=`, `::=`: expanded at once.
    Now,
    /// `?=`: only if it is not set.
    IfUnset,
    /// `+=`
    Append,
    /// `!=`: what a command prints.
    Output,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The targets, before expansion.
    pub targets: Mapped,
    /// The prerequisites, before expansion.
    pub prerequisites: Mapped,
    /// The lines of the recipe, without their tab.
    pub recipe: Vec<Mapped>,
    /// The targets' bytes.
    pub span: Span,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `ifeq (a,b)`; `ifneq` if not `equal`.
    Compare {
        /// The left side.
        left: Mapped,
        /// The right side.
        right: Mapped,
        /// Not `ifneq`.
        equal: bool,
    },
    /// `ifdef NAME`; `ifndef` if not `set`.
    Defined {
        /// The variable.
        name: Mapped,
        /// Not `ifndef`.
        set: bool,
    },
    /// One that cannot be read.
    Unknown,
}

/// Conditionals are read this deep.
const MAX_DEPTH: usize = 32;

/// Reads a Makefile.
pub fn read(text: &str) -> Vec<Line> {
    let mut reader = Reader {
        lines: logical_lines(text),
        at: 0,
        in_rule: false,
    };
    let mut all = Vec::new();
    loop {
        all.extend(reader.lines(0));
        // a stray `else` or `endif`
        if reader.at >= reader.lines.len() {
            return all;
        }
        reader.at += 1;
    }
}

struct Logical {
    text: Mapped,
    /// It begins with a tab.
    recipe: bool,
}

/// Lines with continuations joined: in recipes they stay as they are, elsewhere they are one space.
fn logical_lines(text: &str) -> Vec<Logical> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut open: Option<Logical> = None;
    for line in text.split_inclusive('\n') {
        let from = start;
        start += line.len();
        let body = line.trim_end_matches(['\n', '\r']);
        let goes_on = body.ends_with('\\') && !body.ends_with("\\\\");
        let mut current = match open.take() {
            Some(current) => current,
            None => Logical {
                text: Mapped::default(),
                recipe: body.starts_with('\t'),
            },
        };
        let fresh = current.text.text().is_empty();
        if current.recipe {
            let skip = usize::from(body.starts_with('\t'));
            let end = if goes_on { line.len() } else { body.len() };
            current
                .text
                .push(&line[skip.min(end)..end], (from + skip) as u32);
        } else {
            let body = if goes_on {
                &body[..body.len() - 1]
            } else {
                body
            };
            let skip = if fresh {
                0
            } else {
                body.len() - body.trim_start().len()
            };
            if !fresh {
                current.text.push(" ", from as u32);
            }
            current.text.push(&body[skip..], (from + skip) as u32);
        }
        if goes_on {
            open = Some(current);
        } else {
            lines.push(current);
        }
    }
    lines.extend(open);
    lines
}

struct Reader {
    lines: Vec<Logical>,
    at: usize,
    /// Lines with a tab belong to a recipe.
    in_rule: bool,
}

impl Reader {
    /// The lines up to an `else` or `endif`, which stays unread.
    fn lines(&mut self, depth: usize) -> Vec<Line> {
        let mut found: Vec<Line> = Vec::new();
        while let Some(logical) = self.lines.get(self.at) {
            let text = logical.text.clone();
            if logical.recipe {
                self.at += 1;
                match found.last_mut() {
                    Some(Line::Rule(rule)) => rule.recipe.push(text),
                    _ if self.in_rule => found.push(Line::Recipe(text)),
                    _ => {}
                }
                continue;
            }
            let text = without_comment(&text);
            let (word, rest) = first_word(&text);
            match word.as_str() {
                "" => self.at += 1,
                "else" | "endif" => return found,
                "ifeq" | "ifneq" | "ifdef" | "ifndef" if depth < MAX_DEPTH => {
                    let arms = self.conditional(depth);
                    found.push(Line::If(arms));
                }
                "define" => self.skip_definition(),
                "include" | "-include" | "sinclude" => {
                    self.at += 1;
                    found.push(Line::Include {
                        files: rest,
                        optional: word != "include",
                    });
                }
                _ => {
                    self.at += 1;
                    let said = statement(&text);
                    self.in_rule = matches!(said, Some(Line::Rule(_)));
                    found.extend(said);
                }
            }
        }
        found
    }

    fn conditional(&mut self, depth: usize) -> Vec<(Option<Condition>, Vec<Line>)> {
        let mut arms = Vec::new();
        while let Some(logical) = self.lines.get(self.at) {
            let text = without_comment(&logical.text);
            let (mut word, mut rest) = first_word(&text);
            self.at += 1;
            if word == "endif" {
                return arms;
            }
            if word == "else" {
                (word, rest) = first_word(&rest);
            }
            let condition = (!word.is_empty()).then(|| condition(&word, &rest));
            let lines = self.lines(depth + 1);
            arms.push((condition, lines));
        }
        arms
    }

    /// `define NAME` … `endef`: several lines are not followed.
    fn skip_definition(&mut self) {
        while let Some(logical) = self.lines.get(self.at) {
            self.at += 1;
            if first_word(&logical.text).0 == "endef" {
                return;
            }
        }
    }
}

fn without_comment(text: &Mapped) -> Mapped {
    let line = text.text();
    let comment = line
        .char_indices()
        .find(|&(at, c)| c == '#' && !line[..at].ends_with('\\'));
    match comment {
        Some((at, _)) => text.slice(0..at),
        None => text.clone(),
    }
}

fn first_word(text: &Mapped) -> (String, Mapped) {
    let line = text.text();
    let start = line.len() - line.trim_start().len();
    let is_end = |c: char| c.is_whitespace() || c == '(';
    let end = line[start..]
        .find(is_end)
        .map_or(line.len(), |end| start + end);
    (line[start..end].to_owned(), trimmed(text, end, line.len()))
}

/// The bytes `from..to` without blanks around them.
fn trimmed(text: &Mapped, from: usize, to: usize) -> Mapped {
    let part = &text.text()[from..to];
    let start = from + (part.len() - part.trim_start().len());
    let end = from + part.trim_end().len();
    text.slice(start..end.max(start))
}

fn condition(word: &str, rest: &Mapped) -> Condition {
    let text = rest.text();
    match word {
        "ifdef" | "ifndef" => Condition::Defined {
            name: rest.clone(),
            set: word == "ifdef",
        },
        "ifeq" | "ifneq" => {
            let Some((left, right)) = sides(text) else {
                return Condition::Unknown;
            };
            Condition::Compare {
                left: trimmed(rest, left.0, left.1),
                right: trimmed(rest, right.0, right.1),
                equal: word == "ifeq",
            }
        }
        _ => Condition::Unknown,
    }
}

type Range = (usize, usize);

/// `(a,b)`, `"a" "b"`, `'a' 'b'`.
fn sides(text: &str) -> Option<(Range, Range)> {
    if text.starts_with('(') {
        let mut depth = 0;
        let mut comma = None;
        for (at, c) in text.char_indices() {
            match c {
                '(' | '{' => depth += 1,
                ')' | '}' => {
                    depth -= 1;
                    if depth == 0 {
                        let comma = comma?;
                        return Some(((1, comma), (comma + 1, at)));
                    }
                }
                ',' if depth == 1 => {
                    comma.get_or_insert(at);
                }
                _ => {}
            }
        }
        return None;
    }
    let quoted = |from: usize| {
        let rest = &text[from..];
        let open = from + (rest.len() - rest.trim_start().len());
        let quote = text[open..]
            .chars()
            .next()
            .filter(|c| matches!(c, '"' | '\''))?;
        let end = open + 1 + text[open + 1..].find(quote)?;
        Some((open + 1, end))
    };
    let left = quoted(0)?;
    Some((left, quoted(left.1 + 1)?))
}

/// An assignment, a rule, an export, or text that is only expanded.
fn statement(text: &Mapped) -> Option<Line> {
    let (word, rest) = first_word(text);
    match word.as_str() {
        "export" | "unexport" => {
            let assigned = assignment(&rest).filter(|_| word == "export");
            return Some(match assigned {
                Some(assign) => Line::Assign(Assign {
                    export: true,
                    ..assign
                }),
                None => Line::Export {
                    names: rest,
                    on: word == "export",
                },
            });
        }
        "override" => {
            let assign = assignment(&rest)?;
            return Some(Line::Assign(Assign {
                overrides: true,
                ..assign
            }));
        }
        "vpath" | "undefine" => return None,
        _ => {}
    }
    if let Some(assign) = assignment(text) {
        return Some(Line::Assign(assign));
    }
    let line = text.text();
    let Some(colon) = outside(line, |rest| rest.starts_with(':')) else {
        return line
            .trim_start()
            .starts_with('$')
            .then(|| Line::Expand(text.clone()));
    };
    let targets = trimmed(text, 0, colon);
    let after = colon + 1 + usize::from(line[colon + 1..].starts_with(':'));
    let rest = trimmed(text, after, line.len());
    let start = targets.origin(0);
    let span = Span {
        start,
        end: targets.origin(targets.text().len()),
    };
    if let Some(assign) = assignment(&rest) {
        return Some(Line::Assign(Assign {
            targets: Some(targets),
            ..assign
        }));
    }
    let semicolon = outside(rest.text(), |rest| rest.starts_with(';'));
    let end = semicolon.unwrap_or(rest.text().len());
    let recipe = semicolon.map(|at| trimmed(&rest, at + 1, rest.text().len()));
    Some(Line::Rule(Rule {
        targets,
        prerequisites: trimmed(&rest, 0, end),
        recipe: recipe.into_iter().collect(),
        span,
    }))
}

/// Where something begins outside of `$(…)` and `${…}`.
fn outside(line: &str, begins: impl Fn(&str) -> bool) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in line.char_indices() {
        if depth == 0 && begins(&line[at..]) {
            return Some(at);
        }
        match c {
            '(' | '{' if depth > 0 || line[..at].ends_with('$') => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

const OPERATORS: [(&str, How); 7] = [
    (":::=", How::Now),
    ("::=", How::Now),
    (":=", How::Now),
    ("?=", How::IfUnset),
    ("+=", How::Append),
    ("!=", How::Output),
    ("=", How::Later),
];

fn assignment(text: &Mapped) -> Option<Assign> {
    let line = text.text();
    let operator = |rest: &str| OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign));
    let at = outside(line, |rest| {
        operator(rest).is_some() || rest.starts_with(':')
    })?;
    let (sign, how) = operator(&line[at..])?;
    let name = trimmed(text, 0, at);
    // `a b = c` is no assignment of one variable
    if name.text().is_empty()
        || outside(name.text(), |r| r.starts_with(char::is_whitespace)).is_some()
    {
        return None;
    }
    Some(Assign {
        name,
        how: *how,
        value: trimmed(text, at + sign.len(), line.len()),
        export: false,
        overrides: false,
        targets: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(lines: &[Line]) -> String {
        let shown = lines.iter().map(|line| match line {
            Line::Assign(a) => {
                let targets = a.targets.as_ref().map(|t| format!("{}: ", t.text()));
                let flags = [(a.export, "export "), (a.overrides, "override ")];
                let flags: String = flags
                    .iter()
                    .filter(|(on, _)| *on)
                    .map(|(_, t)| *t)
                    .collect();
                let targets = targets.unwrap_or_default();
                format!(
                    "{targets}{flags}{} {:?} [{}]",
                    a.name.text(),
                    a.how,
                    a.value.text()
                )
            }
            Line::Rule(r) => {
                let recipe: Vec<_> = r.recipe.iter().map(Mapped::text).collect();
                format!(
                    "{} <- {} {recipe:?}",
                    r.targets.text(),
                    r.prerequisites.text()
                )
            }
            Line::Recipe(text) => format!("recipe {}", text.text()),
            Line::Export { names, on } => format!("export({on}) {}", names.text()),
            Line::Include { files, optional } => format!("include({optional}) {}", files.text()),
            Line::Expand(text) => format!("expand {}", text.text()),
            Line::If(arms) => {
                let arms = arms.iter().map(|(condition, lines)| {
                    let condition = match condition {
                        Some(Condition::Compare { left, right, equal }) => {
                            format!(
                                "{}{}{}",
                                left.text(),
                                if *equal { "==" } else { "!=" },
                                right.text()
                            )
                        }
                        Some(Condition::Defined { name, set }) => format!("{set} {}", name.text()),
                        Some(Condition::Unknown) => "?".to_owned(),
                        None => "else".to_owned(),
                    };
                    format!("{condition} {{{}}}", show(lines))
                });
                arms.collect::<Vec<_>>().join(" ")
            }
        });
        shown.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn lines_are_told_apart() {
        for (text, expected) in [
            ("A = b c # d\n", "A Later [b c]"),
            (
                "A:=b\nC ?= d\nE+=f\nG != ls",
                "A Now [b]; C IfUnset [d]; E Append [f]; G Output [ls]",
            ),
            ("A = b \\\n\t c\n", "A Later [b  c]"),
            (
                "export A := b\nexport C D\nunexport E\nexport\n",
                "export A Now [b]; export(true) C D; export(false) E; export(true) ",
            ),
            ("override A = b\n", "override A Later [b]"),
            (
                "all: a b\n\tx\n\ty \\\n\tz\n\nb: ; w\n",
                r#"all <- a b ["x", "y \\\nz"]; b <-  ["w"]"#,
            ),
            ("a b:: c", "a b <- c []"),
            (
                "%.o: %.cu | d\n\t$(NVCC) -c $<\n",
                r#"%.o <- %.cu | d ["$(NVCC) -c $<"]"#,
            ),
            ("t: A = b\n", "t: A Later [b]"),
            ("$(X):$(Y:.a=.b)\n", "$(X) <- $(Y:.a=.b) []"),
            (
                "include a.mk b.mk\n-include c",
                "include(false) a.mk b.mk; include(true) c",
            ),
            (
                "$(foreach a,b,$(eval C := d))\n",
                "expand $(foreach a,b,$(eval C := d))",
            ),
            ("$(A)_B = c", "$(A)_B Later [c]"),
            (
                "ifeq ($(A),1)\nB = c\nelse ifdef D\nB = e\nelse\nB = f\nendif\nG = h\n",
                "$(A)==1 {B Later [c]} true D {B Later [e]} else {B Later [f]}; G Later [h]",
            ),
            (
                "a: b\n\tx\nifdef C\n\ty\nendif\n\tz\nD = e\n\tno recipe\n",
                r#"a <- b ["x"]; true C {recipe y}; recipe z; D Later [e]"#,
            ),
            ("ifneq \"$(A)\" 'x'\nendif", "$(A)!=x {}"),
            ("ifeq x\nA=b", "? {A Later [b]}"),
            ("define A\nb = c\nendef\nD = e\n", "D Later [e]"),
            ("endif\nelse\nA = b\n", "A Later [b]"),
            ("\tno rule\nA = b", "A Later [b]"),
        ] {
            assert_eq!(show(&read(text)), expected, "{text}");
        }
    }

    #[test]
    fn places_are_kept_through_continuations() {
        let text = "A = b \\\n  -gencode=x\n";
        let [Line::Assign(assign)] = &read(text)[..] else {
            panic!("no assignment");
        };
        let at = assign.value.text().find("-gencode").unwrap();
        assert_eq!(
            assign.value.origin(at) as usize,
            text.find("-gencode").unwrap()
        );
    }
}
