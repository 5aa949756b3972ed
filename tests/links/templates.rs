//! Templates of Azure Pipelines.
use crate::{answer, report, repository};

#[test]
fn jobs_steps_and_variables_come_from_templates() {
    let text = r###"== ci/azure-pipelines.yml
parameters:
- {name: list, default: "7.0+PTX"}
variables:
  TORCH_CUDA_ARCH_LIST: "5.2"
jobs:
- template: /ci/jobs/build.yml
  parameters: {list: "8.0+PTX"}
- job: own
  container: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
  variables:
  - template: vars.yml
  - {name: five, value: "5.0"}
  steps:
  - template: steps/wheel.yml
    parameters: {list: "${{ parameters.list }}"}
  - bash: TORCH_CUDA_ARCH_LIST=$(left) pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
  - bash: TORCH_CUDA_ARCH_LIST="$(five);$TORCH_CUDA_ARCH_LIST" pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
  - template: steps/loop.yml
== ci/jobs/build.yml
parameters:
- name: list
jobs:
- job: rows
  container: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
  strategy: {matrix: {a: {more: ";9.0"}, b: {more: ""}}}
  variables: {all: "7.5$(more)"}
  steps:
  - template: ../steps/wheel.yml
    parameters: {list: "${{ parameters.list }}"}
  - bash: pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
  - bash: TORCH_CUDA_ARCH_LIST="$(all)+PTX" pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
== ci/steps/wheel.yml
parameters: {list: ""}
steps:
- bash: |
    echo "##vso[task.setvariable variable=left]8.9+PTX"
    TORCH_CUDA_ARCH_LIST=${{ parameters.list }} pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
== ci/vars.yml
variables: {five: "6.0", TORCH_CUDA_ARCH_LIST: "6.0+PTX"}
== ci/steps/loop.yml
steps:
- template: loop.yml
"###;
    let root = repository("templates", text);
    assert_eq!(
        answer(&report(&root, "ci/azure-pipelines.yml")),
        [
            "6 gsplat sm_80+compute_80 < ci/steps/wheel.yml:5 < ci/jobs/build.yml:9",
            "6 gsplat sm_52 < ci/jobs/build.yml:11",
            "6 gsplat sm_75+sm_90+compute_90 < ci/jobs/build.yml:12",
            "6 gsplat sm_75+compute_75 < ci/jobs/build.yml:12",
            "14 gsplat sm_70+compute_70 < ci/steps/wheel.yml:5",
            "16 gsplat sm_89+compute_89",
            "17 gsplat sm_50+sm_60+compute_60",
            "KIMG204:6",
            "KIMG005:18",
        ]
    );
}
