//! The right place and the wrong variable for this package, or a value that it does not take.
use crate::case::Case;
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[Case] = &[
    Case {
        name: "a switch in the environment, which CMake does not read",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV GGML_CUDA=1
RUN git clone https://github.com/ggml-org/llama.cpp && cd llama.cpp && cmake -B build && cmake --build build
",
        says: &[("KIMG304", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "switches that llama-cpp-python does not read: nothing for a GPU is built",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV CUDA_DOCKER_ARCH=all GGML_CUDA=1
RUN pip install llama-cpp-python==0.3.2
",
        says: &[("KIMG104", Error, 3), ("KIMG304", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "flash-attn does not read torch's list",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST="8.6"
RUN FLASH_ATTENTION_FORCE_BUILD=TRUE pip install flash-attn==2.8.3 --no-build-isolation
"#,
        says: &[("KIMG104", Warning, 3)],
        quiet: &[],
    },
    Case {
        name: "flash-attn tries a wheel first, which makes it matter less",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST="8.6"
RUN pip install flash-attn==2.8.3 --no-build-isolation
"#,
        says: &[("KIMG104", Info, 3)],
        quiet: &[],
    },
    Case {
        name: "CMake takes no CMAKE_CUDA_ARCHITECTURES from the environment",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV CMAKE_CUDA_ARCHITECTURES="86;89"
COPY . /src
RUN cmake -S /src -B /build -DUSE_CUDA=ON && cmake --build /build
"#,
        says: &[("KIMG104", Warning, 4)],
        quiet: &[],
    },
    Case {
        name: "CUDAARCHS is for CMake",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV CUDAARCHS="80;90"
COPY . /src
RUN cmake -S /src -B /build -DUSE_CUDA=ON && cmake --build /build
"#,
        says: &[],
        quiet: &[4],
    },
    Case {
        name: "CUDAARCHS is not for torch",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ENV CUDAARCHS="80;90"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG104", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "ggml looks for a GPU",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN CMAKE_ARGS="-DGGML_CUDA=on" pip install llama-cpp-python==0.3.2
"#,
        says: &[("KIMG107", Warning, 2)],
        quiet: &[],
    },
    Case {
        name: "ggml is told not to look for a GPU and has a list of its own",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN CMAKE_ARGS="-DGGML_CUDA=on -DGGML_NATIVE=OFF" pip install llama-cpp-python==0.3.2
"#,
        says: &[("KIMG101", Info, 2)],
        quiet: &[],
    },
    Case {
        name: "ggml is given a list",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN CMAKE_ARGS="-DGGML_CUDA=on -DCMAKE_CUDA_ARCHITECTURES=80;90" pip install llama-cpp-python==0.3.2
"#,
        says: &[],
        quiet: &[2],
    },
    Case {
        name: "OpenCV next to torch's list",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="7.5 8.6"
RUN git clone --depth 1 https://github.com/opencv/opencv /opencv && mkdir /opencv/b && cd /opencv/b \
    && cmake -D WITH_CUDA=ON -D CMAKE_BUILD_TYPE=Release .. && make -j4
"#,
        says: &[("KIMG104", Warning, 4)],
        quiet: &[],
    },
    Case {
        name: "four packages, four variables",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST="8.0;8.6+PTX"
RUN pip install --no-build-isolation "git+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN git clone https://github.com/colmap/colmap /colmap && cmake -S /colmap -B /colmap/b -DCMAKE_CUDA_ARCHITECTURES=80
RUN git clone https://github.com/isl-org/Open3D /open3d && cmake -S /open3d -B /open3d/b -DBUILD_CUDA_MODULE=ON
"#,
        says: &[("KIMG104", Error, 3), ("KIMG104", Warning, 6)],
        quiet: &[4, 5],
    },
    Case {
        name: "a list that is computed is a list",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ARG GPUS="90;80;70;61"
RUN export TORCH_CUDA_ARCH_LIST="$(echo "$GPUS" | tr ';' '\n' | awk '$1 > 70 { print substr($1, 1, 1) "." substr($1, 2) }')" && \
    pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[4],
    },
    Case {
        name: "CUDA 13 has no Volta",
        text: r#"FROM nvidia/cuda:13.0.0-devel-ubuntu24.04
RUN git clone https://github.com/colmap/colmap && cmake -S colmap -B b -DCMAKE_CUDA_ARCHITECTURES="70;75;80"
"#,
        says: &[("KIMG302", Error, 2)],
        quiet: &[],
    },
    Case {
        name: "CUDA 12.4 has no Blackwell",
        text: r#"ARG CUDA=12.4.1
FROM nvidia/cuda:${CUDA}-devel-ubuntu22.04
RUN git clone https://github.com/colmap/colmap && cmake -S colmap -B b -DCMAKE_CUDA_ARCHITECTURES="90;100;120"
"#,
        says: &[("KIMG301", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "nobody knows what this CUDA has",
        text: r#"ARG CUDA
FROM nvidia/cuda:${CUDA}-devel-ubuntu22.04
RUN git clone https://github.com/colmap/colmap && cmake -S colmap -B b -DCMAKE_CUDA_ARCHITECTURES="90;100;120"
"#,
        says: &[],
        quiet: &[3],
    },
    Case {
        name: "-arch embeds PTX, code=sm_80 does not",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN nvcc -arch=sm_80 -o a a.cu
RUN nvcc -gencode arch=compute_80,code=sm_80 -o a a.cu
",
        says: &[("KIMG204", Info, 3)],
        quiet: &[2],
    },
];
