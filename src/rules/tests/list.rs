//! Rules about the list: how bad, and which of them speaks.
use super::*;

#[test]
fn a_build_with_nothing_wrong_is_quiet() {
    assert_eq!(said(&judge([fine()])), [""; 0]);
}

#[test]
fn a_finding_about_the_list_is_as_bad_as_what_happens() {
    use Diagnosis::*;
    use Outcome::{CompilerDefault, CpuOnly, Error, Fixed, List, Unknown, VisibleGpu};
    let outcomes = [
        Error,
        CpuOnly,
        VisibleGpu,
        CompilerDefault,
        Fixed,
        List,
        Unknown,
    ];
    //  diagnosis, the lost setting, code, severity for each outcome
    let table = [
        (
            Missing,
            None,
            "101",
            "error error error warning info info info",
        ),
        (
            Late,
            Some(LostWhy::Late),
            "102",
            "error error error warning warning warning warning",
        ),
        (
            Lost,
            Some(LostWhy::NotExported),
            "103",
            "error error error warning warning warning warning",
        ),
        (
            Lost,
            Some(LostWhy::GlobalArg),
            "103",
            "error error error warning warning warning warning",
        ),
        (
            Ignored,
            Some(LostWhy::NotRead),
            "104",
            "error error error warning warning warning warning",
        ),
        (
            Ignored,
            Some(LostWhy::Overridden),
            "104",
            "error error error warning warning warning warning",
        ),
        (
            Malformed,
            None,
            "105",
            "error error error warning warning warning warning",
        ),
        (
            Empty,
            None,
            "106",
            "error error error warning info info info",
        ),
        (
            Native,
            None,
            "107",
            "error error warning warning warning warning warning",
        ),
        (
            Undecidable,
            None,
            "004",
            "info info info info info info info",
        ),
    ];
    for (diagnosis, why, code, severities) in table {
        for (outcome, severity) in outcomes.into_iter().zip(severities.split(' ')) {
            let build = Build {
                lost: why.map(|why| lost(why, 2)).into_iter().collect(),
                ..build(diagnosis, outcome)
            };
            assert_eq!(
                said(&judge([build])),
                [format!("KIMG{code} {severity}")],
                "{diagnosis:?} {outcome:?}"
            );
        }
    }
}

#[test]
fn native_on_a_gpu_runner_is_an_intent() {
    let build = Build {
        gpu_visible: Known::Yes,
        ..build(Diagnosis::Native, Outcome::VisibleGpu)
    };
    assert_eq!(said(&judge([build])), ["KIMG107 info"]);
}

#[test]
fn what_may_not_compile_or_may_not_hold_is_said_softly() {
    let missing = build(Diagnosis::Missing, Outcome::Error);
    for (compiles, confidence, expected) in [
        (Compiles::Yes, Confidence::Certain, vec!["KIMG101 error"]),
        (Compiles::Yes, Confidence::Likely, vec!["KIMG101 warning"]),
        (Compiles::Maybe, Confidence::Certain, vec!["KIMG101 info"]),
        (Compiles::Maybe, Confidence::Likely, vec!["KIMG101 info"]),
        (Compiles::No, Confidence::Certain, vec![]),
    ] {
        let build = Build {
            compiles,
            confidence,
            ..missing.clone()
        };
        let findings = judge([build]);
        assert_eq!(said(&findings), expected, "{compiles:?} {confidence:?}");
        let certain = (compiles, confidence) == (Compiles::Yes, Confidence::Certain);
        assert!(
            findings
                .iter()
                .all(|f| (f.confidence == Confidence::Certain) == certain)
        );
    }
}

#[test]
fn one_finding_about_the_list_and_the_others_as_notes() {
    let build = Build {
        lost: vec![
            lost(LostWhy::Late, 7),
            lost(LostWhy::NotExported, 5),
            lost(LostWhy::OtherStage, 6),
        ],
        ..build(Diagnosis::Lost, Outcome::Error)
    };
    let findings = judge([build]);
    assert_eq!(said(&findings), ["KIMG103 error"]);
    let notes: Vec<_> = findings[0]
        .related
        .iter()
        .map(|r| (r.role, r.span.line))
        .collect();
    assert_eq!(
        notes,
        [(Role::Cause, 5), (Role::SetHere, 7), (Role::SetHere, 6)]
    );
}

#[test]
fn the_list_around_a_bad_token_is_not_shown_again() {
    let malformed = Build {
        faults: sample::build().faults,
        ..build(Diagnosis::Malformed, Outcome::Error)
    };
    let findings = judge([malformed]);
    assert_eq!(said(&findings), ["KIMG105 error"]);
    let roles: Vec<_> = findings[0].related.iter().map(|r| r.role).collect();
    assert_eq!(roles, [Role::Cause]);
}

#[test]
fn a_lost_list_without_a_place_is_still_said() {
    for diagnosis in [Diagnosis::Late, Diagnosis::Lost, Diagnosis::Ignored] {
        assert_eq!(
            said(&judge([build(diagnosis, Outcome::Error)])),
            ["KIMG101 error"]
        );
    }
}

#[test]
fn a_missing_switch_takes_the_place_of_a_missing_list() {
    let switch = sample::build().switch;
    for (diagnosis, outcome, switch, expected) in [
        (
            Diagnosis::Missing,
            Outcome::CpuOnly,
            switch.clone(),
            vec!["KIMG304 error"],
        ),
        (
            Diagnosis::Missing,
            Outcome::CpuOnly,
            None,
            vec!["KIMG101 error"],
        ),
        (
            Diagnosis::Ok,
            Outcome::CpuOnly,
            switch.clone(),
            vec!["KIMG304 error"],
        ),
        (
            Diagnosis::Malformed,
            Outcome::CpuOnly,
            switch.clone(),
            vec!["KIMG105 error", "KIMG304 error"],
        ),
        (
            Diagnosis::Missing,
            Outcome::Error,
            switch,
            vec!["KIMG101 error"],
        ),
    ] {
        let build = Build {
            switch,
            ..build(diagnosis, outcome)
        };
        assert_eq!(said(&judge([build])), expected, "{diagnosis:?} {outcome:?}");
    }
}

#[test]
fn a_list_without_ptx_is_said_once_for_each_list() {
    let list = |images: &[&str], source, set_line| {
        let mut build = fine();
        build.arch.images = images.iter().map(|&image| image.into()).collect();
        build.arch.sass_only = images == ["sm_80"];
        build.arch.source = source;
        build
            .arch
            .set_at
            .as_mut()
            .unwrap()
            .span
            .as_mut()
            .unwrap()
            .line = set_line;
        build
    };
    let explicit = ArchSource::Explicit;
    assert_eq!(
        said(&judge([
            list(&["sm_80"], explicit, 2),
            list(&["sm_80"], explicit, 2)
        ])),
        ["KIMG204 info"]
    );
    assert_eq!(
        judge([list(&["sm_80"], explicit, 2), list(&["sm_80"], explicit, 3)]).len(),
        2
    );
    for quiet in [
        list(&["sm_80", "compute_80"], explicit, 2),
        list(&[], explicit, 2),
        list(&["sm_80"], ArchSource::Preset, 2),
    ] {
        assert_eq!(said(&judge([quiet])), [""; 0]);
    }
}
