//! Template expressions of GitHub: `${{ matrix.cuda == '12.4' && '9.0' || '8.0' }}`.
use std::ops::Range;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// `'text'`, with the bytes between its quotes.
    Text(String, Range<usize>),
    /// `12.4`, `true`, `null`, as written.
    Plain(String),
    /// A context: `matrix`.
    Name(String),
    /// `a.b`, `a['b']`: the part of the left side that the right side names.
    Part(Box<Expression>, Box<Expression>),
    /// `a.*`
    Every(Box<Expression>),
    /// `format('{0}', x)`; the name is lower case.
    Call(String, Vec<Expression>),
    /// `!a`
    Not(Box<Expression>),
    /// `a == b`
    Binary(Operator, Box<Expression>, Box<Expression>),
}

/// An operator between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// From the operators that bind least to those that bind most.
const LEVELS: [&[(&str, Operator)]; 4] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[("==", Operator::Equal), ("!=", Operator::Unequal)],
    &[
        ("<=", Operator::AtMost),
        (">=", Operator::AtLeast),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
];

/// Parentheses and operators are followed this deep.
const MAX_DEPTH: u32 = 60;

/// Reads `${{ … }}`, or what stands between; `None` if it cannot be understood. Ranges count from the start of `text`.
pub fn parse(text: &str) -> Option<Expression> {
    let inner = text
        .strip_prefix("${{")
        .map_or(text, |rest| rest.strip_suffix("}}").unwrap_or(rest));
    let start = inner.as_ptr() as usize - text.as_ptr() as usize;
    let mut reader = Reader {
        text: &text[..start + inner.len()],
        at: start,
        depth: 0,
    };
    let expression = reader.level(0)?;
    reader.space();
    (reader.at == reader.text.len()).then_some(expression)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes `token`, if it comes next.
    fn take(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn level(&mut self, level: usize) -> Option<Expression> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.level(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(token, _)| self.take(token)) {
            let right = self.level(level + 1)?;
            left = Expression::Binary(*operator, Box::new(left), Box::new(right));
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let expression = if self.take("!") {
            Expression::Not(Box::new(self.unary()?))
        } else {
            self.parts()?
        };
        self.depth -= 1;
        Some(expression)
    }

    fn parts(&mut self) -> Option<Expression> {
        let mut whole = self.primary()?;
        loop {
            if self.take(".*") {
                whole = Expression::Every(Box::new(whole));
            } else if self.take(".") {
                let from = self.at;
                let name = self.word();
                if name.is_empty() {
                    return None;
                }
                let name = Expression::Text(name, from..self.at);
                whole = Expression::Part(Box::new(whole), Box::new(name));
            } else if self.take("[") {
                let index = if self.take("*") {
                    None
                } else {
                    Some(self.level(0)?)
                };
                if !self.take("]") {
                    return None;
                }
                whole = match index {
                    Some(index) => Expression::Part(Box::new(whole), Box::new(index)),
                    None => Expression::Every(Box::new(whole)),
                };
            } else {
                return Some(whole);
            }
        }
    }

    fn primary(&mut self) -> Option<Expression> {
        if self.take("(") {
            let inner = self.level(0)?;
            return self.take(")").then_some(inner);
        }
        if self.take("'") {
            return self.quoted();
        }
        self.space();
        let first = self.rest().chars().next()?;
        if first.is_ascii_digit() || matches!(first, '-' | '+' | '.') {
            let number = self.take_while(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
            return Some(Expression::Plain(number));
        }
        let name = self.word();
        if name.is_empty() {
            return None;
        }
        if self.take("(") {
            return self.call(name.to_ascii_lowercase());
        }
        Some(match name.as_str() {
            "true" | "false" | "null" => Expression::Plain(name),
            _ => Expression::Name(name.to_ascii_lowercase()),
        })
    }

    fn call(&mut self, name: String) -> Option<Expression> {
        let mut arguments = Vec::new();
        if self.take(")") {
            return Some(Expression::Call(name, arguments));
        }
        loop {
            arguments.push(self.level(0)?);
            if self.take(")") {
                return Some(Expression::Call(name, arguments));
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    /// A string after its first quote; a quote in it is doubled.
    fn quoted(&mut self) -> Option<Expression> {
        let from = self.at;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let length = rest.find('\'')?;
            text.push_str(&rest[..length]);
            self.at += length + 1;
            if !self.rest().starts_with('\'') {
                return Some(Expression::Text(text, from..self.at - 1));
            }
            text.push('\'');
            self.at += 1;
        }
    }

    fn word(&mut self) -> String {
        self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    }

    fn take_while(&mut self, accepts: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let end = rest.find(|c| !accepts(c)).unwrap_or(rest.len());
        let taken = rest[..end].to_owned();
        self.at += end;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(expression: &Expression) -> String {
        match expression {
            Expression::Text(text, _) => format!("'{text}'"),
            Expression::Plain(text) | Expression::Name(text) => text.clone(),
            Expression::Part(whole, part) => format!("{}[{}]", show(whole), show(part)),
            Expression::Every(whole) => format!("{}[*]", show(whole)),
            Expression::Call(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(show).collect();
                format!("{name}({})", arguments.join(", "))
            }
            Expression::Not(inner) => format!("!{}", show(inner)),
            Expression::Binary(operator, left, right) => {
                format!("({} {operator:?} {})", show(left), show(right))
            }
        }
    }

    #[test]
    fn expressions_are_read() {
        for (text, expected) in [
            ("${{ matrix.cuda }}", "matrix['cuda']"),
            ("${{Matrix.OS}}", "matrix['OS']"),
            ("env['A B']", "env['A B']"),
            ("a == 'x' && 'y' || 'z'", "(((a Equal 'x') And 'y') Or 'z')"),
            ("!a.b && (c || d)", "(!a['b'] And (c Or d))"),
            ("a >= 12.4", "(a AtLeast 12.4)"),
            ("format('{0}''s', x)", "format('{0}'s', x)"),
            ("always()", "always()"),
            ("fromJSON(x).y[0]", "fromjson(x)['y'][0]"),
            ("needs.*.result", "needs[*]['result']"),
            ("'}}'", "'}}'"),
            ("a-b_c.d", "a-b_c['d']"),
        ] {
            let read = parse(text).map(|e| show(&e));
            assert_eq!(read.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_none_is_not_guessed() {
        let deep = "(".repeat(5000);
        let nots = "!".repeat(5000);
        for text in [
            "", "${{ }}", "a b", "a ==", "'a", "f(a", "a.", "a[1", "\"a\"", &deep, &nots,
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn strings_know_their_place() {
        let text = "${{ x == 'é' }}";
        let Some(Expression::Binary(_, _, right)) = parse(text) else {
            panic!("{text}");
        };
        let Expression::Text(inner, range) = *right else {
            panic!("{text}");
        };
        assert_eq!(&text[range], inner);
    }
}
