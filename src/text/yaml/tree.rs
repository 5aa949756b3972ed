//! From granit-parser's events to the tree. The only place that knows that parser.
use super::super::mapped::Mapped;
use super::super::{MAX_PROBLEMS, Problem, excerpt};
use super::scalar::{Written, locate};
use super::{BROKEN, Entry, Kind, Node, Scalar, Style, Yaml};
use crate::span::Span;
use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span as Range, Tag};
use std::collections::{HashMap, HashSet};

/// How deep values may stand in each other; an alias counts with what it stands for.
const MAX_DEPTH: usize = 128;
/// What all aliases of a file may expand to, and all anchors hold: values, and text in units of [`UNIT`] bytes.
const MAX_EXPANSION: usize = 1 << 17;
const UNIT: usize = 64;

/// Reads `text`; what it holds is taken from the same bytes of `source`.
pub(super) fn read(text: &str, source: &str) -> Yaml {
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        block_scalar_eof_without_line_feed: true,
        max_buffered_comment_events: text.len(),
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut builder = Builder {
        text,
        source,
        open: Vec::new(),
        anchors: HashMap::new(),
        budget: MAX_EXPANSION,
        yaml: Yaml::default(),
    };
    while let Some(next) = parser.next() {
        match next {
            Ok((event, range)) => builder.event(event, range),
            Err(error) => {
                builder.broken(&error);
                if !matches!(parser.proceed_next_document(), Ok(true)) {
                    break;
                }
            }
        }
    }
    let Yaml {
        mut documents,
        comments,
        problems,
    } = builder.yaml;
    documents.retain(|document| !document.is_null());
    Yaml {
        documents,
        comments,
        problems,
    }
}

struct Builder<'s> {
    text: &'s str,
    source: &'s str,
    /// Lists and maps that have not ended.
    open: Vec<Open>,
    anchors: HashMap<usize, Built>,
    /// What aliases may still expand to.
    budget: usize,
    yaml: Yaml,
}

/// A list or map that has not ended.
struct Open {
    is_map: bool,
    anchor: usize,
    tag: Option<String>,
    start: u32,
    /// Of a map: keys and values in turn.
    built: Vec<Built>,
}

