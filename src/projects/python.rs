//! A Python project as a builder record: which backend builds it, and what its `setup.py` or CMake project does.
use super::cmake;
use super::draft::{self, Draft};
use super::guard::Guard;
use super::seen::{self, Piece, Seen};
use super::setup_py::{self, Setup};
use super::torch;
use crate::actions::{Named, normalise};
use crate::builders::local::Local;
use crate::builders::record::{Effect, Record};
use crate::builders::records::RECORDS;
use crate::span::Span;
use crate::text::pyproject::{self, Pyproject, inside};
use crate::value::{Site, Value};
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
    let file = files.open(&join(dir, "pyproject.toml")).ok();
    let read = file.and_then(|file| Some((pyproject::read(files.text(file)).ok()?, file)));
    let (pyproject, file) = read.unwrap_or_default();
    let backend = pyproject
        .build_system
        .build_backend
        .as_deref()
        .unwrap_or("setuptools.build_meta");
    let mut local = match backend.split('.').next().unwrap_or_default() {
        "setuptools" => setuptools(dir, files).or_else(|| pure(dir, &pyproject, files)),
        "scikit_build_core" => {
            let folder = pyproject
                .tool
                .scikit_build
                .cmake
                .source_dir
                .as_deref()
                .map_or_else(|| dir.to_owned(), |below| join(dir, below));
            cmake::read(&folder, files)
        }
        "hatchling" | "flit_core" | "poetry" | "pdm" | "uv_build" => pure(dir, &pyproject, files),
        _ => None,
    }?;
    let own = defines(&pyproject, files.text(file), file);
    local.defines.splice(0..0, own);
    if let Some(name) = pyproject.name() {
        local.name = normalise(name);
    }
    Some(local)
}

/// A project whose backend compiles nothing by itself.
fn pure(dir: &str, pyproject: &Pyproject, files: &Files<'_>) -> Option<Local> {
    let there = pyproject.build_system.build_backend.is_some()
        || pyproject.name().is_some()
        || files.kind(&join(dir, "setup.cfg")).is_some();
    if !there || pyproject.has_own_code() {
        return None;
    }
    let draft = nothing("its build backend compiles no device code");
    Some(Local {
        record: Some(draft.record(parent_of("torch-ext")?, pyproject.name(), "pyproject.toml")),
        ..Local::default()
    })
}

/// The defines that scikit-build-core passes to CMake.
fn defines(pyproject: &Pyproject, text: &str, file: u16) -> Vec<Named> {
    let cmake = &pyproject.tool.scikit_build.cmake;
    let named = |name: &str, value: &str, span: Span| Named {
        name: name.split(':').next().unwrap_or(name).to_owned(),
        value: Value::literal(value, Some(Site { file, span })),
    };
    let of_args = cmake.args.iter().filter_map(|arg| {
        let (name, value) = arg.get_ref().strip_prefix("-D")?.split_once('=')?;
        let whole = inside(arg);
        // escapes make the text shorter than its bytes
        let exact = text.get(whole.range()) == Some(arg.get_ref());
        let start = if exact {
            whole.end - value.len() as u32
        } else {
            whole.start
        };
        Some(named(name, value, Span { start, ..whole }))
    });
    let of_table = cmake.define.iter().filter_map(|(name, value)| {
        let whole = value.span();
        let span = Span::new(whole.start, whole.end);
        Some(match value.get_ref() {
            toml::Value::String(text) => named(name, text, inside(value)),
            toml::Value::Boolean(true) => named(name, "ON", span),
            toml::Value::Boolean(false) => named(name, "OFF", span),
            toml::Value::Array(parts) => {
                let parts: Vec<&str> = parts.iter().filter_map(toml::Value::as_str).collect();
                named(name, &parts.join(";"), span)
            }
            toml::Value::Integer(number) => named(name, &number.to_string(), span),
            _ => return None,
        })
    });
    of_args.chain(of_table).collect()
}

