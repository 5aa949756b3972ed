//! One fact of each kind with every field filled: the schema by example.
//!
//! The names that rules may use are those that these facts have. The literals leave nothing out, so that a field
//! which is added to a fact has to be added here too.
use super::*;
use crate::cuda::ImageKind;
use crate::span::Place;

/// `builds`, `settings`, …: one of each.
pub fn facts() -> Facts {
    Facts {
        builds: vec![build()],
        settings: vec![setting()],
        installs: vec![install()],
        images: vec![image()],
        artifacts: vec![artifact()],
        probes: vec![probe()],
        programs: vec![program()],
        inputs: vec![input()],
        unreadable: vec![unreadable()],
        ignores: Vec::new(),
        suppressions: vec![suppression()],
        callers: Vec::new(),
        texts: BTreeMap::from([(PATH.to_owned(), TEXT.to_owned())]),
    }
}

/// The path of the sample file.
pub const PATH: &str = "Dockerfile";

/// The text that the sample facts point into.
pub const TEXT: &str = "\
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST=\"8.0,9.0\"
RUN pip install --no-build-isolation ./ext
";

/// The place of `words` in [`TEXT`].
fn place(words: &str) -> Place {
    let start = TEXT.find(words).unwrap_or_default();
    crate::span::Lines::new(TEXT).place(crate::span::Span::new(start, start + words.len()))
}

/// A build with a malformed list, a lost one and everything else that can be wrong.
pub fn build() -> Build {
    Build {
        builder: "torch-ext".into(),
        title: "PyTorch CUDA extension".into(),
        of_any_project: true,
        confidence: Confidence::Certain,
        command: "pip install --no-build-isolation ./ext".into(),
        path: PATH.into(),
        span: place("pip install --no-build-isolation ./ext"),
        instruction: place("RUN pip install --no-build-isolation ./ext"),
        shell: ShellSyntax::Pwsh,
        scope: "stage 0".into(),
        through: Vec::new(),
        worlds: vec!["cuda=12.4".into()],
        compiles: Compiles::Yes,
        because: "setup.py holds a CUDAExtension".into(),
        arch: Arch {
            source: ArchSource::Explicit,
            knob: "TORCH_CUDA_ARCH_LIST".into(),
            text: "8.0,9.0".into(),
            rewritten: "120 into 120a".into(),
            sass_only: true,
            images: vec!["sm_80".into(), "compute_90".into()],
            set_at: Some(SetAt {
                how: SetHow::Env,
                path: PATH.into(),
                span: Some(place("TORCH_CUDA_ARCH_LIST=\"8.0,9.0\"")),
            }),
            alternatives: vec![Alternative {
                text: "8.0".into(),
                images: vec!["sm_80".into()],
                when: "GPU is set".into(),
            }],
        },
        diagnosis: Diagnosis::Malformed,
        faults: vec![Fault {
            kind: FaultKind::Rejected,
            token: "8.0,9.0".into(),
            path: PATH.into(),
            span: Some(place("8.0,9.0")),
            reason: "torch separates architectures by a semicolon or a space".into(),
        }],
        lost: vec![Lost {
            name: "CUDAARCHS".into(),
            text: "80;90".into(),
            path: PATH.into(),
            span: place("TORCH_CUDA_ARCH_LIST"),
            how: SetHow::Env,
            why: LostWhy::NotRead,
            why_text: "torch does not read it".into(),
        }],
        outcome: Outcome::Error,
        outcome_text:
            "the build stops with ValueError: Unknown CUDA arch (8.0,9.0) or GPU not supported"
                .into(),
        switch: Some(Switch {
            name: "FORCE_CUDA".into(),
            value: "1".into(),
        }),
        cause: Some(Cause {
            path: PATH.into(),
            span: place("/src"),
            say: "these flags count".into(),
        }),
        comparisons: vec![Comparison {
            text: "9.0".into(),
            say: "its setup.py leaves the fast kernels out".into(),
            cause: Some(Cause {
                path: PATH.into(),
                span: place("/src"),
                say: "here the text is compared".into(),
            }),
        }],
        toolkit: tool("12.4", "nvidia/cuda:12.4.1-devel-ubuntu22.04"),
        torch: Tool {
            version: "2.6.0".into(),
            variant: "cu124".into(),
            from: "pip install torch".into(),
        },
        nvcc: Known::Yes,
        gpu_visible: Known::No,
        swallowed: true,
        coverage: vec![GpuCoverage {
            gpu: "NVIDIA L4".into(),
            capability: "8.9".into(),
            verdict: Verdict::Native,
            by: "sm_80".into(),
        }],
        fleet: fleet(),
        suggest: "ENV TORCH_CUDA_ARCH_LIST=\"8.0;9.0+PTX\"".into(),
        too_new_for_toolkit: vec![note("sm_120", "CUDA 12.8 is the first to know it")],
        dropped_by_toolkit: vec![note("sm_35", "CUDA 12.0 dropped it")],
        fit: Fit {
            torch_seen: TorchSeen::Other,
            cuda_match: CudaMatch::Major,
            runtime_compiler: RuntimeCompiler::Missing,
        },
        drifts: vec![Drift {
            text: "8.0;9.0;12.0".into(),
            at: SetAt {
                how: SetHow::ConfigEnv,
                path: PATH.into(),
                span: Some(place("TORCH_CUDA_ARCH_LIST")),
            },
            path: PATH.into(),
            only_there: vec!["sm_120".into()],
            confidence: Confidence::Likely,
        }],
        unproven: true,
    }
}

