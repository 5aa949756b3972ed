//! The list of architectures that reaches a builder.
use super::cond::{Case, Tri, visible};
use super::record::{Cond, Empty, Knob, Place, Plain, Take, UnknownValue};
use crate::actions::{ANY, Named, verb::Verb};
use crate::cuda::arch_list::{self, Consumer, Parsed, Syntax};
use crate::cuda::{Image, ImageKind, Target, Version};
use crate::facts::SetHow;
use crate::table::One;
use crate::value::{Site, Value};
use crate::walk::variable::{Alternative, Origin};

/// What the knobs of a record give.
#[derive(Clone, Debug)]
pub enum List {
    /// A list.
    Set(Box<SetList>),
    /// Set, but to nothing, and that counts as unset.
    Empty(Box<SetList>),
    /// Nothing.
    Unset,
    /// It comes from outside.
    Unknown {
        /// The knob.
        name: String,
        /// Why.
        why: String,
        /// Who must supply it: the name of a build argument.
        supplier: Option<String>,
        /// Where it would be set.
        origin: Option<Origin>,
    },
}

/// A list with everything known of it.
#[derive(Clone, Debug)]
pub struct SetList {
    /// The knob.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// Its syntax.
    pub syntax: Syntax,
    /// It takes one architecture only.
    pub one: bool,
    /// Whether the builder embeds PTX beside the machine code is not known.
    pub open_ptx: bool,
    /// The value as it reaches the builder.
    pub value: Value,
    /// Where it was set.
    pub origin: Option<Origin>,
    /// What the builder makes of it.
    pub parsed: Parsed,
    /// Targets that the builder gave a suffix, with what they became.
    pub rewritten: Vec<(Target, Target)>,
    /// Words that the shell cut off at an unquoted `;`.
    pub cut: Vec<(Site, String)>,
}

/// The list that wins among `knobs`.
pub fn find(knobs: &[Knob], case: &Case<'_>) -> List {
    let mut empty = None;
    let mut joined: Option<SetList> = None;
    for knob in knobs.iter().filter(|k| k.take != Take::Switch) {
        let applies = knob.when.as_ref().map_or(Tri::Yes, |cond| case.holds(cond));
        if applies == Tri::No {
            continue;
        }
        let Some((value, origin)) = lookup(knob, case) else {
            continue;
        };
        let Some(syntax) = knob.syntax.as_ref().and_then(|s| s.parse::<Syntax>().ok()) else {
            continue;
        };
        let list = read(knob, syntax, value, origin, case);
        // what only an unknown environment could hold is asked about last
        if let Some((why, supplier)) = undecided(&list.value) {
            if joined.is_some() {
                continue;
            }
            let mentioned = knob.place != Place::Env || case.state.mentions(&knob.name);
            if mentioned || no_later_knob(knobs, knob, case) {
                return List::Unknown {
                    name: knob.name.to_string(),
                    why,
                    supplier,
                    origin: list.origin,
                };
            }
            continue;
        }
        match list.value.is_empty() {
            Some(true) if knob.empty == Empty::Unset => {
                empty.get_or_insert(list);
                continue;
            }
            _ if knob.take == Take::RawFlags
                && list.parsed.images.is_empty()
                && list.parsed.specials.is_empty()
                && list.parsed.faults.is_empty() =>
            {
                let unknown = (knob.place == Place::Flag).then(|| unknown_flag(&case.action.flags));
                if let Some((why, supplier)) = unknown.flatten() {
                    return List::Unknown {
                        name: knob.name.to_string(),
                        why,
                        supplier,
                        origin: list.origin,
                    };
                }
                continue;
            }
            _ => {}
        }
        match &mut joined {
            Some(before) => before.parsed.images.extend(list.parsed.images),
            None => joined = Some(list),
        }
        if !knob.joins {
            break;
        }
    }
    match (joined, empty) {
        (Some(list), _) => List::Set(Box::new(list)),
        (None, Some(list)) => List::Empty(Box::new(list)),
        (None, None) => List::Unset,
    }
}

fn no_later_knob(knobs: &[Knob], knob: &Knob, case: &Case<'_>) -> bool {
    let mut later = knobs.iter().skip_while(|k| !std::ptr::eq(*k, knob)).skip(1);
    !later.any(|k| k.take != Take::Switch && lookup(k, case).is_some_and(|(v, ..)| !v.has_hole()))
}

