//! Facts through all rules: judged, suppressed, in order.
use super::engine::{JudgeError, RuleSet};
use super::judged::by_place;
use super::load::builtin;
use super::policy::{Level, Policy};
use super::rule::Rule;
use super::suppress::Suppressing;
use crate::date::Date;
use crate::facts::{Facts, Finding};
use std::collections::{HashMap, HashSet};

/// How facts are judged.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The rules that exist, in order.
    pub rules: Vec<&'static Rule>,
    /// Rules whose findings have another severity than their files say, by code.
    pub levels: HashMap<&'static str, Level>,
    /// Rules that nearer files and comments can neither suppress nor lower, by code.
    pub locks: HashMap<&'static str, Lock>,
    /// What is allowed.
    pub policy: Policy,
    /// Every suppression needs a reason.
    pub require_reason: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rules: builtin().iter().collect(),
            levels: HashMap::new(),
            locks: HashMap::new(),
            policy: Policy::default(),
            require_reason: false,
        }
    }
}

/// What locks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    /// How far the configuration file is from the linted files: 0 for the nearest.
    pub depth: usize,
    /// The file.
    pub path: &'static str,
}

impl Lock {
    /// Whether what a file at this depth says holds nevertheless; a comment is nearer than all files.
    pub fn yields_to(&self, depth: Option<usize>) -> bool {
        depth.is_some_and(|depth| depth >= self.depth)
    }
}

impl Settings {
    /// Whether a configuration file at this depth may suppress findings of a rule.
    pub fn may_suppress(&self, code: &str, depth: usize) -> bool {
        let lock = self.locks.get(code);
        lock.is_none_or(|lock| lock.yields_to(Some(depth)))
    }

    /// The rules, ready to judge.
    pub fn rule_set(&self) -> RuleSet {
        RuleSet::new(self.rules.iter().copied()).with_levels(&self.levels)
    }

    /// What the rules say about the facts, with suppressed findings marked. What is wrong with suppressions is added to the
    /// facts and judged with them.
    ///
    /// `fleet`: whether the facts were learned with a fleet. `today` decides which suppressions still hold.
    ///
    /// # Errors
    /// A rule fails on a fact.
    pub fn judge(
        &self,
        facts: &mut Facts,
        fleet: bool,
        today: Date,
    ) -> Result<Vec<Finding>, JudgeError> {
        self.judge_with(&self.rule_set(), facts, fleet, today)
    }

    /// The same with a [`Settings::rule_set`] of its own: for judging many times.
    ///
    /// # Errors
    /// A rule fails on a fact.
    pub fn judge_with(
        &self,
        rules: &RuleSet,
        facts: &mut Facts,
        fleet: bool,
        today: Date,
    ) -> Result<Vec<Finding>, JudgeError> {
        // a job on a known GPU runner has a fleet of its own
        let of_builds = facts.builds.iter().map(|build| &build.fleet);
        let of_installs = facts.installs.iter().map(|install| &install.fleet);
        let mut fits = of_builds.chain(of_installs);
        let fleet = fleet || fits.any(|fit| !fit.gaps.is_empty());
        let mut findings = rules.judge(facts, self.policy)?;
        let suppressing = Suppressing {
            rules: &self.rules,
            silent: &self.silent(fleet),
            locks: &self.locks,
            require_reason: self.require_reason,
            today,
        };
        let found = Facts {
            suppressions: suppressing.apply(&facts.ignores, &mut findings),
            ..Facts::default()
        };
        findings.extend(rules.judge(&found, self.policy)?);
        facts.append(found);
        by_place(&mut findings);
        Ok(findings)
    }

    /// The rules that cannot speak now: switched off, or without a fleet to speak of.
    pub fn silent(&self, fleet: bool) -> HashSet<&'static str> {
        let rules = self.rules.iter();
        let silent = rules.filter(|rule| {
            self.levels.get(rule.code.0) == Some(&Level::Off) || (!fleet && rule.needs_fleet())
        });
        silent.map(|rule| rule.code.0).collect()
    }
}
