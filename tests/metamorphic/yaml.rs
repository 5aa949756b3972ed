//! YAML written otherwise.
use crate::{Change, check_same};
use kimg_lint::text::yaml::{Entry, Kind, Node, Scalar, Style, parse};
use std::collections::HashMap;

#[test]
fn what_means_the_same_is_answered_the_same() {
    let changes: &[(&str, Change)] = &[
        ("comments", comments),
        ("blank lines", blank_lines),
        ("the ends of lines", crlf),
        ("flow in place of block", flow),
        ("block in place of flow", block),
        ("the order of keys", reversed),
        ("anchors", anchors),
        ("quoted scalars", quoted),
    ];
    const JSON: [&str; 3] = ["", "dockerfile", "devcontainer"];
    const OTHERS: [&str; 4] = ["bake", "bake-override", "jenkins", "apptainer"];
    let is_yaml = |kind: &str| !JSON.contains(&kind) && !OTHERS.contains(&kind);
    check_same(|file| is_yaml(file.kind()), changes);
}

/// The lines with another before each that begins a key of the outermost map.
fn before_each(text: &str, line: &str) -> Option<String> {
    let is_key = |line: &str| line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.');
    let lines = text.split_inclusive('\n');
    let out: String = lines
        .map(|l| {
            if is_key(l) {
                format!("{line}{l}")
            } else {
                l.to_owned()
            }
        })
        .collect();
    (out != text).then_some(out)
}

fn comments(text: &str) -> Option<String> {
    before_each(
        text,
        "# said: \"so, that cuobjdump runs\n  # - runs-on: [self-hosted, gpu]\n",
    )
}

fn blank_lines(text: &str) -> Option<String> {
    before_each(text, "\n   \n")
}

fn crlf(text: &str) -> Option<String> {
    (!text.contains('\r')).then(|| text.replace('\n', "\r\n"))
}

/// How often a value stands in a file, by its text, and its anchor.
type Seen = HashMap<String, (usize, Option<usize>)>;

/// Writes values.
#[derive(Default)]
struct Writer {
    /// Keys in the other order.
    reversed: bool,
    /// Plain words are quoted, too, unless they are numbers or the like.
    quoted: bool,
    /// Where anchors are wanted.
    seen: Option<Seen>,
}

fn flow(text: &str) -> Option<String> {
    write(text, |node, out| {
        out.push_str(&Writer::default().flow(node))
    })
}

fn block(text: &str) -> Option<String> {
    write(text, |node, out| Writer::default().block(node, 0, out))
}

fn reversed(text: &str) -> Option<String> {
    let writer = || Writer {
        reversed: true,
        ..Writer::default()
    };
    write(text, |node, out| writer().block(node, 0, out))
}

fn quoted(text: &str) -> Option<String> {
    let writer = || Writer {
        quoted: true,
        ..Writer::default()
    };
    write(text, |node, out| writer().block(node, 0, out))
}

fn anchors(text: &str) -> Option<String> {
    let written = write(text, |node, out| {
        let mut seen = HashMap::new();
        Writer::count(node, &mut seen);
        let mut writer = Writer {
            seen: Some(seen),
            ..Writer::default()
        };
        out.push_str(&writer.flow(node));
    })?;
    written.contains("&a0 ").then_some(written)
}

/// The file written anew. Comments are lost, so that one that suppresses findings stands in the way.
fn write(text: &str, one: impl Fn(&Node, &mut String)) -> Option<String> {
    let yaml = parse(text);
    if !yaml.problems.is_empty() || text.contains("kimg-lint:") {
        return None;
    }
    let mut out = String::new();
    for document in &yaml.documents {
        out.push_str("---\n");
        one(document, &mut out);
        out.push('\n');
    }
    Some(out)
}

impl Writer {
    fn count(node: &Node, seen: &mut Seen) {
        if matches!(node.kind, Kind::List(_) | Kind::Map(_)) {
            seen.entry(plain_text(node)).or_default().0 += 1;
        }
        match &node.kind {
            Kind::List(items) => items.iter().for_each(|item| Self::count(item, seen)),
            Kind::Map(entries) => entries.iter().for_each(|e| Self::count(&e.value, seen)),
            Kind::Null | Kind::Scalar(_) => {}
        }
    }

