//! From what the readers found to the fact that is reported.
use super::context::Options;
use super::listing::{Container, Listing};
use crate::cuda::{Image, ImageKind};
use crate::facts::{
    Artifact, ArtifactKind, ArtifactProblem, ContainerAt, ImageCount, ImageSet, Listed,
};
use std::collections::BTreeMap;

/// An artifact of a kind, without anything found in it yet.
pub(super) fn bare(kind: ArtifactKind, size: u64) -> Artifact {
    Artifact {
        path: String::new(),
        member: String::new(),
        layer: String::new(),
        package: None,
        kind,
        vendor: String::new(),
        host: String::new(),
        size,
        images: Vec::new(),
        containers: 0,
        outside_sections: Vec::new(),
        coverage: Vec::new(),
        verdicts: Vec::new(),
        specific: false,
        all_native: false,
        declared: None,
        host_promised: String::new(),
        device_code_promised: String::new(),
        requires: Vec::new(),
        shut_out: Vec::new(),
        errors: Vec::new(),
        notes: Vec::new(),
        sets: Vec::new(),
        outside: Vec::new(),
        listing: Vec::new(),
        record: None,
        states: String::new(),
        places: Vec::new(),
        unpacked: None,
    }
}

/// An artifact that could not be read at all.
pub(super) fn unreadable(kind: ArtifactKind, size: u64, problem: ArtifactProblem) -> Artifact {
    Artifact {
        errors: vec![problem],
        ..bare(kind, size)
    }
}

/// Whether there is nothing to say of an artifact that is only a member of something.
pub(super) fn is_silent(artifact: &Artifact) -> bool {
    let tells =
        artifact.record.is_some() || !artifact.states.is_empty() || !artifact.requires.is_empty();
    !tells && !has_code(artifact) && artifact.errors.is_empty()
}

/// Whether there is device code in an artifact.
pub(super) fn has_code(artifact: &Artifact) -> bool {
    !artifact.images.is_empty() || !artifact.outside_sections.is_empty()
}

/// The artifact of a listing. The options say what else is kept of it.
pub(super) fn artifact(
    kind: ArtifactKind,
    host: String,
    size: u64,
    listing: Listing,
    options: &Options,
) -> Artifact {
    Artifact {
        host,
        images: counts(&listing.containers),
        containers: listing.containers.iter().filter(|c| c.fatbin).count() as u64,
        outside_sections: counts(&listing.outside),
        sets: sets(&listing.containers, options.kernels),
        outside: distinct(&listing.outside),
        places: if options.places {
            places(&listing.containers)
        } else {
            Vec::new()
        },
        listing: if options.listing {
            vec![in_order(&listing.containers)]
        } else {
            Vec::new()
        },
        states: listing.states,
        errors: listing.errors,
        notes: listing.notes,
        ..bare(kind, size)
    }
}

/// Puts a member of a static library, which begins at `start`, into the library's own artifact.
pub(super) fn absorb(whole: &mut Artifact, member: Artifact, name: &str, start: Option<u64>) {
    add_counts(&mut whole.images, &member.images);
    add_counts(&mut whole.outside_sections, &member.outside_sections);
    whole.containers += member.containers;
    for set in member.sets {
        let key = |set: &ImageSet| (set.images.clone(), set.grouped.clone(), set.incomplete);
        match whole.sets.iter_mut().find(|s| key(s) == key(&set)) {
            Some(same) => {
                same.count += set.count;
                same.kernels.extend(set.kernels);
                same.unnamed += set.unnamed;
            }
            None => whole.sets.push(set),
        }
    }
    // A member that lies elsewhere (a thin archive) has no place in this file.
    if let Some(start) = start {
        let places = member.places.into_iter().map(|place| ContainerAt {
            offset: start.saturating_add(place.offset),
            end: start.saturating_add(place.end),
            ..place
        });
        whole.places.extend(places);
    }
    for image in member.outside {
        if !whole.outside.contains(&image) {
            whole.outside.push(image);
        }
    }
    if whole.host.is_empty() {
        whole.host = member.host;
    }
    let named = |problem: ArtifactProblem| ArtifactProblem {
        message: format!("{name}: {}", problem.message),
        ..problem
    };
    whole.errors.extend(member.errors.into_iter().map(named));
    whole.notes.extend(member.notes.into_iter().map(named));
    whole
        .listing
        .extend(member.listing.into_iter().map(|listed| Listed {
            member: name.to_owned(),
            ..listed
        }));
}

