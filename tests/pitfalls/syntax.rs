//! Syntax that a reader of lines gets wrong.
use crate::case::Case;
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[Case] = &[
    Case {
        name: "heredocs, comments in a continuation, a command in a variable, ONBUILD",
        text: r#"# syntax=docker/dockerfile:1
ARG FLAVOR=devel
FROM nvidia/cuda:12.4.1-${FLAVOR}-ubuntu22.04 AS b
ENV LIST 8.0 9.0
RUN pip install torch==2.5.1
RUN --mount=type=cache,target=/root/.cache <<'EOF' bash -ex
export TORCH_CUDA_ARCH_LIST="8.0+PTX"
pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
EOF
RUN set -e; \
    # a comment in the middle

    TORCH_CUDA_ARCH_LIST="8.0+PTX" \
    MAX_JOBS=4 \
    pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN PIP="python3 -m pip install --no-build-isolation" && \
    $PIP git+https://github.com/nerfstudio-project/gsplat
ONBUILD RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG103", Error, 17)],
        quiet: &[8, 15],
    },
    Case {
        name: "a chain of stages, shells in shells",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel AS cu124
FROM cu124 AS cu12
FROM cu12 AS dev
RUN bash -c "TORCH_CUDA_ARCH_LIST=8.0+PTX pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat"
RUN bash -c 'pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat'
RUN scl enable gcc-toolset-12 "pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat"
"#,
        says: &[("KIMG101", Error, 5), ("KIMG101", Error, 6)],
        quiet: &[4],
    },
    Case {
        name: "a stage that an argument chooses",
        text: r"ARG VARIANT=gpu
FROM ubuntu:22.04 AS cpu
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel AS gpu
FROM ${VARIANT} AS final
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG101", Error, 5)],
        quiet: &[],
    },
    Case {
        name: "another shell for a while",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
SHELL ["pwsh", "-Command"]
RUN $env:TORCH_CUDA_ARCH_LIST = "8.0"; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
SHELL ["/bin/bash", "-c"]
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG005", Info, 3), ("KIMG101", Error, 5)],
        quiet: &[],
    },
    Case {
        name: "a Windows image",
        text: r"FROM mcr.microsoft.com/windows/servercore:ltsc2022
RUN set TORCH_CUDA_ARCH_LIST=8.0&& pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG005", Info, 2)],
        quiet: &[],
    },
    Case {
        name: "another escape character",
        text: r"# escape=`
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN set -e; `
    pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG101", Error, 4)],
        quiet: &[],
    },
    Case {
        name: "a value only where another is given",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ARG EXTRA
ARG ARCHS="8.0${EXTRA:+;$EXTRA}+PTX"
ENV TORCH_CUDA_ARCH_LIST=$ARCHS
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[5],
    },
    Case {
        name: "an argument that refers to itself",
        text: r"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ARG TORCH_CUDA_ARCH_LIST=${TORCH_CUDA_ARCH_LIST}
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG106", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "a template",
        text: r"FROM {{ base_image }}
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG004", Info, 2)],
        quiet: &[],
    },
    Case {
        name: "a part of a file",
        text: r"RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG002", Warning, 1), ("KIMG004", Info, 1)],
        quiet: &[],
    },
    Case {
        name: "front matter in comments, a directive that comes too late",
        text: r"# ---
# name: gsplat
# ---
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
# escape=`
RUN TORCH_CUDA_ARCH_LIST=8.7+PTX \
    pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[],
        quiet: &[8],
    },
];
