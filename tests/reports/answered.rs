//! Reports that are answered.
use crate::case::Case;
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[Case] = &[
    Case {
        name: "mlcommons/training#690: no list, no GPU",
        text: r"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
RUN git clone https://github.com/nerfstudio-project/gsplat /src
WORKDIR /src
RUN python setup.py develop
",
        says: &[("KIMG101", Error, 4)],
        quiet: &[],
    },
    Case {
        name: "pytorch/pytorch#66333: a source build of a package that has wheels",
        text: r"FROM nvidia/cuda:11.8.0-cudnn8-devel-ubuntu22.04 AS wheels
RUN pip install torch==2.1.2 --index-url https://download.pytorch.org/whl/cu118
RUN pip install --no-build-isolation --no-binary torch-scatter torch-scatter
",
        says: &[("KIMG304", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "Narsil/bindgen_cuda#4: a cargo feature, in a tree that nobody knows",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
COPY . /srv
RUN cd /srv && cargo build --release --features cuda
",
        says: &[("KIMG101", Warning, 3)],
        quiet: &[],
    },
    Case {
        name: "EricLBuehler/mistral.rs#893: a cargo feature of a crate that is known",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/EricLBuehler/mistral.rs /m && cd /m && cargo build --release --features cuda
",
        says: &[("KIMG101", Error, 2)],
        quiet: &[],
    },
    Case {
        name: "NVlabs/tiny-cuda-nn#445: torch's list, and a package that does not read it",
        text: r#"FROM pytorch/pytorch:2.1.2-cuda11.8-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST="8.6"
RUN pip install --no-build-isolation "git+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch"
"#,
        says: &[("KIMG104", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "IDEA-Research/GroundingDINO#230: no nvcc, and no failure either",
        text: r"FROM python:3.11-slim
RUN pip install torch torchvision
RUN pip install --no-build-isolation git+https://github.com/IDEA-Research/GroundingDINO
",
        says: &[("KIMG303", Error, 3), ("KIMG304", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "open-mmlab/mmcv#1142: a switch that looks like the one that forces CUDA",
        text: r"FROM nvcr.io/nvidia/pytorch:23.10-py3
RUN git clone https://github.com/open-mmlab/mmcv /opt/mmcv && cd /opt/mmcv && MMCV_WITH_OPS=1 pip install --no-build-isolation -e .
",
        says: &[("KIMG304", Error, 2)],
        quiet: &[],
    },
    Case {
        name: "facebookresearch/pytorch3d#318: shell variables that are not exported",
        text: r#"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
RUN FORCE_CUDA=1 && TORCH_CUDA_ARCH_LIST="8.0;8.6" && pip install --no-build-isolation git+https://github.com/facebookresearch/pytorch3d
"#,
        says: &[("KIMG103", Error, 2), ("KIMG304", Error, 2)],
        quiet: &[],
    },
    Case {
        name: "pytorch/pytorch#6321: sudo keeps the list to itself",
        text: r#"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST="8.0;8.6+PTX"
RUN git clone https://github.com/nerfstudio-project/gsplat /g && cd /g && sudo python3 setup.py install
"#,
        says: &[("KIMG103", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "openvdb/fvdb-core#328: the shell ends the list at its semicolon",
        text: r"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
RUN export TORCH_CUDA_ARCH_LIST=8.0+PTX;8.6;9.0; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG105", Warning, 2)],
        quiet: &[],
    },
    Case {
        name: "openvdb/fvdb-core#328: ENV does not",
        text: r"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST=8.0;8.6;9.0+PTX
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[],
        quiet: &[3],
    },
    Case {
        name: "microsoft/onnxruntime#8990: quotes that become part of the name and of the value",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ARG ARCHS=75;80;86
RUN git clone https://github.com/microsoft/onnxruntime /ort && cd /ort && \
    ./build.sh --use_cuda --cmake_extra_defines "'CMAKE_CUDA_ARCHITECTURES=\"${ARCHS}\"'"
"#,
        says: &[("KIMG103", Warning, 4)],
        quiet: &[],
    },
    Case {
        name: "GiantAI/pixtrack#12: native, where no GPU is",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN cmake -S /src -B b -DCMAKE_CUDA_ARCHITECTURES=native && cmake --build b
",
        says: &[("KIMG107", Warning, 2)],
        quiet: &[],
    },
    Case {
        name: "ggml-org/llama.cpp#18430: native without the word",
        text: r"FROM nvidia/cuda:13.0.0-devel-ubuntu24.04
RUN git clone https://github.com/ggml-org/llama.cpp /l && cmake -S /l -B b -DGGML_CUDA=ON && cmake --build b
",
        says: &[("KIMG107", Warning, 2)],
        quiet: &[],
    },
    Case {
        name: "proteneer/timemachine#1130: an argument without a default",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ARG SM
ENV CMAKE_ARGS="-DGGML_CUDA=on -DCMAKE_CUDA_ARCHITECTURES=${SM}"
RUN pip install llama-cpp-python==0.3.2
"#,
        says: &[("KIMG004", Info, 4)],
        quiet: &[],
    },
    Case {
        name: "open-mmlab/mmdetection#2108: the list covers the GPU by its generation and by PTX",
        text: r#"FROM pytorch/pytorch:2.1.2-cuda12.1-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST="6.0 6.1 7.0+PTX"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[3],
    },
    Case {
        name: "pytorch/pytorch#61836: a daemon that hands GPUs to builds",
        text: r"# the daemon here hands its GPUs to builds
FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG101", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "NVlabs/FoundationPose#30: nvcc is older than the architecture",
        text: r#"FROM nvidia/cuda:11.3.1-devel-ubuntu20.04
RUN git clone https://github.com/colmap/colmap && cmake -S colmap -B b -DCMAKE_CUDA_ARCHITECTURES="75;86;89"
"#,
        says: &[("KIMG301", Error, 2)],
        quiet: &[],
    },
    Case {
        name: "sonots/cumo#156: nvcc is older by a minor version",
        text: r#"FROM nvidia/cuda:12.8.1-devel-ubuntu24.04
ENV CUDAARCHS="90;100;103;110"
COPY . /src
RUN cmake -S /src -B b -DUSE_CUDA=ON && cmake --build b
"#,
        says: &[("KIMG301", Warning, 4)],
        quiet: &[],
    },
    Case {
        name: "amazon-science/FeatGraph#12: nvcc by itself",
        text: r"FROM nvidia/cuda:10.1-devel-ubuntu18.04
RUN nvcc -arch=sm_80 -o saxpy saxpy.cu
",
        says: &[("KIMG301", Error, 2)],
        quiet: &[],
    },
    Case {
        name: "Dao-AILab/flash-attention#1038: torch's list, and a package with a list of its own",
        text: r#"FROM nvidia/cuda:12.6.3-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="8.0"
RUN pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cu126
RUN FLASH_ATTENTION_FORCE_BUILD=TRUE pip install flash-attn==2.7.4.post1 --no-build-isolation --no-binary flash-attn
"#,
        says: &[("KIMG104", Warning, 4)],
        quiet: &[],
    },
    Case {
        name: "SHI-Labs/NATTEN#96: torch's list, and a package that installs without its kernels",
        text: r#"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST="8.0;8.6+PTX"
RUN pip install natten==0.17.1 --no-build-isolation --no-binary natten
"#,
        says: &[("KIMG104", Error, 3), ("KIMG304", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "0xShug0/audio.cpp#280: nvcc's default",
        text: r"FROM nvidia/cuda:12.9.1-devel-ubuntu22.04
COPY . /src
RUN cmake -S /src -B b -DUSE_CUDA=ON && cmake --build b
",
        says: &[("KIMG101", Warning, 3)],
        quiet: &[],
    },
    Case {
        name: "state-spaces/mamba#745: a list that is written into the package",
        text: r#"FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="12.0" MAMBA_FORCE_BUILD=TRUE
RUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128
RUN pip install --no-build-isolation mamba-ssm==2.2.4
"#,
        says: &[("KIMG104", Warning, 4)],
        quiet: &[],
    },
    Case {
        name: "dusty-nv/jetson-containers#1220: a Jetson, and a package without its architecture",
        text: r"FROM dustynv/pytorch:2.7-r36.4.0
ENV TORCH_CUDA_ARCH_LIST=8.7
RUN pip install flash-attn --no-build-isolation
",
        says: &[("KIMG104", Info, 3)],
        quiet: &[],
    },
    Case {
        name: "MiroPsota/torch_packages_builder#3: a wheel is installed, nothing is compiled",
        text: r"FROM pytorch/pytorch:2.3.0-cuda12.1-cudnn8-runtime
RUN pip install --only-binary=:all: pytorch3d==0.7.6 --extra-index-url https://example.invalid/wheels
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "ROCm/TheRock#6869: another maker's GPUs",
        text: r"FROM rocm/pytorch:latest
RUN pip install /src/ext
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "EleutherAI/gpt-neox#1021: an image without nvcc",
        text: r"FROM nvidia/cuda:11.7.1-runtime-ubuntu20.04
RUN pip install torch==1.13.1
RUN DS_BUILD_OPS=1 pip install --no-build-isolation deepspeed==0.9.5
",
        says: &[("KIMG101", Info, 3), ("KIMG303", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "KaihuaTang/Scene-Graph-Benchmark.pytorch#216: a separator that only looks like a semicolon",
        text: r"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST=8.6；8.9
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG105", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "NVIDIA/apex#1819: the list is asked of a GPU",
        text: r"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
RUN export TORCH_CUDA_ARCH_LIST=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | tr '\n' ';') && pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG107", Error, 2)],
        quiet: &[],
    },
    Case {
        name: "sonots/cumo#156: the same where only CUDAARCHS speaks of CUDA",
        text: r#"FROM nvidia/cuda:12.8.1-devel-ubuntu24.04
ENV CUDAARCHS="90;100;103;110"
COPY . /src
RUN cmake -S /src -B b && cmake --build b
"#,
        says: &[("KIMG301", Warning, 4)],
        quiet: &[],
    },
    Case {
        name: "pytorch/pytorch#18781: All is no name that torch knows",
        text: r"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST=All
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG105", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "CharlesShang/DCNv2#143: torch is older than the architecture",
        text: r#"FROM pytorch/pytorch:1.7.1-cuda11.0-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST="8.9"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG105", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "pytorch/pytorch#166120: torch has dropped the architecture, nvcc has not",
        text: r#"FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="9.0 10.0 10.1 12.0+PTX"
RUN pip install torch==2.9.0 --index-url https://download.pytorch.org/whl/cu128
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG105", Error, 4)],
        quiet: &[],
    },
    Case {
        name: "kserve/kserve#4565: the same in one stage",
        text: r"FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
RUN pip install flashinfer-python
",
        says: &[("KIMG308", Warning, 2)],
        quiet: &[],
    },
    Case {
        name: "Narsil/bindgen_cuda#11: one architecture, and its PTX",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV CUDA_COMPUTE_CAP=89
COPY . /srv
RUN cd /srv && cargo build --release --features cuda
",
        says: &[],
        quiet: &[4],
    },
    Case {
        name: "Dao-AILab/fast-hadamard-transform#16: the package names an architecture that nvcc has dropped",
        text: r#"FROM nvcr.io/nvidia/pytorch:25.08-py3
ENV TORCH_CUDA_ARCH_LIST="9.0"
RUN pip install --no-build-isolation git+https://github.com/Dao-AILab/fast-hadamard-transform@v1.0.4
"#,
        says: &[("KIMG104", Info, 3), ("KIMG302", Info, 3)],
        quiet: &[],
    },
    Case {
        name: "hummat/mini-mesh#29: tiny-cuda-nn takes semicolons",
        text: r#"# fleet: A10G
FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel
ENV TCNN_CUDA_ARCHITECTURES=80;86
RUN pip install --no-build-isolation "git+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch"
"#,
        says: &[("KIMG205", Info, 4)],
        quiet: &[],
    },
    Case {
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
    Case {
        name: "kserve/kserve#4565: kernels are compiled when they are needed, where no nvcc is",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS site
RUN pip install flashinfer-python
FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
COPY --from=site /usr/local/lib/python3.10 /usr/local/lib/python3.10
",
        says: &[("KIMG308", Warning, 2)],
        quiet: &[],
    },
    Case {
        name: "the same with a compiler where it runs",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS site
RUN pip install flashinfer-python
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
COPY --from=site /usr/local/lib/python3.10 /usr/local/lib/python3.10
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "the same with the toolkit copied beside it",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS site
RUN pip install flashinfer-python
FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
COPY --from=site /usr/local/lib/python3.10 /usr/local/lib/python3.10
COPY --from=site /usr/local/cuda /usr/local/cuda
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "the same where only a tool is copied",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS site
RUN pip install flashinfer-python
FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
COPY --from=site /usr/bin/tool /usr/bin/tool
",
        says: &[],
        quiet: &[],
    },
];
