//! What bash knows and the `/bin/sh` of an image does not: a condition goes the other way, a value is not set.
use crate::case::Case;
use kimg_lint::facts::Severity::{Error, Info, Warning};

/// A build of gsplat in a `RUN` that sets a list if `condition` holds, and else another.
macro_rules! chosen {
    ($image:literal, $before:literal, $condition:literal) => {
        concat!(
            "# fleet: H100, B200\nFROM ",
            $image,
            "\nRUN pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/cu128\nARG CUDA=12.8\n",
            $before,
            "RUN if ",
            $condition,
            "; then export TORCH_CUDA_ARCH_LIST='9.0 10.0+PTX'; else export TORCH_CUDA_ARCH_LIST='9.0+PTX'; fi && \\\n    pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\n"
        )
    };
}

const UBUNTU: &[(&str, kimg_lint::facts::Severity, u32)] =
    &[("KIMG005", Info, 5), ("KIMG202", Warning, 6)];

pub const CASES: &[Case] = &[
    Case {
        name: "[[ in dash, the /bin/sh of Ubuntu",
        text: chosen!(
            "nvidia/cuda:12.8.1-devel-ubuntu22.04",
            "",
            "[[ $CUDA == 12.8 ]]"
        ),
        says: UBUNTU,
        quiet: &[],
    },
    Case {
        name: "== in the [ of dash",
        text: chosen!(
            "nvidia/cuda:12.8.1-devel-ubuntu22.04",
            "",
            "[ \"$CUDA\" == 12.8 ]"
        ),
        says: UBUNTU,
        quiet: &[],
    },
    Case {
        name: "(( in dash",
        text: chosen!("nvidia/cuda:12.8.1-devel-ubuntu22.04", "", "((1))"),
        says: UBUNTU,
        quiet: &[],
    },
    Case {
        name: "= in the [ of dash",
        text: chosen!(
            "nvidia/cuda:12.8.1-devel-ubuntu22.04",
            "",
            "[ \"$CUDA\" = 12.8 ]"
        ),
        says: &[],
        quiet: &[6],
    },
    Case {
        name: "[[ in the /bin/sh of Red Hat's family, which is bash",
        text: chosen!(
            "nvidia/cuda:12.8.1-devel-rockylinux9",
            "",
            "[[ $CUDA == 12.8 ]]"
        ),
        says: &[],
        quiet: &[6],
    },
    Case {
        name: "[[ where SHELL names bash",
        text: chosen!(
            "nvidia/cuda:12.8.1-devel-ubuntu22.04",
            "SHELL [\"/bin/bash\", \"-c\"]\n",
            "[[ $CUDA == 12.8 ]]"
        ),
        says: &[],
        quiet: &[7],
    },
    Case {
        name: "[[ where bash is made /bin/sh",
        text: chosen!(
            "nvidia/cuda:12.8.1-devel-ubuntu22.04",
            "RUN ln -sf /bin/bash /bin/sh\n",
            "[[ $CUDA == 12.8 ]]"
        ),
        says: &[],
        quiet: &[7],
    },
    Case {
        name: "[[ where /bin/sh is not known: both may be",
        text: chosen!("registry.example/cuda:12.8", "", "[[ $CUDA == 12.8 ]]"),
        says: &[("KIMG202", Warning, 6)],
        quiet: &[],
    },
    Case {
        name: "a heredoc for bash, and a script that sh runs",
        text: r#"# fleet: H100
FROM pytorch/pytorch:2.7.1-cuda12.8-cudnn9-devel
RUN <<EOF
#!/bin/bash
if [[ -n 1 ]]; then export TORCH_CUDA_ARCH_LIST=9.0+PTX; fi
pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
EOF
RUN bash -c 'declare -x TORCH_CUDA_ARCH_LIST=9.0+PTX; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat'
SHELL ["/bin/bash", "-c"]
RUN sh -c 'declare -x TORCH_CUDA_ARCH_LIST=9.0+PTX; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat'
"#,
        says: &[("KIMG005", Info, 10), ("KIMG103", Error, 10)],
        quiet: &[6, 8],
    },
    Case {
        name: "+= and source in dash do nothing",
        text: r#"FROM pytorch/pytorch:2.7.1-cuda12.8-cudnn9-devel
ENV TORCH_CUDA_ARCH_LIST=9.0+PTX
RUN TORCH_CUDA_ARCH_LIST+=';8.0'; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN echo 'export TORCH_CUDA_ARCH_LIST=banana' > /list.sh; source /list.sh; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN . /list.sh; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[
            ("KIMG005", Info, 3),
            ("KIMG005", Info, 4),
            ("KIMG105", Error, 5),
        ],
        quiet: &[3, 4],
    },
    Case {
        name: "what dash cannot read at all ends its script: read as it is meant",
        text: r#"FROM pytorch/pytorch:2.7.1-cuda12.8-cudnn9-devel
RUN LISTS=(9.0 9.0+PTX) && TORCH_CUDA_ARCH_LIST=${LISTS[*]} pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"#,
        says: &[("KIMG005", Info, 2)],
        quiet: &[2],
    },
    Case {
        name: "an array grows by elements, also one that has a single one or none",
        text: r#"# fleet: H100
FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
SHELL ["/bin/bash", "-c"]
RUN git clone https://github.com/ggml-org/llama.cpp /l
RUN A=(-DGGML_CUDA=ON); A+=(-DCMAKE_CUDA_ARCHITECTURES=90); cmake -S /l -B /b "${A[@]}"
RUN A=(); A+=(-DGGML_CUDA=ON); A+=(-DCMAKE_CUDA_ARCHITECTURES=90); cmake -S /l -B /b "${A[@]}"
RUN declare -a A=(-DGGML_CUDA=ON) B; declare A+=(-DCMAKE_CUDA_ARCHITECTURES=90); cmake -S /l -B /b "${A[@]}"
RUN build() { local -a A=(); A+=(-DGGML_CUDA=ON "$@"); cmake -S /l -B /b "${A[@]}"; }; build -DCMAKE_CUDA_ARCHITECTURES=80
RUN A=(-gencode); A+=("arch=compute_90,code=[sm_90,compute_90]"); nvcc "${A[@]}" -o a a.cu
RUN A=9; A+=0; cmake -S /l -B /b -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=$A
RUN A=(-DGGML_CUDA=ON); A+=(-DCMAKE_CUDA_ARCHITECTURES=80) true; cmake -S /l -B /b "${A[@]}"
"#,
        says: &[("KIMG202", Warning, 8), ("KIMG202", Warning, 11)],
        quiet: &[5, 6, 7, 9, 10],
    },
    Case {
        name: "a list that is put together: by the elements of an array, from round to round, as a default",
        text: r##"# fleet: A100, H100
FROM pytorch/pytorch:2.7.1-cuda12.8-cudnn9-devel
SHELL ["/bin/bash", "-c"]
RUN f() { local A=("$@"); export TORCH_CUDA_ARCH_LIST="${A[*]}"; }; f 8.0 9.0+PTX; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN f() { export TORCH_CUDA_ARCH_LIST="$*"; }; f 8.0 9.0+PTX; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN A=(8.0 9.0+PTX); IFS=";"; export TORCH_CUDA_ARCH_LIST="${A[*]}"; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN L=""; for a in 8.0 9.0+PTX; do L="$L;$a"; done; export TORCH_CUDA_ARCH_LIST="${L#;}"; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN A=(); for a in 8.0 9.0; do if [ $a = 9.0 ]; then a+="+PTX"; fi; A+=("$a"); done; export TORCH_CUDA_ARCH_LIST="${A[*]}"; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN if grep -q x /etc/hosts; then L=8.0; else L=8.0+PTX; fi; L+=" 9.0+PTX"; export TORCH_CUDA_ARCH_LIST="$L"; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN : "${TORCH_CUDA_ARCH_LIST:=8.0 9.0+PTX}"; export TORCH_CUDA_ARCH_LIST; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"##,
        says: &[],
        quiet: &[4, 5, 6, 7, 8, 9, 10],
    },
    Case {
        name: "what is read or left over is not known",
        text: r##"# fleet: A100, H100
FROM pytorch/pytorch:2.7.1-cuda12.8-cudnn9-devel
SHELL ["/bin/bash", "-c"]
RUN A=(8.0 9.0); printf -v TORCH_CUDA_ARCH_LIST "%s;" "${A[@]}"; export TORCH_CUDA_ARCH_LIST; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN IFS=, read -ra A <<< "8.0,9.0+PTX"; export TORCH_CUDA_ARCH_LIST="${A[*]}"; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
RUN A=(x 8.0 9.0+PTX); unset "A[0]"; export TORCH_CUDA_ARCH_LIST="${A[*]}"; pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
"##,
        says: &[],
        quiet: &[4, 5, 6],
    },
];
