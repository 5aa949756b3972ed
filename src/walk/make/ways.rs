//! What conditions that are not decided leave open: each way of taking their arms is looked at.
use super::{Maker, STEPS};
use crate::walk::walked::Arm;
use std::collections::BTreeMap;

/// More ways than this are not told apart.
const MAX_WAYS: usize = 8;
/// Looks at one text that find out which conditions matter for it, at most.
const MAX_LOOKS: usize = 48;

/// Something whose answer is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Open {
    /// A condition of the Makefile, by its number.
    Condition(usize),
    /// A variable of the environment that may be several things.
    Environment(String),
}

/// Which arm is taken of what is open; where nothing is said, none of those that a condition has.
pub(super) type Picks = BTreeMap<Open, usize>;

/// A condition that was not decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undecided {
    /// Its number among the arms of the walk.
    pub(super) group: u32,
    /// Its arms, the empty ones included.
    pub(super) of: usize,
}

impl Maker<'_, '_> {
    /// The arm that is taken of what is open; `None` where nobody picked one, and then it is noted as asked.
    pub(super) fn picked(&mut self, open: &Open, of: usize) -> Option<usize> {
        if let Some(arm) = self.picks.get(open) {
            return Some(*arm);
        }
        self.asked.insert(open.clone(), of);
        None
    }

    /// What `look` sees in each way of taking what is open, once for all between which `same` holds; one with gaps, if there
    /// are too many.
    pub(super) fn ways<T>(
        &mut self,
        mut look: impl FnMut(&mut Self) -> T,
        same: impl Fn(&T, &T) -> bool,
    ) -> Vec<(Picks, T)> {
        let around = self.picks.clone();
        let asked = std::mem::take(&mut self.asked);
        let blind = std::mem::replace(&mut self.blind, false);
        let first = look(self);
        let met = std::mem::take(&mut self.asked);
        let all = if met.is_empty() {
            vec![(around.clone(), first)]
        } else {
            // what `eval` sets in the text is set once
            let variables = self.variables.clone();
            let combined = self.what_matters(&mut look, &same, &first, met);
            let mut all: Vec<(Picks, T)> = Vec::new();
            for picks in combined.iter().flatten() {
                self.picks = picks.clone();
                let seen = look(self);
                if !all.iter().any(|(_, other)| same(other, &seen)) {
                    all.push((picks.clone(), seen));
                }
            }
            if combined.is_none() {
                self.picks = around.clone();
                self.blind = true;
                all.push((around.clone(), look(self)));
            }
            self.variables = variables;
            all
        };
        self.picks = around;
        self.asked = asked;
        self.blind = blind;
        all
    }

    /// All ways of taking what makes a difference; `None` for too many.
    fn what_matters<T>(
        &mut self,
        look: &mut impl FnMut(&mut Self) -> T,
        same: &impl Fn(&T, &T) -> bool,
        first: &T,
        met: BTreeMap<Open, usize>,
    ) -> Option<Vec<Picks>> {
        let around = self.picks.clone();
        let mut seen: Vec<Open> = met.keys().cloned().collect();
        // each with the picks under which it was met
        let mut left: Vec<(Open, usize, Picks)> = met
            .into_iter()
            .map(|(open, of)| (open, of, around.clone()))
            .collect();
        let mut combined = vec![around];
        let mut looks = 0;
        while let Some((open, of, under)) = left.pop() {
            let mut differs = false;
            for arm in 0..of {
                looks += 1;
                // half of what one make may take is for what has to be done at all
                if looks > MAX_LOOKS || self.steps < STEPS / 2 {
                    return None;
                }
                self.picks = with(&under, &open, arm);
                differs |= !same(first, &look(self));
                for (other, of) in std::mem::take(&mut self.asked) {
                    if !seen.contains(&other) {
                        seen.push(other.clone());
                        left.push((other, of, self.picks.clone()));
                    }
                }
            }
            if differs {
                let each = |picks: &Picks| -> Vec<Picks> {
                    (0..of).map(|arm| with(picks, &open, arm)).collect()
                };
                combined = combined.iter().flat_map(each).collect();
            }
            if combined.len() > MAX_WAYS {
                return None;
            }
        }
        Some(combined)
    }

    /// The arms that picks stand for, among those of the walk.
    pub(super) fn arms_of(&self, picks: &Picks) -> Vec<Arm> {
        let arm = |(open, arm): (&Open, &usize)| {
            let Open::Condition(number) = open else {
                return None;
            };
            let undecided = self.conditions.get(*number)?;
            Some(Arm {
                group: undecided.group,
                index: *arm as u32,
                of: undecided.of as u32,
            })
        };
        picks.iter().filter_map(arm).collect()
    }
}

fn with(picks: &Picks, open: &Open, arm: usize) -> Picks {
    let mut picks = picks.clone();
    picks.insert(open.clone(), arm);
    picks
}

/// Whether two texts of commands or flags differ in nothing that has to do with device code.
pub(super) fn alike(left: &str, right: &str) -> bool {
    let telling = |text: &str| -> Vec<String> {
        let words = text.split_whitespace().filter(|word| !is_idle(word));
        words.map(str::to_owned).collect()
    };
    left == right || telling(left) == telling(right)
}

/// An option of a compiler that is about something else: `-lnccl`, `-DUSE_MPI`, `-Wall`.
fn is_idle(word: &str) -> bool {
    const TELLING: [&str; 9] = [
        "arch", "sm_", "compute", "code", "cuda", "gpu", "nvcc", "target", "build",
    ];
    let lower = word.to_ascii_lowercase();
    word.starts_with('-') && !TELLING.iter().any(|part| lower.contains(part))
}
