//! Bake: for each target, in each row of its matrix, the `docker build` that it stands for. Paths are those of the folder in
//! which Bake is run: as a rule that of the file.
mod json;
mod target;
mod values;

use super::compose::{self, Service};
use super::document::{Document, Scope, Unit, World};
use super::image_build::{self, Asked};
use super::kind::{Kind, Role, file_name};
use super::source::Source;
use crate::text::Problem;
use crate::text::hcl::{self, Block, Body};
use crate::text::word::Word;
use crate::text::yaml::{self, Node};
use std::collections::{BTreeMap, BTreeSet};
use target::{Target, argument, composed, list};
use values::{Row, Value, Values};

/// The kind of Bake's files.
pub static KIND: Kind = Kind {
    name: "bake",
    role: Role::Images,
    is_at: |path| is_bake(path) && !file_name(path).contains(".override."),
    is_in: |_| true,
    read: |source| read(source, false),
};

/// The kind of the files that Bake lays over others: what they leave open stands there.
pub static OVERRIDE: Kind = Kind {
    name: "bake-override",
    role: Role::Images,
    is_at: |path| is_bake(path) && file_name(path).contains(".override."),
    is_in: |_| true,
    read: |source| read(source, true),
};

/// Whether a kind is one of those of Bake.
pub fn is_one(kind: &Kind) -> bool {
    [&KIND, &OVERRIDE]
        .iter()
        .any(|own| std::ptr::eq(*own, kind))
}

fn is_bake(path: &str) -> bool {
    let name = file_name(path);
    name.contains("bake")
        && (name.ends_with(".hcl") || (name.ends_with(".json") && name.contains("docker-bake")))
}

/// The files that Bake looks for; it lays all that are there over each other.
pub const LOOKED_FOR: [&[&str]; 8] = [
    &["compose.yaml"],
    &["compose.yml"],
    &["docker-compose.yml"],
    &["docker-compose.yaml"],
    &["docker-bake.json"],
    &["docker-bake.hcl"],
    &["docker-bake.override.json"],
    &["docker-bake.override.hcl"],
];

/// More rows than this are not told apart.
const MAX_ROWS: usize = 64;
/// A target inherits from others this deep.
const MAX_DEPTH: usize = 32;

/// Reads a file of Bake, in HCL or in JSON, with what Bake lays over it. What stands under it already is left to that file.
fn read(source: &Source<'_>, is_override: bool) -> Document {
    let (texts, own) = source.layers(&LOOKED_FOR);
    let layers: Vec<Layer> = texts.iter().map(|text| Layer::new(text)).collect();
    let is_alone = is_override && layers.len() == 1;
    let scopes = scopes(&layers, is_alone, &Asked::default()).into_iter();
    let own_scopes = scopes.filter(|(layer, _)| *layer == own);
    Document {
        unit: Unit::Job,
        scopes: own_scopes.map(|(_, scope)| scope).collect(),
        problems: layers
            .into_iter()
            .nth(own)
            .map_or_else(Vec::new, |layer| layer.problems),
        ..Document::default()
    }
}

/// The builds that a command asks of files that are laid over each other, each with the file that describes it first.
pub fn together<T: AsRef<str>>(texts: &[T], asked: &Asked<'_>) -> Vec<(usize, Scope)> {
    let layers: Vec<Layer> = texts.iter().map(|text| Layer::new(text.as_ref())).collect();
    scopes(&layers, false, asked)
}

/// One of the files that Bake lays over each other.
struct Layer<'s> {
    text: &'s str,
    /// Its blocks, where it is one of Bake's own.
    body: Body,
    /// Its services, where it is one of Compose's.
    services: Node,
    problems: Vec<Problem>,
}

impl<'s> Layer<'s> {
    fn new(text: &'s str) -> Self {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        let mut layer = Self {
            text,
            body: Body::default(),
            services: Node::default(),
            problems: Vec::new(),
        };
        if start.starts_with(['{', '[']) {
            let yaml = yaml::parse_json(text);
            layer.body = yaml.documents.first().map(json::body).unwrap_or_default();
            layer.problems = yaml.problems;
        } else if (compose::KIND.is_in)(text) {
            layer.services = compose::roots(&[text]).remove(0);
        } else {
            let hcl = hcl::parse(text);
            (layer.body, layer.problems) = (hcl.body, hcl.problems);
        }
        layer
    }
}

/// A block, with its file.
type Placed<'b> = (usize, &'b Block);

fn scopes(layers: &[Layer<'_>], is_alone: bool, asked: &Asked<'_>) -> Vec<(usize, Scope)> {
    let roots: Vec<Node> = layers.iter().map(|layer| layer.services.clone()).collect();
    let file = File {
        layers,
        services: compose::services(&roots),
        values: Values::new(
            layers.iter().map(|layer| (layer.text, &layer.body)),
            asked.environment,
        ),
        sets: &asked.sets,
        is_alone,
    };
    let asked = file.asked(&asked.names);
    let bases = file.bases();
    let mut seen = BTreeSet::new();
    let mut scopes = Vec::new();
    for (layer, block) in file.targets() {
        let name = block.label.as_str();
        let is_asked = asked
            .as_ref()
            .map_or(!bases.contains(name), |asked| asked.contains(name));
        if seen.insert(name) && is_asked {
            scopes.extend(file.builds(block).into_iter().map(|scope| (layer, scope)));
        }
    }
    let is_asked = |name: &str| asked.as_ref().is_none_or(|asked| asked.contains(name));
    for service in &file.services {
        if !seen.contains(service.name.as_str()) && is_asked(&service.name) {
            let scope = service.clone().scope(file.sets);
            scopes.push((service.layer, scope));
        }
    }
    scopes
}

struct File<'b> {
    layers: &'b [Layer<'b>],
    /// What files of Compose say; it is under what those of Bake do.
    services: Vec<Service>,
    values: Values<'b>,
    /// What a command sets.
    sets: &'b [(String, Word)],
    /// It is read without what it lies over.
    is_alone: bool,
}

