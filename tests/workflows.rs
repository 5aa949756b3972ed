//! GitHub workflows and actions: what is built in which line and world, and what is said about it.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
use kimg_lint::config::{Config, Layer};
use kimg_lint::facts::{Compiles, Severity};
use kimg_lint::lint::lint_text;
use std::path::Path;

/// The extension that most of the cases build.
const BUILD: &str =
    "pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat";

/// Builds as line, list and worlds, findings as line, code and severity.
fn said(path: &str, text: &str) -> Vec<String> {
    let config = Config::new(&[]).unwrap();
    let place = Path::new("/repository").join(path);
    let report = lint_text(path, text, &config, &place).unwrap();
    let compiled = report
        .builds
        .iter()
        .filter(|build| build.compiles != Compiles::No);
    let builds = compiled.map(|build| {
        let line = format!(
            "{} {} {}",
            build.span.line,
            build.arch.text,
            build.worlds.join("|")
        );
        line.trim_end().to_owned()
    });
    let listed = [
        "KIMG101", "KIMG102", "KIMG103", "KIMG104", "KIMG105", "KIMG106", "KIMG107", "KIMG002",
    ];
    let findings = report.findings.iter();
    let findings = findings.filter(|finding| listed.contains(&finding.code.as_str()));
    let findings = findings.map(|f| format!("{} {} {:?}", f.span.line, f.code, f.severity));
    let mut said: Vec<String> = builds.chain(findings).collect();
    said.sort();
    said.dedup();
    said
}

/// Whether a rule speaks of a workflow.
fn speaks(code: &str, text: &str) -> bool {
    let path = ".github/workflows/a.yml";
    let config = Config::new(&[]).unwrap();
    let report = lint_text(path, text, &config, &Path::new("/repository").join(path)).unwrap();
    report.findings.iter().any(|finding| finding.code == code)
}

/// A job in a CUDA image with `steps`, which begin in line 6; `BUILD` stands for the build.
fn job(steps: &str) -> Vec<String> {
    let text = format!(
        "jobs:\n  a:\n    runs-on: ubuntu-latest\n    container: nvidia/cuda:12.4.1-devel-ubuntu22.04\n    steps:\n{steps}"
    );
    said(".github/workflows/a.yml", &text.replace("BUILD", BUILD))
}

#[test]
fn what_reaches_a_step() {
    for (steps, expected) in [
        (
            "    - run: BUILD\n      env: {TORCH_CUDA_ARCH_LIST: \"8.0+PTX\"}\n",
            vec!["6 8.0+PTX"],
        ),
        (
            "    - run: export TORCH_CUDA_ARCH_LIST=8.0\n    - run: BUILD\n",
            vec!["7", "7 KIMG103 Error"],
        ),
        (
            "    - run: |\n        echo \"TORCH_CUDA_ARCH_LIST=8.0+PTX\" | tee -a \"$GITHUB_ENV\"\n        BUILD\n    - run: BUILD\n",
            vec!["8", "8 KIMG103 Error", "9 8.0+PTX"],
        ),
        (
            "    - run: echo TORCH_CUDA_ARCH_LIST=8.0+PTX >> $GITHUB_ENV\n    - run: unset TORCH_CUDA_ARCH_LIST; BUILD\n",
            vec!["7", "7 KIMG101 Error"],
        ),
        ("    - if: false\n      run: BUILD\n", vec![]),
        (
            "    - if: github.ref && env.SKIP == ''\n      env: {SKIP: \"1\"}\n      run: BUILD\n",
            vec![],
        ),
        (
            "    - shell: pwsh\n      run: |\n        \"TORCH_CUDA_ARCH_LIST=9.0+PTX\" >> $env:GITHUB_ENV\n    - run: BUILD\n",
            vec!["9 9.0+PTX"],
        ),
        (
            "    - shell: pwsh\n      run: |\n        $env:TORCH_CUDA_ARCH_LIST = '9.0+PTX'\n        BUILD\n",
            vec!["9 9.0+PTX"],
        ),
        (
            "    - shell: cmd\n      run: |\n        set TORCH_CUDA_ARCH_LIST=9.0+PTX\n        BUILD\n",
            vec!["9 9.0+PTX"],
        ),
        (
            "    - id: l\n      run: echo list=9.0+PTX >> $GITHUB_OUTPUT\n    - run: BUILD\n      env: {TORCH_CUDA_ARCH_LIST: \"${{ steps.l.outputs.list }}\"}\n",
            vec!["8 9.0+PTX"],
        ),
        (
            "    - run: BUILD\n      env: {TORCH_CUDA_ARCH_LIST: \"${{ inputs.list || '9.0+PTX' }}\"}\n",
            vec!["6 9.0+PTX"],
        ),
    ] {
        assert_eq!(job(steps), expected, "{steps}");
    }
}

