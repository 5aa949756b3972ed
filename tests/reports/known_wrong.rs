//! Reports with the right answer, which today is not given.
use crate::case::{Case, KnownWrong};
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[KnownWrong] = &[
    KnownWrong {
        case: Case {
            name: "proteneer/timemachine#1130: the same for a tree that nobody knows",
            text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ARG SM
ENV CMAKE_ARGS="-DCUDA_ARCH:STRING=${SM}"
COPY . /src
RUN pip install /src
"#,
            says: &[("KIMG004", Info, 5)],
            quiet: &[],
        },
        fault: "CMAKE_ARGS with an arch define is evidence of CUDA in a tree that nobody knows",
    },
    KnownWrong {
        case: Case {
            name: "kserve/kserve#4565: kernels are compiled when they are needed, where no nvcc is",
            text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS site
RUN pip install flashinfer-python
FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
COPY --from=site /usr/local/lib/python3.10 /usr/local/lib/python3.10
",
            says: &[("KIMG308", Warning, 2)],
            quiet: &[],
        },
        fault: "what is copied from a stage is not followed into the stage that runs it",
    },
    KnownWrong {
        case: Case {
            name: "Comfy-Org/ComfyUI#16438: the same without a version",
            text: r"# fleet: P40, RTX 4090
FROM python:3.12-slim
RUN pip install torch --extra-index-url https://download.pytorch.org/whl/cu130
",
            says: &[("KIMG206", Warning, 3)],
            quiet: &[],
        },
        fault: "no torch for CUDA 13 has code for 6.1, whatever its version",
    },
    KnownWrong {
        case: Case {
            name: "PrateekMunjal/TorchAL#4: a wheel that is older than the GPU",
            text: r"# fleet: A100
FROM python:3.8
RUN pip install torch==1.6.0
",
            says: &[("KIMG206", Error, 3)],
            quiet: &[],
        },
        fault: "the table of wheels does not go back to 1.6",
    },
];
