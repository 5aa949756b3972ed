//! cibuildwheel: on Linux it builds in a container, which sees nothing of the job's environment but what is passed to it.
use super::base;
use super::content::{Content, Presence};
use super::context::content_at;
use super::follow::{Call, open_if_there};
use super::script::Context;
use super::state::State;
use super::variable::{Alternative, Origin};
use super::walker::Walker;
use crate::actions::args::{named, split};
use crate::facts::{Known, LostWhy, SetHow};
use crate::paths::join;
use crate::span::Span;
use crate::text::cibuildwheel::{self, Options, Settings};
use crate::value::{Site, Value};
use std::cell::RefCell;

/// Where the project is in the container.
const PROJECT: &str = "/project";

/// The options of one run: those of the environment come before those of the project.
struct Wheels<'s> {
    state: &'s State,
    project: Settings,
    /// The file of the project's options.
    file: u16,
    linux: bool,
    /// The overrides that hold, by their places in the project.
    overrides: Vec<usize>,
}

/// The versions of Python that wheels are built for.
const PYTHONS: std::ops::Range<u32> = 8..15;

impl Wheels<'_> {
    /// An option by its name in the project, `before-all`, as it holds on this system.
    fn option(&self, name: &str, joined: &str) -> Option<Value> {
        let variable = format!("CIBW_{}", name.replace('-', "_").to_ascii_uppercase());
        let system = if self.linux { "LINUX" } else { "WINDOWS" };
        let set = |name: &str| {
            let variable = self.state.get(name);
            let value = variable.iter().find(|a| a.exported && a.value.is_some());
            let value = value.and_then(|a| a.value.clone());
            value.filter(|_| self.state.mentions(name))
        };
        let own = if self.linux {
            &self.project.linux
        } else {
            &self.project.windows
        };
        let of_project = || {
            let plain = self
                .of_project(own, name, joined)
                .or_else(|| self.of_project(&self.project.all, name, joined));
            self.overridden(plain, name, joined)
        };
        set(&format!("{variable}_{system}"))
            .or_else(|| set(&variable))
            .or_else(of_project)
    }

    /// An option with what the overrides make of it.
    fn overridden(&self, plain: Option<Value>, name: &str, joined: &str) -> Option<Value> {
        let mut value = plain;
        let overrides = self.overrides.iter();
        for options in overrides.filter_map(|&at| self.project.overrides.get(at)) {
            let Some(own) = self.of_project(options, name, joined) else {
                continue;
            };
            let before = cibuildwheel::inherits(options, name);
            value = Some(match (value, before) {
                (Some(lower), Some(true)) => both(own, joined, &lower),
                (Some(lower), Some(false)) => both(lower, joined, &own),
                _ => own,
            });
        }
        value
    }

    /// The overrides that hold together for some wheel: each set that differs.
    fn sets_of_overrides(&self) -> Vec<Vec<usize>> {
        let of = |name: &str| self.option(name, " ").map(|value| value.sketch());
        let (build, skip) = (of("build"), of("skip").unwrap_or_default());
        let build = build.filter(|text| !text.trim().is_empty());
        let platforms: &[&str] = match self.linux {
            true => &["manylinux_x86_64", "musllinux_x86_64"],
            false => &["win_amd64"],
        };
        let names = PYTHONS.flat_map(|minor| {
            let platforms = platforms.iter();
            platforms.map(move |platform| format!("cp3{minor}-{platform}"))
        });
        let built = names.filter(|name| {
            let wanted = build
                .as_ref()
                .is_none_or(|text| text.contains('?') || cibuildwheel::selects(text, name));
            wanted && (skip.contains('?') || !cibuildwheel::selects(&skip, name))
        });
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for name in built {
            let overrides = self.project.overrides.iter().enumerate();
            let set: Vec<usize> = overrides
                .filter(|(_, options)| {
                    let select = options.get("select");
                    let select = select.map(|value| cibuildwheel::text(value.get_ref(), " "));
                    select.is_some_and(|select| cibuildwheel::selects(&select, &name))
                })
                .map(|(at, _)| at)
                .collect();
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        if sets.is_empty() {
            sets.push(Vec::new());
        }
        sets
    }

    fn of_project(&self, options: &Options, name: &str, joined: &str) -> Option<Value> {
        let found = options.get(name)?;
        let span = found.span();
        let site = Site {
            file: self.file,
            span: Span::new(span.start, span.end),
        };
        let text = cibuildwheel::text(found.get_ref(), joined);
        Some(Value::literal(&text, Some(site)))
    }
}

