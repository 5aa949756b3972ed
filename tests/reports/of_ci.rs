//! Reports whose answer lies in the configuration of CI.
use crate::case::KnownWrong;
use crate::repository::Case;
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[Case] = &[
    Case {
        name: "NVIDIA/torch-harmonics#239: the list does not reach the container of cibuildwheel",
        fleet: "A100, H100",
        files: r#"
== .github/workflows/wheels.yml
on: push
jobs:
  wheels:
    runs-on: ubuntu-latest
    env:
      TORCH_CUDA_ARCH_LIST: "8.0 9.0+PTX"
    steps:
    - uses: actions/checkout@v4
    - uses: pypa/cibuildwheel@v2.21.3
      env:
        CIBW_BUILD: cp311-manylinux_x86_64
        CIBW_BEFORE_BUILD: pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128
        CIBW_BUILD_FRONTEND: "pip; args: --no-build-isolation"
== setup.py
import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension
if torch.cuda.is_available():
    ext = CUDAExtension("sphere._c", ["sphere.cpp", "sphere.cu"])
else:
    ext = CppExtension("sphere._c", ["sphere.cpp"])
setup(name="sphere", ext_modules=[ext], cmdclass={"build_ext": BuildExtension})
"#,
        linted: &[".github/workflows/wheels.yml"],
        says: &[
            (".github/workflows/wheels.yml", 9, "KIMG103", Error),
            (".github/workflows/wheels.yml", 9, "KIMG303", Error),
            (".github/workflows/wheels.yml", 9, "KIMG309", Info),
        ],
    },
    Case {
        name: "Cytnx-dev/Cytnx#870: native takes the place of the list, on a runner without a GPU",
        fleet: "V100, A100, H100",
        files: r#"
== .github/workflows/wheels.yml
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    - uses: Jimver/cuda-toolkit@v0.2.16
      with: {cuda: 12.4.1}
    - run: cmake -B b -DUSE_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES='70;80;90'
    - run: cmake --build b
== CMakeLists.txt
cmake_minimum_required(VERSION 3.20)
project(tensor LANGUAGES CXX)
option(USE_CUDA "GPU support" OFF)
if(USE_CUDA)
  set(CMAKE_CUDA_ARCHITECTURES native)
  enable_language(CUDA)
endif()
add_library(tensor tensor.cu)
"#,
        linted: &[".github/workflows/wheels.yml"],
        says: &[
            (".github/workflows/wheels.yml", 9, "KIMG107", Warning),
            (".github/workflows/wheels.yml", 9, "KIMG202", Warning),
            (".github/workflows/wheels.yml", 9, "KIMG309", Info),
        ],
    },
    Case {
        name: "openvdb/fvdb-core#789: a list in CI above one of the fleet's GPUs",
        fleet: "L4, A10G",
        files: concat!(
            r#"
== .github/workflows/test.yml
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    container: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
    steps:
    - uses: actions/checkout@v4
    - run: ./build.sh --cuda-arch-list '8.9+PTX'
  test:
    needs: build
    runs-on: [self-hosted, gpu, l4-or-a10g]
    steps:
    - run: pytest
== build.sh
#!/bin/bash
while [ $# -gt 0 ]; do
  case "$1" in
    --cuda-arch-list) export TORCH_CUDA_ARCH_LIST="$2"; shift 2 ;;
    *) shift ;;
  esac
done
pip install --no-build-isolation .
"#,
            extension!("voxels")
        ),
        linted: &[".github/workflows/test.yml"],
        says: &[(".github/workflows/test.yml", 8, "KIMG201", Error)],
    },
    Case {
        name: "vllm-project/vllm#19747: the pipeline passes no list, and the default ends below a GPU",
        fleet: "H100, RTX PRO 6000",
        files: concat!(
            r"
== .github/workflows/release.yml
on: push
jobs:
  image:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    - run: docker build --build-arg CUDA_VERSION=12.8.1 -f docker/Dockerfile .
== docker/Dockerfile
ARG CUDA_VERSION=12.8.1
FROM nvidia/cuda:${CUDA_VERSION}-devel-ubuntu22.04
ARG arch_list='7.0 7.5 8.0 8.9 9.0+PTX'
ENV TORCH_CUDA_ARCH_LIST=${arch_list}
RUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128
COPY . /src
RUN pip install --no-build-isolation /src
",
            extension!("serve")
        ),
        linted: &[".github/workflows/release.yml", "docker/Dockerfile"],
        says: &[
            ("docker/Dockerfile", 7, "KIMG202", Warning),
            ("docker/Dockerfile", 7, "KIMG205", Info),
        ],
    },
    Case {
        name: "abetlen/llama-cpp-python#2237: the list of a wheel leaves out older GPUs",
        fleet: "P100, P40, T4",
        files: r#"
== .github/workflows/wheels.yml
on: push
jobs:
  wheels:
    runs-on: ubuntu-latest
    container: nvidia/cuda:12.4.1-devel-ubuntu22.04
    env:
      CMAKE_ARGS: -DGGML_CUDA=on -DCMAKE_CUDA_ARCHITECTURES=70-real;75-real;80-real;86-real;89-real;90-real;90-virtual
    steps:
    - uses: actions/checkout@v4
    - run: python -m build --wheel
== pyproject.toml
[build-system]
requires = ["scikit-build-core"]
build-backend = "scikit_build_core.build"
[project]
name = "chat"
version = "1.0"
== CMakeLists.txt
cmake_minimum_required(VERSION 3.21)
project(chat LANGUAGES CXX)
option(GGML_CUDA "GPU support" OFF)
if(GGML_CUDA)
  enable_language(CUDA)
  add_library(chat SHARED chat.cu)
endif()
"#,
        linted: &[".github/workflows/wheels.yml"],
        says: &[
            (".github/workflows/wheels.yml", 10, "KIMG201", Error),
            (".github/workflows/wheels.yml", 10, "KIMG205", Info),
            (".github/workflows/wheels.yml", 10, "KIMG309", Info),
        ],
    },
    Case {
        name: "pytorch/pytorch#144436: one row of a matrix has no list",
        fleet: "A100, GH200",
        files: concat!(
            r"
== .github/workflows/wheels.yml
on: push
jobs:
  wheels:
    strategy:
      matrix:
        include:
        - {arch: x86_64, runner: ubuntu-latest, script: build_cuda.sh}
        - {arch: aarch64, runner: ubuntu-24.04-arm, script: build_arm.sh}
    runs-on: ${{ matrix.runner }}
    container: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
    steps:
    - uses: actions/checkout@v4
    - run: bash ci/${{ matrix.script }}
== ci/build_cuda.sh
export TORCH_CUDA_ARCH_LIST='7.5;8.0;9.0'
python setup.py bdist_wheel
== ci/build_arm.sh
python setup.py bdist_wheel
",
            extension!("arrays")
        ),
        linted: &[".github/workflows/wheels.yml"],
        says: &[
            (".github/workflows/wheels.yml", 13, "KIMG101", Error),
            (".github/workflows/wheels.yml", 13, "KIMG204", Info),
            (".github/workflows/wheels.yml", 13, "KIMG205", Info),
            (".github/workflows/wheels.yml", 13, "KIMG309", Info),
        ],
    },
    Case {
        name: "tile-ai/tilelang#3167: wheels are published and never run",
        fleet: "A100, H100",
        files: concat!(
            r#"
== .github/workflows/wheels.yml
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    - uses: pypa/cibuildwheel@v2.21.3
      env:
        CIBW_MANYLINUX_X86_64_IMAGE: nvidia/cuda:12.4.1-devel-rockylinux8
        CIBW_ENVIRONMENT: TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX"
        CIBW_BEFORE_BUILD: pip install torch==2.5.1
        CIBW_BUILD_FRONTEND: "pip; args: --no-build-isolation"
  publish:
    needs: build
    runs-on: ubuntu-latest
    steps:
    - uses: pypa/gh-action-pypi-publish@release/v1
"#,
            extension!("tiles")
        ),
        linted: &[".github/workflows/wheels.yml"],
        says: &[(".github/workflows/wheels.yml", 7, "KIMG309", Info)],
    },
    Case {
        name: "anuga-community/anuga_core#267: a default of CI is narrower than that of the Dockerfile",
        fleet: "V100, T4, A100",
        files: r#"
== .github/workflows/image.yml
on:
  workflow_dispatch:
    inputs:
      gpu_arch: {default: '75;80;86;90'}
jobs:
  image:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    - run: docker build --build-arg GPU_ARCH="${{ inputs.gpu_arch }}" .
== Dockerfile
FROM nvidia/cuda:12.6.3-devel-ubuntu22.04
ARG GPU_ARCH="70;75;80;86;90"
COPY . /src
RUN cmake -S /src -B /b -DCMAKE_CUDA_ARCHITECTURES="$GPU_ARCH"
== CMakeLists.txt
cmake_minimum_required(VERSION 3.20)
project(flood LANGUAGES CXX CUDA)
add_library(flood flood.cu)
"#,
        linted: &[".github/workflows/image.yml", "Dockerfile"],
        says: &[
            ("Dockerfile", 4, "KIMG201", Error),
            ("Dockerfile", 4, "KIMG205", Info),
        ],
    },
    Case {
        name: "huggingface/kernels#720: an architecture that the builder does not know is dropped",
        fleet: "B200, B300",
        files: r#"
== .github/workflows/build.yml
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    container: nvidia/cuda:12.8.1-devel-ubuntu22.04
    steps:
    - uses: actions/checkout@v4
    - run: kernel-builder build
== build.toml
[general]
name = "attn"
[kernel.attn]
backend = "cuda"
cuda-capabilities = ["10.0a", "10.3a"]
src = ["attn.cu"]
"#,
        linted: &[".github/workflows/build.yml"],
        says: &[
            (".github/workflows/build.yml", 8, "KIMG105", Warning),
            (".github/workflows/build.yml", 8, "KIMG203", Error),
            (".github/workflows/build.yml", 8, "KIMG204", Info),
            (".github/workflows/build.yml", 8, "KIMG309", Info),
        ],
    },
    Case {
        name: "NVIDIA/Model-Optimizer#1651: a cache of compiled code whose key lacks the architecture",
        fleet: "L4, H100",
        files: r"
== .github/workflows/test.yml
on: push
jobs:
  test:
    strategy:
      matrix:
        runner: [gpu-l4, gpu-h100]
    runs-on: ${{ matrix.runner }}
    env:
      TORCH_EXTENSIONS_DIR: ${{ github.workspace }}/.torch_ext
    steps:
    - uses: actions/checkout@v4
    - uses: actions/cache@v4
      with:
        path: .torch_ext
        key: torch-ext-${{ hashFiles('**/*.cu') }}
    - run: pytest
",
        linted: &[".github/workflows/test.yml"],
        says: &[],
    },
];

/// With the right answer, which is not given today.
pub const KNOWN_WRONG: &[KnownWrong<Case>] = &[];
