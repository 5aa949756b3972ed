//! Builds and files by GPUs, for formats that draw a table of cells.
use super::matrix::{self, Group, Row};
use super::plain::plain;
use super::verdict::word;
use crate::facts::{Artifact, Build, Compiles, Verdict};
use serde::Serialize;

/// A table: what was built by the GPUs that it has to run on.
#[derive(Debug, Serialize)]
pub(super) struct Grid {
    /// `builds` or `files`.
    pub(super) title: &'static str,
    /// Names and capabilities.
    pub(super) gpus: Vec<(String, String)>,
    pub(super) rows: Vec<GridRow>,
}

/// What one thing means for each GPU.
#[derive(Debug, Serialize)]
pub(super) struct GridRow {
    pub(super) title: String,
    pub(super) cells: Vec<Cell>,
}

/// What one thing means for one GPU.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    /// The verdict's word, or a dash.
    pub(super) verdict: &'static str,
    /// Why, or how much of it.
    pub(super) detail: String,
}

/// The tables that have rows.
pub(super) fn grids(builds: &[Build], artifacts: &[Artifact]) -> Vec<Grid> {
    let grids = [of_builds(builds), of_artifacts(artifacts)];
    let drawn = |grid: &Grid| !grid.rows.is_empty() && !grid.gpus.is_empty();
    grids.into_iter().filter(drawn).collect()
}

/// The GPUs, each once, in the order in which they are met.
fn gpus<'f>(all: impl Iterator<Item = (&'f str, &'f str)>) -> Vec<(String, String)> {
    let mut gpus: Vec<(String, String)> = Vec::new();
    for (name, capability) in all {
        if !gpus.iter().any(|(known, _)| known == name) {
            gpus.push((name.to_owned(), capability.to_owned()));
        }
    }
    gpus
}

fn of_builds(builds: &[Build]) -> Grid {
    let builds = || builds.iter().filter(|b| b.compiles != Compiles::No);
    let coverage = builds().flat_map(|build| &build.coverage);
    let gpus = gpus(coverage.map(|gpu| (&*gpu.gpu, &*gpu.capability)));
    let row = |build: &Build| {
        let title = format!("{}:{} {}", build.path, build.span.line, build.builder);
        let cells = gpus.iter().map(|(name, _)| {
            let found = build.coverage.iter().find(|gpu| gpu.gpu == *name);
            Cell {
                verdict: word(found.map(|gpu| gpu.verdict)),
                detail: found.map(|gpu| gpu.by.clone()).unwrap_or_default(),
            }
        });
        GridRow {
            title: plain(&title).into_owned(),
            cells: cells.collect(),
        }
    };
    Grid {
        title: "builds",
        rows: builds().map(row).collect(),
        gpus,
    }
}

fn of_artifacts(artifacts: &[Artifact]) -> Grid {
    let coverage = artifacts.iter().flat_map(|artifact| &artifact.coverage);
    let gpus = gpus(coverage.map(|gpu| (&*gpu.gpu, &*gpu.capability)));
    let row = |group: &Group, row: &Row| {
        let package = match group.title.as_str() {
            "" => String::new(),
            package => format!("{package}: "),
        };
        let title = format!("{package}{}", row.title(usize::MAX));
        let cells = row.verdicts.iter().map(|found| Cell {
            verdict: word(found.map(|gpu| gpu.verdict)),
            detail: match found {
                Some(gpu) if gpu.verdict == Verdict::Partial => {
                    format!("{} of {} missing", gpu.missing, gpu.of - gpu.dispatch)
                }
                Some(gpu) => gpu.by.clone(),
                None => String::new(),
            },
        });
        GridRow {
            title: plain(&title).into_owned(),
            cells: cells.collect(),
        }
    };
    Grid {
        title: "files",
        rows: matrix::groups(artifacts, &gpus)
            .iter()
            .flat_map(|group| group.rows.iter().map(|each| row(group, each)))
            .collect(),
        gpus,
    }
}
