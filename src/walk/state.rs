//! What holds at one point of a document: variables, files, tools.
mod merge;
mod passed;

use super::content::{Content, Presence};
use super::contexts::Contexts;
use super::shared::Shared;
use super::shells::{BASH, Shell};
use super::variable::{Alternative, Dropped, Origin, Variable, bounded, in_expressions};
use crate::actions::Project;
use crate::cuda::Device;
use crate::facts::{self, Known, SetHow};
use crate::knowledge::Sh;
use crate::knowledge::images::is_ever_preset;
use crate::paths::join;
use crate::text::shell::Compound;
use crate::value::Value;
use std::rc::Rc;

/// How many directories are known to be there because commands made them.
const MAX_FOLDERS: usize = 64;

/// What a variable may be of which nothing is said where the environment is fully known.
const UNSET: &[Alternative] = &[Alternative::UNSET];

/// The state at one point. A copy shares all that is not changed afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    variables: Shared<Variable>,
    /// What names that were never set may be; `None` where the environment is fully known and they are unset.
    open: Option<Rc<Alternative>>,
    /// The working directory: absolute, with `?` for what is unknown.
    pub cwd: Rc<str>,
    /// The file whose statements run: another one than the linted file where that calls an action of its own.
    pub file: u16,
    files: Shared<Content>,
    /// nvcc, with the toolkit's version.
    pub nvcc: Presence,
    /// torch.
    pub torch: Presence,
    /// CMake.
    pub cmake: Presence,
    /// pip, where its version is known.
    pub pip: Presence,
    /// Whether a GPU is visible.
    pub gpu: Known,
    /// The GPU of the job's machine, where its label names one.
    pub machine_gpu: Option<Rc<Device>>,
    /// What the repository of the linted file may be called, where it is checked out: `owner/name`, `?/name`.
    pub repository: Rc<Vec<Rc<str>>>,
    /// The image is made for GPUs of another maker: nothing in it compiles CUDA.
    pub other_gpu: bool,
    /// The image has CUDA in it, with or without nvcc.
    pub cuda_image: bool,
    /// What is known of the image is of low trust.
    pub doubtful: bool,
    /// What an environment of conda sets wherever it is activated.
    pub on_activation: Rc<Vec<(Rc<str>, Value)>>,
    /// What reads the text of a `RUN` activates that environment.
    pub activates: bool,
    /// The version of CUDA's libraries in the image.
    pub cuda: Option<Rc<str>>,
    /// Variables that a wrapper took away.
    pub dropped: Shared<Dropped>,
    /// Shell functions, each with the file that holds it.
    functions: Shared<(u16, Rc<Compound>)>,
    projects: Shared<Project>,
    /// Directories in which CMake has configured a build, with the configure's identity.
    pub configured: Rc<Vec<Rc<str>>>,
    /// What template expressions find; empty where there are none.
    pub contexts: Contexts,
    /// What the next steps find in their environment.
    pub later: Shared<Variable>,
    /// The outputs of the step in hand.
    pub outputs: Shared<Value>,
    /// `set -a`: assignments are exported.
    pub export_all: bool,
    /// In whose syntax settings are written in the step in hand.
    pub syntax: facts::ShellSyntax,
    /// The shell is a login or interactive one that reads profile files.
    pub reads_profiles: bool,
    /// What `/bin/sh` is; `None` if it is not known.
    pub sh: Option<Sh>,
    /// The shell that reads the text in hand.
    pub shell: Shell,
}

impl State {
    /// An empty environment about which nothing more is known for the reason `open`, or that is fully known.
    pub fn new(open: Option<&str>) -> Self {
        Self {
            variables: Shared::default(),
            open: open.map(unknown),
            cwd: "/".into(),
            file: 0,
            files: Shared::default(),
            nvcc: Presence::default(),
            torch: Presence::default(),
            cmake: Presence::default(),
            pip: Presence::default(),
            gpu: Known::No,
            machine_gpu: None,
            repository: Rc::default(),
            other_gpu: false,
            cuda_image: false,
            doubtful: false,
            on_activation: Rc::default(),
            activates: false,
            cuda: None,
            dropped: Shared::default(),
            functions: Shared::default(),
            projects: Shared::default(),
            configured: Rc::default(),
            contexts: Contexts::default(),
            later: Shared::default(),
            outputs: Shared::default(),
            export_all: false,
            syntax: facts::ShellSyntax::default(),
            reads_profiles: false,
            sh: None,
            shell: BASH,
        }
    }

