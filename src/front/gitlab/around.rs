//! The files of the repository around one of GitLab CI, as far as its jobs count on them.
use super::file::REFERENCE;
use crate::front::source::Source;
use crate::text::yaml::{self, Node};
use std::collections::BTreeSet;

/// More files are not included.
const MAX_INCLUDED: usize = 64;

/// The file that a pipeline begins with.
const PIPELINE: &str = ".gitlab-ci.yml";

/// Whether all that jobs extend and refer to is here.
fn knows_all(own: &[Node], others: &[Node]) -> bool {
    let jobs = own.iter().flat_map(Node::entries);
    jobs.flat_map(|job| counted_on(&job.value)).all(|name| {
        own.iter()
            .chain(others)
            .any(|root| root.get(name).is_some())
    })
}

/// The names of what a job extends and refers to.
fn counted_on(job: &Node) -> Vec<&str> {
    let extended = job.get("extends").map_or(&[][..], Node::one_or_many);
    let mut names: Vec<&str> = extended.iter().filter_map(Node::text).collect();
    let mut pending = vec![job];
    while let Some(node) = pending.pop() {
        if node.tag.as_deref() == Some(REFERENCE) {
            names.extend(node.items().first().and_then(Node::text));
        }
        pending.extend(node.items());
        pending.extend(node.entries().iter().map(|entry| &entry.value));
    }
    names
}

/// What documents include from other repositories and servers, or by patterns, in words.
pub(super) fn left_out(documents: &[Node]) -> String {
    let includes = documents.iter().filter_map(|root| root.get("include"));
    let items = includes.flat_map(Node::one_or_many).filter_map(|item| {
        if let Some(path) = item.text() {
            return is_elsewhere(path).then(|| path.to_owned());
        }
        let kinds = ["project", "template", "remote", "component", "local"];
        kinds.iter().find_map(|kind| {
            let of = item.get(kind)?.text()?;
            (*kind != "local" || is_elsewhere(of)).then(|| format!("{kind} {of}"))
        })
    });
    let items: Vec<String> = items.collect();
    items.join(", ")
}

/// Whether the path of an included file names one outside of the repository, or more than one.
fn is_elsewhere(path: &str) -> bool {
    path.contains("://") || path.contains(['*', '$'])
}

/// What the files around one hold, the included before those that include them.
pub(super) fn of(source: &Source<'_>, own: &[Node]) -> Vec<Node> {
    let mut around = Around {
        open: source.open,
        seen: BTreeSet::from([source.path.to_owned()]),
        roots: Vec::new(),
    };
    around.included_by(own);
    if !knows_all(own, &around.roots) && source.path != PIPELINE {
        around.read(PIPELINE);
    }
    around.roots
}

/// The files around one.
struct Around<'s> {
    open: &'s dyn Fn(&str) -> Option<String>,
    seen: BTreeSet<String>,
    roots: Vec<Node>,
}

impl Around<'_> {
    fn included_by(&mut self, documents: &[Node]) {
        for include in documents.iter().filter_map(|root| root.get("include")) {
            for item in include.one_or_many() {
                let path = item.get("local").unwrap_or(item).text();
                if let Some(path) = path.filter(|path| !is_elsewhere(path)) {
                    self.read(path.trim_start_matches('/'));
                }
            }
        }
    }

    /// What a file and those that it includes hold, the included before it.
    fn read(&mut self, path: &str) {
        if self.seen.len() > MAX_INCLUDED || !self.seen.insert(path.to_owned()) {
            return;
        }
        if let Some(text) = (self.open)(path) {
            let mut yaml = yaml::parse(&text);
            self.included_by(&yaml.documents);
            self.roots.append(&mut yaml.documents);
        }
    }
}
