//! Paths as text, and as services for reviews take them: relative to the repository, with `/` between folders.
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path};

/// The relative paths of files, each worked out once: files are few, and findings about them many.
pub struct Names<'h> {
    here: &'h Path,
    known: RefCell<HashMap<String, String>>,
}

impl<'h> Names<'h> {
    /// Paths relative to the folder `here`.
    pub fn new(here: &'h Path) -> Self {
        Self {
            here,
            known: RefCell::default(),
        }
    }

    /// The path as [`relative`] has it.
    pub fn of(&self, path: &str) -> String {
        let mut known = self.known.borrow_mut();
        if let Some(name) = known.get(path) {
            return name.clone();
        }
        let name = relative(path, self.here);
        known.insert(path.to_owned(), name.clone());
        name
    }
}

/// The path as text. Bytes that are none are written as `\xFF`, so that two paths stay two.
pub fn text(path: &Path) -> Cow<'_, str> {
    if let Some(text) = path.to_str() {
        return text.into();
    }
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        let bytes = chunk.invalid().iter();
        text.extend(bytes.map(|byte| format!("\\x{byte:02X}")));
    }
    text.into()
}

/// The path below the folder `here`, or from the root where it lies elsewhere; without `.` and without what `..` takes back.
pub fn relative(path: &str, here: &Path) -> String {
    let path = Path::new(path);
    let below = path.strip_prefix(here).unwrap_or(path);
    let mut parts: Vec<String> = Vec::new();
    for component in below.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if parts.last().is_some_and(|last| last != "..") => {
                parts.pop();
            }
            Component::RootDir => parts.push(String::new()),
            other => parts.push(other.as_os_str().to_string_lossy().into_owned()),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_where_they_can_be() {
        for (path, expected) in [
            ("Dockerfile", "Dockerfile"),
            ("./a/./b", "a/b"),
            ("a/../b", "b"),
            ("../b", "../b"),
            ("a/../../b", "../b"),
            ("/repository/a/b", "a/b"),
            ("/else/a", "/else/a"),
            ("GPU 0", "GPU 0"),
        ] {
            assert_eq!(relative(path, Path::new("/repository")), expected, "{path}");
        }
    }
}
