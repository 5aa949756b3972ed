//! What is wrong with the way a list is given: exactly one answer for a build.
use super::judge::{Judged, asked_of_a_gpu, has_native, ignored_names, knobs_of};
use super::knobs::{List, SetList, reaches};
use super::record::{Cond, Effect, Knob, OutcomeRow, Place, Record, Take};
use crate::actions::Named;
use crate::facts::{Compiles, Diagnosis, LostWhy, SetHow};
use crate::front::document::Unit;
use crate::value::Value;
use crate::walk::settings::{Life, Setting};
use crate::walk::variable::{Alternative, Origin};
use crate::walk::walked::{Step, Walked};

/// A setting that does not arrive.
#[derive(Clone, Debug)]
pub struct LostSetting {
    /// The variable.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Where it was set.
    pub origin: Origin,
    /// Why it does not arrive.
    pub why: LostWhy,
    /// The stage that has it, for [`LostWhy::OtherStage`].
    pub scope: Option<usize>,
}

/// The diagnosis, and the settings that are lost on the way, the most telling first.
pub fn diagnose(
    record: &'static Record,
    judged: &Judged,
    step: &Step,
    walked: &Walked,
) -> (Diagnosis, Vec<LostSetting>) {
    if judged.compiles == Compiles::No
        || judged
            .rows
            .iter()
            .all(|r| matches!(r.row.then, Effect::None | Effect::Runtime))
    {
        return (Diagnosis::Ok, Vec::new());
    }
    match &judged.list {
        List::Set(list) if is_keyword(list, judged) => (Diagnosis::Ok, Vec::new()),
        List::Set(list) => (of_list(list), Vec::new()),
        List::Unknown { .. } => (Diagnosis::Undecidable, Vec::new()),
        List::Empty(_) => (Diagnosis::Empty, lost(record, step, walked)),
        List::Unset => of_nothing(record, judged, step, walked),
    }
}

/// A word that the builder has a list of its own for (`all`) is no malformed list.
fn is_keyword(list: &SetList, judged: &Judged) -> bool {
    let asks = |cond: &Cond| {
        let mut named = cond.env.iter().chain(cond.define.iter());
        named.any(|(name, _)| *name.0 == *list.name)
    };
    let fixed =
        |row: &OutcomeRow| row.then == Effect::Fixed && row.when.is_some_and(|when| asks(&when));
    !judged.rows.is_empty() && judged.rows.iter().all(|reached| fixed(reached.row))
}

fn of_list(list: &SetList) -> Diagnosis {
    if !list.parsed.faults.is_empty() || !list.cut.is_empty() {
        Diagnosis::Malformed
    } else if has_native(list) || asked_of_a_gpu(list) {
        Diagnosis::Native
    } else if list.value.is_empty() == Some(true) {
        Diagnosis::Empty
    } else {
        Diagnosis::Ok
    }
}

fn of_nothing(
    record: &'static Record,
    judged: &Judged,
    step: &Step,
    walked: &Walked,
) -> (Diagnosis, Vec<LostSetting>) {
    let mut lost = lost(record, step, walked);
    let ignored = ignored(record, step);
    let native = judged.rows.iter().any(|r| r.row.native);
    let out_of_scope = lost
        .iter()
        .any(|l| !matches!(l.why, LostWhy::Late | LostWhy::OneCommand));
    let late = lost.iter().any(|l| l.why == LostWhy::Late);
    if judged.rows.iter().all(|r| r.row.chosen) {
        return (Diagnosis::Ok, Vec::new());
    }
    let diagnosis = if native {
        Diagnosis::Native
    } else if !ignored.is_empty() {
        Diagnosis::Ignored
    } else if out_of_scope {
        Diagnosis::Lost
    } else if late {
        Diagnosis::Late
    } else {
        Diagnosis::Missing
    };
    let mut all = ignored;
    all.append(&mut lost);
    (diagnosis, all)
}

