//! Environment files of conda, read as if what they list stood on command lines.
use super::conda::package;
use super::{Did, Effect, Named, Surroundings, Text, pip};
use crate::paths::join;
use crate::text::conda_env;
use crate::text::mapped::Mapped;
use crate::value::Value;
use std::borrow::Cow;

/// What `program` installs from the file at `path`.
pub(super) fn read(path: &str, program: &str, around: &Surroundings<'_>) -> Vec<Did> {
    let Some(text) = (around.open)(path) else {
        return Vec::new();
    };
    if !path.ends_with(".yml") && !path.ends_with(".yaml") {
        return list(&text, program);
    }
    let environment = conda_env::read(&text.text);
    let place = |part: &Mapped| part.span(0, part.text().len());
    let mut did = Vec::new();
    for part in &environment.packages {
        did.extend(package(
            &text.value(place(part)),
            &environment.channels,
            program,
            true,
        ));
    }
    let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
    let lines = environment.pip.iter().map(|part| {
        let span = place(part);
        Text {
            file: text.file,
            start: text.start + span.start,
            text: Cow::Owned(text.text.get(span.range()).unwrap_or_default().to_owned()),
        }
    });
    did.extend(pip::of_lines(
        &lines.collect::<Vec<_>>(),
        path,
        folder,
        around,
    ));
    let variables = environment.variables.iter().map(|(name, value)| Named {
        name: name.clone(),
        value: text.value(place(value)),
    });
    let variables: Vec<Named> = variables.collect();
    if !variables.is_empty() {
        did.push(Did::Effect(Effect::Activated(variables)));
    }
    did
}

/// `conda install --file`: a package a line.
fn list(text: &Text<'_>, program: &str) -> Vec<Did> {
    let mut did = Vec::new();
    let mut at = 0;
    for line in text.text.split_inclusive('\n') {
        let body = line.split('#').next().unwrap_or_default();
        let start = at + body.len() - body.trim_start().len();
        at += line.len();
        if !body.trim().is_empty() {
            let span = crate::span::Span::new(start, start + body.trim().len());
            did.extend(package(&text.value(span), &[], program, true));
        }
    }
    did
}

/// A path of the file as one of the image.
pub(super) fn placed(value: Value, folder: &str) -> Value {
    let path = value.sketch();
    if path.starts_with('.') {
        return Value::literal(&join(folder, &path), value.site());
    }
    value
}
