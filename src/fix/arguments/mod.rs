//! Build arguments, at those who give them: in the `args` of Compose, Bake and `devcontainer.json`, and as defaults in the
//! Dockerfile itself.
mod hcl;
mod names;
mod yaml;

pub(super) use names::arguments;

use super::apply;
use super::layout::Layout;
use crate::facts::{Caller, CallerFile, Edit};
use crate::front::kind::{Kind, kind_of};
use crate::front::{self, bake, compose, devcontainer};
use crate::span::Span;

/// The edits with which a caller gives an argument this value; `None` where none are known to.
pub(super) fn given(
    file: &CallerFile,
    caller: &Caller,
    name: &str,
    value: &str,
) -> Option<Vec<Edit>> {
    // what would mean something else within quotes
    if value.contains(['"', '\'', '$', '%', '\\', '\n']) {
        return None;
    }
    let source = Source::of(file)?;
    let known = caller.args.iter().find(|arg| arg.name == name);
    let changes = match known.map(|arg| (arg.text.as_deref(), arg.written)) {
        Some((Some(""), _)) => source.filled(caller.span, name, value),
        Some((Some(_), Some(written))) => source.corrected(written, value),
        // it is put together, or comes from elsewhere
        Some(_) => None,
        None => source.inserted(caller.span, name, value),
    }?;
    let edits = changes.into_iter().map(|change| Edit {
        path: file.path.clone(),
        offset: change.span.start,
        length: change.span.end - change.span.start,
        text: change.text,
    });
    let edits: Vec<Edit> = edits.collect();
    let read = |text: &str| (source.kind.read)(&front::source::Source::alone(text));
    let (before, after) = (read(&file.text), read(&apply(&file.text, &edits)));
    let same =
        before.scopes.len() == after.scopes.len() && after.problems.len() <= before.problems.len();
    same.then_some(edits)
}

/// Text in the place of other text.
struct Change {
    span: Span,
    text: String,
}

impl Change {
    fn new(start: usize, end: usize, text: String) -> Self {
        Self {
            span: Span::new(start, end),
            text,
        }
    }
}

/// A file that describes images.
struct Source<'t> {
    kind: &'static Kind,
    images: Images<'t>,
}

/// The images, by the language that they are described in.
enum Images<'t> {
    /// YAML and JSON.
    Tree(yaml::Images<'t>),
    /// HCL.
    Hcl(hcl::Targets<'t>),
}

impl<'t> Source<'t> {
    fn of(file: &'t CallerFile) -> Option<Self> {
        let (path, text) = (&file.path, &*file.text);
        let kind = kind_of(path, text)?;
        let is = |known: &Kind| std::ptr::eq(kind, known);
        let images = if is(&compose::KIND) {
            Images::Tree(yaml::Images::of_compose(text))
        } else if is(&devcontainer::KIND) {
            Images::Tree(yaml::Images::of_devcontainer(text))
        } else if is(&bake::KIND) && path.ends_with(".json") {
            Images::Tree(yaml::Images::of_bake(text))
        } else if is(&bake::KIND) {
            Images::Hcl(hcl::Targets::new(text))
        } else {
            return None;
        };
        Some(Self { kind, images })
    }

    fn inserted(&self, image: Span, name: &str, value: &str) -> Option<Vec<Change>> {
        match &self.images {
            Images::Tree(images) => images.inserted(image, name, value),
            Images::Hcl(targets) => targets.inserted(image, name, value),
        }
    }

    fn filled(&self, image: Span, name: &str, value: &str) -> Option<Vec<Change>> {
        match &self.images {
            Images::Tree(images) => images.filled(image, name, value),
            Images::Hcl(targets) => targets.filled(image, name, value),
        }
    }

    /// Another value where one is written: in its quotes, or in new ones where it stands alone and might be a number.
    fn corrected(&self, written: Span, value: &str) -> Option<Vec<Change>> {
        let text = match &self.images {
            Images::Tree(images) => images.layout.0,
            Images::Hcl(targets) => targets.layout.0,
        };
        let before = text.get(..written.start as usize)?;
        let after = text.get(written.end as usize..)?;
        let quotes = (before.chars().next_back(), after.chars().next());
        let quoted = matches!(quotes, (Some('"'), Some('"')) | (Some('\''), Some('\'')));
        let alone = match &self.images {
            Images::Tree(_) => before.trim_end().ends_with(':') && before.ends_with([' ', '\t']),
            Images::Hcl(_) => true,
        };
        let text = match alone && !quoted {
            true => format!("\"{value}\""),
            false => value.to_owned(),
        };
        Some(vec![Change {
            span: written,
            text,
        }])
    }
}

/// An item before the first one within brackets: in a line of its own, where the first one has one.
fn before_first(layout: Layout<'_>, open: usize, first: usize, item: &str, comma: &str) -> Change {
    match layout.indent(first) {
        Some(indent) => {
            let line = [format!("{indent}{item}{comma}")];
            let (at, text) = layout.lines_below(open, &line);
            Change::new(at, at, text)
        }
        None => Change::new(first, first, format!("{item}, ")),
    }
}
