//! Variants of a conda recipe: the values for which its package is built, one after the other.
use super::content::{Content, Presence};
use super::context::content_at;
use super::files::Files;
use super::follow::open_if_there;
use super::recipes::set;
use super::state::State;
use crate::knowledge::Cpu;
use crate::paths::join;
use crate::text::mapped::Mapped;
use crate::text::recipe::{self, Recipe, Variants};
use crate::value::{Site, Value};
use std::cell::RefCell;

/// Files of variants, in the folder of the recipe.
const BESIDE: [&str; 2] = ["conda_build_config.yaml", "variants.yaml"];
/// More variants than this are not told apart.
const MAX_VARIANTS: usize = 16;
/// The variable that says which CUDA compiler is used; `None` for none.
const COMPILER: &str = "cuda_compiler_version";

/// The variables that a variant sets.
#[derive(Clone, Default)]
pub(super) struct Variant(Vec<(String, Value)>);

/// The variants of the recipe in a folder that differ in CUDA, each once: those of the file beside it, and over that those of the
/// files that the command names. Where nothing is said of any, the one that is not known.
pub(super) fn of(
    folder: &str,
    named: &[String],
    state: &State,
    files: &Files<'_>,
    cpu: Cpu,
) -> Vec<Variant> {
    let notes = RefCell::default();
    let read = |path: &str| {
        let text = open_if_there(path, state, files, &notes)?;
        Some(Values::new(recipe::read_variants(&text.text), text.file))
    };
    let beside = BESIDE.iter().find_map(|name| read(&join(folder, name)));
    let beside = beside.unwrap_or_default();
    let mut rows = vec![beside.clone()];
    for pattern in named {
        let mut over: Vec<Values> = paths(pattern, state, files)
            .iter()
            .filter_map(|path| read(path))
            .filter(|values| values.is_for(cpu))
            .collect();
        if over.len() > 1 {
            over.retain(|values| !values.is_of_cpu());
        }
        if !over.is_empty() {
            let laid = rows
                .iter()
                .flat_map(|row| over.iter().map(|over| row.under(over)));
            rows = told_apart(laid.collect());
        }
    }
    let mut all: Vec<Variant> = rows.iter().flat_map(Values::variants).collect();
    all.truncate(MAX_VARIANTS);
    all
}

/// The files of a path; where a part of its name is not known, all that fit.
fn paths(pattern: &str, state: &State, files: &Files<'_>) -> Vec<String> {
    let Some((folder, name)) = pattern.rsplit_once('/').filter(|_| pattern.contains('?')) else {
        return vec![pattern.to_owned()];
    };
    let Some(Content::Context(inside)) = content_at(state, folder) else {
        return Vec::new();
    };
    let names = files.names(&inside, &name.replace('?', "*"));
    names.iter().map(|name| join(folder, name)).collect()
}

/// Of rows that say the same of CUDA one is left, in which nothing is known of what they differ in.
fn told_apart(rows: Vec<Values>) -> Vec<Values> {
    let mut kept: Vec<Values> = Vec::new();
    for row in rows {
        match kept
            .iter_mut()
            .find(|known| known.of_cuda() == row.of_cuda())
        {
            Some(known) => known.forget_what_differs(&row),
            None => kept.push(row),
        }
    }
    kept
}

/// What files of variants say.
#[derive(Clone, Default)]
struct Values {
    values: Vec<(String, Vec<Value>)>,
    /// Names whose values go together.
    zipped: Vec<Vec<String>>,
}

impl Values {
    fn new(read: Variants, file: u16) -> Self {
        let value = |text: Mapped| {
            let span = text.span(0, text.text().len());
            Value::literal(text.text(), Some(Site { file, span }))
        };
        let values = read.values.into_iter();
        Self {
            values: values
                .map(|(name, texts)| (name, texts.into_iter().map(value).collect()))
                .collect(),
            zipped: read.zipped,
        }
    }

    fn get(&self, name: &str) -> Option<&[Value]> {
        let found = self.values.iter().find(|(known, _)| known == name);
        found.map(|(_, values)| values.as_slice())
    }

