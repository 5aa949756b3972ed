//! Files that the build context brings: `COPY`, `ADD`, bind mounts.
use super::content::{Content, join};
use super::state::State;

/// What stands at `path`, the ancestors' contents followed down to it.
pub fn content_at(state: &State, path: &str) -> Option<Content> {
    let (content, below) = state.content(path)?;
    Some(match content {
        Content::Context(base) => Content::Context(
            join("/", &format!("{base}/{below}"))
                .trim_start_matches('/')
                .to_owned(),
        ),
        other if below.is_empty() => other.clone(),
        Content::Repo { name, reference } => Content::Repo {
            name: name.clone(),
            reference: reference.clone(),
        },
        _ => Content::Unknown,
    })
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
