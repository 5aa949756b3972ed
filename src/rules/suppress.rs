//! Suppressions: which findings they take out of the count, and what is wrong with them.
use super::rule::Rule;
use super::select::find;
use super::settled::Lock;
use crate::date::Date;
use crate::facts::{Covers, Finding, Ignore, Role, Suppressed, SuppressionFault, SuppressionWhy};
use crate::span::Place;
use std::collections::{HashMap, HashSet};

/// What decides about suppressions beside themselves.
pub struct Suppressing<'r> {
    /// The rules that exist.
    pub rules: &'r [&'static Rule],
    /// The codes of the rules that cannot speak in this run: switched off, or without a fleet to speak of. A suppression of
    /// one of them may well be needed in another run.
    pub silent: &'r HashSet<&'static str>,
    /// Rules that nearer files and comments cannot suppress, by code.
    pub locks: &'r HashMap<&'static str, Lock>,
    /// Every suppression needs a reason.
    pub require_reason: bool,
    /// The day that it is.
    pub today: Date,
}

impl Suppressing<'_> {
    /// Marks the findings that are suppressed, and returns what is wrong with the suppressions.
    pub fn apply(&self, ignores: &[Ignore], findings: &mut [Finding]) -> Vec<SuppressionFault> {
        let mut faults = Vec::new();
        for ignore in ignores {
            let fault = |(word, span): &(String, Place), why, detail| SuppressionFault {
                rule: word.clone(),
                path: ignore.path.clone(),
                span: *span,
                why,
                detail,
            };
            let expired = ignore.until.filter(|until| *until < self.today);
            for word in &ignore.rules {
                let rules = match find(&word.0, self.rules) {
                    Ok(rules) => rules,
                    Err(unknown) => {
                        let nearest = unknown.nearest.unwrap_or_default().to_owned();
                        faults.push(fault(word, SuppressionWhy::UnknownRule, nearest));
                        continue;
                    }
                };
                if let Some(day) = expired {
                    faults.push(fault(word, SuppressionWhy::Expired, day.to_string()));
                    continue;
                }
                if ignore.reason.is_empty() && self.require_reason {
                    faults.push(fault(word, SuppressionWhy::NoReason, String::new()));
                }
                let (locked, rules): (Vec<&'static Rule>, Vec<_>) = rules
                    .into_iter()
                    .partition(|rule| self.lock(rule.code.0, ignore).is_some());
                for rule in locked
                    .iter()
                    .filter(|rule| covers_any(ignore, rule, findings))
                {
                    let path = self
                        .lock(rule.code.0, ignore)
                        .map(|lock| lock.path.to_owned());
                    let fault = fault(word, SuppressionWhy::Locked, path.unwrap_or_default());
                    faults.push(fault);
                }
                if rules.is_empty() {
                    continue;
                }
                let used = suppress(ignore, &rules, findings);
                let may_be_needed = rules.iter().any(|rule| self.silent.contains(rule.code.0))
                    || ignore.covers.includes_others();
                if !used && !may_be_needed {
                    faults.push(fault(word, SuppressionWhy::Unused, String::new()));
                }
            }
        }
        faults
    }

    /// What keeps a suppression from a rule.
    fn lock(&self, code: &str, ignore: &Ignore) -> Option<&Lock> {
        let lock = self.locks.get(code)?;
        (!lock.yields_to(ignore.depth)).then_some(lock)
    }
}

/// Whether the suppression covers a finding of the rule.
fn covers_any(ignore: &Ignore, rule: &Rule, findings: &[Finding]) -> bool {
    let mut of_rule = findings.iter().filter(|f| *rule.code == *f.code);
    of_rule.any(|finding| places(finding).any(|(path, place)| ignore.covers(path, place)))
}

