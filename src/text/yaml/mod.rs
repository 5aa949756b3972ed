//! YAML as a tree whose keys and scalars know their bytes in the file. Numbers and booleans stay text: `on:` is a key, and
//! `8.0` keeps its zero.
mod mask;
mod scalar;
#[cfg(test)]
mod tests;
mod tree;

use super::Problem;
use super::mapped::Mapped;
use crate::span::Span;

/// A parsed file.
#[derive(Clone, Debug, Default)]
pub struct Yaml {
    /// Its documents. One that breaks off is left out, since nobody else would read it either; those after it are here.
    pub documents: Vec<Node>,
    /// Comments, from `#` to the end of their line: those of YAML, and the lines of block scalars that begin with `#`.
    pub comments: Vec<Span>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// A value. Where it comes from an alias, its spans are those of the anchored text.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// From its first to its last byte: quotes and brackets count; the header, indentation and last line break of a block
    /// scalar do not.
    pub span: Span,
    /// A tag of an application, such as `!reference`.
    pub tag: Option<String>,
}

/// The kinds of value.
#[derive(Clone, Debug, Default)]
pub enum Kind {
    /// Nothing, `~` or `null`.
    #[default]
    Null,
    /// Text; numbers and booleans too.
    Scalar(Scalar),
    /// `- a` or `[a]`.
    List(Vec<Node>),
    /// `a: b` or `{a: b}`: merge keys resolved, and each key once.
    Map(Vec<Entry>),
}

/// A scalar's text.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The decoded text. A character that was escaped has the place of the character after its backslash.
    pub text: Mapped,
    /// How it is written.
    pub style: Style,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As it is: it may be a number or a boolean to others.
    Plain,
    /// In quotes, or tagged as a string.
    Quoted,
    /// After `|` or `>`.
    Block,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Node,
    /// The value.
    pub value: Node,
    /// From the key to the end of the value as written here (an alias, where it is one).
    pub span: Span,
}

/// Reads a file. One that is no YAML is read once more as a template: its expressions become text, its statements nothing,
/// and one note says so.
pub fn parse(source: &str) -> Yaml {
    let strict = tree::read(&mask::without_mark(source), source);
    let Some(first) = strict
        .problems
        .iter()
        .find(|p| p.message.starts_with(BROKEN))
    else {
        return strict;
    };
    let template = parse_template(source);
    if template.problems.is_empty() && !template.documents.is_empty() && mask::is_template(source) {
        let note = Problem {
            span: first.span,
            message: "a template: read with its expressions unknown and all its branches taken"
                .to_owned(),
        };
        return Yaml {
            problems: vec![note],
            ..template
        };
    }
    strict
}

/// Reads a file whose `{{ … }}` and `{% … %}` some program fills in first: expressions become part of the text around them,
/// and all branches are taken, so that a key may be there twice without a note.
pub fn parse_template(source: &str) -> Yaml {
    let mut yaml = tree::read(&mask::mask(&mask::without_mark(source)), source);
    yaml.problems
        .retain(|problem| problem.message.starts_with(BROKEN));
    yaml
}

/// Reads JSON, as people write it: with comments, and commas after the last item.
pub fn parse_json(source: &str) -> Yaml {
    let (text, comments) = mask::json(&mask::without_mark(source));
    let mut yaml = tree::read(&text, source);
    yaml.comments = comments;
    for problem in &mut yaml.problems {
        if let Some(message) = problem.message.strip_prefix(BROKEN) {
            problem.message = format!("not JSON: {message}");
        }
    }
    yaml
}

/// How the note about a document that cannot be read begins.
const BROKEN: &str = "not YAML: ";

impl Node {
    /// The value of a key of a map; `None` for anything but a map.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of a key of a map.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries()
            .iter()
            .find(|entry| entry.name() == Some(key))
    }

    /// The entries of a map; none for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none for anything else.
    pub fn items(&self) -> &[Self] {
        match &self.kind {
            Kind::List(items) => items,
            _ => &[],
        }
    }

    /// The items of a list, or the value itself where one stands for a list of one; nothing for null.
    pub fn one_or_many(&self) -> &[Self] {
        match &self.kind {
            Kind::List(items) => items,
            Kind::Null => &[],
            _ => std::slice::from_ref(self),
        }
    }

    /// The text of a scalar, with its places.
    pub fn scalar(&self) -> Option<&Mapped> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(&scalar.text),
            _ => None,
        }
    }

    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        self.scalar().map(Mapped::text)
    }

    /// Whether there is nothing here.
    pub fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Null)
    }
}

impl Node {
    /// The same as part of another file, where all of it stands at one place.
    pub fn moved(&self, span: Span) -> Self {
        let kind = match &self.kind {
            Kind::Null => Kind::Null,
            Kind::Scalar(scalar) => {
                let mut text = Mapped::default();
                text.push_all_from(scalar.text.text(), span.start);
                Kind::Scalar(Scalar { text, ..*scalar })
            }
            Kind::List(items) => Kind::List(items.iter().map(|item| item.moved(span)).collect()),
            Kind::Map(entries) => {
                let entry = |entry: &Entry| Entry {
                    key: entry.key.moved(span),
                    value: entry.value.moved(span),
                    span,
                };
                Kind::Map(entries.iter().map(entry).collect())
            }
        };
        Self {
            kind,
            span,
            tag: self.tag.clone(),
        }
    }
}

impl Entry {
    /// The text of the key, if it is text.
    pub fn name(&self) -> Option<&str> {
        self.key.text()
    }
}
