//! Files that commands run: text that was written before, or a script of the build context.
use super::content::Content;
use super::context::content_at;
use super::files::Files;
use super::script::{Context, MAX_DEPTH, bind};
use super::shells::Shell;
use super::state::State;
use super::variable::{Alternative, Origin, Variable};
use super::walker::{Walker, hints};
use crate::actions::{self, Action, Source, Text, verb::Verb};
use crate::facts::{ProblemKind, SetHow};
use crate::front::directive;
use crate::front::dockerfile::is_shell;
use crate::paths::is_url;
use crate::read::ReadError;
use crate::text::mapped::Mapped;
use crate::text::shell::{self, Script};
use crate::tree::{Kind, Unread};
use crate::value::{Site, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// A file that a command runs.
pub(super) struct Run<'a> {
    /// Its path, as the command has it.
    pub(super) path: &'a str,
    /// Its arguments.
    pub(super) args: &'a [Value],
    /// A shell was named; else the file says itself what runs it.
    pub(super) by_shell: bool,
}

/// A command whose file is being followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// The command.
    pub(super) site: Site,
    /// The file that it leads to.
    pub(super) file: u16,
}

impl Walker<'_> {
    /// Runs a file in a process of its own, if its text is known; else it is an action of its own.
    pub(super) fn run_file(
        &mut self,
        run: &Run<'_>,
        site: Site,
        state: &mut State,
        context: &Context,
    ) {
        let path = state.resolve(run.path);
        let followed = match content_at(state, &path) {
            Some(Content::Text(text)) => {
                let text = text.text();
                let mut child = state.child();
                if let Some(interpreter) = interpreter(&text.sketch()).filter(|_| !run.by_shell) {
                    child.shell = Shell::of_words(interpreter.split_whitespace());
                }
                bind(run.args, &mut child);
                self.text(&text, &mut child, context);
                state.keep_files_of(&child);
                true
            }
            Some(Content::Context(inside)) => match self.files.open(&inside) {
                Ok(file) => self.run_opened(file, &path, run, site, state, context),
                Err(why) => {
                    if run.by_shell || !is_program(&inside, &why) {
                        self.passed_over(not_read(&inside, &why, self.files));
                    }
                    false
                }
            },
            _ => false,
        };
        if !followed {
            self.step(script_action(&path, run.args), site, state, context);
        }
    }

    /// Runs a file that was read; false if no shell runs it.
    fn run_opened(
        &mut self,
        file: u16,
        path: &str,
        run: &Run<'_>,
        site: Site,
        state: &mut State,
        context: &Context,
    ) -> bool {
        let interpreter = interpreter(self.files.text(file)).filter(|_| !run.by_shell);
        if let Some(interpreter) = interpreter.filter(|interpreter| !is_shell(interpreter)) {
            if !interpreter.contains("python") {
                return false;
            }
            let mut words = vec![Value::literal("python", None), Value::literal(path, None)];
            words.extend(run.args.iter().cloned());
            self.command(&words, site, state, context);
            return true;
        }
        let mut child = state.child();
        if let Some(interpreter) = interpreter {
            child.shell = Shell::of_words(interpreter.split_whitespace());
        }
        bind(run.args, &mut child);
        own_path(&mut child, path);
        self.follow(file, site, context, |walker, script, context| {
            walker.script(script, file, &mut child, context);
        });
        state.keep_files_of(&child);
        true
    }

    /// `source file`: text that is known is followed, a profile is read, anything else may set everything.
    pub(super) fn source(
        &mut self,
        args: &[Value],
        site: Site,
        state: &mut State,
        context: &Context,
    ) {
        let Some((first, args)) = args.split_first() else {
            return;
        };
        let path = state.resolve(&first.sketch());
        match content_at(state, &path) {
            Some(Content::Text(text)) => {
                self.text(&text.text(), state, context);
                return;
            }
            Some(Content::Context(inside)) => match self.files.open(&inside) {
                Ok(file) => {
                    let before = ("BASH_SOURCE", state.get("BASH_SOURCE").to_vec());
                    if !args.is_empty() {
                        bind(args, state);
                    }
                    set(state, before.0, &path);
                    self.follow(file, site, context, |walker, script, context| {
                        walker.script(script, file, state, context);
                    });
                    state.set(before.0, before.1);
                    return;
                }
                Err(why) => self.passed_over(not_read(&inside, &why, self.files)),
            },
            _ => {}
        }
        if path.ends_with("/activate") {
            state.activate();
        }
        if let Some(root) = path.strip_suffix("/share/spack/setup-env.sh") {
            set(state, "SPACK_ROOT", root);
            state.export("SPACK_ROOT", true);
        }
        let harmless = path.ends_with("/activate")
            || path.contains("/conda.sh")
            || path.contains("/setup.bash")
            || path.contains("/share/spack/setup-env.")
            || path.contains(".cargo/env")
            || path.contains("/.bashrc")
            || path.contains("/enable");
        if !harmless {
            let why = format!("{} may set it", first.describe());
            state.opens(&why);
        }
    }

    /// Goes into a file that the command at `site` leads to, unless it is in it already or too deep.
    pub(super) fn follow(
        &mut self,
        file: u16,
        site: Site,
        context: &Context,
        walk: impl FnOnce(&mut Self, &Script, &Context),
    ) {
        let path = || self.files.path(Site { file, ..site }).to_owned();
        if self.calls.iter().any(|call| call.file == file) {
            let message = format!("{} leads back to itself: it is followed once", path());
            return self.note(ProblemKind::PassedOver, message);
        }
        if context.depth >= MAX_DEPTH {
            let message = format!("{} is not followed: {MAX_DEPTH} files lead to it", path());
            return self.note(ProblemKind::PassedOver, message);
        }
        let script = self.parsed(file);
        self.calls.push(Call { site, file });
        walk(self, &script, &context.deeper());
        self.calls.pop();
    }

    fn passed_over(&mut self, message: Option<String>) {
        if let Some(message) = message {
            self.note(ProblemKind::PassedOver, message);
        }
    }

    fn parsed(&mut self, file: u16) -> Rc<Script> {
        if let Some(script) = self.scripts.get(&file) {
            return Rc::clone(script);
        }
        let text = Mapped::verbatim(self.files.text(file), 0);
        let script = Rc::new(shell::parse(&text));
        if let Some(problem) = script.problems.first() {
            let site = Site {
                file,
                span: problem.span,
            };
            let (path, line) = (self.files.path(site), self.files.place(site).line);
            let message = format!("{path}:{line} is not understood: {}", problem.message);
            self.note(ProblemKind::PassedOver, message);
        }
        let comments = directive::of_lines(self.files.text(file));
        self.hints.insert(file, hints(&comments));
        self.scripts.insert(file, Rc::clone(&script));
        script
    }
}

