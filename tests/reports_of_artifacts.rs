//! Reports of error 209 and its relatives that a built file decides, each re-created in small from what the thread says; named
//! `owner/repository#number`. And what is never a pass.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

#[path = "built/mod.rs"]
mod built;

use assert_cmd::Command;
use built::{elf, pe, zip};
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(".kimg-lint.yaml"), "root: true\n").unwrap();
    folder
}

/// Exit status, and output with complaints.
fn verify(here: &Path, args: &[&str]) -> (i32, String) {
    let output = Command::cargo_bin("kimg-lint")
        .unwrap()
        .current_dir(here)
        .env_clear()
        .args(["verify", "--format", "concise"])
        .args(args)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(text).unwrap(),
    )
}

/// A report: what was built, what is asked, and what is to be said.
struct Case {
    name: &'static str,
    /// The file, and its containers.
    files: &'static [(&'static str, &'static [&'static str])],
    args: &'static [&'static str],
    status: i32,
    /// For each finding its code and a piece of its message.
    says: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        name: "facebookresearch/maskrcnn-benchmark#167: an extension without device code",
        files: &[("mask/_C.cpython-310-x86_64-linux-gnu.so", &[])],
        args: &["--expect", "7.0", "mask/_C.cpython-310-x86_64-linux-gnu.so"],
        status: 1,
        says: &[("KIMG404", "no device code")],
    },
    Case {
        name: "NVIDIA/torch-harmonics#239: a wheel with a CUDA label and none",
        files: &[(
            "acme-1.0+cu128-cp311-cp311-manylinux_2_28_x86_64.whl!acme/_ops.so",
            &[],
        )],
        args: &["--fleet", "A100,H100"],
        status: 1,
        says: &[("KIMG404", "+cu128")],
    },
    Case {
        name: "merzlab/QUICK#181: less than was declared, and every GPU is served",
        files: &[("libacme.so", &["sm_70"])],
        args: &[
            "--fleet",
            "V100,T4",
            "--expect",
            "70-real;75-real",
            "--fail-on",
            "error",
        ],
        status: 0,
        says: &[("KIMG405", "sm_75 missing")],
    },
    Case {
        name: "camenduru/TostUI#19: the same major, and a higher minor",
        files: &[("site-packages/acme_flex/_C.so", &["sm_86 sm_89 sm_120"])],
        args: &["--fleet", "A100,RTX 4090"],
        status: 1,
        says: &[("KIMG401", "A100")],
    },
    Case {
        name: "nf-core/proteinfold#349: a framework that lacks the GPU",
        files: &[("base/libframe.so", &["sm_60 sm_70 sm_75 sm_80 sm_86"])],
        args: &["--fleet", "A100,H100"],
        status: 1,
        says: &[("KIMG401", "H100")],
    },
    Case {
        name: "faiss-wheels/faiss-wheels#151: less than it claims",
        files: &[("libsearch.so", &["sm_70 sm_80"])],
        args: &["--fleet", "A100,H100", "--expect", "7.0;8.0;9.0"],
        status: 1,
        says: &[("KIMG401", "H100"), ("KIMG405", "sm_90 missing")],
    },
    Case {
        name: "state-spaces/mamba#1019: neither of the newest GPUs",
        files: &[("scan_cuda.so", &["sm_75 sm_80 sm_87 sm_90"])],
        args: &["--fleet", "H100,B300,GB10"],
        status: 1,
        says: &[("KIMG401", "(10.3), NVIDIA GB10 (12.1)")],
    },
    Case {
        name: "state-spaces/mamba#1019: a lower minor of the same major serves them",
        files: &[("scan_cuda.so", &["sm_90 sm_100 sm_120"])],
        args: &["--fleet", "H100,B300,GB10"],
        status: 0,
        says: &[],
    },
    Case {
        name: "microsoft/onnxruntime#27528: PTX with a suffix is for one GPU",
        files: &[("libproviders.so", &["sm_75 sm_80 sm_86 sm_90 compute_90a"])],
        args: &["--fleet", "GB10"],
        status: 1,
        says: &[("KIMG401", "compute_90a is for its own GPUs only")],
    },
    Case {
        name: "bitsandbytes-foundation/bitsandbytes#310: a library of Windows",
        files: &[("libbits.dll", &["sm_75 sm_80 sm_86"])],
        args: &["--fleet", "V100"],
        status: 1,
        says: &[("KIMG401", "V100")],
    },
    Case {
        name: "vllm-project/vllm#39233: Thor is of another major than it was called",
        files: &[("serve/_C.abi3.so", &["sm_87 sm_89 sm_90 sm_100 sm_120"])],
        args: &["--fleet", "11.0"],
        status: 1,
        says: &[("KIMG401", "11.0")],
    },
    Case {
        name: "pypi/support#10686: a list that was trimmed to save space",
        files: &[(
            "acme_cuda-1.0-cp312-cp312-manylinux_2_28_x86_64.whl!acme/_C.so",
            &["sm_86 sm_89 sm_90"],
        )],
        args: &["--fleet", "T4,A100,RTX 4090"],
        status: 1,
        says: &[("KIMG401", "T4 (7.5), NVIDIA A100")],
    },
    Case {
        name: "pypi/support#10686: a smaller one that serves all of them",
        files: &[(
            "acme_cuda-1.0-cp312-cp312-manylinux_2_28_x86_64.whl!acme/_C.so",
            &["sm_75 sm_80 sm_90"],
        )],
        args: &["--fleet", "T4,A100,RTX 4090"],
        status: 0,
        says: &[],
    },
    Case {
        name: "vllm-project/vllm#56548: a helper of the project put a suffix to it",
        files: &[("serve/_C.abi3.so", &["sm_75 sm_80 sm_90a sm_100a sm_120"])],
        args: &["--fleet", "B200,B300"],
        status: 1,
        says: &[("KIMG401", "(10.3): sm_100a is for its own GPUs only")],
    },
    Case {
        name: "Wan-Video/Wan2.1#354: one library a GPU, and none for this",
        files: &[
            ("sage/_q_sm80.so", &["sm_80"]),
            ("sage/_q_sm89.so", &["sm_89"]),
        ],
        args: &["--fleet", "H20"],
        status: 1,
        says: &[("KIMG401", "H20"), ("KIMG401", "H20")],
    },
    Case {
        name: "unslothai/unsloth#5930: PTX serves it, whatever a table of names says",
        files: &[(
            "libgg.so",
            &[
                "sm_86 sm_89 sm_90 sm_120a compute_86 compute_89 compute_90 compute_100 compute_120a",
            ],
        )],
        args: &["--fleet", "B300", "--fail-on", "error"],
        status: 0,
        says: &[("KIMG402", "B300")],
    },
    Case {
        name: "vllm-project/vllm#49904: built on the GPU, and not for it",
        files: &[("serve/_C.abi3.so", &["sm_75 compute_75"])],
        args: &["--fleet", "GB10", "--expect", "12.1"],
        status: 1,
        says: &[
            ("KIMG402", "GB10"),
            ("KIMG405", "sm_121 missing; sm_75, compute_75 not declared"),
        ],
    },
    Case {
        name: "containers/ramalama#759: PTX that the driver is too old for",
        files: &[("libgg.so", &["sm_75 sm_90 compute_75@8.7"])],
        args: &["--fleet", "RTX 4090", "--driver", "565"],
        status: 1,
        says: &[("KIMG406", "driver 565")],
    },
    Case {
        name: "containers/ramalama#759: machine code beside it does not ask the driver",
        files: &[("libgg.so", &["sm_75 sm_90 compute_75@8.7"])],
        args: &["--fleet", "T4,H100", "--driver", "565"],
        status: 0,
        says: &[],
    },
    Case {
        name: "fauxpilot/fauxpilot#19: the same with an older driver",
        files: &[("libfast.so", &["sm_70 sm_75 compute_75@7.7"])],
        args: &["--fleet", "RTX 3060", "--driver", "470"],
        status: 1,
        says: &[("KIMG406", "driver 470")],
    },
    Case {
        name: "docker/model-runner#929: a GPU that the toolkit dropped",
        files: &[("libgg.so", &["sm_75 sm_80 sm_86 sm_89 sm_120 sm_121"])],
        args: &["--fleet", "GTX 1080 Ti", "--driver", "580"],
        status: 1,
        says: &[("KIMG401", "6.1")],
    },
    Case {
        name: "NVlabs/tiny-cuda-nn#490: the module of another GPU",
        files: &[("tiny/_86_C.so", &["sm_86 compute_86"])],
        args: &["--fleet", "V100"],
        status: 1,
        says: &[("KIMG401", "V100")],
    },
    Case {
        name: "vllm-project/vllm#1950: six declared, one embedded",
        files: &[("serve/_C.so", &["sm_89"])],
        args: &[
            "--fleet",
            "V100,A100,L4",
            "--expect",
            "7.0;7.5;8.0;8.6;8.9;9.0+PTX",
        ],
        status: 1,
        says: &[("KIMG401", "V100"), ("KIMG405", "sm_70")],
    },
    Case {
        name: "microsoft/onnxruntime#10781: compiled at every start",
        files: &[(
            "libproviders.so",
            &["sm_37 sm_50 sm_52 sm_60 sm_61 sm_70 compute_70"],
        )],
        args: &["--fleet", "A100", "--fail-on", "error"],
        status: 0,
        says: &[("KIMG402", "A100")],
    },
    Case {
        name: "pytorch/pytorch#18359: the union looks perfect",
        files: &[("libacme_gpu.so", &["sm_61", "sm_30 compute_30"])],
        args: &["--fleet", "GTX 1080 Ti", "--fail-on", "error"],
        status: 0,
        says: &[("KIMG402", "1 of 2 containers")],
    },
    Case {
        name: "huggingface/kernels#707: it loads, and has nothing for the GPU",
        files: &[("flash.abi3.so", &["sm_80 sm_90a"])],
        args: &["--fleet", "H100,B200"],
        status: 1,
        says: &[("KIMG401", "B200")],
    },
];

