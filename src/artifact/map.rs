//! Files mapped into memory: a library of a gigabyte is listed by touching a few thousand of its pages.
use memmap2::Mmap;
use std::fs::File;
use std::io;

/// Maps a regular file.
///
/// Should another process shorten the file meanwhile, the kernel ends this process with SIGBUS, which no
/// code can turn into an error; nothing is written, so that nothing is left behind.
#[allow(unsafe_code)]
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is private and read-only and is never handed out beyond the readers, which make no
    // assumption on the bytes: they check every offset and hold no reference to text or structs in it.
    // A change of the bytes by another process can therefore give a wrong list, never a wrong access.
    unsafe { Mmap::map(file) }
}
