//! Rules about the toolchain, files and settings, and the order in which all findings come.
use super::*;

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
fn built_files_have_rules_of_their_own() {
    let facts = Facts {
        artifacts: vec![sample::artifact()],
        ..Facts::default()
    };
    let findings = RuleSet::new(builtin())
        .judge(&facts, Policy::default())
        .unwrap();
    let found: Vec<_> = findings.iter().map(|f| (&*f.code, &*f.message)).collect();
    assert_eq!(
        found,
        [
            (
                "KIMG401",
                "demo/lib.so has nothing that runs on NVIDIA L4 (8.9): nothing runs there"
            ),
            (
                "KIMG404",
                "the file has no device code for any GPU, though its version says +cu124"
            ),
            (
                "KIMG405",
                "demo/lib.so is not what Dockerfile:2 declares: sm_80 missing; compute_90 not declared"
            ),
            (
                "KIMG407",
                "demo/lib.so is for x86-64, its package for aarch64"
            ),
            (
                "KIMG408",
                "demo/lib.so: the file ends in an entry's header (at byte 16)"
            ),
            (
                "KIMG409",
                "demo/lib.so is not started on NVIDIA H100 (9.0): it says NVIDIA_REQUIRE_CUDA=cuda>=12.4"
            ),
        ]
    );
    for (verdict, code) in [
        (Verdict::Jit, Some("KIMG402")),
        (Verdict::Partial, Some("KIMG403")),
        (Verdict::Blocked, Some("KIMG406")),
        (Verdict::Native, None),
        (Verdict::Unknown, Some("KIMG403")),
    ] {
        let mut artifact = sample::artifact();
        artifact.verdicts[0].verdict = verdict;
        let facts = Facts {
            artifacts: vec![Artifact {
                errors: Vec::new(),
                shut_out: Vec::new(),
                declared: None,
                host_promised: String::new(),
                vendor: String::new(),
                device_code_promised: String::new(),
                ..artifact
            }],
            ..Facts::default()
        };
        let findings = RuleSet::new(builtin())
            .judge(&facts, Policy::default())
            .unwrap();
        let codes: Vec<_> = findings.iter().map(|f| &*f.code).collect();
        assert_eq!(codes, Vec::from_iter(code), "{verdict:?}");
    }
}

#[test]
fn facts_about_files_and_settings_have_findings_too() {
    let facts = Facts {
        builds: Vec::new(),
        artifacts: Vec::new(),
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
                "no rule is called `KIMG1001`, so nothing is suppressed here"
            ),
            (
                "Dockerfile",
                2,
                "KIMG307",
                "TORCH_CUDA_ARCH_LIST changes nothing here: torch 2.6.0 is installed prebuilt"
            ),
            ("Dockerfile", 3, "KIMG002", "the quote is never closed"),
            (
                "Dockerfile",
                3,
                "KIMG206",
                "the public wheel of torch 2.6.0 for cu124 has no code for Tesla T4 (7.5): it holds sm_80 and compute_90, and PTX runs on no older GPU"
            ),
            (
                "GPU 0",
                1,
                "KIMG503",
                "NVIDIA L4: kimg-lint's kernel as machine code: 3 of 10007 values are wrong"
            ),
            (
                "GPU 0",
                1,
                "KIMG505",
                "NVIDIA L4 does not work: cuInit answers 999"
            ),
            (
                "GPU 0",
                1,
                "KIMG506",
                "NVIDIA L4: the driver does not compile PTX of lib.so: the driver does not know PTX of this version"
            ),
            (
                "gone/Dockerfile",
                1,
                "KIMG001",
                "cannot be read: no such file"
            ),
            (
                "lib.so",
                1,
                "KIMG501",
                "demo/lib.so: the driver finds no kernel image for NVIDIA L4 (8.9) in 1 of 4 containers, perhaps on purpose: others are for this GPU alone"
            ),
            (
                "lib.so",
                1,
                "KIMG502",
                "demo/lib.so: kimg-lint predicts `native` for sm_80 compute_80 at byte 4096 on NVIDIA L4 (8.9), and the driver says: 209 (no kernel image for this GPU)"
            ),
            (
                "python3",
                1,
                "KIMG504",
                "cuLibraryGetKernel failed with 209 (CUDA_ERROR_NO_BINARY_FOR_GPU) for kernel _Z5probePf; it exited with status 0, as if nothing had happened"
            ),
        ]
    );
}
