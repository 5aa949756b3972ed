//! Python packages: which files were installed together, as the RECORD of each says.
//!
//! A RECORD is read wherever it lies (in a wheel, a folder, a layer of an image) and says its package's name and version by the
//! folder that it lies in.
use super::promise::cuda_label;
use super::summary::{bare, has_code, is_silent};
use crate::facts::{Artifact, ArtifactKind, PythonPackage};
use std::collections::HashMap;

/// A RECORD is read up to this size, in bytes; that of torch has 1.3 million.
pub(super) const RECORD_MOST: u64 = 16 << 20;
/// Endings of files that never hold device code and are most of a RECORD.
const PLAIN: [&str; 9] = [
    ".py", ".pyc", ".pyi", ".h", ".hpp", ".cuh", ".txt", ".json", ".md",
];

/// Whether a file begins as a RECORD does: a path, its checksum, its size.
pub(super) fn is_record(head: &[u8]) -> bool {
    let line = head.split(|&b| b == b'\n').next().unwrap_or_default();
    let mut fields = line.trim_ascii_end().rsplit(|&b| b == b',');
    let (size, sum, path) = (fields.next(), fields.next(), fields.next());
    size.is_some_and(|size| !size.is_empty() && size.iter().all(u8::is_ascii_digit))
        && sum.is_some_and(|sum| sum.starts_with(b"sha256="))
        && path.is_some_and(|path| !path.is_empty())
}

/// The files that a RECORD names, without those that never hold device code.
pub(super) fn files(text: &str) -> Vec<String> {
    let paths = text.lines().filter_map(|line| {
        let path = match line.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next()?,
            None => line.split(',').next()?,
        };
        (!path.is_empty() && !PLAIN.iter().any(|ending| path.ends_with(ending)))
            .then(|| path.replace('\\', "/"))
    });
    paths.collect()
}

/// Gives each artifact its package, and takes out those that only told about packages. A package whose version promises device
/// code and that has none stays as an artifact of its own.
pub(super) fn group(mut artifacts: Vec<Artifact>) -> Vec<Artifact> {
    let mut packages = Packages::of(&artifacts);
    let owners: Vec<Option<usize>> = artifacts
        .iter()
        .map(|artifact| packages.owner(&place(artifact)))
        .collect();
    for (artifact, owner) in artifacts.iter().zip(&owners) {
        if let Some(package) = owner.and_then(|n| packages.all.get_mut(n)) {
            package.learn(artifact);
        }
    }
    for (artifact, owner) in artifacts.iter_mut().zip(owners) {
        artifact.package = match owner.and_then(|n| packages.all.get(n)) {
            Some(found) => Some(found.package.clone()),
            None => of_wheel(&artifact.path),
        };
    }
    let only = artifacts.len() == 1;
    artifacts.retain_mut(|artifact| {
        let recorded = artifact.record.take().is_some();
        let stated = !std::mem::take(&mut artifact.states).is_empty();
        // A library that was named by itself stays.
        !(recorded || stated && !only) || !is_silent(artifact)
    });
    artifacts.extend(packages.all.into_iter().filter_map(Found::without_code));
    artifacts
}

/// The packages that RECORDs tell of.
#[derive(Default)]
struct Packages {
    all: Vec<Found>,
    /// Which of them each file belongs to, by where it lies.
    owners: HashMap<String, usize>,
}

/// A package, and what was found of it.
struct Found {
    package: PythonPackage,
    /// The path and the member of its RECORD.
    record: (String, String),
    has_code: bool,
}

impl Packages {
    fn of(artifacts: &[Artifact]) -> Self {
        let mut packages = Self::default();
        for artifact in artifacts {
            let Some(files) = &artifact.record else {
                continue;
            };
            let place = place(artifact);
            let Some((site, package)) = of_record(&place) else {
                continue;
            };
            let n = packages.all.len();
            let places = files.iter().map(|file| (joined(site, file), n));
            packages.owners.extend(places);
            packages.all.push(Found {
                package,
                record: (artifact.path.clone(), artifact.member.clone()),
                has_code: false,
            });
        }
        packages
    }

    /// The package of a file, or of the file that it is packed in.
    fn owner(&self, place: &str) -> Option<usize> {
        let mut place = place;
        loop {
            if let Some(&owner) = self.owners.get(place) {
                return Some(owner);
            }
            place = place.rsplit_once('!')?.0;
        }
    }
}

impl Found {
    /// Notes what one of its files says.
    fn learn(&mut self, artifact: &Artifact) {
        self.has_code |= has_code(artifact);
        if self.package.name == "torch" && !artifact.states.is_empty() {
            self.package.own_list.clone_from(&artifact.states);
        }
    }

    /// What is said of it where its version promises device code and it has none. Of a wheel its own name says the same.
    fn without_code(self) -> Option<Artifact> {
        let (path, member) = self.record;
        let broken = cuda_label(&self.package.version).is_some() && !self.has_code;
        (broken && !path.ends_with(".whl")).then(|| Artifact {
            path,
            member,
            package: Some(self.package),
            ..bare(ArtifactKind::Package, 0)
        })
    }
}

