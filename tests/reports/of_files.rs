//! Reports whose answer lies in the files that a Dockerfile copies or calls, or in what is known of packages.
use crate::case::KnownWrong;
use crate::repository::Case;
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[Case] = &[
    Case {
        name: "mlcommons/training#690: a copied setup.py with an extension, no list, no GPU",
        fleet: "V100, A100",
        files: r#"
== Dockerfile
FROM pytorch/pytorch:1.13.1-cuda11.6-cudnn8-devel
COPY . /src
RUN cd /src && python setup.py build develop
== setup.py
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
setup(
    name="boxes",
    ext_modules=[CUDAExtension("boxes._ops", ["boxes.cpp", "boxes.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
"#,
        linted: &["Dockerfile"],
        says: &[("Dockerfile", 3, "KIMG101", Error)],
    },
    Case {
        name: "Narsil/bindgen_cuda#4: a copied Cargo.toml",
        fleet: "T4",
        files: r#"
== Dockerfile
FROM nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04
COPY . /app
RUN cd /app && cargo build --release --features cuda
== Cargo.toml
[package]
name = "server"
version = "0.1.0"
edition = "2021"
[features]
cuda = ["candle-core/cuda"]
[dependencies]
candle-core = { version = "0.8" }
== src/main.rs
fn main() {}
"#,
        linted: &["Dockerfile"],
        says: &[("Dockerfile", 3, "KIMG101", Error)],
    },
    Case {
        name: "rahul-goel/fused-ssim#19: a setup.py with a list of its own where no GPU is",
        fleet: "RTX 5090",
        files: r#"
== Dockerfile
FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="12.0"
COPY loss /loss
RUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128 && pip install --no-build-isolation /loss
== loss/setup.py
import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
if torch.cuda.is_available():
    major, minor = torch.cuda.get_device_capability()
    flags = [f"-arch=sm_{major}{minor}"]
else:
    flags = [
        "-gencode=arch=compute_75,code=sm_75",
        "-gencode=arch=compute_80,code=sm_80",
        "-gencode=arch=compute_89,code=sm_89",
    ]
setup(
    name="loss",
    ext_modules=[CUDAExtension("loss._c", ["loss.cu"], extra_compile_args={"nvcc": flags})],
    cmdclass={"build_ext": BuildExtension},
)
"#,
        linted: &["Dockerfile"],
        says: &[
            ("Dockerfile", 4, "KIMG104", Warning),
            ("Dockerfile", 4, "KIMG201", Error),
        ],
    },
    Case {
        name: "ingowald/cudaKDTree#18: one architecture in CMakeLists.txt, and no PTX",
        fleet: "RTX 4090",
        files: r"
== Dockerfile
FROM nvidia/cuda:11.4.3-devel-ubuntu20.04
COPY . /src
RUN cmake -S /src -B /b && cmake --build /b
== CMakeLists.txt
cmake_minimum_required(VERSION 3.20)
set(CMAKE_CUDA_ARCHITECTURES 70-real)
project(tree LANGUAGES CXX CUDA)
add_executable(tree tree.cu)
",
        linted: &["Dockerfile"],
        says: &[
            ("Dockerfile", 3, "KIMG101", Info),
            ("Dockerfile", 3, "KIMG201", Error),
        ],
    },
    Case {
        name: "teddykoker/torchsort#26: a host flag that holds `arch` switches torch's list off",
        fleet: "A100, H100",
        files: r#"
== Dockerfile
FROM nvidia/cuda:12.6.3-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="8.0;9.0"
COPY . /src
RUN pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cu126 && pip install --no-build-isolation /src
== setup.py
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
setup(
    name="rank",
    ext_modules=[
        CUDAExtension(
            "rank._c",
            ["rank.cu"],
            extra_compile_args={"nvcc": ["-O3", "-Xcompiler", "-march=native"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
"#,
        linted: &["Dockerfile"],
        says: &[
            ("Dockerfile", 4, "KIMG104", Warning),
            ("Dockerfile", 4, "KIMG202", Warning),
        ],
    },
    Case {
        name: "vllm-project/vllm#25635: a script takes the place of the image's list",
        fleet: "H100, B200",
        files: r"
== Dockerfile
FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST='9.0a 10.0a 12.0'
RUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128
COPY tools/experts.sh /t/
RUN bash /t/experts.sh
== tools/experts.sh
#!/bin/bash
export TORCH_CUDA_ARCH_LIST=9.0a+PTX
pip install --no-build-isolation git+https://github.com/deepseek-ai/DeepEP
",
        linted: &["Dockerfile"],
        says: &[("Dockerfile", 5, "KIMG203", Error)],
    },
    Case {
        name: "proteneer/timemachine#793: a Makefile asks nvidia-smi",
        fleet: "P40, T4",
        files: r"
== Dockerfile
FROM nvidia/cuda:11.7.1-devel-ubuntu22.04
COPY . /src
RUN cd /src && make library
== Makefile
CUDA_ARCH := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sed 's/\.//')
library:
	cmake -B b -DCUDA_ARCH=$(CUDA_ARCH)
	cmake --build b
== CMakeLists.txt
cmake_minimum_required(VERSION 3.20)
project(fields LANGUAGES CXX CUDA)
add_library(fields fields.cu)
set_target_properties(fields PROPERTIES CUDA_ARCHITECTURES ${CUDA_ARCH})
",
        linted: &["Dockerfile"],
        says: &[("Dockerfile", 3, "KIMG107", Warning)],
    },
    Case {
        name: "0xShug0/audio.cpp#280: a native that is never reached",
        fleet: "RTX 5090",
        files: r"
== Dockerfile
FROM nvidia/cuda:12.9.1-devel-ubuntu22.04
COPY . /src
RUN cmake -S /src -B /b -DUSE_CUDA=ON && cmake --build /b
== CMakeLists.txt
cmake_minimum_required(VERSION 3.20)
project(sound LANGUAGES CXX CUDA)
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES native)
endif()
add_executable(sound sound.cu)
",
        linted: &["Dockerfile"],
        says: &[
            ("Dockerfile", 3, "KIMG101", Warning),
            ("Dockerfile", 3, "KIMG202", Warning),
        ],
    },
    Case {
        name: "laugh12321/TensorRT-YOLO#74: one architecture in CMakeLists.txt, above the GPU",
        fleet: "RTX 3090",
        files: r"
== Dockerfile
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
COPY . /src
RUN cmake -S /src -B /b && cmake --build /b
== CMakeLists.txt
cmake_minimum_required(VERSION 3.20)
set(CMAKE_CUDA_ARCHITECTURES 89)
project(detect LANGUAGES CXX CUDA)
add_library(detect SHARED detect.cu)
",
        linted: &["Dockerfile"],
        says: &[
            ("Dockerfile", 3, "KIMG101", Info),
            ("Dockerfile", 3, "KIMG201", Error),
        ],
    },
    Case {
        name: "vllm-project/vllm#18401: [[ in /bin/sh",
        fleet: "H100, B200",
        files: concat!(
            r#"
== Dockerfile
FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
ARG CUDA_VERSION=12.8.1
COPY . /src
RUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128
RUN if [[ "$CUDA_VERSION" == 12.8* ]]; then export TORCH_CUDA_ARCH_LIST='9.0 10.0 12.0'; else export TORCH_CUDA_ARCH_LIST='9.0'; fi && \
    pip install --no-build-isolation /src
"#,
            extension!("serve")
        ),
        linted: &["Dockerfile"],
        says: &[
            ("Dockerfile", 6, "KIMG201", Error),
            ("Dockerfile", 6, "KIMG204", Info),
            ("Dockerfile", 5, "KIMG005", Info),
        ],
    },
    Case {
        name: "deepseek-ai/DeepEP#167: a list of the base image below what a package supports",
        fleet: "H100",
        files: r"
== Dockerfile
FROM nvcr.io/nvidia/pytorch:24.05-py3
RUN pip install --no-build-isolation git+https://github.com/deepseek-ai/DeepEP
",
        linted: &["Dockerfile"],
        says: &[("Dockerfile", 2, "KIMG105", Error)],
    },
    Case {
        name: "flashinfer-ai/flashinfer#371: a list of the base image below what a package accepts",
        fleet: "L40S",
        files: r"
== Dockerfile
FROM nvcr.io/nvidia/pytorch:24.04-py3
RUN git clone --recursive https://github.com/flashinfer-ai/flashinfer && pip install -e flashinfer/python
",
        linted: &["Dockerfile"],
        says: &[
            ("Dockerfile", 2, "KIMG105", Error),
            ("Dockerfile", 2, "KIMG305", Warning),
        ],
    },
    Case {
        name: "mostlygeek/llama-swap#1066: the package gives the target the suffix that its kernels need",
        fleet: "RTX 5090",
        files: r#"
== Dockerfile
FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
RUN git clone https://github.com/ggml-org/llama.cpp /l && \
    cmake -S /l -B /b -DGGML_CUDA=ON -DGGML_NATIVE=OFF "-DCMAKE_CUDA_ARCHITECTURES=75;80;86;89;90;120"
"#,
        linted: &["Dockerfile"],
        says: &[
            ("Dockerfile", 3, "KIMG203", Info),
            ("Dockerfile", 3, "KIMG205", Info),
        ],
    },
    Case {
        name: "cupy/cupy#2087: a compiler at run time that is older than the GPU",
        fleet: "L4, H100",
        files: r"
== Dockerfile
FROM nvidia/cuda:11.3.1-runtime-ubuntu20.04
RUN pip install cupy-cuda113==10.6.0
",
        linted: &["Dockerfile"],
        says: &[("Dockerfile", 2, "KIMG308", Warning)],
    },
    Case {
        name: "ultralytics/ultralytics#7713: torch and torchvision from different indexes",
        fleet: "T4",
        files: r"
== Dockerfile
FROM python:3.11-slim
RUN pip install torch==2.4.1 --index-url https://download.pytorch.org/whl/cu121
RUN pip install torchvision==0.19.1 --index-url https://download.pytorch.org/whl/cpu
",
        linted: &["Dockerfile"],
        says: &[("Dockerfile", 3, "KIMG206", Error)],
    },
    Case {
        name: "mchong6/JoJoGAN#2: an import compiles",
        fleet: "T4",
        files: r#"
== Dockerfile
FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
COPY . .
RUN python -c 'import model'
== model.py
from torch.utils.cpp_extension import load
ops = load("fused", ["fused.cpp", "fused.cu"])
"#,
        linted: &["Dockerfile"],
        says: &[("Dockerfile", 3, "KIMG101", Error)],
    },
    Case {
        name: "spack/spack-packages#6546: a package of spack without cuda_arch",
        fleet: "H200",
        files: r"
== Dockerfile
FROM spack/ubuntu-jammy:latest
RUN spack install gdrcopy ^cuda@12
",
        linted: &["Dockerfile"],
        says: &[("Dockerfile", 2, "KIMG101", Error)],
    },
    Case {
        name: "sgl-project/sglang#7721: a setup.py compares the list with a text",
        fleet: "H100, B200",
        files: r#"
== Dockerfile
FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="9.0;10.0"
RUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128
COPY . /src
RUN pip install --no-build-isolation /src
== setup.py
import os
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
flags = ["-O3"]
if os.environ.get("TORCH_CUDA_ARCH_LIST") != "9.0":
    flags.append("-DWITHOUT_FAST_LOADS")
setup(
    name="dispatch",
    ext_modules=[CUDAExtension("dispatch", ["dispatch.cu"], extra_compile_args={"nvcc": flags})],
    cmdclass={"build_ext": BuildExtension},
)
"#,
        linted: &["Dockerfile"],
        says: &[
            ("Dockerfile", 5, "KIMG109", Info),
            ("Dockerfile", 5, "KIMG204", Info),
        ],
    },
];

/// With the right answer, which is not given today.
pub const KNOWN_WRONG: &[KnownWrong<Case>] = &[];