/// Settings that reach the build and that it does not read.
fn ignored(record: &'static Record, step: &Step) -> Vec<LostSetting> {
    let mut found = Vec::new();
    for name in ignored_names(record) {
        let (name, env_only) = match name.strip_prefix("env:") {
            Some(name) => (name, true),
            None => (&**name, false),
        };
        let variable = step.state.found_by_program(name);
        if step.state.mentions(name) && reaches(variable) {
            found.extend(
                variable
                    .iter()
                    .find(|a| a.exported && a.value.is_some())
                    .and_then(|a| setting(name, a, LostWhy::NotRead)),
            );
        }
        if env_only {
            continue;
        }
        let given = [
            (SetHow::Define, &step.action.defines),
            (SetHow::Make, &step.action.make_vars),
        ];
        for (how, named) in given {
            let of_name = named.iter().find(|n| n.name == name);
            found.extend(of_name.map(|n| argument(name, n, how, LostWhy::NotRead)));
        }
    }
    found
}

/// A setting on the command line of the build itself.
fn argument(name: &str, given: &Named, how: SetHow, why: LostWhy) -> LostSetting {
    LostSetting {
        name: name.to_owned(),
        value: given.value.clone(),
        origin: Origin {
            how,
            site: given.value.site(),
        },
        why,
        scope: None,
    }
}

fn setting(name: &str, alternative: &Alternative, why: LostWhy) -> Option<LostSetting> {
    let origin = alternative.origin.clone().unwrap_or(Origin {
        how: SetHow::Preset,
        site: None,
    });
    Some(LostSetting {
        name: name.to_owned(),
        value: alternative.value.clone()?,
        origin,
        why,
        scope: None,
    })
}

/// Settings of the builder's own variables that do not arrive.
fn lost(record: &'static Record, step: &Step, walked: &Walked) -> Vec<LostSetting> {
    let mut found = Vec::new();
    for knob in knobs_of(record)
        .iter()
        .filter(|k| k.place == Place::Env && k.take != Take::Switch)
    {
        found.extend(lost_knob(knob, step, walked));
    }
    found.extend(quoted(record, step));
    found.sort_by_key(|l| {
        matches!(l.why, LostWhy::Late) as u8 + 2 * matches!(l.why, LostWhy::OneCommand) as u8
    });
    found
}

/// A define whose name has a quote that the shell left in: nobody reads a variable of that name.
fn quoted(record: &'static Record, step: &Step) -> Option<LostSetting> {
    let is_knob = |name: &str| {
        knobs_of(record)
            .iter()
            .any(|k| k.place == Place::Define && k.take != Take::Switch && *k.name == *name)
    };
    let quoted = step.action.defines.iter().find_map(|define| {
        let name = define.name.strip_prefix(['\'', '"'])?;
        is_knob(name).then_some((name, define))
    });
    let (name, define) = quoted?;
    Some(argument(name, define, SetHow::Define, LostWhy::Quoted))
}

fn lost_knob(knob: &Knob, step: &Step, walked: &Walked) -> Option<LostSetting> {
    let name = &*knob.name;
    // a shell variable that is there and not exported
    if let Some(alternative) = step
        .state
        .found_by_program(name)
        .iter()
        .find(|a| a.value.is_some() && !a.exported)
    {
        return setting(name, alternative, LostWhy::NotExported);
    }
    if let Some(dropped) = step.state.dropped.get(name) {
        return setting(name, &dropped.alternative, dropped.why);
    }
    let candidates = walked
        .settings
        .of(name)
        .filter(|s| walked.may_be_for(s, step.scope) && s.value.is_empty() != Some(true));
    let mut best: Option<(u8, &Setting, LostWhy)> = None;
    for setting in candidates {
        let Some((rank, why)) = why_lost(setting, step, walked) else {
            continue;
        };
        if best.is_none_or(|(found, ..)| rank > found) {
            best = Some((rank, setting, why));
        }
    }
    let (_, setting, why) = best?;
    Some(LostSetting {
        name: name.to_owned(),
        value: setting.value.clone(),
        origin: setting.origin.clone(),
        why,
        scope: setting.scope,
    })
}

