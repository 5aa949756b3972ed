//! The way from a command to its judgement, for `kimg-lint why`.
use super::cond::{Case, Tri};
use super::describe::set_at;
use super::evaluate::Found;
use super::judge::{judge, knobs_of, reached_compiles};
use super::knobs::{self, List};
use super::record::{Knob, Place, Record, Take};
use crate::facts::{Candidate, RecordNote, RowNote, Trace};
use crate::walk::files::Files;
use crate::walk::walked::Step;

/// The traces of builds.
pub fn traces(found: Vec<Found<'_>>, files: &Files<'_>) -> Vec<Trace> {
    found.into_iter().map(|f| trace(f, files)).collect()
}

fn trace(found: Found<'_>, files: &Files<'_>) -> Trace {
    let (record, step) = (found.record, found.step);
    let case = Case {
        action: &step.action,
        state: &step.state,
        version: found.version.as_deref(),
        list: Tri::Unknown,
    };
    let judged = judge(record, &step.action, &step.state, found.version.as_deref());
    let outcome = judged.rows.iter().map(|r| RowNote {
        when: r.row.when.map(|c| c.to_string()).unwrap_or_default(),
        then: r.row.then.to_string(),
        say: r.row.say.to_string(),
        unsure: r.unsure,
    });
    let compiles = reached_compiles(record, &case)
        .into_iter()
        .map(|(row, unsure)| RowNote {
            when: row.when.map(|c| c.to_string()).unwrap_or_default(),
            then: format!("{:?}", row.then).to_lowercase(),
            say: row.say.to_string(),
            unsure,
        });
    Trace {
        record: note(record),
        candidates: knobs_of(record)
            .iter()
            .filter(|k| k.take != Take::Switch)
            .map(|k| candidate(k, &case, &found, files))
            .collect(),
        compiles: compiles.collect(),
        outcome: outcome.collect(),
        tools: tools(step),
        read: files.read().map(str::to_owned).collect(),
        context: files.context(),
        build: found.build,
    }
}

/// A record's provenance.
pub fn note(record: &Record) -> RecordNote {
    let source = |s: &super::record::Source| {
        let mut text = format!("{} {}", s.repo, s.file);
        if !s.reference.is_empty() {
            text += &format!(" at {}", s.reference);
        }
        if !s.date.is_empty() {
            text += &format!(", {}", s.date);
        }
        text
    };
    RecordNote {
        id: record.id.to_string(),
        confidence: format!("{:?}", record.confidence).to_lowercase(),
        sources: record.sources.iter().map(source).collect(),
        notes: record.notes.to_string(),
    }
}

fn candidate(knob: &Knob, case: &Case<'_>, found: &Found<'_>, files: &Files<'_>) -> Candidate {
    let one = std::slice::from_ref(knob);
    let list = knobs::find(one, case);
    let applies = knob.when.as_ref().map_or(Tri::Yes, |cond| case.holds(cond));
    let lost = found.build.lost.iter().find(|l| l.name == *knob.name);
    let (what, origin) = match &list {
        _ if applies == Tri::No => (
            format!(
                "not read here: only when {}",
                knob.when.map(|c| c.to_string()).unwrap_or_default()
            ),
            None,
        ),
        _ if matches!(knob.place, Place::SetupPy | Place::Preset) => {
            ("in another file, which is not read".to_owned(), None)
        }
        List::Set(set) if set.name == found.build.arch.knob => {
            ("this one decides".to_owned(), set.origin.as_ref())
        }
        List::Set(set) => ("set, and another one wins".to_owned(), set.origin.as_ref()),
        List::Empty(set) => ("set, but to nothing".to_owned(), set.origin.as_ref()),
        List::Unknown { why, origin, .. } => (format!("not known: {why}"), origin.as_ref()),
        List::Unset => match lost {
            Some(lost) => (format!("does not arrive: {}", lost.why_text), None),
            None => ("not set".to_owned(), None),
        },
    };
    let text = match &list {
        List::Set(set) | List::Empty(set) => set.value.describe(),
        _ => lost.map(|l| l.text.clone()).unwrap_or_default(),
    };
    Candidate {
        name: knob.name.to_string(),
        place: knob.place.to_string(),
        what,
        text,
        set_at: origin.and_then(|o| set_at(o, files)),
    }
}

fn tools(step: &Step) -> Vec<(String, crate::facts::Known, String)> {
    let state = &step.state;
    let of = |name: &str, presence: &crate::walk::content::Presence| {
        let version = presence.version.as_deref().unwrap_or_default();
        let from = if presence.from.is_empty() {
            String::new()
        } else {
            format!("from {}", presence.from)
        };
        (
            name.to_owned(),
            presence.there,
            format!("{version} {from}").trim().to_owned(),
        )
    };
    vec![
        of("nvcc", &state.nvcc),
        of("torch", &state.torch),
        ("a GPU".to_owned(), state.gpu, String::new()),
    ]
}
