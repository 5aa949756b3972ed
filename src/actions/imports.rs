//! Python programs of the image, and the modules that they import: which extensions of torch they compile when that happens.
use super::verb::Verb;
use super::{Action, Source, Surroundings, Text};
use crate::paths::join;
use crate::span::Span;
use crate::text::python::{self, Block, Does, Expression, What};
use crate::value::Site;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// More modules are not opened for one command.
const MAX_MODULES: usize = 64;
/// Functions are followed this deep.
const MAX_DEPTH: u32 = 8;

/// The option of an action that is surely reached: what compiles stands where every run comes by.
const REACHED: &str = "reached";

/// What the file at `path` compiles, run as a program.
pub(super) fn of_file(path: &str, around: &Surroundings<'_>) -> Vec<Action> {
    let mut reading = Reading::new(folder_of(path), around);
    reading.module(path, true, true);
    reading.actions()
}

/// What the module `name` compiles, run by `python -m`.
pub(super) fn of_module(name: &str, around: &Surroundings<'_>) -> Vec<Action> {
    let mut reading = Reading::new(&(around.resolve)("."), around);
    let here = reading.folders.first().cloned().unwrap_or_default();
    let path = join(&here, &name.replace('.', "/"));
    if let Some((package, _)) = name.rsplit_once('.') {
        reading.import(package, &[], &here, true);
    }
    for file in [
        format!("{path}.py"),
        format!("{path}/__init__.py"),
        format!("{path}/__main__.py"),
    ] {
        reading.module(&file, true, true);
    }
    reading.actions()
}

/// What the modules compile that the text of `python -c` imports.
pub(super) fn of_text(text: &str, around: &Surroundings<'_>) -> Vec<Action> {
    let mut reading = Reading::new(&(around.resolve)("."), around);
    let here = reading.folders.first().cloned().unwrap_or_default();
    let text = Text {
        file: 0,
        start: 0,
        text: Cow::Borrowed(text),
    };
    reading.code(&text, &here, true, true);
    reading.actions()
}

struct Reading<'a, 's> {
    around: &'a Surroundings<'s>,
    /// Where modules are looked for.
    folders: Vec<String>,
    seen: Vec<String>,
    /// What compiles, and whether every run comes by.
    found: Vec<(Site, bool)>,
}

/// The module in hand.
struct Module<'m> {
    text: &'m Text<'m>,
    /// Where its relative imports start.
    folder: &'m str,
    /// It is the program itself.
    main: bool,
    functions: BTreeMap<&'m str, &'m Block>,
}

