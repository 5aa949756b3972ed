//! What the projects of the repository say of themselves in their build files, as builder records.
//! Beside `builders` on floor 4: it makes records of the shape that [`crate::builders::record`] has and knows nothing of how
//! they are evaluated; `builders` takes them as it takes those of the tables and knows nothing of where they were read.
mod build_rs;
mod cargo;
pub mod cmake;
mod draft;
pub mod guard;
mod kernel_builder;
mod meson;
pub mod presets;
mod python;
pub mod seen;
pub mod setup_py;
mod torch;

use crate::actions::{Action, Source, verb::Verb};
use crate::builders::local::{Local, Locals};
use crate::facts::ProblemKind;
use crate::paths::join;
use crate::value::Site;
use crate::walk::content::Content;
use crate::walk::context::content_at;
use crate::walk::files::Files;
use crate::walk::state::State;
use crate::walk::walked::{Note, Walked};
use std::collections::HashMap;
use std::rc::Rc;

/// Reads the projects that the steps of a walk build and that lie in the build context, each once. What their files pass to
/// CMake becomes part of the commands.
pub fn read(walked: &mut Walked, files: &Files<'_>) -> Locals {
    let spent = files.is_spent();
    let mut notes: Vec<Note> = Vec::new();
    let mut read: HashMap<(String, Verb), Option<Rc<Local>>> = HashMap::new();
    let mut locals = Locals::new();
    for (index, step) in walked.steps.iter_mut().enumerate() {
        let Some(dir) = folder(&step.action, &step.state) else {
            continue;
        };
        if let Some(preset) = preset(&step.action)
            && let Some(defines) = presets::defines(&dir, preset, files)
        {
            step.action.defines.splice(0..0, defines);
        }
        let kind = step.action.verb;
        let listed = || files.kind(&python::join(&dir, "pyproject.toml")).is_some();
        step.action.unlisted = kind == Verb::Source && !listed();
        let span = step.instruction;
        let note = |message: String| Note {
            site: Site { file: 0, span },
            kind: ProblemKind::PassedOver,
            message,
        };
        if kind == Verb::Cargo {
            let (local, left_out) = cargo::read(&dir, &mut step.action, files);
            locals.extend(local.map(|local| (index, Rc::new(local))));
            if left_out > 0 {
                notes.push(note(format!(
                    "{left_out} more packages of the workspace in `{dir}` are not read"
                )));
            }
            continue;
        }
        let local = read.entry((dir.clone(), kind)).or_insert_with(|| {
            let local = match kind {
                Verb::Source | Verb::Setup => python::read(&dir, files),
                Verb::Cmake => cmake::read(&dir, files),
                Verb::Meson => meson::read(&dir, files),
                Verb::KernelBuilder => kernel_builder::read(&dir, files),
                _ => None,
            };
            local.map(Rc::new)
        });
        if let Some(cut) = local.as_ref().and_then(|local| local.cut.as_ref()) {
            notes.push(note(format!(
                "{cut} takes too much to follow: the rest of it is not read"
            )));
        }
        if files.is_spent() && !spent && notes.is_empty() {
            let message = "512 files or 32 MiB were read for it, and no more are";
            notes.push(note(message.to_owned()));
        }
        if let Some(local) = local {
            step.action.defines.splice(0..0, local.defines.clone());
            locals.insert(index, local.clone());
        }
    }
    walked.notes.extend(notes);
    locals
}

/// The name in `cmake --preset NAME`.
fn preset(action: &Action) -> Option<&str> {
    let options = action.options.iter();
    let mut named = options.filter_map(|(name, _)| name.strip_prefix("preset="));
    named.next().filter(|_| action.verb == Verb::Cmake)
}

/// The folder of the build context that an action builds.
fn folder(action: &Action, state: &State) -> Option<String> {
    let (Source::Tree(path) | Source::Project(path)) = &action.source else {
        return None;
    };
    match content_at(state, path) {
        Some(Content::Context(dir)) if !dir.contains('?') => Some(dir),
        Some(Content::Repo { .. } | Content::Url(_) | Content::Text(_)) => None,
        _ => around_parts(state, path),
    }
}

/// Files that say how a project is built.
const PARTS: [&str; 6] = [
    "Cargo.toml",
    "setup.py",
    "pyproject.toml",
    "CMakeLists.txt",
    "meson.build",
    "build.toml",
];

/// The folder whose files were copied into a directory one by one.
fn around_parts(state: &State, path: &str) -> Option<String> {
    PARTS.iter().find_map(|part| {
        let Content::Context(inside) = content_at(state, &join(path, part))? else {
            return None;
        };
        let above = inside.strip_suffix(part)?;
        let above = above.strip_suffix('/').unwrap_or(above);
        (!above.contains('?')).then(|| above.to_owned())
    })
}
