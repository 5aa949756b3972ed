//! Reports that only the fleet decides.
use crate::case::Case;
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[Case] = &[
    Case {
        name: "open-mmlab/mmdetection#2108: code for 6.0 and 7.0 serves the generation",
        text: r#"# fleet: P100, V100
FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST="6.0 7.0+PTX"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[4],
    },
    Case {
        name: "open-mmlab/mmdetection#2108: so does that for 7.0 a GPU of 7.5",
        text: r#"# fleet: T4
FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST="7.0+PTX"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[4],
    },
    Case {
        name: "hummat/mini-mesh#29: a list for two packages, in two spellings, the newest GPU by PTX",
        text: r#"# fleet: A10G, H100
FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST=8.6+PTX TCNN_CUDA_ARCHITECTURES=86
RUN pip install --no-build-isolation "git+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG202", Warning, 4), ("KIMG202", Warning, 5)],
        quiet: &[],
    },
    Case {
        name: "itigges22/ATLAS#37: a list above an older GPU",
        text: r#"# fleet: RTX 4060, RTX 5090
FROM nvidia/cuda:13.0.0-devel-ubuntu24.04
RUN git clone https://github.com/ggml-org/llama.cpp /l && \
    cmake -S /l -B b -DGGML_CUDA=ON -DGGML_NATIVE=OFF -DCMAKE_CUDA_ARCHITECTURES="120"
"#,
        says: &[("KIMG201", Error, 4), ("KIMG203", Info, 4)],
        quiet: &[],
    },
    Case {
        name: "mudler/LocalAI#9948: a toolkit that can serve no list for an older GPU",
        text: r#"# fleet: V100, A100
FROM nvidia/cuda:13.0.0-devel-ubuntu24.04
RUN git clone https://github.com/ggml-org/llama.cpp /l && \
    cmake -S /l -B b -DGGML_CUDA=ON -DGGML_NATIVE=OFF -DCMAKE_CUDA_ARCHITECTURES="80"
"#,
        says: &[("KIMG201", Error, 4)],
        quiet: &[],
    },
    Case {
        name: "Comfy-Org/ComfyUI#16438: a wheel without an older GPU",
        text: r"# fleet: P40, RTX 4090
FROM python:3.12-slim
RUN pip install torch==2.9.0 --index-url https://download.pytorch.org/whl/cu130
",
        says: &[("KIMG206", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "pytorch/pytorch#142028: a name that covers a GPU by PTX only",
        text: r#"# fleet: RTX 5090
FROM nvidia/cuda:12.6.3-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="Hopper"
RUN pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cu126
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG206", Error, 4), ("KIMG202", Warning, 5)],
        quiet: &[],
    },
    Case {
        name: "NixOS/nixpkgs#516450: a suffix that binds the code to one kind of GPU",
        text: r#"# fleet: H100
FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST="9.0a"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG203", Info, 4), ("KIMG204", Info, 4)],
        quiet: &[],
    },
    Case {
        name: "aws/sagemaker-python-sdk#6141: a fleet of instance types",
        text: r#"# fleet: "aws:g4dn.xlarge", "aws:g6.2xlarge"
FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST="8.9+PTX"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG201", Error, 4)],
        quiet: &[],
    },
    Case {
        name: "state-spaces/mamba#745: a list that is written into the package leaves out the GPU",
        text: r#"# fleet: RTX 5090
FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="12.0" MAMBA_FORCE_BUILD=TRUE
RUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128
RUN pip install --no-build-isolation mamba-ssm==2.2.4
"#,
        says: &[("KIMG104", Warning, 5), ("KIMG201", Error, 5)],
        quiet: &[],
    },
    Case {
        name: "Narsil/bindgen_cuda#11: one architecture above a GPU of the fleet",
        text: r"# fleet: A100, L4
FROM nvidia/cuda:12.6.3-devel-ubuntu22.04
ENV CUDA_COMPUTE_CAP=89
RUN git clone https://github.com/EricLBuehler/mistral.rs /m && cd /m && cargo build --release --features cuda
",
        says: &[("KIMG201", Error, 4)],
        quiet: &[],
    },
    Case {
        name: "sonots/cumo#156: 10.3 runs the code of 10.0",
        text: r#"# fleet: B200, B300
FROM nvidia/cuda:12.8.1-devel-ubuntu24.04
ENV CUDAARCHS="100"
COPY . /src
RUN cmake -S /src -B b -DUSE_CUDA=ON
"#,
        says: &[],
        quiet: &[5],
    },
    Case {
        name: "Comfy-Org/ComfyUI#16438: an index without an older GPU, whatever the version",
        text: r"# fleet: P40, RTX 4090
FROM python:3.12-slim
RUN pip install torch torchvision --extra-index-url https://download.pytorch.org/whl/cu130
",
        says: &[("KIMG206", Warning, 3)],
        quiet: &[],
    },
    Case {
        name: "PrateekMunjal/TorchAL#4: a wheel that is older than the GPU",
        text: r"# fleet: A100
FROM python:3.8
RUN pip install torch==1.6.0
",
        says: &[("KIMG206", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "theroyallab/tabbyAPI#324: an image that asks for a newer driver when it starts",
        text: r"# fleet: RTX 3090; driver 550
FROM nvidia/cuda:12.8.1-runtime-ubuntu24.04
RUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128
",
        says: &[("KIMG306", Warning, 2)],
        quiet: &[],
    },
    Case {
        name: "the same image on GPUs for which it brings what it needs",
        text: r"# fleet: A100, H100; driver 550
FROM nvidia/cuda:12.8.1-runtime-ubuntu24.04
RUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "a wheel for a CUDA version that the driver does not know",
        text: r"# fleet: H100; driver 550
FROM python:3.12
RUN pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/cu130
",
        says: &[("KIMG306", Warning, 3)],
        quiet: &[],
    },
    Case {
        name: "cupy/cupy#2087 and its like: a compiler at run time that is older than the GPU",
        text: r"# fleet: RTX 5090
FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel
RUN pip install flashinfer-python
",
        says: &[("KIMG206", Error, 2), ("KIMG308", Warning, 3)],
        quiet: &[],
    },
];
