//! The line to write.
use super::cond::{Case, Tri};
use super::evaluate::Found;
use super::judge::knobs_of;
use super::knobs::suffixed;
use super::record::{Knob, Place, Record, Take};
use crate::actions::{Action, Source, verb::Verb};
use crate::cuda::arch_list::{Entry, Syntax, to_text, torch_targets};
use crate::cuda::{Capability, Device, Target, ToolkitVersion, Unreached, suggest, toolkit};
use crate::facts::ShellSyntax;
use crate::front::document::Unit;
use crate::walk::content::Presence;
use crate::walk::state::State;

/// What a list names where nobody declared a fleet: the data-centre generations in use, as far as the toolkit knows them.
const WITHOUT_FLEET: [Capability; 6] = [
    Capability::new(7, 5),
    Capability::new(8, 0),
    Capability::new(8, 6),
    Capability::new(9, 0),
    Capability::new(10, 0),
    Capability::new(12, 0),
];

/// What a list is to name.
enum Wanted<'w> {
    /// These.
    Archs(&'w [Entry]),
    /// What these GPUs need; where there are none, those in use.
    Fleet(&'w [Device]),
}

/// The line that gives this build a list, for a stage or a job; empty if it takes none.
pub fn line(record: &'static Record, case: &Case<'_>, fleet: &[Device], unit: Unit) -> String {
    line_for(record, case, Wanted::Fleet(fleet), unit)
}

/// The line that gives a build a list of these architectures; empty if it takes none.
pub fn of_found(found: &Found<'_>, archs: &[Entry]) -> String {
    let case = Case {
        action: &found.step.action,
        state: &found.step.state,
        version: found.version.as_deref(),
        list: Tri::Unknown,
    };
    line_for(found.record, &case, Wanted::Archs(archs), Unit::Stage)
}

fn line_for(record: &'static Record, case: &Case<'_>, wanted: Wanted<'_>, unit: Unit) -> String {
    let cuda: Option<ToolkitVersion> = case
        .state
        .nvcc
        .version
        .as_deref()
        .and_then(|v| v.parse().ok());
    let Some(knob) = writable(record, case) else {
        return String::new();
    };
    let Some(syntax) = knob.syntax.as_ref().and_then(|s| s.parse::<Syntax>().ok()) else {
        return String::new();
    };
    let mut entries = match wanted {
        Wanted::Archs(archs) => archs.to_vec(),
        Wanted::Fleet(fleet) => {
            let known = consumer(knob, syntax, case);
            let mut entries = entries(fleet, cuda, known.as_deref());
            add_own(&mut entries, &suffixed(knob, case), fleet, cuda);
            entries
        }
    };
    if knob.take == Take::One {
        // one word only: the oldest target, which at least its own generation runs
        entries.truncate(1);
    }
    let Some(list) = to_text(syntax, &entries).filter(|l| !l.is_empty()) else {
        return String::new();
    };
    written(knob, case.action.verb, &list, unit, case.state.syntax)
}

/// Adds a target for each GPU whose own gets a suffix from the builder: that of another one does not serve it then.
fn add_own(
    entries: &mut Vec<Entry>,
    suffixed: &[Target],
    fleet: &[Device],
    cuda: Option<ToolkitVersion>,
) {
    for target in suffixed {
        let plain = Target::plain(target.capability);
        let is_there = entries.iter().any(|entry| entry.target == plain);
        let is_wanted = fleet
            .iter()
            .any(|device| device.capability == target.capability);
        let is_known = cuda
            .and_then(toolkit)
            .is_none_or(|toolkit| toolkit.accepts(*target));
        if is_wanted && is_known && !is_there {
            entries.push(Entry {
                target: plain,
                sass: true,
                ptx: false,
            });
        }
    }
    entries.sort_by_key(|entry| entry.target);
}

/// What to write for a builder that stands in no file: the line, and the GPUs that it does not reach.
pub fn of_builder(
    record: &'static Record,
    fleet: &[Device],
    cuda: Option<ToolkitVersion>,
) -> (String, Vec<Unreached>) {
    let verbs = record.matches.iter().flat_map(|m| m.verb.iter());
    let verb = verbs.copied().next().unwrap_or(Verb::Source);
    let action = Action::new(verb, "", Source::Nothing);
    let version = cuda.map(|cuda| cuda.to_string());
    let mut state = State::new(None);
    state.nvcc = Presence::present(version.as_deref(), "--cuda");
    let case = Case {
        action: &action,
        state: &state,
        version: None,
        list: Tri::Unknown,
    };
    let syntax = |knob: &&Knob| knob.syntax.as_ref()?.parse().ok();
    let knob = writable(record, &case);
    let known = knob.and_then(|knob| consumer(knob, syntax(&knob)?, &case));
    let unreached = suggest(fleet, cuda, known.as_deref()).unreached;
    (line(record, &case, fleet, Unit::Stage), unreached)
}

/// The knob that a person would write for this command.
pub(super) fn writable(record: &'static Record, case: &Case<'_>) -> Option<&'static Knob> {
    let usable = |k: &&Knob| {
        k.take != Take::Switch
            && k.when
                .as_ref()
                .is_none_or(|cond| case.holds(cond) != Tri::No)
    };
    let knobs: Vec<&Knob> = knobs_of(record).iter().filter(usable).collect();
    let preferred = match case.action.verb {
        Verb::Cmake | Verb::Meson => [
            Place::Define,
            Place::Option,
            Place::Env,
            Place::Make,
            Place::Flag,
        ],
        Verb::Make => [
            Place::Make,
            Place::Env,
            Place::Define,
            Place::Option,
            Place::Flag,
        ],
        Verb::Bazel => [
            Place::RepoEnv,
            Place::Option,
            Place::Env,
            Place::Define,
            Place::Make,
        ],
        Verb::Configure => [
            Place::Option,
            Place::Env,
            Place::Define,
            Place::Make,
            Place::Flag,
        ],
        Verb::Nvcc => [
            Place::Flag,
            Place::Env,
            Place::Define,
            Place::Make,
            Place::Option,
        ],
        _ => [
            Place::Env,
            Place::Define,
            Place::ConfigSetting,
            Place::Option,
            Place::Make,
        ],
    };
    let find = |place: Place, raw: bool| {
        knobs
            .iter()
            .find(|k| k.place == place && (k.take == Take::RawFlags) == raw)
            .copied()
    };
    let plain = preferred.iter().find_map(|&place| find(place, false));
    plain.or_else(|| preferred.iter().find_map(|&place| find(place, true)))
}

