//! `kimg-lint probe` without a GPU: beside no driver at all, and beside a libcuda of our own (`tests/gpu/fake.c`).
#![cfg(all(feature = "probe", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may fail loudly, and says what it skips"
)]

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Builds the fake driver; the folder that it lies in, or `None` where there is no C compiler.
fn fake(name: &str, flags: &[&str]) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    // The real driver's file carries its version, too.
    let library = folder.join("libcuda.so.580.159.04");
    let built = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .args(flags)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gpu/fake.c"))
        .arg("-lm")
        .status();
    match built {
        Ok(status) => assert!(status.success(), "the fake driver does not compile"),
        Err(error) => {
            eprintln!("skipped: no C compiler to build the fake driver with ({error})");
            return None;
        }
    }
    let link = folder.join("libcuda.so");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(&library, &link).unwrap();
    Some(folder)
}

static FAKE: LazyLock<Option<PathBuf>> = LazyLock::new(|| fake("fake-cuda", &[]));
static OLD: LazyLock<Option<PathBuf>> = LazyLock::new(|| fake("fake-cuda-old", &["-DOLD"]));

/// `NAME=value … -- arguments`, run beside a driver: the exit status, and what was printed.
fn probe(driver: Option<&Path>, line: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("kimg-lint").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("probe");
    for name in [
        "CUDA_VISIBLE_DEVICES",
        "CUDA_DISABLE_PTX_JIT",
        "CUDA_FORCE_PTX_JIT",
    ] {
        command.env_remove(name);
    }
    command.env("LD_LIBRARY_PATH", driver.unwrap_or(Path::new("/nowhere")));
    command.env("COLUMNS", "400");
    let (settings, arguments) = line.split_once("-- ").unwrap_or(("", line));
    for setting in settings.split_whitespace() {
        let (name, value) = setting.split_once('=').unwrap();
        command.env(name, value);
    }
    let output = command.args(arguments.split_whitespace()).output().unwrap();
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// A table of lines for [`probe`], exit statuses, and what the output must hold (parts separated by `|`).
fn check(driver: Option<&Path>, table: &[(&str, i32, &str)]) {
    for (line, expected, parts) in table {
        let (status, out, err) = probe(driver, line);
        assert_eq!(status, *expected, "{line}\n{out}{err}");
        for part in parts.split('|') {
            assert!(out.contains(part), "{line}: no `{part}` in\n{out}{err}");
        }
    }
}

#[test]
fn without_a_driver() {
    if Path::new("/proc/driver/nvidia").exists() {
        eprintln!("skipped: this machine has a driver");
        return;
    }
    check(
        None,
        &[
            ("", 0, "no GPU: no NVIDIA driver is here"),
            ("--format concise", 0, ""),
            ("--stress 3", 0, "no GPU"),
            (
                "--require-gpu --format concise",
                2,
                "GPU:1:1: KIMG505 no GPU: no NVIDIA driver is here",
            ),
            (
                "--require-gpu --format concise --fail-on never",
                2,
                "KIMG505",
            ),
            ("tests/fixtures/artifacts/out/mode_none.fatbin", 0, "no GPU"),
            ("/does/not/exist", 2, "KIMG408"),
            ("--format json", 0, "\"state\": \"absent\""),
        ],
    );
}

#[test]
fn arguments_are_checked() {
    for line in [
        "--no-jit --force-jit",
        "--timeout 0",
        "--stress -1",
        "--format pretty",
    ] {
        let (status, _, err) = probe(None, line);
        assert_eq!(status, 2, "{line}");
        assert!(err.contains("error:"), "{line}: {err}");
    }
}

#[test]
fn a_driver_of_every_kind() {
    let Some(folder) = FAKE.as_deref() else {
        return;
    };
    check(
        Some(folder),
        &[
            // Members are unpacked for it, at every level.
            (
                "--format concise --select KIMG501 tests/fixtures/artifacts/out/nested.zip",
                1,
                "nested.zip:1:1: KIMG501 inner/demo.whl!demo/f.fatbin: the driver finds no kernel image",
            ),
            // Without room for them they are not loaded, and that is no pass.
            (
                "TMPDIR=/does/not/exist -- tests/fixtures/artifacts/out/nested.zip",
                2,
                "in a package: unpack it first",
            ),
            (
                "FAKE_LOAD=222 -- --format concise --ignore KIMG506,KIMG501,KIMG505",
                0,
                "",
            ),
            ("FAKE_INIT=999 -- --format concise --select KIMG503", 0, ""),
            (
                "",
                0,
                "GPU 0: Fake GPU 0, compute capability 8.9, driver 580.159.04 (CUDA 13.0)|machine code  right|PTX           right",
            ),
            ("--require-gpu --stress 2", 0, "2 of 2 products right"),
            (
                "FAKE_INIT=100 -- ",
                0,
                "no GPU: cuInit answers 100 (no GPU is visible)|libcuda.so.580.159.04]",
            ),
            (
                "FAKE_INIT=100 CUDA_VISIBLE_DEVICES=7 -- ",
                0,
                "CUDA_VISIBLE_DEVICES is `7`",
            ),
            (
                "FAKE_INIT=100 -- --require-gpu --format concise",
                2,
                "KIMG505 no GPU: cuInit answers 100",
            ),
            ("FAKE_INIT=34 -- ", 0, "a stub, made for linking"),
            (
                "FAKE_INIT=999 -- --format concise",
                1,
                "KIMG505 the driver does not work: cuInit answers 999",
            ),
            (
                "FAKE_INIT=31337 -- --format concise",
                1,
                "cuInit answers 31337",
            ),
            ("FAKE_COUNT=0 -- ", 0, "the driver counts no GPU"),
            (
                "FAKE_CONTEXT=101 -- --format concise",
                1,
                "KIMG505 Fake GPU 0 does not work: cuDevicePrimaryCtxRetain answers 101",
            ),
            // The second GPU is another process's.
            (
                "FAKE_COUNT=2 -- ",
                1,
                "GPU 0: Fake GPU 0|right|GPU 1: Fake GPU 1|exclusive process mode|does not work: cuDevicePrimaryCtxRetain answers 46",
            ),
            (
                "FAKE_LOAD=222 -- --format concise",
                1,
                "KIMG506|222 (the PTX is of a newer version than the driver knows): the fake driver's log",
            ),
            (
                "FAKE_LOAD=209 -- ",
                1,
                "failed  cuModuleLoadDataEx answers 209 (no kernel image for this GPU)",
            ),
            // Waiting succeeds after a launch that failed: the launch is what counts.
            (
                "FAKE_LAUNCH=719 -- --format concise",
                1,
                "KIMG505 Fake GPU 0 does not work: cuLaunchKernel answers 719",
            ),
            (
                "FAKE_LAUNCH=719 -- --format json",
                1,
                "\"launch_code\": 719|\"sync_code\": 0|\"values\": \"unread\"",
            ),
            (
                "FAKE_WRONG=1 -- --format concise",
                1,
                "KIMG503 Fake GPU 0: kimg-lint's kernel as machine code: 1 of 10068 values are wrong",
            ),
            (
                "FAKE_WRONG=2 -- --stress 2 --format concise",
                1,
                "KIMG503 Fake GPU 0: 2 of 2 products are wrong (2 values)",
            ),
            // Whatever ends a child ends no other.
            (
                "FAKE_CRASH=init -- --format concise",
                1,
                "KIMG505 the driver does not work: starting the driver: the process was ended by signal 6 (abort): the fake driver ends the process",
            ),
            (
                "FAKE_CRASH=context -- --format concise",
                1,
                "KIMG505 Fake GPU 0 does not work: creating a context: the process was ended by signal 6",
            ),
            (
                "FAKE_CRASH=launch -- ",
                1,
                "machine code  failed  the process was ended by signal 6|PTX           failed  the process was ended by signal 6",
            ),
            (
                "FAKE_HANG=init -- --timeout 3 --format concise",
                1,
                "did not answer for 3 s",
            ),
            (
                "FAKE_HANG=launch -- --timeout 3",
                1,
                "machine code  failed  the process did not answer for 3 s|PTX           failed  the process did not answer",
            ),
        ],
    );
}

#[test]
fn a_driver_that_lacks_functions() {
    let Some(folder) = OLD.as_deref() else { return };
    check(
        Some(folder),
        &[(
            "--format concise",
            1,
            "KIMG505 Fake GPU 0 does not work: the driver has no cuModuleLoadDataEx",
        )],
    );
}

#[test]
fn artifacts_are_loaded_and_compared() {
    let Some(folder) = FAKE.as_deref() else {
        return;
    };
    let out = "tests/fixtures/artifacts/out";
    for (line, expected, findings, counts) in [
        // 8.0 and 9.0, machine code: the first fits.
        (format!("{out}/mode_none.fatbin"), 0, "", [1, 1, 1, 0, 0]),
        (
            format!("FAKE_LIE=1 -- {out}/raw_sm_90a.cubin"),
            1,
            "KIMG502",
            [1, 0, 1, 0, 0],
        ),
        (
            format!("FAKE_CRASH=load-part -- {out}/single.fatbin"),
            1,
            "KIMG502",
            [1, 0, 1, 0, 0],
        ),
        (
            format!("FAKE_HANG=load-part -- --timeout 3 {out}/single.fatbin"),
            1,
            "KIMG502",
            [1, 0, 1, 0, 0],
        ),
        // Damaged: never given to the driver, which would crash here.
        (
            format!("FAKE_CRASH=load-part -- {out}/bad_container_size_big.fatbin"),
            2,
            "KIMG408",
            [0, 0, 0, 0, 1],
        ),
    ] {
        let line = match line.split_once("-- ") {
            Some((settings, arguments)) => format!("{settings}-- --format json {arguments}"),
            None => format!("--format json {line}"),
        };
        let (status, out, err) = probe(Some(folder), &line);
        assert_eq!(status, expected, "{line}\n{out}{err}");
        let report: Value = serde_json::from_str(&out).unwrap();
        let codes: Vec<_> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["code"].as_str().unwrap())
            .collect();
        assert_eq!(codes.join(" "), findings, "{line}");
        let loaded = &report["probes"][0]["artifacts"][0];
        let names = ["loaded", "agree", "of", "missing", "skipped"];
        assert_eq!(
            names.map(|name| loaded[name].as_u64().unwrap()),
            counts,
            "{line}\n{out}"
        );
    }
}