#[test]
fn reports_that_a_built_file_answers() {
    for (n, case) in CASES.iter().enumerate() {
        let here = folder(&format!("report-{n}"));
        for (path, containers) in case.files {
            let (path, member) = path.split_once('!').unwrap_or((path, ""));
            let library = if path.ends_with(".dll") {
                pe(containers)
            } else {
                elf(containers)
            };
            let bytes = match member {
                "" => library,
                member => zip(&[(member, &library)], 0, 0),
            };
            let path = here.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let named = case.args.iter().any(|arg| arg.ends_with(".so"));
        let args = [case.args, if named { &[] } else { &["."] }].concat();
        let (status, out) = verify(&here, &args);
        assert_eq!(status, case.status, "{}\n{out}", case.name);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), case.says.len(), "{}\n{out}", case.name);
        for (code, piece) in case.says {
            let said = |line: &&&str| line.contains(code) && line.contains(piece);
            assert!(
                lines.iter().any(|line| said(&line)),
                "{}: {code} {piece}\n{out}",
                case.name
            );
        }
    }
}

/// A tar archive of texts.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, text) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap()
}

/// NVIDIA/gpu-operator#420: what an image asks of the machine is in its configuration, not in its files.
#[test]
fn an_image_may_shut_a_gpu_out() {
    let here = folder("required");
    for (environment, fleet, says) in [
        (
            "NVIDIA_REQUIRE_CUDA=cuda>=11.0,arch>=7.0",
            "P4,T4",
            "is not started on Tesla P4 (6.1): it says NVIDIA_REQUIRE_CUDA=cuda>=11.0,arch>=7.0",
        ),
        ("NVIDIA_REQUIRE_ARCH=arch>=7.0", "P4", "Tesla P4"),
        ("NVIDIA_REQUIRE_ARCH=arch>=7.0", "T4,A100", ""),
        // An alternative that the fleet does not decide.
        ("NVIDIA_REQUIRE_CUDA=cuda>=11.0 arch>=7.0", "P4", ""),
        (
            "NVIDIA_REQUIRE_ARCH=arch>=7.0\",\"NVIDIA_DISABLE_REQUIRE=1",
            "P4",
            "",
        ),
        ("NVIDIA_REQUIRE_ARCH=\",\"PATH=/bin", "P4", ""),
    ] {
        let config = "c".repeat(64) + ".json";
        let manifest = format!(r#"[{{"Config":"{config}","RepoTags":["a:1"],"Layers":[]}}]"#);
        let settings = format!(r#"{{"config":{{"Env":["{environment}"]}}}}"#);
        let saved = archive(&[("manifest.json", &manifest), (&config, &settings)]);
        fs::write(here.join("saved.tar"), saved).unwrap();
        let blobs = here.join("layout/blobs/sha256");
        fs::create_dir_all(&blobs).unwrap();
        let index = r#"{"manifests":[{"digest":"sha256:aa"}]}"#;
        let manifest = r#"{"config":{"digest":"sha256:bb"},"layers":[{"digest":"sha256:cc"}]}"#;
        fs::write(here.join("layout/oci-layout"), "{}").unwrap();
        fs::write(here.join("layout/index.json"), index).unwrap();
        fs::write(blobs.join("aa"), manifest).unwrap();
        fs::write(blobs.join("bb"), settings).unwrap();
        fs::write(blobs.join("cc"), archive(&[("etc/os-release", "")])).unwrap();
        for image in ["saved.tar", "layout"] {
            let (status, out) = verify(&here, &["--fleet", fleet, image]);
            assert_eq!(status, i32::from(!says.is_empty()), "{environment}: {out}");
            assert!(out.contains(says), "{environment}: {out}");
            assert_eq!(out.contains("KIMG409"), status == 1, "{environment}: {out}");
        }
    }
}

/// OxfordSKA/OSKAR#41: a Singularity image without code for the cluster's GPUs.
#[test]
fn a_singularity_image_is_read_like_any_other() {
    let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/images/out");
    for (fleet, status) in [("A100,H100", 1), ("H100", 0)] {
        let (ended, out) = verify(&images, &["--fleet", fleet, "plain.sif"]);
        assert_eq!(ended, status, "{out}");
        let missing = out.contains("KIMG401") && out.contains("A100");
        assert_eq!(missing, status == 1, "{out}");
    }
}

/// Every kind of file that cannot be read wholly ends with status 2, whatever the threshold, and says what is missing.
#[test]
fn what_cannot_be_read_is_never_a_pass() {
    let library = elf(&["sm_80"]);
    let mut damaged = library.clone();
    damaged[0x40 + 6] = 0;
    let cut = &library[..0x60];
    let mut wrong = zip(&[("a.so", &library)], 0, 0);
    let at = 30 + 4 + 0x70;
    wrong[at] ^= 1;
    let mut sif = vec![0; 256];
    sif[32..41].copy_from_slice(b"SIF_MAGIC");
    let saved = archive(&[(
        "manifest.json",
        r#"[{"RepoTags":["a:1"],"Layers":["gone/layer.tar"]}]"#,
    )]);
    let here = folder("never-a-pass");
    for (name, bytes, says) in [
        ("damaged.so", &damaged[..], "container header of 0 bytes"),
        ("cut.so", cut, ""),
        (
            "encrypted.whl",
            &zip(&[("a.so", &library)], 1, 0),
            "encrypted",
        ),
        (
            "method.zip",
            &zip(&[("a.so", &library)], 0, 93),
            "method 93, which is not supported",
        ),
        ("checksum.zip", &wrong, "checksum"),
        (
            "cut.zip",
            &zip(&[("a.so", &library)], 0, 0)[..200],
            "cut off or damaged",
        ),
        (
            "image.sif",
            &sif,
            "a Singularity image without a file system",
        ),
        ("model.plan", b"ftrt\0\0\0\0", "a TensorRT engine"),
        (
            "exported.engine",
            b"\x07\0\0\0{\"a\":1}ftrt\0\0",
            "a TensorRT engine",
        ),
        (
            "image.squashfs",
            &[&b"hsqs"[..], &[0; 200]].concat(),
            "squashfs version 0",
        ),
        (
            "files.7z",
            &[&b"7z\xbc\xaf\x27\x1c"[..], &[0; 200]].concat(),
            "which is not supported",
        ),
        ("image.tar", &saved, "is not there"),
        ("half.gz", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1], ""),
        ("half.zst", b"\x28\xb5\x2f\xfd\x04", ""),
    ] {
        fs::write(here.join(name), bytes).unwrap();
        let (status, out) = verify(&here, &["--fail-on", "never", "--fleet", "A100", name]);
        assert_eq!(status, 2, "{name}: {out}");
        assert!(
            out.contains("KIMG408") && out.contains(says),
            "{name}: {out}"
        );
    }
    let deep = zip(&[("b.zip", &zip(&[("a.so", &library)], 0, 0))], 0, 0);
    fs::write(here.join("deep.zip"), deep).unwrap();
    for (args, says) in [
        (&["nothere.so"][..], "No such file"),
        (&["--max-depth", "1", "deep.zip"], "--max-depth"),
        (&["--max-size", "100", "deep.zip"], "--max-size"),
    ] {
        let args = [&["--fail-on", "never", "--fleet", "A100"], args].concat();
        let (status, out) = verify(&here, &args);
        assert_eq!(status, 2, "{args:?}: {out}");
        assert!(
            out.contains("KIMG408") && out.contains(says),
            "{args:?}: {out}"
        );
    }
}
