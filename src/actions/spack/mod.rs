//! spack: packages that are built from source, as specs on the command line or an environment's `spack.yaml` ask for them.
mod settings;
mod spec;

use super::args::{Arg, Argv};
use super::verb::Verb;
use super::{ANY, Action, Did, Effect, Named, OwnToolkit, Source, Surroundings};
use crate::paths::join;
use crate::value::Value;
use settings::Settings;
use spec::{Node, Spec};

/// Where environments with a name of their own are kept, seen from spack's folder.
const NAMED: &str = "var/spack/environments";

/// The variable that holds the folder of the active environment.
const ACTIVE: &str = "SPACK_ENV";

/// Options before the subcommand that have a value.
fn global_value(name: &str) -> bool {
    matches!(
        name,
        "e" | "env" | "D" | "env-dir" | "C" | "config-scope" | "c" | "config" | "color" | "lines"
    )
}

/// Options of subcommands that have a value.
fn takes_value(name: &str) -> bool {
    matches!(
        name,
        "j" | "jobs"
            | "p"
            | "concurrent-packages"
            | "u"
            | "until"
            | "b"
            | "before"
            | "only"
            | "only-concrete"
            | "log-format"
            | "log-file"
            | "use-buildcache"
            | "test"
            | "f"
            | "file"
            | "source-path"
            | "l"
            | "list-name"
            | "scope"
            | "type"
            | "with-view"
            | "envfile"
            | "o"
            | "output"
            | "include-concrete"
    ) || name.starts_with("cdash-")
}

/// `spack [-e ENV] install|dev-build|add|env|config|mirror …`.
pub(super) fn recognise(argv: &Argv<'_>, around: &Surroundings<'_>) -> Vec<Did> {
    let mut at = 1;
    while argv.text(at).starts_with('-') {
        let name = argv.text(at).trim_start_matches('-');
        at += if global_value(name) { 2 } else { 1 };
    }
    let at = at.min(argv.len());
    let globals = Argv::new(&argv.values()[1..at]).parse(global_value);
    let command = argv.text(at).to_owned();
    let is_env = command == "env";
    let rest = argv.tail(at + 1);
    // what stands for a folder has no value there
    let args = rest.parse(|name| takes_value(name) && !(is_env && name == "p"));
    let call = Call {
        globals,
        args,
        around,
    };
    match command.as_str() {
        "install" | "dev-build" => call.install(),
        "add" => call.add(),
        "env" => call.environment(),
        "config" => call.config(),
        "mirror" => call.mirror(),
        _ => Vec::new(),
    }
}

/// A call of spack, taken apart.
struct Call<'c, 's> {
    globals: Vec<Arg>,
    args: Vec<Arg>,
    around: &'c Surroundings<'s>,
}