/// Marks the findings of these rules that the suppression covers; whether there are any.
fn suppress(ignore: &Ignore, rules: &[&'static Rule], findings: &mut [Finding]) -> bool {
    let mut used = false;
    for finding in findings {
        let of_rule = rules.iter().any(|rule| *rule.code == *finding.code);
        if !of_rule || !places(finding).any(|(path, place)| ignore.covers(path, place)) {
            continue;
        }
        used = true;
        finding.suppressed.get_or_insert_with(|| Suppressed {
            by: ignore.by,
            reason: ignore.reason.clone(),
        });
    }
    used
}

/// Where a suppression of the finding may stand: at its place, at its cause, or at the command in another file.
fn places(finding: &Finding) -> impl Iterator<Item = (&str, Place)> {
    let others = finding.related.iter().enumerate();
    let others = others.filter(|(at, related)| match related.role {
        Role::Cause => *at == 0,
        role => role == Role::RunsHere,
    });
    std::iter::once((&*finding.path, finding.span))
        .chain(others.map(|(_, related)| (&*related.path, related.span)))
}

impl Ignore {
    fn covers(&self, path: &str, place: Place) -> bool {
        match &self.covers {
            Covers::Part(part) | Covers::Shared(part) => {
                path == self.path && !part.is_empty() && part.contains(place.span())
            }
            Covers::File => path == self.path,
            Covers::Paths { paths, .. } => paths.contains(path),
        }
    }
}

impl Covers {
    fn includes_others(&self) -> bool {
        matches!(
            self,
            Self::Shared(_)
                | Self::Paths {
                    and_others: true,
                    ..
                }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::builtin;
    use super::*;
    use crate::facts::{SuppressedBy, sample};
    use crate::rules::{Policy, RuleSet};
    use crate::span::Span;
    use SuppressionWhy::{Expired, Locked, NoReason, UnknownRule, Unused};

    /// KIMG105 at line 3, with its cause in line 2.
    fn findings() -> Vec<Finding> {
        let findings = RuleSet::new(builtin())
            .judge(&sample::facts(), Policy::default())
            .unwrap();
        let of_rule = findings.into_iter().filter(|f| f.code == "KIMG105");
        of_rule.collect()
    }

    fn line(number: usize) -> Covers {
        let start: usize = sample::TEXT
            .lines()
            .take(number - 1)
            .map(|l| l.len() + 1)
            .sum();
        let length = sample::TEXT.lines().nth(number - 1).unwrap().len();
        Covers::Part(Span::new(start, start + length))
    }

    fn ignore(word: &str, covers: Covers) -> Ignore {
        Ignore {
            rules: vec![(word.to_owned(), Place::default())],
            path: sample::PATH.to_owned(),
            covers,
            reason: "because".to_owned(),
            until: None,
            by: SuppressedBy::Comment,
            depth: None,
        }
    }

    fn apply(ignores: &[Ignore], silent: &HashSet<&'static str>) -> (usize, Vec<SuppressionWhy>) {
        apply_locked(ignores, silent, &HashMap::new())
    }

    fn apply_locked(
        ignores: &[Ignore],
        silent: &HashSet<&'static str>,
        locks: &HashMap<&'static str, Lock>,
    ) -> (usize, Vec<SuppressionWhy>) {
        let rules: Vec<_> = builtin().iter().collect();
        let suppressing = Suppressing {
            rules: &rules,
            silent,
            locks,
            require_reason: true,
            today: "2026-11-30".parse().unwrap(),
        };
        let mut findings = findings();
        assert_eq!(findings.len(), 1);
        let faults = suppressing.apply(ignores, &mut findings);
        let suppressed = findings.iter().filter(|f| f.suppressed.is_some());
        (suppressed.count(), faults.iter().map(|f| f.why).collect())
    }

    #[test]
    fn a_suppression_works_at_the_place_or_at_the_cause() {
        let paths = |path: &str, and_others| Covers::Paths {
            paths: [path.to_owned()].into(),
            and_others,
        };
        for (word, covers, expected) in [
            ("KIMG105", line(3), (1, vec![])),
            ("KIMG105", line(2), (1, vec![])),
            ("KIMG105", line(1), (0, vec![Unused])),
            ("arch-list-malformed", Covers::File, (1, vec![])),
            ("1xx", Covers::File, (1, vec![])),
            ("KIMG101", Covers::File, (0, vec![Unused])),
            ("KIMG1005", Covers::File, (0, vec![UnknownRule])),
            ("KIMG105", paths("Dockerfile", true), (1, vec![])),
            ("KIMG105", paths("other", true), (0, vec![])),
            ("KIMG105", paths("other", false), (0, vec![Unused])),
        ] {
            let shown = format!("{word} {covers:?}");
            let got = apply(&[ignore(word, covers)], &HashSet::new());
            assert_eq!(got, expected, "{shown}");
        }
    }

    #[test]
    fn reasons_and_days() {
        let with = |reason: &str, until: &str| Ignore {
            reason: reason.to_owned(),
            until: until.parse().ok(),
            ..ignore("KIMG105", Covers::File)
        };
        for (ignore, expected) in [
            (with("because", ""), (1, vec![])),
            (with("because", "2026-11-30"), (1, vec![])),
            (with("because", "2026-11-29"), (0, vec![Expired])),
            (with("", "2026-11-29"), (0, vec![Expired])),
            (with("", ""), (1, vec![NoReason])),
        ] {
            assert_eq!(apply(&[ignore], &HashSet::new()), expected);
        }
    }

    #[test]
    fn what_cannot_speak_now_may_need_its_suppression_later() {
        let one = ignore("KIMG101", Covers::File);
        assert_eq!(apply(&[one], &HashSet::from(["KIMG101"])), (0, vec![]));
    }

    #[test]
    fn a_locked_rule_is_suppressed_by_its_owner_only() {
        let lock = Lock {
            depth: 1,
            path: ".kimg-lint.yaml",
        };
        let locks = HashMap::from([("KIMG105", lock)]);
        for (depth, word, expected) in [
            (None, "KIMG105", (0, vec![Locked])),
            (Some(0), "KIMG105", (0, vec![Locked])),
            (Some(1), "KIMG105", (1, vec![])),
            (Some(2), "KIMG105", (1, vec![])),
            (None, "1xx", (0, vec![Locked, Unused])),
        ] {
            let ignore = Ignore {
                depth,
                ..ignore(word, Covers::File)
            };
            let got = apply_locked(&[ignore], &HashSet::new(), &locks);
            assert_eq!(got, expected, "{depth:?} {word}");
        }
    }

    #[test]
    fn two_suppressions_of_one_finding_are_both_needed() {
        let both = [ignore("KIMG105", line(2)), ignore("KIMG105", line(3))];
        assert_eq!(apply(&both, &HashSet::new()), (1, vec![]));
    }
}
