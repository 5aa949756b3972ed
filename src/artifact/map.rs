//! Files mapped into memory: a library of a gigabyte is listed by touching a few thousand of its pages.
use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::time::SystemTime;

/// What is said of a file that [`Mapped::has_changed`].
pub(super) const CHANGED: &str = "it was changed while it was read";

/// A regular file in memory.
///
/// Should another process shorten the file meanwhile, what is behind its new end reads as zeros, and [`Mapped::has_changed`]
/// tells; the kernel alone would end the process with SIGBUS.
pub(super) struct Mapped<'f> {
    file: &'f File,
    about: (u64, Option<SystemTime>),
    // let go of before the map: its addresses may be another's at once
    #[cfg(unix)]
    _survives: survival::Slot,
    bytes: Mmap,
}

/// Maps a regular file.
#[allow(unsafe_code)]
pub(super) fn map(file: &File) -> io::Result<Mapped<'_>> {
    let about = about(file)?;
    // SAFETY: the map is private and read-only and is never handed out beyond the readers, which make no
    // assumption on the bytes: they check every offset and hold no reference to text or structs in it.
    // A change of the bytes by another process can therefore give a wrong list, never a wrong access.
    let bytes = unsafe { Mmap::map(file) }?;
    Ok(Mapped {
        file,
        about,
        #[cfg(unix)]
        _survives: survival::Slot::of(&bytes),
        bytes,
    })
}

impl Mapped<'_> {
    /// Whether somebody wrote to the file since it was mapped: what was read may be nothing that ever was there.
    pub(super) fn has_changed(&self) -> bool {
        about(self.file).is_ok_and(|now| now != self.about)
    }
}

impl Deref for Mapped<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Length and time of the last change.
fn about(file: &File) -> io::Result<(u64, Option<SystemTime>)> {
    let about = file.metadata()?;
    Ok((about.len(), about.modified().ok()))
}

/// What happens at the pages of a map behind the end of a file that became shorter.
#[cfg(unix)]
#[allow(unsafe_code)]
mod survival {
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The first and the end address of maps; 0 where there is none. A file more than can be open at a time by the workers
    /// has no slot, and is not helped.
    static MAPS: [[AtomicUsize; 2]; 1024] = [const { [const { AtomicUsize::new(0) }; 2] }; 1024];
    /// What the signal did before.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

    /// A map that is helped, as long as this lives.
    pub(super) struct Slot(Option<&'static [AtomicUsize; 2]>);

    impl Slot {
        pub(super) fn of(bytes: &[u8]) -> Self {
            install();
            let start = bytes.as_ptr().addr();
            let free = |slot: &&[AtomicUsize; 2]| {
                let taken = slot[0].compare_exchange(0, start, Ordering::SeqCst, Ordering::SeqCst);
                taken.is_ok()
            };
            let slot = MAPS.iter().find(free);
            if let Some(slot) = slot {
                slot[1].store(start + bytes.len(), Ordering::SeqCst);
            }
            Self(slot)
        }
    }

    impl Drop for Slot {
        fn drop(&mut self) {
            if let Some(slot) = self.0 {
                slot[1].store(0, Ordering::SeqCst);
                slot[0].store(0, Ordering::SeqCst);
            }
        }
    }

    /// Has the signal handled, once.
    fn install() {
        BEFORE.get_or_init(|| {
            let mut before = MaybeUninit::zeroed();
            // SAFETY: both structs are valid when zeroed, and `zeros` has the signature that SA_SIGINFO asks for.
            unsafe {
                let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
                action.sa_sigaction = zeros as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(libc::SIGBUS, &action, before.as_mut_ptr());
                before.assume_init()
            }
        });
    }

    /// Puts a page of zeros where a map has none any more. What is about anything else happens as before.
    extern "C" fn zeros(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the kernel passes a valid `info`. What is called here may be called in a signal handler. The page lies in
        // one of our own read-only maps, whose bytes may change at any time anyway.
        unsafe {
            let at = (*info).si_addr().addr();
            let inside = |[start, end]: &[AtomicUsize; 2]| {
                (start.load(Ordering::SeqCst)..end.load(Ordering::SeqCst)).contains(&at)
            };
            if MAPS.iter().any(inside) {
                let size = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap_or(4096);
                let page = ptr::without_provenance_mut(at & !(size - 1));
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
                if libc::mmap(page, size, libc::PROT_READ, flags, -1, 0) != libc::MAP_FAILED {
                    return;
                }
            }
            // the access is tried again when this returns
            match BEFORE.get() {
                Some(before) => libc::sigaction(signal, before, ptr::null_mut()),
                None => libc::signal(signal, libc::SIG_DFL) as i32,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_that_becomes_shorter_reads_as_zeros() {
        const SIZE: usize = 1 << 20;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; SIZE]).unwrap();
        let mapped = map(&file).unwrap();
        assert!(!mapped.has_changed());
        assert_eq!(mapped[SIZE - 1], 1);
        file.set_len(10).unwrap();
        let zeros = mapped[SIZE / 2..].iter().filter(|byte| **byte == 0).count();
        assert_eq!((mapped[0], zeros), (1, SIZE / 2));
        assert!(mapped.has_changed());
    }
}
