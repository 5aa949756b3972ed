//! What a release lost or gained, library by library.
use crate::cuda::ImageKind;
use crate::facts::Artifact;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// One library of two releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Its name: the member, or the file's own name.
    pub library: String,
    /// Which of the releases have it.
    pub status: Status,
    /// Images that only the old one has: `sass sm_70`.
    pub lost: Vec<String>,
    /// Images that only the new one has.
    pub gained: Vec<String>,
}

/// Which of two releases have a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Both, with the same architectures.
    Same,
    /// Both, with other architectures.
    Changed,
    /// Only the old one.
    Gone,
    /// Only the new one.
    New,
}

/// Compares the libraries of two releases by name. Hashes that `auditwheel` puts into names and versions
/// behind `.so` are overlooked where the full name finds no partner.
pub fn compare(new: &[Artifact], old: &[Artifact]) -> Vec<Change> {
    let mut news = images_by_name(new);
    let mut olds = images_by_name(old);
    let mut pairs: Vec<(String, BTreeSet<String>, BTreeSet<String>)> = Vec::new();
    let names: Vec<String> = news.keys().cloned().collect();
    for name in &names {
        if let Some(old) = olds.remove(name) {
            pairs.push((name.clone(), news.remove(name).unwrap_or_default(), old));
        }
    }
    for name in &names {
        let partner = olds.keys().find(|old| plain(old) == plain(name)).cloned();
        if let (true, Some(partner)) = (news.contains_key(name), partner) {
            let old = olds.remove(&partner).unwrap_or_default();
            pairs.push((name.clone(), news.remove(name).unwrap_or_default(), old));
        }
    }
    let mut changes: Vec<Change> = pairs
        .into_iter()
        .map(|(library, new, old)| Change {
            library,
            status: if new == old {
                Status::Same
            } else {
                Status::Changed
            },
            lost: old.difference(&new).cloned().collect(),
            gained: new.difference(&old).cloned().collect(),
        })
        .collect();
    changes.extend(news.into_iter().map(|(library, new)| Change {
        library,
        status: Status::New,
        lost: Vec::new(),
        gained: new.into_iter().collect(),
    }));
    changes.extend(olds.into_iter().map(|(library, old)| Change {
        library,
        status: Status::Gone,
        lost: old.into_iter().collect(),
        gained: Vec::new(),
    }));
    changes.sort_by(|a, b| a.library.cmp(&b.library));
    changes
}

fn images_by_name(artifacts: &[Artifact]) -> BTreeMap<String, BTreeSet<String>> {
    let mut by_name: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for artifact in artifacts {
        let images = artifact.images.iter().chain(&artifact.outside_sections);
        let images: Vec<String> = images
            .map(|image| {
                let kind = match image.kind {
                    ImageKind::Sass => "sass",
                    ImageKind::Ptx => "ptx",
                    ImageKind::Lto => "lto",
                };
                format!("{kind} {}", image.arch)
            })
            .collect();
        if !images.is_empty() {
            by_name.entry(name_of(artifact)).or_default().extend(images);
        }
    }
    by_name
}

/// A member's name, without the release's own folder; a file's own name.
fn name_of(artifact: &Artifact) -> String {
    if artifact.member.is_empty() {
        let path = artifact.path.as_str();
        return path.rsplit('/').next().unwrap_or(path).to_owned();
    }
    artifact.member.clone()
}

/// A name without hashes of eight hexadecimal digits and without numbers behind `.so`.
fn plain(name: &str) -> String {
    let (stem, _) = name.split_once(".so.").unwrap_or((name, ""));
    let is_hash = |part: &&str| part.len() == 8 && part.bytes().all(|b| b.is_ascii_hexdigit());
    let parts: Vec<&str> = stem
        .trim_end_matches(".so")
        .split('-')
        .filter(|part| !is_hash(part))
        .collect();
    parts.join("-")
}

/// Writes the changes; libraries that are the same are counted only.
pub fn write(changes: &[Change], out: &mut dyn Write) -> io::Result<()> {
    for change in changes {
        let title = match change.status {
            Status::Same => continue,
            Status::Changed => "changed",
            Status::Gone => "gone",
            Status::New => "new",
        };
        writeln!(out, "{}: {title}", change.library)?;
        if !change.lost.is_empty() {
            writeln!(out, "  lost    {}", change.lost.join(", "))?;
        }
        if !change.gained.is_empty() {
            writeln!(out, "  gained  {}", change.gained.join(", "))?;
        }
    }
    let same = changes.iter().filter(|c| c.status == Status::Same).count();
    writeln!(
        out,
        "{same} of {} {} the same architectures",
        changes.len(),
        if changes.len() == 1 {
            "library has"
        } else {
            "libraries have"
        }
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_without_hash_and_version() {
        for (name, plain) in [
            ("x.libs/libfoo-1a2b3c4d.so.12.1", "x.libs/libfoo"),
            ("x.libs/libfoo.so", "x.libs/libfoo"),
            ("x/lib-foo.so", "x/lib-foo"),
        ] {
            assert_eq!(super::plain(name), plain);
        }
    }
}