impl Walker<'_> {
    /// Follows cibuildwheel in a directory; false if no project can be read there.
    pub(super) fn wheels(
        &mut self,
        dir: &str,
        site: Site,
        state: &mut State,
        context: &Context,
    ) -> bool {
        let notes = RefCell::default();
        let open = |name: &str| open_if_there(&join(dir, name), state, self.files, &notes);
        let (project, file) = match (open("pyproject.toml"), open("setup.py")) {
            (Some(text), _) => (cibuildwheel::read(&text.text), text.file),
            (None, Some(_)) => (Settings::default(), 0),
            (None, None) => return false,
        };
        let system = state.contexts.find("runner.os").and_then(Value::known);
        let mut wheels = Wheels {
            state: &state.clone(),
            project,
            file,
            linux: system.as_deref() != Some("Windows"),
            overrides: Vec::new(),
        };
        for set in wheels.sets_of_overrides() {
            wheels.overrides = set;
            self.wheels_with(&wheels, dir, site, context);
        }
        true
    }

    /// Follows the build of the wheels for which the same overrides hold.
    fn wheels_with(&mut self, wheels: &Wheels<'_>, dir: &str, site: Site, context: &Context) {
        let file = wheels.file;
        let mut inside = self.place(wheels, dir);
        for (name, value) in environment(wheels) {
            let origin = Origin {
                how: SetHow::ConfigEnv,
                site: value.site().or(Some(site)),
            };
            inside.set(&name, vec![Alternative::exported(value, origin)]);
        }
        for name in ["before-all", "before-build"] {
            let Some(text) = wheels.option(name, " && ") else {
                continue;
            };
            // what a command exports ends with it
            let mut child = inside.child();
            let of_project = text.site().filter(|at| at.file == file && file > 0);
            self.calls.extend(of_project.map(|_| Call { site, file }));
            self.text(&in_place(&text), &mut child, &context.deeper());
            of_project.and_then(|_| self.calls.pop());
            inside.keep_files_of(&child);
        }
        let place = inside.cwd.to_string();
        let mut words: Vec<Value> = ["python", "-m", "build", "--wheel", &place]
            .map(|word| Value::literal(word, Some(site)))
            .into();
        let frontend = wheels
            .option("build-frontend", " ")
            .map(|value| value.sketch());
        if frontend.is_some_and(|text| {
            text.contains("no-isolation") || text.contains("no-build-isolation")
        }) {
            words.push(Value::literal("--no-isolation", Some(site)));
        }
        for setting in wheels.option("config-settings", " ").iter().flat_map(split) {
            let mut word = Value::literal("-C", Some(site));
            word.append(&setting);
            words.push(word);
        }
        self.command(&words, site, &mut inside, context);
    }

    /// Where the wheels are built: a container on Linux, the machine itself elsewhere.
    fn place(&self, wheels: &Wheels<'_>, dir: &str) -> State {
        let state = wheels.state;
        if !wheels.linux {
            let mut inside = state.clone();
            inside.cwd = dir.into();
            return inside;
        }
        let image = wheels.option("manylinux-x86_64-image", " ");
        let own = image.filter(|image| image.sketch().contains(['/', '?']));
        let mut inside = match own {
            Some(image) if !image.sketch().starts_with("quay.io/pypa/") => {
                base::state(&image, self.given)
            }
            _ => {
                let mut plain = State::new(None);
                plain.nvcc = Presence::absent("the manylinux image");
                plain.torch = Presence::absent("the manylinux image");
                plain
            }
        };
        let nvcc = inside.nvcc.clone();
        let torch = inside.torch.clone();
        inside.mount(state);
        (inside.nvcc, inside.torch) = (nvcc, torch);
        inside.gpu = Known::No;
        let content = content_at(state, dir).unwrap_or(Content::Unknown);
        inside.put(PROJECT, content);
        inside.cwd = PROJECT.into();
        let passed = wheels.option("environment-pass", " ");
        let passed: Vec<String> = passed
            .iter()
            .flat_map(split)
            .map(|word| word.sketch())
            .collect();
        state.pass(&mut inside, LostWhy::Isolated, |name| {
            passed.iter().any(|pass| pass == name)
        });
        inside
    }
}

/// Two values of an option, one after the other.
fn both(mut first: Value, joined: &str, second: &Value) -> Value {
    first.push_literal(joined, None);
    first.append(second);
    first
}

/// What `CIBW_ENVIRONMENT` sets.
fn environment(wheels: &Wheels<'_>) -> Vec<(String, Value)> {
    let text = wheels.option("environment", " ");
    let words = text.iter().flat_map(split);
    let pairs = words.filter_map(|word| named(&word).map(|pair| (pair.name, pair.value)));
    pairs.collect()
}

/// `{project}` and `{package}` in a command.
fn in_place(text: &Value) -> Value {
    let sketch = text.sketch();
    let mut out = Value::default();
    let mut at = 0;
    while let Some(found) = ["{project}", "{package}"]
        .iter()
        .filter_map(|word| sketch[at..].find(word).map(|place| (place, word.len())))
        .min()
    {
        let (start, length) = (at + found.0, found.1);
        out.append(&text.slice(at, start));
        out.push_literal(PROJECT, text.site_of(start, start + length));
        at = start + length;
    }
    out.append(&text.slice_from(at));
    out
}
