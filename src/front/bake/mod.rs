//! Bake: for each target, in each row of its matrix, the `docker build` that it stands for. Paths are those of the folder in
//! which Bake is run: as a rule that of the file.
mod json;
mod values;

use super::document::{Document, Scope, Unit, World};
use super::image_build::{self, Argument, ImageBuild, below};
use super::kind::{Kind, file_name};
use crate::span::Span;
use crate::text::hcl::{self, Block, Body};
use crate::text::word::Word;
use crate::text::yaml;
use std::collections::{BTreeMap, BTreeSet};
use values::{Field, Row, Value, Values};

/// The kind of Bake's files.
pub static KIND: Kind = Kind {
    name: "bake",
    is_at: |path| is_bake(path) && !file_name(path).contains(".override."),
    is_in: |_| true,
    read: |source| read(source, false),
};

/// The kind of the files that Bake lays over others: what they leave open stands there.
pub static OVERRIDE: Kind = Kind {
    name: "bake-override",
    is_at: |path| is_bake(path) && file_name(path).contains(".override."),
    is_in: |_| true,
    read: |source| read(source, true),
};

fn is_bake(path: &str) -> bool {
    let name = file_name(path);
    name.contains("bake")
        && (name.ends_with(".hcl") || (name.ends_with(".json") && name.contains("docker-bake")))
}

/// More rows than this are not told apart.
const MAX_ROWS: usize = 64;
/// A target inherits from others this deep.
const MAX_DEPTH: usize = 32;

/// Reads a file of Bake, in HCL or in JSON.
fn read(source: &str, is_override: bool) -> Document {
    let is_json = source
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with(['{', '[']);
    let (body, problems) = if is_json {
        let yaml = yaml::parse_json(source);
        let body = yaml.documents.first().map(json::body);
        (body.unwrap_or_default(), yaml.problems)
    } else {
        let hcl = hcl::parse(source);
        (hcl.body, hcl.problems)
    };
    let file = File {
        body: &body,
        values: Values::new(source, &body),
    };
    let mut document = Document {
        unit: Unit::Job,
        problems,
        ..Document::default()
    };
    let bases = file.bases();
    let mut seen = BTreeSet::new();
    for block in file.targets() {
        let name = block.label.as_str();
        if seen.insert(name) && !bases.contains(name) {
            file.builds(block, is_override, &mut document);
        }
    }
    document
}

struct File<'b> {
    body: &'b Body,
    values: Values<'b>,
}

/// What is known of a target, what it inherits included.
#[derive(Clone, Default)]
struct Target {
    attributes: BTreeMap<String, Value>,
    args: Vec<Field>,
    /// Something of it is not known that could be anything.
    open: bool,
}

