//! What processes and containers see of a state, and what they leave in it.
use super::State;
use crate::facts::LostWhy;
use crate::walk::shared::Shared;
use crate::walk::variable::{Alternative, Dropped, Variable};
use std::rc::Rc;

impl State {
    /// Forgets what is not exported: what a child process sees.
    pub fn child(&self) -> Self {
        let mut child = self.clone();
        child.functions = Shared::default();
        child.export_all = false;
        let hidden = |a: &&Alternative| !a.exported && a.value.is_some();
        for (name, variable) in &self.variables {
            let Some(last) = variable.iter().rfind(hidden) else {
                continue;
            };
            let dropped = Dropped {
                alternative: last.clone(),
                why: LostWhy::NotExported,
            };
            child.dropped.insert_mut(name.clone(), dropped);
            let seen = variable
                .iter()
                .map(|alternative| match hidden(&alternative) {
                    true => Alternative {
                        guard: alternative.guard.clone(),
                        ..Alternative::UNSET
                    },
                    false => alternative.clone(),
                });
            let mut seen: Variable = seen.collect();
            seen.dedup();
            child.variables.insert_mut(name.clone(), seen);
        }
        child
    }

    /// Takes away every variable that `keep` refuses, remembering why.
    pub fn drop_variables(&mut self, why: LostWhy, keep: impl Fn(&str) -> bool) {
        let refused = self.variables.keys().filter(|name| !keep(name));
        let refused: Vec<Rc<str>> = refused.cloned().collect();
        for name in refused {
            if let Some(alternative) = self.get(&name).iter().find(|a| a.value.is_some()) {
                let alternative = alternative.clone();
                self.dropped
                    .insert_mut(name.clone(), Dropped { alternative, why });
            }
            self.variables.remove_mut(&name);
        }
        self.open = None;
    }

    /// Passes exported variables on to `inside`: those that `passes` names, over what is there; the others are lost.
    pub fn pass(&self, inside: &mut Self, why: LostWhy, passes: impl Fn(&str) -> bool) {
        let mut dropped = self.dropped.clone();
        for (name, variable) in &self.variables {
            let Some(exported) = variable.iter().find(|a| a.exported && a.value.is_some()) else {
                continue;
            };
            if passes(name) {
                inside.variables.insert_mut(name.clone(), variable.clone());
            } else {
                let alternative = exported.clone();
                dropped.insert_mut(name.clone(), Dropped { alternative, why });
            }
        }
        inside.dropped = dropped;
    }

    /// What a program called here finds again later: files and tools, not variables or the working directory.
    pub fn keep_files_of(&mut self, after: &Self) {
        self.files = after.files.clone();
        self.repository = after.repository.clone();
        self.nvcc = after.nvcc.clone();
        self.torch = after.torch.clone();
        self.cmake = after.cmake.clone();
        self.pip = after.pip.clone();
        self.other_gpu = after.other_gpu;
        self.sh = after.sh;
        self.on_activation = after.on_activation.clone();
        self.configured = after.configured.clone();
        self.projects = after.projects.clone();
        self.later = after.later.clone();
        self.outputs = after.outputs.clone();
    }

    /// Sees the files of `other`, and what belongs to the job: all but its tools and its environment.
    pub fn mount(&mut self, other: &Self) {
        self.files = other.files.clone();
        self.cwd = other.cwd.clone();
        self.file = other.file;
        self.shell = other.shell;
        self.contexts = other.contexts.clone();
        self.machine_gpu = other.machine_gpu.clone();
        self.repository = other.repository.clone();
        self.configured = other.configured.clone();
        self.projects = other.projects.clone();
        self.later = other.later.clone();
        self.outputs = other.outputs.clone();
    }
}
