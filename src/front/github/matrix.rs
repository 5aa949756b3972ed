//! `strategy.matrix`: its rows as worlds.
use super::text;
use crate::front::document::{Assign, Does, World};
use crate::span::Span;
use crate::text::expression::{Expression, parse};
use crate::text::mapped::Mapped;
use crate::text::template;
use crate::text::word::{Part, Word};
use crate::text::yaml::{Kind, Node};

/// Rows that are walked one by one; of a larger matrix, what varies is not known.
const MAX_ROWS: usize = 64;

/// One cell: what expressions find in it, by the path below `matrix.`, and where that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cell {
    key: String,
    parts: Vec<(String, Word)>,
    /// The cell in short.
    shown: String,
}

/// A row is one cell a key.
type Row = Vec<Cell>;

/// What a matrix makes of its job.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    /// The rows.
    pub(super) worlds: Vec<World>,
    /// What holds where there are no rows: all of it is unknown.
    pub(super) context: Vec<Does>,
    /// Where there are no rows: the values of the keys that are written out.
    pub(super) written: Vec<Assign>,
}

/// Reads the `matrix` of a job.
pub(super) fn read(node: &Node) -> Matrix {
    let Some(rows) = rows(node) else {
        return unknown(node);
    };
    if rows.len() > MAX_ROWS {
        let why = format!(
            "the matrix has more than {MAX_ROWS} rows: what varies in it counts as unknown"
        );
        let mut unknown = unknown(node);
        unknown.context.push(Does::PassedOver(why));
        return unknown;
    }
    let varies = |key: &str| {
        let cells = rows.iter().map(|row| row.iter().find(|c| c.key == key));
        let mut shown = cells.map(|cell| cell.map(|c| c.shown.as_str()));
        let first = shown.next();
        shown.any(|other| Some(other) != first)
    };
    let worlds = rows.iter().map(|row| World {
        names: row
            .iter()
            .filter(|cell| varies(&cell.key))
            .map(|cell| (cell.key.clone(), cell.shown.clone()))
            .collect(),
        values: row.iter().flat_map(values).collect(),
    });
    Matrix {
        worlds: worlds.collect(),
        ..Matrix::default()
    }
}

/// A matrix whose rows are not known.
fn unknown(node: &Node) -> Matrix {
    let entries = match &node.kind {
        Kind::Map(entries) => entries.as_slice(),
        _ => &[],
    };
    let keys = entries
        .iter()
        .filter(|entry| !matches!(entry.name(), Some("include" | "exclude")));
    let cells = keys.filter_map(|entry| cells(entry.name()?, &entry.value));
    let written = cells.flatten();
    Matrix {
        context: vec![somebody_elses(node.span)],
        written: written
            .flat_map(|cell| values(&cell).collect::<Vec<_>>())
            .collect(),
        ..Matrix::default()
    }
}

/// The matrix of a job that is not in this file.
pub(super) fn somebody_elses(span: Span) -> Does {
    let value = Word::opaque("${{ matrix }}".to_owned(), span);
    let name = "matrix.*".to_owned();
    Does::Context(vec![Assign { name, value, span }])
}

fn values(cell: &Cell) -> impl Iterator<Item = Assign> {
    cell.parts.iter().map(|(path, value)| Assign {
        name: format!("matrix.{path}"),
        value: value.clone(),
        span: value.span,
    })
}

/// The rows; `None` where some of them are computed. One more than are walked are enough.
fn rows(node: &Node) -> Option<Vec<Row>> {
    let Kind::Map(entries) = &node.kind else {
        return None;
    };
    let mut rows: Vec<Row> = Vec::new();
    for entry in entries {
        let key = entry.name()?;
        if matches!(key, "include" | "exclude") {
            continue;
        }
        let cells = cells(key, &entry.value)?;
        rows = if rows.is_empty() {
            cells.into_iter().map(|cell| vec![cell]).collect()
        } else {
            let longer = rows.iter().flat_map(|row| {
                cells.iter().map(move |cell| {
                    let mut row = row.clone();
                    row.push(cell.clone());
                    row
                })
            });
            longer.take(16 * MAX_ROWS).collect()
        };
    }
    if let Some(exclude) = node.get("exclude") {
        let Kind::List(items) = &exclude.kind else {
            return None;
        };
        for item in items {
            let cells = row(item)?;
            rows.retain(|row| !cells.iter().all(|cell| holds(row, cell)));
        }
    }
    if let Some(include) = node.get("include") {
        let Kind::List(items) = &include.kind else {
            return None;
        };
        let keys: Vec<String> = rows
            .first()
            .into_iter()
            .flatten()
            .map(|c| c.key.clone())
            .collect();
        for item in items {
            add(row(item)?, &keys, &mut rows);
        }
    }
    Some(rows)
}

/// An entry of `include` extends each row that it does not contradict, or else is a row of its own.
fn add(cells: Row, keys: &[String], rows: &mut Vec<Row>) {
    let mut extends = false;
    let of_product =
        |row: &Row| !keys.is_empty() && keys.iter().all(|key| row.iter().any(|c| c.key == *key));
    for row in rows.iter_mut().filter(|row| of_product(row)) {
        let fits = cells
            .iter()
            .filter(|cell| keys.contains(&cell.key))
            .all(|cell| holds(row, cell));
        if !fits {
            continue;
        }
        extends = true;
        for cell in cells.iter().filter(|cell| !keys.contains(&cell.key)) {
            row.retain(|other| other.key != cell.key);
            row.push(cell.clone());
        }
    }
    if !extends {
        rows.push(cells);
    }
}

