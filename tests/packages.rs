//! Packages and images: what is read in place and what passes by give the same answer.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
use flate2::{Compression, write::GzEncoder};
use kimg_lint::artifact::{Meter, Options, archs};
use kimg_lint::facts::{Artifact, ImageCount};
use std::io::Write;
use std::path::{Path, PathBuf};

fn fixtures(folder: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(folder)
        .join("out")
}

fn read(path: &Path) -> Vec<Artifact> {
    archs(&[path.to_owned()], &Options::default(), &Meter::default())
}

fn words(images: &[ImageCount]) -> String {
    let words = images.iter().map(|image| {
        let times = if image.count == 1 {
            String::new()
        } else {
            format!("x{}", image.count)
        };
        format!("{:?}:{}{times}", image.kind, image.arch).to_lowercase()
    });
    words.collect::<Vec<_>>().join(" ")
}

fn lines(found: &[Artifact]) -> Vec<String> {
    let line = |artifact: &Artifact| format!("{} = {}", artifact.member, words(&artifact.images));
    found.iter().map(line).collect()
}

const WHEEL: [&str; 4] = [
    "root/demo.whl!demo/lib.so = sass:sm_80 sass:sm_90a ptx:sm_90a",
    "root/demo.whl!demo/k.cubin = sass:sm_90a",
    "root/demo.whl!demo/k.ptx = ptx:sm_80",
    "root/demo.whl!demo/f.fatbin = sass:sm_90 sass:sm_100f sass:sm_103f sass:sm_120f ptx:sm_100f",
];

#[test]
fn an_image_is_its_final_file_system() {
    let mut expected = vec!["opt/old/new.cubin = sass:sm_90a"];
    expected.extend(WHEEL);
    expected.extend([
        "srv/d.so = sass:sm_80 sass:sm_90a",
        "usr/lib/a.so = sass:sm_90a sass:sm_100a ptx:sm_90a ptx:sm_100a",
        "usr/lib/a.so.1 = sass:sm_90a sass:sm_100a ptx:sm_90a ptx:sm_100a",
    ]);
    for name in [
        "oci",
        "oci.tar",
        "docker-save.tar.gz",
        "docker-save-old.tar",
    ] {
        let found = read(&fixtures("images").join(name));
        assert_eq!(lines(&found), expected, "{name}");
        assert!(
            found
                .iter()
                .all(|a| a.errors.is_empty() && !a.layer.is_empty())
        );
    }
}

#[test]
fn each_image_of_an_archive_is_told_apart() {
    let found = lines(&read(&fixtures("images").join("docker-save-two.tar")));
    let of = |tag: &str| found.iter().filter(|line| line.starts_with(tag)).count();
    assert_eq!((of("demo:1!"), of("demo:2!"), found.len()), (5, 8, 13));
    assert!(found[0].starts_with("demo:1!opt/old/c.so = "));
}

#[test]
fn an_image_without_one_of_its_layers_is_no_pass() {
    let found = read(&fixtures("images").join("docker-save-incomplete.tar"));
    assert!(found[0].errors[0].message.contains("is not there"));
    assert!(found.len() > 1, "the rest is still read");
}

#[test]
fn images_made_by_buildah_and_skopeo() {
    for name in ["buildah-oci.tar", "skopeo-docker.tar"] {
        let found = read(&fixtures("images").join(name));
        let expected = [
            "usr/lib/a.so = sass:sm_80 sass:sm_90a ptx:sm_90a",
            "usr/lib/a.so.1 = sass:sm_80 sass:sm_90a ptx:sm_90a",
            "usr/lib/c.so = sass:sm_80 sass:sm_90a",
        ];
        assert_eq!(lines(&found), expected, "{name}");
    }
}

#[test]
fn every_compression_and_package_gives_the_same_files() {
    for (name, prefix) in [
        ("plain.tar", ""),
        ("plain.tar.gz", ""),
        ("plain.tar.xz", ""),
        ("plain.tar.bz2", ""),
        ("plain.tar.zst", ""),
        ("demo-1-0.conda", "pkg-demo.tar.zst!"),
        ("demo_1_amd64.deb", "data.tar.xz!"),
        ("plain.gzip.squashfs", ""),
        ("plain.xz.squashfs", ""),
        ("plain.lz4.squashfs", ""),
        ("plain.zstd.squashfs", ""),
        ("plain.stored.squashfs", ""),
        ("plain.sif", ""),
    ] {
        let images = "sass:sm_90a sass:sm_100a ptx:sm_90a ptx:sm_100a";
        let expected = ["copy", "lib"].map(|file| format!("{prefix}p/{file}.so = {images}"));
        let mut found = lines(&read(&fixtures("images").join(name)));
        found.sort();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn an_image_may_be_named_as_skopeo_does() {
    let images = fixtures("images");
    for (transport, name) in [("oci", "oci"), ("oci-archive", "oci.tar")] {
        let place = images.join(name);
        let named = PathBuf::from(format!("{transport}:{}", place.display()));
        assert_eq!(lines(&read(&named)), lines(&read(&place)), "{transport}");
        assert!(!lines(&read(&place)).is_empty());
    }
}

#[test]
fn a_folder_is_read_file_by_file() {
    let found = read(&fixtures("images").join("oci").join("blobs"));
    assert!(found.iter().any(|a| a.member == "usr/lib/a.so"));
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// A gzip stream does not say how long it is, so that its inside is never put into memory first.
#[test]
fn what_passes_by_gives_the_answer_of_what_is_mapped() {
    let folder = tempdir("passing");
    let mut compared = 0;
    for entry in std::fs::read_dir(fixtures("artifacts")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Unknown data inside a package is left alone, and thin archives need their folder.
        if matches!(&*name, "embedded_cubin.bin" | "thin.a" | "empty.bin") {
            continue;
        }
        let packed = folder.join(format!("{name}.gz"));
        std::fs::write(&packed, gzipped(&std::fs::read(&path).unwrap())).unwrap();
        let (mapped, passing) = (read(&path), read(&packed));
        assert_eq!(lines(&mapped), lines(&passing), "{name}");
        for (mapped, passing) in mapped.iter().zip(&passing) {
            assert_eq!(mapped.host, passing.host, "{name}");
            assert_eq!(mapped.sets, passing.sets, "{name}");
            assert_eq!(
                words(&mapped.outside_sections),
                words(&passing.outside_sections),
                "{name}"
            );
            assert_eq!(
                mapped.errors.is_empty(),
                passing.errors.is_empty(),
                "{name}: {:?} {:?}",
                mapped.errors,
                passing.errors
            );
        }
        compared += 1;
    }
    assert!(compared > 80);
}

fn tempdir(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
