//! One action in one state under one record: what it compiles, for which architectures, and what comes of it.
use super::cond::{Case, Tri};
use super::knobs::{self, List, SetList};
use super::lists;
use super::record::{Answer, CompilesRow, Cond, Effect, Knob, OutcomeRow, Record};
use super::records::parent;
use crate::actions::{Action, verb::Verb};
use crate::cuda::arch_list::{self, Consumer, Fault, FaultKind, Special, Token, expand};
use crate::cuda::{Capability, Image, Toolkit, ToolkitVersion, toolkit, toolkits};
use crate::facts::{Compiles, Confidence, Known};
use crate::table::One;
use crate::walk::expand::ASKED_OF_A_GPU;
use crate::walk::state::State;

/// The verdict on one alternative.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Whether it compiles.
    pub compiles: Compiles,
    /// Why.
    pub because: String,
    /// The list that the knobs give.
    pub list: List,
    /// What the builder does: the rows reached, the decided one alone if there is one.
    pub rows: Vec<Row>,
    /// Nobody knows the toolkit's version, and with one the list is none to worry about, with another it is.
    pub hangs_on_toolkit: bool,
    /// The images that are built, as far as known.
    pub images: Vec<Image>,
}

/// A row of a record's outcome that was reached.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The row.
    pub row: &'static OutcomeRow,
    /// It was reached only because a condition could not be decided.
    pub unsure: bool,
}

