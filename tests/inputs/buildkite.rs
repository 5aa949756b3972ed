//! Buildkite.
use super::{GSPLAT, check};

#[test]
fn buildkite() {
    let pipeline = r##"env:
  TORCH_CUDA_ARCH_LIST: "8.0+PTX"
steps:
- wait
- label: machine
  agents: {queue: gpu}
  commands:
  - export TORCH_CUDA_ARCH_LIST=$$TORCH_CUDA_ARCH_LIST
  - BUILD
- group: images
  steps:
  - label: "rows {{matrix.cuda}}"
    plugins:
    - docker#v5.11.0:
        image: "pytorch/pytorch:2.5.1-cuda{{matrix.cuda}}-cudnn9-devel"
        environment: ["LIST={{matrix.list}}", "TORCH_CUDA_ARCH_LIST"]
    matrix:
      setup: {cuda: ["12.4", "11.8"], list: ["9.0"]}
      adjustments:
      - with: {cuda: "11.8", list: "9.0"}
        skip: true
      - with: {cuda: "12.1", list: "7.5"}
    commands: |
      # both
      TORCH_CUDA_ARCH_LIST="$$LIST;$$TORCH_CUDA_ARCH_LIST" BUILD
      BUILD
  - plugins:
      docker#v5: {image: "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel", environment: [OTHER], propagate-uid-gid: true}
    command: BUILD
  - plugins: [{"docker-compose#v5": {run: app}}]
    command: BUILD
- command: ["echo", "TORCH_CUDA_ARCH_LIST={{matrix}} BUILD"]
  agents: ["queue=cpu"]
  matrix: ["8.6+PTX", "8.9+PTX"]
"##;
    check(&[(
        ".buildkite/pipeline.yml",
        &pipeline.replace("BUILD", GSPLAT),
        &[
            "25 7.5;8.0+PTX",
            "25 9.0;8.0+PTX",
            "26 8.0+PTX",
            "29 ",
            "29 KIMG103 Error",
            "31 ",
            "31 KIMG004 Info",
            "32 8.6+PTX",
            "32 8.9+PTX",
            "9 8.0+PTX",
        ],
    )]);
}
