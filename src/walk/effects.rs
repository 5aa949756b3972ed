//! What commands leave behind: checkouts, files, tools.
use super::content::{Content, Presence};
use super::context::{content_at, copied};
use super::files::Files;
use super::repository;
use super::state::State;
use super::variable::{Alternative, Origin};
use crate::actions::{self, Effect, Installed, Named, Tool};
use crate::facts::{Known, SetHow};
use crate::paths::join;
use std::rc::Rc;

/// Changes the state as a command does.
pub(super) fn apply(effect: Effect, files: &Files<'_>, state: &mut State) {
    match effect {
        Effect::Cloned {
            name,
            reference,
            path,
        } => {
            let own = repository::is_usual(reference.as_deref()) && repository::is(&name, files);
            let reference = reference.filter(|reference| !reference.contains('?'));
            let content = Content::Repo {
                name: name.as_str().into(),
                reference: reference.map(|reference| reference.as_str().into()),
                own,
            };
            state.put(&path, content);
        }
        Effect::CheckedOut { path, reference } => {
            if let Some((Content::Repo { name, own, .. }, _)) = state.content(&path) {
                let own = *own && repository::is_usual(Some(&reference));
                let reference = (!reference.contains('?')).then(|| reference.as_str().into());
                let content = Content::Repo {
                    name: name.clone(),
                    reference,
                    own,
                };
                let root = root_of(state, &path);
                state.put(&root, content);
            }
        }
        Effect::Fetched { url, path } => state.put(&path, Content::Url(url.as_str().into())),
        Effect::Unpacked {
            archive,
            into,
            stripped,
        } => unpack(&archive, &into, stripped, state),
        Effect::Copied { from, to } => {
            if let Some(content) = copied(state, &from) {
                let onto_dir =
                    state.content(&to).is_some_and(|(_, rest)| rest.is_empty()) && from != to;
                let name = from.rsplit('/').next().unwrap_or_default();
                let target = if onto_dir { join(&to, name) } else { to };
                state.put(&target, content);
            }
        }
        Effect::Installed(installed) => install(installed, state),
        Effect::Activated(variables) => {
            let new = variables.into_iter();
            let new = new.map(|variable| (variable.name.as_str().into(), variable.value));
            state.on_activation = Rc::new(new.collect());
        }
        Effect::Exported(variable) => {
            let origin = Origin {
                how: SetHow::Export,
                site: variable.value.site(),
            };
            let value = Alternative::exported(variable.value, origin);
            state.set(&variable.name, vec![value]);
        }
        Effect::Asked {
            dir,
            specs,
            settings,
        } => state.change_project(&dir, |p| {
            p.specs.extend(specs);
            p.settings.extend(settings);
        }),
        Effect::Configured(path) => state.configure(&path),
        Effect::ConfiguredWith { dir, options } => {
            state.change_project(&dir, |p| p.configured = options)
        }
        Effect::Depends {
            dir,
            crate_name,
            features,
        } => state.change_project(&dir, |p| p.crates.push((crate_name, features))),
        Effect::MakeDefault { dir, name, value } => {
            state.change_project(&dir, |p| p.make_defaults.push(Named { name, value }))
        }
    }
}

fn root_of(state: &State, path: &str) -> String {
    match state.content(path) {
        Some((_, below)) if !below.is_empty() => path[..path.len() - below.len()]
            .trim_end_matches('/')
            .to_owned(),
        _ => path.to_owned(),
    }
}

/// The archive of a repository unpacks to `name-reference`, or in place when its top directory is left out; another one to a
/// directory of its own name, as is the custom.
fn unpack(archive: &str, into: &str, stripped: bool, state: &mut State) {
    let repository = match content_at(state, archive) {
        Some(Content::Url(url)) => actions::archive_repository(&url),
        _ if stripped => return state.put(into, Content::Unknown),
        _ => None,
    };
    let Some((name, reference)) = repository else {
        let file = archive.rsplit('/').next().unwrap_or(archive);
        let ends = [".tar", ".tgz", ".tbz", ".txz", ".zip"];
        let end = ends.iter().find_map(|end| file.find(end));
        if let Some(stem) = end
            .and_then(|end| file.get(..end))
            .filter(|s| !s.is_empty())
        {
            state.put(&join(into, stem), Content::Unknown);
        }
        return;
    };
    let content = Content::Repo {
        name: name.as_str().into(),
        reference: reference.as_deref().map(Into::into),
        own: false,
    };
    if stripped {
        state.put(into, content);
        return;
    }
    let short = name.rsplit('/').next().unwrap_or(&name);
    let reference = reference.unwrap_or_default();
    let plain = reference
        .strip_prefix('v')
        .filter(|r| r.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(&reference);
    state.put(&join(into, &format!("{short}-{plain}")), content);
}

fn install(installed: Installed, state: &mut State) {
    let mut presence = Presence {
        there: Known::Yes,
        version: installed.version.as_deref().map(Into::into),
        variant: installed.variant.as_deref().map(Into::into),
        from: installed.by.as_str().into(),
    };
    let place = match installed.tool {
        Tool::Nvcc => &mut state.nvcc,
        Tool::Torch => &mut state.torch,
        Tool::Cmake => &mut state.cmake,
        // whichever it was, another may have come
        Tool::Pip => return state.pip = presence,
        Tool::TorchLibrary => return,
    };
    if installed.tool == Tool::Nvcc {
        state.other_gpu = false;
    }
    // an unpinned install of what is there already changes nothing that is known
    if presence.version.is_none() && place.there == Known::Yes {
        presence.version = place.version.clone();
        presence.variant = presence.variant.or_else(|| place.variant.clone());
    }
    *place = presence;
}