/// A finished value.
#[derive(Clone)]
struct Built {
    node: Node,
    /// Where it is written: an alias is not where its text is.
    place: Span,
    /// How deep values stand in it; a scalar 0.
    depth: usize,
    /// What a copy of it costs.
    size: usize,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, range: Range) {
        let span = range
            .byte_range()
            .map_or_else(Span::default, |r| Span::new(r.start, r.end));
        match event {
            Event::Comment(..) => self.yaml.comments.push(span),
            Event::Scalar(value, style, anchor, tag) => {
                let built = self.scalar(&value, style, tag.as_deref(), span);
                self.add(built, anchor);
            }
            Event::Alias(anchor) => {
                let built = self.alias(anchor, span);
                self.add(built, 0);
            }
            Event::UnresolvedAlias(name) => {
                self.problem(span, format!("no anchor &{name} stands before this alias"));
                self.add(null(span), 0);
            }
            Event::SequenceStart(_, anchor, tag) => self.open(false, anchor, tag.as_deref(), span),
            Event::MappingStart(_, anchor, tag) => self.open(true, anchor, tag.as_deref(), span),
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::DocumentEnd => self.anchors.clear(),
            _ => {}
        }
    }

    /// A document that cannot be read is left out.
    fn broken(&mut self, error: &ScanError) {
        self.open.clear();
        self.anchors.clear();
        let at = error
            .marker()
            .byte_offset()
            .unwrap_or_default()
            .min(self.source.len());
        self.problem(Span::new(at, at), format!("{BROKEN}{}", error.info()));
    }

    fn problem(&mut self, span: Span, message: String) {
        if self.yaml.problems.len() < MAX_PROBLEMS {
            self.yaml.problems.push(Problem { span, message });
        }
    }

    fn open(&mut self, is_map: bool, anchor: usize, tag: Option<&Tag>, span: Span) {
        self.open.push(Open {
            is_map,
            anchor,
            tag: tag.and_then(custom),
            start: span.start,
            built: Vec::new(),
        });
    }

    fn close(&mut self, span: Span) {
        let Some(open) = self.open.pop() else { return };
        // a block collection ends where its last value does, not where the next token begins
        let last = open.built.last().map_or(open.start, |last| last.place.end);
        let bracket = matches!(self.text.as_bytes().get(span.range()), Some(b"]" | b"}"));
        let end = if bracket { span.end } else { last };
        let span = Span {
            start: open.start,
            end: end.max(open.start),
        };
        let depth = 1 + open
            .built
            .iter()
            .map(|built| built.depth)
            .max()
            .unwrap_or(0);
        let size = 1 + open.built.iter().map(|built| built.size).sum::<usize>();
        let kind = if open.is_map {
            let entries = entries(open.built);
            Kind::Map(self.merged(entries))
        } else {
            Kind::List(open.built.into_iter().map(|built| built.node).collect())
        };
        let node = Node {
            kind,
            span,
            tag: open.tag,
        };
        self.add(
            Built {
                node,
                place: span,
                depth,
                size,
            },
            open.anchor,
        );
    }

    /// Puts a finished value where it belongs.
    fn add(&mut self, built: Built, anchor: usize) {
        if anchor != 0
            && let Some(left) = self.budget.checked_sub(built.size)
        {
            self.budget = left;
            self.anchors.insert(anchor, built.clone());
        }
        match self.open.last_mut() {
            Some(open) => open.built.push(built),
            None => self.yaml.documents.push(built.node),
        }
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Built {
        let Some(anchored) = self.anchors.get(&anchor) else {
            self.problem(
                span,
                "this alias stands for what it is a part of, or for more than is read".to_owned(),
            );
            return null(span);
        };
        let left = self.budget.checked_sub(anchored.size);
        match left.filter(|_| self.open.len() + anchored.depth <= MAX_DEPTH) {
            Some(left) => {
                self.budget = left;
                Built {
                    place: span,
                    ..anchored.clone()
                }
            }
            None => {
                self.problem(
                    span,
                    "the aliases of this file stand for more than is read".to_owned(),
                );
                null(span)
            }
        }
    }

    fn scalar(&mut self, value: &str, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> Built {
        let written = match style {
            ScalarStyle::Plain => Written::Plain,
            ScalarStyle::SingleQuoted => Written::SingleQuoted,
            ScalarStyle::DoubleQuoted => Written::DoubleQuoted,
            ScalarStyle::Literal | ScalarStyle::Folded => Written::Block,
        };
        // an empty value is told as `~` without a byte of its own
        let value = if span.is_empty() && written == Written::Plain {
            ""
        } else {
            value
        };
        if written == Written::Plain
            && tag.is_none()
            && matches!(value, "" | "~" | "null" | "Null" | "NULL")
        {
            return null(span);
        }
        let mut text = locate(self.text, span.range(), written, value);
        if self.text != self.source {
            text = self.original(&text);
        }
        let is_core = |suffix: &&str| tag.is_some_and(|tag| tag.is_yaml_core_schema_tag(suffix));
        let (style, span) = match written {
            Written::Block => {
                let content = text.text().trim_end().len();
                self.block_comments(&text);
                (Style::Block, text.span(0, content))
            }
            _ if ["int", "float", "bool"].iter().any(is_core) => (Style::Plain, span),
            Written::Plain if !is_core(&"str") => (Style::Plain, span),
            _ => (Style::Quoted, span),
        };
        let size = 1 + value.len() / UNIT;
        let node = Node {
            kind: Kind::Scalar(Scalar { text, style }),
            span,
            tag: tag.and_then(custom),
        };
        Built {
            node,
            place: span,
            depth: 0,
            size,
        }
    }

    /// The same bytes of the source, of which the parser saw a changed copy; what it decoded stays.
    fn original(&self, text: &Mapped) -> Mapped {
        let decoded = text.text();
        let seen = self.text.as_bytes();
        let is_seen = |at: usize| seen.get(text.origin(at) as usize) == decoded.as_bytes().get(at);
        let mut original = Mapped::default();
        for run in text.runs(0..decoded.len()) {
            let mut at = run.start;
            while at < run.end {
                let verbatim = is_seen(at);
                let end = (at..run.end)
                    .find(|&next| is_seen(next) != verbatim)
                    .unwrap_or(run.end);
                let from = text.origin(at) as usize;
                let bytes = self.source.get(from..from + end - at).filter(|_| verbatim);
                original.push(
                    bytes.or(decoded.get(at..end)).unwrap_or_default(),
                    from as u32,
                );
                at = end;
            }
        }
        original
    }

    /// Comments of whatever language a block scalar is in.
    fn block_comments(&mut self, text: &Mapped) {
        let mut at = 0;
        for line in text.text().split_inclusive('\n') {
            let content = line.trim();
            if content.starts_with('#') {
                let from = at + line.len() - line.trim_start().len();
                self.yaml
                    .comments
                    .push(text.span(from, from + content.len()));
            }
            at += line.len();
        }
    }

    /// Resolves merge keys: what a map has itself wins, then what comes first. Of a key that is there twice the last counts.
    fn merged(&mut self, entries: Vec<Entry>) -> Vec<Entry> {
        let (merges, own): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_merge);
        let mut own = self.without_twins(own);
        if merges.is_empty() {
            return own;
        }
        let mut names: HashSet<String> = own
            .iter()
            .filter_map(|entry| entry.name().map(str::to_owned))
            .collect();
        for merge in merges {
            let maps = match merge.value.kind {
                Kind::List(items) => items,
                _ => vec![merge.value],
            };
            for map in maps {
                let Kind::Map(entries) = map.kind else {
                    self.problem(merge.span, "<< takes a map or a list of maps".to_owned());
                    continue;
                };
                own.extend(entries.into_iter().filter(|entry| {
                    entry
                        .name()
                        .is_none_or(|name| names.insert(name.to_owned()))
                }));
            }
        }
        own
    }

    fn without_twins(&mut self, entries: Vec<Entry>) -> Vec<Entry> {
        let mut seen = HashSet::new();
        let mut twins = Vec::new();
        let mut kept = Vec::with_capacity(entries.len());
        for entry in entries.into_iter().rev() {
            match entry.name() {
                Some(name) if !seen.insert(name.to_owned()) => twins.push(entry.key),
                _ => kept.push(entry),
            }
        }
        for key in twins.into_iter().rev() {
            let name = excerpt(key.text().unwrap_or_default());
            self.problem(
                key.span,
                format!("the key `{name}` is there again below, and the last one counts"),
            );
        }
        kept.reverse();
        kept
    }
}

/// Keys and values in turn, as entries.
fn entries(built: Vec<Built>) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(built.len() / 2);
    let mut built = built.into_iter();
    while let (Some(key), Some(mut value)) = (built.next(), built.next()) {
        if value.node.is_null() && value.place.is_empty() {
            // nothing stands after the key, whatever the place of the next token
            value.place = Span {
                start: key.place.end,
                end: key.place.end,
            };
            value.node.span = value.place;
        }
        entries.push(Entry {
            span: key.place.to(value.place),
            key: key.node,
            value: value.node,
        });
    }
    entries
}

fn is_merge(entry: &Entry) -> bool {
    matches!(&entry.key.kind, Kind::Scalar(Scalar { text, style: Style::Plain }) if text.text() == "<<")
}

fn null(span: Span) -> Built {
    let node = Node {
        kind: Kind::Null,
        span,
        tag: None,
    };
    Built {
        node,
        place: span,
        depth: 0,
        size: 1,
    }
}

/// A tag that is none of YAML's own.
fn custom(tag: &Tag) -> Option<String> {
    (!tag.is_yaml_core_schema()).then(|| tag.original())
}
