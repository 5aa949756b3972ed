//! `make` with a Makefile that can be read: its variables, and the recipes of the targets that are asked for.
mod variables;

use super::content::{Content, join};
use super::context::content_at;
use super::follow::{Call, open};
use super::script::{Context, MAX_DEPTH};
use super::state::{Alternative, Origin, State};
use super::value::{Piece, Site, Value};
use super::walker::Walker;
use crate::actions::{Action, Named, Source};
use crate::facts::{ProblemKind, SetHow};
use crate::span::Span;
use crate::text::make::{Assign, Condition, Line, Rule, read};
use crate::text::mapped::Mapped;
use crate::tree::Kind;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use variables::{NOWHERE, Variable, stem, words};

/// Expansions and targets that one `make` may take.
const STEPS: u32 = 50_000;

/// A Makefile that is being followed.
struct Maker<'w, 'g> {
    walker: &'w mut Walker<'g>,
    /// Its directory in the image.
    dir: String,
    /// Itself.
    file: u16,
    variables: BTreeMap<String, Variable>,
    /// The variables of `foreach`, `call` and recipes, the innermost last.
    locals: Vec<(String, Value)>,
    rules: Vec<Made>,
    /// Variables of targets, with the file that they stand in.
    of_targets: Vec<(String, Assign, u16)>,
    export_all: bool,
    /// The targets that are made.
    done: BTreeSet<String>,
    /// The pattern rules that the target in hand comes by.
    chain: Vec<usize>,
    depth: u16,
    steps: u32,
    /// What its recipes run.
    host: Host,
}

/// Whether recipes do no more than compile for the CPU.
#[derive(Clone, Copy, Debug, Default)]
struct Host {
    /// A compiler for the CPU was run.
    compiles: bool,
    /// Something else was, too.
    more: bool,
}

impl Host {
    const COMPILERS: [&str; 12] = [
        "cc", "gcc", "c++", "g++", "clang", "clang++", "gfortran", "mpicc", "mpicxx", "mpic++",
        "ar", "ld",
    ];
    const TOOLS: [&str; 12] = [
        "rm", "mkdir", "echo", "printf", "cp", "mv", "ln", "cd", "touch", "true", ":", "ranlib",
    ];

    fn runs(&mut self, line: &str) {
        let commands = line.split(['&', '|', ';']).map(str::trim);
        for command in commands.filter(|command| !command.is_empty()) {
            let mut words = command.split_whitespace();
            let program = words.next().unwrap_or_default();
            let program = program.rsplit('/').next().unwrap_or_default();
            if Self::COMPILERS.contains(&program) && !words.any(|word| word.ends_with(".cu")) {
                self.compiles = true;
            } else if !Self::TOOLS.contains(&program) {
                self.more = true;
            }
        }
    }

    /// A Makefile that says all it does, and none of it is for a GPU.
    fn is_all(self) -> bool {
        self.compiles && !self.more
    }
}

/// A rule, expanded.
#[derive(Clone, Debug)]
struct Made {
    targets: Vec<String>,
    prerequisites: Vec<String>,
    recipe: Rc<Vec<Mapped>>,
    file: u16,
}

/// The command, its Makefile, and what is around it.
struct Asked<'a> {
    site: Site,
    state: &'a mut State,
    context: &'a Context,
}

