//! The shape of a builder record: who a package is, when it compiles device code, which settings choose the architectures.
//!
//! A record never sees command text: commands are normalised into an action first, and records match on identity × verb × conditions.
use crate::actions::verb::Verb;
use crate::table::{List, One, Pairs, Text, Trust};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// One builder.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Its id, unique.
    pub id: Text,
    /// Its name in words.
    pub title: Text,
    /// A record whose keys hold where this one has none.
    #[serde(default)]
    pub extends: Option<Text>,
    /// It stands for many projects: two builds by it need not be of the same one.
    #[serde(default)]
    pub generic: bool,
    /// Who it is: any of these.
    #[serde(rename(deserialize = "match"))]
    pub matches: List<Match>,
    /// Whether a command compiles: the first row that holds; without rows, always.
    #[serde(default)]
    pub compiles: Option<List<CompilesRow>>,
    /// The settings that choose the architectures, highest precedence first.
    #[serde(default)]
    pub knobs: Option<List<Knob>>,
    /// What follows: the first row that holds.
    #[serde(default)]
    pub outcome: Option<List<OutcomeRow>>,
    /// Settings commonly made for it in vain.
    #[serde(default)]
    pub ignored: Option<List<Text>>,
    /// What it wants of the toolchain.
    #[serde(default)]
    pub wants: Option<List<Want>>,
    /// The oldest GPU that its sources compile for: a list with an older one stops the build. The first row that surely holds.
    #[serde(default)]
    pub oldest: List<Oldest>,
    /// Texts with which it compares the whole of a list, so that the same architectures among others are something else for it.
    #[serde(default)]
    pub compares: List<Comparison>,
    /// Where the facts were read.
    #[serde(default)]
    pub sources: List<Source>,
    /// How sure they are.
    pub confidence: Trust,
    /// More facts, for people.
    #[serde(default)]
    pub notes: Text,
    /// Commands with the expected answer; they run as tests, and the program's own table leaves them out.
    #[serde(default, serialize_with = "left_out")]
    pub examples: List<Example>,
}

fn left_out<S: Serializer>(_: &List<Example>, serializer: S) -> Result<S::Ok, S::Error> {
    List::<Example>::default().serialize(serializer)
}

/// A source file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// `owner/name`, or where else.
    pub repo: Text,
    /// The file.
    pub file: Text,
    /// Commit, tag or version.
    #[serde(default, rename(deserialize = "ref"))]
    pub reference: Text,
    /// When it was read.
    #[serde(default)]
    pub date: Text,
}

/// The oldest GPU that a builder's sources compile for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oldest {
    /// When.
    #[serde(default, rename(deserialize = "if"))]
    pub when: Option<One<Cond>>,
    /// Its compute capability: `9.0`.
    pub capability: Text,
    /// What happens with an older one, in words.
    pub say: Text,
}

/// A text with which a builder compares the whole of a list.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// When.
    #[serde(default, rename(deserialize = "if"))]
    pub when: Option<One<Cond>>,
    /// The knob that gives the list.
    pub knob: Text,
    /// The text: `9.0`.
    pub text: Text,
    /// What follows for any other text, as a clause.
    pub say: Text,
}

/// Targets of a list to which a builder gives a suffix.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rewriting {
    /// When.
    #[serde(default, rename(deserialize = "if"))]
    pub when: Option<One<Cond>>,
    /// What they become: `120a` for 120.
    pub into: List<Text>,
}

/// What a builder wants of the toolchain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "kebab-case"))]
pub enum Want {
    /// It imports torch when it builds.
    Torch,
    /// Likewise, and it refuses another CUDA version than torch's, also in the minor.
    TorchOfSameCuda,
    /// It compiles with nvcc on the machine where it runs.
    NvccAtRunTime,
    /// Likewise with NVRTC, to machine code.
    NvrtcAtRunTime,
}

/// A way to recognise a builder; the keys inside one are ANDed.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all(deserialize = "kebab-case"))]
pub struct Match {
    /// Package index name, normalised.
    pub pypi: Option<Text>,
    /// `owner/name`, lower case.
    pub repo: Option<Text>,
    /// Last component of a directory name.
    pub dir: Option<Text>,
    /// Crate name.
    #[serde(rename(deserialize = "crate"))]
    pub crate_name: Option<Text>,
    /// Program name.
    pub tool: Option<Text>,
    /// Name of a package of spack.
    pub spack: Option<Text>,
    /// Something in the project's own files.
    pub evidence: Option<Evidence>,
    /// Something in the command itself; `yes` is wanted.
    pub when: Option<One<Cond>>,
    /// Directory inside the repository; empty for its root.
    pub subdir: Option<Text>,
    /// The last components of the directory, whatever the repository.
    pub path_ends: Option<Text>,
    /// Only these verbs; narrows what the other keys name.
    pub verb: List<Verb>,
}

