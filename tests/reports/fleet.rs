//! Reports that are answered for a fleet.
use crate::case::{Case, fault_with};
use kimg_lint::config::{Config, Layer};
use kimg_lint::facts::Severity::{Error, Info, Warning};
use std::path::Path;

/// How the answer to a case, for a fleet, differs from the right one.
pub fn fault((fleet, case): &(&str, Case)) -> Option<String> {
    let text = format!("fleet: {{ours: {fleet}}}");
    let layer = Layer::parse(".kimg-lint.yaml", Path::new("/repository"), &text).unwrap();
    fault_with(case, &Config::new(&[layer]).unwrap())
}

/// A fleet, and what is to be said for it.
pub const CASES: &[(&str, Case)] = &[
    (
        "{gpus: [Tesla P4, T4]}",
        Case {
            name: "open-mmlab/mmdetection#2108: code for 7.0 runs on a T4",
            text: r#"FROM pytorch/pytorch:1.3-cuda10.1-cudnn7-devel
ENV TORCH_CUDA_ARCH_LIST="6.0 6.1 7.0+PTX"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
            says: &[("KIMG205", Info, 3)],
            quiet: &[],
        },
    ),
    (
        "{gpus: [A10G, H100]}",
        Case {
            name: "hummat/mini-mesh#29: two lists that reach the H100 by PTX",
            text: r#"FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel AS b
ARG CMAKE_CUDA_ARCHITECTURES=75;80;86;89
ARG TORCH_CUDA_ARCH_LIST=7.5;8.0;8.6;8.9+PTX
RUN TCNN_CUDA_ARCHITECTURES="$CMAKE_CUDA_ARCHITECTURES" pip install git+https://github.com/NVlabs/tiny-cuda-nn/#subdirectory=bindings/torch
RUN TORCH_CUDA_ARCH_LIST="$TORCH_CUDA_ARCH_LIST" pip install --no-build-isolation gsplat==1.4.0 --no-binary gsplat
"#,
            says: &[
                ("KIMG202", Warning, 4),
                ("KIMG205", Info, 4),
                ("KIMG202", Warning, 5),
                ("KIMG205", Info, 5),
            ],
            quiet: &[],
        },
    ),
    (
        "{gpus: [RTX 4060, RTX 5090]}",
        Case {
            name: "itigges22/ATLAS#37: a list for the author's GPU",
            text: r"FROM nvidia/cuda:13.0.0-devel-ubuntu24.04
RUN git clone https://github.com/ggml-org/llama.cpp /l && cd /l && cmake -B b -DGGML_CUDA=ON -DGGML_NATIVE=OFF -DCMAKE_CUDA_ARCHITECTURES='120;121' && cmake --build b
",
            says: &[("KIMG201", Error, 2)],
            quiet: &[],
        },
    ),
    (
        "{gpus: [V100, A100]}",
        Case {
            name: "mudler/LocalAI#9948: CUDA 13 has no code for a V100",
            text: r"FROM nvidia/cuda:13.0.0-devel-ubuntu24.04 AS b
RUN git clone https://github.com/ggml-org/llama.cpp /l && cd /l && cmake -B b -DGGML_CUDA=ON -DGGML_NATIVE=OFF -DCMAKE_CUDA_ARCHITECTURES='75;80;90' . && cmake --build b
",
            says: &[("KIMG201", Error, 2), ("KIMG205", Info, 2)],
            quiet: &[],
        },
    ),
    (
        "{gpus: [Tesla P40, RTX 4090]}",
        Case {
            name: "Comfy-Org/ComfyUI#16438: an index without Pascal",
            text: r"FROM python:3.12-slim
RUN pip install torch torchvision --extra-index-url https://download.pytorch.org/whl/cu130
",
            says: &[("KIMG206", Error, 2)],
            quiet: &[],
        },
    ),
    (
        "{gpus: [RTX 5090]}",
        Case {
            name: "pytorch/pytorch#142028: the Blackwell of this release is 10.0, with PTX",
            text: r#"FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
RUN pip install torch==2.6.0
ENV TORCH_CUDA_ARCH_LIST="Ampere;Blackwell"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
            says: &[
                ("KIMG206", Error, 2),
                ("KIMG202", Warning, 4),
                ("KIMG205", Info, 4),
                ("KIMG310", Info, 4),
            ],
            quiet: &[],
        },
    ),
    (
        "{gpus: [H100]}",
        Case {
            name: "NixOS/nixpkgs#516450: a suffix that gives up every other GPU",
            text: r"FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
RUN nvcc -arch=sm_90a -o burn burn.cu
",
            says: &[("KIMG203", Info, 2)],
            quiet: &[],
        },
    ),
    (
        "{gpus: [RTX 5090]}",
        Case {
            name: "mostlygeek/llama-swap#1066: a plain number runs",
            text: r"FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
RUN git clone https://github.com/ggml-org/llama.cpp /l && cd /l && cmake -B b -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES='120' && cmake --build b
",
            says: &[],
            quiet: &[2],
        },
    ),
    (
        "{gpus: [A100, L4]}",
        Case {
            name: "Narsil/bindgen_cuda#11: one architecture, and not the lowest of the fleet",
            text: r"FROM nvidia/cuda:12.6.3-devel-ubuntu22.04
ENV CUDA_COMPUTE_CAP=89
RUN git clone https://github.com/EricLBuehler/mistral.rs /m && cd /m && cargo build --release --features cuda
",
            says: &[("KIMG201", Error, 3)],
            quiet: &[],
        },
    ),
    (
        "{gpus: [ml.g4dn.xlarge, ml.g6.2xlarge]}",
        Case {
            name: "aws/sagemaker-python-sdk#6141: a fleet of instance types",
            text: r#"FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST="8.0 8.6 8.9 9.0"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
            says: &[
                ("KIMG201", Error, 3),
                ("KIMG204", Info, 3),
                ("KIMG205", Info, 3),
            ],
            quiet: &[],
        },
    ),
    (
        "{gpus: [RTX 5090]}",
        Case {
            name: "a compiler at run time that is older than the GPU",
            text: r"FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel
RUN pip install flashinfer-python
",
            says: &[("KIMG206", Error, 1), ("KIMG308", Warning, 2)],
            quiet: &[],
        },
    ),
    (
        "{gpus: [H100], driver: '525'}",
        Case {
            name: "PTX that the driver is too old for",
            text: r#"FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST="8.0+PTX"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
            says: &[("KIMG306", Error, 3)],
            quiet: &[],
        },
    ),
];
