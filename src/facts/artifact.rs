//! A built file and the device code it carries.
use super::Verdict;
use crate::cuda::{Image, ImageKind};
use crate::span::Place;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// One file with device code, or one that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Artifact {
    /// The file as it was named.
    pub path: String,
    /// The member inside it, levels joined by `!`; empty for the file itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub member: String,
    /// The image layer that the final file comes from; empty outside images.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub layer: String,
    /// The Python package that it was installed with, or is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<PythonPackage>,
    /// Its format.
    pub kind: ArtifactKind,
    /// What NVIDIA calls the library, if it is one of its own; empty for any other.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub vendor: String,
    /// The CPU that its host code is for: `x86-64`, `aarch64`; empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Size in bytes as far as it is known.
    pub size: u64,
    /// The images that `cuobjdump` would list, and LTO; sorted, equal ones counted.
    pub images: Vec<ImageCount>,
    /// How many fatbin containers hold them.
    pub containers: u64,
    /// Device code outside the sections that the CUDA runtime registers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside_sections: Vec<ImageCount>,
    /// What it means for each GPU of the fleet; filled by `verify`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<ArtifactCoverage>,
    /// The same by verdict: what there is to say, with the GPUs that it is said of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<GpusByVerdict>,
    /// All its code is for the very GPUs that its suffixes name, so that other GPUs are left out on purpose.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub specific: bool,
    /// Every GPU of the fleet has machine code in it, in all containers that count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_native: bool,
    /// What differs from what was declared for it; filled by `verify --expect` and `--expect-from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declared>,
    /// The CPU that the name of its package promises, where its own is another.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host_promised: String,
    /// Why a package without device code should have some; empty where nothing says so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub device_code_promised: String,
    /// What an image asks of the machine before NVIDIA's container runtime starts it: `NVIDIA_REQUIRE_CUDA=cuda>=12.4`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// The GPUs of the fleet on which it is not started for that; filled by `verify`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shut_out: Vec<String>,
    /// What could not be read: such a file is never a pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ArtifactProblem>,
    /// What is worth knowing and hides nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<ArtifactProblem>,
    /// The containers by what they hold, equal ones counted: what verdicts are counted over.
    #[serde(skip)]
    pub sets: Vec<ImageSet>,
    /// The images outside the sections, each once.
    #[serde(skip)]
    pub outside: Vec<Image>,
    /// Every image in file order, member by member of a static library; kept only when asked for.
    #[serde(skip)]
    pub listing: Vec<Listed>,
    /// The files that it says were installed together: it is the RECORD of a Python package.
    #[serde(skip)]
    pub record: Option<Vec<String>>,
    /// A list of architectures that the file has as text: what torch says of itself.
    #[serde(skip)]
    pub states: String,
    /// Where each container lies; kept only when asked for, and only of files on disk.
    #[serde(skip)]
    pub places: Vec<ContainerAt>,
    /// The file that the places count in, for a member that was unpacked.
    #[serde(skip)]
    pub unpacked: Option<PathBuf>,
}

impl Artifact {
    /// Whether nothing was found: no device code, no error, nothing that it asks for.
    pub fn is_blank(&self) -> bool {
        self.images.is_empty()
            && self.outside_sections.is_empty()
            && self.errors.is_empty()
            && self.requires.is_empty()
    }
}

/// An installed Python package, or one that a wheel holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PythonPackage {
    /// Its name, as its metadata spell it.
    pub name: String,
    /// Its version: `2.4.1+cu121`.
    pub version: String,
    /// The architectures that it says it has, as torch does: `sm_80 sm_90`; not what was found in it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub own_list: String,
}

/// The format of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ArtifactKind {
    /// A library, program or object of Linux.
    Elf,
    /// A library, program or object of Windows.
    Pe,
    /// A static library.
    Archive,
    /// Machine code for one GPU.
    Cubin,
    /// Fatbin containers without a host file around them.
    Fatbin,
    /// PTX text.
    Ptx,
    /// Files packed together: zip, tar, an image, a directory.
    Package,
    /// Something else.
    Other,
}

/// Equal images of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImageCount {
    /// SASS, PTX or LTO: `sass`, `ptx`, `lto`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: ImageKind,
    /// `sm_90a`, for PTX too.
    pub arch: String,
    /// How many.
    pub count: u64,
    /// The bytes that they take in the file or member, as they are stored; images that share one payload have an equal part of it.
    #[serde(default)]
    pub bytes: u64,
    /// The PTX language version, for PTX.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ptx_isa: Option<String>,
}

