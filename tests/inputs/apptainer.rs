//! Definition files of Apptainer and Singularity.
use super::{GSPLAT, check};

#[test]
fn apptainer() {
    let two_stages = r#"# what people read first
Bootstrap: docker
From: pytorch/pytorch:{{ TORCH }}-cuda12.4-cudnn9-devel
Stage: build

%arguments
    TORCH=2.5.1
    LIST = "8.0;9.0"

%setup
    BUILD

%files
    setup.py /opt/a/setup.py
    # a comment

%environment
    export TORCH_CUDA_ARCH_LIST="8.6"

%post
    BUILD
    export TORCH_CUDA_ARCH_LIST="{{LIST}}+PTX"
    docker ps --format '{{.Names}}'
    BUILD
%post -c /bin/bash
    BUILD
%runscript
    BUILD

BootStrap: localimage
From: base.sif
%files from build
    /opt/a /opt/a
%post
    TORCH_CUDA_ARCH_LIST={{ OTHER }} BUILD
"#;
    check(&[
        (
            "gpu.def",
            &two_stages.replace("BUILD", GSPLAT),
            &[
                "21 ",
                "21 KIMG102 Error",
                "24 8.0;9.0+PTX",
                "26 8.0;9.0+PTX",
                "35 ",
                "35 KIMG004 Info",
            ],
        ),
        (
            "env/Singularity.gpu",
            "BootStrap: docker\nFrom: ubuntu:22.04\n%post -c python3\n    x\n",
            &["3 KIMG005 Info"],
        ),
    ]);
}