impl Walker<'_> {
    /// Follows a Makefile. Gives the action that is left to be judged as a whole: one whose recipes build nothing that is known.
    pub(super) fn make(
        &mut self,
        mut action: Action,
        site: Site,
        state: &mut State,
        context: &Context,
    ) -> Option<Action> {
        let Source::Tree(dir) = action.source.clone() else {
            return Some(action);
        };
        let Some(file) = self.makefile(&action, &dir, state) else {
            return Some(action);
        };
        if context.depth >= MAX_DEPTH {
            let message = format!(
                "{} is not followed: {MAX_DEPTH} files lead to it",
                path_of(self, file)
            );
            self.note(ProblemKind::PassedOver, message);
            return None;
        }
        let before = self.walked.steps.len();
        let mut maker = Maker {
            dir,
            file,
            variables: BTreeMap::new(),
            locals: Vec::new(),
            rules: Vec::new(),
            of_targets: Vec::new(),
            export_all: false,
            done: BTreeSet::new(),
            chain: Vec::new(),
            depth: 0,
            steps: STEPS,
            host: Host::default(),
            walker: self,
        };
        let mut asked = Asked {
            site,
            state,
            context,
        };
        maker.run(&action, &mut asked);
        let own = maker.own(asked.state);
        let host = maker.host.is_all() && !action.make_vars.iter().any(asks_for_cuda);
        if maker.steps == 0 {
            let message = format!("{} takes too much to follow", path_of(self, file));
            self.note(ProblemKind::CutShort, message);
        }
        if self.walked.steps.len() > before || host {
            return None;
        }
        let given = |own: &Named| action.make_vars.iter().any(|given| given.name == own.name);
        let mut variables: Vec<Named> = own.into_iter().filter(|own| !given(own)).collect();
        variables.append(&mut action.make_vars);
        action.make_vars = variables;
        Some(action)
    }

    /// The Makefile of a command, if it can be read.
    fn makefile(&mut self, action: &Action, dir: &str, state: &State) -> Option<u16> {
        let named = action.options.iter().find_map(|(name, value)| {
            let is_file = matches!(name.as_str(), "f" | "file" | "makefile");
            value.as_ref().filter(|_| is_file).map(Value::sketch)
        });
        let usual = ["GNUmakefile", "makefile", "Makefile"].map(str::to_owned);
        let names = named.as_ref().map_or(&usual[..], std::slice::from_ref);
        for name in names {
            let path = join(dir, name);
            let is_there = match content_at(state, &path) {
                Some(Content::Context(inside)) => {
                    named.is_some() || self.files.kind(&inside) == Some(Kind::File)
                }
                content => matches!(content, Some(Content::Text(_))),
            };
            if !is_there {
                continue;
            }
            let notes = RefCell::default();
            let text = open(&path, state, self.files, &notes);
            for message in notes.take() {
                self.note(ProblemKind::PassedOver, message);
            }
            // a Makefile that a command wrote has no file of its own
            return text.map(|text| text.file).filter(|file| *file > 0);
        }
        None
    }
}

/// `USE_CUDA=TRUE`: its compiler may be nvcc by another name.
fn asks_for_cuda(given: &Named) -> bool {
    let value = given.value.sketch().to_ascii_lowercase();
    let off = matches!(&*value, "" | "0" | "no" | "off" | "false");
    given.name.to_ascii_lowercase().contains("cuda") && !off
}

/// The command of a recipe's line: what its variables bring stands where they are used.
fn placed_in(line: &Mapped, file: u16, command: &Value) -> Value {
    let (start, end) = (line.origin(0), line.origin(line.text().len()));
    let span = Span { start, end };
    let own = |site: &Site| site.file == file && span.contains(site.span);
    let mut placed = Value::default();
    for piece in &command.pieces {
        placed.pieces.push(match piece {
            Piece::Literal { text, site } => Piece::Literal {
                text: Rc::clone(text),
                site: site.filter(own).or(Some(Site { file, span })),
            },
            hole @ Piece::Hole { .. } => hole.clone(),
        });
    }
    placed
}

fn path_of(walker: &Walker<'_>, file: u16) -> String {
    let span = Span::default();
    walker.files.path(Site { file, span }).to_owned()
}

impl Maker<'_, '_> {
    fn run(&mut self, action: &Action, asked: &mut Asked<'_>) {
        let given = self.walker.make_variables.clone();
        for named in given.iter().chain(&action.make_vars) {
            self.command_line(named);
        }
        let before = std::mem::take(&mut self.walker.make_variables);
        self.walker.make_variables = given.iter().chain(&action.make_vars).cloned().collect();
        self.read(self.file, asked.state);
        let first = |rule: &&Made| {
            let usual = |target: &String| !target.starts_with('.') && !target.contains('%');
            rule.targets.first().is_some_and(usual)
        };
        let targets = if action.targets.is_empty() {
            let goal = self.rules.iter().find(first);
            goal.and_then(|rule| rule.targets.first().cloned())
                .into_iter()
                .collect()
        } else {
            action.targets.clone()
        };
        for target in targets {
            let again = (self.file, target.clone());
            if self.walker.making.contains(&again) {
                let path = path_of(self.walker, self.file);
                let message = format!("{path}: {target} makes itself: it is followed once");
                self.walker.note(ProblemKind::PassedOver, message);
                continue;
            }
            self.walker.making.push(again);
            self.target(&target, asked, 0);
            self.walker.making.pop();
        }
        self.walker.make_variables = before;
    }