/// Why it cannot be told whether the value is a list at all; `None` for a list that is at least not empty.
fn undecided(value: &Value) -> Option<(String, Option<String>)> {
    if value.is_empty().is_some() {
        return None;
    }
    let (why, supplier) = value.first_hole()?;
    Some((why.to_owned(), supplier.map(str::to_owned)))
}

/// Why flags that name no architecture may still do so: what a variable fills in is, or is in, an option about them, or is
/// a word of its own.
fn unknown_flag(flags: &[Value]) -> Option<(String, Option<String>)> {
    let about = |word: &Value| {
        let text = word.sketch();
        ["arch", "gencode", "-code"]
            .iter()
            .any(|part| text.contains(part))
    };
    let unknown = |at: usize, word: &Value| {
        let alone = word.is_empty().is_none();
        let behind = at > 0 && !word.known_prefix().starts_with('-') && about(&flags[at - 1]);
        word.has_hole() && (alone || about(word) || behind)
    };
    let (_, word) = flags
        .iter()
        .enumerate()
        .find(|(at, word)| unknown(*at, word))?;
    let (why, supplier) = word.first_hole()?;
    Some((why.to_owned(), supplier.map(str::to_owned)))
}

fn lookup(knob: &Knob, case: &Case<'_>) -> Option<(Value, Option<Origin>)> {
    let action = case.action;
    let named = |list: &[Named], how: SetHow| {
        let mut listed = list.iter().rev();
        let found = listed.clone().find(|n| n.name == *knob.name);
        let found = found.or_else(|| listed.find(|n| n.name == ANY))?;
        let origin = Origin {
            how,
            site: found.value.site(),
        };
        Some((found.value.clone(), Some(origin)))
    };
    match knob.place {
        Place::Env => {
            let variable = case.state.found_by_program(&knob.name);
            let alternative = variable.iter().find(|a| a.exported && a.value.is_some())?;
            visible(alternative).map(|value| (value.clone(), alternative.origin.clone()))
        }
        Place::Define if action.verb == Verb::Spack => named(&action.defines, SetHow::Flag),
        Place::Define => named(&action.defines, SetHow::Define),
        Place::ConfigSetting => named(&action.config_settings, SetHow::Define),
        Place::Make => named(&action.make_vars, SetHow::Make),
        Place::RepoEnv => named(&action.repo_env, SetHow::Flag),
        Place::Option => {
            let (_, value) = action
                .options
                .iter()
                .rev()
                .find(|(n, v)| *n == *knob.name && v.is_some())?;
            let value = value.clone()?;
            let origin = Origin {
                how: SetHow::Flag,
                site: value.site(),
            };
            Some((value, Some(origin)))
        }
        Place::Flag => {
            // nvcc itself puts the two variables around its command line
            let prepended = exported(case, "NVCC_PREPEND_FLAGS");
            let appended = exported(case, "NVCC_APPEND_FLAGS");
            let mut all = Value::default();
            for flag in prepended.iter().chain(&action.flags).chain(&appended) {
                if !all.pieces.is_empty() {
                    all.push_literal(" ", None);
                }
                all.append(flag);
            }
            let origin = Origin {
                how: SetHow::Flag,
                site: all.site(),
            };
            (!all.pieces.is_empty()).then_some((all, Some(origin)))
        }
        Place::Feature | Place::SetupPy | Place::Preset => None,
    }
}

/// An exported variable that the document sets and whose value is known.
fn exported(case: &Case<'_>, name: &str) -> Option<Value> {
    if !case.state.mentions(name) {
        return None;
    }
    let variable = case.state.found_by_program(name);
    variable
        .iter()
        .find_map(visible)
        .filter(|v| !v.has_hole())
        .cloned()
}

/// The images that `NVCC_PREPEND_FLAGS` and `NVCC_APPEND_FLAGS` add to those of every nvcc below a builder.
pub fn added_by_nvcc_variables(case: &Case<'_>) -> Vec<Image> {
    let mut images = Vec::new();
    for name in ["NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"] {
        if let Some(flags) = exported(case, name) {
            images.extend(
                arch_list::parse(Syntax::Flags, &flags.sketch(), &Consumer::default()).images,
            );
        }
    }
    images
}