/// Containers that hold the same images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageSet {
    /// The images that every driver sees, sorted.
    pub images: Vec<Image>,
    /// Those in groups, which not every driver looks into, sorted.
    pub grouped: Vec<Image>,
    /// Whether it also holds something that could not be read or is of a kind not known.
    pub incomplete: bool,
    /// How many containers.
    pub count: u64,
    /// The names of their kernels; only where asked for.
    pub kernels: BTreeSet<String>,
    /// How many of the containers tell no names.
    pub unnamed: u64,
}

/// Kernels of one name: instances of one template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelGroup {
    /// Their name, demangled, without parameters and without the arguments of templates.
    pub name: String,
    /// How many there are.
    pub count: u64,
}

/// A container, or an image that stands alone, and its bytes in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerAt {
    /// Offset of its first byte.
    pub offset: u64,
    /// Offset just past it.
    pub end: u64,
    /// A fatbin container, rather than an image that stands alone.
    pub fatbin: bool,
    /// Its images that every driver sees, in file order.
    pub images: Vec<Image>,
    /// Those in groups, which not every driver looks into.
    pub grouped: Vec<Image>,
    /// It holds something that is damaged or of a kind not known.
    pub incomplete: bool,
    /// It holds code for the device linker, which the driver cannot load by itself.
    pub relocatable: bool,
}

impl ImageSet {
    /// All images, in groups or not.
    pub fn all(&self) -> impl Iterator<Item = &Image> {
        self.images.iter().chain(&self.grouped)
    }
}

impl ContainerAt {
    /// All images, in groups or not.
    pub fn all(&self) -> impl Iterator<Item = &Image> {
        self.images.iter().chain(&self.grouped)
    }
}

/// The images of a file, or of one member of a static library, in file order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The member, or empty.
    pub member: String,
    /// The images, each with the name of its source file where the compiler recorded one.
    pub images: Vec<(Image, Option<String>)>,
}

/// What an artifact means for one GPU, counted over its containers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArtifactCoverage {
    /// The GPU's name.
    pub gpu: String,
    /// Its compute capability.
    pub capability: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The images that serve it, or why none does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// Containers with machine code for it.
    pub native: u64,
    /// Containers that reach it through PTX only.
    pub jit: u64,
    /// Containers with nothing for it.
    pub missing: u64,
    /// Containers left out of the count: their kernels are for other GPUs on purpose.
    pub dispatch: u64,
    /// Those of them that serve it all the same.
    pub dispatch_served: u64,
    /// All containers.
    pub of: u64,
    /// The kernels that have nothing for it, with `verify --kernels`.
    #[serde(skip)]
    pub kernels: Vec<KernelGroup>,
    /// Containers with nothing for it whose kernels have no names that could be read.
    #[serde(skip)]
    pub unnamed: u64,
}

/// GPUs for which an artifact means the same, in every number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GpusByVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// Their names, with the capability: `NVIDIA L4 (8.9)`.
    pub gpus: Vec<String>,
    /// Their capabilities, each once.
    pub capabilities: Vec<String>,
    /// The images that serve them, or why none does.
    pub by: String,
    /// Containers that reach them through PTX only.
    pub jit: u64,
    /// Containers with nothing for them.
    pub missing: u64,
    /// Containers that count for them.
    pub counted: u64,
    /// The kernels that have nothing for them where others have; filled by `verify --kernels`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<KernelGroup>,
    /// Containers with nothing for them whose kernels have no names that could be read.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unnamed: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What differs between an artifact and what was declared for it: `sm_80`, `compute_90`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Declared {
    /// Declared and not there.
    pub missing: Vec<String>,
    /// There and not declared, in code that is for every GPU.
    pub unexpected: Vec<String>,
    /// The build that declares it, where a file was read for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<DeclaredBy>,
}

/// The build whose list an artifact should have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeclaredBy {
    /// The file.
    pub path: String,
    /// Where the list stands, or the command that builds.
    pub span: Place,
    /// The list as it stands there, or as the builder has it of its own.
    pub text: String,
}

/// Something in a file that could not be read, or is worth knowing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArtifactProblem {
    /// Byte offset in the file or member, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// What it is.
    pub message: String,
}

impl ArtifactProblem {
    /// A problem at a byte offset.
    pub fn at(offset: u64, message: impl Into<String>) -> Self {
        Self {
            offset: Some(offset),
            message: message.into(),
        }
    }

    /// A problem of the file as a whole.
    pub fn whole(message: impl Into<String>) -> Self {
        Self {
            offset: None,
            message: message.into(),
        }
    }
}
