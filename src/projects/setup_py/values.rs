//! Where the text of a flag or list comes from.
use super::scan::{Bound, Scan};
use crate::projects::seen::{Open, Piece, sketch};
use crate::text::python::{self, Argument, Expression, What};

/// Names looked up through names, at most.
const MAX_NAMES: usize = 12;

impl<'b> Scan<'b> {
    /// The text of an expression, as far as it is known.
    pub(super) fn pieces(&mut self, expression: &'b Expression) -> Vec<Piece> {
        if !self.tick() {
            return vec![Piece::Open(Open::Unknown)];
        }
        match &expression.what {
            What::Text(pieces) => pieces
                .iter()
                .flat_map(|piece| match piece {
                    python::Piece::Literal(text, span) => {
                        vec![Piece::Literal(text.clone(), self.site(*span))]
                    }
                    python::Piece::Hole(inner) => self.pieces(inner),
                })
                .collect(),
            What::Number(number) => {
                vec![Piece::Literal(number.clone(), self.site(expression.span))]
            }
            What::Infix(a, operator, b) if operator == "+" => {
                let mut all = self.pieces(a);
                all.extend(self.pieces(b));
                all
            }
            What::Infix(template, operator, values) if operator == "%" => {
                let values: Vec<&Expression> = match &values.what {
                    What::List(items) => items.iter().collect(),
                    _ => vec![values],
                };
                let template = self.pieces(template);
                self.filled(template, "%s", &values).unwrap_or_else(unknown)
            }
            What::Call(of, args) if of.last_name() == Some("format") => {
                let What::Attribute(template, _) = &of.what else {
                    return unknown();
                };
                let template = self.pieces(template);
                let values: Vec<&Expression> = args.iter().map(|a| &a.value).collect();
                self.filled(template, "{}", &values).unwrap_or_else(unknown)
            }
            What::Name(name) if !matches!(name.as_str(), "None" | "True" | "False") => {
                self.of_name(name)
            }
            _ => vec![Piece::Open(self.open(expression))],
        }
    }