fn read(
    knob: &Knob,
    syntax: Syntax,
    value: Value,
    origin: Option<Origin>,
    case: &Case<'_>,
) -> SetList {
    let known: Vec<Target> = knob
        .known
        .iter()
        .filter_map(|k| Target::from_undotted(k))
        .collect();
    let consumer = Consumer {
        torch: case
            .state
            .torch
            .version
            .as_deref()
            .and_then(|v| v.parse::<Version>().ok()),
        known: (!known.is_empty()).then_some(&known),
        unknown: match knob.unknown {
            UnknownValue::Rejected => arch_list::FaultKind::Rejected,
            UnknownValue::Dropped => arch_list::FaultKind::Dropped,
        },
    };
    let text = value.sketch();
    let mut parsed = arch_list::parse(syntax, &text, &consumer);
    if value.has_hole() {
        // a token that is only partly known is not at fault
        parsed.faults.retain(|f| !f.token.text.contains('?'));
        if value
            .pieces
            .iter()
            .all(|p| matches!(p, crate::value::Piece::Hole { .. }))
        {
            parsed.images.clear();
            parsed.faults.clear();
        }
    }
    replain(&mut parsed.images, knob.plain);
    let rewritten = rewrite(&mut parsed.images, knob, case);
    if let Some(addition) = &knob.adds
        && addition
            .when
            .as_ref()
            .is_none_or(|cond| case.holds(cond) != Tri::No)
        && value.is_empty() != Some(true)
    {
        for image in addition
            .list
            .iter()
            .filter_map(|e| arch_list::fixed(e))
            .flatten()
        {
            if !parsed.images.contains(&image) {
                parsed.images.push(image);
            }
        }
    }
    SetList {
        name: knob.name.to_string(),
        place: knob.place,
        syntax,
        one: knob.take == Take::One,
        open_ptx: knob.plain == Plain::Open,
        value,
        origin,
        parsed,
        rewritten,
        cut: Vec::new(),
    }
}

/// What a plain number stands for, where the builder means PTX or both.
fn replain(images: &mut Vec<Image>, plain: Plain) {
    match plain {
        Plain::Sass | Plain::Open => {}
        Plain::Ptx => images.iter_mut().for_each(|i| i.kind = ImageKind::Ptx),
        Plain::Highest => {
            let highest = images.iter().map(|i| i.target).max();
            images.extend(highest.map(Image::ptx));
        }
        Plain::Both => {
            let ptx: Vec<Image> = images.iter().map(|i| Image::ptx(i.target)).collect();
            images.extend(ptx);
        }
    }
}

/// The targets that the builder makes of those without a suffix.
pub(super) fn suffixed(knob: &Knob, case: &Case<'_>) -> Vec<Target> {
    if case.is_of_unknown_age() {
        return Vec::new();
    }
    let holds = |when: &Option<One<Cond>>| when.is_none_or(|when| case.holds(when.0) != Tri::No);
    let rows = knob.rewrites.iter().filter(|row| holds(&row.when));
    let texts = rows.flat_map(|row| row.into.iter());
    texts
        .filter_map(|text| Target::from_undotted(text))
        .collect()
}

/// Gives targets the suffix that the builder gives them.
fn rewrite(images: &mut Vec<Image>, knob: &Knob, case: &Case<'_>) -> Vec<(Target, Target)> {
    let into = suffixed(knob, case);
    let mut rewritten = Vec::new();
    let mut all: Vec<Image> = Vec::new();
    for mut image in images.drain(..) {
        let plain = image.target;
        let same = |target: &&Target| Target::plain(target.capability) == plain;
        if let Some(target) = into.iter().find(same) {
            image.target = *target;
            if !rewritten.contains(&(plain, *target)) {
                rewritten.push((plain, *target));
            }
        }
        if !all.contains(&image) {
            all.push(image);
        }
    }
    *images = all;
    rewritten
}

impl SetList {
    /// The place of a token of the list in a file.
    pub fn token_site(&self, range: &std::ops::Range<usize>) -> Option<Site> {
        self.value.site_of(range.start, range.end)
    }
}

/// Whether a variable is set for programs, whatever its value, in any alternative.
pub fn reaches(variable: &[Alternative]) -> bool {
    variable
        .iter()
        .any(|a| visible(a).is_some_and(|v| v.is_empty() != Some(true)))
}
