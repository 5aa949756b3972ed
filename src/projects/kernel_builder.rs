//! A project of kernel-builder as a builder record: which of the capabilities in its `build.toml` the builder compiles for.
//!
//! The builder has a list of its own for each CUDA, and compiles a kernel once with every CUDA that it supports. What a kernel
//! names and none of the lists takes is left out without a word (`cuda_archs_loose_intersection` in its `utils.cmake`, the
//! lists in `preamble.cmake`; huggingface/kernels, 8ac69fc).
use super::draft::Draft;
use super::guard::{Guard, text};
use super::python::{join, parent_of};
use crate::actions::Named;
use crate::builders::local::Local;
use crate::builders::record::{Addition, Place, Take, UnknownValue};
use crate::cuda::{Image, Target, Version};
use crate::text::kernel_toml::{self, Kernel, Project};
use crate::value::{Site, Value};
use crate::walk::files::Files;

/// What the builder compiles for with a range of CUDA: from, up to, and its list, the last of which gets PTX.
const LISTS: [(&str, &str, &[&str]); 3] = [
    (
        "0",
        "12.8",
        &["7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0"],
    ),
    (
        "12.8",
        "13",
        &[
            "7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "10.1", "12.0",
        ],
    ),
    (
        "13",
        "99",
        &[
            "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "11.0", "12.0", "12.1",
        ],
    ),
];

/// Reads the project in a folder of the build context.
pub fn read(dir: &str, files: &Files<'_>) -> Option<Local> {
    let file = files.open(&join(dir, "build.toml")).ok()?;
    let project = kernel_toml::read(files.text(file))?;
    let shown = files.path(Site {
        file,
        ..Site::default()
    });
    let draft = draft(&project);
    Some(Local {
        record: Some(draft.record(parent_of("kernel-builder")?, Some(&project.name), shown)),
        defines: capabilities(&project, file).into_iter().collect(),
        ..Local::default()
    })
}

fn draft(project: &Project) -> Draft {
    if project.kernels.is_empty() {
        return super::python::nothing("its build.toml has no kernel for CUDA");
    }
    let mut draft = Draft::default();
    let own: Vec<Image> = lists(project, None).flat_map(of_builder).collect();
    let knob = draft.knob(NAME, Place::Define, "dotted(;)", Take::List);
    knob.unknown = UnknownValue::Dropped;
    let taken = project
        .kernels
        .iter()
        .flat_map(|kernel| taken(project, kernel));
    let taken = taken.chain(own.iter().map(|image| image.target));
    knob.known = taken.map(|target| text(&target.undotted())).collect();
    // a kernel without a list is compiled for all that the builder knows
    if project
        .kernels
        .iter()
        .any(|kernel| kernel.capabilities.is_none())
    {
        let list = super::seen::entries(&own);
        knob.adds = Some(Addition {
            when: None,
            list: list.iter().map(|entry| text(entry)).collect(),
        });
    }
    draft.ignores(&[
        "TORCH_CUDA_ARCH_LIST",
        "CMAKE_CUDA_ARCHITECTURES",
        "CUDAARCHS",
    ]);
    draft.list();
    draft.fixed(
        &Guard::Always,
        Some(&own),
        "all that kernel-builder supports",
    );
    draft
}

/// The key of `build.toml`.
const NAME: &str = "cuda-capabilities";

/// The capabilities of all kernels, each once.
fn capabilities(project: &Project, file: u16) -> Option<Named> {
    let named = project
        .kernels
        .iter()
        .filter_map(|kernel| kernel.capabilities.as_ref());
    let mut seen: Vec<&str> = Vec::new();
    let mut value = Value::default();
    for (text, span) in named.flatten() {
        if seen.contains(&text.as_str()) {
            continue;
        }
        if !seen.is_empty() {
            value.push_literal(";", None);
        }
        seen.push(text);
        value.push_literal(text, Some(Site { file, span: *span }));
    }
    let name = NAME.to_owned();
    (!seen.is_empty()).then_some(Named { name, value })
}

