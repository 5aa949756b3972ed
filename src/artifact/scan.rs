//! Finds device code that no section names, and notes on the way what only the end of a file explains.
use super::elf::Name;
use super::fatbin::{self, MAGIC};
use super::limits::MAX_IMAGES;
use super::listing::Container;
use super::tape::{CHUNK, Tape};
use super::{cubin, le};
use aho_corasick::{AhoCorasick, Input, MatchKind};
use std::ops::Range;
use std::sync::OnceLock;

/// Bytes looked at together.
const WINDOW: usize = CHUNK;
/// Bytes at the end of a window that the next one looks at again: longer than every mark.
const OVERLAP: usize = LIST_MOST;
/// The first bytes of a raw cubin, up to its OSABI.
const CUBIN: &[u8] = b"\x7fELF\x02\x01\x01";
/// The longest list of architectures, in bytes.
const LIST_MOST: usize = 512;
/// The longest name of a section of device code, in bytes.
const NAME_MOST: usize = 16;
/// Names beyond these are not remembered.
const MOST_NAMES: usize = 4096;
/// Zero bytes after a container that are looked at together.
const PADDING: usize = 4096;

/// What a scan found.
#[derive(Default)]
pub(super) struct Found {
    /// Containers and raw cubins, by offset.
    pub(super) containers: Vec<Container>,
    /// Where the names of device code sections stand.
    pub(super) names: Vec<(u64, Name)>,
    /// The bytes of the range that was asked for.
    pub(super) kept: Vec<u8>,
    /// Raw cubins too large to be read whole: their suffix may be missing.
    pub(super) suffix_unknown: Vec<u64>,
    /// The first list of architectures that stands there as text.
    pub(super) states: String,
}

/// Scans up to `end`. `keep` is a range whose bytes are kept; with it, names are looked for too. `kernels`: the names of those
/// are wanted.
pub(super) fn scan(
    tape: &mut impl Tape,
    end: u64,
    keep: Option<Range<u64>>,
    kernels: bool,
) -> Found {
    let mut scan = Scan {
        tape,
        end,
        keep,
        kernels,
        found: Found::default(),
    };
    while scan.window() && scan.found.containers.len() <= MAX_IMAGES {}
    scan.found.names.sort_unstable_by_key(|&(at, _)| at);
    scan.found
}

struct Scan<'t, T> {
    tape: &'t mut T,
    end: u64,
    keep: Option<Range<u64>>,
    kernels: bool,
    found: Found,
}

impl<T: Tape> Scan<'_, T> {
    /// Looks at one window; `false` at the end.
    fn window(&mut self) -> bool {
        let left = usize::try_from(self.end.saturating_sub(self.tape.offset()));
        let wanted = left.unwrap_or(usize::MAX).min(WINDOW);
        let base = self.tape.offset();
        let window = self.tape.peek(wanted);
        if window.is_empty() {
            return false;
        }
        let usable = if window.len() < WINDOW {
            window.len()
        } else {
            window.len() - OVERLAP
        };
        let mut hit = None;
        for (at, mark) in marks(window) {
            // a name that begins in front of device code may end behind its start
            if hit.is_some_and(|hit| at > hit + NAME_MOST) {
                break;
            }
            let bytes = window.get(at..).unwrap_or_default();
            match mark {
                Mark::Code if hit.is_none() && at < usable => {
                    hit = promising(bytes, base + at as u64, self.end).then_some(at);
                }
                Mark::List if self.found.states.is_empty() => {
                    self.found.states = listed(bytes).unwrap_or_default().to_owned();
                }
                Mark::Name(before)
                    if self.keep.is_some() && self.found.names.len() < MOST_NAMES =>
                {
                    let names = names(window, at, before, hit.unwrap_or(usable));
                    let names = names.map(|(at, name)| (base + at as u64, name));
                    self.found.names.extend(names);
                }
                _ => {}
            }
        }
        let step = hit.unwrap_or(usable);
        self.advance(step);
        if hit.is_some() && !self.device_code() {
            self.advance(4);
        }
        true
    }

    /// Skips bytes, keeping those that are to be kept.
    fn advance(&mut self, len: usize) {
        if let Some(keep) = &self.keep {
            let at = self.tape.offset();
            let from = keep.start.clamp(at, at + len as u64) - at;
            let to = keep.end.clamp(at, at + len as u64) - at;
            let bytes = self.tape.peek(len);
            self.found.kept.extend_from_slice(le::clip(bytes, from, to));
        }
        self.tape.skip(len as u64);
    }

    /// Reads what the tape stands at; `false` if it was no device code after all and nothing was skipped.
    fn device_code(&mut self) -> bool {
        let at = self.tape.offset();
        if self.tape.peek(4) == MAGIC {
            self.chain(at)
        } else {
            self.cubin(at)
        }
    }

    /// Reads containers that follow one another.
    fn chain(&mut self, mut at: u64) -> bool {
        let first = at;
        loop {
            if !fatbin::plausible(self.tape.peek(32), at, self.end) {
                return at > first;
            }
            let mut container = fatbin::container(self.tape, self.end, self.kernels);
            self.skip_padding();
            at = self.tape.offset();
            container.clear_to = at;
            if !container.images.is_empty() {
                self.found.containers.push(container);
            }
            if self.found.containers.len() > MAX_IMAGES {
                return true;
            }
        }
    }

    fn skip_padding(&mut self) {
        loop {
            let padding = self.tape.peek(PADDING);
            let (len, zeros) = (
                padding.len(),
                padding.iter().take_while(|&&b| b == 0).count(),
            );
            self.advance(zeros);
            if zeros < PADDING || len == 0 {
                return;
            }
        }
    }

    fn cubin(&mut self, at: u64) -> bool {
        let Some(extent) = cubin::extent(self.tape.peek(64)) else {
            return false;
        };
        let whole = extent <= self.tape.reach();
        let container = cubin::read(self.tape.peek(if whole { extent as usize } else { 64 }), at);
        if !whole {
            self.found.suffix_unknown.push(at);
        }
        if let [image] = container.images[..] {
            let end = at.saturating_add(extent);
            self.found.containers.push(Container::loose(at, end, image));
        }
        self.advance(64);
        self.tape.skip(extent - 64);
        true
    }
}