fn setuptools(dir: &str, files: &Files<'_>) -> Option<Local> {
    let file = files.open(&join(dir, "setup.py")).ok()?;
    let setup = setup_py::read(files.text(file), file);
    let shown = files
        .path(Site {
            file,
            ..Site::default()
        })
        .to_owned();
    let mut local = made(&setup, dir, &shown, files).unwrap_or_default();
    local.name = setup.name.as_deref().map(normalise).unwrap_or_default();
    if setup.cut {
        local.cut = Some(shown);
    }
    local.version = setup.version;
    Some(local)
}

fn made(setup: &Setup, dir: &str, shown: &str, files: &Files<'_>) -> Option<Local> {
    let mut draft = if has_host_code_only(setup) && imports_are_plain(setup, dir, files) {
        nothing("its setup.py names no file of device code")
    } else if !setup.extensions.is_empty() {
        torch::draft(setup)
    } else if !setup.cmake.is_empty() || !setup.cmake_extensions.is_empty() {
        let mut local = cmake::read(dir, files)?;
        local.defines = setup.defines.iter().filter_map(define).collect();
        let runs = if setup.cmake_extensions.is_empty() {
            &setup.cmake
        } else {
            &setup.cmake_extensions
        };
        // whether a GPU is seen is no choice of the caller's
        let gate = any_of(runs).without_gpu();
        local.record = local
            .record
            .map(|record| draft::only_where(record, &gate, "its setup.py does not run CMake"));
        return Some(local);
    } else if !setup.nvcc.is_empty() && !setup.device_code.is_empty() {
        compiler(setup)
    } else if is_plain(setup, dir, files) {
        nothing("its setup.py compiles no device code")
    } else {
        return None;
    };
    let causes = std::mem::take(&mut draft.causes);
    let compared_at = std::mem::take(&mut draft.compared_at);
    let record = draft.record(parent_of("torch-ext")?, setup.name.as_deref(), shown);
    Some(Local {
        record: Some(record),
        causes,
        compared_at,
        ..Local::default()
    })
}

/// When one of them counts.
fn any_of(seen: &[Seen<()>]) -> Guard {
    Guard::any(seen.iter().map(|one| one.guard.clone()))
}

/// All the files of its extensions are named, and nvcc compiles none of them: `CUDAExtension` links to CUDA then, no more.
fn has_host_code_only(setup: &Setup) -> bool {
    let named = setup.host_code && !setup.lists_files && !setup.cut;
    named
        && !setup.extensions.is_empty()
        && setup.device_code.is_empty()
        && setup.cmake.is_empty()
        && setup.cmake_extensions.is_empty()
        && setup.nvcc.is_empty()
}

/// A define that a `setup.py` passes to CMake, whatever the conditions around it.
fn define(seen: &Seen<Vec<Piece>>) -> Option<Named> {
    let all = seen::value(&seen.what);
    let text = all.sketch();
    let (name, _) = text.strip_prefix("-D")?.split_once('=')?;
    let value = match seen.guard {
        Guard::Always => all.slice_from(3 + name.len()),
        _ => Value::hole("the project's setup.py decides it", None, false),
    };
    Some(Named {
        name: name.split(':').next().unwrap_or(name).to_owned(),
        value,
    })
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
    let named = Guard::any(setup.device_code.iter().cloned());
    let gate = Guard::all([any_of(&setup.nvcc), named]);
    draft.only_if(&gate, "its setup.py leaves device code out");
    let mut images = Some(Vec::new());
    for flag in &setup.flags {
        match (
            seen::unrolled(&flag.what),
            flag.guard.beyond(&gate) == Guard::Always,
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
            if let Some(nvcc) = setup.nvcc.first() {
                draft.cause(nvcc.site, "nvcc is called here");
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
        && setup.nvcc.is_empty()
        && setup.device_code.is_empty()
        && setup.cmake.is_empty()
        && setup.cmake_extensions.is_empty()
        && !setup.cut;
    quiet && (!setup.has_modules || setup.plain_extensions) && imports_are_plain(setup, dir, files)
}

/// Nothing in the modules of the project that the file imports is about device code.
fn imports_are_plain(setup: &Setup, dir: &str, files: &Files<'_>) -> bool {
    setup.imports.iter().all(|module| {
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