fn fleet() -> FleetFit {
    FleetFit {
        gaps: vec![FleetGap {
            kind: GapKind::Missing,
            gpus: vec!["Tesla T4".into()],
            gpus_text: "Tesla T4 (7.5)".into(),
            reason: "it holds sm_80 and compute_90, and PTX runs on no older GPU".into(),
            confidence: Confidence::Likely,
            elsewhere: true,
        }],
        spare: vec![note("sm_90", "no GPU of the fleet needs it")],
    }
}

fn note(token: &str, reason: &str) -> Note {
    Note {
        token: token.into(),
        reason: reason.into(),
        path: PATH.into(),
        span: Some(place("8.0,9.0")),
    }
}

fn tool(version: &str, from: &str) -> Tool {
    Tool {
        version: version.into(),
        variant: "devel".into(),
        from: from.into(),
    }
}

fn setting() -> Setting {
    Setting {
        name: "TORCH_CUDA_ARCH_LIST".into(),
        text: "8.0,9.0".into(),
        how: SetHow::Env,
        path: PATH.into(),
        span: place("TORCH_CUDA_ARCH_LIST=\"8.0,9.0\""),
        scope: "stage 0".into(),
        reader: Reader::Runtime,
        reader_text: "torch 2.6.0 is installed prebuilt".into(),
    }
}

fn install() -> Install {
    Install {
        name: "torch".into(),
        version: "2.6.0".into(),
        variant: "cu124".into(),
        path: PATH.into(),
        span: place("pip install --no-build-isolation ./ext"),
        confidence: Confidence::Likely,
        archs_full: vec!["sm_80".into()],
        archs_partial: vec!["sm_90a".into()],
        fleet: fleet(),
        suggest: "torch 2.8 for cu128".into(),
    }
}

fn image() -> BaseImage {
    BaseImage {
        reference: "nvidia/cuda:12.4.1-devel-ubuntu22.04".into(),
        toolkit: tool("12.4", "nvidia/cuda:12.4.1-devel-ubuntu22.04"),
        nvcc: Known::Yes,
        torch: tool("none", ""),
        path: PATH.into(),
        span: place("nvidia/cuda:12.4.1-devel-ubuntu22.04"),
        fleet: fleet(),
    }
}

fn input() -> Input {
    Input {
        path: PATH.into(),
        problems: vec![InputProblem {
            span: place("RUN"),
            message: "the quote is never closed".into(),
            kind: ProblemKind::Syntax,
        }],
    }
}

fn unreadable() -> Unreadable {
    Unreadable {
        path: "gone/Dockerfile".into(),
        reason: "no such file".into(),
    }
}

fn suppression() -> SuppressionFault {
    SuppressionFault {
        rule: "KIMG1001".into(),
        path: PATH.into(),
        span: place("FROM"),
        why: SuppressionWhy::UnknownRule,
        detail: "KIMG101".into(),
    }
}

