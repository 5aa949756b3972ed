//! Hostile and damaged files: located errors, the rest still read, within the limits.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
use flate2::{Compression, write::DeflateEncoder, write::GzEncoder};
use kimg_lint::artifact::{Meter, Options, archs};
use kimg_lint::facts::Artifact;
use std::io::Write;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/artifacts/out");
    std::fs::read(folder.join(name)).unwrap()
}

fn put(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn read_with(path: &Path, options: &Options) -> Vec<Artifact> {
    archs(&[path.to_owned()], options, &Meter::default())
}

fn read(path: &Path) -> Vec<Artifact> {
    read_with(path, &Options::default())
}

/// The members that carry code, and the messages of all errors.
fn told(found: &[Artifact]) -> (Vec<&str>, Vec<String>) {
    let with_code = found.iter().filter(|a| !a.images.is_empty());
    let errors = found.iter().flat_map(|a| {
        a.errors.iter().map(|e| match a.member.as_str() {
            "" => e.message.clone(),
            member => format!("{member}: {}", e.message),
        })
    });
    (
        with_code.map(|a| a.member.as_str()).collect(),
        errors.collect(),
    )
}

#[track_caller]
fn expect(found: &[Artifact], members: &[&str], error: &str) {
    let (with_code, errors) = told(found);
    assert_eq!(with_code, members, "{errors:?}");
    assert!(errors.iter().any(|e| e.contains(error)), "{errors:?}");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn tar(items: &[(&str, tar::EntryType, &str, &[u8])]) -> Vec<u8> {
    let mut out = tar::Builder::new(Vec::new());
    for (name, kind, link, bytes) in items {
        let mut header = tar::Header::new_gnu();
        // The safe setters refuse the names that are wanted here.
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.as_mut_bytes()[157..157 + link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        out.append(&header, *bytes).unwrap();
    }
    out.into_inner().unwrap()
}

struct Zipped {
    name: &'static str,
    method: u16,
    flags: u16,
    body: Vec<u8>,
    size: u32,
    crc: u32,
}

fn deflated(name: &'static str, bytes: &[u8]) -> Zipped {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    deflate.write_all(bytes).unwrap();
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    Zipped {
        name,
        method: 8,
        flags: 0,
        body: deflate.finish().unwrap(),
        size: bytes.len() as u32,
        crc: crc.sum(),
    }
}

/// A zip archive; members with flag 8 have their sizes behind them.
fn zip(members: &[Zipped]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for m in members {
        let late = m.flags & 8 != 0;
        let sizes = [m.crc, m.body.len() as u32, m.size]
            .map(u32::to_le_bytes)
            .concat();
        let fixed = [20_u16, m.flags, m.method, 0, 0]
            .map(u16::to_le_bytes)
            .concat();
        let at = out.len() as u32;
        out.extend(b"PK\x03\x04");
        out.extend(&fixed);
        out.extend(if late { vec![0; 12] } else { sizes.clone() });
        out.extend([m.name.len() as u16, 0].map(u16::to_le_bytes).concat());
        out.extend(m.name.as_bytes());
        out.extend(&m.body);
        if late {
            out.extend(b"PK\x07\x08");
            out.extend(&sizes);
        }
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&fixed);
        directory.extend(&sizes);
        directory.extend(
            [m.name.len() as u16, 0, 0, 0, 0]
                .map(u16::to_le_bytes)
                .concat(),
        );
        directory.extend([0, at].map(u32::to_le_bytes).concat());
        directory.extend(m.name.as_bytes());
    }
    let count = members.len() as u16;
    let start = out.len() as u32;
    let size = directory.len() as u32;
    out.append(&mut directory);
    out.extend(b"PK\x05\x06");
    out.extend([0, 0, count, count].map(u16::to_le_bytes).concat());
    out.extend([size, start].map(u32::to_le_bytes).concat());
    out.extend([0, 0]);
    out
}

const FILE: tar::EntryType = tar::EntryType::Regular;

#[test]
fn bombs_end_at_the_limit_and_leave_enough_for_the_rest() {
    let options = Options {
        max_size: 2 << 20,
        ..Options::default()
    };
    // An ELF header and 6 MiB of nothing, which has to be searched.
    let mut bomb = fixture("host_only.so");
    bomb.truncate(64);
    bomb.resize(6 << 20, 0);
    let lib = fixture("lib.so");
    let path = put(
        "bomb.zip",
        &zip(&[deflated("a/bomb.so", &bomb), deflated("b/lib.so", &lib)]),
    );
    expect(
        &read_with(&path, &options),
        &["b/lib.so"],
        "a/bomb.so: too much to read",
    );
    let inner = gzip(&tar(&[("bomb.so", FILE, "", &bomb)]));
    let path = put(
        "bomb.tar",
        &tar(&[
            ("bomb.tar.gz", FILE, "", &inner),
            ("lib.so", FILE, "", &lib),
        ]),
    );
    expect(&read_with(&path, &options), &["lib.so"], "too much to read");
    let path = put("bomb.gz", &gzip(&bomb));
    expect(&read_with(&path, &options), &[], "--max-size");
}

#[test]
fn a_member_that_is_longer_than_it_says_or_damaged_is_an_error() {
    let lib = fixture("lib.so");
    let mut lies = deflated("lies.so", &lib);
    lies.size = 4096;
    let mut damaged = deflated("damaged.so", &lib);
    damaged.crc ^= 1;
    let mut secret = deflated("secret.so", &lib);
    secret.flags = 1;
    let mut odd = deflated("odd.so", &lib);
    odd.method = 14;
    let path = put(
        "lies.zip",
        &zip(&[lies, damaged, secret, odd, deflated("lib.so", &lib)]),
    );
    let found = read(&path);
    let (with_code, errors) = told(&found);
    assert!(with_code.contains(&"lib.so"));
    for (member, what) in [
        ("lies.so", "longer than its header says"),
        ("damaged.so", "checksum"),
        ("secret.so", "encrypted"),
        ("odd.so", "method 14"),
    ] {
        let says = |e: &String| e.starts_with(member) && e.contains(what);
        assert!(errors.iter().any(says), "{member}: {errors:?}");
    }
}

#[test]
fn names_and_links_that_lead_out_are_errors() {
    let lib = fixture("lib.so");
    for name in ["../lib.so", "/lib.so", "a/../../lib.so"] {
        let path = put(
            "out.zip",
            &zip(&[deflated(name, &lib), deflated("ok.so", &lib)]),
        );
        expect(&read(&path), &["ok.so"], name);
        let path = put(
            "out.tar",
            &tar(&[(name, FILE, "", &lib), ("ok.so", FILE, "", &lib)]),
        );
        expect(&read(&path), &["ok.so"], name);
    }
    use tar::EntryType::{Link, Symlink};
    for (kind, target) in [
        (Link, "../lib.so"),
        (Link, "/etc/passwd"),
        (Symlink, "../lib.so"),
    ] {
        let items = [
            ("link.so", kind, target, &[][..]),
            ("ok.so", FILE, "", &lib),
        ];
        expect(&read(&put("link.tar", &tar(&items))), &["ok.so"], "link.so");
    }
    let items = [
        ("link.so", Symlink, "ok.so", &[][..]),
        ("ok.so", FILE, "", &lib),
    ];
    assert_eq!(told(&read(&put("fine.tar", &tar(&items)))).1, [""; 0]);
}

#[test]
fn a_hundred_levels_end_at_the_stated_depth() {
    let mut gz = fixture("lib.so");
    let mut nested = zip(&[deflated("lib.so", &gz)]);
    for _ in 0..100 {
        gz = gzip(&gz);
        nested = zip(&[
            deflated("next.zip", &nested),
            deflated("lib.so", &fixture("lib.so")),
        ]);
    }
    expect(&read(&put("deep.gz", &gz)), &[], "more than 10 levels");
    let found = read(&put("deep.zip", &nested));
    let (with_code, errors) = told(&found);
    assert_eq!(with_code.len(), 10, "one at each level that is opened");
    assert!(errors[0].contains("more than 10 levels"), "{errors:?}");
}

#[test]
fn members_that_overlap_are_an_error() {
    let lib = fixture("lib.so");
    let mut bytes = zip(&[deflated("a.so", &lib), deflated("b.so", &lib)]);
    // Both rows of the directory point at the first member.
    let second = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    bytes[second + 42..second + 46].fill(0);
    expect(
        &read(&put("overlap.zip", &bytes)),
        &["a.so", "b.so"],
        "overlap",
    );
}

#[test]
fn sizes_behind_the_members_are_found_in_a_stream() {
    let lib = fixture("lib.so");
    let late = |name| Zipped {
        flags: 8,
        ..deflated(name, &lib)
    };
    let bytes = zip(&[late("a.so"), late("b.so")]);
    let mapped = read(&put("late.zip", &bytes));
    let passing = read(&put("late.zip.gz", &gzip(&bytes)));
    assert_eq!(told(&mapped), told(&passing));
    assert_eq!(told(&passing).0, ["a.so", "b.so"]);
}

#[test]
fn headers_that_overlap_wrap_or_lie_past_the_end() {
    let lib = fixture("lib.so");
    let table = u64::from_le_bytes(lib[0x28..0x30].try_into().unwrap()) as usize;
    let fatbin = 16; // the section's index in this file
    let row = table + fatbin * 64;
    let patched = |patches: &[(usize, &[u8])]| {
        let mut lib = lib.clone();
        for (at, bytes) in patches {
            lib[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        put("patched.so", &lib)
    };
    // The row behind it becomes a second section of the same bytes.
    let twice = lib[row..row + 64].to_vec();
    let overlap = patched(&[(row + 64, &twice)]);
    expect(&read(&overlap), &[""], "overlaps");
    let wrap = patched(&[(row + 32, &u64::MAX.to_le_bytes())]);
    expect(&read(&wrap), &[""], "ends at");
    let past = patched(&[(row + 24, &(1_u64 << 50).to_le_bytes())]);
    expect(&read(&past), &[], "ends at");
    let no_table = patched(&[(0x28, &u64::MAX.to_le_bytes())]);
    expect(&read(&no_table), &[], "section headers");
    let many = patched(&[(0x3c, &[0, 0])]);
    assert!(!read(&many)[0].errors.is_empty());
}

#[test]
fn a_sparse_terabyte_is_refused_and_the_rest_read() {
    let path = put("sparse.bin", b"");
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let ok = put("beside.so", &fixture("lib.so"));
    let found = archs(&[path.clone(), ok], &Options::default(), &Meter::default());
    std::fs::remove_file(path).unwrap();
    expect(&found, &[""], "--max-size");
    assert_eq!(found.len(), 2);
}

#[cfg(unix)]
#[test]
fn an_endless_pipe_ends_at_the_limit() {
    let path = put("pipe", b"");
    std::fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let writer = {
        let path = path.clone();
        std::thread::spawn(move || {
            let mut pipe = std::fs::File::options().write(true).open(path).unwrap();
            while pipe.write_all(&[0; 4096]).is_ok() {}
        })
    };
    let options = Options {
        max_size: 1 << 20,
        ..Options::default()
    };
    let found = read_with(&path, &options);
    writer.join().unwrap();
    std::fs::remove_file(&path).unwrap();
    expect(&found, &[], "--max-size");
}

#[test]
fn what_cannot_be_opened_is_an_error() {
    expect(&read(Path::new("no such file")), &[], "No such file");
    expect(
        &read(&put("cut.zip", b"PK\x03\x04 and no more")),
        &[],
        "zip directory",
    );
    expect(
        &read(&put("cut.gz", &gzip(&fixture("lib.so"))[..3000])),
        &[],
        "",
    );
    let mut cut = tar(&[("lib.so", FILE, "", &fixture("lib.so"))]);
    cut.truncate(20_000);
    assert!(
        !read(&put("cut.tar", &cut))
            .iter()
            .all(|a| a.errors.is_empty())
    );
}

fn image(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/images/out");
    std::fs::read(folder.join(name)).unwrap()
}

#[test]
fn file_systems_that_are_cut_or_changed_end_in_errors() {
    let stored = image("plain.stored.squashfs");
    // The root's only line is made to name the root.
    let mut itself = stored.clone();
    let line = itself
        .windows(5)
        .rposition(|bytes| bytes == b"\x01\0\0\0p")
        .unwrap();
    let root: [u8; 6] = itself[32..38].try_into().unwrap();
    itself[line - 4..line - 2].copy_from_slice(&root[..2]);
    itself[line - 16..line - 12].copy_from_slice(&root[2..]);
    // A block of the tables that inflates to more than it may: zlib of 64 KiB of zeros.
    let mut bomb = image("plain.gzip.squashfs");
    let tables = usize::from(u16::from_le_bytes([bomb[64], bomb[65]]));
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Compression::best());
    zlib.write_all(&[0; 1 << 16]).unwrap();
    let zeros = zlib.finish().unwrap();
    bomb[tables..tables + 2].copy_from_slice(&(zeros.len() as u16).to_le_bytes());
    bomb[tables + 2..tables + 2 + zeros.len()].copy_from_slice(&zeros);
    for (name, bytes, error) in [
        ("itself.squashfs", itself, "is in itself"),
        ("bomb.squashfs", bomb, "a block of over 8192 bytes"),
        (
            "lzo.squashfs",
            image("plain.lzo.squashfs"),
            "compressed with lzo",
        ),
        (
            "secret.sif",
            image("encrypted.sif"),
            "an encrypted partition",
        ),
        (
            "cut.sif",
            image("plain.sif")[..9000].to_vec(),
            "the file ends in this partition",
        ),
        (
            "head.sif",
            image("plain.sif")[..300].to_vec(),
            "table of objects",
        ),
        (
            "packed.sif.gz",
            gzip(&[image("plain.sif"), vec![0; 3 << 20]].concat()),
            "unpack it",
        ),
        (
            "three.squashfs",
            {
                let mut old = stored.clone();
                old[28] = 3;
                old
            },
            "squashfs version 3",
        ),
    ] {
        expect(&read(&put(name, &bytes)), &[], error);
    }
    for cut in (64..stored.len()).step_by(1009) {
        let found = read(&put("cut.squashfs", &stored[..cut]));
        assert!(!told(&found).1.is_empty(), "cut at {cut}");
    }
    let code = told(&read(&put("whole.squashfs", &stored))).0.len();
    for at in (0..stored.len()).step_by(61) {
        let mut changed = stored.clone();
        changed[at] ^= 0xff;
        assert!(
            told(&read(&put("changed.squashfs", &changed))).0.len() <= code,
            "{at}"
        );
    }
}