    fn tick(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
    }

    fn read(&mut self, file: u16, state: &State) {
        let lines = read(self.walker.files.text(file));
        self.lines(&lines, file, false, state);
    }

    fn evaluate(&mut self, text: &Value, state: &State) {
        let lines = read(&variables::as_text(text));
        self.lines(&lines, NOWHERE, false, state);
    }

    /// Takes lines in order; `unsure`: under a condition that is not known.
    fn lines(&mut self, lines: &[Line], file: u16, unsure: bool, state: &State) {
        for line in lines {
            if !self.tick() {
                return;
            }
            match line {
                Line::Assign(assign) => match &assign.targets {
                    None => self.assign(assign, file, unsure, state),
                    Some(targets) => {
                        for target in words(&self.expand(targets, file, state)) {
                            let of = (target.sketch(), assign.clone(), file);
                            self.of_targets.push(of);
                        }
                    }
                },
                Line::Rule(rule) => self.rule(rule, file, state),
                Line::Export { names, on } => {
                    let names = words(&self.expand(names, file, state));
                    self.export_all |= names.is_empty() && *on;
                    for name in names {
                        if let Some(variable) = self.variables.get_mut(&name.sketch()) {
                            variable.exported = *on;
                        }
                    }
                }
                Line::Include { files, optional } => {
                    for name in words(&self.expand(files, file, state)) {
                        self.include(&name.sketch(), *optional, state);
                    }
                }
                Line::Expand(text) => drop(self.expand(text, file, state)),
                Line::If(arms) => self.arms(arms, file, unsure, state),
            }
        }
    }

    fn arms(
        &mut self,
        arms: &[(Option<Condition>, Vec<Line>)],
        file: u16,
        mut unsure: bool,
        state: &State,
    ) {
        for (condition, lines) in arms {
            let holds = match condition {
                Some(condition) => self.holds(condition, file, state),
                None => Some(true),
            };
            match holds {
                Some(false) => {}
                Some(true) => return self.lines(lines, file, unsure, state),
                None => {
                    unsure = true;
                    self.lines(lines, file, true, state);
                }
            }
        }
    }

    fn holds(&mut self, condition: &Condition, file: u16, state: &State) -> Option<bool> {
        match condition {
            Condition::Compare { left, right, equal } => {
                let left = self.expand(left, file, state);
                let right = self.expand(right, file, state);
                let same = match (left.known(), right.known()) {
                    (Some(left), Some(right)) => Some(left == right),
                    _ if left.is_empty() == Some(true) && right.is_empty() == Some(false) => {
                        Some(false)
                    }
                    _ if left.is_empty() == Some(false) && right.is_empty() == Some(true) => {
                        Some(false)
                    }
                    _ => None,
                };
                same.map(|same| same == *equal)
            }
            Condition::Defined { name, set } => {
                let name = self.expand(name, file, state).sketch();
                let empty = self.variable(&name, state).is_empty();
                empty.map(|empty| empty != *set)
            }
            Condition::Unknown => None,
        }
    }

    fn rule(&mut self, rule: &Rule, file: u16, state: &State) {
        let names = |value: &Value| words(value).iter().map(Value::sketch).collect::<Vec<_>>();
        let targets = names(&self.expand(&rule.targets, file, state));
        let prerequisites = names(&self.expand(&rule.prerequisites, file, state));
        self.rules.push(Made {
            targets,
            prerequisites,
            recipe: rule.recipe.clone().into(),
            file,
        });
    }

    fn include(&mut self, name: &str, optional: bool, state: &State) {
        let path = join(&self.dir, name);
        let notes = RefCell::default();
        let text = open(&path, state, self.walker.files, &notes);
        if !optional {
            for message in notes.take() {
                self.walker.note(ProblemKind::PassedOver, message);
            }
        }
        let Some(file) = text.map(|text| text.file) else {
            return;
        };
        if self.depth > 8 {
            let message = format!("{name} is not followed: Makefiles include each other");
            return self.walker.note(ProblemKind::PassedOver, message);
        }
        self.depth += 1;
        self.read(file, state);
        self.depth -= 1;
    }