fn holds(row: &Row, cell: &Cell) -> bool {
    row.iter()
        .any(|other| other.key == cell.key && other.shown == cell.shown)
}

/// `{os: linux, cuda: 12.4}`: one cell a key.
fn row(node: &Node) -> Option<Row> {
    let Kind::Map(entries) = &node.kind else {
        return None;
    };
    let cells = entries
        .iter()
        .map(|entry| Some(cell(entry.name()?, &entry.value)));
    cells.collect()
}

/// The cells of one key: a list, or `${{ fromJSON('[…]') }}`.
fn cells(key: &str, node: &Node) -> Option<Vec<Cell>> {
    match &node.kind {
        Kind::List(items) => Some(items.iter().map(|item| cell(key, item)).collect()),
        Kind::Scalar(scalar) => json_cells(key, &scalar.text, node.span),
        _ => None,
    }
}

fn cell(key: &str, node: &Node) -> Cell {
    let mut parts = Vec::new();
    flatten(key, node, &mut parts);
    let shown: Vec<String> = parts.iter().map(|(_, word)| show(word)).collect();
    Cell {
        key: key.to_owned(),
        shown: shown.join("/"),
        parts,
    }
}

/// The scalars of a cell, by path.
fn flatten(path: &str, node: &Node, parts: &mut Vec<(String, Word)>) {
    match &node.kind {
        Kind::Map(entries) => {
            for entry in entries {
                if let Some(name) = entry.name() {
                    flatten(&format!("{path}.{name}"), &entry.value, parts);
                }
            }
        }
        Kind::List(items) => {
            for (index, item) in items.iter().enumerate() {
                flatten(&format!("{path}.{index}"), item, parts);
            }
        }
        _ => {
            let text = text(node).unwrap_or_default();
            parts.push((path.to_owned(), template::word(&text)));
        }
    }
}

/// The cells that `fromJSON` of a literal makes.
fn json_cells(key: &str, text: &Mapped, span: Span) -> Option<Vec<Cell>> {
    let Expression::Call(name, arguments) = parse(text.text().trim())? else {
        return None;
    };
    let [Expression::Text(json, _)] = arguments.as_slice() else {
        return None;
    };
    let items: Vec<serde_json::Value> = serde_json::from_str(json).ok()?;
    if name != "fromjson" {
        return None;
    }
    let cells = items.into_iter().map(|item| {
        let shown = match item {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        Cell {
            key: key.to_owned(),
            parts: vec![(key.to_owned(), Word::of_text(&shown, span))],
            shown,
        }
    });
    Some(cells.collect())
}

/// A word as people read it.
fn show(word: &Word) -> String {
    word.parts
        .iter()
        .map(|part| match part {
            Part::Literal { text, .. } | Part::Opaque { text, .. } => text.as_str(),
            _ => "?",
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::yaml;

    /// The rows as `key=value`, or how many problems there were.
    fn shown(source: &str) -> Vec<String> {
        let read_yaml = yaml::parse(source);
        let matrix = read(&read_yaml.documents[0]);
        if let [_, notes @ ..] = &*matrix.context {
            return vec![format!("unknown, {} problems", notes.len())];
        }
        let rows = matrix.worlds.iter().map(|world| {
            let values = world.values.iter();
            let values =
                values.map(|a| format!("{}={}", &a.name["matrix.".len()..], show(&a.value)));
            values.collect::<Vec<_>>().join(" ")
        });
        rows.collect()
    }

    #[test]
    fn rows_of_a_matrix() {
        for (source, expected) in [
            ("{a: [1, 2], b: [x]}", vec!["a=1 b=x", "a=2 b=x"]),
            ("{a: [1.10]}", vec!["a=1.1"]),
            ("{a: [1, 2], exclude: [{a: 1}]}", vec!["a=2"]),
            ("{include: [{a: 1}, {b: 2}]}", vec!["a=1", "b=2"]),
            (
                "{a: [1, 2], include: [{a: 2, c: x}]}",
                vec!["a=1", "a=2 c=x"],
            ),
            ("{a: [1], include: [{c: x}]}", vec!["a=1 c=x"]),
            ("{a: [1], include: [{a: 3, c: x}]}", vec!["a=1", "a=3 c=x"]),
            ("{a: [{n: x, v: 1}]}", vec!["a.n=x a.v=1"]),
            (
                "{a: \"${{ fromJSON('[\\\"12.4\\\", 3]') }}\"}",
                vec!["a=12.4", "a=3"],
            ),
            (
                "{a: \"${{ fromJSON(inputs.a) }}\"}",
                vec!["unknown, 0 problems"],
            ),
            (
                "\"${{ fromJSON(needs.x.outputs.y) }}\"",
                vec!["unknown, 0 problems"],
            ),
            (
                "{a: [1,2,3,4,5,6,7,8,9], b: [1,2,3,4,5,6,7,8,9]}",
                vec!["unknown, 1 problems"],
            ),
        ] {
            assert_eq!(shown(source), expected, "{source}");
        }
    }

    #[test]
    fn rows_are_named_by_what_varies() {
        let read_yaml = yaml::parse("{os: [l], cuda: [a, b]}");
        let matrix = read(&read_yaml.documents[0]);
        let names: Vec<_> = matrix.worlds.iter().map(|w| w.names.clone()).collect();
        let named = |v: &str| vec![("cuda".to_owned(), v.to_owned())];
        assert_eq!(names, [named("a"), named("b")]);
    }
}
