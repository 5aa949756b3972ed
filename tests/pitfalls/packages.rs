//! What a package makes of a list, and what packages make of each other.
use crate::case::Case;
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[Case] = &[
    Case {
        name: "llama.cpp makes 120 into 120a, which 12.1 does not run",
        text: r"# fleet: RTX 5090, GB10
FROM nvidia/cuda:13.0.0-devel-ubuntu24.04
RUN git clone https://github.com/ggml-org/llama.cpp /l && cmake -S /l -B /b -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=120
",
        says: &[("KIMG203", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "each with a target of its own",
        text: r#"# fleet: RTX 5090, GB10
FROM nvidia/cuda:13.0.0-devel-ubuntu24.04
RUN git clone https://github.com/ggml-org/whisper.cpp /w && cmake -S /w -B /b -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES="120;121;75-virtual"
"#,
        says: &[("KIMG203", Info, 3), ("KIMG203", Info, 3)],
        quiet: &[],
    },
    Case {
        name: "a build of before leaves the list as it is",
        text: r"# fleet: RTX 5090, GB10
FROM nvidia/cuda:13.0.0-devel-ubuntu24.04
RUN git clone -b b7000 https://github.com/ggml-org/llama.cpp /l && cmake -S /l -B /b -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=120
",
        says: &[],
        quiet: &[3],
    },
    Case {
        name: "a list without what the package does not compile for",
        text: r#"# fleet: H100
FROM nvcr.io/nvidia/pytorch:24.05-py3
ENV TORCH_CUDA_ARCH_LIST="9.0+PTX"
RUN pip install --no-build-isolation git+https://github.com/deepseek-ai/DeepEP
"#,
        says: &[("KIMG109", Info, 4)],
        quiet: &[],
    },
    Case {
        name: "a commit of which nobody knows how old it is",
        text: r"# fleet: H100
FROM nvcr.io/nvidia/pytorch:24.08-py3
RUN git clone https://github.com/deepseek-ai/DeepEP && cd DeepEP && git checkout a84a248 && python setup.py install
",
        says: &[],
        quiet: &[3],
    },
    Case {
        name: "NVRTC of the image serves the generation, and no later one",
        text: r"# fleet: A100, L4, B200
FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
RUN pip install cupy-cuda12x==13.3.0
",
        says: &[("KIMG308", Warning, 3)],
        quiet: &[],
    },
    Case {
        name: "the same without the later one",
        text: r"# fleet: A100, L4, H200
FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
RUN pip install cupy-cuda12x==13.3.0
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "a CuPy that makes PTX",
        text: r"# fleet: H100
FROM nvidia/cuda:11.2.2-runtime-ubuntu20.04
RUN pip install cupy-cuda112==9.0.0
ENV CUPY_COMPILE_WITH_PTX=1
RUN pip install cupy-cuda112==10.6.0
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "torchvision for the CPU, put right later",
        text: r"# fleet: T4
FROM python:3.11-slim
RUN pip install torch==2.4.1 --index-url https://download.pytorch.org/whl/cu121
RUN pip install torchvision==0.19.1 --index-url https://download.pytorch.org/whl/cpu
RUN pip install --force-reinstall torchvision==0.19.1 --index-url https://download.pytorch.org/whl/cu121
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "all of torch for the CPU is meant so",
        text: r"# fleet: T4
FROM python:3.11-slim
RUN pip install torch==2.4.1 torchvision==0.19.1 torchaudio==2.4.1 --index-url https://download.pytorch.org/whl/cpu
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "torchaudio for the CPU on an image with torch for CUDA",
        text: r"# fleet: T4
FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-runtime
RUN pip install torchaudio==2.4.1+cpu -f https://download.pytorch.org/whl/torch_stable.html
",
        says: &[("KIMG206", Error, 3)],
        quiet: &[],
    },
];
