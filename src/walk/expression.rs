//! The values of template expressions, over the contexts that are known.
use super::contexts::Contexts;
use crate::span::Span;
use crate::text::expression::{Expression, Operator};
use crate::value::{Site, Value};

/// An expression has at most this many values.
const MAX_VALUES: usize = 8;

/// Contexts of which every part is known: what is not there is empty.
const CLOSED: [&str; 3] = ["env", "matrix", "inputs"];

/// All values that the expression `text`, which stands at `site`, may have: several where a part of it is not known.
/// Never empty.
pub fn values(text: &str, site: Site, contexts: &Contexts) -> Vec<Value> {
    let evaluator = Evaluator {
        contexts,
        site,
        // text that was put together has one place for all of it
        exact: site.span.len() == text.len(),
    };
    let unknown = || evaluator.unknown(text);
    match contexts.expression(text) {
        Some(expression) => {
            let mut values = evaluator.values(&expression, text);
            values.dedup();
            if values.len() > MAX_VALUES {
                values = vec![unknown()];
            }
            values
        }
        None => vec![unknown()],
    }
}

/// Whether a value counts as true; `None` if it cannot be known.
pub fn truth(value: &Value) -> Option<bool> {
    match value.known() {
        Some(text) => Some(!matches!(
            text.to_ascii_lowercase().as_str(),
            "" | "false" | "0"
        )),
        None => value.pieces.len().gt(&1).then_some(true),
    }
}

struct Evaluator<'c> {
    contexts: &'c Contexts,
    site: Site,
    exact: bool,
}