impl<'b> File<'b> {
    fn blocks(&self, kind: &'static str) -> impl Iterator<Item = Placed<'b>> {
        let layers = self.layers.iter().enumerate();
        let blocks = layers.flat_map(|(at, layer)| layer.body.blocks.iter().map(move |b| (at, b)));
        blocks.filter(move |(_, block)| block.kind == kind)
    }

    fn targets(&self) -> impl Iterator<Item = Placed<'b>> {
        self.blocks("target")
    }

    /// The blocks of one target: those with the same name are one.
    fn blocks_of(&self, name: &str) -> impl Iterator<Item = Placed<'b>> {
        self.targets().filter(move |(_, block)| block.label == name)
    }

    /// The items of an attribute of blocks, in a row.
    fn items(
        &self,
        blocks: impl Iterator<Item = Placed<'b>>,
        attribute: &str,
        row: &Row,
    ) -> Vec<Value> {
        let lists = blocks.filter_map(|(at, block)| Some((at, block.body.get(attribute)?)));
        let lists = lists.map(|(at, list)| self.values.of(at, &list.value, row));
        lists.flat_map(list).collect()
    }

    /// The targets that a command names, by themselves or by their groups; `None` where it names none, or some that are not
    /// known.
    fn asked(&self, names: &[String]) -> Option<BTreeSet<String>> {
        let mut pending: Vec<String> = names.to_vec();
        let mut asked = BTreeSet::new();
        while let Some(name) = pending.pop() {
            let groups = self
                .blocks("group")
                .filter(|(_, group)| group.label == name);
            let members = self.items(groups, "targets", &Row::new());
            if asked.insert(name) {
                for member in members {
                    pending.push(member.text()?);
                }
            }
        }
        let is_described = |name: &String| {
            self.blocks_of(name).next().is_some() || self.services.iter().any(|s| s.name == *name)
        };
        asked.iter().any(is_described).then_some(asked)
    }

    /// The targets that are only there for others.
    fn bases(&self) -> BTreeSet<String> {
        let names = |kind: &'static str, attribute: &str| {
            let items = self.items(self.blocks(kind), attribute, &Row::new());
            items
                .iter()
                .filter_map(Value::text)
                .collect::<BTreeSet<_>>()
        };
        let grouped = names("group", "targets");
        let mut bases = names("target", "inherits");
        bases.retain(|name| !grouped.contains(name) && name != "default");
        bases
    }

    /// The builds that a target stands for: one a row of its matrix.
    fn builds(&self, block: &Block) -> Vec<Scope> {
        let name = block.label.as_str();
        let inline = |(_, b): Placed<'_>| b.body.get("dockerfile-inline").map(|a| a.span);
        let inline = self.blocks_of(name).find_map(inline);
        let mut scopes: Vec<Scope> = Vec::new();
        scopes.extend(inline.map(|span| image_build::inline(name, span)));
        // where the rows are not known, neither is what they name
        let rows = self.rows(name);
        for row in rows.unwrap_or_else(|| vec![Row::new()]) {
            let title = self
                .items(self.blocks_of(name), "name", &row)
                .first()
                .and_then(Value::text);
            let title = title.unwrap_or_else(|| name.to_owned());
            let target = self.target(name, &row, MAX_DEPTH, &mut BTreeMap::new());
            let composed = target.composed;
            if self.is_alone && !target.has_source() {
                continue;
            }
            let Some(mut image) = target.build(block.span) else {
                continue;
            };
            if self.layers.len() > 1 {
                // what other files say of it has no place in this one
                image = image.moved(block.span);
            }
            let scope = image.set(&title, self.sets).scope(&title);
            let scope = if composed {
                compose::with_settings(scope)
            } else {
                scope
            };
            scopes.push(Scope {
                alias: Some(name.to_owned()),
                worlds: world(&row).into_iter().collect(),
                ..scope
            });
        }
        scopes
    }

    /// The rows of a target's matrix, the one of a target without included; `None` where they are not known.
    fn rows(&self, name: &str) -> Option<Vec<Row>> {
        let mut rows = vec![Row::new()];
        let matrix = |(at, b): Placed<'b>| Some((at, b.body.get("matrix")?));
        let Some((at, matrix)) = self.blocks_of(name).filter_map(matrix).last() else {
            return Some(rows);
        };
        let Value::Map(axes) = self.values.of(at, &matrix.value, &Row::new()) else {
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
        let blocks: Vec<Placed<'b>> = self.blocks_of(name).collect();
        let service = self.services.iter().find(|service| service.name == name);
        if depth == 0 || blocks.is_empty() && service.is_none() {
            // of another file, or of its own parents
            target.open = true;
            return target;
        }
        for parent in self.items(blocks.iter().copied(), "inherits", row) {
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
        if let Some(service) = service {
            target.lay(composed(service.clone()));
        }
        for block in blocks {
            target.lay(self.own(block, row));
        }
        target
    }

    /// What a block says itself.
    fn own(&self, (at, block): Placed<'_>, row: &Row) -> Target {
        let mut target = Target::default();
        for attribute in &block.body.attributes {
            let value = self.values.of(at, &attribute.value, row);
            match (attribute.name.as_str(), value) {
                (_, Value::Null) => {}
                ("args", Value::Map(args)) => {
                    target.args = args.into_iter().filter_map(argument).collect()
                }
                ("args", _) => target.open = true,
                (
                    "context" | "dockerfile" | "dockerfile-inline" | "target" | "platforms"
                    | "tags",
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