    /// A template with its places filled: `%s` and `%d`; `{}`, `{0}` and `{name}`.
    fn filled(
        &mut self,
        template: Vec<Piece>,
        kind: &str,
        values: &[&'b Expression],
    ) -> Option<Vec<Piece>> {
        let mut filled = Vec::new();
        let mut next = 0;
        for piece in template {
            let Piece::Literal(text, span) = piece else {
                filled.push(piece);
                continue;
            };
            let mut rest = text.as_str();
            loop {
                let (open, close) = if kind == "%s" {
                    ('%', None)
                } else {
                    ('{', Some('}'))
                };
                let Some((before, after)) = rest.split_once(open) else {
                    break;
                };
                let length = close.map_or(Some(1), |c| after.find(c).map(|at| at + 1))?;
                let inside = after.get(..length)?.trim_end_matches('}');
                let value = match inside.parse::<usize>() {
                    Ok(index) => values.get(index),
                    // by name: all of them are the same one, or it is not known which
                    Err(_) => values.get(next.min(values.len().saturating_sub(1))),
                };
                next += 1;
                filled.push(Piece::Literal(before.to_owned(), span));
                filled.extend(self.pieces(value?));
                rest = after.get(length..)?;
            }
            filled.push(Piece::Literal(rest.to_owned(), span));
        }
        filled.retain(|p| !matches!(p, Piece::Literal(text, _) if text.is_empty()));
        Some(filled)
    }

    fn of_name(&mut self, name: &str) -> Vec<Piece> {
        match self.last_binding(name) {
            Some((Bound::Value(value), count)) => {
                self.within(name, count, |scan| scan.pieces(value))
            }
            Some((Bound::Element(over), count)) => {
                let open = self.within(name, count, |scan| scan.open(over));
                vec![Piece::Open(open)]
            }
            _ => unknown(),
        }
    }

    /// What a name was last set to, where that is not under a condition, and how many settings came before.
    pub(super) fn last_binding(&self, name: &str) -> Option<(Bound<'b>, usize)> {
        if self.resolving.len() >= MAX_NAMES {
            return None;
        }
        let all = self.bindings(name);
        all.last().map(|(_, bound)| (*bound, all.len() - 1))
    }

    /// Looks at the settings of `name` before the one in hand.
    pub(super) fn within<T>(
        &mut self,
        name: &str,
        count: usize,
        look: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.resolving.push((name.to_owned(), count));
        let found = look(self);
        self.resolving.pop();
        found
    }

    /// Where a value that is no plain text comes from.
    pub(super) fn open(&mut self, expression: &'b Expression) -> Open {
        if !self.tick() {
            return Open::Unknown;
        }
        if let Some((name, default)) = self.env_read(expression) {
            let default = default.and_then(Expression::literal);
            return Open::Env {
                name,
                default,
                separator: None,
                undotted: false,
            };
        }
        match &expression.what {
            What::List(items) => self.each(items),
            What::Name(name) => match self.last_binding(name) {
                Some((Bound::Value(value) | Bound::Element(value), count)) => {
                    self.within(name, count, |scan| scan.open(value))
                }
                _ => Open::Unknown,
            },
            What::Text(_) => match expression.literal() {
                Some(text) => Open::Each(vec![(text, self.site(expression.span))]),
                None => Open::Unknown,
            },
            What::Call(of, args) => self.of_call(of, args),
            What::Index(of, _) | What::Attribute(of, _) => match self.open(of) {
                Open::Each(_) => Open::Unknown,
                other => other,
            },
            What::Each { element, over, .. } => match self.open(element) {
                Open::Unknown => self.open(over),
                known => known,
            },
            What::Infix(a, operator, b) if operator == "or" => match (self.open(a), b.literal()) {
                (
                    Open::Env {
                        name,
                        separator,
                        undotted,
                        ..
                    },
                    default @ Some(_),
                ) => Open::Env {
                    name,
                    default,
                    separator,
                    undotted,
                },
                (other, _) => other,
            },
            _ => Open::Unknown,
        }
    }

    fn each(&mut self, items: &'b [Expression]) -> Open {
        let mut all = Vec::new();
        for item in items {
            match (item.literal(), &item.what) {
                (Some(text), _) => all.push((text, self.site(item.span))),
                (None, What::Number(number)) => all.push((number.clone(), self.site(item.span))),
                _ => return Open::Unknown,
            }
        }
        Open::Each(all)
    }

    fn of_call(&mut self, of: &'b Expression, args: &'b [Argument]) -> Open {
        let name = of.last_name().unwrap_or_default();
        let inner = match (&of.what, args.first()) {
            (What::Attribute(inner, _), _) => Some(&**inner),
            (_, first) => first.map(|a| &a.value),
        };
        match name {
            "get_device_capability" | "get_device_properties" | "device_count" => Open::Gpu,
            "replace" => {
                let found = inner.map_or(Open::Unknown, |i| self.open(i));
                let texts: Vec<Option<String>> = args.iter().map(|a| a.value.literal()).collect();
                match (found, texts.as_slice()) {
                    (
                        Open::Env {
                            name,
                            default,
                            separator,
                            ..
                        },
                        [Some(dot), Some(nothing)],
                    ) if dot == "." && nothing.is_empty() => Open::Env {
                        name,
                        default,
                        separator,
                        undotted: true,
                    },
                    (Open::Each(items), [Some(from), Some(to)]) => Open::Each(
                        items
                            .into_iter()
                            .map(|(t, s)| (t.replace(from.as_str(), to), s))
                            .collect(),
                    ),
                    // another separator becomes the one that it is split at
                    (
                        Open::Env {
                            name,
                            default,
                            undotted,
                            ..
                        },
                        [Some(from), Some(to)],
                    ) => Open::Env {
                        name,
                        default,
                        separator: Some(format!("{from}{to}")),
                        undotted,
                    },
                    _ => Open::Unknown,
                }
            }
            "split" => {
                let at = args
                    .first()
                    .map_or_else(|| Some(" ".to_owned()), |a| a.value.literal());
                match (inner.map_or(Open::Unknown, |i| self.open(i)), at) {
                    (
                        Open::Env {
                            name,
                            default,
                            separator,
                            undotted,
                        },
                        Some(at),
                    ) => {
                        let separator = separator.filter(|s| s.contains(&at)).unwrap_or(at);
                        Open::Env {
                            name,
                            default,
                            separator: Some(separator),
                            undotted,
                        }
                    }
                    (Open::Each(items), Some(at)) if items.len() == 1 => {
                        let (text, span) = &items[0];
                        Open::Each(
                            text.split(at.as_str())
                                .map(|t| (t.to_owned(), *span))
                                .collect(),
                        )
                    }
                    _ => Open::Unknown,
                }
            }
            "strip" | "lower" | "upper" | "rstrip" | "lstrip" | "int" | "str" | "float"
            | "list" | "set" | "sorted" | "tuple" | "max" | "min" | "enumerate" | "map"
            | "reversed" => inner.map_or(Open::Unknown, |i| self.open(i)),
            _ => Open::Unknown,
        }
    }

    /// The text of `";".join([…])`.
    pub(super) fn joined(&mut self, expression: &'b Expression) -> Option<Vec<Piece>> {
        let What::Call(of, args) = &expression.what else {
            return None;
        };
        let What::Attribute(separator, method) = &of.what else {
            return None;
        };
        let separator = separator.literal()?;
        let list = (method == "join").then(|| args.first()).flatten()?;
        match self.open(&list.value) {
            Open::Each(items) => {
                let texts: Vec<&str> = items.iter().map(|(t, _)| t.as_str()).collect();
                Some(vec![Piece::Literal(
                    texts.join(&separator),
                    self.site(list.value.span),
                )])
            }
            other => Some(vec![Piece::Open(other)]),
        }
    }

    /// `os.getenv("NAME", default)`, `os.environ.get("NAME")`, `os.environ["NAME"]`.
    pub(super) fn env_read(
        &self,
        expression: &'b Expression,
    ) -> Option<(String, Option<&'b Expression>)> {
        match &expression.what {
            What::Call(of, args) => {
                let path = of.path()?;
                let reads = path.ends_with("getenv")
                    || path.ends_with("environ.get")
                    || path.ends_with("environ.pop");
                let name = args.first()?.value.literal()?;
                let default = args.get(1).map(|a| &a.value);
                reads.then_some((name, default))
            }
            What::Index(of, key) => {
                of.path().filter(|p| p.ends_with("environ"))?;
                Some((key.literal()?, None))
            }
            _ => None,
        }
    }
}

fn unknown() -> Vec<Piece> {
    vec![Piece::Open(Open::Unknown)]
}

/// The flag in `pieces`, if it names architectures: as nvcc's options do, with what stands before it in the list.
pub(super) fn arch_of(pieces: Vec<Piece>) -> Option<Vec<Piece>> {
    let text = sketch(&pieces);
    let trimmed = text.trim_start();
    let whole = [
        "-gencode",
        "--generate-code",
        "-arch=",
        "--gpu-architecture=",
        "-code=",
        "--gpu-code=",
    ];
    if whole.iter().any(|start| trimmed.starts_with(start))
        && (trimmed.contains("sm_") || trimmed.contains("compute_") || trimmed.contains("arch="))
    {
        return Some(pieces);
    }
    if trimmed.starts_with("arch=compute_") {
        let span = pieces.iter().find_map(|p| match p {
            Piece::Literal(_, span) => Some(*span),
            Piece::Open(_) => None,
        })?;
        let mut all = vec![Piece::Literal("-gencode=".to_owned(), span)];
        all.extend(pieces);
        return Some(all);
    }
    None
}
