//! The architectures that built files should have: a list that the user gives, or that of the build which a Dockerfile describes.
use super::input::Input;
use super::{CliError, list};
use crate::artifact::verdict;
use crate::config::Configs;
use crate::cuda::Image;
use crate::facts::{Artifact, Build, Compiles, Declared, DeclaredBy};
use crate::lint::{Options, observe};
use crate::walk::walked::Given;
use std::path::{Path, PathBuf};

/// A declared list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    images: Vec<Image>,
    /// The build that it is of: its place, and the builder that it is known as.
    build: Option<(DeclaredBy, String)>,
}

/// Reads a list in the syntax of torch, CMake or nvcc.
pub(super) fn list(text: &str) -> Result<Expected, String> {
    Ok(Expected {
        images: list::images(text)?,
        build: None,
    })
}

/// The lists of the builds in `Dockerfile` or `Dockerfile:STAGE`, as they reach the compilers.
pub(super) fn of_builds(
    place: &str,
    build_args: &[(String, String)],
    configs: &mut Configs,
) -> Result<Vec<Expected>, CliError> {
    let (path, stage) = match place.rsplit_once(':') {
        Some((path, stage)) if !Path::new(place).exists() => (path, Some(stage)),
        _ => (place, None),
    };
    let given = Given {
        build_args: build_args.iter().cloned().collect(),
        ..Given::default()
    };
    let input = Input::File(PathBuf::from(path));
    let text = input
        .read()
        .map_err(|error| CliError::Unreadable(input.path(), error.to_string()))?;
    let config = configs.of(input.file())?;
    let tree = configs.tree(input.file())?;
    let options = Options::new(&given, &config, Vec::new(), tree);
    let builds = observe(&input.path(), &text, &options).builds;
    let wanted = builds.iter().filter(|build| {
        build.compiles != Compiles::No && stage.is_none_or(|stage| is_in(build, stage))
    });
    let mut lists: Vec<Expected> = Vec::new();
    for build in wanted {
        let list = of_build(build).map_err(|why| {
            CliError::Undeclared(format!("{}:{}: {why}", build.path, build.span.line))
        })?;
        if !lists.contains(&list) {
            lists.push(list);
        }
    }
    if lists.is_empty() {
        let why = "no build of device code is in it".to_owned();
        return Err(CliError::Undeclared(format!("{place}: {why}")));
    }
    Ok(lists)
}

fn is_in(build: &Build, stage: &str) -> bool {
    build.scope.eq_ignore_ascii_case(stage)
}

/// The list of one build; why it has none that one could hold a file against.
fn of_build(build: &Build) -> Result<Expected, String> {
    let arch = &build.arch;
    let undecided = build.worlds.len() > 1 || !arch.alternatives.is_empty();
    if arch.images.is_empty() || undecided {
        return Err(format!(
            "the list of {} is not known: {}",
            build.title, build.outcome_text
        ));
    }
    let list = list(&arch.images.join(" "))?;
    let set_at = arch.set_at.as_ref();
    let place = set_at.and_then(|at| Some((at.path.clone(), at.span?)));
    let (path, span) = place.unwrap_or((build.path.clone(), build.span));
    let text = match arch.text.as_str() {
        "" => arch.images.join(" "),
        text => text.to_owned(),
    };
    let by = DeclaredBy { path, span, text };
    Ok(Expected {
        build: Some((by, build.builder.clone())),
        ..list
    })
}

/// Compares artifacts with the list that was declared for them.
///
/// # Errors
/// There are several lists, and nothing says which one a file was built with.
pub(super) fn compare(artifacts: &mut [Artifact], lists: &[Expected]) -> Result<(), CliError> {
    for artifact in artifacts {
        let Some(list) = fitting(artifact, lists)? else {
            continue;
        };
        artifact.declared = verdict::compare(artifact, &list.images).map(|declared| Declared {
            by: list.build.as_ref().map(|(by, _)| by.clone()),
            ..declared
        });
    }
    Ok(())
}

/// The list of the build of the artifact's package, or the only one.
fn fitting<'l>(
    artifact: &Artifact,
    lists: &'l [Expected],
) -> Result<Option<&'l Expected>, CliError> {
    let same = |a: &str, b: &str| {
        a.replace(['_', '.'], "-")
            .eq_ignore_ascii_case(&b.replace(['_', '.'], "-"))
    };
    let named = artifact.package.as_ref().and_then(|package| {
        lists.iter().find(|list| {
            let build = list.build.as_ref();
            build.is_some_and(|(_, builder)| same(builder, &package.name))
        })
    });
    let (Some(first), None) = (lists.first(), named) else {
        return Ok(named);
    };
    if artifact.images.is_empty() || lists.iter().all(|list| list.images == first.images) {
        return Ok(Some(first));
    }
    let lines: Vec<String> = lists
        .iter()
        .filter_map(|list| list.build.as_ref())
        .map(|(by, builder)| format!("`{}` for {builder} in line {}", by.text, by.span.line))
        .collect();
    Err(CliError::Undeclared(format!(
        "{}: the builds have several lists ({}); name the stage, or give --expect",
        match artifact.member.as_str() {
            "" => &artifact.path,
            member => member,
        },
        lines.join(", ")
    )))
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
            let found = list(text).unwrap().images;
            let words: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert_eq!(words.join(" "), images, "{text}");
        }
        for bad in ["", "8,0", "native", "8.0;x"] {
            assert!(list(bad).is_err(), "{bad}");
        }
    }
}