/// Why `setting` does not reach `step`, with a rank: the higher, the more it was meant for it.
fn why_lost(setting: &Setting, step: &Step, walked: &Walked) -> Option<(u8, LostWhy)> {
    let Some(scope) = setting.scope else {
        return Some((9, LostWhy::GlobalArg));
    };
    let same = scope == step.scope;
    let inherited = same || walked.inherits(step.scope, scope);
    let before = setting.order < step.order;
    let same_instruction = same && setting.instruction == step.instruction;
    match setting.life {
        Life::RcFile if inherited && !is_after(setting, step) => Some((8, LostWhy::RcFile)),
        Life::RcFile => None,
        // set earlier in the stage, yet not there: it was overwritten or unset, which is no accident of scope
        Life::Stage if inherited && before => None,
        Life::Next if same_instruction => Some((8, LostWhy::SameStep)),
        Life::Next if same && before => None,
        Life::Stage | Life::Next if same => Some((7, LostWhy::Late)),
        Life::Stage | Life::Next => Some((3, LostWhy::OtherStage)),
        Life::Run | Life::Shell if inherited && before && !same_instruction => {
            Some((6, LostWhy::EndedWithRun))
        }
        Life::Run | Life::Shell if same_instruction => {
            Some((5, LostWhy::Late)).filter(|_| is_after(setting, step))
        }
        Life::Command if inherited && !is_after(setting, step) => Some((1, LostWhy::OneCommand)),
        _ => None,
    }
}

/// In one instruction the place tells what comes first.
fn is_after(setting: &Setting, step: &Step) -> bool {
    match setting.origin.site {
        Some(site) if setting.instruction == step.instruction => {
            site.file == step.site.file && site.span.start > step.site.span.start
        }
        _ => setting.order > step.order,
    }
}

/// Why a setting does not arrive, as a clause about the setting.
pub fn why_text(lost: &LostSetting, step: &Step, walked: &Walked, builder: &str) -> String {
    let title = |scope: Option<usize>| {
        scope
            .and_then(|s| walked.scopes.get(s))
            .map_or_else(String::new, |s| format!("`{}`", s.title))
    };
    match lost.why {
        LostWhy::NotExported => "it is a shell variable that is not exported".to_owned(),
        LostWhy::EndedWithRun if walked.unit == Unit::Job => "it ends with the step that sets it".to_owned(),
        LostWhy::EndedWithRun => "it ends with the RUN that exports it".to_owned(),
        LostWhy::OneCommand => "it is set for another command only".to_owned(),
        LostWhy::OtherStage if walked.unit == Unit::Job => format!("it is set in job {}, and job {} is another", title(lost.scope), title(Some(step.scope))),
        LostWhy::OtherStage => format!("it is set in stage {}, and stage {} does not start from it", title(lost.scope), title(Some(step.scope))),
        LostWhy::GlobalArg => "an ARG before the first FROM is visible in FROM lines only, until the stage declares it again".to_owned(),
        LostWhy::SameStep => "what a step leaves for others counts from the next step on".to_owned(),
        LostWhy::NotForwarded => "it is not passed into the container".to_owned(),
        LostWhy::Quoted => "quotes inside the word become part of the name and of the value".to_owned(),
        LostWhy::Sudo => "sudo does not pass it on".to_owned(),
        LostWhy::RcFile => "it is written to a file that the shells of a build do not read".to_owned(),
        LostWhy::Isolated => "the command runs with an environment of its own".to_owned(),
        LostWhy::Late => "it is set after the build".to_owned(),
        LostWhy::Overridden => "another setting wins".to_owned(),
        LostWhy::NotRead => format!("{builder} does not read it"),
    }
}