    /// Says why names that were never set may still be, unless that is said already.
    pub fn opens(&mut self, why: &str) {
        self.open.get_or_insert_with(|| unknown(why));
    }

    /// Whether names that were never set may still be.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// What `name` may be; never empty.
    pub fn get(&self, name: &str) -> &[Alternative] {
        match (self.variables.get(name), &self.open) {
            (Some(variable), _) => variable,
            (None, Some(unknown)) => std::slice::from_ref(unknown),
            (None, None) => UNSET,
        }
    }

    /// What a program that looks `name` up by itself may find. An unknown environment may hold what public images are known
    /// to hold; other names it holds by a rare chance, unless the document counts on them by writing them.
    pub fn found_by_program(&self, name: &str) -> &[Alternative] {
        match self.variables.get(name) {
            Some(variable) => variable,
            None if self.is_open() && is_ever_preset(name) => self.get(name),
            None => UNSET,
        }
    }

    /// Whether the document itself (or a preset) says anything of `name`.
    pub fn mentions(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// The value, where there is only one.
    pub fn single(&self, name: &str) -> Option<Value> {
        match self.get(name) {
            [one] => one.value.clone(),
            _ => None,
        }
    }

    /// Replaces all that `name` was.
    pub fn set(&mut self, name: &str, variable: Variable) {
        self.variables
            .insert_mut(name.into(), bounded(name, variable));
    }

    /// Unsets `name`.
    pub fn unset(&mut self, name: &str) {
        self.set(name, vec![Alternative::UNSET]);
    }

    /// Marks `name` as exported or not.
    pub fn export(&mut self, name: &str, exported: bool) {
        if let Some(variable) = self.variables.get_mut(name) {
            for alternative in variable {
                alternative.exported = exported && alternative.value.is_some();
            }
        }
    }

    /// All names that were set.
    pub fn names(&self) -> impl Iterator<Item = (&Rc<str>, &Variable)> {
        self.variables.iter()
    }

    /// Records what stands at `path`.
    pub fn put(&mut self, path: &str, content: Content) {
        self.files.insert_mut(path.into(), content);
    }

    /// What stands at `path`, and the path of the entry that says so (itself or an ancestor) with the rest below it.
    pub fn content(&self, path: &str) -> Option<(&Content, String)> {
        let mut at = path;
        loop {
            if let Some(content) = self.files.get(at) {
                let below = path[at.len()..].trim_start_matches('/').to_owned();
                return Some((content, below));
            }
            if at == "/" || at.is_empty() {
                return None;
            }
            at = match at.rfind('/') {
                Some(0) => "/",
                Some(cut) => &at[..cut],
                None => return None,
            };
        }
    }

    /// All recorded paths.
    pub fn files(&self) -> impl Iterator<Item = (&Rc<str>, &Content)> {
        self.files.iter()
    }

    /// Defines a shell function.
    pub fn define(&mut self, name: &str, file: u16, body: Rc<Compound>) {
        self.functions.insert_mut(name.into(), (file, body));
    }

    /// A shell function's file and body.
    pub fn function(&self, name: &str) -> Option<(u16, Rc<Compound>)> {
        self.functions.get(name).cloned()
    }

    /// Notes that CMake configured a build in `path`.
    pub fn configure(&mut self, path: &str) {
        Rc::make_mut(&mut self.configured).push(path.into());
    }

    /// What earlier commands changed in the project of a directory.
    pub fn project(&self, dir: &str) -> Project {
        self.projects.get(dir).cloned().unwrap_or_default()
    }

    /// Changes the project of a directory.
    pub fn change_project(&mut self, dir: &str, change: impl FnOnce(&mut Project)) {
        match self.projects.get_mut(dir) {
            Some(project) => change(project),
            None => {
                let mut project = Project::default();
                change(&mut project);
                self.projects.insert_mut(dir.into(), project);
            }
        }
    }

    /// Remembers that a directory was made; of a list of thousands, the first ones, since every command keeps its state.
    pub fn make_folder(&mut self, path: &str) {
        if self.projects.size() < MAX_FOLDERS {
            self.change_project(path, |project| project.is_folder = true);
        }
    }

    /// An absolute path from one that may be relative to the working directory.
    pub fn resolve(&self, path: &str) -> String {
        join(&self.cwd, path)
    }

    /// Gives template expressions a value to find.
    pub fn give(&mut self, name: &str, value: Value) {
        self.contexts.give(name, value);
    }

    /// Whether a job that starts so goes like one that starts like `other`: only what it never asked for differs.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let contexts = self.contexts.clone();
        let other_but_for_them = Self {
            contexts,
            ..other.clone()
        };
        self.contexts.answers_like(&other.contexts) && *self == other_but_for_them
    }

