//! The lines of a Makefile, in their order.
use super::functions::{as_text, words};
use super::variables::NOWHERE;
use super::ways::{Open, Undecided};
use super::{Made, Maker};
use crate::facts::ProblemKind;
use crate::paths::join;
use crate::text::make::{Condition, Line, Rule, read};
use crate::text::mapped::Mapped;
use crate::value::Value;
use crate::walk::follow::open;
use crate::walk::state::State;
use std::cell::RefCell;
use std::rc::Rc;

impl Maker<'_, '_> {
    pub(super) fn read(&mut self, file: u16, state: &State) {
        let lines = read(self.walker.files.text(file));
        self.lines(&lines, file, state);
    }

    pub(super) fn evaluate(&mut self, text: &Value, state: &State) {
        let lines = read(&as_text(text));
        self.lines(&lines, NOWHERE, state);
    }

    /// Takes lines in order.
    fn lines(&mut self, lines: &[Line], file: u16, state: &State) {
        for line in lines {
            if !self.tick() {
                return;
            }
            match line {
                Line::Assign(assign) => match &assign.targets {
                    None => self.assign(assign, file, state),
                    Some(targets) => {
                        for target in words(&self.expand(targets, file, state)) {
                            let of = (target.sketch(), assign.clone(), file);
                            self.of_targets.push(of);
                        }
                    }
                },
                Line::Rule(rule) => self.rule(rule, file, state),
                Line::Recipe(text) => {
                    if let Some(made) = self.rules.last_mut() {
                        Rc::make_mut(&mut made.recipe).push(text.clone());
                    }
                }
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
                Line::If(arms) => self.arms(arms, file, state),
            }
        }
    }

    /// The lines of the arm that is taken; of all that may be, where that is not known.
    fn arms(&mut self, arms: &[(Option<Condition>, Vec<Line>)], file: u16, state: &State) {
        let mut possible: Vec<&[Line]> = Vec::new();
        let mut sure = false;
        for (condition, lines) in arms {
            let holds = match condition {
                Some(condition) => self.holds(condition, file, state),
                None => Some(true),
            };
            if holds != Some(false) {
                possible.push(lines);
            }
            sure = holds == Some(true);
            if sure {
                break;
            }
        }
        if let (true, [lines]) = (sure, possible.as_slice()) {
            return self.lines(lines, file, state);
        }
        let number = self.conditions.len();
        self.conditions.push(Undecided {
            group: self.walker.group(),
            of: possible.len() + usize::from(!sure),
        });
        for (arm, lines) in possible.into_iter().enumerate() {
            self.within.push((number, arm));
            self.picks.insert(Open::Condition(number), arm);
            self.lines(lines, file, state);
            self.picks.remove(&Open::Condition(number));
            self.within.pop();
        }
    }

    /// Whether a condition holds, whatever is taken of what is open.
    fn holds(&mut self, condition: &Condition, file: u16, state: &State) -> Option<bool> {
        let ways = self.ways(
            |maker| maker.holds_here(condition, file, state),
            |a, b| a == b,
        );
        match ways.as_slice() {
            [(_, holds)] => *holds,
            _ => None,
        }
    }

    fn holds_here(&mut self, condition: &Condition, file: u16, state: &State) -> Option<bool> {
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
        let ways = self.ways(
            |maker| {
                let targets = names(&maker.expand(&rule.targets, file, state));
                let needs = names(&maker.expand(&rule.prerequisites, file, state));
                (targets, needs)
            },
            |left, right| left == right,
        );
        let recipe: Rc<Vec<Mapped>> = rule.recipe.clone().into();
        let Some((_, (first, all))) = ways.first() else {
            return;
        };
        let one = ways.iter().all(|(_, (targets, _))| targets == first);
        if one && ways.len() > 1 {
            // what is needed in any case, and then what only some ways add
            let always = |need: &String| ways.iter().all(|(_, (_, needs))| needs.contains(need));
            let made = Made {
                targets: first.clone(),
                prerequisites: all.iter().filter(|need| always(need)).cloned().collect(),
                recipe,
                file,
                picks: self.picks.clone(),
            };
            let more = ways.iter().map(|(picks, (_, needs))| Made {
                prerequisites: needs.iter().filter(|need| !always(need)).cloned().collect(),
                recipe: Rc::default(),
                picks: picks.clone(),
                ..made.clone()
            });
            let more: Vec<Made> = more.collect();
            self.rules.push(made);
            return self.rules.extend(more);
        }
        for (picks, (targets, prerequisites)) in ways {
            self.rules.push(Made {
                targets,
                prerequisites,
                recipe: Rc::clone(&recipe),
                file,
                picks,
            });
        }
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
}
