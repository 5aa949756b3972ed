//! Commands normalised: argv → [`Action`]. One file a tool; what a package does with an action is the builders' matter.
pub mod args;
mod bazel;
mod brought;
mod cargo;
mod cmake;
pub(crate) mod conda;
mod configure;
pub mod docker;
mod easybuild;
mod environment;
mod fetch;
mod git;
mod imports;
mod kernel_builder;
mod locked;
mod make;
mod meson;
mod named;
mod nvcc;
mod pip;
mod project;
mod python;
mod requirements;
mod sed;
mod spack;
mod system;
pub mod verb;

pub(crate) use brought::pinned;
pub(crate) use cmake::{ANY, passed_on_defines};
pub(crate) use named::{archive_repository, normalise, repository};
pub(crate) use python::{is_interpreter, options};

use crate::actions::args::Argv;
use crate::span::Span;
use crate::value::{Site, Value};
use std::borrow::Cow;
use verb::Verb;

/// A command that may build something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What it does.
    pub verb: Verb,
    /// The program, by its last path component.
    pub tool: String,
    /// What it is done to.
    pub source: Source,
    /// `pkg[extra]`.
    pub extras: Vec<String>,
    /// `-DNAME=value` of CMake and meson.
    pub defines: Vec<Named>,
    /// `NAME=value` of make.
    pub make_vars: Vec<Named>,
    /// PEP 517 config settings.
    pub config_settings: Vec<Named>,
    /// Bazel's `--repo_env` and `--action_env`.
    pub repo_env: Vec<Named>,
    /// Other options, without dashes; a subcommand counts as one.
    pub options: Vec<(String, Option<Value>)>,
    /// Cargo features.
    pub features: Vec<String>,
    /// Crates that the project is known to depend on.
    pub crates: Vec<String>,
    /// Make or bazel targets.
    pub targets: Vec<String>,
    /// The whole command line, for compilers.
    pub flags: Vec<Value>,
    /// Package indexes and find-links pages.
    pub indexes: Vec<Value>,
    /// `--no-binary` holds for this package.
    pub no_binary: bool,
    /// `--only-binary` holds for this package.
    pub only_binary: bool,
    /// The build runs in an environment of its own: it does not see the installed torch.
    pub isolated: bool,
    /// The project is known to have no `pyproject.toml`: whether pip builds it in an environment of its own depends on pip.
    pub unlisted: bool,
    /// Where it is asked for, if not by the command itself: a line of a file that the command reads.
    pub at: Option<Site>,
    /// Whether it is done at all depends on what is not known.
    pub unsure: bool,
    /// The toolkit that it builds with, where that is not the one of the image.
    pub toolkit: Option<OwnToolkit>,
}

/// A CUDA toolkit that a tool brings for what it builds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnToolkit {
    /// Its version, where that is known.
    pub version: Option<String>,
    /// What brings it.
    pub from: String,
}

/// A named value of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// What an action is done to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A package by name, normalised; `spec` is what follows (`==2.8.3`).
    Index {
        /// The name.
        name: String,
        /// Version specifiers.
        spec: Value,
    },
    /// A directory.
    Tree(String),
    /// The project of a directory and its dependencies: `uv sync`, `poetry install`.
    Project(String),
    /// A repository.
    Repo {
        /// `owner/name`, lower case.
        name: String,
        /// Branch, tag or commit.
        reference: Option<String>,
        /// `#subdirectory=`.
        subdir: String,
    },
    /// A file that lists packages.
    Requirements(String),
    /// A source archive by address or path.
    Archive(String),
    /// A wheel by address or path, with its file name.
    Wheel(String),
    /// Nothing in particular.
    Nothing,
}

impl Action {
    /// An action with nothing but its verb, program and source.
    pub fn new(verb: Verb, tool: &str, source: Source) -> Self {
        Self {
            verb,
            tool: tool.to_owned(),
            source,
            extras: Vec::new(),
            defines: Vec::new(),
            make_vars: Vec::new(),
            config_settings: Vec::new(),
            repo_env: Vec::new(),
            options: Vec::new(),
            features: Vec::new(),
            crates: Vec::new(),
            targets: Vec::new(),
            flags: Vec::new(),
            indexes: Vec::new(),
            no_binary: false,
            only_binary: false,
            isolated: false,
            unlisted: false,
            at: None,
            unsure: false,
            toolkit: None,
        }
    }
}

