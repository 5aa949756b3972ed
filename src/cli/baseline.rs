//! `--baseline`, `--write-baseline`: findings that are known.
use super::CliError;
use super::output::write_whole;
use crate::config::{Config, Configs};
use crate::facts::Finding;
use crate::relative::{relative, text as text_of};
use crate::rules::{Baseline, KnownFinding};
use clap::Args;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Findings that are known.
#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// A file of findings that are known: they are listed and not counted
    ///
    /// Replaces `baseline` of the configuration. Findings are known again where their lines have moved.
    #[arg(long, value_name = "FILE", help_heading = "Rules")]
    pub baseline: Option<PathBuf>,

    /// Write the findings that count to a file for --baseline, and take them as known
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "baseline",
        help_heading = "Rules"
    )]
    pub write_baseline: Option<PathBuf>,
}

/// The texts of files, by path.
type Texts = BTreeMap<String, String>;

impl BaselineArgs {
    /// Marks the findings about files of one configuration that are known; none where they are to be written. `speaks` says
    /// which rules could say something in this run.
    pub(super) fn apply(
        &self,
        findings: &mut [Finding],
        texts: &Texts,
        config: &Config,
        configs: &Configs,
        speaks: impl Fn(&str) -> bool,
    ) -> Result<(), CliError> {
        let own = config.baseline.as_ref().filter(|_| self.baseline.is_none());
        let (path, depth) = match (own, &self.baseline) {
            _ if self.write_baseline.is_some() => return Ok(()),
            (Some(own), _) => (own.path.clone(), Some(own.depth)),
            (None, Some(path)) => (configs.absolute(path), None),
            (None, None) => return Ok(()),
        };
        let shown = relative(&text_of(&path), configs.folder());
        let broken = |error: String| CliError::Unreadable(shown.clone(), error);
        let text = std::fs::read_to_string(&path).map_err(|error| broken(error.to_string()))?;
        let baseline = Baseline::read(&text).map_err(|error| broken(error.to_string()))?;
        // who runs the command may do what nearer configurations may not
        let may = |code: &str| depth.is_none_or(|depth| config.settings.may_suppress(code, depth));
        let name = names(&path, configs);
        let stale = baseline.apply(findings, texts, &name, may, &shown);
        let looked_at: Vec<String> = texts.keys().map(|path| name(path)).collect();
        let gone = |known: &&&KnownFinding| looked_at.contains(&known.path) && speaks(&known.code);
        let stale = stale.iter().filter(gone);
        Ok(tell(&shown, stale)?)
    }

    /// Writes the findings that count where they are to be written, and marks them; whether they are to be.
    pub(super) fn write(
        &self,
        findings: &mut [Finding],
        texts: &Texts,
        configs: &Configs,
    ) -> Result<bool, CliError> {
        let Some(path) = &self.write_baseline else {
            return Ok(false);
        };
        let shown = path.display().to_string();
        let absolute = configs.absolute(path);
        let name = names(&absolute, configs);
        let baseline = Baseline::new(findings, texts, &name);
        let written = write_whole(path, |out| {
            serde_json::to_writer_pretty(&mut *out, &baseline)?;
            writeln!(out)
        });
        written.map_err(|error| CliError::Unwritable(shown.clone(), error))?;
        baseline.apply(findings, texts, &name, |_| true, &shown);
        Ok(true)
    }
}

/// What a baseline calls files: seen from its folder, so that it holds wherever the command runs.
fn names<'c>(baseline: &Path, configs: &'c Configs) -> impl Fn(&str) -> String + 'c {
    let folder = baseline.parent().unwrap_or(baseline).to_owned();
    move |path| {
        let absolute = configs.absolute(Path::new(path));
        relative(&text_of(&absolute), &folder)
    }
}

/// Says which entries are about findings that are gone.
fn tell<'k>(baseline: &str, stale: impl Iterator<Item = &'k &'k KnownFinding>) -> io::Result<()> {
    let mut err = io::stderr().lock();
    for KnownFinding { code, path, .. } in stale {
        writeln!(
            err,
            "kimg-lint: {baseline}: {code} in {path} is gone, so its entry can go, too"
        )?;
    }
    Ok(())
}
