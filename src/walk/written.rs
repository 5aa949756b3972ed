//! Files that commands write: scripts, profiles.
use super::content::{Content, Written};
use super::settings::Life;
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walker::Walker;
use crate::facts::SetHow;
use crate::front::document::{ENV_FILE, OUTPUT_FILE};
use crate::text::shell::{Command, Compound, Redirect, RedirectKind, Simple};
use crate::text::word::Word;
use crate::value::{Site, Value};

impl Walker<'_> {
    /// `cat <<EOF > file`, `echo … >> ~/.bashrc`.
    pub(super) fn redirects(&mut self, simple: &Simple, file: u16, state: &mut State) {
        let (path, append) = match simple.redirects.iter().find_map(written_file) {
            Some((target, append)) => {
                let target = self.word(target, file, state).sketch();
                // a variable that is not set names no file
                if target.is_empty() {
                    return;
                }
                (state.resolve(&target), append)
            }
            None => match self.sink.clone() {
                Some(path) => (path, true),
                None => return,
            },
        };
        let text = self.printed(simple, file, state);
        // in a group that writes to a file, what prints nothing that is known here writes nothing that matters
        if text.is_none() && self.sink.as_ref() == Some(&path) {
            return;
        }
        self.write(&path, text, append, state);
    }

    /// `echo … | tee -a file`.
    pub(super) fn piped_text(&mut self, commands: &[Command], file: u16, state: &mut State) {
        let [.., Command::Simple(from), Command::Simple(to)] = commands else {
            return;
        };
        let to_fields = self.fields(&to.words, file, state);
        let mut texts = to_fields.iter().map(Value::sketch);
        if texts.next().as_deref() != Some("tee") {
            return;
        }
        let mut append = false;
        let mut path = None;
        for text in texts {
            match text.as_str() {
                "-a" | "--append" => append = true,
                _ => path = Some(state.resolve(&text)),
            }
        }
        let text = self.printed(from, file, state);
        if let Some(path) = path {
            self.write(&path, text, append, state);
        }
    }

    /// What a command prints, if it is `echo`, `printf` or `cat` of a heredoc.
    fn printed(&self, simple: &Simple, file: u16, state: &State) -> Option<Value> {
        let fields = self.fields(&simple.words, file, state);
        match fields.first()?.sketch().as_str() {
            "echo" | "printf" => {
                let mut text = Value::default();
                for field in fields
                    .iter()
                    .skip(1)
                    .filter(|f| !matches!(f.sketch().as_str(), "-e" | "-n" | "-en" | "-ne"))
                {
                    if !text.pieces.is_empty() {
                        text.push_literal(" ", None);
                    }
                    text.append(field);
                }
                Some(text)
            }
            "cat" | "tee" => simple.redirects.iter().find_map(|r| match &r.kind {
                RedirectKind::Heredoc { body } => Some(self.word(body, file, state)),
                _ => None,
            }),
            _ => None,
        }
    }

    /// `{ echo …; echo …; } >> file`: the file that a group of commands writes to.
    pub(super) fn sink(&self, compound: &Compound, file: u16, state: &State) -> Option<String> {
        let (target, _) = compound.redirects.iter().find_map(written_file)?;
        Some(state.resolve(&self.word(target, file, state).sketch()))
    }

    fn write(&mut self, path: &str, text: Option<Value>, append: bool, state: &mut State) {
        if matches!(path, ENV_FILE | OUTPUT_FILE) {
            if let Some(text) = text {
                self.job_file(path, &text, state);
            }
            return;
        }
        let Some(text) = text else {
            state.put(path, Content::Unknown);
            return;
        };
        if is_profile(path) {
            self.profile(&text, state.reads_profiles, state);
        }
        let text = match state.content(path) {
            Some((Content::Text(before), rest)) if append && rest.is_empty() => {
                let mut all = before.clone();
                all.append(text);
                all
            }
            Some((_, rest)) if append && rest.is_empty() => {
                state.put(path, Content::Unknown);
                return;
            }
            _ => Written::new(text),
        };
        state.put(path, Content::Text(text));
    }

    /// `NAME=value` lines for the next steps, or outputs of this one.
    fn job_file(&mut self, path: &str, text: &Value, state: &mut State) {
        for (name, value, site) in pairs(text) {
            if path == OUTPUT_FILE {
                state.set_output(&name, value);
                continue;
            }
            let origin = Origin {
                how: SetHow::GithubEnv,
                site: site.or_else(|| text.site()),
            };
            self.setting(&name, value.clone(), origin.clone(), Life::Next);
            state.set_later(&name, vec![Alternative::exported(value, origin)]);
        }
    }

    /// `export NAME=value` in a file that login and interactive shells read.
    fn profile(&mut self, text: &Value, is_read: bool, state: &mut State) {
        let sketch = text.sketch();
        let mut at = 0;
        for line in sketch.split(['\n', ';']) {
            let from = at + (line.len() - line.trim_start().len());
            at += line.len() + 1;
            let statement = line.trim().strip_prefix("export ").unwrap_or(line.trim());
            let Some((name, _)) = statement.split_once('=') else {
                continue;
            };
            let start = from + (line.trim().len() - statement.len());
            let value = text.slice(start + name.len() + 1, start + statement.len());
            let value = unquoted(&value);
            let origin = Origin {
                how: SetHow::Export,
                site: text
                    .site_of(start, start + statement.len())
                    .or_else(|| text.site()),
            };
            if is_read {
                state.set(name, vec![Alternative::exported(value, origin)]);
            } else {
                self.setting(name, value, origin, Life::RcFile);
            }
        }
    }
}

