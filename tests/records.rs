//! Every example of every builder record: the command yields this builder and no other, this `compiles`, this list.
use kimg_lint::builders::lists;
use kimg_lint::builders::record::{Answer, Example, FixedList, Record};
use kimg_lint::builders::records::{RECORDS, examples};
use kimg_lint::cuda::arch_list;
use kimg_lint::facts::{Build, Compiles};
use kimg_lint::lint::{Options, observe};
use kimg_lint::table::Text;

/// An image with nvcc and torch.
const BASE: &str = "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel";

fn builds(example: &Example) -> Vec<Build> {
    let mut text = format!("FROM {BASE}\n");
    for (name, value) in example.env.iter() {
        text += &format!("ENV {name}=\"{}\"\n", value.replace('"', "\\\""));
    }
    text += &format!("RUN {}\n", &*example.run);
    observe("Dockerfile", &text, &Options::default()).builds
}

fn fault(record: &Record, example: &Example) -> Option<String> {
    let wanted = example.builder.map_or(&*record.id, |b| b.0);
    let builds = builds(example);
    let ids: Vec<&str> = builds.iter().map(|b| b.builder.as_str()).collect();
    if wanted == "none" {
        return (!builds.is_empty()).then(|| format!("wants no builder, got {ids:?}"));
    }
    let compiles = match example.compiles {
        Answer::Yes => Compiles::Yes,
        Answer::Maybe => Compiles::Maybe,
        Answer::No => Compiles::No,
    };
    let Some(build) = builds.iter().find(|b| b.builder == wanted) else {
        return (compiles != Compiles::No || !builds.is_empty())
            .then(|| format!("wants {wanted}, got {ids:?}"));
    };
    if let Some(other) = builds
        .iter()
        .find(|b| b.builder != wanted && b.compiles != Compiles::No)
    {
        return Some(format!("wants {wanted} alone, got {} too", other.builder));
    }
    if build.compiles != compiles {
        return Some(format!(
            "wants {compiles:?}, got {:?} ({})",
            build.compiles, build.because
        ));
    }
    match example.list {
        Some(list) if !is_list(build, &list) => Some(format!(
            "wants the list {list}, got `{}` ({:?})",
            build.arch.text, build.diagnosis
        )),
        _ => None,
    }
}

/// The list as written, or a list that means the same images; for nvcc, the flags among the others of its line.
fn is_list(build: &Build, list: &str) -> bool {
    if build.arch.text == list || build.arch.text.contains(list) && build.builder == "nvcc" {
        return true;
    }
    let mut wanted: Vec<String> = list
        .split([';', ' ', ','])
        .filter_map(|t| arch_list::fixed(&t.replace('.', "")))
        .flatten()
        .map(|i| i.to_string())
        .collect();
    let mut got = build.arch.images.clone();
    // the name of a list that several packages share
    let named = FixedList::Plain([Text(list.to_owned().leak())].into_iter().collect());
    if wanted.is_empty() {
        wanted = lists::images(&named, Some(&build.toolkit.version))
            .iter()
            .map(ToString::to_string)
            .collect();
    }
    wanted.sort();
    got.sort();
    wanted == got
}

/// Commands that no front end reads yet: they build what another file says.
const WAITING: [&str; 2] = ["docker build", "conda build"];

#[test]
fn examples_of_records_hold() {
    let mut faults = Vec::new();
    let mut count = 0;
    for record in RECORDS {
        for example in examples(record)
            .iter()
            .filter(|e| !WAITING.iter().any(|w| e.run.contains(w)))
        {
            count += 1;
            if let Some(fault) = fault(record, example) {
                faults.push(format!("{}: `{}`: {fault}", record.id, &*example.run));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {count} examples fail:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
