//! Where a value in a build script comes from: a text, or a variable of the environment.
use crate::text::rust::Token;

/// Where a value in the script comes from.
pub(super) enum From {
    Text(String),
    Env(String, Option<String>),
    Unknown,
}

/// Variables that cargo itself sets for build scripts.
const OF_CARGO: [&str; 8] = [
    "OUT_DIR",
    "TARGET",
    "HOST",
    "NUM_JOBS",
    "OPT_LEVEL",
    "PROFILE",
    "DEBUG",
    "RUSTC",
];
/// Names that lead to other names, at most.
const MAX_DEPTH: usize = 6;

/// Where the value of an expression comes from.
pub(super) fn origin(all: &[Token], expression: &[Token], depth: usize) -> From {
    if let Some(found) = environment(expression) {
        return found;
    }
    let known = |token: &Token| match token.word() {
        Some(name) if depth < MAX_DEPTH => match binding(all, name, depth + 1) {
            From::Unknown => None,
            // what this expression falls back to
            From::Env(name, None) => Some(From::Env(name, fallback(expression))),
            found => Some(found),
        },
        _ => None,
    };
    if let Some(found) = expression.iter().find_map(known) {
        return found;
    }
    match expression.iter().find_map(Token::text) {
        Some(text) if expression.len() <= 6 => From::Text(text.to_owned()),
        _ => From::Unknown,
    }
}

/// What `const NAME`, `static NAME` or `let NAME` is.
pub(super) fn binding(all: &[Token], name: &str, depth: usize) -> From {
    let start = all.windows(2).position(|pair| {
        let [before, token] = pair else { return false };
        let words = ["let", "const", "static", "mut"];
        token.is(name) && (before.is_sign('(') || words.iter().any(|word| before.is(word)))
    });
    let Some(start) = start else {
        return From::Unknown;
    };
    let rest = &all[start + 2..];
    // past the type, to the value
    let Some(equals) = rest.iter().position(|token| token.is_sign('=')) else {
        return From::Unknown;
    };
    let value = &rest[equals + 1..];
    let mut open = 0i32;
    let end = value.iter().position(|token| {
        if ['(', '{', '['].iter().any(|sign| token.is_sign(*sign)) {
            open += 1;
        }
        if [')', '}', ']'].iter().any(|sign| token.is_sign(*sign)) {
            open -= 1;
        }
        open < 0 || (open == 0 && token.is_sign(';'))
    });
    origin(all, &value[..end.unwrap_or(value.len())], depth)
}

/// `env::var("X")`, `option_env!("X")`, with what follows where it is not set.
pub(super) fn environment(expression: &[Token]) -> Option<From> {
    let reads = |token: &Token| {
        ["var", "var_os", "option_env", "env"]
            .iter()
            .any(|name| token.is(name))
    };
    let found = expression.iter().enumerate().find_map(|(at, token)| {
        let text = expression
            .get(at + 1..)?
            .iter()
            .take(3)
            .find_map(Token::text)?;
        let name = text
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        let own = !OF_CARGO.contains(&text) && !text.starts_with("CARGO_");
        (reads(token) && name && own).then_some((at, text))
    })?;
    let (at, name) = found;
    Some(From::Env(name.to_owned(), fallback(&expression[at + 1..])))
}

/// The first text after `unwrap_or`, `Err(_) =>` and the like.
fn fallback(expression: &[Token]) -> Option<String> {
    let at = expression.iter().position(|token| {
        token.word().is_some_and(|word| {
            word.starts_with("unwrap_or") || matches!(word, "Err" | "None" | "else")
        })
    })?;
    expression[at..]
        .iter()
        .find_map(Token::text)
        .map(str::to_owned)
}
