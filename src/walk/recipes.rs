//! Recipes of conda packages: their scripts run in an environment of their own.
use super::commands::always_kept;
use super::content::{Content, Presence};
use super::context::content_at;
use super::follow::{Call, Run, open_if_there};
use super::script::{Context, MAX_DEPTH};
use super::shells::BASH;
use super::state::State;
use super::variable::{Alternative, Origin};
use super::variants;
use super::walker::Walker;
use crate::actions;
use crate::facts::{LostWhy, ProblemKind, SetHow};
use crate::paths::join;
use crate::text::recipe::{self, Build, Recipe, Source};
use crate::text::shell;
use crate::value::{Site, Value};
use std::cell::RefCell;

/// Where the sources are put.
const WORK: &str = "/conda/work";

/// What a folder of a recipe may be called by, seen from the path that the command names.
const NAMES: [&str; 6] = [
    "",
    "meta.yaml",
    "recipe.yaml",
    "conda.recipe/meta.yaml",
    "recipe/meta.yaml",
    "recipe/recipe.yaml",
];

/// `{{ compiler('cuda') }}`.
const COMPILER: &str = "compiler-cuda";

/// Packages that bring nvcc.
const NVCC: [&str; 6] = [
    COMPILER,
    "cuda",
    "cuda-nvcc",
    "cuda-compiler",
    "cuda-toolkit",
    "cudatoolkit-dev",
];

impl Walker<'_> {
    /// Follows the recipe at `path` with the variants of these files; false if it cannot be read.
    pub(super) fn recipe(
        &mut self,
        path: &str,
        variants: &[String],
        site: Site,
        state: &State,
        context: &Context,
    ) -> bool {
        let Some((file, folder)) = self.recipe_file(path, state) else {
            return false;
        };
        let again = self.calls.iter().any(|call| call.file == file);
        if again || context.depth >= MAX_DEPTH {
            let message = format!("the recipe {path} leads back to itself, or too far");
            self.note(ProblemKind::PassedOver, message);
            return true;
        }
        let recipe = recipe::read(self.files.text(file));
        self.calls.push(Call { site, file });
        for variant in variants::of(&folder, variants, state, self.files, self.given.cpu()) {
            let mut work = self.work(&recipe, &folder, state);
            variant.set(&recipe, &mut work);
            for build in &recipe.builds {
                let mut inside = environment(build, file, &work, state);
                self.package(build, &folder, file, &mut inside, context);
                // what one package leaves, the next one finds
                work.keep_files_of(&inside);
            }
        }
        self.calls.pop();
        true
    }

    /// The file of a recipe, and its folder.
    fn recipe_file(&self, path: &str, state: &State) -> Option<(u16, String)> {
        let notes = RefCell::default();
        NAMES.iter().find_map(|name| {
            let full = join(path, name);
            if !full.ends_with(".yaml") {
                return None;
            }
            let file = open_if_there(&full, state, self.files, &notes)?.file;
            let folder = full.rsplit_once('/').map_or("/", |(folder, _)| folder);
            Some((file, folder.to_owned()))
        })
    }

    /// The place where a recipe works: its sources and what it is built with, and nothing of the environment.
    fn work(&self, recipe: &Recipe, folder: &str, state: &State) -> State {
        let mut work = State::new(None);
        work.mount(state);
        work.shell = BASH;
        work.gpu = state.gpu;
        work.other_gpu = state.other_gpu;
        work.nvcc = state.nvcc.clone();
        work.cmake = state.cmake.clone();
        work.pip = state.pip.clone();
        let brings = |names: &[&str]| {
            let mut required = recipe.requires.iter();
            required
                .find(|name| names.contains(&name.as_str()))
                .cloned()
        };
        let nvcc = brings(&NVCC);
        if let Some(name) = &nvcc {
            work.nvcc = Presence::present(None, name);
        }
        work.torch = match brings(&actions::conda::TORCH).or_else(|| brings(&["libtorch"])) {
            Some(name) => Presence::present(None, &name),
            None => Presence::absent("the recipe"),
        };
        work.cwd = WORK.into();
        let content = match &recipe.source {
            Some(Source::Path(path)) => content_at(state, &join(folder, path)),
            Some(Source::Address(address)) => Some(fetched(address)),
            None => None,
        };
        work.put(WORK, content.unwrap_or(Content::Unknown));
        for (name, value) in [
            ("SRC_DIR", WORK),
            ("RECIPE_DIR", folder),
            ("PREFIX", "/conda/prefix"),
            ("PYTHON", "python"),
        ] {
            set(&mut work, name, Value::literal(value, None));
        }
        for name in ["cuda_compiler_version", "cuda_compiler", "target_platform"] {
            let why = format!("the variant that is built sets {name}");
            set(&mut work, name, Value::hole(&why, None, true));
        }
        // conda-forge's compiler sets them when it is activated in a build, to what its own recipe says
        if nvcc.as_deref() == Some(COMPILER) {
            for name in ["CUDAARCHS", "NVCC_GENCODE"] {
                let why = "the package of the compiler sets it";
                set(&mut work, name, Value::hole(why, None, true));
            }
        }
        work
    }

    fn package(
        &mut self,
        build: &Build,
        folder: &str,
        file: u16,
        inside: &mut State,
        context: &Context,
    ) {
        let site = Site {
            file,
            ..Site::default()
        };
        let script = |walker: &mut Self, name: &str, inside: &mut State| {
            let run = Run {
                path: &join(folder, name),
                args: &[],
                by_shell: true,
            };
            walker.run_file(&run, site, inside, &context.deeper());
        };
        if build.runs.is_empty() {
            script(self, "build.sh", inside);
        }
        for run in &build.runs {
            match run {
                recipe::Run::File(name) => script(self, name, inside),
                recipe::Run::Text(text) => {
                    let script = shell::parse(text);
                    self.script(&script, file, inside, &context.deeper());
                }
            }
        }
    }
}

/// The environment of one package: what the recipe passes on or sets, and nothing else of the caller's.
fn environment(build: &Build, file: u16, work: &State, state: &State) -> State {
    let mut inside = work.clone();
    state.pass(&mut inside, LostWhy::Isolated, |name| {
        let own = work.mentions(name);
        let passed = build
            .passes
            .iter()
            .any(|(pass, value)| pass == name && value.is_none());
        passed || (always_kept(name) && !own)
    });
    for (name, value) in &build.passes {
        let Some(value) = value else { continue };
        let span = value.span(0, value.text().len());
        let value = Value::literal(value.text(), Some(Site { file, span }));
        set(&mut inside, name, value);
    }
    inside
}

/// Sets a variable of a recipe's environment.
pub(super) fn set(state: &mut State, name: &str, value: Value) {
    let origin = Origin {
        how: SetHow::ConfigEnv,
        site: value.site(),
    };
    state.set(name, vec![Alternative::exported(value, origin)]);
}

/// What an address brings.
fn fetched(address: &str) -> Content {
    let archive = actions::archive_repository(address);
    let repository = || {
        address
            .ends_with(".git")
            .then(|| actions::repository(address))
    };
    match archive.or_else(repository) {
        Some((name, reference)) => Content::Repo {
            name: name.as_str().into(),
            reference: reference.as_deref().map(Into::into),
            own: false,
        },
        None => Content::Url(address.into()),
    }
}
