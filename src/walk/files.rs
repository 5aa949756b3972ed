//! The files of a run: the linted one, and those of the build context that it leads to.
use crate::read::ReadError;
use crate::span::{Lines, Place};
use crate::tree::{Kind, Tree, Unread, normal};
use crate::value::Site;
use elsa::FrozenVec;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// The largest file that is followed, in bytes.
const LARGEST: u64 = 4 << 20;
/// The files that one linted file may lead to, and their bytes.
const MOST: (usize, u64) = (512, 32 << 20);

const ENOUGH: &str = "512 files or 32 MiB";

/// The linted file and those that it led to. A file is read once, when it is first asked for.
pub struct Files<'t> {
    path: String,
    lines: Lines<'t>,
    tree: &'t Tree,
    /// The folders that may be the build context, the likeliest first.
    contexts: RefCell<Vec<String>>,
    opened: FrozenVec<Box<Opened>>,
    known: RefCell<BTreeMap<String, Result<u16, Unread>>>,
    bytes: Cell<u64>,
    spent: Cell<bool>,
}

/// A file that was read.
struct Opened {
    path: String,
    /// The folder that it lies in, by its path in the repository.
    folder: String,
    lines: Lines<'static>,
    /// A fact points into it.
    quoted: Cell<bool>,
}

impl<'t> Files<'t> {
    /// Begins with the linted file, which has index 0; its build context is the folder that it lies in, or one above.
    pub fn new(path: &str, text: &'t str, tree: &'t Tree) -> Self {
        let mut contexts = vec![tree.folder().to_owned()];
        let mut at = tree.folder();
        while !at.is_empty() {
            at = at.rsplit_once('/').map_or("", |(above, _)| above);
            contexts.push(at.to_owned());
        }
        // between the folder and the repository's root, these two are the likeliest
        if let Some(root) = contexts.pop() {
            contexts.insert(contexts.len().min(1), root);
        }
        Self {
            path: path.to_owned(),
            lines: Lines::new(text),
            tree,
            contexts: contexts.into(),
            opened: FrozenVec::new(),
            known: RefCell::default(),
            bytes: Cell::new(0),
            spent: Cell::new(false),
        }
    }

    /// The build context is the folder that has the most of these paths.
    pub fn choose_context(&self, paths: &[String]) {
        let mut contexts = self.contexts.borrow_mut();
        if contexts.len() < 2 || !self.tree.is_there() {
            return;
        }
        let has = |folder: &String| paths.iter().filter(|path| self.is_at(folder, path)).count();
        let found: Vec<usize> = contexts.iter().map(has).collect();
        let most = found.iter().copied().max().unwrap_or(0);
        let mut found = found.into_iter();
        contexts.retain(|_| found.next() == Some(most));
    }

    /// The context is known: a folder by its path in the repository, of which a job has all.
    pub fn context_is(&self, folder: &str) {
        *self.contexts.borrow_mut() = vec![folder.to_owned()];
    }

    fn is_at(&self, folder: &str, path: &str) -> bool {
        let path = format!("{folder}/{path}");
        match path.split_once(['*', '?', '[']) {
            None => self.tree.kind(&path).is_some(),
            Some((before, _)) => {
                let parent = before.rsplit_once('/').map_or("", |(above, _)| above);
                let mut parts = path[parent.len()..]
                    .split('/')
                    .filter(|part| !part.is_empty());
                let pattern = parts.next().unwrap_or_default();
                self.tree
                    .names(parent)
                    .iter()
                    .any(|name| fits(pattern, name))
            }
        }
    }

    /// The folder that is taken for the build context, as the user would write it.
    pub fn context(&self) -> String {
        let contexts = self.contexts.borrow();
        let shown = contexts.first().map(|folder| self.tree.shown(folder));
        shown
            .filter(|folder| !folder.is_empty())
            .unwrap_or_else(|| ".".to_owned())
    }

    /// A path of the build context, or from the top with a leading `/`, as one of the tree. Of the folders that may be the
    /// context, those stay that have it.
    fn locate(&self, path: &str) -> String {
        if let Some(whole) = path.strip_prefix('/') {
            return normal(whole).unwrap_or_else(|| path.to_owned());
        }
        let mut contexts = self.contexts.borrow_mut();
        let at = |folder: &str| normal(&format!("{folder}/{path}"));
        if contexts.len() > 1 {
            let has = |folder: &String| self.tree.kind(&format!("{folder}/{path}")).is_some();
            if contexts.iter().any(has) {
                contexts.retain(has);
            }
        }
        let folder = contexts.first().map_or("", String::as_str);
        // what leads out of the tree stays as it is, and is refused
        at(folder).unwrap_or_else(|| format!("{folder}/{path}"))
    }

