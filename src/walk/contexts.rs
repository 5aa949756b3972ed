//! What template expressions find, and what they asked for.
use super::shared::Shared;
use crate::text::expression::{Expression, parse};
use crate::value::Value;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Values by lower-case path: `matrix.cuda`. `matrix.*` stands for every other part of `matrix`.
#[derive(Clone, Debug, Default)]
pub struct Contexts {
    values: Shared<Value>,
    /// The paths that were asked for, here or in a copy.
    asked: Rc<RefCell<BTreeSet<Rc<str>>>>,
    /// The expressions that were read: most are read several times.
    parsed: Rc<RefCell<Parsed>>,
}

/// Expressions by their text; `None` for those that are not understood.
type Parsed = HashMap<Box<str>, Option<Rc<Expression>>>;

impl Contexts {
    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Gives expressions a value to find, by its path in any case.
    pub fn give(&mut self, path: &str, value: Value) {
        self.values
            .insert_mut(path.to_ascii_lowercase().into(), value);
    }

    /// The value at a lower-case path.
    pub fn find(&self, path: &str) -> Option<&Value> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(path) {
            asked.insert(path.into());
        }
        self.values.get(path)
    }

    /// The expression that a text is; `None` if it is none.
    pub(super) fn expression(&self, text: &str) -> Option<Rc<Expression>> {
        let mut parsed = self.parsed.borrow_mut();
        if let Some(known) = parsed.get(text) {
            return known.clone();
        }
        let expression = parse(text).map(Rc::new);
        parsed.insert(text.into(), expression.clone());
        expression
    }

    /// Takes away what stands below a path that ends in a dot.
    pub fn take_below(&mut self, path: &str) -> Vec<(Rc<str>, Value)> {
        let below = self.values.iter().filter(|(p, _)| p.starts_with(path));
        let below: Vec<_> = below.map(|(p, v)| (p.clone(), v.clone())).collect();
        for (path, _) in &below {
            self.values.remove_mut(path);
        }
        below
    }

    /// Forgets what was asked for so far; what is asked of copies that are made from here on is remembered.
    pub fn ask_anew(&mut self) {
        self.asked = Rc::default();
    }

    /// Whether all that was asked for has the same value in `other`.
    pub fn answers_like(&self, other: &Self) -> bool {
        let asked = self.asked.borrow();
        let mut paths = asked.iter();
        paths.all(|path| self.values.get(path) == other.values.get(path))
    }
}

/// What was asked for is no part of what is known.
impl PartialEq for Contexts {
    fn eq(&self, other: &Self) -> bool {
        self.values.ptr_eq(&other.values) || self.values == other.values
    }
}
