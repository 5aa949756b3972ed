//! What the projects of the repository say of themselves in their build files, as builder records.
//! Beside `builders` on floor 4: it makes records of the shape that [`crate::builders::record`] has and knows nothing of how
//! they are evaluated; `builders` takes them as it takes those of the tables and knows nothing of where they were read.
pub mod cmake;
mod draft;
pub mod guard;
mod python;
pub mod seen;
pub mod setup_py;
mod torch;

use crate::actions::{Action, Source, verb::Verb};
use crate::builders::local::{Local, Locals};
use crate::walk::content::Content;
use crate::walk::context::content_at;
use crate::walk::files::Files;
use crate::walk::state::State;
use crate::walk::walked::Walked;
use std::collections::HashMap;
use std::rc::Rc;

/// Reads the projects that the steps of a walk build and that lie in the build context, each once.
pub fn read(walked: &Walked, files: &Files<'_>) -> Locals {
    let mut read: HashMap<(String, Verb), Option<Rc<Local>>> = HashMap::new();
    let mut locals = Locals::new();
    for (index, step) in walked.steps.iter().enumerate() {
        let Some(dir) = folder(&step.action, &step.state) else {
            continue;
        };
        let kind = step.action.verb;
        let local = read.entry((dir.clone(), kind)).or_insert_with(|| {
            let local = match kind {
                Verb::Source | Verb::Setup => python::read(&dir, files),
                Verb::Cmake => cmake::read(&dir, files),
                _ => None,
            };
            local.map(Rc::new)
        });
        if let Some(local) = local {
            locals.insert(index, local.clone());
        }
    }
    locals
}

/// The folder of the build context that an action builds.
fn folder(action: &Action, state: &State) -> Option<String> {
    let (Source::Tree(path) | Source::Project(path)) = &action.source else {
        return None;
    };
    match content_at(state, path)? {
        Content::Context(dir) if !dir.contains('?') => Some(dir),
        _ => None,
    }
}
