//! What an operand of pip names: a package of an index, a wheel, a folder, an archive, a repository.
use super::{Source, Surroundings};
use crate::value::Value;

/// PEP 503: lower case, runs of `-_.` are one `-`.
pub(crate) fn normalise(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if matches!(c, '-' | '_' | '.') {
            if !out.ends_with('-') {
                out.push('-');
            }
        } else {
            out.push(c.to_ascii_lowercase());
        }
    }
    out
}

/// What an operand names, with its extras.
pub(super) fn source(value: &Value, around: &Surroundings<'_>) -> Option<(Source, Vec<String>)> {
    let text = value.sketch();
    let text = text.split(" ;").next().unwrap_or(&text).trim();
    if let Some((head, address)) = text
        .split_once('@')
        .filter(|(h, a)| !h.contains('/') && !h.contains(':') && a.trim_start().contains("://"))
    {
        let (_, extras) = name_and_extras(head.trim());
        return Some((address_source(address.trim()), extras));
    }
    if text.starts_with("git+") || text.contains("://") {
        return Some((address_source(text), Vec::new()));
    }
    let (head, extras) = name_and_extras(text);
    let is_path = head.starts_with(['.', '/', '~'])
        || (head.contains('/') && !head.contains(['=', '<', '>']));
    let lower = head.to_ascii_lowercase();
    if lower.ends_with(".whl") {
        return Some((Source::Wheel(head), extras));
    }
    if [".tar.gz", ".zip", ".tar.bz2", ".tgz"]
        .iter()
        .any(|e| lower.ends_with(e))
    {
        return Some((archive((around.resolve)(&head), around), extras));
    }
    if is_path {
        return Some((Source::Tree((around.resolve)(&head)), extras));
    }
    let end = head
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(head.len());
    let name = &head[..end];
    if name.is_empty() || !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    if head[end..].starts_with('?') {
        return None;
    }
    let from = text.find(['=', '<', '>', '!', '~']).unwrap_or(text.len());
    Some((
        Source::Index {
            name: normalise(name),
            spec: value.slice_from(from),
        },
        extras,
    ))
}

fn name_and_extras(text: &str) -> (String, Vec<String>) {
    match text.split_once('[').and_then(|(name, rest)| {
        rest.split_once(']')
            .map(|(extras, tail)| (name, extras, tail))
    }) {
        Some((name, extras, tail)) => {
            let extras = extras
                .split(',')
                .map(|e| e.trim().to_ascii_lowercase())
                .collect();
            (format!("{}{tail}", name.trim()), extras)
        }
        None => (text.to_owned(), Vec::new()),
    }
}

/// An archive; one in `dist/` of a project is what was made of that project.
fn archive(path: String, around: &Surroundings<'_>) -> Source {
    let project = path
        .rsplit_once('/')
        .and_then(|(folder, _)| folder.strip_suffix("/dist"));
    let is_project = |dir: &&str| {
        let mut files = ["pyproject.toml", "setup.py"].iter();
        files.any(|name| (around.open_if_there)(&format!("{dir}/{name}")).is_some())
    };
    match project.filter(is_project) {
        Some(project) => Source::Tree(project.to_owned()),
        None => Source::Archive(path),
    }
}

/// An address: a repository, a wheel, an archive.
fn address_source(text: &str) -> Source {
    let (address, fragment) = text.split_once('#').unwrap_or((text, ""));
    let subdir = fragment
        .split('&')
        .find_map(|f| f.strip_prefix("subdirectory="))
        .unwrap_or("")
        .trim_matches('/')
        .to_owned();
    if let Some(address) = address.strip_prefix("git+") {
        let (name, reference) = repository(address);
        return Source::Repo {
            name,
            reference,
            subdir,
        };
    }
    let path = address.split('?').next().unwrap_or(address);
    if path.ends_with(".whl") {
        return Source::Wheel(path.rsplit('/').next().unwrap_or(path).to_owned());
    }
    if let Some((name, reference)) = archive_repository(address) {
        return Source::Repo {
            name,
            reference,
            subdir,
        };
    }
    Source::Archive(address.to_owned())
}

/// `owner/name` and the reference of a git address: `https://host/Owner/Name.git@v1`, `ssh://git@host/o/n`, `git@host:o/n`.
pub(crate) fn repository(address: &str) -> (String, Option<String>) {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest
        .split_once('@')
        .filter(|(user, _)| !user.contains('/'))
        .map_or(rest, |(_, rest)| rest);
    let path = match rest.find(['/', ':']) {
        Some(cut) => &rest[cut + 1..],
        None => rest,
    };
    let (path, reference) = match path.split_once('@') {
        Some((path, reference)) => (path, Some(reference.to_owned())),
        None => (path, None),
    };
    let path = path
        .trim_matches('/')
        .trim_end_matches(".git")
        .to_ascii_lowercase();
    (path, reference.filter(|r| !r.is_empty()))
}

/// GitHub's archive addresses name a repository: `…/owner/name/archive/refs/tags/v1.tar.gz`.
pub(crate) fn archive_repository(address: &str) -> Option<(String, Option<String>)> {
    let (_, path) = address.split_once("://")?;
    let mut parts = path.split('/').skip(1);
    let (owner, name, kind) = (parts.next()?, parts.next()?, parts.next()?);
    if !matches!(kind, "archive" | "tarball" | "zipball") {
        return None;
    }
    let reference = parts.last().map(|last| {
        last.trim_end_matches(".tar.gz")
            .trim_end_matches(".zip")
            .to_owned()
    });
    Some((
        format!("{owner}/{}", name.trim_end_matches(".git")).to_ascii_lowercase(),
        reference,
    ))
}
