//! The files that `--fix` edits: the linted ones, and those that build them. Several linted files may lead to the same one.
use super::CliError;
use super::lint::Task;
use super::output::write_whole;
use crate::fix::Texts;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Files with their texts, in the order in which they were edited.
#[derive(Debug, Default)]
pub(super) struct Edited(Vec<File>);

#[derive(Debug)]
struct File {
    place: PathBuf,
    /// Its path, as the user would write it.
    path: String,
    before: String,
    after: String,
}

impl Edited {
    fn at(&self, place: &Path) -> Option<&File> {
        self.0.iter().find(|file| file.place == place)
    }

    /// The text of a linted file; `None` where it cannot be read.
    pub(super) fn text(&self, task: &Task) -> Option<String> {
        match self.at(&own_place(task)) {
            Some(file) => Some(file.after.clone()),
            None => task.input.read().ok(),
        }
    }

    /// The texts of the other files that lie in the tree of a linted one, by their paths there.
    pub(super) fn around(&self, task: &Task) -> BTreeMap<String, String> {
        let own = own_place(task);
        let others = self.0.iter().filter(|file| file.place != own);
        let texts = others.filter_map(|file| {
            let path = task.tree.path_of(&file.place)?;
            Some((path, file.after.clone()))
        });
        texts.collect()
    }

    /// Whether some of these files are edited already.
    pub(super) fn has_some(&self, task: &Task, texts: &Texts) -> bool {
        let mut callers = texts.callers.keys();
        let is_there = |place: PathBuf| self.at(&place).is_some();
        is_there(own_place(task)) || callers.any(|path| task.tree.place(path).is_some_and(is_there))
    }

    /// Adds the texts of a linted file and of those that build it.
    pub(super) fn add(&mut self, task: &Task, texts: Texts) {
        if let Ok(before) = task.input.read() {
            self.set(own_place(task), task.input.path(), before, texts.own);
        }
        for (path, after) in texts.callers {
            let place = task.tree.place(&path);
            if let Some((place, before)) = place.zip(task.tree.read(&path, u64::MAX).ok()) {
                self.set(place, task.tree.shown(&path), before, after);
            }
        }
    }

    fn set(&mut self, place: PathBuf, path: String, before: String, after: String) {
        match self.0.iter_mut().find(|file| file.place == place) {
            Some(file) => file.after = after,
            None if before == after => {}
            None => self.0.push(File {
                place,
                path,
                before,
                after,
            }),
        }
    }

    /// Writes the files, each as a whole.
    pub(super) fn write(&self) -> Result<(), CliError> {
        for file in &self.0 {
            write_whole(&file.place, |out| out.write_all(file.after.as_bytes()))
                .map_err(|error| CliError::Unwritable(file.path.clone(), error))?;
        }
        Ok(())
    }

    /// Prints what changes, in the form that `git apply` and `patch` take.
    pub(super) fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        for file in &self.0 {
            let diff = similar::TextDiff::from_lines(&file.before, &file.after);
            let path = file.path.trim_start_matches("./");
            diff.unified_diff()
                .header(&format!("a/{path}"), &format!("b/{path}"))
                .to_writer(&mut *out)?;
        }
        Ok(())
    }
}

/// Where the system has a linted file.
fn own_place(task: &Task) -> PathBuf {
    let place = task.input.file().canonicalize();
    place.unwrap_or_else(|_| task.place.clone())
}