/// A library of a wheel, with something of everything.
pub fn artifact() -> Artifact {
    let count = |kind, isa: Option<&str>| ImageCount {
        kind,
        arch: "sm_90a".into(),
        count: 2,
        bytes: 4096,
        ptx_isa: isa.map(Into::into),
    };
    Artifact {
        path: "demo-1.0-py3-none-linux_x86_64.whl".into(),
        member: "demo/lib.so".into(),
        layer: "blobs/sha256/0".into(),
        package: Some(PythonPackage {
            name: "demo".into(),
            version: "1.0".into(),
            own_list: "sm_80 sm_90".into(),
        }),
        kind: ArtifactKind::Elf,
        vendor: "cuBLAS".into(),
        host: "x86-64".into(),
        size: 26_192,
        images: vec![
            count(ImageKind::Sass, None),
            count(ImageKind::Ptx, Some("8.7")),
        ],
        containers: 2,
        outside_sections: vec![count(ImageKind::Sass, None)],
        coverage: vec![ArtifactCoverage {
            gpu: "NVIDIA L4".into(),
            capability: "8.9".into(),
            verdict: Verdict::Missing,
            by: "nothing".into(),
            native: 0,
            jit: 0,
            missing: 1,
            dispatch: 1,
            dispatch_served: 0,
            of: 2,
            kernels: Vec::new(),
            unnamed: 0,
        }],
        verdicts: vec![GpusByVerdict {
            verdict: Verdict::Missing,
            gpus: vec!["NVIDIA L4 (8.9)".into()],
            capabilities: vec!["8.9".into()],
            by: "nothing runs there".into(),
            jit: 0,
            missing: 1,
            counted: 1,
            kernels: vec![KernelGroup {
                name: "fill<…>".into(),
                count: 3,
            }],
            unnamed: 1,
        }],
        specific: true,
        all_native: true,
        declared: Some(Declared {
            missing: vec!["sm_80".into()],
            unexpected: vec!["compute_90".into()],
            by: Some(DeclaredBy {
                path: PATH.into(),
                span: place("ENV"),
                text: "8.0;9.0".into(),
            }),
        }),
        host_promised: "aarch64".into(),
        device_code_promised: "its version says +cu124".into(),
        requires: vec!["NVIDIA_REQUIRE_CUDA=cuda>=12.4".into()],
        shut_out: vec!["NVIDIA H100 (9.0)".into()],
        errors: vec![ArtifactProblem::at(
            16,
            "the file ends in an entry's header",
        )],
        notes: vec![ArtifactProblem::whole("no section headers")],
        sets: Vec::new(),
        outside: Vec::new(),
        listing: Vec::new(),
        record: None,
        states: String::new(),
        places: Vec::new(),
        unpacked: None,
    }
}

/// A GPU on which everything goes wrong that can.
pub fn probe() -> Probe {
    let run = |code| KernelRun {
        ok: false,
        load_code: Some(code),
        launch_code: Some(209),
        sync_code: Some(0),
        values: Values::Wrong,
        ms: 0.4,
        trouble: "3 of 10007 values are wrong".into(),
    };
    Probe {
        path: "GPU 0".into(),
        state: ProbeState::Unusable,
        reason: "cuInit answers 999".into(),
        required: true,
        gpu: "NVIDIA L4".into(),
        index: 0,
        uuid: "GPU-00000000-0000-0000-0000-000000000000".into(),
        capability: "8.9".into(),
        mode: "exclusive process".into(),
        driver: "580.159.04".into(),
        cuda: "13.0".into(),
        context_ms: Some(120.0),
        sass: Some(run(0)),
        ptx: Some(run(223)),
        stress: Some(StressRun {
            runs: 10,
            wrong_runs: 1,
            wrong_values: 3,
            ms: 12.5,
            trouble: "the process was ended by signal 11".into(),
        }),
        artifacts: vec![loaded()],
        blocked: vec![BlockedPtx {
            what: "lib.so".into(),
            code: 222,
            reason: "the driver does not know PTX of this version".into(),
            count: 1,
        }],
    }
}

fn loaded() -> LoadedArtifact {
    LoadedArtifact {
        gpu: "NVIDIA L4".into(),
        capability: "8.9".into(),
        path: "lib.so".into(),
        member: "demo/lib.so".into(),
        loaded: 4,
        agree: 2,
        of: 3,
        undecided: 1,
        skipped: 1,
        skipped_text: "1 is damaged".into(),
        missing: 1,
        dispatch: 1,
        excuse: "others are for this GPU alone".into(),
        disagree: vec![Disagreement {
            offset: 4096,
            images: "sm_80 compute_80".into(),
            verdict: Verdict::Native,
            driver_code: Some(209),
            driver: "209 (no kernel image for this GPU)".into(),
        }],
    }
}

fn program() -> Program {
    Program {
        path: "python3".into(),
        command: "python3 train.py".into(),
        status: Some(0),
        ended: "it exited with status 0".into(),
        watched: Known::Yes,
        driver: "580.159.04".into(),
        failures: vec![LoggedFailure {
            kind: FailureKind::NoImage,
            code: 209,
            name: "CUDA_ERROR_NO_BINARY_FOR_GPU".into(),
            function: "cuLibraryGetKernel".into(),
            kernel: "_Z5probePf".into(),
            count: 1,
        }],
    }
}
