//! `kimg-lint probe`: what the GPUs here really do.
use super::output::OutputArgs;
use super::{CliError, Color, Status};
use crate::artifact::{self, Meter, archs};
use crate::config::{Config, Configs, FailOn, NAME};
use crate::cuda::Jit;
use crate::date::Date;
use crate::facts::{Facts, Known, ProbeState};
use crate::gpu::{self, Launcher, Wanted};
use crate::report::{Report, human, probe as blocks};
use crate::rules::Selection;
use clap::Args;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Run a kernel on every GPU here, and ask the driver whether built files run on it
///
/// A kernel of kimg-lint's own runs on each GPU, as machine code and as PTX, and its values are compared. With PATHs, each
/// container of device code in them is given to the driver, and its answer is compared with what kimg-lint predicts; what lies
/// in wheels and images is unpacked into a temporary folder for it. With a
/// COMMAND, that program runs with the driver's log of errors on, and launches that failed inside it are reported, on standard
/// error; the exit status is the program's unless that is 0.
///
/// Everything that touches a GPU happens in child processes with a time limit. Without a GPU it says so, and that is no error
/// unless --require-gpu is given.
#[derive(Args, Debug)]
pub struct ProbeArgs {
    /// Built files and folders to load on each GPU
    #[arg(value_name = "PATH", conflicts_with = "command")]
    paths: Vec<PathBuf>,

    /// A program to run and watch
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// Exit with 2 if no GPU that works is here
    #[arg(long)]
    require_gpu: bool,

    /// Compute a product of matrices N times on each GPU and compare it with the CPU's
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        conflicts_with = "command"
    )]
    stress: u32,

    /// Have the driver compile no PTX: what has PTX only fails
    #[arg(long, conflicts_with = "force_jit")]
    no_jit: bool,

    /// Have the driver compile PTX even where machine code fits
    #[arg(long)]
    force_jit: bool,

    /// Seconds after which a silent child process counts as hung
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,

    #[command(flatten)]
    output: OutputArgs,

    /// The least severity that makes the exit status 1: error, warning, info, never
    ///
    /// warning, unless the configuration of the working directory says otherwise.
    #[arg(long, value_name = "SEVERITY", hide_possible_values = true)]
    fail_on: Option<FailOn>,

    /// The configuration file, in place of the .kimg-lint.yaml that is found
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Only these rules
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    select: Vec<String>,

    /// Not these rules; wins over --select
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    ignore: Vec<String>,
}

/// The hidden command that child processes are started with.
pub(super) const WORKER: &str = "probe-worker";

/// Runs the command.
pub(super) fn run(args: &ProbeArgs, color: Color, out: &mut dyn Write) -> Result<Status, CliError> {
    args.output.check()?;
    let (launcher, judge) = (launcher(args)?, Judge::new(args)?);
    if !args.command.is_empty() {
        return watch(args, &launcher, &judge, color);
    }
    // Without room for it, what lies in packages is not loaded, and that is said.
    let unpacked = tempfile::tempdir().ok().filter(|_| !args.paths.is_empty());
    let mut facts = artifacts(args, unpacked.as_ref().map(TempDir::path));
    let wanted = Wanted {
        required: args.require_gpu,
        stress: args.stress,
        no_jit: args.no_jit,
    };
    facts.probes = gpu::probe(&launcher, wanted);
    gpu::load(&mut facts.probes, &facts.artifacts, &launcher, jit(args));
    let works = facts
        .probes
        .iter()
        .any(|probe| probe.state == ProbeState::Ran);
    // What could not be read is never a pass.
    let damaged = facts
        .artifacts
        .iter()
        .any(|artifact| !artifact.errors.is_empty());
    // Nor is what was not given to the driver.
    let packed = works && facts.artifacts.iter().any(gpu::is_packed);
    let failed = damaged || packed || args.require_gpu && !works;
    let mut report = judge.report(facts)?;
    write(&mut report, args, color, out)?;
    Ok(if failed {
        Status::Failed
    } else {
        judge.status(&report)
    })
}

