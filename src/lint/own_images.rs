//! Base images that the repository builds itself: a command of its CI or its scripts gives them the name that FROM uses.
use super::callers::{Candidate, LARGEST, may_build_images, standing_in, with};
use super::candidates::Candidates;
use crate::cuda::ToolkitVersion;
use crate::facts::{Known, SetHow};
use crate::front::dockerfile;
use crate::front::document::{Document, Unit};
use crate::front::kind::Role;
use crate::front::source::Source;
use crate::knowledge::images::{ImageFacts, Torch, short};
use crate::knowledge::own::lookup_with;
use crate::table::{List, Trust};
use crate::tree::Tree;
use crate::walk::files::Files;
use crate::walk::patterns::glob;
use crate::walk::state::State;
use crate::walk::walked::{BuiltImage, Given, Lent, Walked};
use crate::walk::walker::walk;
use std::collections::BTreeSet;

/// How many images that start from one another are followed.
const MAX_DEPTH: usize = 4;

/// What is being built: a stage of a Dockerfile, the last one where none is named. It is no base of its own.
type Building = (String, Option<String>);

/// Walks a document; where it starts from images that only the repository knows, with what these hold. `place` is its file in the
/// repository.
pub(super) fn walk_on(
    document: &Document,
    place: String,
    given: &Given,
    files: &Files<'_>,
    tree: &Tree,
) -> Walked {
    walk_below(
        document,
        given,
        files,
        tree,
        &[(place, given.target.clone())],
    )
}

fn walk_below(
    document: &Document,
    given: &Given,
    files: &Files<'_>,
    tree: &Tree,
    building: &[Building],
) -> Walked {
    let walked = walk(document, given, files);
    if building.len() > MAX_DEPTH || !tree.is_there() {
        return walked;
    }
    let unknown = unknown(&walked, given);
    let built = unknown.into_iter().filter_map(|reference| {
        let facts = found(&reference, given, tree, building)?;
        Some(BuiltImage { reference, facts })
    });
    let built: Vec<BuiltImage> = built.collect();
    if built.is_empty() {
        return walked;
    }
    let given = Given {
        built,
        ..given.clone()
    };
    walk(document, &given, files)
}

/// The images that no table knows, and that have a name of which enough is known.
fn unknown(walked: &Walked, given: &Given) -> BTreeSet<String> {
    let scopes = walked.scopes.iter().filter(|scope| scope.parent.is_none());
    let references = scopes.map(|scope| scope.image.sketch());
    let unknown = references.filter(|reference| {
        name(reference).is_some() && lookup_with(reference, given.images, given.cpu()).is_none()
    });
    unknown.collect()
}

/// `comfyui-boot` of `docker.io/owner/comfyui-boot:cu130`; `None` where it is not known in full, or is no image's.
fn name(reference: &str) -> Option<&str> {
    let last = reference.rsplit('/').next()?;
    let name = last.split([':', '@']).next()?;
    let is_name = !name.is_empty() && !name.contains('?') && name != "scratch";
    is_name.then_some(name)
}

/// What is known of an image by the commands that build it; `None` if none does, or they do not agree.
fn found(reference: &str, given: &Given, tree: &Tree, building: &[Building]) -> Option<ImageFacts> {
    let name = name(reference)?;
    let candidates = Candidates::of_run(tree)?;
    let mut known: Option<ImageFacts> = None;
    for path in &candidates.0 {
        let Ok(text) = tree.read(path, LARGEST) else {
            continue;
        };
        if !text.contains(name) || !may_build_images(&text) {
            continue;
        }
        let file = Candidate {
            tree,
            path: path.clone(),
            text,
        };
        for lent in lent(&file, given) {
            if !lent.tags.iter().any(|tag| is_same(tag, reference)) {
                continue;
            }
            let facts = made(reference, &lent, given, tree, building)?;
            match &known {
                Some(known) if *known != facts => return None,
                _ => known = Some(facts),
            }
        }
    }
    known
}