/// The only targets that the consumer takes; `None`: any.
fn consumer(knob: &Knob, syntax: Syntax, case: &Case<'_>) -> Option<Vec<Target>> {
    if syntax == Syntax::Torch {
        let torch = case.state.torch.version.as_deref()?;
        return Some(torch_targets(torch.parse().ok()));
    }
    let known = knob.known.iter();
    let known: Vec<Target> = known.filter_map(|k| Target::from_undotted(k)).collect();
    (!known.is_empty()).then_some(known)
}

/// The targets for the fleet; without one, those in use.
pub(super) fn entries(
    fleet: &[Device],
    cuda: Option<ToolkitVersion>,
    consumer: Option<&[Target]>,
) -> Vec<Entry> {
    if !fleet.is_empty() {
        return suggest(fleet, cuda, consumer).entries;
    }
    let known = cuda.and_then(toolkit);
    let mut entries: Vec<Entry> = WITHOUT_FLEET
        .iter()
        .map(|&capability| Target::plain(capability))
        .filter(|&target| match known {
            Some(toolkit) => toolkit.accepts(target),
            // a list that every toolkit from 11.8 on takes
            None => (8..=9).contains(&target.capability.major),
        })
        .filter(|target| consumer.is_none_or(|known| known.contains(target)))
        .map(|target| Entry {
            target,
            sass: true,
            ptx: false,
        })
        .collect();
    if let Some(last) = entries.last_mut() {
        last.ptx = true;
    }
    entries
}

fn written(knob: &Knob, verb: Verb, list: &str, unit: Unit, shell: ShellSyntax) -> String {
    let name = &*knob.name;
    // a job has steps in a shell, whatever its format
    let set = |name: &str, value: &str| match (unit, shell) {
        (Unit::Stage, _) => format!("ENV {name}=\"{value}\""),
        (Unit::Job, ShellSyntax::Posix) => format!("export {name}=\"{value}\""),
        (Unit::Job, ShellSyntax::Pwsh) => format!("$env:{name} = \"{value}\""),
        (Unit::Job, ShellSyntax::Cmd) => format!("set {name}={value}"),
    };
    // PowerShell takes quotes inside of a word apart
    let word = |before: &str| match shell {
        ShellSyntax::Pwsh => format!("\"{before}={list}\""),
        ShellSyntax::Posix | ShellSyntax::Cmd => format!("{before}=\"{list}\""),
    };
    match knob.place {
        Place::Env => set(name, list),
        Place::Define if matches!(verb, Verb::Cmake | Verb::Meson) => word(&format!("-D{name}")),
        Place::Define if verb == Verb::KernelBuilder => {
            format!("{name} = [\"{}\"]", list.replace(';', "\", \""))
        }
        Place::Define if verb == Verb::Spack => format!("{name}={list}"),
        Place::Define => set("CMAKE_ARGS", &format!("-D{name}={list}")),
        Place::ConfigSetting => word(&format!("--config-settings={name}")),
        Place::Make => format!("{name}=\"{list}\""),
        Place::RepoEnv => format!("--repo_env={name}={list}"),
        Place::Option => format!("--{name}={list}"),
        Place::Flag => list.to_owned(),
        Place::Feature | Place::SetupPy | Place::Preset => String::new(),
    }
}
