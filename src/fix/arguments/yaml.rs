//! Build arguments in YAML and JSON.
use super::super::layout::Layout;
use super::{Change, before_first};
use crate::span::Span;
use crate::text::yaml::{self, Entry, Kind, Node, Scalar, Style};

/// The images that a file describes.
pub(super) struct Images<'t> {
    pub(super) layout: Layout<'t>,
    images: Vec<Image>,
}

/// The description of an image.
struct Image {
    /// Its place, as its caller has it.
    span: Span,
    /// Under its name.
    entry: Entry,
}

impl<'t> Images<'t> {
    /// `services: {app: {build: …}}`
    pub(super) fn of_compose(text: &'t str) -> Self {
        let yaml = yaml::parse(text);
        let services = yaml.documents.first().and_then(|root| root.get("services"));
        let builds = services.map_or(&[][..], Node::entries).iter();
        let builds = builds.filter_map(|service| service.value.entry("build"));
        Self::new(text, builds.map(|entry| (entry.span, entry)))
    }

    /// `{"build": …}`
    pub(super) fn of_devcontainer(text: &'t str) -> Self {
        let yaml = yaml::parse_json(text);
        let root = yaml.documents.first();
        let build = root.and_then(|root| root.entry("build"));
        Self::new(text, build.into_iter().map(|entry| (entry.span, entry)))
    }

    /// `{"target": {"app": …}}`
    pub(super) fn of_bake(text: &'t str) -> Self {
        let yaml = yaml::parse_json(text);
        let targets = yaml.documents.first().and_then(|root| root.get("target"));
        let targets = targets.map_or(&[][..], Node::entries).iter();
        Self::new(text, targets.map(|entry| (entry.key.span, entry)))
    }

    fn new<'e>(text: &'t str, images: impl Iterator<Item = (Span, &'e Entry)>) -> Self {
        let images = images.map(|(span, entry)| Image {
            span,
            entry: entry.clone(),
        });
        Self {
            layout: Layout(text),
            images: images.collect(),
        }
    }

    fn entry(&self, image: Span) -> Option<&Entry> {
        let mut images = self.images.iter();
        Some(&images.find(|known| known.span == image)?.entry)
    }

    /// An argument that is there, with nothing as its value.
    pub(super) fn filled(&self, image: Span, name: &str, value: &str) -> Option<Vec<Change>> {
        let args = self.entry(image)?.value.get("args")?;
        if let Some(entry) = args.entry(name) {
            let old = entry.value.span;
            let quotes = self.layout.0.get(old.range())?;
            return matches!(quotes, "\"\"" | "''").then(|| {
                let quote = &quotes[..1];
                let text = format!("{quote}{value}{quote}");
                vec![Change { span: old, text }]
            });
        }
        let start = format!("{name}=");
        let mut items = args.items().iter().filter_map(Node::scalar);
        let item = items.find(|item| *item.text() == start)?;
        let end = item.origin(start.len()) as usize;
        Some(vec![Change::new(end, end, value.to_owned())])
    }

    /// An argument that is not there.
    pub(super) fn inserted(&self, image: Span, name: &str, value: &str) -> Option<Vec<Change>> {
        let build = self.entry(image)?;
        let change = match build.value.entry("args") {
            Some(args) => self.within_args(args, name, value),
            None => match &build.value.kind {
                Kind::Map(entries) => self.with_args(build, entries, name, value),
                Kind::Scalar(_) => return self.in_long_form(build, name, value),
                _ => None,
            },
        };
        change.map(|change| vec![change])
    }

    /// Into `args`, a map or a list.
    fn within_args(&self, args: &Entry, name: &str, value: &str) -> Option<Change> {
        // a name without a value is a variable of whoever builds
        let mut items = args.value.items().iter();
        if args.value.entry(name).is_some() || items.any(|item| item.text() == Some(name)) {
            return None;
        }
        let (open, span) = (args.key.span.start as usize, args.value.span);
        let first = match &args.value.kind {
            Kind::Map(entries) => entries.first().map(|entry| entry.span),
            Kind::List(items) => items.first().map(|item| item.span),
            Kind::Null => return self.below_args(args, name, value),
            Kind::Scalar(_) => return None,
        };
        let is_list = matches!(args.value.kind, Kind::List(_));
        let written = self.layout.0.get(span.range())?;
        let Some(first) = first else {
            let item = self.item(args, is_list, name, value);
            let text = match written {
                "{}" => format!("{{{item}}}"),
                "[]" => format!("[{item}]"),
                _ => return None,
            };
            return Some(Change { span, text });
        };
        // what is merged in or stands for an alias is written elsewhere
        if !args.span.contains(first) {
            return None;
        }
        let start = first.start as usize;
        if written.starts_with(['{', '[']) {
            let item = self.item(args, is_list, name, value);
            let open = span.start as usize;
            return Some(before_first(self.layout, open, start, &item, ","));
        }
        let line_start = self.layout.line_start(start);
        let lead = self.layout.0.get(line_start..start)?;
        let line = match is_list {
            false if lead.trim().is_empty() => format!("{lead}{name}: \"{value}\""),
            true if lead.trim() == "-" => {
                let quote = self.layout.0.get(start..=start)?;
                let quote = Some(quote).filter(|quote| matches!(*quote, "\"" | "'"));
                let quote = quote.unwrap_or_default();
                format!("{lead}{quote}{name}={value}{quote}")
            }
            _ => return None,
        };
        let (at, text) = self.layout.lines_below(open, &[line]);
        Some(Change::new(at, at, text))
    }

