//! What a file is, from its first bytes. Names are not trusted.
use super::le::u32_at;
use super::{ar, cubin, fatbin, pe, ptx, python, tar};

/// Bytes that are looked at.
pub(super) const HEAD: usize = 4096;

/// A format that has a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Elf,
    Cubin,
    Pe,
    Ar,
    Fatbin,
    Ptx,
    Zip,
    Tar,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
    Squashfs,
    /// A Singularity image.
    Sif,
    /// The list of a Python package's files.
    Record,
    /// A TensorRT engine.
    Engine,
    /// Files packed in a way that has no reader.
    Foreign(&'static str),
    Other,
}

impl Format {
    /// The format of a file that begins with these bytes.
    pub(super) fn of(head: &[u8]) -> Self {
        let is = |magic: &[u8]| head.starts_with(magic);
        if cubin::is_cubin(head) {
            Self::Cubin
        } else if is(b"\x7fELF") {
            Self::Elf
        } else if pe::is_image(head) {
            Self::Pe
        } else if ar::is_archive(head) {
            Self::Ar
        } else if is(&fatbin::MAGIC) {
            Self::Fatbin
        } else if is(b"PK\x03\x04") || is(b"PK\x05\x06") {
            Self::Zip
        } else if is(b"\x1f\x8b\x08") {
            Self::Gzip
        } else if is(b"\x28\xb5\x2f\xfd") || is_skippable(head) {
            Self::Zstd
        } else if is(b"\xfd7zXZ\0") {
            Self::Xz
        } else if is(b"BZh") && head.get(4..10) == Some(b"1AY&SY") {
            Self::Bzip2
        } else if is(b"hsqs") {
            Self::Squashfs
        } else if head
            .get(32..)
            .is_some_and(|head| head.starts_with(b"SIF_MAGIC"))
        {
            Self::Sif
        } else if tar::is_tar(head) {
            Self::Tar
        } else if ptx::read(head).is_some() {
            Self::Ptx
        } else if pe::is_object(head) {
            Self::Pe
        } else if is_engine(head) {
            Self::Engine
        } else if let Some(name) = foreign(head) {
            Self::Foreign(name)
        } else if python::is_record(head) {
            Self::Record
        } else {
            Self::Other
        }
    }

    /// Whether there may be device code in the file itself, not in other files inside.
    pub(super) fn has_own_code(self) -> bool {
        matches!(
            self,
            Self::Elf | Self::Pe | Self::Ar | Self::Cubin | Self::Fatbin | Self::Ptx
        )
    }

    /// Whether other files are inside.
    pub(super) fn packs(self) -> bool {
        matches!(
            self,
            Self::Zip
                | Self::Tar
                | Self::Gzip
                | Self::Zstd
                | Self::Xz
                | Self::Bzip2
                | Self::Squashfs
                | Self::Sif
                | Self::Ar
        )
    }
}

/// What files are packed in that begin like this, where there is no reader for it.
fn foreign(head: &[u8]) -> Option<&'static str> {
    const KNOWN: [(&[u8], &str); 4] = [
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
        (b"Rar!\x1a\x07", "a RAR archive"),
        (b"\xed\xab\xee\xdb", "an RPM package"),
        (b"MSCF\0\0\0\0", "a cabinet of Windows"),
    ];
    let is = |(magic, _): &&(&[u8], &str)| head.starts_with(magic);
    KNOWN.iter().find(is).map(|(_, name)| *name)
}

/// A TensorRT engine begins with its mark; some exporters put a length and JSON in front.
fn is_engine(head: &[u8]) -> bool {
    const MARK: &[u8] = b"ftrt";
    let behind = u32_at(head, 0).map_or(0, |length| 4 + length as usize);
    let has_json = head.get(4) == Some(&b'{');
    head.starts_with(MARK) || has_json && head.get(behind..).is_some_and(|h| h.starts_with(MARK))
}

/// A zstd frame of other data may come before the first real one.
fn is_skippable(head: &[u8]) -> bool {
    matches!(head.get(..4), Some([n, 0x2a, 0x4d, 0x18]) if n & 0xf0 == 0x50)
}