/// The record's own value of a key, or its parent's.
pub fn compiles_rows(record: &'static Record) -> &'static [CompilesRow] {
    record
        .compiles
        .or_else(|| parent(record)?.compiles)
        .map_or(&[], |l| l.0)
}

/// The record's knobs, or its parent's.
pub fn knobs_of(record: &'static Record) -> &'static [Knob] {
    record
        .knobs
        .or_else(|| parent(record)?.knobs)
        .map_or(&[], |l| l.0)
}

/// The record's rows of outcome, or its parent's.
pub fn outcome_rows(record: &'static Record) -> &'static [OutcomeRow] {
    record
        .outcome
        .or_else(|| parent(record)?.outcome)
        .map_or(&[], |l| l.0)
}

/// The settings commonly made in vain for a record, or for its parent.
pub fn ignored_names(record: &'static Record) -> &'static [crate::table::Text] {
    record
        .ignored
        .or_else(|| parent(record)?.ignored)
        .map_or(&[], |l| l.0)
}

/// Judges `action` in `state`, in which every variable that the record reads has one alternative.
pub fn judge(
    record: &'static Record,
    action: &Action,
    state: &State,
    version: Option<&str>,
) -> Judged {
    let case = Case {
        action,
        state,
        version,
        list: Tri::Unknown,
    };
    let (compiles, because) = compiles(record, &case);
    let mut list = knobs::find(knobs_of(record), &case);
    refuse_older(record, &mut list, &case);
    let is_set = match &list {
        // without a GPU nothing is printed, and nothing is the list
        List::Set(list) if asked_of_a_gpu(list) && state.gpu != Known::Yes => Tri::No,
        List::Set(_) => Tri::Yes,
        List::Empty(_) | List::Unset => Tri::No,
        List::Unknown { .. } => Tri::Unknown,
    };
    let case_with_list = Case {
        list: is_set,
        ..case
    };
    let (rows, hangs_on_toolkit) = rows(record, &case_with_list);
    let mut images = match compiles {
        Compiles::No => Vec::new(),
        Compiles::Yes | Compiles::Maybe => images(&list, &rows, state),
    };
    if action.verb != Verb::Nvcc && compiles != Compiles::No {
        images.extend(knobs::added_by_nvcc_variables(&case));
        let mut seen = Vec::new();
        images.retain(|i| {
            !seen.contains(i) && {
                seen.push(*i);
                true
            }
        });
    }
    Judged {
        compiles,
        because,
        list,
        rows,
        hangs_on_toolkit,
        images,
    }
}

/// Rejects what is older than the sources of the package.
fn refuse_older(record: &'static Record, list: &mut List, case: &Case<'_>) {
    let List::Set(list) = list else { return };
    let holds = |when: Option<One<Cond>>| when.is_none_or(|when| case.holds(when.0) == Tri::Yes);
    let row = record.oldest.iter().find(|row| holds(row.when));
    let Some(row) = row.filter(|_| !case.is_of_unknown_age()) else {
        return;
    };
    let Ok(oldest) = row.capability.parse::<Capability>() else {
        return;
    };
    let syntax = list.syntax;
    let is_older = |token: &&Token| {
        let own = arch_list::parse(syntax, &token.text, &Consumer::default());
        own.images
            .iter()
            .any(|image| image.target.capability < oldest)
    };
    let older: Vec<Token> = list
        .parsed
        .tokens
        .iter()
        .filter(is_older)
        .cloned()
        .collect();
    let faults = older.into_iter().map(|token| Fault {
        kind: FaultKind::Rejected,
        token,
        reason: row.say.to_string(),
    });
    list.parsed.faults.extend(faults);
}

/// The rows about whether it compiles that were reached, and whether only for want of knowledge.
pub fn reached_compiles(
    record: &'static Record,
    case: &Case<'_>,
) -> Vec<(&'static CompilesRow, bool)> {
    reached(compiles_rows(record), case, |r| r.when.map(|when| when.0))
}

fn compiles(record: &'static Record, case: &Case<'_>) -> (Compiles, String) {
    let rows = reached_compiles(record, case);
    let answers: Vec<Answer> = rows.iter().map(|(r, _)| r.then).collect();
    let because = rows
        .iter()
        .find(|(r, _)| !r.say.is_empty())
        .map(|(r, _)| r.say.to_string())
        .unwrap_or_default();
    let all = |wanted: Answer| answers.iter().all(|a| *a == wanted);
    let compiles = if all(Answer::Yes) {
        Compiles::Yes
    } else if all(Answer::No) {
        Compiles::No
    } else {
        Compiles::Maybe
    };
    (compiles, because)
}

/// The rows that are reached; and whether they are harmless with some toolkit and not with another one, where nobody knows which
/// is there.
fn rows(record: &'static Record, case: &Case<'_>) -> (Vec<Row>, bool) {
    let rows = reached_rows(record, case);
    let asks = |row: &OutcomeRow| row.when.is_some_and(|when| asks_for_toolkit(when.0));
    let is_known = case.state.nvcc.version.is_some();
    if is_known || rows.len() < 2 || !outcome_rows(record).iter().any(asks) {
        return (rows, false);
    }
    let mut state = case.state.clone();
    let with = |toolkit: &Toolkit| {
        state.nvcc.version = Some(toolkit.version.to_string().into());
        let state = &state;
        reached_rows(record, &Case { state, ..*case })
    };
    let by_toolkit: Vec<Vec<Row>> = toolkits().iter().map(with).collect();
    let is_harmless = |rows: &Vec<Row>| rows.iter().all(|row| is_harmless(row.row.then));
    let harmless = by_toolkit.iter().filter(|rows| is_harmless(rows)).count();
    let is_reached = |row: &Row| {
        let mut others = by_toolkit.iter().flatten();
        others.any(|other| std::ptr::eq(other.row, row.row))
    };
    let rows = rows.into_iter().filter(is_reached).collect();
    (rows, harmless > 0 && harmless < by_toolkit.len())
}

/// Whether a condition looks at the toolkit's version.
fn asks_for_toolkit(cond: &Cond) -> bool {
    let mut inner = cond.not.iter().chain(cond.any.iter());
    cond.cuda.is_some() || inner.any(asks_for_toolkit)
}

/// Whether what follows is no reason to worry about the list.
fn is_harmless(effect: Effect) -> bool {
    matches!(
        effect,
        Effect::List | Effect::Fixed | Effect::Runtime | Effect::None
    )
}

fn reached_rows(record: &'static Record, case: &Case<'_>) -> Vec<Row> {
    let reached = reached(outcome_rows(record), case, |r| r.when.map(|when| when.0));
    reached
        .into_iter()
        .map(|(row, unsure)| Row { row, unsure })
        .collect()
}

/// Rows in order: no skips, yes ends, not known adds the row and goes on.
fn reached<R>(
    rows: &'static [R],
    case: &Case<'_>,
    when: impl Fn(&'static R) -> Option<&'static Cond>,
) -> Vec<(&'static R, bool)> {
    let mut found = Vec::new();
    for row in rows {
        match when(row).map_or(Tri::Yes, |cond| case.holds(cond)) {
            Tri::No => {}
            Tri::Yes => {
                let unsure = !found.is_empty();
                found.push((row, unsure));
                break;
            }
            Tri::Unknown => found.push((row, true)),
        }
    }
    found
}

fn images(list: &List, rows: &[Row], state: &State) -> Vec<Image> {
    let cuda = state.nvcc.version.as_deref();
    let known = cuda
        .and_then(|c| c.parse::<ToolkitVersion>().ok())
        .and_then(toolkit);
    let mut images = Vec::new();
    if let List::Set(list) = list
        && rows.iter().any(|r| r.row.then == Effect::List)
    {
        images.clone_from(&list.parsed.images);
        for (special, _) in &list.parsed.specials {
            images.extend(known.and_then(|t| expand(*special, t)).unwrap_or_default());
        }
        if has_native(list) && state.gpu != Known::Yes && images.is_empty() {
            images.extend(known.iter().flat_map(|t| t.default_images()));
        }
        return images;
    }
    let [only] = rows else { return images };
    match only.row.then {
        Effect::Fixed => only
            .row
            .list
            .as_ref()
            .map(|l| lists::images(l, cuda))
            .unwrap_or_default(),
        Effect::CompilerDefault => known
            .map(|t| t.default_images().to_vec())
            .unwrap_or_default(),
        _ => images,
    }
}

/// Whether the list asks for the build machine's GPU.
pub fn has_native(list: &SetList) -> bool {
    list.parsed
        .specials
        .iter()
        .any(|(s, _)| matches!(s, Special::Native | Special::Auto))
}

/// Whether the list is what `nvidia-smi` prints.
pub fn asked_of_a_gpu(list: &SetList) -> bool {
    list.value
        .first_hole()
        .is_some_and(|(why, _)| why == ASKED_OF_A_GPU)
}

/// A record of low confidence, or a builder known by a name only, makes everything likely.
pub fn confidence(record: &Record, likely: bool) -> Confidence {
    if likely || record.confidence == crate::table::Trust::Low {
        Confidence::Likely
    } else {
        Confidence::Certain
    }
}
