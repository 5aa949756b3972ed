//! `kimg-lint archs` and `kimg-lint verify` as a user meets them: output and exit status.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use assert_cmd::Command;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/artifacts/out")
}

/// Exit status, output and complaints of a run in the fixtures' folder.
fn run(args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("kimg-lint")
        .unwrap()
        .current_dir(fixtures())
        .env_clear()
        .args(args)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn codes(output: &str) -> Vec<&str> {
    let words = output.split_whitespace();
    words.filter(|word| word.starts_with("KIMG")).collect()
}

#[test]
fn the_fleet_decides() {
    for (args, status, expected) in [
        (&["--fleet", "A100,H100", "lib.so"][..], 0, &[][..]),
        (&["--fleet", "B200", "lib.so"], 1, &["KIMG401"]),
        (
            &["--fleet", "B200", "--fail-on", "never", "lib.so"],
            0,
            &["KIMG401"],
        ),
        (&["--fleet", "H100", "ptx_only.fatbin"], 1, &["KIMG402"]),
        (
            &["--fleet", "H100", "--driver", "550", "ptx_only.fatbin"],
            1,
            &["KIMG406"],
        ),
        (
            &["--fleet", "H100", "--driver", "550", "sass_ptx.fatbin"],
            1,
            &["KIMG406"],
        ),
        (
            &["--fleet", "A100", "--driver", "550", "sass_ptx.fatbin"],
            0,
            &[],
        ),
        (
            &["--fleet", "A100", "--fail-on", "error", "concat.fatbin"],
            0,
            &["KIMG403"],
        ),
        // Drivers up to 580 do not look into groups; of newer ones it is not known.
        (&["--fleet", "A100", "concat_group.fatbin"], 1, &["KIMG403"]),
        (&["--fleet", "H100", "concat_group.fatbin"], 1, &["KIMG402"]),
        (
            &["--fleet", "H100", "--driver", "580", "concat_group.fatbin"],
            1,
            &["KIMG406"],
        ),
        (
            &["--fleet", "A100", "--driver", "580", "concat_group.fatbin"],
            1,
            &["KIMG401"],
        ),
        (&["--fleet", "A100", "host_only.so"], 0, &[]),
        (&["--expect", "8.0;9.0a+PTX", "lib.so"], 0, &[]),
        (&["--expect", "8.0", "lib.so"], 1, &["KIMG405"]),
        (
            &["--expect", "8.0;9.0a+PTX;10.0", "lib.so"],
            1,
            &["KIMG405"],
        ),
        // No code at all is not what was expected, and beside files with code nothing to speak of.
        (&["--expect", "8.0", "host_only.so"], 1, &["KIMG404"]),
        // Per library, never the union.
        (
            &["--fleet", "B200", "lib.so", "multi.fatbin"],
            1,
            &["KIMG401"],
        ),
    ] {
        let args = [&["verify", "--format", "concise"], args].concat();
        let (code, out, err) = run(&args);
        assert_eq!(
            (code, codes(&out)),
            (status, expected.to_vec()),
            "{args:?}\n{out}{err}"
        );
    }
}

#[test]
fn what_cannot_be_read_is_never_a_pass() {
    for name in [
        "trunc_payload.fatbin",
        "trunc_lib.so",
        "lib_badmagic.so",
        "bad_container_version.fatbin",
        "gap_junk.fatbin",
        "nothere.so",
    ] {
        let args = [
            "verify",
            "--fail-on",
            "never",
            "--fleet",
            "A100",
            "--format",
            "concise",
            name,
        ];
        let (code, out, _) = run(&args);
        assert_eq!(code, 2, "{name}");
        assert!(codes(&out).contains(&"KIMG408"), "{name}: {out}");
        assert_eq!(run(&["archs", name]).0, 2, "{name}");
    }
}

#[test]
fn the_matrix_says_what_its_signs_mean() {
    let (code, out, _) = run(&["verify", "--fleet", "A100,B200", "lib.so"]);
    let expected = "\
file     8.0  10.0
lib.so     +     x

 8.0  NVIDIA A100-SXM4-40GB
10.0  NVIDIA B200

+ native: every kernel has machine code
x missing: nothing runs there

lib.so:1:1: KIMG401 the file has nothing that runs on NVIDIA B200 (10.0): compute_90a is for its own GPUs only
";
    assert_eq!((code, out.as_str()), (1, expected));
    let wheel = "demo-1.0-py3-none-linux_x86_64.whl";
    let (_, out, _) = run(&["verify", "--fleet", "H100", "--format", "markdown", wheel]);
    assert!(
        out.contains(r"| demo-1.0-py3-none-linux\_x86\_64.whl: demo/lib.so +2 | native |"),
        "{out}"
    );
}

#[test]
fn usage_is_checked() {
    for args in [
        &["verify", "lib.so"][..],
        &["verify", "--fleet", "H1000", "lib.so"],
        &["verify", "--expect", "8,0", "lib.so"],
        &["archs"],
        &["archs", "--max-size", "big", "lib.so"],
        &["archs", "--cuobjdump", "--format", "json", "lib.so"],
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(!err.is_empty(), "{args:?}");
    }
}

/// Names and order as cuobjdump 13.5 prints them for these files.
#[test]
fn scripts_that_read_cuobjdump_can_switch() {
    let folder = fixtures();
    let folder = folder.display();
    for (args, expected) in [
        (
            &["lib.so"][..],
            "ELF file    1: lib.1.sm_80.cubin\nPTX file    1: lib.1.sm_90a.ptx\nELF file    2: lib.2.sm_90a.cubin\n".to_owned(),
        ),
        (&["raw_sm_90a.cubin"], "ELF file    1: raw_sm_90a.sm_90a.cubin\n".to_owned()),
        (&["ident.fatbin"], "PTX file    1: hello.sm_80.ptx\n".to_owned()),
        (
            &["suffix_f.fatbin"],
            "ELF file    1: suffix_f.1.sm_100.cubin\nPTX file    1: suffix_f.1.sm_100f.ptx\n\
             ELF file    2: suffix_f.2.sm_103.cubin\nELF file    3: suffix_f.3.sm_120.cubin\n\
             ELF file    4: suffix_f.4.sm_90.cubin\n"
                .to_owned(),
        ),
        (
            &["thin.a"],
            format!(
                "\nmember {folder}/thin.a:obj.o:\nELF file    1: thin.1.sm_80.cubin\n\
                 PTX file    1: thin.1.sm_90a.ptx\nELF file    2: thin.2.sm_90a.cubin\n"
            ),
        ),
        (
            &["--all", "lib_dlinked.so"],
            "ELF file    1: lib_dlinked.1.sm_80.cubin\nELF file    2: lib_dlinked.2.sm_90a.cubin\n\
             ELF file    3: lib_dlinked.3.sm_80.cubin\nPTX file    1: lib_dlinked.1.sm_90a.ptx\n\
             ELF file    4: lib_dlinked.4.sm_90a.cubin\n"
                .to_owned(),
        ),
    ] {
        let args = [&["archs", "--cuobjdump"], args].concat();
        assert_eq!(run(&args), (0, expected, String::new()), "{args:?}");
    }
}

#[test]
fn a_release_is_compared_with_an_older_one() {
    let (code, out, _) = run(&["archs", "lib.so", "--against", "lib.so"]);
    assert_eq!(
        (code, out.as_str()),
        (0, "1 of 1 library has the same architectures\n")
    );
    let old = Path::new(env!("CARGO_TARGET_TMPDIR")).join("against");
    std::fs::create_dir_all(&old).unwrap();
    std::fs::copy(fixtures().join("lib_compressed.so"), old.join("lib.so")).unwrap();
    std::fs::copy(fixtures().join("multi.fatbin"), old.join("gone.fatbin")).unwrap();
    let (_, out, _) = run(&["archs", "lib.so", "--against", old.to_str().unwrap()]);
    let expected = "\
gone.fatbin: gone
  lost    sass sm_100, sass sm_120, sass sm_75, sass sm_80, sass sm_86, sass sm_89, sass sm_90
lib.so: changed
  lost    sass sm_100f
  gained  ptx sm_90a
0 of 2 libraries have the same architectures
";
    assert_eq!(out, expected);
}

#[test]
fn the_configuration_has_the_fleet_and_the_threshold() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("configured");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(fixtures().join("lib.so"), folder.join("lib.so")).unwrap();
    let lib = folder.join("lib.so");
    let lib = lib.to_str().unwrap();
    for (text, status, expected) in [
        ("root: true\n", 2, &[][..]),
        ("root: true\nfleet: {a: {gpus: [A100]}}\n", 0, &[]),
        ("root: true\nfleet: {b: {gpus: [B200]}}\n", 1, &["KIMG401"]),
        (
            "root: true\nfleet: {b: {gpus: [B200]}}\nfail-on: never\n",
            0,
            &["KIMG401"],
        ),
        (
            "root: true\nfleet: {b: {gpus: [B200]}}\nrules: {KIMG401: off}\n",
            0,
            &[],
        ),
        (
            "root: true\nfleet: {b: {gpus: [B200], paths: [\"x/**\"]}, a: {gpus: [A100]}}\n",
            0,
            &[],
        ),
    ] {
        std::fs::write(folder.join(".kimg-lint.yaml"), text).unwrap();
        let (code, out, err) = run(&["verify", "--format", "concise", lib]);
        assert_eq!(
            (code, codes(&out)),
            (status, expected.to_vec()),
            "{text}{out}{err}"
        );
    }
}

