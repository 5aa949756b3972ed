//! `COPY` and `ADD`: what they put where.
use super::content::Content;
use super::context::{bring_tools, copied, holds_python};
use super::state::State;
use super::walker::Walker;
use crate::front::document::Unit;
use crate::paths::join;
use crate::text::word::Word;
use crate::tree::Kind;

impl Walker<'_> {
    pub(super) fn copy(
        &mut self,
        from: Option<&Word>,
        sources: &[Word],
        destination: &Word,
        add: bool,
        state: &mut State,
    ) {
        let destination = Self::expand(state, destination).sketch();
        let target = state.resolve(&destination);
        let stage = from
            .map(|f| Self::expand(state, f).sketch())
            .map(|name| self.find_stage(&name).or_else(|| name.parse().ok()));
        let texts = sources.iter().map(|s| Self::expand(state, s).sketch());
        let sources: Vec<String> = match stage {
            None => texts.flat_map(|text| self.matching(text)).collect(),
            Some(_) => texts.collect(),
        };
        let into = destination.ends_with('/') || destination == "." || sources.len() > 1;
        for text in sources {
            let name = text.trim_end_matches('/').rsplit('/').next();
            let name = name.unwrap_or_default();
            let mut kind = None;
            let content = match stage {
                Some(Some(index)) if index < self.walked.scopes.len() => {
                    self.takes_python(index, &text);
                    self.stage_files(index, &text, &target, state)
                }
                Some(_) => {
                    bring_tools(&text, None, state);
                    Content::Unknown
                }
                None if text.contains("://") => {
                    kind = Some(Kind::File);
                    Content::Url(text.as_str().into())
                }
                None => {
                    let path = join("/", &text).trim_start_matches('/').to_owned();
                    kind = self.files.kind(&path);
                    if path.is_empty() && self.walked.unit == Unit::Job {
                        self.name_repository(state);
                    }
                    Content::Context(path)
                }
            };
            let looks_like_file =
                name.contains('.') && !name.starts_with('.') && !text.ends_with('/');
            let is_file = kind.map_or(looks_like_file, |kind| kind == Kind::File);
            if add && !text.contains("://") && is_archive(&text) {
                state.put(&target, Content::Unknown);
            } else if into && is_file {
                state.put(&join(&target, name), content);
            } else {
                state.put(&target, content);
            }
        }
    }

    /// Notes that the stage in hand runs the packages of another one.
    fn takes_python(&mut self, from: usize, path: &str) {
        if let Some(into) = self.scope.filter(|_| holds_python(path)) {
            self.walked.environments.push((from, into));
        }
    }

    /// What another stage has at a path; what is known below it is put below `target`.
    fn stage_files(&self, index: usize, text: &str, target: &str, state: &mut State) -> Content {
        let end = &self.walked.scopes[index].end;
        bring_tools(text, Some(end), state);
        let path = join("/", text);
        let below = end.files().filter_map(|(p, content)| {
            let rest = p.strip_prefix(&*path)?.strip_prefix('/')?;
            Some((join(target, rest), content.clone()))
        });
        for (path, content) in below {
            state.put(&path, content);
        }
        copied(end, &path).unwrap_or(Content::Unknown)
    }

    /// The files and folders of the build context that a source with `*`, `?` or `[…]` in its last part stands for; the source
    /// itself where there are none.
    fn matching(&self, text: String) -> Vec<String> {
        let (folder, pattern) = text.rsplit_once('/').unwrap_or(("", &text));
        if text.contains("://") || !pattern.contains(['*', '?', '[']) {
            return vec![text];
        }
        let names = self.files.names(folder, pattern);
        if names.is_empty() {
            return vec![text];
        }
        let found = names.iter().map(|name| match folder {
            "" => name.clone(),
            _ => format!("{folder}/{name}"),
        });
        found.collect()
    }
}

fn is_archive(path: &str) -> bool {
    let ends = [".tar.gz", ".tgz", ".tar", ".tar.xz", ".tar.bz2"];
    ends.iter().any(|end| path.ends_with(end))
}
