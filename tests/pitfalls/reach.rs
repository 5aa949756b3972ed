//! The list does not reach the compiler, or it does after all.
use crate::case::Case;
use kimg_lint::facts::Severity::{Error, Info, Warning};

pub const CASES: &[Case] = &[
    Case {
        name: "the list comes after the build",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
ENV TORCH_CUDA_ARCH_LIST="8.0 9.0+PTX"
"#,
        says: &[("KIMG102", Error, 2)],
        quiet: &[],
    },
    Case {
        name: "the list comes after a build of a project that nobody knows, which is only likely",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
COPY ops /src/ops
RUN pip install --no-build-isolation /src/ops
ENV TORCH_CUDA_ARCH_LIST="8.0 9.0+PTX"
"#,
        says: &[("KIMG102", Warning, 3)],
        quiet: &[],
    },
    Case {
        name: "the list is in a sister stage, a comment promises it in this one",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS tools
RUN pip install torch==2.5.1
# builds for every GPU we have
FROM tools AS package
RUN git clone https://github.com/nerfstudio-project/gsplat /src
RUN cd /src && python3 setup.py bdist_wheel
FROM tools AS check
ARG gpus="8.0;9.0+PTX"
RUN git clone https://github.com/nerfstudio-project/gsplat /src
RUN cd /src && export TORCH_CUDA_ARCH_LIST=$gpus && python3 setup.py bdist_wheel
"#,
        says: &[("KIMG101", Error, 6)],
        quiet: &[10],
    },
    Case {
        name: "the argument is declared before FROM only",
        text: r#"ARG TORCH_CUDA_ARCH_LIST="8.6 9.0+PTX"
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG103", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "the argument is declared again below FROM",
        text: r#"ARG TORCH_CUDA_ARCH_LIST="8.6 9.0+PTX"
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ARG TORCH_CUDA_ARCH_LIST
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[4],
    },
    Case {
        name: "an argument is an environment variable of RUN",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ARG TORCH_CUDA_ARCH_LIST="8.0 9.0+PTX"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[3],
    },
    Case {
        name: "a stage inherits the arguments of the stage that it is built from, and no others",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel AS one
ARG TORCH_CUDA_ARCH_LIST="8.0+PTX"
FROM one AS two
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel AS three
COPY --from=one /src /src
RUN --mount=type=bind,from=two,target=/two pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG103", Error, 7)],
        quiet: &[4],
    },
    Case {
        name: "the default is empty",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ARG ARCHS=""
ENV TORCH_CUDA_ARCH_LIST=${ARCHS} FORCE_CUDA=1
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG106", Error, 4)],
        quiet: &[],
    },
    Case {
        name: "the default is empty and there is another behind it",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ARG ARCHS=""
ENV TORCH_CUDA_ARCH_LIST=${ARCHS:-8.0+PTX}
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[4],
    },
    Case {
        name: "an argument without a default",
        text: r"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ARG ARCHS
RUN TORCH_CUDA_ARCH_LIST=$ARCHS pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
",
        says: &[("KIMG004", Info, 3)],
        quiet: &[],
    },
    Case {
        name: "an argument without a default, for make",
        text: r"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ARG GENCODE
RUN git clone https://github.com/NVIDIA/nccl-tests && cd nccl-tests && make NVCC_GENCODE=$GENCODE
",
        says: &[("KIMG004", Info, 3)],
        quiet: &[],
    },
    Case {
        name: "export ends with its RUN",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN export TORCH_CUDA_ARCH_LIST="8.0+PTX" && pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG103", Error, 3)],
        quiet: &[2],
    },
    Case {
        name: "export lasts to the end of its RUN",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN export TORCH_CUDA_ARCH_LIST="8.0+PTX" && pip install --no-build-isolation nerfacc --no-binary nerfacc && \
    pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[3],
    },
    Case {
        name: "an assignment before a command is for that command",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN TORCH_CUDA_ARCH_LIST="8.0+PTX" pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat && \
    pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG101", Error, 3)],
        quiet: &[2],
    },
    Case {
        name: "a list in .bashrc",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN echo "export TORCH_CUDA_ARCH_LIST='8.0;8.6+PTX'" >> ~/.bashrc
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG103", Error, 3)],
        quiet: &[],
    },
];