impl<'b> File<'b> {
    fn targets(&self) -> impl Iterator<Item = &'b Block> {
        self.body.blocks.iter().filter(|b| b.kind == "target")
    }

    /// The blocks of one target: those with the same name are one.
    fn blocks_of(&self, name: &str) -> impl Iterator<Item = &'b Block> {
        self.targets().filter(move |block| block.label == name)
    }

    /// The targets that are only there for others.
    fn bases(&self) -> BTreeSet<String> {
        let names = |kind: &str, attribute: &str| {
            let blocks = self.body.blocks.iter().filter(|b| b.kind == kind);
            let lists = blocks.filter_map(|b| b.body.get(attribute));
            let lists = lists.map(|a| list(self.values.of(&a.value, &Row::new())));
            lists
                .flatten()
                .filter_map(|v| v.text())
                .collect::<BTreeSet<_>>()
        };
        let grouped = names("group", "targets");
        let mut bases = names("target", "inherits");
        bases.retain(|name| !grouped.contains(name) && name != "default");
        bases
    }

    /// The builds that a target stands for: one a row of its matrix.
    fn builds(&self, block: &Block, is_override: bool, document: &mut Document) {
        let inline = |b: &Block| b.body.get("dockerfile-inline").map(|a| a.span);
        let inline = self.blocks_of(&block.label).find_map(inline);
        if let Some(span) = inline {
            document
                .scopes
                .push(image_build::inline(&block.label, span));
        }
        // where the rows are not known, neither is what they name
        let rows = self.rows(&block.label);
        for row in rows.unwrap_or_else(|| vec![Row::new()]) {
            let mut attributes = self.blocks_of(&block.label);
            let named = attributes.find_map(|b| b.body.get("name"));
            let title = named.and_then(|name| self.values.of(&name.value, &row).text());
            let target = self.target(&block.label, &row, MAX_DEPTH, &mut BTreeMap::new());
            let title = title.unwrap_or_else(|| block.label.clone());
            if let Some(scope) = target.build(&title, block.span, is_override) {
                document.scopes.push(Scope {
                    worlds: world(&row).into_iter().collect(),
                    ..scope
                });
            }
        }
    }

    /// The rows of a target's matrix, the one of a target without included; `None` where they are not known.
    fn rows(&self, name: &str) -> Option<Vec<Row>> {
        let mut rows = vec![Row::new()];
        let Some(matrix) = self.blocks_of(name).find_map(|b| b.body.get("matrix")) else {
            return Some(rows);
        };
        let Value::Map(axes) = self.values.of(&matrix.value, &Row::new()) else {
            return None;
        };
        for axis in axes {
            let Value::List(values) = axis.value else {
                return None;
            };
            if rows.len() * values.len() > MAX_ROWS {
                return None;
            }
            let grown = rows.iter().flat_map(|row| {
                let name = &axis.name;
                values.iter().map(move |value| {
                    let mut row = row.clone();
                    row.push((name.clone(), value.clone()));
                    row
                })
            });
            rows = grown.collect();
        }
        Some(rows)
    }

    /// A target with all that it inherits; a later parent wins, and the target's own wins.
    fn target(
        &self,
        name: &str,
        row: &Row,
        depth: usize,
        known: &mut BTreeMap<String, Target>,
    ) -> Target {
        let mut target = Target::default();
        let mut blocks = self.blocks_of(name).peekable();
        if depth == 0 || blocks.peek().is_none() {
            // of another file, or of its own parents
            target.open = true;
            return target;
        }
        let blocks: Vec<&Block> = blocks.collect();
        let parents = blocks.iter().filter_map(|b| b.body.get("inherits"));
        for parent in parents.flat_map(|p| list(self.values.of(&p.value, row))) {
            let Some(parent) = parent.text() else {
                target.open = true;
                continue;
            };
            let parent = match known.get(&parent) {
                Some(parent) => parent.clone(),
                None => {
                    let found = self.target(&parent, &Row::new(), depth - 1, known);
                    known.insert(parent, found.clone());
                    found
                }
            };
            target.lay(parent);
        }
        for block in blocks {
            target.lay(self.own(block, row));
        }
        target
    }

    /// What a block says itself.
    fn own(&self, block: &Block, row: &Row) -> Target {
        let mut target = Target::default();
        for attribute in &block.body.attributes {
            let value = self.values.of(&attribute.value, row);
            match (attribute.name.as_str(), value) {
                (_, Value::Null) => {}
                ("args", Value::Map(args)) => target.args = args,
                ("args", _) => target.open = true,
                (
                    "context" | "dockerfile" | "dockerfile-inline" | "target" | "platforms",
                    value,
                ) => {
                    target.attributes.insert(attribute.name.clone(), value);
                }
                _ => {}
            }
        }
        target
    }
}

impl Target {
    fn lay(&mut self, over: Self) {
        self.attributes.extend(over.attributes);
        for arg in over.args {
            self.args.retain(|known| known.name != arg.name);
            self.args.push(arg);
        }
        self.open |= over.open;
    }

    /// The build of it; `None` where too little is known of it.
    fn build(mut self, title: &str, span: Span, is_override: bool) -> Option<Scope> {
        let mut word = |name: &str| -> Option<Word> {
            let value = self.attributes.remove(name)?;
            list(value).into_iter().next()?.word()
        };
        let (context, dockerfile) = (word("context"), word("dockerfile"));
        let is_elsewhere = is_override && context.is_none() && dockerfile.is_none();
        if self.open || is_elsewhere || word("dockerfile-inline").is_some() {
            return None;
        }
        let args = self.args.into_iter().filter_map(|field| {
            Some(Argument {
                name: field.name,
                value: Some(field.value.word()?),
                span: field.span,
            })
        });
        let build = ImageBuild {
            span,
            args: args.collect(),
            target: word("target"),
            platform: word("platforms"),
            file: dockerfile.map(|file| below(context.as_ref(), file)),
            context,
        };
        Some(build.scope(title))
    }
}

/// The items of a list, or the value itself.
fn list(value: Value) -> Vec<Value> {
    match value {
        Value::List(items) => items,
        value => vec![value],
    }
}

/// What tells a row from the others.
fn world(row: &Row) -> Option<World> {
    let names = row.iter().map(|(name, value)| (name.clone(), shown(value)));
    let names: Vec<(String, String)> = names.collect();
    (!names.is_empty()).then(|| World {
        names,
        values: Vec::new(),
    })
}

fn shown(value: &Value) -> String {
    match value {
        Value::Map(fields) => {
            let fields = fields.iter().map(|field| shown(&field.value));
            fields.collect::<Vec<_>>().join("/")
        }
        value => value.text().unwrap_or_else(|| "?".to_owned()),
    }
}
