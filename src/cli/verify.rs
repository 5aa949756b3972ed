//! `kimg-lint verify`: built files against the GPUs that they have to run on.
use super::archs::Limits;
use super::output::OutputArgs;
use super::{CliError, Color, Status, progress};
use crate::artifact::{Meter, archs, promise, verdict};
use crate::config::{Config, Configs, FailOn, once};
use crate::cuda::arch_list::{Consumer, Syntax, parse};
use crate::cuda::{Device, DriverBranch, Image};
use crate::date::Date;
use crate::facts::{Artifact, Facts};
use crate::fleet;
use crate::report::{Report, Terminal, concise, matrix};
use crate::rules::{Rule, Selection, by_place};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// What is verified, and against what.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Files, wheels, folders, images, OCI layouts; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

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
    #[arg(long, value_name = "LIST", value_parser = expected)]
    expect: Option<Expected>,

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

/// A declared list.
#[derive(Clone, Debug)]
struct Expected(Vec<Image>);

fn expected(text: &str) -> Result<Expected, String> {
    let syntax = if text.contains("arch=") || text.trim_start().starts_with('-') {
        Syntax::Flags
    } else if text.contains("sm_") || text.contains("compute_") {
        Syntax::Names
    } else if text.contains('.') {
        Syntax::Torch
    } else {
        Syntax::Cmake
    };
    let parsed = parse(syntax, text, &Consumer::default());
    if let Some(fault) = parsed.faults.first() {
        return Err(format!("`{}`: {}", fault.token.text, fault.reason));
    }
    if let Some((_, token)) = parsed.specials.first() {
        return Err(format!(
            "`{}` names no architectures of its own",
            token.text
        ));
    }
    if parsed.images.is_empty() {
        return Err("no architecture is in it".to_owned());
    }
    Ok(Expected(parsed.images))
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
    for path in &args.paths {
        let fleet = configs.of(path)?.fleet(&configs.absolute(path));
        if given.is_empty() && fleet.is_empty() && args.expect.is_none() {
            return Err(CliError::NothingToVerifyFor);
        }
    }
    let mut groups: Vec<(Arc<Config>, Vec<Artifact>)> = Vec::new();
    let mut gpus = given.clone();
    for mut artifact in learn(args) {
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
fn learn(args: &VerifyArgs) -> Vec<Artifact> {
    let meter = Meter::default();
    let options = args.limits.options();
    let mut artifacts = progress::watch(&meter, || archs(&args.paths, &options, &meter));
    if let Some(Expected(images)) = &args.expect {
        for artifact in &mut artifacts {
            artifact.declared = verdict::compare(artifact, images);
        }
    }
    promise::compare(&mut artifacts);
    artifacts
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
    if report.counted().next().is_some() {
        writeln!(out)?;
        concise::write(report, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_they_are_written() {
        for (text, images) in [
            ("8.0;9.0+PTX", "sm_80 sm_90 compute_90"),
            ("80-real;90a-real", "sm_80 sm_90a"),
            ("sm_80 compute_90", "sm_80 compute_90"),
            ("-gencode arch=compute_80,code=sm_80", "sm_80"),
        ] {
            let found = expected(text).unwrap().0;
            let words: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert_eq!(words.join(" "), images, "{text}");
        }
        for bad in ["", "8,0", "native", "8.0;x"] {
            assert!(expected(bad).is_err(), "{bad}");
        }
    }
}
