//! `kimg-lint verify`: built files against the GPUs that they have to run on.
use super::archs::Limits;
use super::{CliError, Color, Status, progress, terminal};
use crate::artifact::{Meter, archs, promise, verdict};
use crate::config::FailOn;
use crate::cuda::arch_list::{Consumer, Syntax, parse};
use crate::cuda::{Device, DriverBranch, Image};
use crate::facts::{Artifact, Facts};
use crate::fleet;
use crate::report::matrix::{self, Style};
use crate::report::{Report, concise, json};
use crate::rules::{Policy, RuleSet, Selection, builtin};
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::PathBuf;

/// What is verified, and against what.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Files, wheels, folders, images, OCI layouts; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The GPUs that the files have to run on, separated by commas: A100,8.9,aws:g6.xlarge
    #[arg(
        long,
        value_name = "GPUS",
        value_delimiter = ',',
        required_unless_present = "expect"
    )]
    fleet: Vec<String>,

    /// The driver of all of them: 550
    #[arg(long, value_name = "BRANCH")]
    driver: Option<DriverBranch>,

    /// The architectures that every file with device code has to have, and no others
    ///
    /// As torch, CMake or nvcc take them: "8.0;9.0+PTX", "80;90a", "sm_80 compute_90", "-gencode arch=compute_80,code=sm_80".
    #[arg(long, value_name = "LIST", value_parser = expected)]
    expect: Option<Expected>,

    /// How the result is printed: table, markdown, concise, json
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "table",
        hide_possible_values = true
    )]
    format: Format,

    /// The least severity that makes the exit status 1: error, warning, info, never
    #[arg(
        long,
        value_name = "SEVERITY",
        default_value = "warning",
        hide_possible_values = true
    )]
    fail_on: FailOn,

    /// Only these rules
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    select: Vec<String>,

    /// Not these rules; wins over --select
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    ignore: Vec<String>,

    #[command(flatten)]
    limits: Limits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Files by GPUs, then the findings.
    Table,
    /// The same as Markdown.
    Markdown,
    /// One line for each finding.
    Concise,
    /// One object.
    Json,
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
    let rules: Vec<_> = builtin().iter().collect();
    let selection = Selection::new(&args.select, &args.ignore, &rules)?;
    let devices = devices(args)?;
    let artifacts = learn(args, &devices);
    let failed = artifacts.iter().any(|a| !a.errors.is_empty());
    let facts = Facts {
        artifacts,
        ..Facts::default()
    };
    let mut findings = RuleSet::new(rules).judge(&facts, Policy::default())?;
    findings.retain(|finding| selection.takes(finding));
    let report = Report::new(facts, findings);
    write(&report, &devices, args.format, color, out)?;
    let worst = report.worst();
    // What could not be read is never a pass.
    Ok(if failed {
        Status::Failed
    } else if worst.is_some_and(|worst| args.fail_on.includes(worst)) {
        Status::Findings
    } else {
        Status::Clean
    })
}

fn devices(args: &VerifyArgs) -> Result<Vec<Device>, CliError> {
    let mut devices = Vec::new();
    for name in &args.fleet {
        let device = fleet::resolve(name)?;
        let driver = args.driver.or(device.driver);
        devices.push(Device { driver, ..device });
    }
    Ok(devices)
}

fn learn(args: &VerifyArgs, devices: &[Device]) -> Vec<Artifact> {
    let meter = Meter::default();
    let options = args.limits.options();
    let mut artifacts = progress::watch(&meter, || archs(&args.paths, &options, &meter));
    for artifact in &mut artifacts {
        verdict::judge(artifact, devices);
        if let Some(Expected(images)) = &args.expect {
            artifact.declared = verdict::compare(artifact, images);
        }
    }
    promise::compare(&mut artifacts);
    artifacts
}

fn write(
    report: &Report,
    devices: &[Device],
    format: Format,
    color: Color,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let gpus: Vec<(String, String)> = devices
        .iter()
        .map(|device| (device.name.clone(), device.capability.to_string()))
        .collect();
    let style = match format {
        Format::Json => return Ok(json::write(report, out)?),
        Format::Concise => return Ok(concise::write(report, out)?),
        Format::Markdown => Style::Markdown,
        Format::Table => Style::Plain,
    };
    matrix::write(
        &report.artifacts,
        &gpus,
        style,
        terminal::detect(color),
        out,
    )?;
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
