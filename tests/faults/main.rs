//! What the world does to a run: disks that are full, files that go, readers that leave, signals, odd places. Each has an
//! outcome that somebody can count on: an exit status, a line that says why, and output files that are whole or absent.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod names;
mod reading;
mod surroundings;
mod writing;

use kimg_lint::report::Format;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

/// A build without a list: one finding.
const BUILD: &str = "FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel\n\
    RUN pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat\n";
static FORMATS: LazyLock<Vec<String>> =
    LazyLock::new(|| Format::all().iter().map(|format| format.name()).collect());

/// An empty folder of its own for a test, that anybody may use.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("faults")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn kimg_lint(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kimg-lint"));
    command
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .current_dir(folder);
    command
}

fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/artifacts/out/lib.so")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Exit status, and the last line on standard error.
fn failure(output: &Output) -> (Option<i32>, String) {
    let err = text(&output.stderr);
    (
        output.status.code(),
        err.lines().last().unwrap_or_default().to_owned(),
    )
}

fn listed(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<OsString> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

/// Runs a command of the shell after `limit`, with the program as `$0`.
fn limited(folder: &Path, limit: &str, arguments: &[&str]) -> Output {
    let mut shell = Command::new("bash");
    let script = format!("{limit}; exec \"$0\" \"$@\"");
    shell
        .current_dir(folder)
        .args(["-c", &script, env!("CARGO_BIN_EXE_kimg-lint")]);
    shell.args(arguments).output().unwrap()
}

/// A user that may do nothing; the tests often run as root, who may do everything.
fn nobody(command: &mut Command) -> &mut Command {
    let root = fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0);
    if root {
        command.uid(65534).gid(65534)
    } else {
        command
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