fn watch(
    args: &ProbeArgs,
    launcher: &Launcher,
    judge: &Judge,
    color: Color,
) -> Result<Status, CliError> {
    let program = gpu::watch(&args.command, launcher).map_err(CliError::Command)?;
    let (status_of_program, blind) = (program.status, program.watched == Known::No);
    let facts = Facts {
        programs: vec![program],
        ..Facts::default()
    };
    let mut report = judge.report(facts)?;
    // Standard output is the program's.
    write(&mut report, args, color, &mut io::stderr().lock())?;
    Ok(match status_of_program {
        Some(0) if blind && args.require_gpu => Status::Failed,
        Some(0) => judge.status(&report),
        Some(code) => Status::Program(u8::try_from(code).unwrap_or(u8::MAX)),
        None => Status::Program(u8::MAX),
    })
}

fn launcher(args: &ProbeArgs) -> Result<Launcher, CliError> {
    let environment = match (args.no_jit, args.force_jit) {
        (true, _) => vec![("CUDA_DISABLE_PTX_JIT", "1"), ("CUDA_CACHE_DISABLE", "1")],
        (_, true) => vec![("CUDA_FORCE_PTX_JIT", "1"), ("CUDA_CACHE_DISABLE", "1")],
        _ => Vec::new(),
    };
    Ok(Launcher {
        program: std::env::current_exe().map_err(CliError::Command)?,
        arguments: vec![WORKER.into()],
        environment,
        limit: Duration::from_secs(args.timeout.into()),
    })
}

/// What the children's environment makes of PTX.
fn jit(args: &ProbeArgs) -> Jit {
    let on = |name| std::env::var(name).is_ok_and(|value| value == "1");
    if args.no_jit || on("CUDA_DISABLE_PTX_JIT") {
        Jit::Disabled
    } else if args.force_jit || on("CUDA_FORCE_PTX_JIT") {
        Jit::Forced
    } else {
        Jit::Allowed
    }
}

fn artifacts(args: &ProbeArgs, unpack_to: Option<&Path>) -> Facts {
    if args.paths.is_empty() {
        return Facts::default();
    }
    let options = artifact::Options {
        places: true,
        unpack_to: unpack_to.map(Path::to_owned),
        ..artifact::Options::default()
    };
    Facts {
        artifacts: archs(&args.paths, &options, &Meter::default()),
        ..Facts::default()
    }
}

/// How findings are judged: as the configuration of the working directory and the arguments say.
struct Judge {
    config: Arc<Config>,
    selection: Selection,
    fail_on: FailOn,
}

impl Judge {
    fn new(args: &ProbeArgs) -> Result<Self, CliError> {
        let config = Configs::here(args.config.as_deref())?.of(Path::new(NAME))?;
        Ok(Self {
            selection: Selection::new(&args.select, &args.ignore, &config.settings.rules)?,
            fail_on: args.fail_on.or(config.fail_on).unwrap_or(FailOn::Warning),
            config,
        })
    }

    fn report(&self, mut facts: Facts) -> Result<Report, CliError> {
        let settings = &self.config.settings;
        let mut findings = settings.judge(&mut facts, true, Date::today())?;
        findings.retain(|finding| self.selection.takes(finding));
        Ok(Report::new(facts, findings))
    }

    /// What the findings of a report come to.
    fn status(&self, report: &Report) -> Status {
        match report.worst() {
            Some(worst) if self.fail_on.includes(worst) => Status::Findings,
            _ => Status::Clean,
        }
    }
}

fn write(
    report: &mut Report,
    args: &ProbeArgs,
    color: Color,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    args.output
        .write(report, color, out, |report, terminal, out| {
            blocks::write(&report.probes, out)?;
            blocks::write_programs(&report.programs, out)?;
            human::write(report, out, terminal, true)
        })
}