/// Whether device code may begin with these bytes, at an offset of a file that ends at `end`.
fn promising(bytes: &[u8], offset: u64, end: u64) -> bool {
    if bytes.starts_with(&MAGIC) {
        // Too close to the end of the window to tell: looked at again from its start.
        return bytes.len() < 32 || fatbin::plausible(bytes, offset, end);
    }
    bytes.len() < 64
        || cubin::is_cubin(bytes)
            && cubin::extent(bytes)
                .and_then(|extent| offset.checked_add(extent))
                .is_some_and(|stop| stop <= end)
}

/// What a mark announces.
#[derive(Clone, Copy)]
enum Mark {
    /// Device code.
    Code,
    /// A list of architectures, behind a zero byte.
    List,
    /// The name of a section of device code, which begins so many bytes before.
    Name(&'static [usize]),
}

/// What is looked for. All of it in one pass: inflating a byte takes hardly longer than looking at it five times.
const MARKS: [(&[u8], Mark); 5] = [
    (&MAGIC, Mark::Code),
    (CUBIN, Mark::Code),
    (b"\0sm_", Mark::List),
    (b"fatbin\0", Mark::Name(&[4, 8])),
    (b"nvFatBinSegment\0", Mark::Name(&[1])),
];

/// The marks in a window, in order, also those that share bytes.
fn marks(window: &[u8]) -> impl Iterator<Item = (usize, Mark)> {
    static SEARCHER: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    let searcher = SEARCHER.get_or_init(|| {
        let texts = MARKS.iter().map(|(text, _)| text);
        let builder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(texts);
        builder.ok()
    });
    let mut from = 0;
    std::iter::from_fn(move || {
        let found = searcher.as_ref()?.find(Input::new(window).range(from..))?;
        from = found.start() + 1;
        let (_, mark) = MARKS.get(found.pattern().as_usize())?;
        Some((found.start(), *mark))
    })
}

/// A text of several architectures, `sm_80 sm_90`, between zero bytes: torch compiles its list into itself.
fn listed(bytes: &[u8]) -> Option<&str> {
    let text = bytes.get(1..LIST_MOST.min(bytes.len()))?;
    let text = text.get(..memchr::memchr(0, text)?)?;
    let text = std::str::from_utf8(text).ok()?;
    let is_name = |word: &str| {
        let number = word.strip_prefix("sm_").or(word.strip_prefix("compute_"));
        number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
    };
    (text.contains(' ') && text.split(' ').all(is_name)).then_some(text)
}

/// The names of device code sections whose ends stand at `at` and that begin before `until`.
fn names(
    window: &[u8],
    at: usize,
    before: &'static [usize],
    until: usize,
) -> impl Iterator<Item = (usize, Name)> {
    before.iter().filter_map(move |&n| {
        let start = at.checked_sub(n).filter(|&start| start < until)?;
        let name = Name::of(window.get(start..)?);
        (name != Name::Other).then_some((start, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_may_share_bytes() {
        let text = b"x.nv_fatbin\0sm_80 sm_90\0__nv_relfatbin\0\x50\xed\x55\xba\x7fELF\x02\x01\x01";
        let found: Vec<usize> = marks(text).map(|(at, _)| at).collect();
        assert_eq!(found, [5, 11, 32, 39, 43]);
        assert_eq!(listed(&text[11..]), Some("sm_80 sm_90"));
        let names: Vec<usize> = marks(text)
            .filter_map(|(at, mark)| match mark {
                Mark::Name(before) => names(text, at, before, text.len()).next(),
                _ => None,
            })
            .map(|(at, _)| at)
            .collect();
        assert_eq!(names, [1, 24]);
    }
}