fn counts(containers: &[Container]) -> Vec<ImageCount> {
    let mut by_image: BTreeMap<Image, (u64, u64)> = BTreeMap::new();
    for (image, size) in containers
        .iter()
        .flat_map(|c| c.images.iter().zip(&c.bytes))
    {
        let (count, bytes) = by_image.entry(*image).or_default();
        *count += 1;
        *bytes += size;
    }
    by_image
        .into_iter()
        .map(|(image, (count, bytes))| ImageCount {
            kind: image.kind,
            arch: format!("sm_{}", image.target.undotted()),
            count,
            bytes,
            ptx_isa: image
                .ptx_isa
                .filter(|_| image.kind == ImageKind::Ptx)
                .map(|isa| isa.to_string()),
        })
        .collect()
}

fn add_counts(to: &mut Vec<ImageCount>, from: &[ImageCount]) {
    for count in from {
        let same = to
            .iter_mut()
            .find(|c| (c.kind, &c.arch, &c.ptx_isa) == (count.kind, &count.arch, &count.ptx_isa));
        match same {
            Some(same) => {
                same.count += count.count;
                same.bytes += count.bytes;
            }
            None => to.push(count.clone()),
        }
    }
    to.sort_by_key(|c| (c.kind, arch_order(&c.arch), c.ptx_isa.clone()));
}

/// Orders `sm_90a` by number, then suffix.
fn arch_order(arch: &str) -> (u32, String) {
    let text = arch.trim_start_matches("sm_");
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    (digits.parse().unwrap_or(0), text.to_owned())
}

fn distinct(containers: &[Container]) -> Vec<Image> {
    let images = containers.iter().flat_map(|c| &c.images).copied();
    let distinct: std::collections::BTreeSet<Image> = images.collect();
    distinct.into_iter().collect()
}

fn sets(containers: &[Container], kernels: bool) -> Vec<ImageSet> {
    let mut sets: BTreeMap<(Vec<Image>, Vec<Image>, bool), ImageSet> = BTreeMap::new();
    for container in containers {
        let (mut images, mut grouped) = container.by_group();
        images.sort_unstable();
        grouped.sort_unstable();
        let key = (images, grouped, container.incomplete);
        let set = sets
            .entry(key)
            .or_insert_with_key(|(images, grouped, incomplete)| ImageSet {
                images: images.clone(),
                grouped: grouped.clone(),
                incomplete: *incomplete,
                ..ImageSet::default()
            });
        set.count += 1;
        set.unnamed += u64::from(kernels && container.kernels.is_none());
        set.kernels
            .extend(container.kernels.iter().flatten().cloned());
    }
    sets.into_values().collect()
}

fn places(containers: &[Container]) -> Vec<ContainerAt> {
    let places = containers.iter().map(|container| {
        let (images, grouped) = container.by_group();
        ContainerAt {
            offset: container.offset,
            end: container.end,
            fatbin: container.fatbin,
            images,
            grouped,
            incomplete: container.incomplete,
            relocatable: container.relocatable,
        }
    });
    places.collect()
}

fn in_order(containers: &[Container]) -> Listed {
    let images = containers.iter().flat_map(|container| {
        container.images.iter().zip(0..).map(|(&image, n)| {
            let source = container.sources.iter().find(|(at, _)| *at == n);
            (image, source.map(|(_, name)| name.clone()))
        })
    });
    Listed {
        member: String::new(),
        images: images.collect(),
    }
}
