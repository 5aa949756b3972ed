//! What files and earlier commands ask of packages: an environment's `spack.yaml`, `packages.yaml`, `spack config add`.
use super::spec::{self, Spec};
use super::{Call, exact};
use crate::actions::args::split;
use crate::actions::{Named, Surroundings, Text};
use crate::paths::join;
use crate::text::mapped::Mapped;
use crate::text::spack::{self, File};
use crate::value::Value;

/// The key under which the settings of the user are remembered, which is no folder.
pub(super) const OF_USER: &str = "spack's own";

/// What is remembered of a mirror.
pub(super) const MIRRORS: &str = "mirrors:";

/// What holds for a call.
#[derive(Default)]
pub(super) struct Settings {
    /// The specs of the environment.
    pub(super) specs: Vec<Spec>,
    /// What is installed may have been decided in a place that is not read.
    pub(super) elsewhere: bool,
    packages: Vec<Package>,
}

/// What one place asks of a package.
#[derive(Default)]
struct Package {
    name: String,
    require: Vec<Value>,
    prefer: Vec<Value>,
    variants: Vec<Value>,
    perhaps: Vec<Value>,
    given: Vec<Value>,
}

/// No more texts that ask something of one package are read.
const MAX_ASKED: usize = 64;

/// The folder of spack itself.
pub(super) fn root(around: &Surroundings<'_>) -> String {
    let root = (around.env)("SPACK_ROOT").and_then(|root| root.known());
    root.unwrap_or_else(|| "/opt/spack".to_owned())
}

/// The text of a file, and its parts with their places.
pub(super) enum Read<'t> {
    /// A file of the build context.
    File(Text<'t>),
    /// What commands wrote.
    Written(Value, String),
}

impl Read<'_> {
    fn text(&self) -> &str {
        match self {
            Self::File(text) => &text.text,
            Self::Written(_, text) => text,
        }
    }

    fn value(&self, part: &Mapped) -> Value {
        let span = part.span(0, part.text().len());
        match self {
            Self::File(text) => text.value(span),
            Self::Written(value, _) => value.slice(span.start as usize, span.end as usize),
        }
    }

    fn values(&self, parts: &[Mapped]) -> Vec<Value> {
        parts.iter().map(|part| self.value(part)).collect()
    }
}

/// A file of the image that may well not be there.
pub(super) fn written<'t>(path: &str, around: &Surroundings<'t>) -> Option<Read<'t>> {
    if let Some(text) = (around.open_if_there)(path) {
        return Some(Read::File(text));
    }
    let value = (around.written)(path)?;
    let text = value.sketch();
    Some(Read::Written(value, text))
}

impl Settings {
    /// Of the environment in `dir`, where it `is_active`, or of the folder that the call works in.
    pub(super) fn of(dir: &str, is_active: bool, call: &Call<'_, '_>) -> Self {
        let around = call.around;
        let mut settings = Self::default();
        let on_line: Vec<Value> = call
            .given(&call.globals, &["c", "config"])
            .cloned()
            .collect();
        settings.remembered(&on_line);
        if let Some(file) = written(&join(dir, "spack.yaml"), around) {
            settings.environment(dir, &file, around);
        }
        if is_active {
            let project = (around.project)(dir);
            settings.remembered(&project.settings);
            settings.specs.extend(spec::read(&project.specs));
        }
        for scope in call.given(&call.globals, &["C", "config-scope"]) {
            let path = join(&(around.resolve)(&scope.sketch()), "packages.yaml");
            settings.file(&path, around);
        }
        settings.remembered(&(around.project)(OF_USER).settings);
        let home = (around.env)("HOME").and_then(|home| home.known());
        let home = home.unwrap_or_else(|| "/root".to_owned());
        let folders = [
            join(&home, ".spack"),
            join(&root(around), "etc/spack"),
            "/etc/spack".to_owned(),
        ];
        for folder in folders {
            settings.file(&join(&folder, "packages.yaml"), around);
            let mirrors = written(&join(&folder, "mirrors.yaml"), around);
            settings.elsewhere |= mirrors.is_some();
        }
        settings
    }

    fn environment(&mut self, dir: &str, file: &Read<'_>, around: &Surroundings<'_>) {
        let read = spack::read(file.text());
        if read.cut {
            (around.note)(format!("{dir}/spack.yaml has more specs than are read"));
        }
        for pieces in &read.specs {
            let words = file.values(pieces);
            self.specs.extend(spec::read(&[joined(&words)]));
        }
        // what was made concrete before is installed as it is
        self.elsewhere |= written(&join(dir, "spack.lock"), around).is_some();
        self.take(&read, file);
        for include in &read.includes {
            let path = match include.ends_with(".yaml") {
                true => join(dir, include),
                false => join(&join(dir, include), "packages.yaml"),
            };
            let is_known = !include.contains(['$', ':']) && self.file(&path, around);
            self.elsewhere |= !is_known;
        }
    }

