//! What holds at one point of a document: variables, files, tools.
use super::content::{Content, Presence, join, merge_presence};
use super::expression::Contexts;
use super::shells::{BASH, Shell};
use super::value::{Site, Value};
use crate::actions::Project;
use crate::cuda::Device;
use crate::facts::{self, Known, LostWhy, SetHow};
use crate::knowledge::Sh;
use crate::knowledge::images::is_ever_preset;
use crate::text::shell::Compound;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many alternatives a variable keeps before it becomes unknown.
pub const MAX_ALTERNATIVES: usize = 8;

/// How many directories are known to be there because commands made them.
const MAX_FOLDERS: usize = 64;

/// Where and in which form a value was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The form.
    pub how: SetHow,
    /// The place; `None` for a preset of the base image or the command line.
    pub site: Option<Site>,
}

/// One possible content of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The value; `None` where the variable is not set.
    pub value: Option<Value>,
    /// Passed on to programs.
    pub exported: bool,
    /// Whoever runs the build may give another value.
    pub overridable: bool,
    /// Where it was set.
    pub origin: Option<Origin>,
    /// The condition under which it holds, in words.
    pub guard: Option<Rc<str>>,
}

impl Alternative {
    /// Not set.
    pub fn unset() -> Self {
        Self {
            value: None,
            exported: false,
            overridable: false,
            origin: None,
            guard: None,
        }
    }

    /// Set and exported.
    pub fn exported(value: Value, origin: Origin) -> Self {
        Self {
            value: Some(value),
            exported: true,
            overridable: false,
            origin: Some(origin),
            guard: None,
        }
    }
}

/// All that a variable may be.
pub type Variable = Vec<Alternative>;

/// Shell functions by name, each with the file that holds it.
type Functions = BTreeMap<Rc<str>, (u16, Rc<Compound>)>;

/// A variable that a wrapper does not pass on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// What it was.
    pub alternative: Alternative,
    /// Why it does not arrive.
    pub why: LostWhy,
}