impl Evaluator<'_> {
    fn unknown(&self, text: &str) -> Value {
        Value::hole(&format!("`{text}` is filled in elsewhere"), None, false)
    }

    fn values(&self, expression: &Expression, whole: &str) -> Vec<Value> {
        match expression {
            Expression::Binary(Operator::And, left, right) => {
                self.choose(left, whole, |truth| !truth, right)
            }
            Expression::Binary(Operator::Or, left, right) => {
                self.choose(left, whole, |truth| truth, right)
            }
            _ => vec![self.value(expression, whole)],
        }
    }

    /// The left side where `keeps` says so of its truth, else the right side; both where it is not known.
    fn choose(
        &self,
        left: &Expression,
        whole: &str,
        keeps: impl Fn(bool) -> bool,
        right: &Expression,
    ) -> Vec<Value> {
        let mut values = Vec::new();
        let mut falls_through = false;
        for value in self.values(left, whole) {
            match truth(&value) {
                Some(truth) if keeps(truth) => values.push(value),
                Some(_) => falls_through = true,
                None => {
                    falls_through = true;
                    // false is all that a condition leaves behind: `unknown && 'a'` is 'a' or nothing
                    values.push(if keeps(false) {
                        Value::default()
                    } else {
                        value
                    });
                }
            }
        }
        if falls_through {
            values.extend(self.values(right, whole));
        }
        let mut distinct: Vec<Value> = Vec::new();
        for value in values {
            if !distinct.iter().any(|v| v.sketch() == value.sketch()) {
                distinct.push(value);
            }
        }
        distinct
    }

    /// The only value; a hole where there are several.
    fn value(&self, expression: &Expression, whole: &str) -> Value {
        match expression {
            Expression::Text(text, range) => {
                let span = if self.exact {
                    let start = self.site.span.start as usize;
                    Span::new(start + range.start, start + range.end)
                } else {
                    self.site.span
                };
                Value::literal(
                    text,
                    Some(Site {
                        file: self.site.file,
                        span,
                    }),
                )
            }
            Expression::Plain(text) if text == "null" => Value::default(),
            Expression::Plain(text) => Value::literal(text, None),
            Expression::Name(_) | Expression::Every(_) => self.unknown(whole),
            Expression::Part(..) => match self.path(expression, whole) {
                Some(path) => self.lookup(&path, whole),
                None => self.unknown(whole),
            },
            Expression::Call(name, arguments) => self.call(name, arguments, whole),
            Expression::Not(inner) => {
                self.truth_value(truth(&self.value(inner, whole)).map(|truth| !truth), whole)
            }
            Expression::Binary(Operator::And | Operator::Or, ..) => {
                match self.values(expression, whole).as_slice() {
                    [only] => only.clone(),
                    _ => self.unknown(whole),
                }
            }
            Expression::Binary(operator, left, right) => {
                self.truth_value(self.compare(*operator, left, right, whole), whole)
            }
        }
    }

    fn truth_value(&self, truth: Option<bool>, whole: &str) -> Value {
        match truth {
            Some(truth) => Value::literal(if truth { "true" } else { "false" }, None),
            None => self.unknown(whole),
        }
    }

    /// `matrix.cuda`, where every part of the path is known.
    fn path(&self, expression: &Expression, whole: &str) -> Option<String> {
        match expression {
            Expression::Name(name) => Some(name.clone()),
            Expression::Part(left, right) => {
                let part = self.value(right, whole).known()?.to_ascii_lowercase();
                Some(format!("{}.{part}", self.path(left, whole)?))
            }
            _ => None,
        }
    }

    fn lookup(&self, path: &str, whole: &str) -> Value {
        if let Some(value) = self.contexts.find(path) {
            return value.clone();
        }
        let root = path.split('.').next().unwrap_or(path);
        if let Some(rest) = self.contexts.find(&format!("{root}.*")) {
            return rest.clone();
        }
        if CLOSED.contains(&root) {
            return Value::default();
        }
        self.unknown(whole)
    }

    fn compare(
        &self,
        operator: Operator,
        left: &Expression,
        right: &Expression,
        whole: &str,
    ) -> Option<bool> {
        let a = self.value(left, whole).known()?;
        let b = self.value(right, whole).known()?;
        // two strings are compared as text, anything else as numbers
        let is_number = |e: &Expression| matches!(e, Expression::Plain(_));
        let numbers = a.parse::<f64>().ok().zip(b.parse::<f64>().ok());
        let numbers = numbers.filter(|_| {
            is_number(left)
                || is_number(right)
                || !matches!(operator, Operator::Equal | Operator::Unequal)
        });
        let order = match numbers {
            Some((a, b)) => a.partial_cmp(&b)?,
            None => a.to_lowercase().cmp(&b.to_lowercase()),
        };
        Some(match operator {
            Operator::Equal => order.is_eq(),
            Operator::Unequal => order.is_ne(),
            Operator::Less => order.is_lt(),
            Operator::AtMost => order.is_le(),
            Operator::Greater => order.is_gt(),
            Operator::AtLeast => order.is_ge(),
            Operator::And | Operator::Or => return None,
        })
    }

    fn call(&self, name: &str, arguments: &[Expression], whole: &str) -> Value {
        let texts = || -> Option<Vec<String>> {
            let values = arguments.iter().map(|a| self.value(a, whole).known());
            values.map(|text| text.map(|t| t.to_lowercase())).collect()
        };
        match (name, arguments) {
            ("always" | "success", []) => Value::literal("true", None),
            ("failure" | "cancelled", []) => Value::literal("false", None),
            ("succeeded" | "succeededorfailed", _) => Value::literal("true", None),
            ("failed" | "canceled", _) => Value::literal("false", None),
            ("eq", [left, right]) => {
                self.truth_value(self.compare(Operator::Equal, left, right, whole), whole)
            }
            ("ne", [left, right]) => {
                self.truth_value(self.compare(Operator::Unequal, left, right, whole), whole)
            }
            ("not", [inner]) => {
                self.truth_value(truth(&self.value(inner, whole)).map(|truth| !truth), whole)
            }
            ("and", all) => self.truth_value(self.all_are(true, all, whole), whole),
            ("or", any) => {
                let none = self.all_are(false, any, whole);
                self.truth_value(none.map(|none| !none), whole)
            }
            ("contains" | "startswith" | "endswith", [_, _]) => {
                let found = texts().map(|texts| holds(name, &texts[0], &texts[1]));
                self.truth_value(found, whole)
            }
            ("format", [pattern, rest @ ..]) => self.format(pattern, rest, whole),
            // a scalar is the same in JSON, but for its quotes
            ("fromjson" | "tojson", [inner]) => self.value(inner, whole),
            ("hashfiles", _) => Value::hole("it is the hash of files", None, true),
            _ => self.unknown(whole),
        }
    }

    /// Whether all are `wanted`: one that is not decides, whatever is not known of the others.
    fn all_are(&self, wanted: bool, all: &[Expression], whole: &str) -> Option<bool> {
        let truths: Vec<Option<bool>> = all
            .iter()
            .map(|one| truth(&self.value(one, whole)))
            .collect();
        if truths.contains(&Some(!wanted)) {
            return Some(false);
        }
        truths.iter().all(Option::is_some).then_some(true)
    }

    /// `format('{0}-{1}', a, b)`
    fn format(&self, pattern: &Expression, rest: &[Expression], whole: &str) -> Value {
        let Some(text) = self.value(pattern, whole).known() else {
            return self.unknown(whole);
        };
        let mut value = Value::default();
        let mut left = text.as_str();
        while let Some(open) = left.find(['{', '}']) {
            value.push_literal(&left[..open], None);
            let brace = &left[open..];
            if brace.starts_with("{{") || brace.starts_with("}}") {
                value.push_literal(&brace[..1], None);
                left = &brace[2..];
                continue;
            }
            let inside = brace
                .strip_prefix('{')
                .and_then(|b| b.split_once('}'))
                .and_then(|(index, after)| Some((rest.get(index.parse::<usize>().ok()?)?, after)));
            let Some((argument, after)) = inside else {
                return self.unknown(whole);
            };
            value.append(&self.value(argument, whole));
            left = after;
        }
        value.push_literal(left, None);
        value
    }
}