/// The builder's lists that count for a project, or for a kernel that is older CUDA's only from `minver` on.
fn lists<'p>(
    project: &'p Project,
    minver: Option<&'p str>,
) -> impl Iterator<Item = &'static [&'static str]> + 'p {
    let (min, max) = &project.cuda;
    let version = |text: &str| text.parse::<Version>().ok();
    let (min, max) = (min.as_deref(), max.as_deref());
    LISTS.iter().filter_map(move |(from, to, list)| {
        let is_new_enough = |min: &str| version(min) < version(to);
        let is_old_enough = |max: &str| version(max) >= version(from);
        let counts =
            [min, minver].into_iter().flatten().all(is_new_enough) && max.is_none_or(is_old_enough);
        counts.then_some(*list)
    })
}

/// The images of one of the builder's lists.
fn of_builder(list: &'static [&'static str]) -> Vec<Image> {
    let targets: Vec<Target> = list
        .iter()
        .filter_map(|text| Target::from_dotted(text))
        .collect();
    let ptx = targets.last().copied().map(Image::ptx);
    targets.into_iter().map(Image::sass).chain(ptx).collect()
}

/// The targets that a kernel names and that some list takes.
fn taken(project: &Project, kernel: &Kernel) -> Vec<Target> {
    let own: Vec<&str> = kernel
        .capabilities
        .iter()
        .flatten()
        .map(|(text, _)| text.as_str())
        .collect();
    let minver = kernel.minver.as_deref();
    let mut taken: Vec<Target> = lists(project, minver)
        .flat_map(|list| intersection(&own, list))
        .collect();
    taken.sort();
    taken.dedup();
    taken
}

/// For each target of the builder the highest of the kernel's own that it runs: of its generation, or with PTX. A target with a
/// suffix is taken where the builder has it without, and takes its place.
fn intersection(own: &[&str], builder: &[&str]) -> Vec<Target> {
    let bare = |text: &str| text.strip_suffix("+PTX").unwrap_or(text).to_owned();
    let is_suffixed = |text: &str| text.ends_with(['a', 'f']);
    let (suffixed, plain): (Vec<&str>, Vec<&str>) =
        own.iter().partition(|text| is_suffixed(&bare(text)));
    let mut taken: Vec<Target> = Vec::new();
    let mut left: Vec<Target> = builder
        .iter()
        .filter_map(|text| Target::from_dotted(text))
        .collect();
    for target in suffixed
        .iter()
        .filter_map(|text| Target::from_dotted(&bare(text)))
    {
        let plain = Target::plain(target.capability);
        if builder
            .iter()
            .filter_map(|text| Target::from_dotted(text))
            .any(|other| other == plain)
        {
            left.retain(|other| *other != plain);
            taken.push(target);
        }
    }
    let mut plain: Vec<(Target, bool)> = plain
        .iter()
        .filter_map(|text| Some((Target::from_dotted(&bare(text))?, text.ends_with("+PTX"))))
        .collect();
    plain.sort();
    for wanted in left {
        let runs = |(target, ptx): &&(Target, bool)| {
            target.capability <= wanted.capability
                && (*ptx || target.capability.major == wanted.capability.major)
        };
        taken.extend(plain.iter().rev().find(runs).map(|(target, _)| *target));
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_builder_takes_of_a_list() {
        for (own, minver, expected) in [
            ("10.0a 10.3a", None, "100a"),
            ("8.0 9.0", None, "80 90"),
            // the builder's 8.9 runs the one, and nothing of its runs the other
            ("8.8 10.3", None, "88"),
            ("12.1", None, "121"),
            ("12.1", Some("99"), ""),
            ("9.0 9.0a", None, "90a"),
            // PTX is for newer generations, too
            ("10.3+PTX", None, "103"),
            ("7.0", None, "70"),
            ("7.0", Some("13.0"), "70"),
            ("99999.0 x", None, ""),
        ] {
            let kernel = Kernel {
                capabilities: Some(
                    own.split(' ')
                        .map(|text| (text.to_owned(), crate::span::Span::default()))
                        .collect(),
                ),
                minver: minver.map(str::to_owned),
            };
            let taken = taken(&Project::default(), &kernel);
            let taken: Vec<String> = taken.iter().map(|target| target.undotted()).collect();
            assert_eq!(taken.join(" "), expected, "{own} {minver:?}");
        }
    }
}