/// A program that writes what the driver would write.
fn writes(log: &str, status: i32) -> String {
    format!("printf '%s\\n' '{log}' > \"$CUDA_LOG_FILE\"; exit {status}")
}

#[test]
fn programs_are_watched() {
    const MISSING: &str = "[06:50:37.638][1][CUDA][E] Returning 209 (CUDA_ERROR_NO_BINARY_FOR_GPU) from cuLibraryGetKernel";
    const HARMLESS: &str =
        "[06:50:37.638][1][CUDA][E] Returning 500 (CUDA_ERROR_NOT_FOUND) from cuGetProcAddress_v2";
    for (script, arguments, expected, said) in [
        (
            writes(MISSING, 0),
            &["--format", "concise"][..],
            1,
            "sh:1:1: KIMG504 cuLibraryGetKernel failed with 209 (CUDA_ERROR_NO_BINARY_FOR_GPU); it exited with status 0, as if nothing had happened",
        ),
        (writes(MISSING, 0), &["--fail-on", "never"], 0, "KIMG504"),
        (writes(MISSING, 7), &[], 7, "KIMG504"),
        (
            writes(HARMLESS, 0),
            &[],
            0,
            "the driver logged no failed image or launch",
        ),
        ("exit 5".to_owned(), &[], 5, "exited with status 5"),
        (
            "kill -TERM $$".to_owned(),
            &[],
            255,
            "ended by signal 15 (terminate)",
        ),
        (
            "test \"$CUDA_DISABLE_PTX_JIT$CUDA_CACHE_DISABLE\" = 11".to_owned(),
            &["--no-jit"],
            0,
            "status 0",
        ),
        (
            "test \"$CUDA_FORCE_PTX_JIT\" = 1".to_owned(),
            &["--force-jit"],
            0,
            "status 0",
        ),
    ] {
        let mut command = Command::cargo_bin("kimg-lint").unwrap();
        command
            .env("LD_LIBRARY_PATH", "/nowhere")
            .env("COLUMNS", "400");
        command
            .arg("probe")
            .args(arguments)
            .args(["--", "sh", "-c", &script]);
        let output = command.output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{script}: {err}");
        assert!(err.contains(said), "{script}: {err}");
        // It is the program's.
        assert_eq!(output.stdout, b"", "{script}");
    }
    let (status, _, err) = {
        let mut command = Command::cargo_bin("kimg-lint").unwrap();
        let output = command
            .args(["probe", "--", "/does/not/exist"])
            .output()
            .unwrap();
        (
            output.status.code(),
            (),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(status, Some(2), "{err}");
}

#[test]
fn the_configuration_has_the_threshold_and_the_severities() {
    let Some(driver) = FAKE.as_deref() else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("probe-configured");
    std::fs::create_dir_all(&folder).unwrap();
    for (text, expected) in [
        ("root: true\n", 1),
        ("root: true\nfail-on: never\n", 0),
        ("root: true\nrules: {KIMG505: off}\n", 0),
        ("root: true\nrulez: {}\n", 2),
    ] {
        let file = folder.join("probe.yaml");
        std::fs::write(&file, text).unwrap();
        let line = format!("FAKE_INIT=999 -- --config {}", file.display());
        assert_eq!(probe(Some(driver), &line).0, expected, "{text}");
    }
}
