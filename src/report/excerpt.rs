//! The few lines of source that a finding quotes, as miette reads them. One excerpt may quote several files.
use super::clip::Clipped;
use super::plain::plain;
use super::wrap::wrap;
use crate::span::{Lines, Place};
use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use std::collections::{BTreeMap, BTreeSet};

/// Lines of context around a label.
pub(super) const CONTEXT: u32 = 1;

/// Columns that miette takes to the left of a line, beside its number.
const GUTTER: usize = 5;

/// Columns between a label's words and the middle of what it underlines.
const ELBOW: usize = 4;

/// The narrowest text that is still worth reading.
const NARROWEST: usize = 30;

/// A place to quote, with a few words.
pub(super) struct Label {
    pub(super) path: String,
    pub(super) place: Place,
    pub(super) text: String,
    /// The finding's own place; where another label overlaps it, it gives way.
    pub(super) primary: bool,
}

/// Lines of one or more files, with labels.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    text: String,
    rows: Vec<Row>,
    labels: Vec<(LabeledSpan, Place)>,
}

/// A quoted line.
#[derive(Debug)]
struct Row {
    path: String,
    /// 1-based.
    number: u32,
    /// Its first byte in the excerpt.
    start: usize,
}

impl Row {
    /// Whether `next` stands right below this line in the same file.
    fn is_above(&self, next: &Self) -> bool {
        self.path == next.path && self.number + 1 == next.number
    }
}

/// A label on its line: bytes of the line.
struct Mark<'l> {
    label: &'l Label,
    start: usize,
    end: usize,
}

impl Excerpt {
    /// Quotes the lines of the labels from `files`, no wider than `width`. A label whose line is not there is left out.
    pub(super) fn new(labels: &[Label], files: &BTreeMap<&str, Lines>, width: usize) -> Self {
        let mut excerpt = Self::default();
        let mut done: Vec<&str> = Vec::new();
        for Label { path, .. } in labels {
            if done.contains(&path.as_str()) {
                continue;
            }
            done.push(path);
            if let Some(lines) = files.get(path.as_str()) {
                let labels = labels.iter().filter(|label| label.path == *path);
                excerpt.quote(path, lines, labels, width);
            }
        }
        excerpt.labels.sort_by_key(|(label, _)| label.offset());
        excerpt
    }

    /// The labels, in the order of their places in the excerpt.
    pub(super) fn labels(&self) -> impl Iterator<Item = &LabeledSpan> {
        self.labels.iter().map(|(label, _)| label)
    }

    fn quote<'l>(
        &mut self,
        path: &str,
        lines: &Lines,
        labels: impl Iterator<Item = &'l Label>,
        width: usize,
    ) {
        let mut marks: Vec<Mark> = labels.filter_map(|label| Mark::new(label, lines)).collect();
        give_way(&mut marks, lines);
        let mut numbers = BTreeSet::new();
        for mark in &marks {
            let number = mark.label.place.line;
            numbers.extend(number.saturating_sub(CONTEXT).max(1)..=number + CONTEXT);
        }
        let digits = numbers.last().map_or(1, |number| number.to_string().len());
        let room = width.saturating_sub(GUTTER + digits).max(NARROWEST);
        for number in numbers {
            let Some((_, line)) = lines.line(number) else {
                continue;
            };
            let on_line: Vec<_> = marks
                .iter()
                .filter(|mark| mark.label.place.line == number)
                .collect();
            let past_the_end = line.is_empty() && lines.line(number + 1).is_none();
            if past_the_end && on_line.is_empty() {
                continue;
            }
            let focus = on_line.iter().map(|mark| mark.start).min().unwrap_or(0);
            let clipped = Clipped::new(line, focus, room);
            for mark in on_line {
                self.labels
                    .push(mark.moved(&clipped, self.text.len(), room));
            }
            self.rows.push(Row {
                path: plain(path).into_owned(),
                number,
                start: self.text.len(),
            });
            self.text.push_str(&clipped.text);
            self.text.push('\n');
        }
    }

    /// The row that holds a byte.
    fn row_at(&self, offset: usize) -> usize {
        self.rows
            .partition_point(|row| row.start <= offset)
            .saturating_sub(1)
    }
}

