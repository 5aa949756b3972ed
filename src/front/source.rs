//! A file to be read, with those around it: some formats lay several files over each other.

/// A file to be read.
pub struct Source<'s> {
    /// Its text.
    pub text: &'s str,
    /// Its path in the repository; empty where there is none.
    pub path: &'s str,
    /// Gives the text of another file of the repository, by its path there.
    pub open: &'s dyn Fn(&str) -> Option<String>,
}

impl<'s> Source<'s> {
    /// A file of which nothing but the text is known.
    pub fn alone(text: &'s str) -> Self {
        Self {
            text,
            path: "",
            open: &|_| None,
        }
    }

    /// The texts of the files that a tool looks for in the folder of this one, in the order in which it lays them over each
    /// other, and which of them this is. Of each row of names it takes the first that is there. A file for which no tool looks
    /// is alone.
    pub fn layers(&self, looked_for: &[&[&'static str]]) -> (Vec<String>, usize) {
        let (folder, own) = match self.path.rsplit_once('/') {
            Some((folder, name)) => (format!("{folder}/"), name),
            None => (String::new(), self.path),
        };
        let text = |name: &str| match name == own {
            true => Some(self.text.to_owned()),
            false => (self.open)(&format!("{folder}{name}")),
        };
        if looked_for.iter().any(|row| row.contains(&own)) {
            let first =
                |row: &&[&'static str]| row.iter().find_map(|name| Some((*name, text(name)?)));
            let layers = looked_for.iter().filter_map(first);
            let (names, texts): (Vec<&str>, Vec<String>) = layers.unzip();
            if let Some(at) = names.iter().position(|name| *name == own) {
                return (texts, at);
            }
        }
        (vec![self.text.to_owned()], 0)
    }
}
