//! Mutated fixtures: whatever the bytes say, reading ends without a panic and within its limits, and what
//! passes by is never read as more than what is mapped.
use super::content::Content;
use super::context::{Context, Meter, Options};
use super::limits::Budget;
use super::read::read;
use super::tape::Stream;
use crate::facts::Artifact;
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

/// Every fixture up to 200 kB.
static FIXTURES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let folders = ["artifacts/out", "images/out"].map(|folder| root.join(folder));
    let entries = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let files = paths.iter().filter(|path| path.is_file());
    files.map(|path| std::fs::read(path).unwrap()).collect()
});

fn with_context<R>(max_size: u64, work: impl FnOnce(&Context) -> R) -> R {
    let options = Options::default();
    let budget = Budget::new(max_size);
    work(&Context {
        options: &options,
        budget: &budget,
        meter: &Meter::default(),
        folder: None,
        unpack_to: None,
        held: &AtomicU64::new(0),
    })
}

fn mapped(bytes: &[u8]) -> Vec<Artifact> {
    with_context(1 << 26, |context| read(Content::Bytes(bytes), 1, context))
}

fn passing(bytes: &[u8]) -> Vec<Artifact> {
    with_context(1 << 26, |context| {
        let stream = Stream::new(Box::new(bytes), None, context.budget);
        read(Content::Stream(stream), 1, context)
    })
}

/// Numbers that break careless arithmetic.
fn nasty() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(u64::MAX),
        Just(u64::MAX - 63),
        Just(u64::from(u32::MAX)),
        Just(1 << 40),
        Just(64),
        any::<u64>(),
    ]
}

#[derive(Clone, Debug)]
struct Mutation {
    at: prop::sample::Index,
    value: u64,
    width: usize,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let width = prop_oneof![Just(1), Just(2), Just(4), Just(8)];
    (any::<prop::sample::Index>(), nasty(), width).prop_map(|(at, value, width)| Mutation {
        at,
        value,
        width,
    })
}

/// Headers are where it hurts: half of the mutations hit the first 512 bytes.
fn mutate(bytes: &mut Vec<u8>, mutations: &[(Mutation, bool)], cut: Option<prop::sample::Index>) {
    for (mutation, early) in mutations {
        let within = if *early {
            bytes.len().min(512)
        } else {
            bytes.len()
        };
        if within == 0 {
            continue;
        }
        let at = mutation.at.index(within);
        let value = mutation.value.to_le_bytes();
        for (to, from) in bytes[at..].iter_mut().zip(&value[..mutation.width]) {
            *to = *from;
        }
    }
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len() + 1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files_never_panic(
        fixture in any::<prop::sample::Index>(),
        mutations in prop::collection::vec((mutation(), any::<bool>()), 0..6),
        cut in prop::option::weighted(0.3, any::<prop::sample::Index>()),
    ) {
        let mut bytes = FIXTURES[fixture.index(FIXTURES.len())].clone();
        mutate(&mut bytes, &mutations, cut);
        for found in [mapped(&bytes), passing(&bytes)] {
            prop_assert!(!found.is_empty());
            for artifact in found {
                prop_assert!(artifact.errors.len() <= 10_000);
            }
        }
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..2000), magic in 0..8_usize) {
        let magics: [&[u8]; 8] = [
            b"\x7fELF\x02\x01\x01", b"\x7fELF\x02\x01\x01\x41", &super::fatbin::MAGIC, b"!<arch>\n", b"PK\x03\x04",
            b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"MZ",
        ];
        let bytes = [magics[magic], &bytes].concat();
        mapped(&bytes);
        passing(&bytes);
    }
}

#[test]
fn every_prefix_of_a_library_is_read_without_a_panic() {
    let lib = &FIXTURES[FIXTURES.len() / 2];
    for end in (0..lib.len()).step_by(97) {
        mapped(&lib[..end]);
        passing(&lib[..end]);
    }
}
