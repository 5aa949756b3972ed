//! The compatibility rules as a truth table, and claims of blogs that the facts refute.
#![allow(clippy::unwrap_used)] // clippy allows it in tests, but not in the functions that they call
use kimg_lint::cuda::arch_list::{Consumer, Special, Syntax, parse};
use kimg_lint::cuda::{
    Block, Coverage, Device, DriverBranch, Image, ImageKind, Jit, Target, coverage,
};
use kimg_lint::fleet::resolve;
use kimg_lint::knowledge::TORCH_WHEELS;
use kimg_lint::lint::{Options, observe};

/// `sm_90 compute_80`.
fn images(text: &str) -> Vec<Image> {
    let words = text.split_whitespace().map(|word| {
        let (kind, number) = word.split_once('_').unwrap();
        let target = Target::from_undotted(number).unwrap();
        match kind {
            "sm" => Image::sass(target),
            _ => Image::ptx(target),
        }
    });
    words.collect()
}

/// What the images mean for a GPU: `native`, `jit`, `222`, `223`, `missing` or `unknown`.
fn verdict(code: &str, gpu: &str, toolkit: &str, driver: Option<u16>, jit: Jit) -> &'static str {
    let device = Device {
        driver: driver.map(DriverBranch),
        ..Device::of(gpu.parse().unwrap())
    };
    match coverage(&images(code), &device, toolkit.parse().ok(), jit) {
        Coverage::Native { .. } => "native",
        Coverage::Jit { .. } => "jit",
        Coverage::Blocked { why, .. } => match why {
            Block::IsaTooNew { .. } => "222",
            Block::Disabled => "223",
        },
        Coverage::Missing(_) => "missing",
        Coverage::Unknown(_) => "unknown",
    }
}

#[test]
fn machine_code_and_ptx() {
    //  rule, code, GPU, the toolkit that built it, verdict
    for (rule, code, gpu, toolkit, expected) in [
        (
            "the same major, the same minor",
            "sm_80",
            "8.0",
            "",
            "native",
        ),
        (
            "the same major, a higher minor",
            "sm_80",
            "8.9",
            "",
            "native",
        ),
        ("8.6 on 8.9", "sm_86", "8.9", "", "native"),
        ("not a lower minor", "sm_86", "8.0", "", "missing"),
        ("not a lower minor", "sm_89", "8.6", "", "missing"),
        ("not another major", "sm_75", "8.0", "", "missing"),
        ("not another major", "sm_89", "9.0", "", "missing"),
        ("not another major", "sm_100", "9.0", "", "missing"),
        ("10.0 on 10.3", "sm_100", "10.3", "", "native"),
        ("10.3 on 10.7", "sm_103", "10.7", "", "native"),
        ("Blackwell is three majors", "sm_100", "11.0", "", "missing"),
        (
            "Blackwell is three majors",
            "sm_100 sm_103",
            "12.0",
            "",
            "missing",
        ),
        ("Blackwell is three majors", "sm_120", "10.0", "", "missing"),
        ("12.0 on 12.1", "sm_120", "12.1", "", "native"),
        ("12.1 not on 12.0", "sm_121", "12.0", "", "missing"),
        ("Tegra: exactly", "sm_87", "8.7", "", "native"),
        (
            "Tegra: nothing of the desktop",
            "sm_80 sm_86",
            "8.7",
            "",
            "missing",
        ),
        (
            "Tegra: nothing for the desktop",
            "sm_87",
            "8.9",
            "",
            "missing",
        ),
        ("Tegra: not among themselves", "sm_72", "8.7", "", "missing"),
        (
            "Thor's two names were not measured",
            "sm_101",
            "11.0",
            "12.9",
            "unknown",
        ),
        ("a: one capability", "sm_90a", "9.0", "", "native"),
        ("a: one capability", "sm_100a", "10.3", "", "missing"),
        ("a: one capability", "sm_120a", "12.1", "", "missing"),
        ("f: a family", "sm_100f", "10.3", "12.9", "native"),
        ("f: a family", "sm_120f", "12.1", "13.0", "native"),
        (
            "f: never a lower minor",
            "sm_103f",
            "10.0",
            "13.0",
            "missing",
        ),
        (
            "f: as the toolkit has it",
            "sm_100f",
            "10.7",
            "13.0",
            "missing",
        ),
        (
            "f: as the toolkit has it",
            "sm_100f",
            "10.7",
            "13.4",
            "native",
        ),
        ("f: toolkits differ", "sm_100f", "10.7", "", "unknown"),
        ("PTX: everything newer", "compute_75", "9.0", "", "jit"),
        ("PTX: across majors", "compute_80", "12.0", "", "jit"),
        ("PTX: Tegra too", "compute_72", "8.7", "", "jit"),
        ("PTX: nothing older", "compute_100", "9.0", "", "missing"),
        ("PTX: nothing older", "compute_86", "8.0", "", "missing"),
        (
            "PTX with a: one capability",
            "compute_90a",
            "9.0",
            "",
            "jit",
        ),
        (
            "PTX with a: never forward",
            "compute_90a",
            "10.0",
            "",
            "missing",
        ),
        (
            "PTX with f: the family",
            "compute_100f",
            "10.3",
            "12.9",
            "jit",
        ),
        (
            "PTX with f: not beyond",
            "compute_100f",
            "12.0",
            "12.9",
            "missing",
        ),
        ("machine code wins", "sm_80 compute_80", "8.6", "", "native"),
    ] {
        let found = verdict(code, gpu, toolkit, None, Jit::Allowed);
        assert_eq!(found, expected, "{rule}: {code} on {gpu}");
    }
}

