//! Every fixture gives the answer that cuobjdump gave for it, or ours where they differ by design.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
use kimg_lint::artifact::{Meter, Options, archs};
use kimg_lint::cuda::ImageKind;
use kimg_lint::facts::{Artifact, ImageCount};
use std::collections::BTreeMap;
use std::path::PathBuf;

type Counts = BTreeMap<(String, String), u64>;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/artifacts")
}

fn read(name: &str, options: &Options) -> Vec<Artifact> {
    let path = fixtures().join("out").join(name);
    archs(&[path], options, &Meter::default())
}

/// The images as cuobjdump prints them: `f` is not recorded in machine code, LTO is not listed.
fn as_listed(images: &[ImageCount]) -> Counts {
    let mut counts = Counts::new();
    for image in images {
        let (kind, arch) = match image.kind {
            ImageKind::Sass => ("sass", image.arch.trim_end_matches('f')),
            ImageKind::Ptx => ("ptx", image.arch.as_str()),
            ImageKind::Lto => continue,
        };
        *counts.entry((kind.into(), arch.into())).or_default() += image.count;
    }
    counts
}

fn as_ours(images: &[ImageCount]) -> Counts {
    let mut counts = Counts::new();
    for image in images {
        let kind = match image.kind {
            ImageKind::Sass => "sass",
            ImageKind::Ptx => "ptx",
            ImageKind::Lto => "lto",
        };
        *counts.entry((kind.into(), image.arch.clone())).or_default() += image.count;
    }
    counts
}

fn counts(list: &serde_json::Value) -> Counts {
    let list = list.as_array().into_iter().flatten();
    list.map(|entry| {
        let text = |key: &str| entry[key].as_str().unwrap().to_owned();
        (
            (text("kind"), text("arch")),
            entry["count"].as_u64().unwrap(),
        )
    })
    .collect()
}

/// Fixtures that cuobjdump does not read at all, or reads otherwise, and what we say of them.
/// The images are those of the independent header walk in the same file.
const OURS: &[&str] = &[
    "bad_container_size_big.fatbin",
    "gap_junk.fatbin",
    "raw_sm_100f.ptx",
    "raw_sm_80.ptx",
    "raw_sm_90a.ptx",
    "trunc_last_byte.fatbin",
    "trunc_payload.fatbin",
    "win.dll",
    "win.obj",
];

#[test]
fn every_fixture_gives_the_listed_answer() {
    let text = std::fs::read_to_string(fixtures().join("fixtures.json")).unwrap();
    let table: serde_json::Value = serde_json::from_str(&text).unwrap();
    let table = table["fixtures"].as_object().unwrap();
    assert_eq!(table.len(), 93);
    for (name, expected) in table {
        let found = read(name, &Options::default());
        if let Some(members) = expected["members"].as_object() {
            let mut seen: BTreeMap<&str, Counts> = BTreeMap::new();
            for artifact in &found {
                assert_eq!(artifact.errors, [], "{name}");
                seen.insert(&artifact.member, as_listed(&artifact.images));
            }
            for (member, expected) in members {
                let images = if member.ends_with(".ptx") {
                    counts(&expected["header_walk"])
                } else {
                    counts(&expected["entries"])
                };
                let seen = seen.remove(member.as_str()).unwrap_or_default();
                assert_eq!(seen, images, "{name}!{member}");
            }
            assert!(seen.is_empty(), "{name}: {seen:?}");
            continue;
        }
        let [artifact] = &found[..] else {
            panic!("{name}: {found:?}");
        };
        if OURS.contains(&name.as_str()) {
            let walk = counts(&expected["header_walk"]);
            assert_eq!(as_ours(&artifact.images), walk, "{name}");
        } else {
            assert_eq!(
                as_listed(&artifact.images),
                counts(&expected["entries"]),
                "{name}"
            );
        }
        let damaged = expected["rc"] == 1 && !matches!(name.as_str(), "empty.bin" | "text.txt")
            || matches!(
                name.as_str(),
                "trunc_lib.so" | "bad_container_version.fatbin"
            );
        assert_eq!(
            !artifact.errors.is_empty(),
            damaged,
            "{name}: {:?}",
            artifact.errors
        );
        if let Some(all) = expected.get("entries_all") {
            let options = Options {
                all: true,
                ..Options::default()
            };
            let [artifact] = &read(name, &options)[..] else {
                panic!("{name}");
            };
            assert_eq!(as_listed(&artifact.images), counts(all), "{name} --all");
        }
    }
}

#[test]
fn code_outside_the_sections_stands_under_its_own_heading() {
    for (name, outside) in [
        ("lib_rodata_cubin.so", "sass sm_90a x1"),
        ("embedded_cubin.bin", "sass sm_80 x1, sass sm_90a x1"),
        (
            "lib_rodata_fatbin.so",
            "ptx sm_100a x1, ptx sm_90a x1, sass sm_100a x1, sass sm_90a x1",
        ),
        (
            "lib_nosht.so",
            "ptx sm_90a x1, sass sm_80 x1, sass sm_90a x1",
        ),
        ("lib.so", ""),
        ("multi.fatbin", ""),
        ("host_only.so", ""),
    ] {
        let [artifact] = &read(name, &Options::default())[..] else {
            panic!("{name}");
        };
        let list: Vec<String> = as_ours(&artifact.outside_sections)
            .into_iter()
            .map(|((kind, arch), count)| format!("{kind} {arch} x{count}"))
            .collect();
        assert_eq!(list.join(", "), outside, "{name}");
    }
}

/// Machine code and PTX in every way that fatbinary stores them, on disk and passing by.
#[test]
fn kernels_have_names() {
    let options = Options {
        kernels: true,
        ..Options::default()
    };
    for name in [
        "lib.so",
        "lib_compressed.so",
        "mode_balance.fatbin",
        "mode_default.fatbin",
        "mode_none.fatbin",
        "mode_size.fatbin",
        "mode_speed.fatbin",
        "multi.fatbin",
        "oldabi.fatbin",
        "oldabi_lz4.fatbin",
        "ptx_only.fatbin",
        "static.a",
        "win.dll",
        "demo-1.0-py3-none-linux_x86_64.whl",
    ] {
        let found = read(name, &options);
        let sets = found.iter().flat_map(|artifact| &artifact.sets);
        let mut fatbins = sets.filter(|set| set.unnamed == 0).peekable();
        assert!(fatbins.peek().is_some(), "{name}");
        for set in fatbins {
            let kernels: Vec<&str> = set.kernels.iter().map(String::as_str).collect();
            assert_eq!(kernels, ["k"], "{name}");
        }
    }
    // Those of a group lie in one payload together.
    let [grouped] = &read("concat_group.fatbin", &options)[..] else {
        panic!("one file");
    };
    assert_eq!(grouped.sets[0].unnamed, 0);
    assert!(
        read("lib.so", &Options::default())[0].sets[0]
            .kernels
            .is_empty()
    );
}