    /// `&a0 ` where a value stands first; else `*a0 `.
    fn anchor(&mut self, node: &Node) -> Result<String, String> {
        let Some(seen) = &mut self.seen else {
            return Ok(String::new());
        };
        let given = seen.values().filter(|(_, number)| number.is_some()).count();
        match seen.get_mut(&plain_text(node)) {
            Some((_, Some(number))) => Err(format!("*a{number} ")),
            Some((2.., number)) => {
                *number = Some(given);
                Ok(format!("&a{given} "))
            }
            _ => Ok(String::new()),
        }
    }

    fn flow(&mut self, node: &Node) -> String {
        let anchor = match self.anchor(node) {
            Ok(anchor) => anchor,
            Err(alias) => return alias,
        };
        let tag = tag(node);
        let value = match &node.kind {
            Kind::Null => "null".to_owned(),
            Kind::Scalar(scalar) => self.scalar(scalar),
            Kind::List(items) => {
                let items: Vec<String> = items.iter().map(|item| self.flow(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Kind::Map(entries) => {
                let pairs: Vec<String> = self
                    .ordered(entries)
                    .into_iter()
                    .map(|entry| {
                        let key = self.flow(&entry.key);
                        format!("{key}: {}", self.flow(&entry.value))
                    })
                    .collect();
                format!("{{{}}}", pairs.join(", "))
            }
        };
        format!("{tag}{anchor}{value}")
    }

    fn ordered<'e>(&self, entries: &'e [Entry]) -> Vec<&'e Entry> {
        let mut ordered: Vec<&Entry> = entries.iter().collect();
        if self.reversed {
            ordered.reverse();
        }
        ordered
    }

    /// A value behind a key or a dash, to the end of its line.
    fn block(&mut self, node: &Node, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        match &node.kind {
            Kind::List(items) if !items.is_empty() => {
                out.push_str(&tag(node));
                for item in items {
                    out.push_str(&format!("\n{indent}- "));
                    self.block(item, depth + 1, out);
                }
            }
            Kind::Map(entries) if !entries.is_empty() => {
                out.push_str(&tag(node));
                for entry in self.ordered(entries) {
                    let key = self.flow(&entry.key);
                    out.push_str(&format!("\n{indent}{key}: "));
                    self.block(&entry.value, depth + 1, out);
                }
            }
            _ => out.push_str(&self.flow(node)),
        }
    }

    fn scalar(&self, scalar: &Scalar) -> String {
        let text = scalar.text.text();
        let simple = |c: char| c.is_ascii_alphanumeric() || "._/+-".contains(c);
        let is_word = !text.is_empty() && text.chars().all(simple) && !text.starts_with('-');
        let is_text =
            text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.contains(['-', '/']);
        if scalar.style == Style::Plain && is_word && !(self.quoted && is_text) {
            return text.to_owned();
        }
        serde_json::to_string(text).unwrap()
    }
}

fn plain_text(node: &Node) -> String {
    Writer::default().flow(node)
}

fn tag(node: &Node) -> String {
    let tag = node.tag.as_deref().map(|tag| format!("{tag} "));
    tag.unwrap_or_default()
}

/// What the helpers rest on.
#[test]
fn changes_are_what_they_say() {
    let text = "a: [b, 'c d']\ne: {f: 8.0, g: [b, 'c d']}\n";
    for (change, expected) in [
        (
            flow as Change,
            "---\n{a: [b, \"c d\"], e: {f: 8.0, g: [b, \"c d\"]}}\n",
        ),
        (
            reversed,
            "---\n\ne: \n  g: \n    - b\n    - \"c d\"\n  f: 8.0\na: \n  - b\n  - \"c d\"\n",
        ),
        (
            anchors,
            "---\n{a: &a0 [b, \"c d\"], e: {f: 8.0, g: *a0 }}\n",
        ),
    ] {
        assert_eq!(change(text).unwrap(), expected);
    }
}