/// What the commands of a file give to each image that they build, where its Dockerfile is there.
fn lent(file: &Candidate<'_>, given: &Given) -> Vec<Lent> {
    let kind = file.kind();
    let document = file.document(kind);
    if document.unit == Unit::Stage {
        return Vec::new();
    }
    let shown = file.tree.shown(&file.path);
    let nothing = Given {
        images: given.images,
        ..Given::default()
    };
    let lent = |document: &Document| {
        let files = Files::new(&shown, &file.text, file.tree);
        walk(document, &nothing, &files).lent
    };
    let mut all = lent(&document);
    // paths in what describes images are seen from its folder, those of Bake perhaps from the top
    if kind.is_some_and(|kind| kind.role == Role::Images) && !file.folder().is_empty() {
        all.extend(lent(&standing_in(file.folder(), document)));
    }
    all.retain(|lent| {
        let path = lent.file.as_deref();
        path.is_some_and(|path| file.tree.kind(path).is_some())
    });
    all
}

/// Whether a tag is what a reference names, as far as both are known.
fn is_same(tag: &str, reference: &str) -> bool {
    let (tag, reference) = (whole(tag), whole(reference));
    let fits = |unknown: &str, known: &str| {
        unknown.contains('?') && glob(&unknown.replace('?', "*"), known)
    };
    name(&tag) == name(&reference)
        && (tag == reference || fits(&tag, &reference) || fits(&reference, &tag))
}

/// A reference with its tag.
fn whole(reference: &str) -> String {
    let reference = short(reference);
    let has_tag = reference
        .rsplit('/')
        .next()
        .is_some_and(|last| last.contains([':', '@']));
    if has_tag {
        reference.to_owned()
    } else {
        format!("{reference}:latest")
    }
}

/// What an image holds that this command builds.
fn made(
    reference: &str,
    lent: &Lent,
    given: &Given,
    tree: &Tree,
    building: &[Building],
) -> Option<ImageFacts> {
    let path = lent.file.as_deref()?;
    let now = (path.to_owned(), lent.target.clone());
    if building.contains(&now) {
        return None;
    }
    let text = tree.read(path, LARGEST).ok()?;
    let document = (dockerfile::KIND.read)(&Source {
        text: &text,
        path,
        open: &|path| tree.read(path, LARGEST).ok(),
    });
    let nothing = Given {
        images: given.images,
        platform: given.platform.clone(),
        ..Given::default()
    };
    let own = with(&nothing, lent);
    let shown = tree.shown(path);
    let files = Files::new(&shown, &text, tree);
    let building = [building, &[now]].concat();
    let walked = walk_below(&document, &own, &files, tree, &building);
    let last = walked.last()?;
    let is_guess = lent.tags.iter().all(|tag| whole(tag) != whole(reference));
    let end = &walked.scopes.get(last)?.end;
    let name = format!("{} ({shown})", short(reference));
    // what is guessed below stays a guess
    let trust = if is_guess || end.doubtful {
        Trust::Low
    } else {
        Trust::High
    };
    Some(facts(end, name, trust))
}

/// What a stage leaves to those that start from it.
fn facts(end: &State, reference: String, trust: Trust) -> ImageFacts {
    let version = end.nvcc.version.as_deref().or(end.cuda.as_deref());
    let stays = |how: SetHow| matches!(how, SetHow::Env | SetHow::Preset);
    let presets = end.names().filter_map(|(name, variable)| {
        let mut kept = variable.iter().filter(|alternative| {
            let how = alternative.origin.as_ref().map(|origin| origin.how);
            alternative.exported && how.is_some_and(stays)
        });
        let first = kept.next()?;
        let value = first.value.as_ref().filter(|_| variable.len() == 1);
        Some((name.to_string().into(), value.and_then(|v| v.known())))
    });
    ImageFacts {
        reference,
        toolkit: version.and_then(|version| version.parse::<ToolkitVersion>().ok()),
        nvcc: end.nvcc.there,
        torch: match end.torch.there {
            Known::Unknown => Torch::Unknown,
            Known::No => Torch::Absent,
            Known::Yes => Torch::Present {
                version: end.torch.version.as_deref().and_then(|v| v.parse().ok()),
                variant: end.torch.variant.as_deref().map(str::to_owned),
            },
        },
        presets: presets.collect(),
        closed: !end.is_open(),
        other_gpu: end.other_gpu,
        workdir: Some(end.cwd.to_string())
            .filter(|folder| !folder.starts_with('?'))
            .map(Into::into),
        sh: end.sh,
        os: None,
        drivers: List::default(),
        trust,
    }
}
