//! A Python project as a builder record: which backend builds it, and what its `setup.py` or CMake project does.
use super::draft::Draft;
use super::guard::Guard;
use super::seen;
use super::setup_py::{self, Setup};
use super::torch;
use crate::actions::normalise;
use crate::builders::local::Local;
use crate::builders::record::{Effect, Record};
use crate::builders::records::RECORDS;
use crate::walk::files::Files;

/// What stands in modules that compile device code.
const MARKS: [&str; 6] = [
    "cpp_extension",
    "CUDAExtension",
    "nvcc",
    ".cu\"",
    ".cu'",
    "CUDA_HOME",
];

/// Reads the Python project in a folder of the build context.
pub fn read(dir: &str, files: &Files<'_>) -> Option<Local> {
    let path = join(dir, "setup.py");
    let file = files.open(&path).ok()?;
    let setup = setup_py::read(files.text(file), file);
    let shown = files
        .path(crate::walk::value::Site {
            file,
            ..Default::default()
        })
        .to_owned();
    let record = record(&setup, dir, &shown, files);
    let (record, causes) = record.map_or((None, Vec::new()), |(record, causes)| {
        (Some(record), causes)
    });
    Some(Local {
        name: setup.name.as_deref().map(normalise).unwrap_or_default(),
        version: setup.version.clone(),
        record,
        causes,
    })
}

type Made = (&'static Record, Vec<(usize, crate::builders::local::Cause)>);

fn record(setup: &Setup, dir: &str, shown: &str, files: &Files<'_>) -> Option<Made> {
    let title = match &setup.name {
        Some(name) => format!("{name} ({shown})"),
        None => shown.to_owned(),
    };
    let (draft, parent) = if !setup.extensions.is_empty() {
        (torch::draft(setup), "torch-ext")
    } else if setup.nvcc.is_some() && setup.device_code {
        (compiler(setup), "torch-ext")
    } else if is_plain(setup, dir, files) {
        (nothing("its setup.py compiles no device code"), "torch-ext")
    } else {
        return None;
    };
    let mut draft = draft;
    let causes = std::mem::take(&mut draft.causes);
    Some((draft.record(parent_of(parent)?, &title, shown), causes))
}

/// The generic record that one made from files stands in for.
pub(super) fn parent_of(id: &str) -> Option<&'static Record> {
    RECORDS.iter().find(|r| &*r.id == id)
}

/// A project that compiles nothing for GPUs.
pub(super) fn nothing(say: &str) -> Draft {
    let mut draft = Draft::default();
    draft.only_if(&Guard::Never, say);
    draft.row(&Guard::Always, Effect::None, "");
    draft
}

/// A `setup.py` that calls nvcc without torch.
fn compiler(setup: &Setup) -> Draft {
    let mut draft = Draft::default();
    let mut images = Some(Vec::new());
    for flag in &setup.flags {
        match (
            seen::unrolled(&flag.what),
            flag.guard == Guard::Always,
            &mut images,
        ) {
            (Some(texts), true, Some(images)) => {
                images.extend(texts.iter().flat_map(|t| seen::images(t)))
            }
            _ => images = None,
        }
    }
    match (setup.flags.first(), images) {
        (Some(first), images) => {
            draft.fixed(
                &Guard::Always,
                images.as_deref(),
                "its setup.py passes the flags itself",
            );
            draft.cause(first.site, "these flags count");
        }
        (None, _) => {
            draft.row(
                &Guard::Always,
                Effect::CompilerDefault,
                "its setup.py calls nvcc without an architecture",
            );
            if let Some(site) = setup.nvcc {
                draft.cause(site, "nvcc is called here");
            }
        }
    }
    draft.ignores(&[
        "TORCH_CUDA_ARCH_LIST",
        "CMAKE_CUDA_ARCHITECTURES",
        "CUDAARCHS",
    ]);
    draft
}

/// Nothing in the file or in the modules of the project that it imports is about device code.
fn is_plain(setup: &Setup, dir: &str, files: &Files<'_>) -> bool {
    let quiet = setup.hint.is_none()
        && setup.nvcc.is_none()
        && !setup.device_code
        && setup.cmake.is_empty()
        && !setup.cut;
    quiet
        && (!setup.has_modules || setup.plain_extensions)
        && setup.imports.iter().all(|module| {
            let below = module.trim_start_matches('.').replace('.', "/");
            let paths = [format!("{below}.py"), format!("{below}/__init__.py")];
            let file = paths
                .iter()
                .find_map(|path| files.open(&join(dir, path)).ok());
            file.is_none_or(|file| !MARKS.iter().any(|mark| files.text(file).contains(mark)))
        })
}

pub(super) fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() {
        name.to_owned()
    } else {
        format!("{dir}/{name}")
    }
}