    /// Reads a file with `packages:`, if it is there.
    fn file(&mut self, path: &str, around: &Surroundings<'_>) -> bool {
        let Some(file) = written(path, around) else {
            return false;
        };
        self.take(&spack::read(file.text()), &file);
        true
    }

    fn take(&mut self, read: &File, file: &Read<'_>) {
        self.elsewhere |= read.mirrors;
        let packages = read.packages.iter().map(|package| Package {
            name: package.name.clone(),
            require: file.values(&package.require),
            prefer: file.values(&package.prefer),
            variants: file.values(&package.variants),
            perhaps: file.values(&package.perhaps),
            given: file.values(&package.given),
        });
        self.packages.extend(packages);
    }

    /// Settings as `spack config add` has them: `packages:all:variants:+cuda`.
    fn remembered(&mut self, settings: &[Value]) {
        for setting in settings {
            let text = setting.sketch();
            self.elsewhere |= text.starts_with(MIRRORS);
            let parts: Vec<&str> = text.splitn(4, ':').collect();
            let ["packages", name, key, rest] = parts.as_slice() else {
                continue;
            };
            let value = setting.slice_from(text.len() - rest.len());
            let words = listed(&value);
            let mut package = Package {
                name: (*name).to_owned(),
                ..Package::default()
            };
            match *key {
                "require" => package.require = words,
                "prefer" => package.prefer = words,
                "variants" => package.variants = words,
                "version" => package.given = words,
                _ => continue,
            }
            self.packages.push(package);
        }
    }

    /// The environment's own spec of that package with what the call asks of it; else the call's.
    pub(super) fn merged(&self, asked: Spec) -> Spec {
        let mut own = self.specs.iter();
        let Some(own) = own.find(|own| own.root.name == asked.root.name) else {
            return asked;
        };
        let mut spec = asked;
        let variants = own.root.variants.iter().cloned();
        spec.root.variants = variants.chain(spec.root.variants).collect();
        spec.root.version = spec.root.version.or_else(|| own.root.version.clone());
        if spec.dependencies.is_empty() {
            spec.dependencies.clone_from(&own.dependencies);
        }
        spec
    }

    /// What is asked of a package by its name, and of all packages, the weakest first.
    pub(super) fn asked(&self, name: &str) -> (Vec<Named>, Vec<Named>) {
        let (mut own, mut of_all) = (Vec::new(), Vec::new());
        let of = |name: &str, part: fn(&Package) -> &Vec<Value>| {
            let packages = self.packages.iter().filter(|p| p.name == name).rev();
            let values = packages.flat_map(|package| part(package).iter().cloned());
            spec::attributes(&values.take(MAX_ASKED).collect::<Vec<_>>()).variants
        };
        type Part = fn(&Package) -> &Vec<Value>;
        let parts: [(Part, bool); 4] = [
            (|package| &package.variants, true),
            (|package| &package.prefer, true),
            (|package| &package.perhaps, false),
            (|package| &package.require, true),
        ];
        for (part, sure) in parts {
            let mut found = [of(name, part), of("all", part)];
            if !sure {
                found.iter_mut().flatten().for_each(not_known);
            }
            let [by_name, by_all] = found;
            // what is said of the package takes the place of what is said of all
            match by_name.is_empty() {
                true => of_all.extend(by_all),
                false => own.extend(by_name),
            }
        }
        (own, of_all)
    }

    /// The version of CUDA that the settings give.
    pub(super) fn cuda(&self) -> Option<String> {
        let of_cuda = self
            .packages
            .iter()
            .filter(|package| package.name == "cuda");
        let words = of_cuda.flat_map(|package| package.require.iter().chain(&package.given));
        let versions = words.filter_map(|word| {
            let at = word.sketch().find('@').unwrap_or_default();
            exact(&word.slice_from(at))
        });
        let mut versions: Vec<String> = versions.collect();
        versions.dedup();
        match versions.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        }
    }
}

/// It may have another value, or none.
fn not_known(variant: &mut Named) {
    variant.value = Value::hole("one of several requirements decides", None, false);
}

/// The pieces of a spec as one text.
fn joined(pieces: &[Value]) -> Value {
    let mut all = Value::default();
    for (at, piece) in pieces.iter().enumerate() {
        if at > 0 {
            all.push_literal(" ", None);
        }
        all.append(piece);
    }
    all
}

/// The words of a value, which may be a list: `["+cuda", "cuda_arch=80"]`.
fn listed(value: &Value) -> Vec<Value> {
    let text = value.sketch();
    if text.len() > spec::MAX_LENGTH {
        return Vec::new();
    }
    let start = text.len() - text.trim_start_matches(['[', ' ']).len();
    let end = text.trim_end_matches([']', ' ']).len();
    let words = split(&value.slice(start, end.max(start)));
    let bare = |word: Value| {
        let end = word.sketch().trim_end_matches(',').len();
        word.slice(0, end)
    };
    words.into_iter().map(bare).collect()
}
