//! A record in the making.
use super::guard::{Guard, text};
use super::seen::entries;
use crate::builders::local::Cause;
use crate::builders::record::{
    Answer, Comparison, CompilesRow, Cond, Effect, Empty, FixedList, Knob, OutcomeRow, Place,
    Plain, Presence, Record, Source, Take, UnknownValue, YesNo,
};
use crate::cuda::Image;
use crate::table::{List, One, Text, Trust};
use crate::value::Site;

/// A record that compiles only where `gate` holds too; else, `say`.
pub fn only_where(record: &'static Record, gate: &Guard, say: &str) -> &'static Record {
    if *gate == Guard::Always {
        return record;
    }
    let mut rows = Draft::default();
    rows.never_if(&gate.clone().not(), say);
    let own = record.compiles.iter().flat_map(|rows| rows.iter());
    rows.compiles.extend(own.copied());
    Box::leak(Box::new(Record {
        compiles: rows.compiles(),
        ..*record
    }))
}

/// A record in the making, with the places behind its rows.
#[derive(Default)]
pub struct Draft {
    compiles: Vec<CompilesRow>,
    knobs: Vec<Knob>,
    outcome: Vec<OutcomeRow>,
    ignored: Vec<Text>,
    /// The places behind the rows of the outcome.
    pub causes: Vec<(usize, Cause)>,
    compares: Vec<Comparison>,
    /// The places behind the comparisons.
    pub compared_at: Vec<Site>,
}

impl Draft {
    /// It compiles only where `guard` holds; else, `say`.
    pub fn only_if(&mut self, guard: &Guard, say: &str) {
        if *guard != Guard::Always {
            if *guard != Guard::Never {
                self.compiles.push(CompilesRow {
                    when: guard.cond().map(One::new),
                    then: Answer::Yes,
                    say: Text(""),
                });
            }
            self.compiles.push(CompilesRow {
                when: None,
                then: Answer::No,
                say: text(say),
            });
        }
    }

    /// It does not compile where `guard` holds: `say`.
    pub fn never_if(&mut self, guard: &Guard, say: &str) {
        if *guard != Guard::Never {
            self.compiles.push(CompilesRow {
                when: guard.cond().map(One::new),
                then: Answer::No,
                say: text(say),
            });
        }
    }

    /// It compiles only where `guard` holds, and where `wanted` holds, it ought to: `why`.
    pub fn only_if_wanted(&mut self, guard: &Guard, wanted: &Guard, why: &str, say: &str) {
        self.only_if(guard, say);
        if let Some(last) = self.compiles.len().checked_sub(1) {
            let wanted = CompilesRow {
                when: wanted.cond().map(One::new),
                then: Answer::Yes,
                say: text(why),
            };
            self.compiles.insert(last, wanted);
        }
    }

    /// A setting that it reads.
    pub fn knob(&mut self, name: &str, place: Place, syntax: &str, take: Take) -> &mut Knob {
        self.knobs.push(Knob {
            name: text(name),
            place,
            general: false,
            syntax: Some(text(syntax)),
            take,
            when: None,
            empty: Empty::Unset,
            known: List::default(),
            unknown: UnknownValue::Rejected,
            adds: None,
            rewrites: List::default(),
            joins: false,
            plain: Plain::Sass,
        });
        let last = self.knobs.len() - 1;
        &mut self.knobs[last]
    }

    /// What follows where `guard` holds.
    pub fn row(&mut self, guard: &Guard, then: Effect, say: &str) -> &mut OutcomeRow {
        self.when(guard.cond(), then, say)
    }

    fn when(&mut self, when: Option<Cond>, then: Effect, say: &str) -> &mut OutcomeRow {
        self.outcome.push(OutcomeRow {
            when: when.map(One::new),
            then,
            list: None,
            switch: Text(""),
            native: false,
            chosen: false,
            say: text(say),
        });
        let last = self.outcome.len() - 1;
        &mut self.outcome[last]
    }

    /// A list of its own where `guard` holds; `None` for one that is not known.
    pub fn fixed(&mut self, guard: &Guard, images: Option<&[Image]>, say: &str) {
        let list: Vec<String> = images.map_or_else(|| vec!["unknown".to_owned()], entries);
        let row = self.row(guard, Effect::Fixed, say);
        row.list = Some(FixedList::Plain(list.iter().map(|e| text(e)).collect()));
    }

    /// It compiles for the list that a knob gives.
    pub fn list(&mut self) {
        let set = Cond {
            list: Some(Presence::Set),
            ..Cond::default()
        };
        self.when(Some(set), Effect::List, "");
    }

    /// It compiles for the GPU that it sees.
    pub fn visible_gpu(&mut self, say: &str) {
        let gpu = Cond {
            gpu: Some(YesNo::Yes),
            ..Cond::default()
        };
        self.when(Some(gpu), Effect::VisibleGpu, say);
    }

    /// The place behind the last row.
    pub fn cause(&mut self, site: Site, say: &str) {
        if let Some(last) = self.outcome.len().checked_sub(1) {
            self.causes.push((
                last,
                Cause {
                    site,
                    say: say.to_owned(),
                },
            ));
        }
    }

    /// Settings that are made for it in vain.
    pub fn ignores(&mut self, names: &[&str]) {
        for name in names {
            if !self.ignored.iter().any(|n| &**n == *name) {
                self.ignored.push(text(name));
            }
        }
    }

    /// It compares the list of a knob with a text.
    pub fn compares(&mut self, knob: &str, with: &str, site: Site, say: &str) {
        self.compares.push(Comparison {
            when: None,
            knob: text(knob),
            text: text(with),
            say: text(say),
        });
        self.compared_at.push(site);
    }

    /// A record that does what `parent` does, where it compiles.
    pub fn record_like(
        self,
        parent: &'static Record,
        project: Option<&str>,
        file: &str,
    ) -> &'static Record {
        let made = self.record(parent, project, file);
        Box::leak(Box::new(Record {
            knobs: parent.knobs,
            outcome: parent.outcome,
            ignored: parent.ignored,
            ..*made
        }))
    }

    /// The rows that say whether it compiles: it does where none of them holds.
    fn compiles(&mut self) -> Option<List<CompilesRow>> {
        if self.compiles.last().is_some_and(|row| row.when.is_some()) {
            self.compiles.push(CompilesRow {
                when: None,
                then: Answer::Yes,
                say: Text(""),
            });
        }
        let rows = std::mem::take(&mut self.compiles);
        (!rows.is_empty()).then(|| rows.into_iter().collect())
    }

    /// The record of a project, by its name where that is known. It stands in for `parent`, whose id it has.
    pub fn record(
        mut self,
        parent: &'static Record,
        project: Option<&str>,
        file: &str,
    ) -> &'static Record {
        let title = match project {
            Some(name) => format!("{name} ({file})"),
            None => file.to_owned(),
        };
        let source = Source {
            repo: Text("this repository,"),
            file: text(file),
            reference: Text(""),
            date: Text(""),
        };
        Box::leak(Box::new(Record {
            id: parent.id,
            title: text(&title),
            extends: None,
            generic: parent.generic && project.is_none(),
            matches: List::default(),
            compiles: self.compiles(),
            oldest: List::default(),
            compares: self.compares.into_iter().collect(),
            knobs: Some(self.knobs.into_iter().collect()),
            outcome: Some(self.outcome.into_iter().collect()),
            ignored: Some(self.ignored.into_iter().collect()),
            wants: parent.wants,
            sources: List::from_iter([source]),
            confidence: Trust::High,
            notes: Text(""),
            examples: List::default(),
        }))
    }
}