impl Call<'_, '_> {
    fn given<'g>(&'g self, args: &'g [Arg], names: &'g [&str]) -> impl Iterator<Item = &'g Value> {
        args.iter().filter_map(move |arg| match arg {
            Arg::Option(name, Some(value)) if names.contains(&name.as_str()) => Some(value),
            _ => None,
        })
    }

    fn has(&self, name: &str) -> bool {
        let is_it = |arg: &Arg| matches!(arg, Arg::Option(own, _) if own == name);
        self.args.iter().any(is_it)
    }

    fn operands(&self) -> Vec<Value> {
        let operands = self.args.iter().filter_map(|arg| match arg {
            Arg::Operand(value) => Some(value.clone()),
            Arg::Option(..) => None,
        });
        operands.collect()
    }

    /// The folder of the environment that the call works in.
    fn active(&self) -> Option<String> {
        let is_none = |arg: &Arg| matches!(arg, Arg::Option(name, _) if matches!(name.as_str(), "E" | "no-env"));
        if self.globals.iter().any(is_none) {
            return None;
        }
        let dir = self.given(&self.globals, &["D", "env-dir"]).next();
        let named = self.given(&self.globals, &["e", "env"]).next();
        dir.map(|dir| (self.around.resolve)(&dir.sketch()))
            .or_else(|| Some(self.folder(&named?.sketch())))
            .or_else(|| (self.around.env)(ACTIVE)?.known())
            .filter(|dir| !dir.is_empty())
    }

    /// The folder of an environment, by its name or path.
    fn folder(&self, name: &str) -> String {
        let here = (self.around.resolve)(name);
        let is_path = name.contains('/') || matches!(name, "." | "..");
        if is_path || (self.around.open_if_there)(&join(&here, "spack.yaml")).is_some() {
            return here;
        }
        join(&settings::root(self.around), &format!("{NAMED}/{name}"))
    }

    /// `spack install [SPEC…]`: those specs, or all of the environment.
    fn install(&self) -> Vec<Did> {
        let only = self.given(&self.args, &["only"]).next();
        let builds = !self.has("fake") && !self.has("cache-only");
        if !builds || only.is_some_and(|only| only.sketch() == "dependencies") {
            return Vec::new();
        }
        let here = (self.around.resolve)(".");
        let dir = self.active();
        let asked = spec::read(&self.operands());
        let settings = Settings::of(dir.as_deref().unwrap_or(&here), dir.is_some(), self);
        let of_environment = asked.is_empty();
        let specs: Vec<Spec> = match of_environment {
            true => settings.specs.clone(),
            false => asked
                .into_iter()
                .map(|spec| settings.merged(spec))
                .collect(),
        };
        let actions = specs.iter().flat_map(|spec| actions(spec, &settings));
        let mut actions: Vec<Action> = actions.collect();
        // where the command names one package, it is the place of that
        if let ([only], false) = (actions.as_mut_slice(), of_environment) {
            only.at = None;
        }
        actions.into_iter().map(Did::Action).collect()
    }

    /// `spack add SPEC…`.
    fn add(&self) -> Vec<Did> {
        let (Some(dir), false) = (self.active(), self.has("l") || self.has("list-name")) else {
            return Vec::new();
        };
        vec![Did::Effect(Effect::Asked {
            dir,
            specs: self.operands(),
            settings: Vec::new(),
        })]
    }

    /// `spack env create|activate|deactivate|depfile`.
    fn environment(&self) -> Vec<Did> {
        let operands = self.operands();
        let mut operands = operands.iter().map(Value::sketch);
        let command = operands.next().unwrap_or_default();
        let (name, manifest) = (operands.next(), operands.next());
        let of_name = |name: &str| match self.has("d") || self.has("dir") {
            true => (self.around.resolve)(name),
            false => self.folder(name),
        };
        match command.as_str() {
            "create" => name.map_or_else(Vec::new, |name| self.create(&of_name(&name), manifest)),
            "activate" => {
                let name = name.unwrap_or_else(|| "default".to_owned());
                let dir = of_name(&name);
                let envfile = self.given(&self.args, &["envfile"]).next();
                let mut did =
                    envfile.map_or_else(Vec::new, |file| self.create(&dir, Some(file.sketch())));
                did.push(active(&dir));
                did
            }
            "deactivate" => vec![active("")],
            "depfile" => {
                let call = Call {
                    globals: self.globals.clone(),
                    args: Vec::new(),
                    around: self.around,
                };
                call.install()
            }
            _ => Vec::new(),
        }
    }

    /// The environment begins as a copy of `manifest`.
    fn create(&self, dir: &str, manifest: Option<String>) -> Vec<Did> {
        let manifest = manifest.filter(|path| path.ends_with(".yaml"));
        let copied = manifest.map(|path| Effect::Copied {
            from: (self.around.resolve)(&path),
            to: join(dir, "spack.yaml"),
        });
        copied.map(Did::Effect).into_iter().collect()
    }

    /// `spack config add packages:all:variants:+cuda`.
    fn config(&self) -> Vec<Did> {
        let operands = self.operands();
        let Some((_, settings)) = operands
            .split_first()
            .filter(|(command, _)| command.sketch() == "add")
        else {
            return Vec::new();
        };
        vec![Did::Effect(Effect::Asked {
            dir: self
                .active()
                .unwrap_or_else(|| settings::OF_USER.to_owned()),
            specs: Vec::new(),
            settings: settings.to_vec(),
        })]
    }

    /// `spack mirror add NAME URL`: what is there may be built already.
    fn mirror(&self) -> Vec<Did> {
        let operands = self.operands();
        if operands
            .first()
            .is_none_or(|command| command.sketch() != "add")
        {
            return Vec::new();
        }
        vec![Did::Effect(Effect::Asked {
            dir: settings::OF_USER.to_owned(),
            specs: Vec::new(),
            settings: vec![Value::literal(settings::MIRRORS, None)],
        })]
    }
}

