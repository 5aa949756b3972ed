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
            policy: Policy::default(),
            require_reason: false,
        }
    }
}

impl Settings {
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
        let rules = RuleSet::new(self.rules.iter().copied()).with_levels(&self.levels);
        let mut findings = rules.judge(facts, self.policy)?;
        let suppressing = Suppressing {
            rules: &self.rules,
            silent: &self.silent(fleet),
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

    /// The rules that cannot speak now.
    fn silent(&self, fleet: bool) -> HashSet<&'static str> {
        let rules = self.rules.iter();
        let silent = rules.filter(|rule| {
            self.levels.get(rule.code.0) == Some(&Level::Off) || (!fleet && rule.needs_fleet())
        });
        silent.map(|rule| rule.code.0).collect()
    }
}
