//! Where the `main` of a build script returns before it compiles.
use super::origin::{From, environment};
use crate::projects::guard::{Check, Guard};
use crate::text::rust::Token;

/// The conditions on the environment under which `main` returns; others are not looked at.
pub(super) fn early_returns(all: &[Token]) -> Vec<Guard> {
    let is_main = |pair: &[Token]| pair[0].is("fn") && pair[1].is("main");
    let Some(main) = all.windows(2).position(is_main) else {
        return Vec::new();
    };
    let mut heads: Vec<&[Token]> = Vec::new();
    let mut found = Vec::new();
    let mut head = main;
    for at in main..all.len() {
        let token = &all[at];
        if token.is_sign('{') {
            heads.push(&all[head..at]);
        } else if token.is_sign('}') {
            heads.pop();
            if heads.is_empty() {
                break;
            }
        } else if token.is("return") {
            // a closure returns to `main`
            let tests = heads.iter().skip(1).map(|head| env_test(head));
            found.extend(tests.collect::<Option<Vec<Guard>>>().map(Guard::all));
        }
        if ['{', '}', ';'].iter().any(|sign| token.is_sign(*sign)) {
            head = at + 1;
        }
    }
    found.retain(|guard| *guard != Guard::Always);
    found
}

/// `if env::var("X").is_ok()`; other tests of a variable are unknown, and those of anything else `None`.
fn env_test(head: &[Token]) -> Option<Guard> {
    let test = head
        .first()
        .filter(|first| first.is("if"))
        .map(|_| &head[1..])?;
    let From::Env(name, _) = environment(test)? else {
        return None;
    };
    // docs.rs alone sets it
    if name == "DOCS_RS" {
        return None;
    }
    let set = Guard::Env(name.clone(), Check::Set);
    let asked = test.iter().filter_map(Token::word).next_back();
    let single = test.iter().filter(|token| token.text().is_some()).count() == 1
        && !test
            .iter()
            .any(|token| ['&', '|', '='].iter().any(|sign| token.is_sign(*sign)));
    let negated = test.first().is_some_and(|token| token.is_sign('!'));
    let bound = test.first().is_some_and(|token| token.is("let"));
    let guard = match asked {
        _ if bound
            && test[1..]
                .first()
                .is_some_and(|t| t.is("Ok") || t.is("Some")) =>
        {
            set
        }
        Some("is_ok" | "is_some") if single => set,
        Some("is_err" | "is_none") if single => set.not(),
        _ => return Some(Guard::Unknown(format!("a test of {name}"))),
    };
    Some(if negated { guard.not() } else { guard })
}