/// `NAME=value` lines, and `NAME<<END` with the lines up to `END`.
fn pairs(text: &Value) -> Vec<(String, Value, Option<Site>)> {
    let sketch = text.sketch();
    let mut lines = Vec::new();
    let mut at = 0;
    for line in sketch.split('\n') {
        lines.push((at, line));
        at += line.len() + 1;
    }
    let mut pairs = Vec::new();
    let mut next = 0;
    while let Some(&(start, line)) = lines.get(next) {
        next += 1;
        let site = |end: usize| text.site_of(start, end);
        match (line.find('='), line.find("<<")) {
            (equals, Some(mark)) if equals.is_none_or(|e| mark < e) => {
                let end = line[mark + 2..].trim();
                let from = next;
                while lines.get(next).is_some_and(|(_, line)| line.trim() != end) {
                    next += 1;
                }
                let body = lines.get(from).zip(lines.get(next.saturating_sub(1)));
                let value = match body {
                    Some((&(first, _), &(last, line))) if next > from => {
                        text.slice(first, last + line.len())
                    }
                    _ => Value::default(),
                };
                next += 1;
                pairs.push((
                    line[..mark].trim().to_owned(),
                    value,
                    site(start + line.len()),
                ));
            }
            (Some(equals), _) => {
                let value = text.slice(start + equals + 1, start + line.len());
                pairs.push((
                    line[..equals].trim().to_owned(),
                    value,
                    site(start + line.len()),
                ));
            }
            _ => {}
        }
    }
    pairs
}

fn unquoted(value: &Value) -> Value {
    let text = value.sketch();
    let trimmed = text.trim();
    for quote in ['"', '\''] {
        if trimmed.len() >= 2 && trimmed.starts_with(quote) && trimmed.ends_with(quote) {
            let start = text.len() - text.trim_start().len();
            return value.slice(start + 1, start + trimmed.len() - 1);
        }
    }
    value.clone()
}

fn is_profile(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        ".bashrc"
            | ".profile"
            | ".bash_profile"
            | ".zshrc"
            | "bash.bashrc"
            | "profile"
            | "environment"
            | ".bash_login"
    ) || path.contains("/profile.d/")
}

fn written_file(redirect: &Redirect) -> Option<(&Word, bool)> {
    match &redirect.kind {
        RedirectKind::Write(word) if redirect.fd.is_none_or(|fd| fd == 1) => Some((word, false)),
        RedirectKind::Append(word) if redirect.fd.is_none_or(|fd| fd == 1) => Some((word, true)),
        _ => None,
    }
}
