//! What a `setup.py` shows of its CUDA build: the extensions, the conditions around them, the architectures in its flags, the
//! lists it writes, where it stops. Its lines are followed in their order with the conditions above them; none is run.
mod conditions;
mod host_flags;
mod scan;
mod values;

pub use scan::read;

use super::guard::Guard;
use super::seen::{Piece, Seen};
use crate::value::Site;

/// What torch is told by the environment.
pub(super) const LIST: &str = "TORCH_CUDA_ARCH_LIST";

/// What a `setup.py` shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// The package's name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Extensions with device code.
    pub extensions: Vec<Seen<()>>,
    /// Compiler flags that name architectures.
    pub flags: Vec<Seen<Vec<Piece>>>,
    /// Flags for nvcc that hold `arch` and name no architecture: `-march=native`.
    pub host_flags: Vec<Seen<()>>,
    /// Settings of `TORCH_CUDA_ARCH_LIST`.
    pub lists: Vec<Seen<Written>>,
    /// Texts with which it compares the whole of `TORCH_CUDA_ARCH_LIST`.
    pub comparisons: Vec<(Site, String)>,
    /// Where it gives up, in its own words.
    pub stops: Vec<Seen<String>>,
    /// Variables of the environment whose text becomes compiler flags.
    pub raw_flags: Vec<Seen<String>>,
    /// Where it runs CMake or hands over to it.
    pub cmake: Vec<Seen<()>>,
    /// Extensions that CMake is run for.
    pub cmake_extensions: Vec<Seen<()>>,
    /// Defines that it passes to CMake: `NAME=value`.
    pub defines: Vec<Seen<Vec<Piece>>>,
    /// Where it names nvcc as a compiler.
    pub nvcc: Vec<Seen<()>>,
    /// When it names a file of device code.
    pub device_code: Vec<Guard>,
    /// It names a file of host code.
    pub host_code: bool,
    /// It looks for files, so that those it names may not be all.
    pub lists_files: bool,
    /// Extensions without device code.
    pub plain_extensions: bool,
    /// It passes extension modules to `setup`.
    pub has_modules: bool,
    /// The first word about CUDA.
    pub hint: Option<Site>,
    /// Modules that it imports, with dots.
    pub imports: Vec<String>,
    /// The budget ended before the file did.
    pub cut: bool,
}

/// How a variable of the environment is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Only where it is not set.
    pub default: bool,
    /// The value; `None` where it is taken away.
    pub value: Option<Vec<Piece>>,
}
