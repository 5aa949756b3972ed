//! Folders for inputs that are read from disk.
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A folder that this process and thread has for one purpose.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The folder for a purpose; what was put there before is there.
    pub(crate) fn of(purpose: &str) -> Self {
        // `run.sh` has it in memory and removes it; a test has one of its own
        static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
            let temporary = option_env!("CARGO_TARGET_TMPDIR").map(PathBuf::from);
            let process = std::process::id().to_string();
            temporary
                .unwrap_or_else(std::env::temp_dir)
                .join("fuzz")
                .join(process)
        });
        let thread = format!("{:?}", std::thread::current().id());
        let folder = ROOT.join(thread).join(purpose);
        if !folder.is_dir() {
            fs::create_dir_all(&folder).expect("the folder for temporary files takes one");
        }
        Self(folder)
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file into it.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).expect("the folder takes a file");
        path
    }
}

/// The bytes in a gzip stream that does not compress.
pub(crate) fn stored(data: &[u8]) -> Vec<u8> {
    let mut out = b"\x1f\x8b\x08\0\0\0\0\0\0\xff".to_vec();
    let mut chunks = data.chunks(0xffff).peekable();
    while let Some(chunk) = chunks.next() {
        let size = chunk.len() as u16;
        out.push(u8::from(chunks.peek().is_none()));
        out.extend(size.to_le_bytes());
        out.extend((!size).to_le_bytes());
        out.extend(chunk);
    }
    if data.is_empty() {
        out.extend(b"\x01\0\0\xff\xff");
    }
    out.extend(crc(data).to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out
}

fn crc(data: &[u8]) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(crc & 1));
    !data
        .iter()
        .fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), bit))
}