/// What the first line of a script names to run it.
fn interpreter(text: &str) -> Option<&str> {
    text.lines().next()?.strip_prefix("#!")
}

/// `$0` and where a script finds itself.
fn own_path(state: &mut State, path: &str) {
    set(state, "0", path);
    set(state, "BASH_SOURCE", path);
}

fn set(state: &mut State, name: &str, text: &str) {
    let origin = Origin {
        how: SetHow::Shell,
        site: None,
    };
    let alternative = Alternative {
        exported: false,
        ..Alternative::exported(Value::literal(text, None), origin)
    };
    state.set(name, Variable::from([alternative]));
}

/// A script of which nothing is known but its name and arguments.
fn script_action(path: &str, args: &[Value]) -> Action {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let dir = if dir.is_empty() { "/" } else { dir };
    let mut action = Action::new(Verb::Script, name, Source::Tree(dir.to_owned()));
    action.options = actions::options(args);
    action.defines = actions::passed_on_defines(args);
    action
}

/// The text of a file of the image, where it is known; why it is not is noted.
pub(super) fn open<'t>(
    path: &str,
    state: &'t State,
    files: &'t Files<'_>,
    notes: &RefCell<Vec<String>>,
) -> Option<Text<'t>> {
    if is_url(path) {
        let note = format!("{path} is not read: it is on the network");
        notes.borrow_mut().push(note);
        return None;
    }
    let (content, below) = state.content(path)?;
    match content {
        Content::Context(_) => {
            let Some(Content::Context(inside)) = content_at(state, path) else {
                return None;
            };
            match files.open(&inside) {
                Ok(file) => Some(Text {
                    file,
                    start: 0,
                    text: files.text(file).into(),
                }),
                Err(why) => {
                    notes.borrow_mut().extend(not_read(&inside, &why, files));
                    None
                }
            }
        }
        Content::Text(written) if below.is_empty() => {
            let value = written.text();
            let site = value.site()?;
            let text = value.known()?;
            (text.len() == site.span.len()).then_some(Text {
                file: site.file,
                start: site.span.start,
                text: text.into(),
            })
        }
        _ => None,
    }
}

/// The same for a file that may well not be there.
pub(super) fn open_if_there<'t>(
    path: &str,
    state: &'t State,
    files: &'t Files<'_>,
    notes: &RefCell<Vec<String>>,
) -> Option<Text<'t>> {
    if let Some(Content::Context(inside)) = content_at(state, path)
        && files.kind(&inside) != Some(Kind::File)
    {
        return None;
    }
    open(path, state, files, notes)
}

/// What commands wrote to a file of the image.
pub(super) fn written(path: &str, state: &State) -> Option<Value> {
    match state.content(path)? {
        (Content::Text(written), below) if below.is_empty() => Some(written.text()),
        _ => None,
    }
}

/// Whether a file is a program by its name and its bytes: nothing in it is a command.
fn is_program(path: &str, why: &Unread) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    !name.contains('.') && matches!(why, Unread::Read(ReadError::Binary(_)))
}

/// That a file was not read, if it might have been.
fn not_read(path: &str, why: &Unread, files: &Files<'_>) -> Option<String> {
    let context = files.context();
    (*why != Unread::Off).then(|| format!("{path} is not read: {why} (build context: {context})"))
}
