//! What the built-in rules say about facts.
use super::check::is_word;
use super::*;
use crate::facts::*;
use crate::span::Place;

/// A build with nothing wrong.
fn fine() -> Build {
    Build {
        arch: Arch {
            images: vec!["sm_80".into(), "compute_90".into()],
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
fn the_toolchain_has_rules_of_its_own() {
    let all = sample::build();
    let fit = |fit| Build { fit, ..fine() };
    let table = [
        (
            "KIMG301 error",
            Build {
                too_new_for_toolkit: all.too_new_for_toolkit,
                ..fine()
            },
        ),
        (
            "KIMG302 error",
            Build {
                dropped_by_toolkit: all.dropped_by_toolkit,
                ..fine()
            },
        ),
        (
            "KIMG303 error",
            Build {
                nvcc: Known::No,
                ..fine()
            },
        ),
        (
            "KIMG305 error",
            fit(Fit {
                torch_seen: TorchSeen::None,
                ..Fit::default()
            }),
        ),
        (
            "KIMG305 warning",
            fit(Fit {
                torch_seen: TorchSeen::Other,
                ..Fit::default()
            }),
        ),
        (
            "KIMG308 warning",
            fit(Fit {
                runtime_compiler: RuntimeCompiler::Missing,
                ..Fit::default()
            }),
        ),
        (
            "KIMG308 warning",
            fit(Fit {
                runtime_compiler: RuntimeCompiler::TooOld,
                ..Fit::default()
            }),
        ),
        (
            "KIMG310 error",
            fit(Fit {
                cuda_match: CudaMatch::Major,
                ..Fit::default()
            }),
        ),
        (
            "KIMG310 error",
            fit(Fit {
                cuda_match: CudaMatch::MinorRefused,
                ..Fit::default()
            }),
        ),
        (
            "KIMG310 info",
            fit(Fit {
                cuda_match: CudaMatch::Minor,
                ..Fit::default()
            }),
        ),
    ];
    for (expected, build) in table {
        assert_eq!(said(&judge([build])), [expected]);
    }
}

#[test]
fn a_list_without_ptx_is_said_once_for_each_list() {
    let list = |images: &[&str], source, set_line| {
        let mut build = fine();
        build.arch.images = images.iter().map(|&image| image.into()).collect();
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

#[test]
fn findings_that_differ_only_in_their_worlds_are_one() {
    let in_world = |world: &str| Build {
        worlds: vec![world.into()],
        ..build(Diagnosis::Missing, Outcome::Error)
    };
    let findings = judge([in_world("cuda=12.4"), in_world("cuda=11.8")]);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].worlds, ["cuda=11.8", "cuda=12.4"]);
    let other = Build {
        outcome_text: "something else happens".into(),
        ..in_world("cuda=13.0")
    };
    assert_eq!(judge([in_world("cuda=12.4"), other]).len(), 2);
}

#[test]
fn findings_come_in_the_order_of_their_places() {
    let at = |path: &str, line| {
        let mut build = build(Diagnosis::Missing, Outcome::Error);
        build.path = path.into();
        build.span.line = line;
        build.nvcc = Known::No;
        build
    };
    let findings = judge([at("b", 1), at("a", 9), at("a", 2)]);
    let order: Vec<_> = findings
        .iter()
        .map(|f| format!("{}:{} {}", f.path, f.span.line, f.code))
        .collect();
    assert_eq!(
        order,
        [
            "a:2 KIMG101",
            "a:2 KIMG303",
            "a:9 KIMG101",
            "a:9 KIMG303",
            "b:1 KIMG101",
            "b:1 KIMG303"
        ]
    );
}

#[test]
fn facts_about_files_and_settings_have_findings_too() {
    let facts = Facts {
        builds: Vec::new(),
        ..sample::facts()
    };
    let findings = RuleSet::new(builtin())
        .judge(&facts, Policy::default())
        .unwrap();
    let found: Vec<_> = findings
        .iter()
        .map(|f| (&*f.path, f.span.line, &*f.code, &*f.message))
        .collect();
    assert_eq!(
        found,
        [
            (
                "Dockerfile",
                1,
                "KIMG003",
                "nothing is left here that `KIMG101` says: the suppression is not needed"
            ),
            (
                "Dockerfile",
                2,
                "KIMG307",
                "TORCH_CUDA_ARCH_LIST changes nothing here: torch 2.6.0 is installed prebuilt"
            ),
            ("Dockerfile", 3, "KIMG002", "the quote is never closed"),
            (
                "gone/Dockerfile",
                1,
                "KIMG001",
                "cannot be read: no such file"
            ),
        ]
    );
}

#[test]
fn no_rule_fails_on_what_is_absent() {
    let bare = |diagnosis| Build {
        because: String::new(),
        arch: Arch::default(),
        suggest: String::new(),
        toolkit: Tool::default(),
        torch: Tool::default(),
        nvcc: Known::No,
        coverage: Vec::new(),
        ..build(diagnosis, Outcome::Error)
    };
    use Diagnosis::*;
    let all = [
        Ok,
        Malformed,
        Empty,
        Native,
        Ignored,
        Lost,
        Late,
        Missing,
        Undecidable,
    ];
    for finding in judge(all.map(bare)) {
        for text in [&finding.message, &finding.help] {
            assert!(
                !text.contains("``") && !text.contains("  "),
                "{}: {text}",
                finding.code
            );
        }
    }
}

/// A word that no vocabulary has would compare with nothing, without a word.
#[test]
fn conditions_compare_with_words_that_exist() {
    /// Texts that are no words of a vocabulary.
    const OTHER: [&str; 4] = ["compute_", " ", ", ", "token"];
    for rule in builtin() {
        let rows = rule
            .severity
            .iter()
            .filter_map(|row| row.get().map(|(_, when)| when));
        let conditions = rows.chain([rule.when]).map(|text| text.0);
        let templates = [Some(rule.message), rule.help].into_iter().flatten();
        let templates = templates
            .flat_map(|text| text.0.split(['{', '}']))
            .filter(|part| part.starts_with('%'));
        for text in conditions.chain(templates) {
            for word in text.split('"').skip(1).step_by(2) {
                assert!(
                    OTHER.contains(&word) || is_known(word),
                    "{}: `{word}` in {text}",
                    rule.code
                );
            }
        }
    }
}

fn is_known(word: &str) -> bool {
    let vocabularies = [
        is_word::<Outcome>,
        is_word::<Compiles>,
        is_word::<Known>,
        is_word::<ArchSource>,
        is_word::<SetHow>,
        is_word::<LostWhy>,
        is_word::<FaultKind>,
        is_word::<Diagnosis>,
        is_word::<TorchSeen>,
        is_word::<CudaMatch>,
        is_word::<RuntimeCompiler>,
        is_word::<SuppressionWhy>,
    ];
    vocabularies.iter().any(|has| has(word))
}
