//! The documents as one job sees them: what it extends, and what it refers to.
use crate::span::Span;
use crate::text::mapped::Mapped;
use crate::text::yaml::{Entry, Kind as Value, Node};
use elsa::FrozenVec;
use std::cell::Cell;
use std::collections::BTreeSet;

/// `!reference [job, key]` stands for what another job has there.
pub(super) const REFERENCE: &str = "!reference";
/// `extends` and `!reference` are followed this deep, as GitLab does.
const MAX_DEPTH: usize = 11;
/// A job has no more references than this.
const MAX_REFERENCES: usize = 1000;

/// A document.
pub(super) enum Root {
    /// Of the file itself.
    Own(Node),
    /// Of a file around it.
    Other(Node),
}

/// The documents as one job sees them.
pub(super) struct File<'y> {
    roots: &'y [Root],
    /// Where what other files hold stands: at the name of the job.
    place: Span,
    /// What is included from elsewhere, in words.
    left_out: &'y str,
    /// What was taken from them.
    moved: FrozenVec<Box<Node>>,
    /// How many references may still be followed.
    left: Cell<usize>,
}

/// What a job is made of: what it extends, and itself at the end. A later layer wins.
pub(super) type Layers<'y> = Vec<&'y Node>;

impl<'y> File<'y> {
    /// What the job at `place` sees.
    pub(super) fn new(roots: &'y [Root], place: Span, left_out: &'y str) -> Self {
        Self {
            roots,
            place,
            left_out,
            moved: FrozenVec::new(),
            left: Cell::new(MAX_REFERENCES),
        }
    }

    /// All that documents hold by a name at their top, the later over the earlier.
    pub(super) fn all<'f>(&'f self, name: &str) -> impl DoubleEndedIterator<Item = &'f Entry> {
        self.roots.iter().filter_map(move |root| match root {
            Root::Own(root) => root.entry(name),
            Root::Other(root) => {
                let span = self.place;
                let found = root.entry(name)?;
                let entry = Entry {
                    key: found.key.moved(span),
                    value: found.value.moved(span),
                    span,
                };
                let kept = self.moved.push_get(Box::new(Node {
                    kind: Value::Map(vec![entry]),
                    span,
                    tag: None,
                }));
                kept.entries().first()
            }
        })
    }

    pub(super) fn top<'f>(&'f self, name: &str) -> Option<&'f Node> {
        self.all(name).next_back().map(|entry| &entry.value)
    }

    fn layers<'f>(&'f self, node: &'f Node, seen: &mut BTreeSet<String>, layers: &mut Layers<'f>) {
        if seen.len() < MAX_DEPTH * MAX_DEPTH {
            for parent in node
                .get("extends")
                .map_or(&[][..], Node::one_or_many)
                .iter()
                .filter_map(Node::text)
            {
                if seen.insert(parent.to_owned())
                    && let Some(node) = self.top(parent)
                {
                    self.layers(node, seen, layers);
                }
            }
        }
        layers.push(node);
    }

    /// The layers of a job.
    pub(super) fn layers_of<'f>(&'f self, job: &'f Node) -> Layers<'f> {
        let mut layers = Layers::new();
        self.layers(job, &mut BTreeSet::new(), &mut layers);
        layers
    }

    /// What a job extends or refers to and nobody has read, in words, with its place: it may set anything.
    pub(super) fn unread(&self, layers: &Layers<'_>) -> Option<(String, Span)> {
        let extends = layers.iter().filter_map(|layer| layer.entry("extends"));
        let mut names = extends.flat_map(|entry| {
            let names = entry.value.one_or_many().iter().filter_map(Node::text);
            names.map(|name| (name, entry.span))
        });
        let extended = names
            .find(|(name, _)| self.top(name).is_none())
            .map(|(name, span)| (format!("{name}, which the job extends,"), span));
        let (what, span) = extended.or_else(|| self.dangling(layers))?;
        let mut why = format!("{what} is in none of the files that are read");
        if !self.left_out.is_empty() {
            why.push_str(&format!(
                "; what is included from elsewhere is not: {}",
                self.left_out
            ));
        }
        Some((why, span))
    }

    /// A reference of the job that leads nowhere.
    fn dangling(&self, layers: &Layers<'_>) -> Option<(String, Span)> {
        let default = self.top("default");
        let of = |key: &str| {
            let own = layers.iter().rev().find_map(|layer| layer.entry(key));
            own.or_else(|| default?.entry(key))
                .or_else(|| self.all(key).next_back())
        };
        let settings = layers.iter().filter_map(|layer| layer.entry("variables"));
        let keys = ["image", "variables", "before_script", "script"];
        let mut entries = settings.chain(keys.iter().filter_map(|key| of(key)));
        entries.find_map(|entry| {
            let name = self.leads_nowhere(&entry.value, MAX_DEPTH)?;
            Some((format!("{name}, to which the job refers,"), entry.span))
        })
    }

    /// The first reference in a value that leads nowhere, as `.job: key`.
    fn leads_nowhere(&self, node: &Node, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        if node.tag.as_deref() == Some(REFERENCE) {
            let path: Vec<&str> = node.items().iter().filter_map(Node::text).collect();
            return match self.reference(node) {
                Some(target) => self.leads_nowhere(target, depth),
                None => Some(path.join(": ")),
            };
        }
        let items = node.items().iter();
        let inner = items.chain(node.entries().iter().map(|entry| &entry.value));
        inner
            .into_iter()
            .find_map(|inner| self.leads_nowhere(inner, depth))
    }

    /// The lines of a script: lists may stand in lists, and `!reference [job, key]` stands for those of another job.
    pub(super) fn texts<'f>(&'f self, node: &'f Node, texts: &mut Vec<&'f Mapped>) {
        self.texts_in(node, MAX_DEPTH, texts);
    }

    fn texts_in<'f>(&'f self, node: &'f Node, depth: usize, texts: &mut Vec<&'f Mapped>) {
        if depth == 0 {
            return;
        }
        if node.tag.as_deref() == Some(REFERENCE) {
            if let Some(target) = self.reference(node) {
                self.texts_in(target, depth - 1, texts);
            }
            return;
        }
        match &node.kind {
            Value::Scalar(scalar) => texts.push(&scalar.text),
            Value::List(items) => items
                .iter()
                .for_each(|item| self.texts_in(item, depth - 1, texts)),
            _ => {}
        }
    }

    fn reference<'f>(&'f self, node: &Node) -> Option<&'f Node> {
        self.left.set(self.left.get().checked_sub(1)?);
        let mut path = node.items().iter().map(Node::text);
        let mut at = self.top(path.next()??)?;
        let layers = self.layers_of(at);
        let key = path.next()??;
        at = layers.iter().rev().find_map(|layer| layer.get(key))?;
        path.try_fold(at, |at, key| at.get(key?))
    }

    /// A value, or what it refers to.
    pub(super) fn followed<'f>(&'f self, node: &'f Node) -> Option<&'f Node> {
        let mut at = node;
        for _ in 0..MAX_DEPTH {
            if at.tag.as_deref() != Some(REFERENCE) {
                return Some(at);
            }
            at = self.reference(at)?;
        }
        None
    }
}
