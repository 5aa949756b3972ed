//! What the built-in rules say about facts.
mod list;
mod others;
mod texts;

use super::*;
use crate::facts::*;
use crate::span::Place;

/// A build with nothing wrong.
fn fine() -> Build {
    Build {
        arch: Arch {
            images: vec!["sm_80".into(), "compute_90".into()],
            sass_only: false,
            ..sample::build().arch
        },
        worlds: Vec::new(),
        diagnosis: Diagnosis::Ok,
        faults: Vec::new(),
        lost: Vec::new(),
        outcome: Outcome::List,
        switch: None,
        too_new_for_toolkit: Vec::new(),
        dropped_by_toolkit: Vec::new(),
        fit: Fit::default(),
        fleet: FleetFit::default(),
        drifts: Vec::new(),
        comparisons: Vec::new(),
        unproven: false,
        ..sample::build()
    }
}

fn build(diagnosis: Diagnosis, outcome: Outcome) -> Build {
    Build {
        diagnosis,
        outcome,
        ..fine()
    }
}

fn lost(why: LostWhy, line: u32) -> Lost {
    Lost {
        why,
        span: Place {
            offset: 100 * line,
            line,
            ..Place::default()
        },
        ..sample::build().lost[0].clone()
    }
}

fn judge(builds: impl IntoIterator<Item = Build>) -> Vec<Finding> {
    let facts = Facts {
        builds: builds.into_iter().collect(),
        ..Facts::default()
    };
    RuleSet::new(builtin())
        .judge(&facts, Policy::default())
        .unwrap()
}

/// `KIMG101 error` and so on.
fn said(findings: &[Finding]) -> Vec<String> {
    let word = |severity| format!("{severity:?}").to_lowercase();
    findings
        .iter()
        .map(|f| format!("{} {}", f.code, word(f.severity)))
        .collect()
}
