//! The arguments, and the manual page that `--help` prints.
use super::archs::ArchsArgs;
use super::baseline::BaselineArgs;
use super::mending::MendingArgs;
use super::output::OutputArgs;
#[cfg(feature = "probe")]
use super::probe::ProbeArgs;
use super::verify::VerifyArgs;
use crate::config::FailOn;
use crate::front::kind::KINDS;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Finds CUDA builds that will die with error 209, "no kernel image is available for execution on the device".
#[derive(Debug, Parser)]
#[command(
    name = "kimg-lint",
    version,
    long_about = DESCRIPTION,
    after_long_help = MANUAL,
    after_help = "`kimg-lint --help` says more.",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub struct Cli {
    /// Another command than linting.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The files to lint, and how.
    #[command(flatten)]
    pub lint: LintArgs,

    /// Colours and links in the output: auto, always, never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub color: Color,
}

/// The other commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print what a rule says, what is known of a builder or a GPU, or what an error means
    Explain {
        /// A code, a name, the start of a code, a builder, a compute capability or a GPU: KIMG101, 1xx, flash-attn, 12.1, L4
        ///
        /// Or an error of CUDA, PyTorch or a compiler: 209, cudaErrorInvalidDeviceFunction, or the message; `-` reads it from
        /// standard input.
        #[arg(required = true, value_name = "WORD")]
        words: Vec<String>,
    },
    /// Say why a build is judged as it is: what it reads, where that was set, who says so
    Why {
        /// The build, by a line of its instruction: Dockerfile:12
        #[arg(value_name = "PATH:LINE")]
        place: String,
    },
    /// Print the table of rules
    Rules,
    /// List the GPU architectures that built files carry, without CUDA
    Archs(ArchsArgs),
    #[cfg(feature = "probe")]
    #[allow(
        missing_docs,
        reason = "its arguments have them, and they are what is printed"
    )]
    Probe(ProbeArgs),
    /// What `probe` starts as a child process
    #[cfg(feature = "probe")]
    #[command(name = super::probe::WORKER, hide = true)]
    ProbeWorker,
    /// Check built files against the GPUs that they have to run on
    Verify(Box<VerifyArgs>),
    /// Show a fleet, or make one of what other tools print
    #[command(subcommand)]
    Fleet(FleetCommand),
    /// Print the shortest list of architectures that serves a fleet
    Suggest(SuggestArgs),
    /// Draw what each build of some files means for each GPU of the fleet
    Coverage {
        /// The files
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// The GPUs
        #[command(flatten)]
        fleet: FleetArgs,
    },
    /// Write a commented .kimg-lint.yaml for the repository that the working directory lies in
    Init,
    /// Print the completions for a shell
    #[command(hide = true)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(hide = true)]
    Man,
}

/// What is done with a fleet.
#[derive(Debug, Subcommand)]
pub enum FleetCommand {
    /// Show the GPUs of the fleet, and which code, toolkits and releases of torch reach each
    Show(FleetArgs),
    /// Print a fleet for .kimg-lint.yaml, from what another tool prints
    ///
    /// Reads `nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv`, `kubectl get nodes -o json`, or names, one a
    /// line.
    Import {
        /// What the tool printed; without it, standard input
        file: Option<PathBuf>,
        /// The name of the fleet
        #[arg(long, value_name = "NAME", default_value = "imported")]
        name: String,
    },
}

/// Which GPUs are meant.
#[derive(Debug, Args)]
pub struct FleetArgs {
    /// The GPUs, separated by commas: names, compute capabilities or instance types; in place of those of the configuration
    #[arg(long, value_name = "GPUS", value_delimiter = ',')]
    pub fleet: Vec<String>,

    /// The configuration file, in place of the .kimg-lint.yaml that is found
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// What a list is suggested for.
#[derive(Debug, Args)]
pub struct SuggestArgs {
    /// A file: for each of its builds, the line to write there
    #[arg(value_name = "PATH", conflicts_with_all = ["consumer", "cuda"])]
    pub path: Option<PathBuf>,

    /// Who reads the list: torch, cmake, nvcc, or a builder that `kimg-lint explain` knows
    #[arg(long = "for", value_name = "NAME")]
    pub consumer: Option<String>,

    /// nvcc's version
    #[arg(long, value_name = "VERSION", value_parser = cuda_version)]
    pub cuda: Option<String>,

    /// The GPUs
    #[command(flatten)]
    pub fleet: FleetArgs,
}

/// What is linted, and how.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Files and folders to lint; `-` is standard input. Without any, the working directory
    ///
    /// Of a folder, the files are linted that are called like a Dockerfile or a CI configuration, and that git does not ignore.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// The path that standard input is reported under and recognised by
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub stdin_filename: Option<PathBuf>,

    /// What kind of file the files are, whatever they are called
    #[arg(long, value_name = "KIND", value_parser = kinds(), help_heading = "Input")]
    pub kind: Option<String>,

    /// The configuration file, in place of the .kimg-lint.yaml that is found
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub config: Option<PathBuf>,

    /// Print the merged configuration of a file, with the origin of each key, and lint nothing
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub show_config: Option<PathBuf>,

