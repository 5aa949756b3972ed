//! Lists that hold what a builder asks for, and that it does not take for it: it compares the text.
use super::cond::{Case, Tri};
use super::knobs::{List, SetList};
use super::local::Local;
use super::record::{Comparison, Record};
use crate::cuda::arch_list::{self, Consumer};
use crate::facts;
use crate::walk::files::Files;

/// The comparisons that fail, although the list holds the architectures of the text.
pub(super) fn of(
    record: &'static Record,
    local: Option<&Local>,
    list: &List,
    case: &Case<'_>,
    files: &Files<'_>,
) -> Vec<facts::Comparison> {
    let List::Set(list) = list else {
        return Vec::new();
    };
    if case.is_of_unknown_age() {
        return Vec::new();
    }
    let sites = local.map_or(&[][..], |local| &local.compared_at);
    let rows = record.compares.iter().enumerate();
    let failing = rows.filter(|(_, row)| {
        let holds = row.when.is_none_or(|when| case.holds(when.0) == Tri::Yes);
        holds && *row.knob == *list.name && is_part(row, list)
    });
    failing
        .map(|(index, row)| facts::Comparison {
            text: row.text.to_string(),
            say: row.say.to_string(),
            cause: sites.get(index).map(|&site| facts::Cause {
                path: files.path(site).to_owned(),
                span: files.place(site),
                say: "here the text is compared".to_owned(),
            }),
        })
        .collect()
}

/// Whether the list is another text, and names every architecture of this one.
fn is_part(row: &Comparison, list: &SetList) -> bool {
    let Some(text) = list.value.known() else {
        return false;
    };
    let own = arch_list::parse(list.syntax, &row.text, &Consumer::default());
    let holds = |target| {
        list.parsed
            .images
            .iter()
            .any(|image| image.target == target)
    };
    text.trim() != &*row.text
        && !own.images.is_empty()
        && own.images.iter().all(|image| holds(image.target))
}