    /// What another file says counts.
    fn under(&self, over: &Self) -> Self {
        let own = self
            .values
            .iter()
            .filter(|(name, _)| over.get(name).is_none());
        let mut zipped = over.zipped.clone();
        zipped.extend(self.zipped.iter().cloned());
        Self {
            values: own.chain(&over.values).cloned().collect(),
            zipped,
        }
    }

    /// Whether they are for Linux on this CPU, as far as they say.
    fn is_for(&self, cpu: Cpu) -> bool {
        let platform = match cpu {
            Cpu::Arm => "linux-aarch64",
            _ => "linux-64",
        };
        let said = self
            .get("target_platform")
            .and_then(|values| values.first()?.known());
        said.is_none_or(|said| said == platform)
    }

    /// Whether no CUDA compiler is used.
    fn is_of_cpu(&self) -> bool {
        self.get(COMPILER)
            .is_some_and(|values| values.iter().all(is_none))
    }

    /// What they say of CUDA.
    fn of_cuda(&self) -> Vec<(&str, Vec<String>)> {
        let of_cuda = self.values.iter().filter(|(name, _)| name.contains("cuda"));
        let texts = |values: &[Value]| values.iter().map(Value::sketch).collect();
        let mut all: Vec<(&str, Vec<String>)> = of_cuda
            .map(|(name, values)| (&**name, texts(values)))
            .collect();
        all.sort_unstable();
        all
    }

    fn forget_what_differs(&mut self, other: &Self) {
        for (name, values) in &mut self.values {
            let texts = |values: &[Value]| values.iter().map(Value::sketch).collect::<Vec<_>>();
            if other.get(name).map(texts) != Some(texts(values)) {
                let why = format!("the variant that is built sets {name}");
                *values = vec![Value::hole(&why, None, true)];
            }
        }
    }

    /// The variants. What has several values that do not go with those about CUDA is not told apart.
    fn variants(&self) -> Vec<Variant> {
        let mut all = vec![Variant::default()];
        let mut done: Vec<&str> = Vec::new();
        for (name, values) in &self.values {
            if done.contains(&&**name) {
                continue;
            }
            let with = self.zipped.iter().find(|names| names.contains(name));
            let together = |other: &&(String, Vec<Value>)| {
                other.0 == *name || with.is_some_and(|names| names.contains(&other.0))
            };
            let group: Vec<&(String, Vec<Value>)> = self.values.iter().filter(together).collect();
            done.extend(group.iter().map(|(name, _)| &**name));
            let of_cuda = group.iter().any(|(name, _)| name.contains("cuda"));
            let rows = match values.len() {
                1 => 1,
                many if of_cuda && all.len() * many <= MAX_VARIANTS => many,
                _ => continue,
            };
            // the variant for the CPU compiles nothing for a GPU
            let of_cpu = |row: &usize| rows > 1 && values.get(*row).is_some_and(is_none);
            let grown = all.iter().flat_map(|variant| {
                (0..rows).filter(|row| !of_cpu(row)).map(|row| {
                    let mut variant = variant.clone();
                    let of_row = group.iter().filter_map(|(name, values)| {
                        let value = values
                            .get(row)
                            .or(values.first().filter(|_| values.len() == 1))?;
                        Some((name.clone(), value.clone()))
                    });
                    variant.0.extend(of_row);
                    variant
                })
            });
            all = grown.collect();
        }
        all
    }
}

/// Whether a variable of a variant is set to nothing: `cuda_compiler_version: None`.
fn is_none(value: &Value) -> bool {
    value.known().as_deref() == Some("None")
}

impl Variant {
    /// Sets its variables, and says which compiler the recipe asks for.
    pub(super) fn set(&self, recipe: &Recipe, work: &mut State) {
        for (name, value) in &self.0 {
            set(work, name, value.clone());
        }
        let compiler = self.0.iter().find(|(name, _)| name == COMPILER);
        let Some(version) = compiler.and_then(|(_, value)| value.known()) else {
            return;
        };
        if !recipe.requires.iter().any(|name| name == "compiler-cuda") {
            return;
        }
        work.nvcc = match version.as_str() {
            "None" => Presence::absent("compiler('cuda')"),
            _ => Presence::present(Some(&version), "compiler('cuda')"),
        };
    }
}