#[test]
fn a_plain_number_loses_its_zero() {
    let steps = "    - run: BUILD\n      env: {TORCH_CUDA_ARCH_LIST: 8.0}\n";
    assert_eq!(job(steps), ["6 8", "6 KIMG105 Error"]);
}

#[test]
fn a_matrix_is_a_world_a_row() {
    let text = "
jobs:
  a:
    strategy:
      matrix:
        cuda: ['11.8.0', '12.4.1']
        include:
        - {cuda: '12.4.1', list: '9.0+PTX'}
    runs-on: ubuntu-latest
    container: nvidia/cuda:${{ matrix.cuda }}-devel-ubuntu22.04
    env: {TORCH_CUDA_ARCH_LIST: \"${{ matrix.list }}\"}
    steps:
    - run: BUILD
    - if: matrix.cuda != '11.8.0'
      run: CUMM_CUDA_ARCH_LIST=all BUILD
";
    assert_eq!(
        said(".github/workflows/a.yml", &text.replace("BUILD", BUILD)),
        [
            "13  cuda=11.8.0",
            "13 9.0+PTX cuda=12.4.1",
            "13 KIMG106 Error",
            "15 9.0+PTX cuda=12.4.1",
        ]
    );
}

#[test]
fn rows_on_windows_are_all_there_is() {
    let text = "
jobs:
  a:
    strategy:
      matrix:
        include:
        - {os: windows-2022, list: '8.0+PTX'}
        - {os: windows-2022, list: '9.0+PTX'}
    runs-on: ${{ matrix.os }}
    container: nvidia/cuda:12.4.1-devel-ubuntu22.04
    env: {TORCH_CUDA_ARCH_LIST: \"${{ matrix.list }}\"}
    steps:
    - run: BUILD
";
    assert_eq!(
        said(".github/workflows/a.yml", &text.replace("BUILD", BUILD)),
        ["13 8.0+PTX list=8.0+PTX", "13 9.0+PTX list=9.0+PTX"]
    );
}

#[test]
fn a_key_that_is_computed_leaves_the_others_of_a_matrix() {
    let step = |machines: &str| {
        let text = format!(
            "jobs:\n  a:\n    strategy:\n      matrix:\n        os: {machines}\n        model: ${{{{ fromJson(needs.b.outputs.models) }}}}\n    runs-on: ${{{{ matrix.os }}}}\n    steps:\n    - run: |\n        foreach ($i in Get-ChildItem Env:) {{ echo (1 }}\n"
        );
        said(".github/workflows/a.yml", &text).is_empty()
    };
    assert!(step("[windows-2022]"));
    assert!(!step("[ubuntu-24.04]"));
    assert!(!step("[ubuntu-24.04, windows-2022]"));
}

#[test]
fn a_step_for_the_rows_of_another_shell_is_no_fault() {
    let step = |rest: &str| {
        let text = format!(
            "jobs:\n  a:\n    strategy:\n      matrix:\n        os: [ubuntu-24.04, windows-2022]\n    runs-on: ${{{{ matrix.os }}}}\n    steps:\n    - run: |\n        Get-ChildItem Env: | ForEach-Object {{ $all[$_.Name] = \"$(\" }}\n{rest}"
        );
        said(".github/workflows/a.yml", &text)
    };
    let own = "      if: startsWith(matrix.os, 'windows')\n";
    assert_eq!(step(own), Vec::<String>::new());
    assert_ne!(step(""), Vec::<String>::new());
    assert_ne!(
        step(&format!("{own}      shell: bash\n")),
        Vec::<String>::new()
    );
}

#[test]
fn what_nobody_reads_may_install_nvcc() {
    let missing = |runner: &str, step: &str| {
        let text = format!(
            "jobs:\n  a:\n    runs-on: {runner}\n    steps:\n{step}    - run: TORCH_CUDA_ARCH_LIST=8.0+PTX {BUILD}\n"
        );
        speaks("KIMG303", &text)
    };
    for (runner, step, expected) in [
        ("ubuntu-24.04", "", true),
        (
            "ubuntu-24.04",
            "    - run: python -c 'import torch; print(torch.version.cuda)'\n",
            true,
        ),
        (
            "ubuntu-24.04",
            "    - run: python tools/lint.py --cuda\n",
            true,
        ),
        (
            "ubuntu-24.04",
            "    - run: uv run --no-project python \"$GITHUB_WORKSPACE/ci/get_cuda.py\" install\n",
            false,
        ),
        (
            "windows-2022",
            "    - run: .\\tools\\setup_cuda.ps1\n",
            false,
        ),
        (
            "windows-2022",
            "    - shell: bash\n      run: PowerShell -Command \"Start-Process -FilePath cuda_12.6.0_windows.exe -Wait\"\n",
            false,
        ),
        (
            "ubuntu-24.04",
            "    - run: sudo apt-get install -y $(cat packages.txt)\n",
            false,
        ),
        (
            "ubuntu-24.04",
            "    - run: cat packages.txt | xargs sudo apt-get install -y\n",
            false,
        ),
        (
            "ubuntu-24.04",
            "    - run: sudo apt-get install -y linux-headers-$(uname -r)\n",
            true,
        ),
        ("windows-2022", "    - run: choco install cuda -y\n", false),
        (
            "windows-2022",
            "    - run: choco install --version $(cat version) ninja -y\n",
            true,
        ),
        (
            "ubuntu-24.04",
            "    - uses: someone/cache-apt-pkgs-action@v1\n      with: {packages: ninja-build cuda-compiler-12-4}\n",
            false,
        ),
        (
            "ubuntu-24.04",
            "    - uses: someone/cache-apt-pkgs-action@v1\n      with: {packages: ninja-build}\n",
            true,
        ),
    ] {
        assert_eq!(missing(runner, step), expected, "{runner} {step}");
    }
}

#[test]
fn a_job_is_no_image_that_runs() {
    let text = "jobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n    - run: pip install torch==2.6.0 gsplat\n";
    assert!(!speaks("KIMG308", text));
}

#[test]
fn machines_and_actions() {
    let on = |runner: &str, steps: &str| {
        let text = format!("jobs:\n  a:\n    runs-on: {runner}\n    steps:\n{steps}");
        said(".github/workflows/a.yml", &text.replace("BUILD", BUILD))
    };
    let native = "    - run: cmake -S . -B b -DUSE_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native\n";
    assert_eq!(
        on("[self-hosted, a100]", native),
        ["5 KIMG107 Info", "5 native"]
    );
    assert_eq!(
        on("ubuntu-latest", native),
        ["5 KIMG107 Warning", "5 native"]
    );
    assert_eq!(on("macos-14", native), Vec::<String>::new());
    // a job without CUDA builds for the CPU; one that installs a toolkit does not
    let plain = "    - run: cmake -S . -B b\n";
    assert_eq!(on("ubuntu-latest", plain), Vec::<String>::new());
    let toolkit = "    - uses: Jimver/cuda-toolkit@v0.2.16\n      with: {cuda: 12.4.1}\n    - run: nvcc a.cu\n";
    assert_eq!(on("ubuntu-latest", toolkit), ["7", "7 KIMG101 Warning"]);
}

#[test]
fn a_container_sees_what_is_passed() {
    let run = |options: &str| {
        let text = format!(
            "jobs:\n  a:\n    runs-on: ubuntu-latest\n    env: {{TORCH_CUDA_ARCH_LIST: \"8.0+PTX\"}}\n    steps:\n    - run: docker run --rm {options} nvidia/cuda:12.4.1-devel-ubuntu22.04 {BUILD}\n"
        );
        said(".github/workflows/a.yml", &text)
    };
    assert_eq!(run(""), ["6", "6 KIMG103 Error"]);
    assert_eq!(run("-e TORCH_CUDA_ARCH_LIST"), ["6 8.0+PTX"]);
}

#[test]
fn a_composite_action_is_linted_by_itself() {
    let text = "
inputs:
  list: {description: what to compile for}
  fixed: {default: '9.0+PTX'}
runs:
  using: composite
  steps:
  - shell: bash
    run: TORCH_CUDA_ARCH_LIST=\"${{ inputs.fixed }}\" BUILD
  - shell: bash
    run: TORCH_CUDA_ARCH_LIST=\"${{ inputs.list }}\" BUILD
  - shell: bash
    run: TORCH_CUDA_ARCH_LIST=${{ matrix.gpu.list }} BUILD
";
    let said = said("tools/action.yml", &text.replace("BUILD", BUILD));
    assert_eq!(said, ["11", "13", "9 9.0+PTX"]);
}

#[test]
fn the_examples_are_what_they_say() {
    let example = |folder: &str| {
        let path = Path::new("examples")
            .join(folder)
            .join(".github/workflows/wheels.yml");
        let text = std::fs::read_to_string(path).unwrap();
        said(".github/workflows/wheels.yml", &text)
    };
    assert_eq!(
        example("bad"),
        [
            "11",
            "11 KIMG103 Error",
            "23  cuda=12.4.1",
            "23 7.5;8.0+PTX cuda=11.8.0",
            "23 KIMG106 Error"
        ]
    );
    assert_eq!(
        example("good"),
        [
            "12 8.0;8.6;8.9;9.0+PTX",
            "25 7.5;8.0+PTX cuda=11.8.0",
            "25 8.0;9.0+PTX cuda=12.4.1"
        ]
    );
}

#[test]
fn the_gpu_of_a_runner_is_a_fleet_of_its_own() {
    let text = |runner: &str| {
        format!(
            "jobs:\n  a:\n    runs-on: {runner}\n    steps:\n    - run: nvcc -arch=sm_80 -c a.cu\n    - run: pip install torch==2.9.0 --index-url https://download.pytorch.org/whl/cu130\n"
        )
    };
    let said = |runner: &str, config: &str| {
        let path = ".github/workflows/a.yml";
        let layer = Layer::parse(".kimg-lint.yaml", Path::new("/repository"), config).unwrap();
        let layers = [layer];
        let config = Config::new(&layers).unwrap();
        let place = Path::new("/repository").join(path);
        let report = lint_text(path, &text(runner), &config, &place).unwrap();
        let findings = report.findings.iter();
        let listed = findings.filter(|f| ["KIMG201", "KIMG206"].contains(&f.code.as_str()));
        let said = listed.map(|f| format!("{} {} {:?}", f.span.line, f.code, f.severity));
        said.collect::<Vec<_>>()
    };
    assert_eq!(said("gpu-t4-4-core", ""), ["5 KIMG201 Warning"]);
    assert_eq!(
        said("[self-hosted, v100]", ""),
        ["5 KIMG201 Warning", "6 KIMG206 Warning"]
    );
    assert_eq!(said("[self-hosted, a100]", ""), Vec::<String>::new());
    assert_eq!(said("[self-hosted, big]", ""), Vec::<String>::new());
    assert_eq!(
        said("[self-hosted, big]", "runners: {big: T4}"),
        ["5 KIMG201 Warning"]
    );
    // a fleet that is declared is the one that counts
    assert_eq!(
        said("gpu-t4-4-core", "fleet: {f: {gpus: [A100]}}"),
        Vec::<String>::new()
    );
}

/// A machine without CUDA, and a package that does without it by itself: the job may be there for the CPU.
#[test]
fn a_build_without_nvcc_in_a_job_is_likely_for_the_cpu() {
    let job = |steps: &str| {
        let text = format!("jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n{steps}");
        let path = ".github/workflows/a.yml";
        let config = Config::new(&[]).unwrap();
        let place = Path::new("/repository").join(path);
        let report = lint_text(path, &text, &config, &place).unwrap();
        let all = report.findings.iter();
        all.map(|f| f.severity).max()
    };
    let steps = "    - run: pip install torch\n    - run: pip install --no-build-isolation git+https://github.com/facebookresearch/detectron2\n";
    assert_eq!(job(steps), Some(Severity::Warning));
    let steps = steps.replace("facebookresearch/detectron2", "nerfstudio-project/gsplat");
    assert_eq!(job(&steps), Some(Severity::Error));
}
