//! `kimg-lint verify`: built files against the GPUs that they have to run on.
use super::archs::Limits;
use super::args::pair;
use super::expect::{self, Expected};
use super::output::OutputArgs;
use super::{CliError, Color, Status, progress, python, serves};
use crate::artifact::{Meter, Options, archs, promise, verdict};
use crate::config::{Config, Configs, FailOn, once};
use crate::cuda::{Device, DriverBranch};
use crate::date::Date;
use crate::facts::{Artifact, Facts};
use crate::fleet;
use crate::report::{Report, Terminal, concise, kernels, matrix};
use crate::rules::{Rule, Selection, by_place};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// What is verified, and against what.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Files, wheels, folders, images, OCI layouts; `-` is standard input
    #[arg(required_unless_present = "installed", value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The packages of a Python installation, of `python3` if none is named
    ///
    /// PYTHON is started once, and asked where its packages lie.
    #[arg(
        long,
        value_name = "PYTHON",
        num_args = 0..=1,
        default_missing_value = "python3"
    )]
    installed: Option<PathBuf>,

    /// The GPUs that the files have to run on, separated by commas: A100,8.9,aws:g6.xlarge
    ///
    /// Replaces the fleets of the configuration.
    #[arg(long, value_name = "GPUS", value_delimiter = ',')]
    fleet: Vec<String>,

    /// The driver of all of them: 550
    #[arg(long, value_name = "BRANCH")]
    driver: Option<DriverBranch>,

    /// The architectures that every file with device code has to have, and no others
    ///
    /// As torch, CMake or nvcc take them: "8.0;9.0+PTX", "80;90a", "sm_80 compute_90", "-gencode arch=compute_80,code=sm_80".
    #[arg(long, value_name = "LIST", value_parser = expect::list)]
    expect: Option<Expected>,

    /// The same, as the build in a Dockerfile has it, or only that of one stage: Dockerfile:build
    ///
    /// What kimg-lint finds to reach the compiler there. A file of a Python package is compared with the build of that package.
    #[arg(long, value_name = "PATH[:STAGE]", conflicts_with = "expect")]
    expect_from: Option<String>,

    /// The value of a build argument of that Dockerfile; may be given several times
    #[arg(long = "build-arg", value_name = "NAME=VALUE", value_parser = pair, requires = "expect_from")]
    build_args: Vec<(String, String)>,

    /// Name the kernels that have no image for a GPU, where others of the same file have one
    ///
    /// Device code is decompressed for that, which takes longer.
    #[arg(long)]
    kernels: bool,

    /// Print lines for a Dockerfile that say which GPUs the files serve: labels, and NVIDIA_REQUIRE_CUDA
    #[arg(long, conflicts_with_all = ["format", "output", "affinity", "kernels", "expect", "expect_from"])]
    label: bool,

    /// Print a Kubernetes node affinity for the GPUs that the files serve
    ///
    /// By the labels of NVIDIA's GPU feature discovery.
    #[arg(long, conflicts_with_all = ["format", "output", "kernels", "expect", "expect_from"])]
    affinity: bool,

    #[command(flatten)]
    output: OutputArgs,

    /// The least severity that makes the exit status 1: error, warning, info, never
    ///
    /// warning, unless the configuration says otherwise.
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

    #[command(flatten)]
    limits: Limits,
}