/// What a project's files show about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "kebab-case"))]
pub enum Evidence {
    /// A `setup.py` with `CUDAExtension`.
    CudaExtension,
    /// A `CMakeLists.txt` that enables the CUDA language.
    CmakeCudaLanguage,
    /// A `CMakeLists.txt` that finds Torch.
    CmakeTorch,
    /// A `Makefile` whose recipes call nvcc.
    MakefileNvcc,
    /// `Cargo.lock` holds `bindgen_cuda`.
    CargoBindgenCuda,
    /// `Cargo.lock` holds `cudaforge`.
    CargoCudaforge,
    /// `pyproject.toml` builds with scikit-build-core.
    ScikitBuildCore,
    /// A Python program that calls `torch.utils.cpp_extension.load`.
    TorchJitLoad,
    /// A source tree or archive about which nothing else is known.
    UnknownTree,
}

/// A condition: a map whose entries must all hold. Three-valued.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all(deserialize = "kebab-case"))]
pub struct Cond {
    /// The verb is one of these.
    pub verb: List<Verb>,
    /// Whether a knob gave a list.
    pub list: Option<Presence>,
    /// Whether a GPU is visible to the build.
    pub gpu: Option<YesNo>,
    /// The package's version is in this range. The default branch of a repository is newer than every version that has a number.
    pub version: Option<Text>,
    /// The package is pinned to a version in this range; one that is not pinned is a newer one.
    pub pinned: Option<Text>,
    /// torch's version.
    pub torch: Option<Text>,
    /// nvcc's CUDA version.
    pub cuda: Option<Text>,
    /// CMake's version.
    pub cmake: Option<Text>,
    /// Environment variables.
    pub env: Pairs<Test>,
    /// CMake, meson and scikit-build defines.
    pub define: Pairs<Test>,
    /// Make variables.
    pub make: Pairs<Test>,
    /// PEP 517 config settings.
    pub config_setting: Pairs<Test>,
    /// Bazel's `--repo_env`.
    pub repo_env: Pairs<Test>,
    /// Any of these options is given (without dashes; `name=value` wants the value).
    pub option: List<Text>,
    /// Any of these features is on.
    pub feature: List<Text>,
    /// Any of these extras is asked for.
    pub extra: List<Text>,
    /// `url`: a wheel by address or path; else: an index or find-links address contains this.
    pub wheel: Option<Text>,
    /// Any of these targets is built.
    pub target: List<Text>,
    /// Something that cannot be told here, in words.
    pub unknown: Option<Text>,
    /// None of these holds.
    pub not: List<Cond>,
    /// One of these holds.
    pub any: List<Cond>,
}

/// Set or unset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum Presence {
    /// Set.
    Set,
    /// Unset.
    Unset,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}

/// A test of one variable: `on`, `off`, `set`, `unset`, `=v`, `!=v`, `~v` (contains).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Text")]
pub enum Test {
    /// Set, and not in {0, OFF, FALSE, NO, N, ""}.
    On,
    /// Set, and in that set.
    Off,
    /// Set, also to nothing.
    Set,
    /// Not set.
    Unset,
    /// Equal.
    Is(Text),
    /// Unset or different.
    IsNot(Text),
    /// Contains the text.
    Has(Text),
}

impl TryFrom<Text> for Test {
    type Error = String;

    fn try_from(text: Text) -> Result<Self, String> {
        Ok(match text.0 {
            "on" => Self::On,
            "off" => Self::Off,
            "set" => Self::Set,
            "unset" => Self::Unset,
            other => {
                if let Some(value) = other.strip_prefix("!=") {
                    Self::IsNot(Text(value))
                } else if let Some(value) = other.strip_prefix('=') {
                    Self::Is(Text(value))
                } else if let Some(value) = other.strip_prefix('~') {
                    Self::Has(Text(value))
                } else {
                    return Err(format!(
                        "`{other}` is none of on, off, set, unset, =value, !=value, ~value"
                    ));
                }
            }
        })
    }
}

/// A row of `compiles`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompilesRow {
    /// When it holds; without, always.
    #[serde(default, rename(deserialize = "if"))]
    pub when: Option<One<Cond>>,
    /// The answer.
    pub then: Answer,
    /// Why, in words.
    #[serde(default)]
    pub say: Text,
}

/// Whether device code is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum Answer {
    /// Always.
    Yes,
    /// It depends.
    Maybe,
    /// Never.
    No,
}

/// A setting that chooses architectures.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knob {
    /// The variable, define or option.
    pub name: Text,
    /// Where it stands.
    #[serde(rename(deserialize = "in"))]
    pub place: Place,
    /// Its name is no more about device code than about anything else, such as `COMPUTE`.
    #[serde(default)]
    pub general: bool,
    /// How its text reads (`torch`, `cmake`, `undotted(;)`, …); none for switches.
    #[serde(default)]
    pub syntax: Option<Text>,
    /// How much it takes.
    pub take: Take,
    /// When the builder reads it at all.
    #[serde(default, rename(deserialize = "if"))]
    pub when: Option<One<Cond>>,
    /// What an empty value means.
    #[serde(default)]
    pub empty: Empty,
    /// The values it knows; all, if none is listed.
    #[serde(default)]
    pub known: List<Text>,
    /// What happens to others.
    #[serde(default)]
    pub unknown: UnknownValue,
    /// What the builder adds to the list by itself.
    #[serde(default)]
    pub adds: Option<Addition>,
    /// Targets without a suffix that the builder gives one.
    #[serde(default)]
    pub rewrites: List<Rewriting>,
    /// The knob adds to what lower ones give instead of replacing it.
    #[serde(default)]
    pub joins: bool,
    /// PTX, SASS or both, for a plain entry of the list where the syntax leaves it open.
    #[serde(default)]
    pub plain: Plain,
}

