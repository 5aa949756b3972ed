//! Azure Pipelines.
use super::{GSPLAT, check};

#[test]
fn azure() {
    let pipeline = r###"variables:
  list: "8.0"
  TORCH_CUDA_ARCH_LIST: "$(list)+PTX"
resources:
  containers:
  - container: cuda
    image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel
stages:
- stage: a
  variables:
  - group: secrets
  - name: list
    value: "8.6"
  jobs:
  - job: rows
    pool: {vmImage: ubuntu-latest}
    container: cuda
    strategy:
      matrix:
        new: {list: "9.0", skip: "no"}
        old: {list: "7.5", skip: "yes"}
    steps:
    - script: BUILD
    - bash: |
        export TORCH_CUDA_ARCH_LIST=8.9
    - task: Bash@3
      condition: and(succeeded(), ne(variables['skip'], 'yes'))
      inputs:
        targetType: inline
        script: |
          TORCH_CUDA_ARCH_LIST="8.9;$(list)+PTX" BUILD
  - job: later
    container: cuda
    variables: {other: ""}
    steps:
    - bash: |
        echo "##vso[task.setvariable variable=TORCH_CUDA_ARCH_LIST]8.0;9.0+PTX"
        BUILD
    - bash: BUILD
    - bash: BUILD
      env: {TORCH_CUDA_ARCH_LIST: $(secret)}
    - pwsh: |
        Write-Host "##vso[task.setvariable variable=own]7.5+PTX"
    - bash: TORCH_CUDA_ARCH_LIST=$(own) BUILD
- stage: b
  jobs:
  - deployment: out
    container: {image: "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel"}
    strategy: {runOnce: {deploy: {steps: [{bash: BUILD}]}}}
  - ${{ if eq(variables['list'], '8.0') }}:
    - job: windows
      pool: {vmImage: windows-2022}
      steps:
      - script: |
          set TORCH_CUDA_ARCH_LIST=8.9+PTX
          BUILD
"###;
    let template = r###"parameters:
- {name: list, default: "8.0+PTX"}
- {name: other}
steps:
- bash: TORCH_CUDA_ARCH_LIST="${{ parameters.list }}" BUILD
- ${{ if eq(parameters.other, 'x') }}:
  - bash: TORCH_CUDA_ARCH_LIST="${{ parameters.other }}" BUILD
- ${{ if eq(parameters.list, '') }}:
  - bash: BUILD
"###;
    let (pipeline, template) = (
        pipeline.replace("BUILD", GSPLAT),
        template.replace("BUILD", GSPLAT),
    );
    check(&[
        (
            "azure-pipelines.yml",
            &pipeline,
            &[
                "23 7.5+PTX",
                "23 9.0+PTX",
                "31 8.9;9.0+PTX",
                "38 8.6+PTX",
                "39 8.0;9.0+PTX",
                "40 ",
                "40 KIMG004 Info",
                "44 7.5+PTX",
                "49 8.0+PTX",
                "56 8.9+PTX",
                "56 KIMG303 Error",
                "56 KIMG305 Error",
            ],
        ),
        (
            ".azure-pipelines/steps/wheels.yml",
            &template,
            &["5 8.0+PTX", "7 ", "7 KIMG004 Info"],
        ),
        (
            "azure-pipelines.yml",
            "jobs:\n- template: jobs/build.yml\n",
            &["2 KIMG005 Info"],
        ),
    ]);
}
