//! Cases that were once answered wrongly.
use crate::case::Case;
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[Case] = &[
    Case {
        name: "Transformer Engine does not read the list of its base image",
        text: r"FROM nvcr.io/nvidia/pytorch:25.03-py3
RUN pip install --no-build-isolation git+https://github.com/NVIDIA/TransformerEngine.git@stable
",
        says: &[("KIMG104", Info, 2)],
        quiet: &[],
    },
    Case {
        name: "CMAKE_CUDA_ARCHITECTURES in the environment alone shows that this is about CUDA",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV CMAKE_CUDA_ARCHITECTURES="86;89"
COPY . /src
RUN cmake -S /src -B /build && cmake --build /build
"#,
        says: &[("KIMG104", Warning, 4)],
        quiet: &[],
    },
    Case {
        name: "OpenCV takes its lists with any separator, and adds them up",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone --depth 1 https://github.com/opencv/opencv /opencv && mkdir /opencv/b && cd /opencv/b \
    && cmake -D WITH_CUDA=ON -D CUDA_ARCH_BIN=7.5,8.6 -D CUDA_ARCH_PTX=8.6 .. && make -j4
",
        says: &[],
        quiet: &[3],
    },
    Case {
        name: "what torch takes and what it does not",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN TORCH_CUDA_ARCH_LIST="Volta;Turing;Ampere" pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN TORCH_CUDA_ARCH_LIST="8.0 9.0a" pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN TORCH_CUDA_ARCH_LIST="8.0;9.0+PTX" pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN TORCH_CUDA_ARCH_LIST="8.0,9.0+PTX" pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG204", Info, 3), ("KIMG105", Error, 5)],
        quiet: &[2, 4],
    },
    Case {
        name: "what CMake takes and what it does not",
        text: r#"FROM nvidia/cuda:12.9.1-devel-ubuntu22.04
RUN git clone https://github.com/colmap/colmap
RUN cmake -S colmap -B b1 -DCMAKE_CUDA_ARCHITECTURES="90-real;100-virtual"
RUN cmake -S colmap -B b2 -DCMAKE_CUDA_ARCHITECTURES="all"
RUN cmake -S colmap -B b3 -DCMAKE_CUDA_ARCHITECTURES="all-major"
RUN cmake -S colmap -B b4 -DCMAKE_CUDA_ARCHITECTURES="80;100f"
RUN cmake -S colmap -B b5 -DCMAKE_CUDA_ARCHITECTURES="80"
RUN cmake -S colmap -B b6 -DCMAKE_CUDA_ARCHITECTURES="8.0;9.0"
"#,
        says: &[("KIMG105", Error, 8)],
        quiet: &[3, 4, 5, 6, 7],
    },
    Case {
        name: "tiny-cuda-nn takes commas and makes PTX for each",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN TCNN_CUDA_ARCHITECTURES=80,86 pip install --no-build-isolation "git+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch"
"#,
        says: &[],
        quiet: &[2],
    },
    Case {
        name: "MAGMA makes PTX for the highest",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/icl-utk-edu/magma && cd magma && make GPU_TARGET="sm_80 sm_90" lib
"#,
        says: &[],
        quiet: &[2],
    },
    Case {
        name: "a switch for each architecture: Kokkos",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/kokkos/kokkos && cmake -S kokkos -B kb -DKokkos_ENABLE_CUDA=ON -DKokkos_ARCH_VOLTA72=ON
",
        says: &[],
        quiet: &[2],
    },
    Case {
        name: "a switch for a list of its own: Open3D",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/isl-org/Open3D && cmake -S Open3D -B ob -DBUILD_CUDA_MODULE=ON -DBUILD_COMMON_CUDA_ARCHS=ON
",
        says: &[],
        quiet: &[2],
    },
    Case {
        name: "a name for a list: CTranslate2",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/OpenNMT/CTranslate2 && cmake -S CTranslate2 -B cb -DWITH_CUDA=ON -DCUDA_ARCH_LIST=Common
",
        says: &[],
        quiet: &[2],
    },
    Case {
        name: "torch comes from another stage",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel AS python
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="8.0+PTX"
COPY --from=python /opt/conda /opt/conda
RUN /opt/conda/bin/pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[5],
    },
    Case {
        name: "a pip that is too old to build in an environment of its own",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="8.0+PTX"
RUN pip install torch==2.6.0 && pip install "pip<10"
RUN pip install git+https://github.com/nerfstudio-project/gsplat
RUN pip install pip==24.0
RUN pip install git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG305", Warning, 6)],
        quiet: &[4],
    },
    Case {
        name: "the pip of an old distribution",
        text: r#"FROM nvidia/cuda:11.3.1-devel-ubuntu18.04
ENV TORCH_CUDA_ARCH_LIST="8.0+PTX"
RUN apt-get update && apt-get install -y python3-pip && pip3 install torch==2.1.0
RUN pip3 install git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[4],
    },
    Case {
        name: "an image for accelerators of another maker",
        text: r"FROM vendor/musa:rc3.1-devel-ubuntu22.04
COPY . .
RUN cmake -B build -DUSE_CUDA=ON && cmake --build build
FROM vendor/cann:8.0-openeuler22.03
COPY . .
RUN cmake -B build -DUSE_CUDA=ON && cmake --build build
",
        says: &[],
        quiet: &[],
    },
];
