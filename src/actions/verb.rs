//! What a command does to a source.
use serde::{Deserialize, Serialize};

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum Verb {
    /// Installs from a package index, by name.
    Index,
    /// Builds a source tree, repository or archive.
    Source,
    /// `python setup.py …`.
    Setup,
    /// Configures with CMake.
    Cmake,
    /// Runs make.
    Make,
    /// Runs cargo.
    Cargo,
    /// Runs nvcc.
    Nvcc,
    /// Configures with meson.
    Meson,
    /// Runs bazel.
    Bazel,
    /// Runs a `configure` script.
    Configure,
    /// Runs a script of the project.
    Script,
    /// Runs Python code that compiles at run time.
    Jit,
    /// Installs with a system package manager or conda.
    System,
    /// Builds with Hugging Face's kernel-builder.
    KernelBuilder,
    /// Installs software from source with EasyBuild.
    Easybuild,
    /// Installs a package from source with spack.
    Spack,
}
