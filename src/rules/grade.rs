//! Severity follows harm, and certainty limits it.
use super::policy::Policy;
use crate::facts::{Compiles, Confidence, Severity};

/// The severity of a finding whose rule asks for `harm`; `None`: the policy wants no such finding.
///
/// A rule's rows know the harm, and that a list which somebody wrote and which does not work is never below a warning.
/// The limits win over both: nobody can say that a list fails in a build that may not compile at all.
pub fn grade(
    harm: Severity,
    confidence: Confidence,
    compiles: Compiles,
    policy: Policy,
) -> Option<Severity> {
    let sure = match confidence {
        Confidence::Certain => harm,
        Confidence::Likely => harm.min(Severity::Warning),
    };
    match compiles {
        Compiles::Maybe => policy.maybe.map(|limit| sure.min(limit)),
        Compiles::Yes | Compiles::No => Some(sure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Compiles::{Maybe, No, Yes};
    use Confidence::{Certain, Likely};
    use Severity::{Error, Info, Warning};

    #[test]
    fn certainty_limits_harm() {
        let limits = [None, Some(Info), Some(Warning)];
        //  harm, confidence, compiles, with `maybe: off`, `info`, `warning`
        let table = [
            (Error, Certain, Yes, [Some(Error); 3]),
            (Error, Likely, Yes, [Some(Warning); 3]),
            (Warning, Likely, Yes, [Some(Warning); 3]),
            (Info, Likely, Yes, [Some(Info); 3]),
            (Error, Certain, Maybe, [None, Some(Info), Some(Warning)]),
            (Error, Likely, Maybe, [None, Some(Info), Some(Warning)]),
            (Warning, Certain, Maybe, [None, Some(Info), Some(Warning)]),
            (Info, Certain, Maybe, [None, Some(Info), Some(Info)]),
            (Error, Certain, No, [Some(Error); 3]),
            (Warning, Likely, No, [Some(Warning); 3]),
        ];
        for (harm, confidence, compiles, expected) in table {
            for (maybe, expected) in limits.into_iter().zip(expected) {
                let graded = grade(
                    harm,
                    confidence,
                    compiles,
                    Policy {
                        maybe,
                        ..Policy::default()
                    },
                );
                assert_eq!(
                    graded, expected,
                    "{harm:?} {confidence:?} {compiles:?} {maybe:?}"
                );
            }
        }
    }
}