    /// Sets a variable that template expressions find, too.
    pub fn set_env(&mut self, name: &str, variable: Variable) {
        self.give(&format!("env.{name}"), in_expressions(name, &variable));
        self.set(name, variable);
    }

    /// Sets a variable for the next steps.
    pub fn set_later(&mut self, name: &str, variable: Variable) {
        self.later.insert_mut(name.into(), variable);
    }

    /// An output of the step in hand.
    pub fn set_output(&mut self, name: &str, value: Value) {
        self.outputs.insert_mut(name.into(), value);
    }

    /// Activates the environment of conda that was made.
    pub fn activate(&mut self) {
        for (name, value) in Rc::clone(&self.on_activation).iter() {
            let origin = Origin {
                how: SetHow::ConfigEnv,
                site: value.site(),
            };
            self.set(name, vec![Alternative::exported(value.clone(), origin)]);
        }
    }

    /// Ends a step: what it left for the next ones is there from now on.
    pub fn end_step(&mut self, id: Option<&str>) {
        for (name, variable) in std::mem::take(&mut self.later).iter() {
            // what Azure calls it
            self.give(&format!("variables.{name}"), in_expressions(name, variable));
            self.set_env(name, variable.clone());
        }
        let outputs = std::mem::take(&mut self.outputs);
        let Some(id) = id else { return };
        for (name, value) in outputs.iter() {
            self.give(&format!("steps.{id}.outputs.{name}"), value.clone());
        }
    }
}

/// What may be set outside of the document.
fn unknown(why: &str) -> Rc<Alternative> {
    Rc::new(Alternative {
        value: Some(Value::hole(why, None, false)),
        exported: true,
        ..Alternative::UNSET
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{LostWhy, SetHow};
    use crate::walk::variable::Origin;

    #[test]
    fn paths_join() {
        for (base, path, want) in [
            ("/", "a", "/a"),
            ("/a/b", "../c", "/a/c"),
            ("/a", "/b/./c/", "/b/c"),
            ("/", "..", "/"),
            ("?", "a", "?/a"),
            ("?/a", "..", "?"),
            ("?", "..", "?"),
            ("/a", "?/b", "?/b"),
            ("/a", ".", "/a"),
        ] {
            assert_eq!(join(base, path), want, "{base} + {path}");
        }
    }

    #[test]
    fn what_a_child_sees() {
        let mut state = State::new(None);
        let origin = Origin {
            how: SetHow::Shell,
            site: None,
        };
        let alternative = |exported| Alternative {
            exported,
            ..Alternative::exported(Value::literal("1", None), origin.clone())
        };
        state.set("A", vec![alternative(true)]);
        state.set("B", vec![alternative(false)]);
        let child = state.child();
        assert!(child.get("A")[0].value.is_some());
        assert!(child.get("B")[0].value.is_none());
        assert_eq!(child.dropped["B"].why, LostWhy::NotExported);
    }

    #[test]
    fn undecided_branches_leave_both_values() {
        let mut state = State::new(None);
        let mut other = state.clone();
        let set = |state: &mut State, text: &str| {
            state.set(
                "A",
                vec![Alternative::exported(
                    Value::literal(text, None),
                    Origin {
                        how: SetHow::Export,
                        site: None,
                    },
                )],
            )
        };
        set(&mut state, "1");
        set(&mut other, "2");
        state.merge(&other, "else");
        assert_eq!(state.get("A").len(), 2);
        let nine: Variable = (0..9)
            .map(|n| {
                Alternative::exported(
                    Value::literal(&n.to_string(), None),
                    Origin {
                        how: SetHow::Export,
                        site: None,
                    },
                )
            })
            .collect();
        state.set("A", nine);
        assert!(state.get("A")[0].value.as_ref().unwrap().has_hole());
    }

    #[test]
    fn contents_are_found_through_ancestors() {
        let mut state = State::new(None);
        state.put("/src", Content::Context(String::new()));
        assert_eq!(
            state.content("/src/a/b").map(|(_, below)| below),
            Some("a/b".to_owned())
        );
        assert!(state.content("/other").is_none());
        state.put("/", Content::Unknown);
        assert_eq!(
            state.content("/other").map(|(_, below)| below),
            Some("other".to_owned())
        );
    }
}
