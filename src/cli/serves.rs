//! `kimg-lint verify --label` and `--affinity`: which GPUs built files serve.
use super::archs::complain;
use super::{CliError, Status, progress};
use crate::artifact::serves::serves;
use crate::artifact::{Meter, Options, archs};
use crate::cuda::Capability;
use crate::knowledge::GPUS;
use crate::report::serves as writer;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

/// Prints the affinity of a pod, or else labels.
pub(super) fn run(
    paths: &[PathBuf],
    options: &Options,
    affinity: bool,
    out: &mut dyn Write,
) -> Result<Status, CliError> {
    let meter = Meter::default();
    let artifacts = progress::watch(&meter, || archs(paths, options, &meter));
    // What could not be read may be what leaves a GPU out.
    if artifacts.iter().any(|artifact| !artifact.errors.is_empty()) {
        complain(&artifacts)?;
        return Ok(Status::Failed);
    }
    let known: BTreeSet<Capability> = GPUS.iter().map(|gpu| gpu.capability).collect();
    let known: Vec<Capability> = known.into_iter().collect();
    let serves = serves(&artifacts, &known).ok_or(CliError::NoDeviceCode)?;
    if affinity {
        writer::affinity(&serves, out)?;
    } else {
        writer::label(&serves, out)?;
    }
    Ok(Status::Clean)
}