fn active(dir: &str) -> Did {
    Did::Effect(Effect::Exported(Named {
        name: ACTIVE.to_owned(),
        value: Value::literal(dir, None),
    }))
}

/// What a spec builds: its package, and the dependencies of which it says something about CUDA.
fn actions(spec: &Spec, settings: &Settings) -> Vec<Action> {
    let toolkit = toolkit(spec, settings);
    let root = action(&spec.root, settings, toolkit.as_ref());
    let is_about_cuda = |node: &&Node| {
        let mut variants = node.variants.iter();
        variants.any(|v| matches!(v.name.as_str(), "cuda" | "cuda_arch"))
    };
    let of_root = gives_list(&root);
    let dependencies = spec.dependencies.iter().filter(is_about_cuda);
    let dependencies = dependencies
        .map(|node| action(node, settings, toolkit.as_ref()))
        // a recipe hands its list on to what it depends on
        .filter(|action| !of_root || gives_list(action));
    std::iter::once(root.clone()).chain(dependencies).collect()
}

fn gives_list(action: &Action) -> bool {
    let mut defines = action.defines.iter();
    defines.any(|define| define.name == "cuda_arch" || define.name == ANY)
}

fn action(node: &Node, settings: &Settings, toolkit: Option<&String>) -> Action {
    let version = node.version.as_ref().and_then(exact);
    let source = Source::Index {
        name: node.name.clone(),
        spec: version.map_or_else(Value::default, |version| {
            Value::literal(&format!("@{version}"), None)
        }),
    };
    let mut action = Action::new(Verb::Spack, "spack", source);
    action.at = node.written.site();
    let (own, of_all) = settings.asked(&node.name);
    let mut own: Vec<Named> = own
        .into_iter()
        .chain(node.variants.iter().cloned())
        .collect();
    own = last_of_each(own);
    let has = |variants: &[Named], name: &str| variants.iter().any(|v| v.name == name);
    // the one is there with the other only
    if has(&own, "cuda_arch") && !has(&own, "cuda") {
        own.push(Named {
            name: "cuda".to_owned(),
            value: Value::literal("on", None),
        });
    }
    if has(&of_all, "cuda") && !has(&own, "cuda") {
        action.options.push(("of-all".to_owned(), None));
    }
    action.defines = last_of_each(of_all.into_iter().chain(own).collect());
    if settings.elsewhere {
        action.options.push(("elsewhere".to_owned(), None));
    }
    action.toolkit = Some(OwnToolkit {
        version: toolkit.cloned(),
        from: "spack".to_owned(),
    });
    action
}

/// Of several values of a name the last one; `cuda_arch=none` is none.
fn last_of_each(variants: Vec<Named>) -> Vec<Named> {
    let mut kept: Vec<Named> = Vec::new();
    for variant in variants.into_iter().rev() {
        if !kept.iter().any(|other| other.name == variant.name) {
            kept.push(variant);
        }
    }
    kept.retain(|variant| variant.name != "cuda_arch" || variant.value.sketch() != "none");
    kept.reverse();
    kept
}

/// The version of CUDA that is asked for, of the spec or in the settings.
fn toolkit(spec: &Spec, settings: &Settings) -> Option<String> {
    let mut nodes = spec.dependencies.iter();
    let own = nodes
        .find(|node| node.name == "cuda")
        .map(|node| node.version.as_ref());
    let version = own.flatten().and_then(exact).or_else(|| settings.cuda());
    // `cuda@12` is any of them
    version.filter(|version| version.contains('.'))
}

/// `1.2` of `@1.2` and `@=1.2`; ranges and lists are no version.
fn exact(version: &Value) -> Option<String> {
    let text = version.known()?;
    let text = text.trim_start_matches('@').trim_start_matches('=');
    let plain = |c: char| c.is_ascii_digit() || c == '.';
    (!text.is_empty() && text.chars().all(plain)).then(|| text.to_owned())
}