impl<'a, 's> Reading<'a, 's> {
    fn new(folder: &str, around: &'a Surroundings<'s>) -> Self {
        let path = (around.env)("PYTHONPATH").map(|value| value.sketch());
        let more = path.iter().flat_map(|path| path.split(':'));
        let more = more.filter(|folder| !folder.is_empty() && !folder.contains('?'));
        let first = std::iter::once(folder.to_owned());
        Self {
            around,
            folders: first
                .chain(more.map(|folder| (around.resolve)(folder)))
                .collect(),
            seen: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Reads a file, if it is one of those that are known.
    fn module(&mut self, path: &str, main: bool, sure: bool) -> bool {
        if self.seen.iter().any(|seen| seen == path) {
            return true;
        }
        let Some(text) = (self.around.open_if_there)(path) else {
            return false;
        };
        if self.seen.len() == MAX_MODULES {
            let message = format!(
                "{path} and other modules are not read: {MAX_MODULES} are imported before them"
            );
            (self.around.note)(message);
        }
        self.seen.push(path.to_owned());
        if self.seen.len() <= MAX_MODULES {
            self.code(&text, folder_of(path), main, sure);
        }
        true
    }

    fn code(&mut self, text: &Text<'_>, folder: &str, main: bool, sure: bool) {
        let block = python::read(&text.text);
        let functions = block.iter().filter_map(|statement| match &statement.does {
            Does::Define { name, body, .. } => Some((name.as_str(), body)),
            _ => None,
        });
        let module = Module {
            text,
            folder,
            main,
            functions: functions.collect(),
        };
        self.block(&block, &module, sure, 0);
    }

    fn block(&mut self, block: &Block, module: &Module<'_>, sure: bool, depth: u32) {
        for statement in block {
            match &statement.does {
                Does::Import(name, names) => self.import(name, names, module.folder, sure),
                Does::Assign { value, .. } | Does::Evaluate(value) | Does::Return(Some(value)) => {
                    self.expression(value, module, sure, depth);
                }
                Does::If { arms, otherwise } => {
                    for (test, body) in arms {
                        match is_main(test) {
                            true if !module.main => {}
                            main => self.block(body, module, sure && main, depth),
                        }
                    }
                    self.block(otherwise, module, false, depth);
                }
                Does::For { body, .. } => self.block(body, module, false, depth),
                Does::Try(body, others) => {
                    self.block(body, module, sure, depth);
                    for other in others {
                        self.block(other, module, false, depth);
                    }
                }
                Does::Block(_, body) | Does::Class { body, .. } => {
                    self.block(body, module, sure, depth);
                }
                _ => {}
            }
        }
    }

    fn expression(&mut self, value: &Expression, module: &Module<'_>, sure: bool, depth: u32) {
        if let What::Call(function, arguments) = &value.what {
            let is_load = matches!(function.last_name(), Some("load" | "load_inline"))
                && module.text.text.contains("cpp_extension");
            let for_device = arguments.iter().any(|argument| {
                argument.name.as_deref() == Some("cuda_sources")
                    || names_device_code(&argument.value)
            });
            if is_load && for_device {
                self.found(value.span, module, sure);
            }
            let called = function
                .path()
                .and_then(|name| module.functions.get(name.as_str()).copied());
            if let Some(body) = called.filter(|_| depth < MAX_DEPTH) {
                self.block(body, module, sure, depth + 1);
            }
        }
        for part in value.parts() {
            self.expression(part, module, sure, depth);
        }
    }

    fn found(&mut self, span: Span, module: &Module<'_>, sure: bool) {
        if let Some(site) = module.text.value(span).site()
            && !self.found.iter().any(|(known, _)| *known == site)
        {
            self.found.push((site, sure));
        }
    }

    /// `import a.b`, `from .a import b`: a name that is taken may be a module, too.
    fn import(&mut self, name: &str, names: &[String], folder: &str, sure: bool) {
        let below = name.trim_start_matches('.');
        let dots = name.len() - below.len();
        let bases = match dots {
            0 => self.folders.clone(),
            _ => vec![(1..dots).fold(folder.to_owned(), |folder, _| folder_of(&folder).to_owned())],
        };
        for base in bases {
            let mut path = base;
            for part in below.split('.').filter(|part| !part.is_empty()) {
                path = join(&path, part);
                self.any_module(&path, sure);
            }
            for name in names {
                self.any_module(&join(&path, name), sure);
            }
        }
    }

    /// The package or module at a path, where there is one.
    fn any_module(&mut self, path: &str, sure: bool) {
        if !self.module(&format!("{path}/__init__.py"), false, sure) {
            self.module(&format!("{path}.py"), false, sure);
        }
    }

    fn actions(self) -> Vec<Action> {
        let action = |(site, sure): (Site, bool)| {
            let mut action = Action::new(Verb::Jit, "python", Source::Nothing);
            action.at = Some(site).filter(|site| site.span.end > 0);
            action
                .options
                .extend(sure.then(|| (REACHED.to_owned(), None)));
            action
        };
        self.found.into_iter().map(action).collect()
    }
}

fn folder_of(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((folder, _)) => folder,
    }
}

/// `__name__ == "__main__"`
fn is_main(test: &Expression) -> bool {
    matches!(&test.what, What::Infix(left, operator, _) if operator == "==" && left.path().as_deref() == Some("__name__"))
}

/// Whether a file of device code is named anywhere in it.
fn names_device_code(value: &Expression) -> bool {
    let is_named = value.literal().is_some_and(|text| text.ends_with(".cu"));
    is_named || value.parts().into_iter().any(names_device_code)
}
