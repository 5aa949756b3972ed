//! Flags for nvcc that hold `arch` and name no architecture.
use super::scan::{Bound, Scan};
use super::values::arch_of;
use crate::projects::guard::Guard;
use crate::projects::seen::{Seen, known};
use crate::text::python::{Expression, What};

impl<'b> Scan<'b> {
    /// Notes those of `{"nvcc": […]}`, which torch hands to nvcc.
    pub(super) fn host_flags(&mut self, entries: &'b [(Expression, Expression)], guard: &Guard) {
        for (key, value) in entries {
            if key.literal().is_none_or(|key| key != "nvcc") {
                continue;
            }
            let lists = match &value.what {
                What::Name(name) => self.bindings(name),
                _ => vec![(Guard::Always, Bound::Value(value))],
            };
            for (when, bound) in lists {
                if let Bound::Value(list) = bound
                    && let What::List(items) = &list.what
                {
                    self.of_list(items, &Guard::all([guard.clone(), when]));
                }
            }
        }
    }

    fn of_list(&mut self, items: &'b [Expression], guard: &Guard) {
        for item in items {
            let pieces = self.pieces(item);
            // torch looks for the text, wherever it stands, and passes over its own define
            let switches = known(&pieces).is_some_and(|text| {
                text.contains("arch") && !text.contains("TORCH_EXTENSION_NAME")
            });
            if switches && arch_of(pieces).is_none() {
                self.setup.host_flags.push(Seen {
                    guard: guard.clone(),
                    what: (),
                    site: self.site(item.span),
                });
            }
        }
    }
}