    /// One within brackets; in JSON, the key is quoted as others are.
    fn item(&self, args: &Entry, is_list: bool, name: &str, value: &str) -> String {
        let key = self.key(args, name);
        match is_list {
            true => format!("\"{name}={value}\""),
            false => format!("{key}: \"{value}\""),
        }
    }

    /// A key, quoted like that of an entry.
    fn key(&self, like: &Entry, name: &str) -> String {
        let start = like.key.span.start as usize;
        match self.layout.0.get(start..=start) {
            Some("\"") => format!("\"{name}\""),
            _ => name.to_owned(),
        }
    }

    /// Under `args:` with nothing behind it.
    fn below_args(&self, args: &Entry, name: &str, value: &str) -> Option<Change> {
        let key = args.key.span;
        let indent = self.layout.indent(key.start as usize)?;
        let rest = self.layout.0.get(key.end as usize..)?;
        let rest = rest.strip_prefix(':')?.lines().next().unwrap_or_default();
        if !rest.trim().is_empty() && !rest.trim_start().starts_with('#') {
            return None;
        }
        let line = format!("{indent}  {name}: \"{value}\"");
        let (at, text) = self.layout.lines_below(key.start as usize, &[line]);
        Some(Change::new(at, at, text))
    }

    /// `args` in a description that has none.
    fn with_args(
        &self,
        build: &Entry,
        entries: &[Entry],
        name: &str,
        value: &str,
    ) -> Option<Change> {
        let span = build.value.span;
        let own = |entry: &&Entry| build.span.contains(entry.span) || span.contains(entry.span);
        let first = entries.iter().find(own)?;
        let start = first.key.span.start as usize;
        if self.layout.0.get(span.range())?.starts_with('{') {
            let (args, key) = (self.key(first, "args"), self.key(first, name));
            let item = format!("{args}: {{{key}: \"{value}\"}}");
            let open = span.start as usize;
            return Some(before_first(self.layout, open, start, &item, ","));
        }
        let indent = self.layout.indent(start)?;
        let step = self.step(build, indent);
        let lines = [
            format!("{indent}args:"),
            format!("{indent}{step}{name}: \"{value}\""),
        ];
        let last = entries.iter().rfind(own)?;
        // below the last one, where it is plain to see where that ends
        let below = match &last.value.kind {
            Kind::Scalar(Scalar { style, .. }) if *style != Style::Block => last.value.span.end,
            _ => build.key.span.start,
        };
        let (at, text) = self.layout.lines_below(below as usize, &lines);
        Some(Change::new(at, at, text))
    }

    /// `build: folder` as `build: {context: folder, args: …}`.
    fn in_long_form(&self, build: &Entry, name: &str, value: &str) -> Option<Vec<Change>> {
        let (key, span) = (build.key.span, build.value.span);
        let context = self.layout.0.get(span.range())?;
        let Some(indent) = self.layout.indent(key.start as usize) else {
            let text = format!("{{context: {context}, args: {{{name}: \"{value}\"}}}}");
            return Some(vec![Change { span, text }]);
        };
        let colon = key.end as usize + 1;
        let lead = self.layout.0.get(colon..span.start as usize)?;
        if !lead.trim().is_empty() || lead.contains('\n') || context.contains('\n') {
            return None;
        }
        let lines = [
            format!("{indent}  context: {context}"),
            format!("{indent}  args:"),
            format!("{indent}    {name}: \"{value}\""),
        ];
        let (at, text) = self.layout.lines_below(key.start as usize, &lines);
        Some(vec![
            Change::new(colon, span.end as usize, String::new()),
            Change::new(at, at, text),
        ])
    }

    /// By how much the file indents what stands under a key.
    fn step(&self, under: &Entry, indent: &'t str) -> &'t str {
        let outer = self.layout.indent(under.key.span.start as usize);
        let step = outer.and_then(|outer| indent.strip_prefix(outer));
        step.filter(|step| !step.is_empty()).unwrap_or("  ")
    }
}
