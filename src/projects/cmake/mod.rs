//! A CMake project as a builder record: whether and when it enables CUDA, and which architectures its files give it. Its
//! commands are followed in their order, with the files that they include and the folders that they add; none is run.
mod conditions;
mod flags;
mod follow;
mod record;
mod scopes;
mod settings;
mod values;
mod variables;

use super::guard::Guard;
use super::python::join;
use super::seen::{Piece, Seen};
use crate::builders::local::Local;
use crate::value::Site;
use crate::walk::files::Files;
use follow::Follow;
use std::collections::BTreeMap;

/// What a CMake project shows.
#[derive(Clone, Debug, Default)]
pub struct Cmake {
    /// Its name.
    pub name: Option<String>,
    /// Where the CUDA language is enabled, or device code is compiled in the old way.
    pub cuda: Vec<Seen<By>>,
    /// What `CMAKE_CUDA_ARCHITECTURES` is in the end, by condition.
    pub archs: Vec<Seen<Vec<Piece>>>,
    /// Compiler flags that name architectures.
    pub flags: Vec<Seen<Vec<Piece>>>,
    /// Where variables get the default that the command line may replace.
    pub defaults: BTreeMap<String, Site>,
    /// Lists given to `cuda_select_nvcc_arch_flags`.
    pub selects: Vec<Seen<Vec<Piece>>>,
    /// Where it finds Torch.
    pub torch: Option<Seen<()>>,
    /// Where it finds CUDA in the old way.
    pub find_cuda: Option<Seen<()>>,
    /// When it finds the toolkit as a package: for its libraries, as far as that shows.
    pub toolkit: Vec<Guard>,
    /// When it names files of device code.
    pub device_code: Vec<Guard>,
    /// A default that comes too late: CUDA was enabled before it.
    pub late: Option<Site>,
    /// A word about CUDA stands in its files.
    pub mentions_cuda: bool,
    /// Something that could hold CUDA was not followed.
    pub missing: bool,
    /// It takes more commands than are followed.
    pub cut: bool,
}

/// How device code gets to nvcc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// CMake's own CUDA language.
    Language,
    /// `cuda_add_library` and the like.
    FindCuda,
    /// A command that calls nvcc.
    Command,
}

/// Reads the CMake project in a folder of the build context.
pub fn read(dir: &str, files: &Files<'_>) -> Option<Local> {
    let file = files.open(&join(dir, "CMakeLists.txt")).ok()?;
    let shown = files
        .path(Site {
            file,
            ..Site::default()
        })
        .to_owned();
    let cmake = Follow::new(dir, files).project(file);
    let (record, causes) = match record::record(&cmake, &shown) {
        Some((record, causes)) => (Some(record), causes),
        None => (None, Vec::new()),
    };
    Some(Local {
        record,
        causes,
        cut: cmake.cut.then_some(shown),
        ..Local::default()
    })
}

impl Cmake {
    /// When device code is compiled: where CUDA is enabled, or, where only a package for it is found, where its files are named.
    fn gate(&self) -> Guard {
        if !self.cuda.is_empty() {
            return Guard::any(self.cuda.iter().map(|c| c.guard.clone()));
        }
        let found = self.torch.as_ref().or(self.find_cuda.as_ref());
        let found = found.map_or(Guard::Never, |found| found.guard.clone());
        if self.device_code.is_empty() {
            return found;
        }
        let named = Guard::any(self.device_code.iter().cloned());
        Guard::all([found, named])
    }
}
