//! Files that the build context brings: `COPY`, `ADD`, bind mounts.
use super::content::{Content, Presence};
use super::state::State;
use crate::facts::Known;
use crate::paths::join;

/// What stands at `path`, the ancestors' contents followed down to it; a checkout of the linted file's own repository is read
/// where that stands.
pub fn content_at(state: &State, path: &str) -> Option<Content> {
    let (content, below) = state.content(path)?;
    Some(match content {
        Content::Repo { own: true, .. } => Content::Context(join("/", &below)),
        Content::Context(base) => {
            let whole = join("/", &format!("{base}/{below}"));
            Content::Context(match base.starts_with('/') {
                true => whole,
                false => whole.trim_start_matches('/').to_owned(),
            })
        }
        other if below.is_empty() => other.clone(),
        Content::Repo { .. } => content.clone(),
        _ => Content::Unknown,
    })
}

/// The same for a copy: a checkout stays one.
pub(super) fn copied(state: &State, path: &str) -> Option<Content> {
    match state.content(path)? {
        (checkout @ Content::Repo { .. }, below) if below.is_empty() => Some(checkout.clone()),
        _ => content_at(state, path),
    }
}

/// `--mount=type=bind,source=a,target=/b`: a bind mount of the context shows its files.
pub(super) fn mount(text: &str, state: &mut State) {
    let get = |names: &[&str]| {
        text.split(',').find_map(|p| {
            p.split_once('=')
                .filter(|(n, _)| names.contains(n))
                .map(|(_, v)| v.to_owned())
        })
    };
    if get(&["type"]).unwrap_or_else(|| "bind".to_owned()) != "bind" || get(&["from"]).is_some() {
        return;
    }
    let Some(target) = get(&["target", "dst", "destination"]) else {
        return;
    };
    let source = get(&["source", "src"]).unwrap_or_default();
    let path = state.resolve(&target);
    state.put(
        &path,
        Content::Context(join("/", &source).trim_start_matches('/').to_owned()),
    );
}

/// Whether a path may hold the packages of a Python environment.
pub(super) fn holds_python(path: &str) -> bool {
    let names = [
        "conda",
        "venv",
        "site-packages",
        "dist-packages",
        "python",
        "/usr/local",
        "/opt",
        "/root",
    ];
    path == "/" || names.iter().any(|name| path.contains(name))
}

/// Whether a path may hold a CUDA toolkit.
fn holds_cuda(path: &str) -> bool {
    let above = ["", "/usr", "/usr/local"];
    let names = ["cuda", "conda"];
    above.contains(&path.trim_end_matches('/')) || names.iter().any(|name| path.contains(name))
}

/// `COPY --from`: a Python environment or a toolkit brings its tools; from an image that is not known, perhaps.
pub(super) fn bring_tools(path: &str, from: Option<&State>, state: &mut State) {
    let presence =
        |of: fn(&State) -> &Presence| from.map_or_else(Presence::default, |s| of(s).clone());
    if holds_python(path) {
        take(&mut state.torch, presence(|s| &s.torch));
    }
    if holds_cuda(path) {
        take(&mut state.nvcc, presence(|s| &s.nvcc));
    }
}

/// What was not there may come; what was there stays.
fn take(mine: &mut Presence, theirs: Presence) {
    if mine.there != Known::Yes && theirs.there != Known::No {
        *mine = theirs;
    }
}
