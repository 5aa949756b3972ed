//! `devcontainer.json`: what runs in the container; that it lends arguments is in `callers`.
use super::{GSPLAT, check};

#[test]
fn devcontainer() {
    let in_image = r#"// for people
{
  "image": "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel",
  "containerEnv": {"LIST": "${localEnv:LIST:8.0}", "TORCH_CUDA_ARCH_LIST": "9.0+PTX"},
  "initializeCommand": "BUILD",
  "onCreateCommand": "export TORCH_CUDA_ARCH_LIST=8.9; BUILD",
  "postCreateCommand": {
    "a": "BUILD",
    /* each beside the others */
    "b": ["bash", "-c", "TORCH_CUDA_ARCH_LIST=\"$LIST;9.0+PTX\" BUILD"],
  },
  // kimg-lint: ignore[KIMG103] nobody attaches
  "postAttachCommand": "unset TORCH_CUDA_ARCH_LIST && BUILD",
}
"#;
    let built = r#"{
  "build": {"dockerfile": "Dockerfile"},
  "features": {"./cuda": {}},
  "remoteEnv": {"TORCH_CUDA_ARCH_LIST": "9.0"},
  "postCreateCommand": "BUILD"
}
"#;
    let (in_image, built) = (
        in_image.replace("BUILD", GSPLAT),
        built.replace("BUILD", GSPLAT),
    );
    check(&[
        (
            ".devcontainer/devcontainer.json",
            &in_image,
            &[
                "10 8.0;9.0+PTX",
                "13 ",
                "6 8.9",
                "6 KIMG204 Info",
                "8 9.0+PTX",
            ],
        ),
        (".devcontainer.json", &built, &["5 9.0", "5 KIMG204 Info"]),
        (
            ".devcontainer/devcontainer.json",
            "{\"a\": [}",
            &["1 KIMG002 Warning"],
        ),
    ]);
}
