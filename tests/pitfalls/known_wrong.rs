//! Cases with the right answer, which today is not given.
use crate::case::{Case, KnownWrong};
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[KnownWrong] = &[
    KnownWrong {
        case: Case {
            name: "Transformer Engine does not read the list of its base image",
            text: r"FROM nvcr.io/nvidia/pytorch:25.03-py3
RUN pip install --no-build-isolation git+https://github.com/NVIDIA/TransformerEngine.git@stable
",
            says: &[("KIMG104", Info, 2)],
            quiet: &[],
        },
        fault: "a list that the base image sets is no list that the user wrote: an info, not a warning",
    },
    KnownWrong {
        case: Case {
            name: "CMAKE_CUDA_ARCHITECTURES in the environment alone shows that this is about CUDA",
            text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV CMAKE_CUDA_ARCHITECTURES="86;89"
COPY . /src
RUN cmake -S /src -B /build && cmake --build /build
"#,
            says: &[("KIMG104", Warning, 4)],
            quiet: &[],
        },
        fault: "a CMake build of an unknown tree is not seen where only a variable in the environment speaks of CUDA",
    },
    KnownWrong {
        case: Case {
            name: "a switch that llama-cpp-python does not read: nothing for a GPU is built",
            text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV CUDA_DOCKER_ARCH=all GGML_CUDA=1
RUN pip install llama-cpp-python==0.3.2
",
            says: &[("KIMG304", Error, 3)],
            quiet: &[],
        },
        fault: "GGML_CUDA and CUDA_DOCKER_ARCH in the environment show what was wanted, and the CPU build passes in silence",
    },
    KnownWrong {
        case: Case {
            name: "OpenCV takes its lists with any separator, and adds them up",
            text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone --depth 1 https://github.com/opencv/opencv /opencv && mkdir /opencv/b && cd /opencv/b \
    && cmake -D WITH_CUDA=ON -D CUDA_ARCH_BIN=7.5,8.6 -D CUDA_ARCH_PTX=8.6 .. && make -j4
",
            says: &[],
            quiet: &[3],
        },
        fault: "OpenCV picks the numbers out of its lists whatever stands between them, and CUDA_ARCH_PTX adds to CUDA_ARCH_BIN",
    },
    KnownWrong {
        case: Case {
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
        fault: "a list that the builder surely refuses is called likely, since its other outcome is compared with the refusal",
    },
    KnownWrong {
        case: Case {
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
        fault: "a list that the builder surely refuses is called likely, since its other outcome is compared with the refusal",
    },
    KnownWrong {
        case: Case {
            name: "tiny-cuda-nn takes commas and makes PTX for each",
            text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN TCNN_CUDA_ARCHITECTURES=80,86 pip install --no-build-isolation "git+https://github.com/NVlabs/tiny-cuda-nn#subdirectory=bindings/torch"
"#,
            says: &[],
            quiet: &[2],
        },
        fault: "its setup.py passes code=compute_NN and code=sm_NN for each number, as the notes of the record say",
    },
    KnownWrong {
        case: Case {
            name: "MAGMA makes PTX for the highest",
            text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/icl-utk-edu/magma && cd magma && make GPU_TARGET="sm_80 sm_90" lib
"#,
            says: &[],
            quiet: &[2],
        },
        fault: "the notes of the record say that the highest is also made as PTX",
    },
    KnownWrong {
        case: Case {
            name: "a variable with no record: AMReX",
            text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/AMReX-Codes/amrex && cmake -S amrex -B ab -DAMReX_GPU_BACKEND=CUDA -DAMReX_CUDA_ARCH=8.0
",
            says: &[],
            quiet: &[2],
        },
        fault: "AMReX has no record and its define is not seen as evidence of CUDA",
    },
    KnownWrong {
        case: Case {
            name: "a switch for each architecture: Kokkos",
            text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/kokkos/kokkos && cmake -S kokkos -B kb -DKokkos_ENABLE_CUDA=ON -DKokkos_ARCH_VOLTA72=ON
",
            says: &[],
            quiet: &[2],
        },
        fault: "Kokkos has no record; Kokkos_ENABLE_CUDA makes it a CMake project without a list",
    },
    KnownWrong {
        case: Case {
            name: "a switch for a list of its own: Open3D",
            text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/isl-org/Open3D && cmake -S Open3D -B ob -DBUILD_CUDA_MODULE=ON -DBUILD_COMMON_CUDA_ARCHS=ON
",
            says: &[],
            quiet: &[2],
        },
        fault: "who switches the common list on has chosen a list",
    },
    KnownWrong {
        case: Case {
            name: "a name for a list: CTranslate2",
            text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN git clone https://github.com/OpenNMT/CTranslate2 && cmake -S CTranslate2 -B cb -DWITH_CUDA=ON -DCUDA_ARCH_LIST=Common
",
            says: &[],
            quiet: &[2],
        },
        fault: "CUDA_ARCH_LIST there is FindCUDA's, which takes Common, All and Auto; it is read as torch's",
    },
    KnownWrong {
        case: Case {
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
        fault: "what COPY --from brings may hold torch, and a certain error says that the build sees none",
    },
];
