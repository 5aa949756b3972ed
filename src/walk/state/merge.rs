//! States joined again after a condition.
use super::State;
use crate::value::Value;
use crate::walk::content::merge_presence;
use crate::walk::shared::add_missing;
use crate::walk::variable::{Variable, union};
use std::rc::Rc;

impl State {
    /// What `name` will be for the next steps.
    fn next(&self, name: &str) -> Variable {
        match self.later.get(name) {
            Some(variable) => variable.clone(),
            None => self.get(name).to_vec(),
        }
    }

    /// Joins what two states leave for the next steps.
    fn merge_later(&mut self, other: &Self, guard: &str) {
        if self.later.ptr_eq(&other.later) {
            return;
        }
        let names: Vec<Rc<str>> = self
            .later
            .keys()
            .chain(other.later.keys())
            .cloned()
            .collect();
        for name in names {
            let both = union(self.next(&name), other.next(&name), guard);
            self.later.insert_mut(name, both);
        }
    }

    /// The union of two states after a condition that could not be decided.
    pub fn merge(&mut self, other: &Self, guard: &str) {
        if !self.variables.ptr_eq(&other.variables) {
            let names: Vec<Rc<str>> = self
                .variables
                .keys()
                .chain(other.variables.keys())
                .cloned()
                .collect();
            for name in names {
                let (mine, theirs) = (self.get(&name), other.get(&name));
                if mine != theirs {
                    let both = union(mine.to_vec(), theirs.to_vec(), guard);
                    self.set(&name, both);
                }
            }
        }
        self.merge_later(other, guard);
        for (name, value) in other.outputs.iter() {
            let both = match self.outputs.get(name) {
                Some(mine) if mine == value => continue,
                Some(_) => Value::hole(&format!("{name} depends on a condition"), None, false),
                None => value.clone(),
            };
            self.outputs.insert_mut(name.clone(), both);
        }
        if self.cwd != other.cwd {
            self.cwd = "?".into();
        }
        add_missing(&mut self.files, &other.files);
        for (mine, theirs) in [
            (&mut self.nvcc, &other.nvcc),
            (&mut self.torch, &other.torch),
            (&mut self.cmake, &other.cmake),
            (&mut self.pip, &other.pip),
        ] {
            merge_presence(mine, theirs);
        }
        self.other_gpu &= other.other_gpu;
        self.sh = self.sh.filter(|sh| other.sh == Some(*sh));
        if self.projects.size() < other.projects.size() {
            self.projects = other.projects.clone();
        }
        if self.configured.len() < other.configured.len() {
            self.configured = other.configured.clone();
        }
        add_missing(&mut self.functions, &other.functions);
    }
}