#[test]
fn drivers_and_settings() {
    use Jit::{Allowed, Disabled, Forced};
    //  code, the toolkit that built it, the driver, setting, verdict on 9.0
    for (code, toolkit, driver, jit, expected) in [
        ("compute_80", "12.4", 550, Allowed, "jit"),
        ("compute_80", "12.8", 550, Allowed, "222"),
        ("compute_52", "13.1", 580, Allowed, "222"), // which toolkit wrote it counts, not the target
        ("sm_90", "12.8", 525, Allowed, "native"),   // minor-version compatibility
        ("sm_90 compute_90", "13.1", 580, Allowed, "native"), // PTX beside it is never parsed
        ("compute_80", "12.4", 550, Disabled, "223"),
        ("sm_80 compute_80", "12.4", 550, Disabled, "223"),
        ("sm_80", "12.4", 550, Disabled, "missing"),
        ("sm_90", "12.4", 550, Disabled, "native"),
        ("sm_90", "12.4", 550, Forced, "missing"),
        ("sm_90 compute_80", "12.4", 550, Forced, "jit"),
        ("sm_90 compute_90", "13.1", 580, Forced, "222"),
    ] {
        let found = verdict(code, "9.0", toolkit, Some(driver), jit);
        assert_eq!(
            found, expected,
            "{code} by {toolkit} under {driver}, {jit:?}"
        );
    }
}