impl<'l> Mark<'l> {
    /// The part of a label that is on its first line; `None` where the text has no such place.
    fn new(label: &'l Label, lines: &Lines) -> Option<Self> {
        let place = label.place;
        let (from, line) = lines.line(place.line)?;
        let start = place.offset.checked_sub(from)? as usize;
        let words = line.trim_end_matches([' ', '\t', '\\']).len();
        let end = (start + place.length as usize).min(words).max(start);
        line.get(start..end)?;
        Some(Self { label, start, end })
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.label.place.line == other.label.place.line
            && self.start < other.end
            && other.start < self.end
    }

    /// The label in the excerpt, with its words wrapped to the room right of the elbow.
    fn moved(&self, clipped: &Clipped, row: usize, room: usize) -> (LabeledSpan, Place) {
        let (start, end) = (clipped.offset(self.start), clipped.offset(self.end));
        let elbow = clipped.text.chars().count().min((start + end) / 2) + ELBOW;
        let text = wrap(
            &plain(&self.label.text),
            room.saturating_sub(elbow).max(NARROWEST),
        );
        let text = Some(text).filter(|text| !text.is_empty());
        let span = SourceSpan::new((row + start).into(), end - start);
        let label = if self.label.primary {
            LabeledSpan::new_primary_with_span(text, span)
        } else {
            LabeledSpan::new_with_span(text, span)
        };
        (label, self.label.place)
    }
}

/// Where a mark overlaps the primary one, the primary one keeps what is before it, or else what is after it.
fn give_way(marks: &mut Vec<Mark>, lines: &Lines) {
    let Some(at) = marks.iter().position(|mark| mark.label.primary) else {
        return;
    };
    let mut primary = marks.remove(at);
    let line = lines
        .line(primary.label.place.line)
        .map_or("", |(_, line)| line);
    for other in marks.iter() {
        if !primary.overlaps(other) {
            continue;
        }
        if primary.start < other.start {
            primary.end = line[..other.start].trim_end().len().max(primary.start);
        } else {
            let after = &line[other.end.min(primary.end)..primary.end];
            primary.start = primary.end - after.trim_start().len();
        }
    }
    if primary.start < primary.end || marks.is_empty() {
        marks.insert(0, primary);
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let mut first = self.row_at(span.offset());
        let mut last = self.row_at(
            (span.offset() + span.len())
                .saturating_sub(1)
                .max(span.offset()),
        );
        let quoted = |from: usize, to: usize| self.rows[from..=to].is_sorted_by(Row::is_above);
        if self.rows.is_empty() || !quoted(first, last) {
            return Err(MietteError::OutOfBounds);
        }
        for _ in 0..before {
            first -= usize::from(first > 0 && quoted(first - 1, last));
        }
        for _ in 0..after {
            last += usize::from(last + 1 < self.rows.len() && quoted(first, last + 1));
        }
        let row = &self.rows[first];
        let end = self
            .rows
            .get(last + 1)
            .map_or(self.text.len(), |next| next.start);
        // Without context miette asks for a label's place in the file.
        let place = self
            .labels
            .iter()
            .find(|(label, _)| label.inner() == span && before + after == 0);
        let column = place.map_or(0, |(_, place)| place.column.saturating_sub(1));
        Ok(Box::new(MietteSpanContents::new_named(
            row.path.clone(),
            &self.text.as_bytes()[row.start..end],
            SourceSpan::new(row.start.into(), end - row.start),
            row.number as usize - 1,
            column as usize,
            last - first + 1,
        )))
    }
}