/// `contains`, `startsWith` and `endsWith` over lower-case text; the first argument of `contains` may be a list in JSON.
fn holds(name: &str, whole: &str, part: &str) -> bool {
    match name {
        "startswith" => whole.starts_with(part),
        "endswith" => whole.ends_with(part),
        _ => match serde_json::from_str::<Vec<serde_json::Value>>(whole) {
            Ok(items) => {
                let shown = items.iter().map(|item| match item {
                    serde_json::Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
                shown.into_iter().any(|item| item == part)
            }
            Err(_) => whole.contains(part),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contexts() -> Contexts {
        let mut contexts = Contexts::default();
        for (name, value) in [
            ("matrix.cuda", "12.4"),
            ("matrix.gpu", "false"),
            ("env.list", "8.0;9.0"),
            ("runner.os", "Linux"),
        ] {
            contexts.give(name, Value::literal(value, None));
        }
        contexts.give("inputs.*", Value::hole("an input", None, false));
        contexts
    }

    fn all(text: &str) -> Vec<String> {
        let site = Site {
            file: 0,
            span: Span::new(100, 100 + text.len()),
        };
        let values = values(text, site, &contexts());
        values.iter().map(Value::sketch).collect()
    }

    #[test]
    fn expressions_have_values() {
        for (text, expected) in [
            ("${{ matrix.cuda }}", "12.4"),
            ("${{ matrix['CUDA'] }}", "12.4"),
            ("${{ matrix.absent }}", ""),
            ("${{ env.LIST }}", "8.0;9.0"),
            ("${{ github.ref }}", "?"),
            ("${{ matrix.cuda == '12.4' && '9.0' || '8.0' }}", "9.0"),
            ("${{ matrix.cuda == 12.40 }}", "true"),
            ("${{ matrix.cuda >= '12.10' }}", "true"),
            ("${{ matrix.gpu && 'a' || 'b' }}", "b"),
            ("${{ !matrix.gpu }}", "true"),
            ("${{ runner.os == 'linux' }}", "true"),
            ("${{ startsWith(matrix.cuda, '12.') }}", "true"),
            ("${{ contains('11.8 12.4', matrix.cuda) }}", "true"),
            (
                "${{ contains(fromJSON('[\"11.8\"]'), matrix.cuda) }}",
                "false",
            ),
            ("${{ format('cu{0}-{{}}', matrix.cuda) }}", "cu12.4-{}"),
            ("${{ always() && matrix.cuda }}", "12.4"),
            ("${{ hashFiles('x') }}", "?"),
            ("${{ broken", "?"),
            ("${{ null }}", ""),
        ] {
            assert_eq!(all(text), [expected], "{text}");
        }
    }

    #[test]
    fn what_is_not_known_leaves_both() {
        for (text, expected) in [
            ("${{ github.x && '9.0' || '8.0' }}", vec!["9.0", "8.0"]),
            ("${{ inputs.list || '8.0' }}", vec!["?", "8.0"]),
            ("${{ github.x && '9.0' }}", vec!["", "9.0"]),
        ] {
            let mut expected = expected;
            let mut found = all(text);
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn literals_keep_their_place() {
        let text = "${{ matrix.gpu || '9.0' }}";
        let site = Site {
            file: 0,
            span: Span::new(100, 100 + text.len()),
        };
        let place = values(text, site, &contexts())[0].site();
        let start = 100 + text.find("9.0").unwrap();
        assert_eq!(place.map(|s| s.span), Some(Span::new(start, start + 3)));
    }
}