/// What a command changes for those after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A repository was cloned.
    Cloned {
        /// `owner/name`, lower case.
        name: String,
        /// Branch or tag, with `?` for what is not known.
        reference: Option<String>,
        /// The directory.
        path: String,
    },
    /// A checkout changed its commit.
    CheckedOut {
        /// The directory.
        path: String,
        /// Branch, tag or commit.
        reference: String,
    },
    /// An address was fetched into a file.
    Fetched {
        /// The address.
        url: String,
        /// The file.
        path: String,
    },
    /// An archive was unpacked.
    Unpacked {
        /// The archive; empty for standard input.
        archive: String,
        /// The directory.
        into: String,
        /// The archive's top directory was left out.
        stripped: bool,
    },
    /// A file or directory was copied, moved or linked.
    Copied {
        /// From.
        from: String,
        /// To.
        to: String,
    },
    /// A tool came.
    Installed(Installed),
    /// These are set wherever the environment that was made is activated.
    Activated(Vec<Named>),
    /// A variable is set for the commands that follow.
    Exported(Named),
    /// Something is asked of an environment of spack, by its folder.
    Asked {
        /// The folder.
        dir: String,
        /// Specs.
        specs: Vec<Value>,
        /// Settings: `packages:all:variants:+cuda`.
        settings: Vec<Value>,
    },
    /// CMake configured a build directory.
    Configured(String),
    /// A `configure` prepared a directory for make.
    ConfiguredWith {
        /// The directory.
        dir: String,
        /// Its options.
        options: Vec<(String, Option<Value>)>,
    },
    /// A Rust project depends on a crate.
    Depends {
        /// The project's directory.
        dir: String,
        /// The crate.
        crate_name: String,
        /// Its features.
        features: Vec<String>,
    },
    /// A variable's default in the Makefile of a directory was edited.
    MakeDefault {
        /// The directory.
        dir: String,
        /// The variable.
        name: String,
        /// The new value.
        value: Value,
    },
}

/// A tool that an install command brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Which.
    pub tool: Tool,
    /// Its version, as far as it was written.
    pub version: Option<String>,
    /// torch's variant: `cu124`, `cpu`.
    pub variant: Option<String>,
    /// It comes from the package index that everybody uses.
    pub default_index: bool,
    /// The command in short: `pip install torch`.
    pub by: String,
}

/// The tools that builds depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// nvcc, by a CUDA toolkit.
    Nvcc,
    /// torch.
    Torch,
    /// CMake.
    Cmake,
    /// pip itself.
    Pip,
    /// torchvision or torchaudio, whose wheels have device code of their own.
    TorchLibrary,
}

/// What a command does.
#[allow(
    clippy::large_enum_variant,
    reason = "made once a command and taken apart at once"
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Did {
    /// It may build.
    Action(Action),
    /// It changes what later commands find.
    Effect(Effect),
    /// It runs a file as a shell script with these arguments.
    Script {
        /// The file.
        path: String,
        /// Its arguments.
        args: Vec<Value>,
    },
    /// It builds the conda package of a recipe.
    Recipe {
        /// A folder, or the file itself.
        path: String,
        /// The files of variants that the command names; what is not known of a name is `?`.
        variants: Vec<String>,
    },
}

/// The surroundings of a command: the working directory and the environment that tools read options from.
pub struct Surroundings<'s> {
    /// Resolves a path against the working directory.
    pub resolve: &'s dyn Fn(&str) -> String,
    /// An exported variable, where it has one value.
    pub env: &'s dyn Fn(&str) -> Option<Value>,
    /// What earlier commands did to the project of a directory.
    pub project: &'s dyn Fn(&str) -> Project,
    /// Opens a file of the image, where its text is known.
    pub open: &'s dyn Fn(&str) -> Option<Text<'s>>,
    /// The same for a file that may well not be there.
    pub open_if_there: &'s dyn Fn(&str) -> Option<Text<'s>>,
    /// What commands wrote to a file of the image.
    pub written: &'s dyn Fn(&str) -> Option<Value>,
    /// Says what is not followed, and why.
    pub note: &'s dyn Fn(String),
}