/// Runs the command.
pub(super) fn run(
    args: &VerifyArgs,
    color: Color,
    out: &mut dyn Write,
) -> Result<Status, CliError> {
    args.output.check()?;
    let given = devices(args)?;
    let mut configs = Configs::here(args.config.as_deref())?;
    let mut paths = args.paths.clone();
    if let Some(python) = &args.installed {
        paths.extend(python::site_packages(python)?);
    }
    if args.label || args.affinity {
        return serves::run(&paths, &args.limits.options(), args.affinity, out);
    }
    let lists = match &args.expect_from {
        Some(place) => expect::of_builds(place, &args.build_args, &mut configs)?,
        None => args.expect.iter().cloned().collect(),
    };
    for path in &paths {
        let fleet = configs.of(path)?.fleet(&configs.absolute(path));
        if given.is_empty() && fleet.is_empty() && lists.is_empty() {
            return Err(CliError::NothingToVerifyFor);
        }
    }
    let mut groups: Vec<(Arc<Config>, Vec<Artifact>)> = Vec::new();
    let mut gpus = given.clone();
    for mut artifact in learn(args, &paths, &lists)? {
        let path = PathBuf::from(&artifact.path);
        let config = configs.of(&path)?;
        let fleet = if given.is_empty() {
            with_driver(config.fleet(&configs.absolute(&path)), args)
        } else {
            given.clone()
        };
        verdict::judge(&mut artifact, &fleet);
        gpus.extend(fleet);
        match groups
            .iter_mut()
            .find(|(known, _)| Arc::ptr_eq(known, &config))
        {
            Some((_, artifacts)) => artifacts.push(artifact),
            None => groups.push((config, vec![artifact])),
        }
    }
    let (mut report, failed) = judge(args, groups)?;
    let gpus = once(gpus.into_iter());
    args.output
        .write(&mut report, color, out, |report, terminal, out| {
            write(report, &gpus, terminal, out)
        })?;
    // What could not be read is never a pass.
    Ok(if report.artifacts.iter().any(|a| !a.errors.is_empty()) {
        Status::Failed
    } else if failed {
        Status::Findings
    } else {
        Status::Clean
    })
}

/// The report, and whether a finding in it is as bad as the threshold.
fn judge(
    args: &VerifyArgs,
    groups: Vec<(Arc<Config>, Vec<Artifact>)>,
) -> Result<(Report, bool), CliError> {
    let mut rules: Vec<&'static Rule> = Vec::new();
    for rule in groups.iter().flat_map(|(config, _)| &config.settings.rules) {
        if !rules.iter().any(|known| std::ptr::eq(*known, *rule)) {
            rules.push(rule);
        }
    }
    let selection = Selection::new(&args.select, &args.ignore, &rules)?;
    let (mut all, mut findings, mut failed) = (Facts::default(), Vec::new(), false);
    for (config, artifacts) in groups {
        let mut facts = Facts {
            artifacts,
            ..Facts::default()
        };
        let mut found = config.settings.judge(&mut facts, true, Date::today())?;
        found.retain(|finding| selection.takes(finding));
        let fail_on = args.fail_on.or(config.fail_on).unwrap_or(FailOn::Warning);
        let mut counted = found.iter().filter(|f| f.suppressed.is_none());
        failed |= counted.any(|finding| fail_on.includes(finding.severity));
        config.quote(&mut facts);
        all.append(facts);
        findings.append(&mut found);
    }
    by_place(&mut findings);
    let mut report = Report::new(all, findings);
    report.rules = rules;
    Ok((report, failed))
}

/// The GPUs that the arguments name.
fn devices(args: &VerifyArgs) -> Result<Vec<Device>, CliError> {
    let devices: Result<Vec<_>, _> = args.fleet.iter().map(|name| fleet::resolve(name)).collect();
    Ok(with_driver(once(devices?.into_iter()), args))
}

fn with_driver(devices: Vec<Device>, args: &VerifyArgs) -> Vec<Device> {
    let devices = devices.into_iter().map(|device| Device {
        driver: args.driver.or(device.driver),
        ..device
    });
    devices.collect()
}

/// Reads the files, and compares them with what was declared and what their names promise.
fn learn(
    args: &VerifyArgs,
    paths: &[PathBuf],
    lists: &[Expected],
) -> Result<Vec<Artifact>, CliError> {
    let meter = Meter::default();
    let options = Options {
        kernels: args.kernels,
        ..args.limits.options()
    };
    let mut artifacts = progress::watch(&meter, || archs(paths, &options, &meter));
    expect::compare(&mut artifacts, lists)?;
    promise::compare(&mut artifacts, !lists.is_empty());
    Ok(artifacts)
}

/// The table, and below it the findings.
fn write(
    report: &Report,
    devices: &[Device],
    terminal: Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let gpus: Vec<(String, String)> = devices
        .iter()
        .map(|device| (device.name.clone(), device.capability.to_string()))
        .collect();
    matrix::write(&report.artifacts, &gpus, terminal, out)?;
    kernels::write(&report.artifacts, terminal, out)?;
    if report.counted().next().is_some() {
        writeln!(out)?;
        concise::write(report, out)?;
    }
    Ok(())
}
