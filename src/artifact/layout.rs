//! Where in a host file device code may lie.
use std::ops::Range;

/// The parts of a host file that matter, as byte ranges of the file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Layout {
    /// The CPU.
    pub(super) host: String,
    /// Sections of fatbin containers, in the order in which they are listed.
    pub(super) code: Vec<Section>,
    /// Sections that hold data, where device code may lie without being registered.
    pub(super) data: Vec<Range<u64>>,
    /// Records that point at containers, if no section of the usual name is there.
    pub(super) records: Option<Range<u64>>,
}

/// A section of fatbin containers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Section {
    /// Its name, for messages.
    pub(super) name: &'static str,
    /// Its bytes.
    pub(super) range: Range<u64>,
    /// Whether they are compressed (SHF_COMPRESSED).
    pub(super) compressed: bool,
}

impl Layout {
    /// Clips everything to a file of `size` bytes and drops what overlaps, so that no byte is read twice.
    /// What was wrong comes back as offsets and words.
    pub(super) fn settle(&mut self, size: u64) -> Vec<(u64, String)> {
        let mut wrong = Vec::new();
        let mut taken: Vec<Range<u64>> = Vec::new();
        self.code.retain_mut(|section| {
            let (name, range) = (section.name, &mut section.range);
            if range.end > size {
                wrong.push((
                    range.start,
                    format!("section {name} ends at {}, the file at {size}", range.end),
                ));
                range.end = size;
            }
            if overlaps(&taken, range) {
                wrong.push((range.start, format!("section {name} overlaps another")));
                return false;
            }
            if range.start >= range.end {
                return false;
            }
            // Sections of one name are few; of hostile files the first thousand are enough.
            taken.push(range.clone());
            taken.len() <= 1000
        });
        self.data.sort_by_key(|range| range.start);
        let mut from = 0;
        self.data.retain_mut(|range| {
            range.start = range.start.max(from);
            range.end = range.end.min(size);
            from = from.max(range.end);
            range.start < range.end
        });
        wrong
    }

    /// Whether a byte lies in a section of fatbin containers.
    pub(super) fn in_code(&self, offset: u64) -> Option<usize> {
        self.code
            .iter()
            .position(|section| section.range.contains(&offset))
    }

    /// Whether a byte lies in a data section; call after [`Layout::settle`].
    pub(super) fn in_data(&self, offset: u64) -> bool {
        let after = self.data.partition_point(|range| range.start <= offset);
        after
            .checked_sub(1)
            .and_then(|n| self.data.get(n))
            .is_some_and(|range| range.contains(&offset))
    }
}

fn overlaps(taken: &[Range<u64>], range: &Range<u64>) -> bool {
    taken
        .iter()
        .any(|other| other.start < range.end && range.start < other.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_clipped_and_read_once() {
        let section = |range| Section {
            name: ".nv_fatbin",
            range,
            compressed: false,
        };
        let mut layout = Layout {
            code: vec![section(10..30), section(20..40), section(90..200)],
            data: vec![50..70, 40..60, 95..u64::MAX],
            ..Layout::default()
        };
        assert_eq!(layout.settle(100).len(), 2);
        assert_eq!(layout.code, [section(10..30), section(90..100)]);
        assert_eq!(layout.data, [40..60, 60..70, 95..100]);
        assert!(layout.in_data(69) && !layout.in_data(70) && !layout.in_data(39));
    }
}
