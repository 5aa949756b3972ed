//! Commands: functions, builtins, wrappers, and everything else by way of actions.
use super::conditions::Truth;
use super::content::Presence;
use super::effects::apply;
use super::follow::{Run, open, open_if_there, written};
use super::script::{Context, bind};
use super::settings::Life;
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walked::{Step, TorchInstall};
use super::walker::Walker;
use crate::actions::{self, Action, Did, Effect, Source, Surroundings, Tool, verb::Verb};
use crate::cuda::Target;
use crate::facts::{Known, ProblemKind, SetHow};
use crate::span::Span;
use crate::value::{Site, Value};
use std::cell::RefCell;
use std::rc::Rc;

impl Walker<'_> {
    /// Runs one command, given as expanded words.
    pub(super) fn command(
        &mut self,
        words: &[Value],
        site: Site,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let Some(first) = words.first() else {
            return Truth::Assumed;
        };
        if !self.tick() {
            return Truth::Undecided;
        }
        let name = first.sketch();
        let args = &words[1..];
        if let Some((file, body)) = state.function(&name) {
            return self.call(&body, file, args, site, state, context);
        }
        let program = name.rsplit('/').next().unwrap_or(&name);
        if looks_like_target(program) {
            self.walked.strays.push((site, name));
            return Truth::Assumed;
        }
        if let Some(truth) = self.builtin(program, args, site, state, context) {
            return truth;
        }
        state.change_sh(program, args);
        self.wrapped_or_plain(program, words, site, state, context)
    }

    fn wrapped_or_plain(
        &mut self,
        program: &str,
        words: &[Value],
        site: Site,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        if let Some(docker) = actions::docker::read(program, words) {
            self.docker(docker, site, state, context);
            return Truth::Assumed;
        }
        match super::wrappers::unwrap(program, words) {
            Some(inner) => self.wrapped(inner, site, state, context),
            None => {
                self.actions(words, site, state, context);
                Truth::Assumed
            }
        }
    }

    fn wrapped(
        &mut self,
        inner: super::wrappers::Inner,
        site: Site,
        state: &mut State,
        context: &Context,
    ) -> Truth {
        let mut child = state.clone();
        if let Some(why) = inner.drops {
            let kept = &inner.keeps;
            child.drop_variables(why, |name| {
                kept.iter().any(|k| k == name || k == "*") || always_kept(name)
            });
        }
        for (name, value) in inner.sets {
            let origin = Origin {
                how: SetHow::Inline,
                site: value.site().or(Some(site)),
            };
            self.setting(&name, value.clone(), origin.clone(), Life::Command);
            child.set(&name, vec![Alternative::exported(value, origin)]);
        }
        for name in inner.unsets {
            child.unset(&name);
        }
        child.reads_profiles |= inner.login;
        if inner.activates {
            child.activate();
        }
        let truth = match inner.runs {
            super::wrappers::Runs::Words(words) => self.command(&words, site, &mut child, context),
            super::wrappers::Runs::Text { text, args } => {
                let mut own = child.child();
                own.reads_profiles = child.reads_profiles;
                own.shell = inner.shell;
                bind(&args, &mut own);
                let truth = self.text(&text, &mut own, context);
                child.keep_files_of(&own);
                truth
            }
            super::wrappers::Runs::File { path, args } => {
                let run = Run {
                    path: &path,
                    args: &args,
                    by_shell: true,
                };
                child.shell = inner.shell;
                self.run_file(&run, site, &mut child, context);
                Truth::Assumed
            }
            super::wrappers::Runs::Nothing => Truth::Assumed,
        };
        state.keep_files_of(&child);
        truth
    }

    fn actions(&mut self, words: &[Value], site: Site, state: &mut State, context: &Context) {
        let here = state.clone();
        let env = |name: &str| {
            let variable = here.get(name);
            let exported = variable.iter().find(|a| a.exported && a.value.is_some())?;
            // a name that only an unknown environment could hold says nothing
            here.mentions(name)
                .then(|| exported.value.clone())
                .flatten()
        };
        let (files, notes) = (self.files, RefCell::new(Vec::new()));
        let open = |path: &str| open(path, &here, files, &notes);
        let open_if_there = |path: &str| open_if_there(path, &here, files, &notes);
        let around = Surroundings {
            resolve: &|path| here.resolve(path),
            env: &env,
            project: &|dir| here.project(dir),
            open: &open,
            open_if_there: &open_if_there,
            written: &|path| written(path, &here),
            note: &|message| notes.borrow_mut().push(message),
        };
        let all = actions::recognise(words, &around);
        for message in notes.take() {
            self.note(ProblemKind::PassedOver, message);
        }
        if may_bring_nvcc(words) && state.nvcc.there == Known::No {
            state.nvcc = Presence {
                from: words
                    .first()
                    .map(Value::sketch)
                    .unwrap_or_default()
                    .as_str()
                    .into(),
                ..Presence::default()
            };
        }
        for did in all {
            match did {
                Did::Action(action) if action.verb == Verb::Make => {
                    if !is_configured(&action, state)
                        && !is_made(&action, state)
                        && let Some(action) = self.make(action, site, state, context)
                    {
                        self.step(action, site, state, context);
                    }
                }
                Did::Action(action) if action.tool == "cibuildwheel" => {
                    let followed = match &action.source {
                        Source::Tree(dir) => self.wheels(&dir.clone(), site, state, context),
                        _ => false,
                    };
                    if !followed {
                        self.step(action, site, state, context);
                    }
                }
                Did::Action(action) => self.step(action, site, state, context),
                Did::Effect(effect) => {
                    self.remember(&effect, site, context);
                    apply(effect, self.files, state);
                }
                Did::Recipe { path, variants } => {
                    if !self.recipe(&path, &variants, site, state, context) {
                        let action = Action::new(Verb::Script, "conda-build", Source::Tree(path));
                        self.step(action, site, state, context);
                    }
                }
                Did::Script { path, args } => {
                    let run = Run {
                        path: &path,
                        args: &args,
                        by_shell: false,
                    };
                    self.run_file(&run, site, state, context);
                }
            }
        }
    }

    /// Remembers where torch and its libraries were installed.
    fn remember(&mut self, effect: &Effect, site: Site, context: &Context) {
        let (Effect::Installed(installed), Some(scope)) = (effect, self.scope) else {
            return;
        };
        let installs = match installed.tool {
            Tool::Torch => &mut self.walked.torches,
            Tool::TorchLibrary => &mut self.walked.torch_libraries,
            Tool::Nvcc | Tool::Cmake | Tool::Pip => return,
        };
        installs.push(TorchInstall {
            installed: installed.clone(),
            site: self.calls.first().map_or(site, |call| call.site),
            scope,
            sure: context.arms.is_empty() && !context.alternative,
        });
    }

    /// The builder that a comment declares of the command at `site`, or of the instruction that leads to it.
    fn hint(&self, site: Site) -> Option<Rc<str>> {
        let of = |file: u16, span: Span| {
            let mut hints = self.hints.get(&file)?.iter();
            hints
                .find(|(of, _)| of.contains(span))
                .map(|(_, name)| Rc::clone(name))
        };
        let own = of(site.file, site.span).filter(|_| site.file > 0);
        own.or_else(|| of(0, self.instruction))
    }

    pub(super) fn step(&mut self, action: Action, site: Site, state: &State, context: &Context) {
        let Some(scope) = self.scope else { return };
        let mut calls: Vec<Site> = self.calls.iter().map(|call| call.site).collect();
        calls.extend(action.at.map(|_| site));
        let unsure = action.unsure.then(|| self.perhaps(context));
        let context = unsure.as_ref().unwrap_or(context);
        let mut state = state.clone();
        if let Some(own) = &action.toolkit {
            state.nvcc = Presence::present(own.version.as_deref(), &own.from);
        }
        let step = Step {
            site: action.at.unwrap_or(site),
            action,
            state,
            calls,
            instruction: self.instruction,
            scope,
            order: self.order,
            swallowed: context.swallowed,
            arms: Rc::clone(&context.arms),
            alternative: context.alternative,
            hint: self.hint(site),
        };
        self.walked.steps.push(step);
    }
}

