//! Where the list comes from: the package's own variables, the base image.
use crate::case::Case;
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[Case] = &[
    Case {
        name: "the variables of projects",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/wilicc/gpu-burn && cd gpu-burn && make COMPUTE=75
RUN git clone https://github.com/NVIDIA/nccl && cd nccl && make -j src.build NVCC_GENCODE="-gencode=arch=compute_80,code=sm_80 \
    -gencode=arch=compute_90,code=[sm_90,compute_90]"
RUN git clone https://github.com/NVIDIA/FasterTransformer && cmake -S FasterTransformer -B fb -DSM=80
RUN git clone https://github.com/isl-org/Open3D && cmake -S Open3D -B ob -DBUILD_CUDA_MODULE=ON -DCMAKE_CUDA_ARCHITECTURES=80
"#,
        says: &[],
        quiet: &[2, 3, 5, 6],
    },
    Case {
        name: "projects that make no PTX unless asked",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/LeelaChessZero/lc0 && cd lc0 && meson setup build -Dcc_cuda=80
RUN HOROVOD_GPU_OPERATIONS=NCCL HOROVOD_BUILD_CUDA_CC_LIST=70,80 pip install horovod
",
        says: &[("KIMG204", Info, 2), ("KIMG204", Info, 3)],
        quiet: &[],
    },
    Case {
        name: "meson projects that ask the driver",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/LeelaChessZero/lc0 && cd lc0 && meson setup build && ninja -C build
",
        says: &[("KIMG107", Warning, 2)],
        quiet: &[],
    },
    Case {
        name: "the base image sets a list",
        text: r"FROM nvcr.io/nvidia/pytorch:25.03-py3
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[],
        quiet: &[2],
    },
    Case {
        name: "what is known of the base image from memory makes no error",
        text: r#"FROM ghcr.io/huggingface/text-generation-inference:3.0.0
RUN TORCH_CUDA_ARCH_LIST=8.0+PTX pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
RUN TORCH_CUDA_ARCH_LIST=8.0+PTX pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[
            ("KIMG303", Warning, 2),
            ("KIMG303", Error, 4),
            ("KIMG305", Error, 4),
        ],
        quiet: &[],
    },
    Case {
        name: "a base image that nobody knows",
        text: r"FROM team/base:1
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG004", Info, 2)],
        quiet: &[],
    },
    Case {
        name: "a base image that is to be given",
        text: r"ARG BASE
FROM ${BASE}
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG004", Info, 3)],
        quiet: &[],
    },
    Case {
        name: "the first file that was ever asked about",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="8.0;8.6;8.9;9.0+PTX" \
    FORCE_CUDA=1
RUN apt-get update && apt-get install -y --no-install-recommends git python3-pip
RUN pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/cu124
RUN pip install flash-attn --no-build-isolation
"#,
        says: &[("KIMG104", Info, 6)],
        quiet: &[],
    },
    Case {
        name: "AMReX, which writes 8.0 and makes no PTX",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/AMReX-Codes/amrex && cmake -S amrex -B ab -DAMReX_GPU_BACKEND=CUDA -DAMReX_CUDA_ARCH=8.0
",
        says: &[("KIMG204", Info, 2)],
        quiet: &[],
    },
];
