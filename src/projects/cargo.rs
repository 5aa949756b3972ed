//! A Rust project: which of its packages a command builds, what they need, and what their build scripts do.
use super::build_rs;
use super::draft::Draft;
use super::guard::Guard;
use super::python::{join, parent_of};
use crate::actions::Action;
use crate::builders::local::Local;
use crate::builders::records::RECORDS;
use crate::text::cargo::{self, Manifest};
use crate::tree::Kind;
use crate::value::{Site, Value};
use crate::walk::files::Files;
use toml::Value as Toml;

/// More packages of a workspace than this are not looked at.
const MAX_PACKAGES: usize = 64;
/// Crates of which a lock file says that they compile device code for those that need them.
const COMPILERS: [&str; 2] = ["bindgen_cuda", "cudaforge"];

/// Reads the project in a folder of the build context. What its manifests switch on and need becomes part of the action. Also
/// gives how many packages of it were left out.
pub fn read(dir: &str, action: &mut Action, files: &Files<'_>) -> (Option<Local>, usize) {
    let Some(root) = manifest(dir, files) else {
        return (None, 0);
    };
    let name = root.package.as_ref().map(|package| package.name.clone());
    let asked = action.features.clone();
    let wanted = packages_asked(action);
    let mut found = None;
    let (packages, left_out) = packages(dir, root, &wanted, files);
    for (folder, manifest) in packages {
        let with_default = !action
            .options
            .iter()
            .any(|(name, _)| name == "no-default-features");
        let on = manifest.enabled(&action.features, with_default);
        for (name, features) in manifest.crates(&on) {
            action.crates.push(name);
            action.features.extend(features);
        }
        found = found.or_else(|| script(&folder, &manifest, &on, files));
        action.features.extend(on);
        // what one package switches on is asked of the next: said twice, it would double with each of them
        action.features.sort_unstable();
        action.features.dedup();
    }
    if let Ok(lock) = files.open(&join(dir, "Cargo.lock")) {
        let text = files.text(lock);
        let named = COMPILERS
            .iter()
            .filter(|name| text.contains(&format!("name = \"{name}\"")));
        action.crates.extend(named.map(|name| (*name).to_owned()));
    }
    if found.is_none() && !action.crates.iter().any(|name| is_known(name)) {
        // what packages call a feature of theirs says nothing where none is known to compile device code
        let of_gpu = |name: &String| build_rs::is_of_gpu(name) && !asked.contains(name);
        action.features.retain(|name| !of_gpu(name));
        if asked.iter().any(|name| build_rs::is_of_gpu(name)) {
            found = somewhere_else(name.as_deref(), dir);
        }
    }
    (found, left_out)
}

/// A feature for GPUs is asked for, and no package that is known or read here compiles for it: one that it needs may.
fn somewhere_else(name: Option<&str>, dir: &str) -> Option<Local> {
    let mut draft = Draft::default();
    let unseen = Guard::Unknown("a crate that is not read here compiles device code".to_owned());
    draft.only_if(&unseen, "none of its crates compiles device code");
    draft.fixed(
        &Guard::Always,
        None,
        "the crate that compiles device code decides",
    );
    let shown = join(dir, "Cargo.toml");
    Some(Local {
        record: Some(draft.record(parent_of("nvcc")?, name, &shown)),
        ..Local::default()
    })
}

/// Whether some record is about a crate.
fn is_known(name: &str) -> bool {
    let mut rules = RECORDS.iter().flat_map(|record| record.matches.iter());
    rules.any(|rule| rule.crate_name.is_some_and(|known| *known == *name))
}

fn manifest(dir: &str, files: &Files<'_>) -> Option<Manifest> {
    let file = files.open(&join(dir, "Cargo.toml")).ok()?;
    cargo::read(files.text(file)).ok()
}

/// The packages that `-p` names.
fn packages_asked(action: &Action) -> Vec<String> {
    let named = action.options.iter().filter_map(|(name, value)| {
        let is_package = matches!(name.as_str(), "p" | "package" | "bin");
        value.as_ref().filter(|_| is_package).map(Value::sketch)
    });
    named.collect()
}

/// The packages that are built, each with its folder, and how many were left out.
fn packages(
    dir: &str,
    root: Manifest,
    wanted: &[String],
    files: &Files<'_>,
) -> (Vec<(String, Manifest)>, usize) {
    let of_root = root.package.as_ref().map(|package| package.name.clone());
    let mut folders: Vec<String> = Vec::new();
    if let Some(workspace) = &root.workspace
        && (of_root.is_none() || !wanted.is_empty())
    {
        let members = match workspace.default_members.as_slice() {
            [] => &workspace.members,
            _ if !wanted.is_empty() => &workspace.members,
            defaults => defaults,
        };
        for member in members {
            match member.strip_suffix("/*") {
                Some(above) => {
                    let names = files.names(&join(dir, above), "*");
                    folders.extend(
                        names
                            .iter()
                            .map(|name| join(dir, &format!("{above}/{name}"))),
                    );
                }
                None => folders.push(join(dir, member)),
            }
        }
    }
    let left_out = folders.len().saturating_sub(MAX_PACKAGES);
    folders.truncate(MAX_PACKAGES);
    let read = |folder: String| {
        let manifest = manifest(&folder, files)?;
        Some((folder, manifest))
    };
    let mut all: Vec<(String, Manifest)> = folders.into_iter().filter_map(read).collect();
    if of_root.is_some() {
        all.insert(0, (dir.to_owned(), root));
    }
    let is_wanted = |(_, manifest): &(String, Manifest)| {
        let name = manifest.package.as_ref().map(|package| &package.name);
        name.is_some_and(|name| wanted.contains(name))
    };
    // a program may have another name than its package
    if all.iter().any(is_wanted) {
        all.retain(is_wanted);
    }
    (all, left_out)
}

/// What the build script of a package says.
fn script(folder: &str, manifest: &Manifest, on: &[String], files: &Files<'_>) -> Option<Local> {
    let package = manifest.package.as_ref()?;
    let name = match &package.build {
        None | Some(Toml::Boolean(true)) => "build.rs",
        Some(Toml::String(name)) => name,
        Some(_) => return None,
    };
    let path = join(folder, name);
    if files.kind(&path) != Some(Kind::File) {
        return None;
    }
    let file = files.open(&path).ok()?;
    let (mut draft, parent) = build_rs::read(files.text(file)).draft(file, on)?;
    let shown = files.path(Site {
        file,
        ..Site::default()
    });
    let causes = std::mem::take(&mut draft.causes);
    Some(Local {
        record: Some(draft.record(parent_of(parent)?, Some(&package.name), shown)),
        causes,
        ..Local::default()
    })
}