impl Surroundings<'_> {
    /// The root folder, an empty environment, and no files.
    #[cfg(test)]
    fn bare() -> Self {
        Self {
            resolve: &|path| crate::paths::join("/w", path),
            env: &|_| None,
            project: &|_| Project::default(),
            open: &|_| None,
            open_if_there: &|_| None,
            written: &|_| None,
            note: &|_| {},
        }
    }
}

/// The text of a file, and where it stands.
#[derive(Clone, Debug)]
pub struct Text<'t> {
    /// The file that holds it, and its first byte there.
    pub file: u16,
    /// The same.
    pub start: u32,
    /// The text.
    pub text: Cow<'t, str>,
}

impl Text<'_> {
    /// A part of it.
    pub fn value(&self, part: Span) -> Value {
        let text = self.text.get(part.range()).unwrap_or_default();
        let span = Span {
            start: part.start + self.start,
            end: part.end + self.start,
        };
        let site = Site {
            file: self.file,
            span,
        };
        Value::literal(text, Some(site))
    }
}

/// What earlier commands of the document changed in the project of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// Crates added, with their features.
    pub crates: Vec<(String, Vec<String>)>,
    /// Defaults edited in its Makefile.
    pub make_defaults: Vec<Named>,
    /// The options of its last `configure`: what make then builds.
    pub configured: Vec<(String, Option<Value>)>,
    /// make was run in it.
    pub made: bool,
    /// A command made the directory.
    pub is_folder: bool,
    /// What was added to it as an environment of spack.
    pub specs: Vec<Value>,
    /// What was asked of packages there.
    pub settings: Vec<Value>,
}

/// What `argv` does; empty for a command that does not matter here.
pub fn recognise(argv: &[Value], around: &Surroundings<'_>) -> Vec<Did> {
    let argv = Argv::new(argv);
    let Some(program) = argv.program() else {
        return Vec::new();
    };
    match program {
        _ if python::is_interpreter(program) => python::recognise(&argv, around),
        _ if pip::is_pip(program) => pip::recognise(&argv.tail(1), "pip", around),
        "uv" | "poetry" | "pdm" | "hatch" | "pipenv" | "mim" | "pipx" | "rye" | "flit"
        | "cibuildwheel" => python::manager(&argv, around),
        "cmake" | "cmake3" => cmake::recognise(&argv, around),
        "make" | "gmake" => make::recognise(&argv, around),
        "nvcc" => nvcc::recognise(&argv),
        "cargo" => cargo::recognise(&argv, around),
        "maturin" => cargo::maturin(&argv, around),
        "meson" => meson::recognise(&argv, around),
        "bazel" | "bazelisk" => bazel::recognise(&argv, around),
        "conda" | "mamba" | "micromamba" | "pixi" => conda::recognise(&argv, around),
        "conda-build" | "boa" | "rattler-build" => conda::build(&argv, around),
        "kernel-builder" => kernel_builder::recognise(&argv, around),
        "nix" => kernel_builder::of_nix(&argv, around),
        "sed" => sed::recognise(&argv, around),
        "spack" => spack::recognise(&argv, around),
        "eb" => easybuild::recognise(&argv, around),
        "git" => git::recognise(&argv, around),
        "wget" | "curl" | "tar" | "unzip" | "cp" | "mv" | "ln" => fetch::recognise(&argv, around),
        _ if system::is_manager(program) => system::recognise(&argv),
        "configure" => configure::recognise(&argv, around),
        _ => script(&argv, around),
    }
}

/// Whether packages of the system are installed whose names are not known.
pub fn installs_unnamed(argv: &[Value]) -> bool {
    system::installs_unnamed(&Argv::new(argv))
}

/// A file that is run: `./build.sh`, `/opt/install.sh`.
fn script(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let path = argv.text(0);
    if !path.contains('/') && !path.ends_with(".sh") {
        return Vec::new();
    }
    vec![Did::Script {
        path: (around.resolve)(path),
        args: argv.values()[1..].to_vec(),
    }]
}