#[test]
fn wheels_of_torch() {
    /// The GPUs that a wheel lacks.
    fn lacking(install: &str, gpus: &str) -> String {
        let fleet = gpus.split(", ").map(|name| resolve(name).unwrap());
        let options = Options {
            fleet: fleet.collect(),
            ..Options::default()
        };
        let text = format!("FROM python:3.12\nRUN pip install {install}\n");
        let installs = observe("Dockerfile", &text, &options).installs;
        let gaps = installs.iter().flat_map(|install| &install.fleet.gaps);
        gaps.map(|gap| format!("{:?} {}", gap.kind, gap.gpus.join(", ")))
            .collect::<Vec<_>>()
            .join("; ")
    }
    const INDEX: &str = "--index-url https://download.pytorch.org/whl";
    for (install, gpus, expected) in [
        // complete sets count, partial ones do not, and code of the generation does
        ("torch==2.6.0".to_owned(), "T4, A100, A10, L4, H100", ""),
        ("torch==2.7.1".to_owned(), "L4, RTX 4090", ""),
        (
            "torch==2.6.0".to_owned(),
            "RTX 5090, B200",
            "Toolkit NVIDIA GeForce RTX 5090, NVIDIA B200",
        ),
        (
            format!("torch==2.7.1 {INDEX}/cu128"),
            "RTX 5090, GB10, B200, B300",
            "",
        ),
        // no wheel has PTX, so that none reaches a newer generation
        (
            "torch==1.13.1".to_owned(),
            "H100",
            "Toolkit NVIDIA H100 80GB HBM3",
        ),
        // dropped ends
        (
            format!("torch==2.8.0 {INDEX}/cu128"),
            "V100, P100",
            "Missing Tesla P100-PCIE-16GB",
        ),
        (
            format!("torch==2.11.0 {INDEX}/cu128"),
            "V100",
            "Missing Tesla V100-SXM2-16GB",
        ),
        (
            format!("torch==2.11.0 {INDEX}/cu126"),
            "V100, P40, GTX 1080",
            "",
        ),
        (
            "torch==2.12.0".to_owned(),
            "V100",
            "Toolkit Tesla V100-SXM2-16GB",
        ),
        // old releases
        (
            "torch==1.8.1".to_owned(),
            "A100, T4",
            "Toolkit NVIDIA A100-SXM4-40GB",
        ),
        (
            "torch==1.6.0".to_owned(),
            "A100, V100",
            "Toolkit NVIDIA A100-SXM4-40GB",
        ),
        // desktop code on Tegra
        ("torch==2.6.0".to_owned(), "Orin", "Tegra Orin"),
        // nobody knows
        ("torch".to_owned(), "RTX 5090", ""),
        ("torch==99.0".to_owned(), "RTX 5090", ""),
    ] {
        assert_eq!(lacking(&install, gpus), expected, "{install} on {gpus}");
    }
}

/// Of the claims that the facts refute, those that the model decides; `cuda_golden` has more that were measured.
#[test]
fn claims_that_are_false() {
    let torch = |version: &str, list: &str| {
        let consumer = Consumer {
            torch: version.parse().ok(),
            ..Consumer::default()
        };
        parse(Syntax::Torch, list, &consumer).faults.len()
    };
    for version in ["1.13.1", "2.0.1", "2.4.1", "2.8.0", "2.11.0", "2.15.0"] {
        for list in ["8.0,8.6,8.9", "8.0;8.6;", "8.0 ;8.6"] {
            assert_ne!(
                torch(version, list),
                0,
                "`{list}` works in torch {version}: false"
            );
        }
    }
    let detected = parse(Syntax::Torch, "native", &Consumer::default()).specials;
    assert_eq!(detected[0].0, Special::Native);
    let parsed = |flags: &str| parse(Syntax::Flags, flags, &Consumer::default()).images;
    assert_eq!(
        parsed("-arch=sm_90a").len(),
        3,
        "-arch=sm_90a embeds only sm_90a: false"
    );
    assert_eq!(parsed("-gencode arch=compute_90a,code=sm_90a").len(), 1);
    let ptx = |wheel: &kimg_lint::knowledge::TorchWheel| {
        wheel
            .images()
            .iter()
            .any(|image| image.kind == ImageKind::Ptx)
    };
    assert!(
        !TORCH_WHEELS.iter().any(ptx),
        "wheels of torch carry 12.0+PTX: false"
    );
    let said = |text: &str| {
        let facts = observe("Dockerfile", text, &Options::default());
        let build = facts.builds.first().cloned();
        build
            .map(|build| (build.outcome_text, build.outcome))
            .unwrap()
    };
    let gsplat = "FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel\nRUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\n";
    let (text, _) = said(gsplat);
    assert!(
        text.contains("IndexError"),
        "setup.py falls back to 7.0 and 7.5 without a GPU: false, {text}"
    );
}