    /// Makes a target: what it needs first, then its recipe.
    fn target(&mut self, target: &str, asked: &mut Asked<'_>, depth: usize) {
        if depth > 64 || !self.tick() || !self.done.insert(target.to_owned()) {
            return;
        }
        let before = self.locals.len();
        let own = |pattern: &str| stem(pattern, target).is_some();
        let assigns: Vec<(Assign, u16)> = self
            .of_targets
            .iter()
            .filter(|(of, _, _)| own(of))
            .map(|(_, assign, file)| (assign.clone(), *file))
            .collect();
        let global = (!assigns.is_empty()).then(|| self.variables.clone());
        for (assign, file) in assigns {
            self.assign(&assign, file, false, asked.state);
        }
        let explicit = |made: &&Made| made.targets.iter().any(|t| t == target);
        let mut rules: Vec<Made> = self.rules.iter().filter(explicit).cloned().collect();
        let mut part = String::new();
        if rules.iter().all(|made| made.recipe.is_empty())
            && let Some((index, found)) = self.pattern(target)
        {
            part = found;
            rules.extend(self.rules.get(index).cloned());
            self.chain.push(index);
        }
        let implicit = !part.is_empty();
        let with_stem = |name: &String| name.replacen('%', &part, 1);
        let needs: Vec<String> = rules
            .iter()
            .flat_map(|made| made.prerequisites.iter().map(with_stem))
            .filter(|name| name != "|")
            .collect();
        for need in &needs {
            self.target(need, asked, depth + 1);
        }
        if implicit {
            self.chain.pop();
        }
        let first = needs.first().cloned().unwrap_or_default();
        for (name, value) in [
            ("@", target),
            ("<", &first),
            ("^", &needs.join(" ")),
            ("?", &needs.join(" ")),
            ("*", &part),
            ("+", &needs.join(" ")),
        ] {
            let value = Value::literal(value, None);
            self.locals.push((name.to_owned(), value));
        }
        for made in rules {
            for line in made.recipe.iter() {
                self.recipe(line, made.file, asked);
            }
        }
        self.locals.truncate(before);
        if let Some(global) = global {
            self.variables = global;
        }
    }

    /// The pattern rule for a target, with what its `%` stands for. No rule comes twice in a chain, as make has it.
    fn pattern(&self, target: &str) -> Option<(usize, String)> {
        self.rules.iter().enumerate().find_map(|(index, made)| {
            let patterns = made.targets.iter().filter(|t| t.contains('%'));
            let part = patterns.filter_map(|t| stem(t, target)).next()?;
            let fits = !made.recipe.is_empty() && !self.chain.contains(&index);
            fits.then(|| (index, part.to_owned()))
        })
    }

    /// Runs one line of a recipe in a shell of its own.
    fn recipe(&mut self, line: &Mapped, file: u16, asked: &mut Asked<'_>) {
        let value = self.expand(line, file, asked.state);
        let text = value.sketch();
        let signs = text.len() - text.trim_start_matches(['@', '-', '+', ' ', '\t']).len();
        let swallowed = text[..signs].contains('-');
        self.host.runs(&text[signs..]);
        let command = placed_in(line, file, &value.slice_from(signs));
        let mut child = asked.state.child();
        child.cwd = self.dir.as_str().into();
        for (name, value) in self.exported(asked.state) {
            let origin = Origin {
                how: SetHow::Make,
                site: value.site(),
            };
            child.set(&name, vec![Alternative::exported(value, origin)]);
        }
        let context = Context {
            swallowed: asked.context.swallowed || swallowed,
            ..asked.context.clone()
        };
        self.walker.calls.push(Call {
            site: asked.site,
            file,
        });
        self.walker.text(&command, &mut child, &context);
        self.walker.calls.pop();
        asked.state.keep_files_of(&child);
    }

    /// The files of a pattern, where the directory's content is known.
    fn matching(&self, pattern: &Value, state: &State) -> Option<Value> {
        let text = pattern.known()?;
        let (folder, last) = text.rsplit_once('/').unwrap_or((".", &text));
        let path = join(&self.dir, folder);
        let Some(Content::Context(inside)) = content_at(state, &path) else {
            return Some(Value::hole(
                "it depends on which files are there",
                None,
                false,
            ));
        };
        let names = self.walker.files.names(&inside, last);
        let names = names.iter().map(|name| match text.contains('/') {
            true => format!("{folder}/{name}"),
            false => name.clone(),
        });
        let names: Vec<String> = names.collect();
        (!names.is_empty()).then(|| Value::literal(&names.join(" "), pattern.site()))
    }
}