/// The driver of a declared fleet and what is allowed count as they do for Dockerfiles.
#[test]
fn the_configuration_has_the_driver_and_the_policy() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("configured-ptx");
    std::fs::create_dir_all(&folder).unwrap();
    let ptx = folder.join("ptx.fatbin");
    std::fs::copy(fixtures().join("ptx_only.fatbin"), &ptx).unwrap();
    for (driver, policy, args, status, expected) in [
        ("", "", &[][..], 1, &["KIMG402"][..]),
        ("", "policy: {ptx: allow}", &[], 0, &["KIMG402"]),
        (
            "",
            "policy: {ptx: deny}",
            &["--fail-on", "error"],
            1,
            &["KIMG402"],
        ),
        (", driver: \"550\"", "", &[], 1, &["KIMG406"]),
        (
            ", driver: \"550\"",
            "",
            &["--driver", "615"],
            1,
            &["KIMG402"],
        ),
    ] {
        let text = format!("root: true\nfleet: {{a: {{gpus: [H100]{driver}}}}}\n{policy}\n");
        std::fs::write(folder.join(".kimg-lint.yaml"), &text).unwrap();
        let args = [
            &["verify", "--format", "concise"],
            args,
            &[ptx.to_str().unwrap()],
        ]
        .concat();
        let (code, out, err) = run(&args);
        assert_eq!(
            (code, codes(&out)),
            (status, expected.to_vec()),
            "{text}{out}{err}"
        );
    }
}