/// What a plain number of an undotted, dotted or named list makes the builder embed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum Plain {
    /// SASS.
    #[default]
    Sass,
    /// PTX.
    Ptx,
    /// Both.
    Both,
    /// SASS, and PTX for the highest.
    Highest,
    /// SASS; whether there is PTX, too, is not known.
    Open,
}

/// Where a knob stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "kebab-case"))]
pub enum Place {
    /// The environment.
    Env,
    /// `-DNAME=value`.
    Define,
    /// PEP 517 config settings.
    ConfigSetting,
    /// A make variable.
    Make,
    /// Bazel's `--repo_env`.
    RepoEnv,
    /// The compiler's command line.
    Flag,
    /// A command-line option.
    Option,
    /// A cargo feature.
    Feature,
    /// The project's `setup.py`.
    #[serde(rename(deserialize = "setup.py"))]
    SetupPy,
    /// A CMake preset.
    Preset,
}

/// How much a knob takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "kebab-case"))]
pub enum Take {
    /// Several architectures.
    List,
    /// One.
    One,
    /// Compiler flags: only with an architecture in them do they count.
    RawFlags,
    /// On or off: conditions read it.
    Switch,
}

/// What an empty value means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum Empty {
    /// As if it were not set.
    #[default]
    Unset,
    /// An empty list.
    Set,
    /// The build stops.
    Error,
}

/// What happens to a value that the builder does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum UnknownValue {
    /// The build stops.
    #[default]
    Rejected,
    /// It is left out without a word.
    Dropped,
}

/// Architectures that a builder adds to the list.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Addition {
    /// When.
    #[serde(default, rename(deserialize = "if"))]
    pub when: Option<One<Cond>>,
    /// Which.
    pub list: List<Text>,
}

/// A row of `outcome`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutcomeRow {
    /// When it holds; without, always.
    #[serde(default, rename(deserialize = "if"))]
    pub when: Option<One<Cond>>,
    /// What follows.
    pub then: Effect,
    /// The architectures of a fixed list.
    #[serde(default)]
    pub list: Option<FixedList>,
    /// The switch that would change it.
    #[serde(default)]
    pub switch: Text,
    /// The builder asked for the build machine's GPU.
    #[serde(default)]
    pub native: bool,
    /// Whoever wrote the switch that leads here has chosen the list.
    #[serde(default)]
    pub chosen: bool,
    /// In words.
    #[serde(default)]
    pub say: Text,
}

/// What a builder does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "kebab-case"))]
pub enum Effect {
    /// Compiles for the list given.
    List,
    /// Compiles for a list of its own.
    Fixed,
    /// Compiles for nvcc's default.
    CompilerDefault,
    /// Compiles for the GPU it sees.
    VisibleGpu,
    /// Leaves device code out.
    CpuOnly,
    /// Fails.
    Error,
    /// Compiles where it runs.
    Runtime,
    /// Compiles nothing.
    None,
}

/// A list that a package carries itself. Entries: `80` is SASS, `80-virtual` PTX, `80+PTX` both.
#[derive(Clone, Copy, Debug, Serialize)]
pub enum FixedList {
    /// By range of nvcc's CUDA version.
    ByCuda(Pairs<List<Text>>),
    /// Always the same, or the name of a shared list (`toolkit-all`, `unknown`).
    Plain(List<Text>),
}

/// A map is by version, anything else is plain.
impl<'de> Deserialize<'de> for FixedList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl<'de> Visitor<'de> for Written {
            type Value = FixedList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list, a list by version, or the name of a shared list")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FixedList, A::Error> {
                Pairs::deserialize(MapAccessDeserializer::new(map)).map(FixedList::ByCuda)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<FixedList, A::Error> {
                List::deserialize(SeqAccessDeserializer::new(seq)).map(FixedList::Plain)
            }
            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<FixedList, E> {
                List::deserialize(name.into_deserializer()).map(FixedList::Plain)
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// A command with the expected answer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The command, as in a RUN of an image with nvcc and torch.
    pub run: Text,
    /// Whether it compiles.
    pub compiles: Answer,
    /// The builder; this one, if absent; `none` for no record.
    #[serde(default)]
    pub builder: Option<Text>,
    /// The environment.
    #[serde(default)]
    pub env: Pairs<Text>,
    /// The list that decides, in the knob's own spelling.
    #[serde(default)]
    pub list: Option<Text>,
}
