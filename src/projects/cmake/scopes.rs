//! Files, folders and functions that commands lead to, with the variables that end with them.
use super::follow::{Follow, MAX_DEPTH, ROOT};
use crate::projects::guard::Guard;
use crate::projects::python::join;
use crate::projects::seen::{Piece, Seen};
use crate::text::cmake::Argument;
use crate::tree::normal;

impl Follow<'_> {
    pub(super) fn module_paths(&mut self, values: &[Argument]) {
        for value in values {
            if let Some(path) = self.one(value).and_then(|p| self.path(&p)) {
                self.modules.push(path);
            }
        }
    }

    /// A path of the build context from one of a command.
    pub(super) fn path(&self, text: &str) -> Option<String> {
        if let Some(below) = text.strip_prefix(ROOT) {
            return normal(below);
        }
        if text.starts_with('/') {
            return None;
        }
        normal(&format!("{}/{text}", self.dir))
    }

    pub(super) fn include(&mut self, args: &[Argument], guard: &Guard) {
        let Some(text) = args.first().and_then(|a| self.one_where(guard, a)) else {
            self.shows.missing = true;
            return;
        };
        let mut paths: Vec<String> = self.path(&text).into_iter().collect();
        if !text.ends_with(".cmake") {
            // a module of the project's; CMake's own are not in the tree
            paths = self
                .modules
                .iter()
                .map(|m| join(m, &format!("{text}.cmake")))
                .collect();
        }
        let found = paths
            .iter()
            .find_map(|p| Some((p, self.files.open(p).ok()?)));
        if let Some((path, file)) = found {
            let folder = path
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .to_owned();
            let before = std::mem::replace(&mut self.list_dir, folder);
            self.run_file(file, guard);
            self.list_dir = before;
        } else if text.ends_with(".cmake") && !args.iter().any(|a| a.is("OPTIONAL")) {
            self.shows.missing = true;
        }
    }

    pub(super) fn subdirectory(&mut self, args: &[Argument], guard: &Guard) {
        let path = args
            .first()
            .and_then(|a| self.one_where(guard, a))
            .and_then(|p| self.path(&p));
        let file = path
            .as_ref()
            .and_then(|p| self.files.open(&join(p, "CMakeLists.txt")).ok());
        let (Some(path), Some(file)) = (path, file) else {
            self.shows.missing = true;
            return;
        };
        let before = (
            std::mem::replace(&mut self.dir, path.clone()),
            std::mem::replace(&mut self.list_dir, path),
        );
        self.in_scope(guard, |follow| follow.run_file(file, guard));
        (self.dir, self.list_dir) = before;
    }

    /// Runs with variables of its own; what it makes of the architectures is noted.
    pub(super) fn in_scope(&mut self, guard: &Guard, run: impl FnOnce(&mut Self)) {
        let name = "CMAKE_CUDA_ARCHITECTURES";
        let before = self.variables.get(name).to_vec();
        let opened = self.variables.open();
        let parts = match guard {
            Guard::All(parts) => parts.clone(),
            single => vec![single.clone()],
        };
        let holds = std::mem::replace(&mut self.holds, parts);
        run(self);
        self.holds = holds;
        if self.variables.get(name) != before {
            self.note_archs(guard);
        }
        self.variables.close(opened);
    }

    pub(super) fn note_archs(&mut self, guard: &Guard) {
        for (when, what) in self.ways("CMAKE_CUDA_ARCHITECTURES") {
            let site = what.iter().find_map(|p| match p {
                Piece::Literal(_, site) => Some(*site),
                Piece::Open(_) => None,
            });
            let site = site.unwrap_or_default();
            self.shows.archs.push(Seen {
                guard: Guard::all([guard.clone(), when]),
                what,
                site,
            });
        }
    }

    pub(super) fn function(&mut self, name: &str, args: &[Argument], guard: &Guard) {
        let words = args.iter().filter_map(Argument::literal);
        self.touched.extend(words);
        let Some(function) = self.functions.get(name).cloned() else {
            return;
        };
        if self.depth >= MAX_DEPTH {
            return;
        }
        let mut bound = Vec::new();
        for (parameter, arg) in function.parameters.iter().zip(args) {
            bound.push((parameter.clone(), self.expand(arg)));
        }
        let rest = self.joined(args.get(function.parameters.len()..).unwrap_or_default());
        bound.push(("ARGN".to_owned(), rest));
        let file = std::mem::replace(&mut self.file, function.file);
        self.depth += 1;
        self.in_scope(guard, |follow| {
            for (name, ways) in bound {
                follow.variables.put(&name, Some(ways));
            }
            follow.block(&function.body, guard);
        });
        self.depth -= 1;
        self.file = file;
    }

    /// Whether a target is there that the project itself adds; those with `::` come from packages.
    pub(super) fn may_have_target(&self, name: &str) -> bool {
        self.shows.missing || name.contains("::") || self.targets.contains(name)
    }

    /// Whether a variable may have been set where nobody followed it.
    pub(super) fn is_touched(&self, name: &str) -> bool {
        let prefix = name
            .split_once('_')
            .map(|(prefix, _)| format!("{prefix}_*"));
        self.touched.contains(name) || prefix.is_some_and(|prefix| self.touched.contains(&prefix))
    }
}
