//! Reports with the right answer, which today is not given.
use crate::case::{Case, KnownWrong};
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[KnownWrong] = &[
    KnownWrong {
        case: Case {
            name: "microsoft/onnxruntime#8990: quotes that become part of the value",
            text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ARG ARCHS=75;80;86
RUN git clone https://github.com/microsoft/onnxruntime /ort && cd /ort && \
    ./build.sh --use_cuda --cmake_extra_defines "'CMAKE_CUDA_ARCHITECTURES=\"${ARCHS}\"'"
"#,
            says: &[("KIMG105", Warning, 4)],
            quiet: &[],
        },
        fault: "the user wrote a list that does not work; an info says that there is none",
    },
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
            name: "KaihuaTang/Scene-Graph-Benchmark.pytorch#216: a separator that only looks like a semicolon",
            text: r"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST=8.6；8.9
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
            says: &[("KIMG105", Error, 3)],
            quiet: &[],
        },
        fault: "a list that the builder surely refuses is called likely",
    },
    KnownWrong {
        case: Case {
            name: "NVIDIA/apex#1819: the list is asked of a GPU",
            text: r"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
RUN export TORCH_CUDA_ARCH_LIST=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | tr '\n' ';') && pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
            says: &[("KIMG107", Error, 2)],
            quiet: &[],
        },
        fault: "what nvidia-smi prints is taken for a list, where no GPU is visible",
    },
    KnownWrong {
        case: Case {
            name: "sonots/cumo#156: the same where only CUDAARCHS speaks of CUDA",
            text: r#"FROM nvidia/cuda:12.8.1-devel-ubuntu24.04
ENV CUDAARCHS="90;100;103;110"
COPY . /src
RUN cmake -S /src -B b && cmake --build b
"#,
            says: &[("KIMG301", Warning, 4)],
            quiet: &[],
        },
        fault: "CUDAARCHS is evidence of CUDA in a tree that nobody knows",
    },
    KnownWrong {
        case: Case {
            name: "Dao-AILab/fast-hadamard-transform#16: the package names an architecture that nvcc has dropped",
            text: r#"FROM nvcr.io/nvidia/pytorch:25.08-py3
ENV TORCH_CUDA_ARCH_LIST="9.0"
RUN pip install --no-build-isolation git+https://github.com/Dao-AILab/fast-hadamard-transform@v1.0.4
"#,
            says: &[("KIMG104", Warning, 3), ("KIMG302", Error, 3)],
            quiet: &[],
        },
        fault: "there is no record of the package, which passes compute_70 itself",
    },
    KnownWrong {
        case: Case {
            name: "pytorch/pytorch#18781: All is no name that torch knows",
            text: r"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST=All
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
            says: &[("KIMG105", Error, 3)],
            quiet: &[],
        },
        fault: "a list that the builder surely refuses is called likely",
    },
    KnownWrong {
        case: Case {
            name: "CharlesShang/DCNv2#143: torch is older than the architecture",
            text: r#"FROM pytorch/pytorch:1.7.1-cuda11.0-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST="8.9"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
            says: &[("KIMG105", Error, 3)],
            quiet: &[],
        },
        fault: "a list that the builder surely refuses is called likely",
    },
    KnownWrong {
        case: Case {
            name: "pytorch/pytorch#166120: torch has dropped the architecture, nvcc has not",
            text: r#"FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="9.0 10.0 10.1 12.0+PTX"
RUN pip install torch==2.9.0 --index-url https://download.pytorch.org/whl/cu128
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
            says: &[("KIMG105", Error, 4)],
            quiet: &[],
        },
        fault: "a list that the builder surely refuses is called likely",
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
            name: "kserve/kserve#4565: the same in one stage",
            text: r"FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
RUN pip install flashinfer-python
",
            says: &[("KIMG308", Warning, 2)],
            quiet: &[],
        },
        fault: "no nvcc in the image, and the record says that it is wanted at run time",
    },
    KnownWrong {
        case: Case {
            name: "Narsil/bindgen_cuda#11: one architecture, and its PTX",
            text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV CUDA_COMPUTE_CAP=89
COPY . /srv
RUN cd /srv && cargo build --release --features cuda
",
            says: &[],
            quiet: &[4],
        },
        fault: "bindgen_cuda passes --gpu-architecture=sm_NN, which embeds PTX",
    },
];
