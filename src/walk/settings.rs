//! Settings of variables, wherever the document makes them.
use super::variable::Origin;
use crate::span::Span;
use crate::value::Value;
use std::collections::HashMap;
use std::rc::Rc;

/// A setting of a variable anywhere in the document.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The variable.
    pub name: Rc<str>,
    /// The value.
    pub value: Value,
    /// Where and how.
    pub origin: Origin,
    /// The stage; `None` before the first.
    pub scope: Option<usize>,
    /// When, in statements.
    pub order: u32,
    /// How long it lives.
    pub life: Life,
    /// The instruction that holds it.
    pub instruction: Span,
}

/// How long a setting lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// To the end of the stage.
    Stage,
    /// To the end of its RUN or step, exported.
    Run,
    /// To the end of its RUN or step, not exported.
    Shell,
    /// From the next step on.
    Next,
    /// For one command.
    Command,
    /// In a file that the build's shells do not read.
    RcFile,
}

/// The settings of a document, in their order.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    all: Vec<Setting>,
    by_name: HashMap<Rc<str>, Vec<usize>>,
}

impl Settings {
    /// Adds a setting that comes after the others.
    pub fn push(&mut self, setting: Setting) {
        let of_name = self.by_name.entry(setting.name.clone()).or_default();
        of_name.push(self.all.len());
        self.all.push(setting);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Those that were added since there were `before`.
    pub fn since(&self, before: usize) -> impl Iterator<Item = &Setting> {
        self.all.iter().skip(before)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.all.iter()
    }

    /// Those of one variable.
    pub fn of(&self, name: &str) -> impl Iterator<Item = &Setting> {
        let places = self.by_name.get(name).into_iter().flatten();
        places.filter_map(|&at| self.all.get(at))
    }
}