/// The state at one point.
#[derive(Clone, Debug)]
pub struct State {
    variables: Rc<BTreeMap<Rc<str>, Variable>>,
    /// Why names that were never set may still be; `None` where the environment is fully known and they are unset.
    pub open: Option<Rc<str>>,
    /// The working directory: absolute, with `?` for what is unknown.
    pub cwd: Rc<str>,
    /// The file whose statements run: another one than the linted file where that calls an action of its own.
    pub file: u16,
    files: Rc<BTreeMap<Rc<str>, Content>>,
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
    /// What an environment of conda sets wherever it is activated.
    pub on_activation: Rc<Vec<(Rc<str>, Value)>>,
    /// What reads the text of a `RUN` activates that environment.
    pub activates: bool,
    /// The version of CUDA's libraries in the image.
    pub cuda: Option<Rc<str>>,
    /// Variables that a wrapper took away.
    pub dropped: Rc<BTreeMap<Rc<str>, Dropped>>,
    functions: Rc<Functions>,
    projects: Rc<BTreeMap<Rc<str>, Project>>,
    /// Directories in which CMake has configured a build, with the configure's identity.
    pub configured: Rc<Vec<Rc<str>>>,
    /// What template expressions find; empty where there are none.
    pub contexts: Rc<Contexts>,
    /// What the next steps find in their environment.
    pub later: Rc<BTreeMap<Rc<str>, Variable>>,
    /// The outputs of the step in hand.
    pub outputs: Rc<BTreeMap<Rc<str>, Value>>,
    /// `set -a`: assignments are exported.
    pub export_all: bool,
    /// How the shell of the step in hand sets variables.
    pub step_shell: facts::Shell,
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
            variables: Rc::default(),
            open: open.map(Into::into),
            cwd: "/".into(),
            file: 0,
            files: Rc::default(),
            nvcc: Presence::default(),
            torch: Presence::default(),
            cmake: Presence::default(),
            pip: Presence::default(),
            gpu: Known::No,
            machine_gpu: None,
            repository: Rc::default(),
            other_gpu: false,
            cuda_image: false,
            on_activation: Rc::default(),
            activates: false,
            cuda: None,
            dropped: Rc::default(),
            functions: Rc::default(),
            projects: Rc::default(),
            configured: Rc::default(),
            contexts: Rc::default(),
            later: Rc::default(),
            outputs: Rc::default(),
            export_all: false,
            step_shell: facts::Shell::default(),
            reads_profiles: false,
            sh: None,
            shell: BASH,
        }
    }

    /// What `name` may be; never empty.
    pub fn get(&self, name: &str) -> Variable {
        if let Some(variable) = self.variables.get(name) {
            return variable.clone();
        }
        let Some(why) = &self.open else {
            return vec![Alternative::unset()];
        };
        let value = Value::hole(why, None, false);
        vec![Alternative {
            value: Some(value),
            exported: true,
            overridable: false,
            origin: None,
            guard: None,
        }]
    }

    /// What a program that looks `name` up by itself may find. An unknown environment may hold what public images are known
    /// to hold; other names it holds by a rare chance, unless the document counts on them by writing them.
    pub fn found_by_program(&self, name: &str) -> Variable {
        if !self.mentions(name) && !is_ever_preset(name) {
            return vec![Alternative::unset()];
        }
        self.get(name)
    }

    /// Whether the document itself (or a preset) says anything of `name`.
    pub fn mentions(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// The value, where there is only one.
    pub fn single(&self, name: &str) -> Option<Value> {
        match self.get(name).as_slice() {
            [one] => one.value.clone(),
            _ => None,
        }
    }

    /// Replaces all that `name` was.
    pub fn set(&mut self, name: &str, variable: Variable) {
        let variable = if variable.len() > MAX_ALTERNATIVES {
            let value = joined(name, &variable);
            let exported = variable.iter().any(|a| a.exported);
            vec![Alternative {
                value: Some(value),
                exported,
                overridable: false,
                origin: variable[0].origin.clone(),
                guard: None,
            }]
        } else {
            variable
        };
        Rc::make_mut(&mut self.variables).insert(name.into(), variable);
    }

    /// Unsets `name`.
    pub fn unset(&mut self, name: &str) {
        self.set(name, vec![Alternative::unset()]);
    }

    /// Marks `name` as exported or not.
    pub fn export(&mut self, name: &str, exported: bool) {
        if !self.mentions(name) {
            return;
        }
        if let Some(variable) = Rc::make_mut(&mut self.variables).get_mut(name) {
            for alternative in variable {
                alternative.exported = exported && alternative.value.is_some();
            }
        }
    }

    /// All names that were set.
    pub fn names(&self) -> impl Iterator<Item = (&Rc<str>, &Variable)> {
        self.variables.iter()
    }

    /// Takes away every variable that `keep` refuses, remembering why.
    pub fn drop_variables(&mut self, why: LostWhy, keep: impl Fn(&str) -> bool) {
        let mut dropped = (*self.dropped).clone();
        Rc::make_mut(&mut self.variables).retain(|name, variable| {
            let kept = keep(name);
            if !kept && let Some(alternative) = variable.iter().find(|a| a.value.is_some()) {
                dropped.insert(
                    name.clone(),
                    Dropped {
                        alternative: alternative.clone(),
                        why,
                    },
                );
            }
            kept
        });
        self.dropped = dropped.into();
        self.open = None;
    }

    /// Forgets what is not exported: what a child process sees.
    pub fn child(&self) -> Self {
        let mut child = self.clone();
        if child
            .variables
            .values()
            .any(|v| v.iter().any(|a| !a.exported && a.value.is_some()))
        {
            let mut dropped = (*child.dropped).clone();
            for (name, variable) in Rc::make_mut(&mut child.variables).iter_mut() {
                for alternative in variable
                    .iter_mut()
                    .filter(|a| !a.exported && a.value.is_some())
                {
                    dropped.insert(
                        name.clone(),
                        Dropped {
                            alternative: alternative.clone(),
                            why: LostWhy::NotExported,
                        },
                    );
                    *alternative = Alternative {
                        guard: alternative.guard.clone(),
                        ..Alternative::unset()
                    };
                }
                variable.dedup();
            }
            child.dropped = dropped.into();
        }
        child.functions = Rc::default();
        child.export_all = false;
        child
    }

    /// Records what stands at `path`.
    pub fn put(&mut self, path: &str, content: Content) {
        Rc::make_mut(&mut self.files).insert(path.into(), content);
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
        Rc::make_mut(&mut self.functions).insert(name.into(), (file, body));
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
        change(
            Rc::make_mut(&mut self.projects)
                .entry(dir.into())
                .or_default(),
        );
    }

    /// Remembers that a directory was made; of a list of thousands, the first ones, since every command keeps its state.
    pub fn make_folder(&mut self, path: &str) {
        if self.projects.len() < MAX_FOLDERS {
            self.change_project(path, |project| project.is_folder = true);
        }
    }

    /// An absolute path from one that may be relative to the working directory.
    pub fn resolve(&self, path: &str) -> String {
        join(&self.cwd, path)
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

    /// Gives template expressions a value to find.
    pub fn give(&mut self, name: &str, value: Value) {
        let name = name.to_ascii_lowercase();
        Rc::make_mut(&mut self.contexts).insert(name.into(), value);
    }

    /// Sets a variable that template expressions find, too.
    pub fn set_env(&mut self, name: &str, variable: Variable) {
        self.give(&format!("env.{name}"), in_expressions(name, &variable));
        self.set(name, variable);
    }

    /// Sets a variable for the next steps.
    pub fn set_later(&mut self, name: &str, variable: Variable) {
        Rc::make_mut(&mut self.later).insert(name.into(), variable);
    }

    /// An output of the step in hand.
    pub fn set_output(&mut self, name: &str, value: Value) {
        Rc::make_mut(&mut self.outputs).insert(name.into(), value);
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

    /// Passes exported variables on to `inside`: those that `passes` names, over what is there; the others are lost.
    pub fn pass(&self, inside: &mut Self, why: LostWhy, passes: impl Fn(&str) -> bool) {
        let mut dropped = (*self.dropped).clone();
        for (name, variable) in self.variables.iter() {
            let Some(exported) = variable.iter().find(|a| a.exported && a.value.is_some()) else {
                continue;
            };
            if passes(name) {
                inside.set(name, variable.clone());
            } else {
                let alternative = exported.clone();
                dropped.insert(name.clone(), Dropped { alternative, why });
            }
        }
        inside.dropped = dropped.into();
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

    /// What `name` will be for the next steps.
    fn next(&self, name: &str) -> Variable {
        self.later
            .get(name)
            .cloned()
            .unwrap_or_else(|| self.get(name))
    }

    /// Joins what two states leave for the next steps.
    fn merge_later(&mut self, other: &Self, guard: &str) {
        if Rc::ptr_eq(&self.later, &other.later) {
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
            Rc::make_mut(&mut self.later).insert(name, both);
        }
    }

    /// The union of two states after a condition that could not be decided.
    pub fn merge(&mut self, other: &Self, guard: &str) {
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let names: Vec<Rc<str>> = self
                .variables
                .keys()
                .chain(other.variables.keys())
                .cloned()
                .collect();
            for name in names {
                let (mine, theirs) = (self.get(&name), other.get(&name));
                if mine != theirs {
                    self.set(&name, union(mine, theirs, guard));
                }
            }
        }
        self.merge_later(other, guard);
        for (name, value) in other.outputs.iter() {
            let outputs = Rc::make_mut(&mut self.outputs);
            let mine = outputs.entry(name.clone()).or_insert_with(|| value.clone());
            if mine != value {
                *mine = Value::hole(&format!("{name} depends on a condition"), None, false);
            }
        }
        if self.cwd != other.cwd {
            self.cwd = "?".into();
        }
        if !Rc::ptr_eq(&self.files, &other.files) {
            let files = Rc::make_mut(&mut self.files);
            for (path, content) in other.files.iter() {
                files.entry(path.clone()).or_insert_with(|| content.clone());
            }
        }
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
        if self.projects.len() < other.projects.len() {
            self.projects = other.projects.clone();
        }
        if self.configured.len() < other.configured.len() {
            self.configured = other.configured.clone();
        }
        let functions = Rc::make_mut(&mut self.functions);
        for (name, body) in other.functions.iter() {
            functions
                .entry(name.clone())
                .or_insert_with(|| body.clone());
        }
    }
}

/// Too many alternatives as one value: the words with which all of them begin, and a hole.
fn joined(name: &str, variable: &[Alternative]) -> Value {
    let why = format!("{name} has more than {MAX_ALTERNATIVES} possible values");
    let mut starts = variable.iter().map(|alternative| {
        let value = alternative.value.as_ref();
        value.map(Value::known_prefix).unwrap_or_default()
    });
    let first = starts.next().unwrap_or_default();
    let common = starts.fold(first.len(), |common, other| {
        let same = first.bytes().zip(other.bytes()).take_while(|(a, b)| a == b);
        common.min(same.count())
    });
    let words = first.as_bytes().get(..common).unwrap_or_default();
    let whole = words.iter().rposition(u8::is_ascii_whitespace);
    let mut value = match variable.first().and_then(|a| a.value.as_ref()) {
        Some(value) => value.slice(0, whole.map_or(0, |at| at + 1)),
        None => Value::default(),
    };
    value.append(&Value::hole(&why, None, true));
    value
}

/// What expressions find of a variable.
fn in_expressions(name: &str, variable: &[Alternative]) -> Value {
    match variable {
        [only] => only.value.clone().unwrap_or_default(),
        _ => Value::hole(&format!("{name} depends on a condition"), None, false),
    }
}

/// All that either variable may be; what only the second one may be holds under `guard`.
fn union(mine: Variable, theirs: Variable, guard: &str) -> Variable {
    let mut all = mine;
    for mut alternative in theirs {
        if !all
            .iter()
            .any(|a| a.value == alternative.value && a.exported == alternative.exported)
        {
            alternative.guard.get_or_insert_with(|| guard.into());
            all.push(alternative);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

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
