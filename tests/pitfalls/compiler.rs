//! No compiler, no GPU, the CPU by accident; and what only looks like a build.
use crate::case::Case;
use kimg_lint::facts::Severity::{Error, Info};

pub const CASES: &[Case] = &[
    Case {
        name: "a runtime image",
        text: r#"FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="8.0+PTX"
RUN pip install torch==2.5.1 && pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG303", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "an nvcc of unknown version may be too new for the package's own list, and may not",
        text: r"FROM registry.example/base/compilers:latest
RUN git clone https://github.com/AlexeyAB/darknet && cd darknet && make GPU=1 CUDNN=1
",
        says: &[("KIMG101", Info, 2)],
        quiet: &[],
    },
    Case {
        name: "an nvcc that is too new for it",
        text: r"FROM nvidia/cuda:13.0.1-devel-ubuntu24.04
RUN git clone https://github.com/AlexeyAB/darknet && cd darknet && make GPU=1 CUDNN=1
",
        says: &[("KIMG101", Error, 2)],
        quiet: &[],
    },
    Case {
        name: "a runtime image that gets nvcc from conda",
        text: r#"FROM pytorch/pytorch:2.1.2-cuda12.1-cudnn8-runtime
ENV TORCH_CUDA_ARCH_LIST="8.0 8.6+PTX"
RUN conda install -y -c nvidia/label/cuda-12.1.1 cuda
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[4],
    },
    Case {
        name: "torch of the nightly channel of conda is torch",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="8.0+PTX"
RUN conda install -y pytorch-nightly -c pytorch
RUN git clone https://github.com/nerfstudio-project/gsplat && cd gsplat && python setup.py install
"#,
        says: &[],
        quiet: &[4],
    },
    Case {
        name: "torch's library for C++ alone is no torch for Python",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="8.0+PTX"
RUN conda install -y libtorch -c conda-forge
RUN git clone https://github.com/nerfstudio-project/gsplat && cd gsplat && python setup.py install
"#,
        says: &[("KIMG305", Error, 4)],
        quiet: &[],
    },
    Case {
        name: "a runtime image that gets nvcc from apt",
        text: r#"FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
ENV TORCH_CUDA_ARCH_LIST="8.0 8.6+PTX"
RUN apt-get update && apt-get install -y cuda-nvcc-12-4
RUN pip install torch==2.5.1 && pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[],
        quiet: &[4],
    },
    Case {
        name: "nvcc, and nothing to compile",
        text: r"FROM nvidia/cuda:12.4.1-base-ubuntu22.04
RUN apt-get update && apt-get install -y cuda-nvcc-12-4 && nvcc --version
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "nothing forces the CUDA part",
        text: r#"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
ENV TORCH_CUDA_ARCH_LIST="8.0+PTX"
RUN pip install --no-build-isolation git+https://github.com/facebookresearch/pytorch3d
"#,
        says: &[("KIMG304", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "the CUDA part is forced, and there is no list",
        text: r"FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel
ENV FORCE_CUDA=1
RUN pip install --no-build-isolation git+https://github.com/facebookresearch/pytorch3d
",
        says: &[("KIMG101", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "a package that swallows its errors",
        text: r"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN git clone https://github.com/facebookresearch/sam2 /sam2 && cd /sam2 && SAM2_BUILD_CUDA=1 pip install --no-build-isolation -e .
",
        says: &[("KIMG304", Error, 2)],
        quiet: &[],
    },
    Case {
        name: "a command that swallows its errors",
        text: r"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat || touch /failed
",
        says: &[("KIMG101", Error, 2)],
        quiet: &[],
    },
    Case {
        name: "switches that turn the CUDA part off",
        text: r"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
RUN git clone https://github.com/facebookresearch/sam2 /sam2 && cd /sam2 && SAM2_BUILD_CUDA=0 pip install -e .
RUN BUILD_NO_CUDA=1 pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN EXLLAMA_NOCOMPILE=1 pip install git+https://github.com/turboderp/exllamav2
RUN MAMBA_SKIP_CUDA_BUILD=TRUE pip install --no-build-isolation git+https://github.com/state-spaces/mamba
RUN DS_BUILD_OPS=0 pip install deepspeed
RUN FORCE_ONLY_CPU=1 pip install --no-build-isolation --no-binary torch-scatter torch-scatter
RUN git clone https://github.com/vllm-project/vllm /vllm && cd /vllm && VLLM_TARGET_DEVICE=cpu pip install --no-build-isolation .
RUN git clone https://github.com/open-mmlab/mmcv /mmcv && cd /mmcv && MMCV_WITH_OPS=0 pip install -e .
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "names that look like an arch list",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
ARG TARGETARCH
ENV NVCC_APPEND_FLAGS="--threads 32" MAX_JOBS=8 MAMBA_ARCH=x86_64 CMAKE_ARCH=x86_64 ARCHFLAGS="-arch arm64"
ENV TARGET_ARCHITECTURE=core GPU_ARCHS=gfx942 PYTORCH_ROCM_ARCH=gfx90a INFER_NUM_DEVICE_ARCHITECTURES=1
ENV FLASH_ATTENTION_FORCE_BUILD=TRUE
RUN icpx -fsycl -Xsycl-target-backend --offload-arch=sm_80 a.cpp -o a
RUN nvprune --generate-code arch=compute_80,code=sm_80 libbig.a -o libsmall.a
"#,
        says: &[],
        quiet: &[],
    },
    Case {
        name: "names that look like an arch list are none",
        text: r#"FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
ENV NVCC_APPEND_FLAGS="--threads 32" MAX_JOBS=8 CMAKE_ARCH=sm_80 GPU_ARCHS=gfx942
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG101", Error, 3)],
        quiet: &[],
    },
    Case {
        name: "an image for another maker's GPU",
        text: r"FROM rocm/pytorch:rocm6.2_ubuntu22.04_py3.10_pytorch_release_2.3.0
RUN git clone https://github.com/NVIDIA/apex /apex && cd /apex && python setup.py install --cpp_ext --cuda_ext
",
        says: &[],
        quiet: &[],
    },
    Case {
        name: "text that mentions a build",
        text: r#"FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN echo 'nvcc -o t t.cu' > /usr/local/bin/rebuild.sh
RUN make -n all
RUN nvcc --version
RUN cat <<'EOF' > /tmp/setup.patch
--- a/setup.py
+++ b/setup.py
-CUDAExtension('ops', ['ops.cu'])
+RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
EOF
# ENV TORCH_CUDA_ARCH_LIST="3.5"
# RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
ENV TORCH_CUDA_ARCH_LIST="8.0+PTX"
"#,
        says: &[],
        quiet: &[],
    },
];
