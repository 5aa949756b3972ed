//! Build arguments in HCL.
use super::super::layout::Layout;
use super::{Change, before_first};
use crate::span::Span;
use crate::text::hcl::{self, Attribute, Block, Expression, Kind};

/// The targets of a file of Bake.
pub(super) struct Targets<'t> {
    pub(super) layout: Layout<'t>,
    targets: Vec<Block>,
}

impl<'t> Targets<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut targets = hcl::parse(text).body.blocks;
        targets.retain(|block| block.kind == "target");
        Self {
            layout: Layout(text),
            targets,
        }
    }

    fn block(&self, target: Span) -> Option<&Block> {
        self.targets.iter().find(|block| block.span == target)
    }

    /// Whether a key is this name, in quotes or without.
    fn is(&self, key: &Expression, name: &str) -> bool {
        let written = self.layout.0.get(key.span.range());
        written.is_some_and(|written| written.trim_matches('"') == name)
    }

    /// An argument that is there, with nothing as its value.
    pub(super) fn filled(&self, target: Span, name: &str, value: &str) -> Option<Vec<Change>> {
        let args = self.block(target)?.body.get("args")?;
        let Kind::Map(entries) = &args.value.kind else {
            return None;
        };
        let (_, old) = entries.iter().find(|(key, _)| self.is(key, name))?;
        (self.layout.0.get(old.span.range())? == "\"\"").then(|| {
            let text = format!("\"{value}\"");
            vec![Change {
                span: old.span,
                text,
            }]
        })
    }

    /// An argument that is not there.
    pub(super) fn inserted(&self, target: Span, name: &str, value: &str) -> Option<Vec<Change>> {
        let block = self.block(target)?;
        let change = match block.body.get("args") {
            Some(args) => self.within_args(args, name, value),
            None => self.with_args(block, name, value),
        };
        change.map(|change| vec![change])
    }

    fn within_args(&self, args: &Attribute, name: &str, value: &str) -> Option<Change> {
        let Kind::Map(entries) = &args.value.kind else {
            return None;
        };
        if entries.iter().any(|(key, _)| self.is(key, name)) {
            return None;
        }
        let item = format!("{name} = \"{value}\"");
        let span = args.value.span;
        match entries.first() {
            Some((first, _)) => {
                let (open, first) = (span.start as usize, first.span.start as usize);
                Some(before_first(self.layout, open, first, &item, ""))
            }
            None => {
                let is_empty = self.layout.0.get(span.range())? == "{}";
                let text = format!("{{ {item} }}");
                is_empty.then_some(Change { span, text })
            }
        }
    }

    /// `args` in a target that has none: below the last attribute.
    fn with_args(&self, block: &Block, name: &str, value: &str) -> Option<Change> {
        let attributes = &block.body.attributes;
        let indent = self
            .layout
            .indent(attributes.first()?.span.start as usize)?;
        let last = attributes
            .iter()
            .map(|attribute| attribute.span.end)
            .max()?;
        let lines = [
            format!("{indent}args = {{"),
            format!("{indent}{indent}{name} = \"{value}\""),
            format!("{indent}}}"),
        ];
        let (at, text) = self.layout.lines_below(last as usize, &lines);
        Some(Change::new(at, at, text))
    }
}
