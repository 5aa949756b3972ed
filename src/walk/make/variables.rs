//! Make's variables: what the command line, the Makefile and the environment say of them.
use super::Maker;
use super::ways::{Open, alike};
use crate::actions::Named;
use crate::text::make::{Assign, How};
use crate::text::mapped::Mapped;
use crate::value::Value;
use crate::walk::state::State;
use std::rc::Rc;

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    stored: Rc<Stored>,
    rank: Rank,
    /// Recipes see it in their environment.
    pub(super) exported: bool,
}

#[derive(Debug)]
enum Stored {
    /// Expanded when it was set.
    Now(Value),
    /// A text with its file, expanded where it is used.
    Later(Mapped, u16),
    /// What was there, and what was added.
    Joined(Vec<Rc<Stored>>),
    /// The one where all of these arms are taken, else the other; nothing, where the Makefile did not set it before.
    Under {
        arms: Vec<(usize, usize)>,
        then: Rc<Stored>,
        otherwise: Option<Rc<Stored>>,
        /// How many of these are in one another.
        nested: u16,
    },
}

/// Who set it; the higher one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Makefile,
    CommandLine,
    Override,
}

/// The file of a text that `eval` made.
pub(super) const NOWHERE: u16 = u16::MAX;
/// More conditions around one variable are not followed.
const MAX_NESTED: u16 = 100;

impl Stored {
    fn nested(&self) -> u16 {
        match self {
            Self::Under { nested, .. } => *nested,
            Self::Joined(parts) => parts.iter().map(|part| part.nested()).max().unwrap_or(0),
            Self::Now(_) | Self::Later(..) => 0,
        }
    }

    /// Set with `:=`: what is added is expanded at once, too.
    fn is_now(&self) -> bool {
        match self {
            Self::Now(_) => true,
            Self::Later(..) => false,
            Self::Joined(parts) => parts.first().is_some_and(|part| part.is_now()),
            Self::Under { then, .. } => then.is_now(),
        }
    }

    /// The same with `new` where it is not set; `None` where it always is.
    fn filled(self: &Rc<Self>, new: &Rc<Self>) -> Option<Rc<Self>> {
        let Self::Under {
            arms,
            then,
            otherwise,
            nested,
        } = &**self
        else {
            return None;
        };
        let otherwise = match otherwise {
            None => new.clone(),
            Some(inner) => inner.filled(new)?,
        };
        Some(Rc::new(Self::Under {
            arms: arms.clone(),
            then: then.clone(),
            otherwise: Some(otherwise),
            nested: *nested,
        }))
    }
}

impl Maker<'_, '_> {
    pub(super) fn command_line(&mut self, named: &Named) {
        let variable = Variable {
            stored: Stored::Now(named.value.clone()).into(),
            rank: Rank::CommandLine,
            exported: true,
        };
        self.variables.insert(named.name.clone(), variable);
    }

    /// The variables that recipes see in their environment.
    pub(super) fn exported(&mut self, state: &State) -> Vec<(String, Value)> {
        let all = self.export_all;
        let names: Vec<String> = self
            .variables
            .iter()
            .filter(|(name, variable)| variable.exported || all || state.mentions(name))
            .map(|(name, _)| name.clone())
            .collect();
        let values = names.into_iter().map(|name| {
            let value = self.variable(&name, state);
            (name, value)
        });
        values.collect()
    }

    /// The variables that the Makefile sets, with their values.
    pub(super) fn own(&mut self, state: &State) -> Vec<Named> {
        let own = |variable: &Variable| variable.rank != Rank::CommandLine;
        let names: Vec<String> = self
            .variables
            .iter()
            .filter(|(_, variable)| own(variable))
            .map(|(name, _)| name.clone())
            .collect();
        let named = names.into_iter().map(|name| Named {
            value: self.variable(&name, state),
            name,
        });
        named.collect()
    }

    pub(super) fn assign(&mut self, assign: &Assign, file: u16, state: &State) {
        let name = self.expand(&assign.name, file, state).sketch();
        let rank = if assign.overrides {
            Rank::Override
        } else {
            Rank::Makefile
        };
        let known = self.variables.get(&name).cloned();
        let exported = assign.export || known.as_ref().is_some_and(|known| known.exported);
        if let Some(known) = known.as_ref().filter(|known| known.rank > rank) {
            let known = Variable {
                exported,
                ..known.clone()
            };
            self.variables.insert(name, known);
            return;
        }
        let from_environment = known.is_none() && in_environment(&name, state);
        let before = known.map(|known| known.stored);
        let later = || Rc::new(Stored::Later(assign.value.clone(), file));
        let stored = match assign.how {
            How::Later => self.where_we_are(later(), before),
            How::Now => {
                let now = self.now(&assign.value, file, state);
                self.where_we_are(now, before)
            }
            How::Output => self.where_we_are(Stored::Now(printed()).into(), before),
            How::IfUnset => match before {
                Some(before) => before.filled(&later()).unwrap_or(before),
                None if from_environment => return,
                None => self.where_we_are(later(), None),
            },
            How::Append => {
                let more = match &before {
                    Some(before) if before.is_now() => self.now(&assign.value, file, state),
                    _ => later(),
                };
                self.appended(&name, before, more, from_environment, state)
            }
        };
        let variable = Variable {
            stored,
            rank,
            exported,
        };
        self.variables.insert(name, variable);
    }

