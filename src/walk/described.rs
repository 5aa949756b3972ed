//! Images that commands build as files describe them: `docker buildx bake`, `docker compose build`.
use super::containers::in_repository;
use super::follow::Call;
use super::state::State;
use super::walked::DescribedImage;
use super::walker::Walker;
use crate::actions::docker::{Described, Describer};
use crate::front::document::{Assign, Scope};
use crate::front::image_build::Asked;
use crate::front::{bake, compose};
use crate::text::word::Word;
use crate::value::{Site, Value};

impl Walker<'_> {
    /// Builds what files describe. Where one of them is not known, neither is what it lays over the others.
    pub(super) fn described(&mut self, described: &Described, site: Site, state: &State) {
        let Some(paths) = self.files_of(described, state) else {
            return;
        };
        let opened: Option<Vec<u16>> = paths
            .iter()
            .map(|path| self.files.open(&format!("/{path}")).ok())
            .collect();
        let Some(opened) = opened else { return };
        let Some(folder) = self.folder_of(described, &paths, state) else {
            return;
        };
        let texts: Vec<&str> = opened.iter().map(|file| self.files.text(*file)).collect();
        let variable = |name: &str| match state.get(name) {
            [one] if one.exported => one.value.as_ref()?.known(),
            _ => None,
        };
        let asked = Asked {
            names: described.names.iter().filter_map(Value::known).collect(),
            sets: sets(described, site, state),
            environment: Some(&variable),
        };
        let scopes = match described.tool {
            Describer::Bake => bake::together(&texts, &asked),
            Describer::Compose => compose::together(&texts, &asked),
        };
        for (layer, scope) in scopes {
            let name = scope.alias.clone().unwrap_or_default();
            let images = paths.iter().map(|path| DescribedImage {
                path: path.clone(),
                name: name.clone(),
            });
            self.walked.described.extend(images);
            let mut inside = state.clone();
            inside.file = opened[layer];
            inside.cwd = folder.as_str().into();
            self.calls.push(Call {
                site,
                file: opened[layer],
            });
            self.image_of(&scope, &mut inside);
            self.calls.pop();
        }
    }

    /// Runs the job of an image on the machine of the command.
    fn image_of(&mut self, scope: &Scope, state: &mut State) {
        let before = self.walked.lent.len();
        self.statements(scope.statements.get(1..).unwrap_or_default(), state);
        let row = scope.worlds.iter().flat_map(|world| world.names.clone());
        let row: Vec<(String, String)> = row.collect();
        for lent in &mut self.walked.lent[before..] {
            lent.row.clone_from(&row);
        }
    }

    /// The files, by their paths in the repository.
    fn files_of(&self, described: &Described, state: &State) -> Option<Vec<String>> {
        let place = |path: &str| crate::tree::normal(&in_repository(state, path)?);
        if !described.files.is_empty() {
            let files = described.files.iter();
            return files.map(|file| place(&file.known()?)).collect();
        }
        let looked_for: &[&[&str]] = match described.tool {
            Describer::Bake => &bake::LOOKED_FOR,
            Describer::Compose => &compose::LOOKED_FOR,
        };
        let there = |path: &String| self.files.kind(&format!("/{path}")).is_some();
        let first = |row: &&[&str]| row.iter().filter_map(|name| place(name)).find(there);
        let files: Vec<String> = looked_for.iter().filter_map(first).collect();
        (!files.is_empty()).then_some(files)
    }

    /// Where paths are seen from: with Bake the folder that it is run in, with Compose that of its first file.
    fn folder_of(&self, described: &Described, paths: &[String], state: &State) -> Option<String> {
        if let Some(folder) = &described.folder {
            return Some(state.resolve(&folder.known()?));
        }
        if described.tool == Describer::Bake {
            return Some(state.cwd.to_string());
        }
        match described.files.first() {
            Some(file) => {
                let file = state.resolve(&file.known()?);
                let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
                Some(if folder.is_empty() {
                    "/".to_owned()
                } else {
                    folder.to_owned()
                })
            }
            None => paths.first().map(|_| state.cwd.to_string()),
        }
    }

    /// `docker/bake-action`: its inputs are the options of `docker buildx bake`.
    pub(super) fn baked(&self, inputs: &[Assign], state: &State) -> Described {
        let lines = |name: &str| {
            let input = self.input(inputs, name, state).unwrap_or_default();
            lines_of(&input)
        };
        let files = lines("files")
            .into_iter()
            .flat_map(|line| split_at(&line, ','));
        let names = lines("targets")
            .into_iter()
            .flat_map(|line| split_at(&line, ','));
        let sets = lines("set").into_iter().map(|line| {
            let text = line.sketch();
            match text.split_once('=') {
                Some((key, _)) => (key.to_owned(), Some(line.slice_from(key.len() + 1))),
                None => (text, None),
            }
        });
        Described {
            files: files.collect(),
            folder: None,
            names: names.collect(),
            sets: sets.collect(),
            ..Described::new(Describer::Bake)
        }
    }
}

/// What the command sets, as words; a value that is not known stays so.
fn sets(described: &Described, site: Site, state: &State) -> Vec<(String, Word)> {
    let sets = described.sets.iter().filter_map(|(key, value)| {
        let name = key.rsplit('.').next().unwrap_or(key);
        let value = value.clone().or_else(|| state.single(name))?;
        let word = match value.known() {
            Some(text) => Word::of_text(&text, site.span),
            None => Word::opaque(value.sketch(), site.span),
        };
        Some((key.clone(), word))
    });
    sets.collect()
}

/// The lines of a text that say something.
fn lines_of(text: &Value) -> Vec<Value> {
    split_at(text, '\n')
}

/// The pieces of a text between separators, without space around them; empty ones are none.
fn split_at(text: &Value, separator: char) -> Vec<Value> {
    let whole = text.sketch();
    let mut at = 0;
    let mut pieces = Vec::new();
    for piece in whole.split(separator) {
        let start = at + piece.len() - piece.trim_start().len();
        let trimmed = piece.trim();
        if !trimmed.is_empty() {
            pieces.push(text.slice(start, start + trimmed.len()));
        }
        at += piece.len() + separator.len_utf8();
    }
    pieces
}