/// make in a directory that CMake configured is that build, not another.
fn is_configured(action: &Action, state: &State) -> bool {
    match &action.source {
        Source::Tree(path) => state.configured.iter().any(|c| **c == **path),
        _ => false,
    }
}

/// `make install` after `make` installs what that made; the first one in a directory is remembered.
fn is_made(action: &Action, state: &mut State) -> bool {
    let Source::Tree(dir) = &action.source else {
        return false;
    };
    let installs = |target: &String| matches!(target.as_str(), "install" | "check" | "test");
    let only_installs = !action.targets.is_empty() && action.targets.iter().all(installs);
    let made = state.project(dir).made;
    state.change_project(dir, |project| project.made = true);
    made && only_installs
}

/// Whether a program that nobody reads is about CUDA: `python tools/get_cuda.py`, `powershell -Command "… cuda_12.6.exe …"`, or
/// packages are installed whose names are not known. It may install the toolkit.
fn may_bring_nvcc(words: &[Value]) -> bool {
    let about_cuda = |word: &str| word.to_ascii_lowercase().contains("cuda");
    let Some((program, args)) = words.split_first() else {
        return false;
    };
    let path = program.sketch().replace('\\', "/").to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let bare = name.trim_end_matches(".exe");
    if matches!(bare, "spack" | "eb") {
        return args.iter().any(|arg| about_cuda(&arg.sketch()));
    }
    if matches!(bare, "powershell" | "pwsh" | "cmd" | "start-process") {
        return args.iter().any(|arg| about_cuda(&arg.sketch()));
    }
    if actions::installs_unnamed(words) {
        return true;
    }
    if actions::is_interpreter(bare) {
        let script = args
            .iter()
            .map(Value::sketch)
            .find(|arg| !arg.starts_with('-'));
        return script.is_some_and(|script| script.ends_with(".py") && about_cuda(&script));
    }
    let unread = [".exe", ".ps1", ".bat", ".cmd", ".py", ".run"];
    unread.iter().any(|end| name.ends_with(end)) && about_cuda(name)
}

/// `90`, `8.6`, `90a-real`, `9.0+PTX`: no program, but the rest of a list that lost its quotes.
fn looks_like_target(program: &str) -> bool {
    let word = ["-real", "-virtual", "+PTX"]
        .iter()
        .find_map(|s| program.strip_suffix(s))
        .unwrap_or(program);
    Target::from_undotted(word)
        .or_else(|| Target::from_dotted(word))
        .is_some()
}

/// What sudo and su keep by default.
pub(super) fn always_kept(name: &str) -> bool {
    matches!(
        name,
        "PATH" | "HOME" | "TERM" | "USER" | "LANG" | "SHELL" | "LOGNAME"
    )
}
