//! `kimg-lint verify` on installed Python packages, and against the build that a Dockerfile describes.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/artifacts/out");
    folder.join(name)
}

/// An empty folder of this test's own, in it the given files: texts, or copies of fixtures where the text begins with `=`.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(".kimg-lint.yaml"), "root: true\n").unwrap();
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match text.strip_prefix('=') {
            Some(name) => drop(fs::copy(fixture(name), path).unwrap()),
            None => fs::write(path, text).unwrap(),
        }
    }
    folder
}

fn run(here: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("kimg-lint")
        .unwrap()
        .current_dir(here)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .args(args)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    (output.status.code().unwrap(), out, err)
}

const RECORD: &str = ",sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,12\n";

/// Two packages, a third that promises device code and has none, and a file that belongs to nobody.
fn site(name: &str) -> PathBuf {
    let record = |files: &[&str]| -> String {
        let lines = files.iter().map(|file| format!("{file}{RECORD}"));
        lines.collect()
    };
    folder(
        name,
        &[
            ("site-packages/acme/_C.so", "=lib.so"),
            ("site-packages/acme/ops/_D.so", "=lib.so"),
            ("site-packages/acme/_E.so", "=lib_two.so"),
            (
                "site-packages/acme-1.2.dist-info/RECORD",
                &record(&[
                    "acme/__init__.py",
                    "acme/_C.so",
                    "acme/ops/_D.so",
                    "acme/_E.so",
                ]),
            ),
            ("site-packages/other/x.fatbin", "=multi.fatbin"),
            (
                "site-packages/other-0.1.dist-info/RECORD",
                &record(&["other/x.fatbin"]),
            ),
            ("site-packages/cpu/x.so", "=host_only.so"),
            (
                "site-packages/cpu-2.0+cu124.dist-info/RECORD",
                &record(&["cpu/x.so"]),
            ),
            ("site-packages/stray.so", "=lib_two.so"),
        ],
    )
}

#[test]
fn files_stand_under_their_packages() {
    let here = site("site");
    let (code, out, err) = run(&here, &["verify", "--fleet", "A100,H100", "site-packages"]);
    let expected = "\
file                           8.0   9.0
site-packages/stray.so           +     x
acme 1.2
site-packages/acme/_C.so +1      +     +
site-packages/acme/_E.so         +     x
other 0.1
site-packages/other/x.fatbin     +     +

 8.0  NVIDIA A100-SXM4-40GB
 9.0  NVIDIA H100 80GB HBM3

+ native: every kernel has machine code
x missing: nothing runs there
";
    assert!(
        out.replace("  9.0\n", " 9.0\n")
            .contains(&expected.replace("  9.0\n", " 9.0\n")),
        "{out}{err}"
    );
    assert_eq!(code, 1);
    assert!(
        out.contains(
            "KIMG404 the package has no device code for any GPU, though its version says +cu124"
        ),
        "{out}"
    );
    let (_, out, _) = run(
        &here,
        &[
            "verify",
            "--fleet",
            "A100",
            "--format",
            "json",
            "site-packages",
        ],
    );
    assert!(out.contains(r#""name": "acme""#), "{out}");
}

/// What is installed in an image is grouped, too: here in the archive of a file system.
#[test]
fn packages_in_archives_are_known() {
    let here = site("site-in-tar");
    let mut archive = tar::Builder::new(fs::File::create(here.join("fs.tar")).unwrap());
    archive
        .append_dir_all("usr/lib/site-packages", here.join("site-packages"))
        .unwrap();
    archive.finish().unwrap();
    let args = [
        "verify", "--fleet", "A100", "--format", "markdown", "fs.tar",
    ];
    let (code, out, err) = run(&here, &args);
    assert!(
        out.contains("| acme 1.2: usr/lib/site-packages/acme/"),
        "{out}{err}"
    );
    assert!(
        out.contains("| fs.tar: usr/lib/site-packages/stray.so |"),
        "{out}"
    );
    assert!(out.contains("KIMG404"), "{out}");
    assert_eq!(code, 1);
}

#[cfg(unix)]
#[test]
fn a_python_says_where_its_packages_lie() {
    use std::os::unix::fs::PermissionsExt;
    let here = site("site-of-python");
    let python = here.join("python");
    let script = format!("#!/bin/sh\necho {}\n", here.join("site-packages").display());
    fs::write(&python, script).unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let python = python.to_str().unwrap();
    let (code, out, err) = run(&here, &["verify", "--fleet", "A100", "--installed", python]);
    assert!(out.contains("acme 1.2\n"), "{out}{err}");
    assert_eq!(code, 1);
    for bad in ["/nothere/python", "false"] {
        let (code, out, err) = run(&here, &["verify", "--fleet", "A100", "--installed", bad]);
        assert_eq!((code, out.as_str()), (2, ""), "{bad}");
        assert!(err.contains("--installed"), "{err}");
    }
}

#[test]
fn a_dockerfile_declares_what_its_build_compiles_for() {
    let two = "\
FROM nvidia/cuda:12.8.1-devel-ubuntu22.04 AS one
ENV TORCH_CUDA_ARCH_LIST=\"8.0\"
RUN pip install torch==2.7.0
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
FROM one AS two
ENV TORCH_CUDA_ARCH_LIST=\"8.0;9.0\"
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
";
    let open = "\
FROM nvidia/cuda:12.8.1-devel-ubuntu22.04
ARG ARCHS
ENV TORCH_CUDA_ARCH_LIST=$ARCHS
RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat
";
    let here = folder(
        "declared",
        &[
            ("two.Dockerfile", two),
            ("open.Dockerfile", open),
            ("none.Dockerfile", "FROM ubuntu\n"),
            ("lib_two.so", "=lib_two.so"),
            ("lib.so", "=lib.so"),
            ("host_only.so", "=host_only.so"),
        ],
    );
    for (args, status, says) in [
        (&["two.Dockerfile:one", "lib_two.so"][..], 0, ""),
        (
            &["two.Dockerfile:two", "lib_two.so"],
            1,
            "KIMG405 the file is not what two.Dockerfile:6 declares: sm_90 missing",
        ),
        (
            &["two.Dockerfile:one", "lib.so"],
            1,
            "sm_90a, compute_90a not declared",
        ),
        // Which of two lists it was built with is not known.
        (
            &["two.Dockerfile", "lib_two.so"],
            2,
            "the builds have several lists",
        ),
        (
            &["two.Dockerfile:three", "lib_two.so"],
            2,
            "no build of device code",
        ),
        (
            &["none.Dockerfile", "lib_two.so"],
            2,
            "no build of device code",
        ),
        (&["open.Dockerfile", "lib_two.so"], 2, "is not known"),
        (
            &["open.Dockerfile", "--build-arg", "ARCHS=8.0", "lib_two.so"],
            0,
            "",
        ),
        (
            &["nothere.Dockerfile", "lib_two.so"],
            2,
            "nothere.Dockerfile",
        ),
        (&["two.Dockerfile:one", "host_only.so"], 1, "KIMG404"),
    ] {
        let args = [&["verify", "--format", "concise", "--expect-from"], args].concat();
        let (code, out, err) = run(&here, &args);
        assert_eq!(code, status, "{args:?}\n{out}{err}");
        assert!((out.clone() + &err).contains(says), "{args:?}\n{out}{err}");
    }
}