/// Where an artifact lies: its path, and the members that lead to it.
fn place(artifact: &Artifact) -> String {
    let path = artifact.path.replace('\\', "/");
    match artifact.member.as_str() {
        "" => path,
        member => format!("{path}!{member}"),
    }
}

/// The folder that the paths of a RECORD start from (empty, or ending in `/` or `!`), and its package.
fn of_record(place: &str) -> Option<(&str, PythonPackage)> {
    let folder = place.strip_suffix(".dist-info/RECORD")?;
    let start = folder.rfind(['/', '!']).map_or(0, |n| n + 1);
    let (site, name) = folder.split_at_checked(start)?;
    Some((site, named(name)?))
}

/// `torch-2.4.1`: a name and a version.
fn named(text: &str) -> Option<PythonPackage> {
    let (name, version) = text.split_once('-')?;
    Some(PythonPackage {
        name: name.to_owned(),
        version: version.to_owned(),
        own_list: String::new(),
    })
}

/// The package that a wheel's file name tells.
fn of_wheel(path: &str) -> Option<PythonPackage> {
    let file = path.rsplit(['/', '\\']).next()?.strip_suffix(".whl")?;
    let mut parts = file.splitn(3, '-');
    named(&format!("{}-{}", parts.next()?, parts.next()?))
}

/// A path of a RECORD from its site folder on; `..` leads out of that.
fn joined(site: &str, file: &str) -> String {
    let mut site = site;
    let mut file = file;
    while let Some(rest) = file.strip_prefix("../") {
        let folder = site.trim_end_matches('/');
        site = folder
            .rfind(['/', '!'])
            .map_or("", |n| folder.get(..=n).unwrap_or_default());
        file = rest;
    }
    format!("{site}{file}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::ImageCount;

    #[test]
    fn records_are_known_by_their_first_line() {
        for (head, expected) in [
            ("a/b.so,sha256=47DEQpj8HBSa,12\nx", true),
            ("\"a,b.so\",sha256=47DEQpj8HBSa,12\r\n", true),
            ("a,sha256=x,\n", false),
            ("a,md5=x,1\n", false),
            ("import a\n", false),
            ("", false),
        ] {
            assert_eq!(is_record(head.as_bytes()), expected, "{head}");
        }
        let text = "a/b.py,sha256=x,1\na\\b.so,sha256=x,1\n\"a,c.so\",,\nd.dist-info/RECORD,,\n";
        assert_eq!(files(text), ["a/b.so", "a,c.so", "d.dist-info/RECORD"]);
    }

    #[test]
    fn files_find_their_package() {
        let file = |path: &str, code: bool| {
            let (path, member) = path.split_once('!').unwrap_or((path, ""));
            let image = ImageCount {
                kind: crate::cuda::ImageKind::Sass,
                arch: "sm_80".into(),
                count: 1,
                bytes: 1,
                ptx_isa: None,
            };
            Artifact {
                path: path.into(),
                member: member.into(),
                images: if code { vec![image] } else { Vec::new() },
                ..bare(ArtifactKind::Elf, 1)
            }
        };
        let record = |path: &str, files: &[&str]| Artifact {
            record: Some(files.iter().map(|&file| file.to_owned()).collect()),
            ..file(path, false)
        };
        let grouped = group(vec![
            file("s/a/x.so", true),
            file("s/a/y.so", true),
            file("s/z.so", true),
            file("bin/tool", true),
            file("i.tar!usr/a/x.so", true),
            file("d/w-3.0-py3-none-any.whl!w/x.so", true),
            record("s/a-1.0.dist-info/RECORD", &["a/x.so", "../bin/tool"]),
            record("s/b-2.0+cu124.dist-info/RECORD", &["a/y.so"]),
            record("s/c-1.0+cu124.dist-info/RECORD", &["c/x.so"]),
            record("i.tar!usr/d-1.0.dist-info/RECORD", &["a/x.so"]),
            Artifact {
                states: "sm_80 sm_90".into(),
                ..file("s/t/p.so", false)
            },
            record("s/torch-2.0.dist-info/RECORD", &["t/p.so", "z.so"]),
        ]);
        let told: Vec<String> = grouped
            .iter()
            .map(|a| {
                let package = a.package.as_ref();
                let package = package.map(|p| format!("{} {} {}", p.name, p.version, p.own_list));
                format!("{}: {}", place(a), package.unwrap_or_default().trim())
            })
            .collect();
        assert_eq!(
            told,
            [
                "s/a/x.so: a 1.0",
                "s/a/y.so: b 2.0+cu124",
                "s/z.so: torch 2.0 sm_80 sm_90",
                "bin/tool: a 1.0",
                "i.tar!usr/a/x.so: d 1.0",
                "d/w-3.0-py3-none-any.whl!w/x.so: w 3.0",
                "s/c-1.0+cu124.dist-info/RECORD: c 1.0+cu124",
            ]
        );
    }
}