    /// A value that counts where the arms that we are in are taken.
    fn where_we_are(&self, then: Rc<Stored>, otherwise: Option<Rc<Stored>>) -> Rc<Stored> {
        if self.within.is_empty() {
            return then;
        }
        let inner = otherwise.as_ref().map_or(0, |before| before.nested());
        let nested = 1 + inner.max(then.nested());
        if nested > MAX_NESTED {
            let why = "it depends on more conditions than are followed";
            return Stored::Now(Value::hole(why, None, false)).into();
        }
        Rc::new(Stored::Under {
            arms: self.within.clone(),
            then,
            otherwise,
            nested,
        })
    }

    fn appended(
        &mut self,
        name: &str,
        before: Option<Rc<Stored>>,
        more: Rc<Stored>,
        from_environment: bool,
        state: &State,
    ) -> Rc<Stored> {
        let Some(before) = before else {
            let then = match from_environment {
                true => {
                    let given = Stored::Now(self.variable(name, state));
                    Stored::Joined(vec![given.into(), more]).into()
                }
                false => more,
            };
            return self.where_we_are(then, None);
        };
        if !self.within.is_empty() {
            let then = Stored::Joined(vec![before.clone(), more]);
            return self.where_we_are(then.into(), Some(before));
        }
        // what is added to again and again is not copied each time
        self.variables.remove(name);
        match Rc::try_unwrap(before) {
            Ok(Stored::Joined(mut parts)) => {
                parts.push(more);
                Stored::Joined(parts).into()
            }
            Ok(before) => Stored::Joined(vec![before.into(), more]).into(),
            Err(before) => Stored::Joined(vec![before, more]).into(),
        }
    }

    /// A text that is expanded at once, in each way of taking the conditions that it depends on.
    fn now(&mut self, text: &Mapped, file: u16, state: &State) -> Rc<Stored> {
        let mut ways = self.ways(
            |maker| maker.expand(text, file, state),
            |left, right| alike(&left.sketch(), &right.sketch()),
        );
        let last = ways.pop().map(|(_, value)| value).unwrap_or_default();
        let mut stored = Rc::new(Stored::Now(last));
        for (nested, (picks, value)) in ways.into_iter().rev().enumerate() {
            let arms = picks.iter().filter_map(|(open, arm)| match open {
                Open::Condition(number) => Some((*number, *arm)),
                Open::Environment(_) => None,
            });
            stored = Rc::new(Stored::Under {
                arms: arms.collect(),
                then: Stored::Now(value).into(),
                otherwise: Some(stored),
                nested: nested as u16 + 1,
            });
        }
        stored
    }

    /// A variable's value; the empty one if it is not set.
    pub(super) fn variable(&mut self, name: &str, state: &State) -> Value {
        let local = self.locals.iter().rev().find(|(local, _)| local == name);
        if let Some((_, value)) = local {
            return value.clone();
        }
        let value = match self.variables.get(name).map(|v| v.stored.clone()) {
            Some(stored) => self.value_of(name, &stored, state),
            None => self.given(name, state),
        };
        // whatever finds it, it is this program
        if name == "NVCC" && value.known().is_none() && !value.sketch().contains("nvcc") {
            return Value::literal("nvcc", None);
        }
        value
    }

    fn value_of(&mut self, name: &str, stored: &Stored, state: &State) -> Value {
        match stored {
            Stored::Now(value) => value.clone(),
            Stored::Later(text, file) => self.expand(text, *file, state),
            Stored::Joined(parts) => {
                let mut value = Value::default();
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        value.push_literal(" ", None);
                    }
                    value.append(&self.value_of(name, part, state));
                }
                value
            }
            Stored::Under {
                arms,
                then,
                otherwise,
                ..
            } => {
                for (number, arm) in arms {
                    let of = self.conditions.get(*number).map_or(1, |known| known.of);
                    let picked = self.picked(&Open::Condition(*number), of);
                    if picked.is_none() && self.blind {
                        let why = format!("{name} depends on a condition in the Makefile");
                        return Value::hole(&why, None, false);
                    }
                    if picked != Some(*arm) {
                        return match otherwise {
                            Some(otherwise) => self.value_of(name, otherwise, state),
                            None => self.given(name, state),
                        };
                    }
                }
                self.value_of(name, then, state)
            }
        }
    }

    /// What make or the environment says of a variable that the Makefile does not set.
    fn given(&mut self, name: &str, state: &State) -> Value {
        let text = match name {
            "MAKE" => "make",
            "CURDIR" => &self.dir,
            "SHELL" => "/bin/sh",
            "CC" => "cc",
            "CXX" => "g++",
            "AR" => "ar",
            "RM" => "rm -f",
            "MAKEFILE_LIST" | "MAKEFLAGS" | "MAKELEVEL" => {
                return Value::hole("make sets it", None, true);
            }
            _ => {
                let found = state.found_by_program(name);
                let arm = match found.len() {
                    0 | 1 => Some(0),
                    several => self.picked(&Open::Environment(name.to_owned()), several),
                };
                if arm.is_none() && self.blind {
                    return Value::hole(&format!("{name} depends on a condition"), None, false);
                }
                let found = found.get(arm.unwrap_or(0));
                let seen = found.filter(|alternative| alternative.exported);
                return seen
                    .and_then(|alternative| alternative.value.clone())
                    .unwrap_or_default();
            }
        };
        Value::literal(text, None)
    }
}

/// What a command prints.
pub(super) fn printed() -> Value {
    Value::hole("it is the output of a command", None, true)
}

fn in_environment(name: &str, state: &State) -> bool {
    let found = state.found_by_program(name);
    found.iter().any(|a| a.exported && a.value.is_some())
}
