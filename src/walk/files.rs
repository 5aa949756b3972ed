//! The files of a run, for turning sites into places.
use super::value::Site;
use crate::span::{Lines, Place};

/// The linted file and those that it led to.
pub struct Files<'t> {
    files: Vec<(String, Lines<'t>)>,
}

impl<'t> Files<'t> {
    /// Begins with the linted file, which has index 0.
    pub fn new(path: &str, text: &'t str) -> Self {
        Self {
            files: vec![(path.to_owned(), Lines::new(text))],
        }
    }

    /// The path of the file that holds `site`.
    pub fn path(&self, site: Site) -> &str {
        self.files
            .get(site.file as usize)
            .map_or("", |(path, _)| path)
    }

    /// The place of `site`.
    pub fn place(&self, site: Site) -> Place {
        self.files
            .get(site.file as usize)
            .map_or_else(Place::default, |(_, lines)| lines.place(site.span))
    }

    /// The text at `site`, on one line: white space and continuations are single spaces, and past 200 characters it is cut.
    pub fn excerpt(&self, site: Site) -> String {
        let Some((_, lines)) = self.files.get(site.file as usize) else {
            return String::new();
        };
        let text = lines.text().get(site.span.range()).unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().filter(|w| *w != "\\").collect();
        let line = words.join(" ");
        match line.char_indices().nth(200) {
            Some((cut, _)) => format!("{}…", &line[..cut]),
            None => line,
        }
    }
}