#[test]
fn kernels_without_an_image_are_named() {
    let args = ["verify", "--kernels", "--fleet", "A100", "concat.fatbin"];
    let (code, out, err) = run(&args);
    let expected = "
kernels of concat.fatbin without an image for NVIDIA A100-SXM4-40GB (8.0):

  k
";
    assert!(out.contains(expected), "{out}{err}");
    assert_eq!(code, 1);
    let (_, out, _) = run(&[&args[..], &["--format", "json"]].concat());
    assert!(out.contains("\"kernels\": ["), "{out}");
    let (_, out, _) = run(&["verify", "--fleet", "A100", "concat.fatbin"]);
    assert!(!out.contains("kernels of concat"), "{out}");
}

#[test]
fn what_is_served_is_labelled() {
    let (code, out, err) = run(&["verify", "--label", "lib_two.so"]);
    assert!(
        out.contains("\nENV NVIDIA_REQUIRE_CUDA=\"arch=8.0 arch=8.6 arch=8.9\"\n"),
        "{out}{err}"
    );
    assert_eq!(code, 0);
    let (code, out, _) = run(&["verify", "--affinity", "ptx_only.fatbin"]);
    assert!(out.contains("operator: Gt, values: [\"12\"]"), "{out}");
    assert_eq!(code, 0);
    // Nothing is stated of what could not be read, or of nothing.
    for name in ["trunc_lib.so", "host_only.so"] {
        let (code, out, err) = run(&["verify", "--label", name]);
        assert_eq!((code, out.as_str()), (2, ""), "{name}");
        assert!(!err.is_empty());
    }
}