    /// Do not read the files that a linted file leads to, nor those that lead to it
    #[arg(long, help_heading = "Input")]
    pub no_links: bool,

    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Print findings only, without the line that sums up
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// The least severity that makes the exit status 1: error, warning, info, never
    ///
    /// Without it, `fail-on` of the configuration decides, and without that, warning.
    #[arg(
        long,
        value_name = "SEVERITY",
        hide_possible_values = true,
        help_heading = "Rules"
    )]
    pub fail_on: Option<FailOn>,

    /// Only these rules: codes, starts of codes, or names, separated by commas
    ///
    /// KIMG101, KIMG1, 1xx and arch-list-missing are all understood; `kimg-lint rules` lists them.
    #[arg(
        long,
        value_name = "RULES",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub select: Vec<String>,

    /// Not these rules; wins over --select
    #[arg(
        long,
        value_name = "RULES",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub ignore: Vec<String>,

    /// Take comments that suppress findings for comments
    #[arg(long, help_heading = "Rules")]
    pub no_inline_ignores: bool,

    /// Findings that are known.
    #[command(flatten)]
    pub baseline: BaselineArgs,

    /// Mending.
    #[command(flatten)]
    pub mending: MendingArgs,

    /// The value of a build argument, as in docker build; may be given several times
    #[arg(long = "build-arg", value_name = "NAME=VALUE", value_parser = pair, help_heading = "The build")]
    pub build_args: Vec<(String, String)>,

    /// A variable that is set where the build starts; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, help_heading = "The build")]
    pub env: Vec<(String, String)>,

    /// Only this stage, and what it is built from
    #[arg(long, value_name = "STAGE", help_heading = "The build")]
    pub target: Option<String>,

    /// The platform that is built for, such as linux/arm64
    #[arg(long, value_name = "PLATFORM", help_heading = "The build")]
    pub platform: Option<String>,

    /// nvcc's version, where the files leave it open
    #[arg(long, value_name = "VERSION", value_parser = cuda_version, help_heading = "The build")]
    pub cuda: Option<String>,

    /// The GPUs that the result has to run on, separated by commas
    ///
    /// Names, compute capabilities or instance types: A100,8.9,aws:g6.xlarge. Replaces the fleets of the configuration.
    #[arg(
        long,
        value_name = "GPUS",
        value_delimiter = ',',
        help_heading = "The fleet"
    )]
    pub fleet: Vec<String>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a name and a value are needed, as in NAME=VALUE".into()),
    }
}

/// The names of the kinds of file that are known.
fn kinds() -> PossibleValuesParser {
    KINDS
        .iter()
        .map(|kind| kind.name)
        .collect::<Vec<_>>()
        .into()
}

fn cuda_version(text: &str) -> Result<String, String> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    match text.split_once('.') {
        Some((major, minor)) if digits(major) && digits(minor) => Ok(text.to_owned()),
        _ => Err("a version has two numbers, as in 12.4".into()),
    }
}

const DESCRIPTION: &str = "\
Finds CUDA builds that will die with error 209, \"no kernel image is available for execution on the device\".

kimg-lint reads Dockerfiles and CI configurations. For each command that compiles CUDA code it works out which variable, \
define or flag decides the GPU architectures, whether a value reaches the compiler, what happens if none does, and which line \
to write. It runs nothing, needs no CUDA and no GPU, and reads nothing from the network. What it cannot know it calls \
unknown; unknown is never a pass.";

const MANUAL: &str = "\
Examples:
  kimg-lint Dockerfile
          Lint one file.
  kimg-lint --fleet A100,L4 docker/*.Dockerfile
          Lint files for the GPUs that the images will meet.
  kimg-lint --build-arg TORCH_CUDA_ARCH_LIST='8.0;9.0+PTX' Dockerfile
          Judge the file as it is built with this argument.
  git show HEAD:Dockerfile | kimg-lint --stdin-filename Dockerfile -
          Lint standard input under a name.
  kimg-lint --format json --fail-on never Dockerfile
          Everything that was learned, for another program.
  kimg-lint explain KIMG101
          What a rule says, why, and when not to listen.
  kimg-lint suggest --for torch --fleet A100,aws:g6.xlarge --cuda 12.4
          The shortest list that serves these GPUs.
  kimg-lint init
          Write a commented configuration.
  kimg-lint ./explain
          Lint a file that is called like a command.

Exit status:
  0  Nothing at or above the threshold (--fail-on).
  1  Findings.
  2  kimg-lint could not do its work: wrong usage, a configuration at
     fault, or an input that could not be read. Wins over 1: what could not be read is never a pass.

Configuration:
  .kimg-lint.yaml in the folder of a linted file and those above it, up to
  the root of the repository. The nearest file wins, key by key;
  `--show-config FILE` prints what applies to a file, and from where.

Environment:
  NO_COLOR
          Set to anything: no colours, unless --color says otherwise.
  COLUMNS
          The width of the output; 80 where it is not set.
  LC_ALL, LC_CTYPE, LANG
          The first of these that is set names UTF-8: lines are drawn with
          box characters, else with ASCII.";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn values_are_checked() {
        for (text, expected) in [
            ("A=1", Some(("A", "1"))),
            ("A=", Some(("A", ""))),
            ("A=b=c", Some(("A", "b=c"))),
            ("A", None),
            ("=1", None),
        ] {
            assert_eq!(
                pair(text).ok(),
                expected.map(|(name, value)| (name.into(), value.into())),
                "{text}"
            );
        }
        for (text, good) in [
            ("12.4", true),
            ("13.0", true),
            ("12", false),
            ("12.", false),
            ("12.4.1", false),
            ("v12.4", false),
        ] {
            assert_eq!(cuda_version(text).is_ok(), good, "{text}");
        }
    }
}