    /// What is at a path of the build context.
    pub fn kind(&self, path: &str) -> Option<Kind> {
        self.tree.kind(&self.locate(path))
    }

    /// The names in a folder of the build context that fit a pattern with `*`, `?` and `[…]`, sorted.
    pub fn names(&self, folder: &str, pattern: &str) -> Vec<String> {
        let mut names = self.tree.names(&self.locate(folder));
        names.retain(|name| fits(pattern, name));
        names
    }

    /// Reads the file at a path of the build context.
    ///
    /// # Errors
    /// It was not read, for this reason.
    pub fn open(&self, path: &str) -> Result<u16, Unread> {
        if !self.tree.is_there() {
            return Err(Unread::Off);
        }
        let path = self.locate(path);
        if let Some(known) = self.known.borrow().get(&path) {
            return known.clone();
        }
        let opened = self.open_new(&path);
        self.known.borrow_mut().insert(path, opened.clone());
        opened
    }

    fn open_new(&self, path: &str) -> Result<u16, Unread> {
        let left = MOST.1.saturating_sub(self.bytes.get());
        if self.opened.len() >= MOST.0 || left == 0 {
            self.spent.set(true);
            return Err(Unread::Enough(ENOUGH));
        }
        let text = match self.tree.read(path, LARGEST.min(left)) {
            Err(Unread::Read(ReadError::TooLarge(_))) if left < LARGEST => {
                self.spent.set(true);
                return Err(Unread::Enough(ENOUGH));
            }
            text => text?,
        };
        self.bytes.set(self.bytes.get() + text.len() as u64);
        self.opened.push(Box::new(Opened {
            path: self.tree.shown(path),
            folder: path
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .to_owned(),
            lines: Lines::new(text),
            quoted: Cell::new(false),
        }));
        // at most 512
        Ok(self.opened.len() as u16)
    }

    /// Whether a file was not read because enough was.
    pub fn is_spent(&self) -> bool {
        self.spent.get()
    }

    fn opened(&self, file: u16) -> Option<&Opened> {
        self.opened.get((file as usize).checked_sub(1)?)
    }

    fn lines(&self, file: u16) -> Option<&Lines<'_>> {
        match file {
            0 => Some(&self.lines),
            _ => self.opened(file).map(|opened| &opened.lines),
        }
    }

    /// The folder of a file, by its path in the repository.
    pub fn folder(&self, file: u16) -> &str {
        match file {
            0 => self.tree.folder(),
            file => self.opened(file).map_or("", |opened| &opened.folder),
        }
    }

    /// The text of a file; empty for one that is none.
    pub fn text(&self, file: u16) -> &str {
        self.text_of(file).unwrap_or_default()
    }

    /// The text of a file; `None` behind the last one.
    pub fn text_of(&self, file: u16) -> Option<&str> {
        self.lines(file).map(Lines::text)
    }

    /// The path of the file that holds `site`.
    pub fn path(&self, site: Site) -> &str {
        match site.file {
            0 => &self.path,
            file => self.opened(file).map_or("", |opened| &opened.path),
        }
    }

    /// The place of `site`, for a fact: its file will be quoted.
    pub fn place(&self, site: Site) -> Place {
        if let Some(opened) = self.opened(site.file) {
            opened.quoted.set(true);
        }
        self.lines(site.file)
            .map_or_else(Place::default, |lines| lines.place(site.span))
    }

    /// The text at `site`, on one line: white space and continuations are single spaces, and past 200 characters it is cut.
    /// What was put together stands at one byte: then it is the line with it.
    pub fn excerpt(&self, site: Site) -> String {
        let text = match self.lines(site.file) {
            Some(lines) if site.span.len() == 1 => {
                let (line, _) = lines.line_column(site.span.start);
                lines.line(line).map(|(_, text)| text)
            }
            _ => self.text(site.file).get(site.span.range()),
        };
        let text = text.unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().filter(|w| *w != "\\").collect();
        let line = words.join(" ");
        match line.char_indices().nth(200) {
            Some((cut, _)) => format!("{}…", &line[..cut]),
            None => line,
        }
    }

    /// The paths of the other files that were read, in their order.
    pub fn read(&self) -> impl Iterator<Item = &str> {
        self.opened.iter().map(|opened| &*opened.path)
    }

    /// Path and text of the linted file and of those that facts point into.
    pub fn quoted(&self) -> impl Iterator<Item = (&str, &str)> {
        let others = self.opened.iter().filter(|opened| opened.quoted.get());
        std::iter::once((&*self.path, self.lines.text()))
            .chain(others.map(|opened| (&*opened.path, opened.lines.text())))
    }
}

/// Whether a name fits a pattern with `*`, `?` and `[…]`, as in `COPY`.
fn fits(pattern: &str, name: &str) -> bool {
    globset::Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(name))
}
