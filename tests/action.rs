//! The steps of the GitHub Action, outside GitHub: the same variables, a file server on this machine as the host of releases.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use flate2::{Compression, write::GzEncoder};
use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// What stands for the program in a release.
const PROGRAM: &str = concat!(
    "#!/bin/sh\necho kimg-lint ",
    env!("CARGO_PKG_VERSION"),
    "\n"
);

/// A `gh` that knows attestations, or that is too old to.
const GH_GOOD: &str = "#!/bin/sh\nexit 0\n";
const GH_REFUSES: &str = "#!/bin/sh\n[ \"$2\" = --help ]\n";
const GH_OLD: &str = "#!/bin/sh\nexit 1\n";

#[test]
fn a_release_is_installed_once() {
    let job = Job::new("once");
    let release = Release::new(&job, PROGRAM);
    for _ in 0..2 {
        let step = job.install(&release, &[]);
        assert_eq!(step.status, 0, "{}", step.printed);
        assert_eq!(step.outputs["version"], VERSION);
        let program = step.path.unwrap().join("kimg-lint");
        let said = Command::new(program).arg("--version").output().unwrap();
        assert_eq!(text(&said.stdout), format!("kimg-lint {VERSION}\n"));
    }
    assert_eq!(release.requests(), 1, "the second one is in the tool cache");
}

#[test]
fn what_was_changed_on_its_way_is_refused() {
    let job = Job::new("tampered");
    let release = Release::new(&job, PROGRAM);
    fs::write(&release.archive, archive("#!/bin/sh\necho bad\n")).unwrap();
    let step = job.install(&release, &[]);
    assert_eq!(step.status, 2);
    assert!(step.printed.contains("is not what was released"));
    assert_eq!(step.path, None);
    let kept = fs::read_dir(job.folder.join("tools/kimg-lint").join(VERSION));
    assert_eq!(kept.unwrap().count(), 0, "nothing of it is kept");
}

#[test]
fn what_was_changed_in_the_tool_cache_is_fetched_again() {
    let job = Job::new("cache");
    let release = Release::new(&job, PROGRAM);
    job.install(&release, &[]);
    let name = release.archive.file_name().unwrap();
    let kept = job.folder.join("tools/kimg-lint").join(VERSION).join(name);
    fs::write(&kept, archive("#!/bin/sh\necho bad\n")).unwrap();
    assert_eq!(job.install(&release, &[]).status, 0);
    assert_eq!(release.requests(), 2);
}

#[test]
fn only_what_was_released_is_installed() {
    for (name, variables, says) in [
        (
            "system",
            [("RUNNER_OS", "Plan9"), ("RUNNER_ARCH", "X64")],
            "no release for Plan9",
        ),
        (
            "cpu",
            [("RUNNER_OS", "Windows"), ("RUNNER_ARCH", "ARM64")],
            "no release for Windows",
        ),
        (
            "target",
            [("RUNNER_OS", "macOS"), ("RUNNER_ARCH", "X64")],
            "use the commit of a release",
        ),
        (
            "host",
            [("RELEASES", "http://127.0.0.1:9"), ("RUNNER_ARCH", "X64")],
            "cannot be fetched",
        ),
    ] {
        let job = Job::new(name);
        let release = Release::new(&job, PROGRAM);
        let step = job.install(&release, &variables);
        assert_eq!((step.status, step.path), (2, None), "{name}");
        assert!(step.printed.contains(says), "{name}: {}", step.printed);
    }
}

#[test]
fn another_version_inside_is_refused() {
    let job = Job::new("version");
    let release = Release::new(&job, "#!/bin/sh\necho kimg-lint 0.0.1\n");
    let step = job.install(&release, &[]);
    assert_eq!((step.status, step.path), (2, None));
    assert!(step.printed.contains("says that it is kimg-lint 0.0.1"));
}

#[test]
fn attestations_are_asked_for_where_they_can_be() {
    //  gh, token, attestation, exit status
    for (number, (gh, token, attestation, expected)) in [
        (GH_GOOD, "t", "auto", 0),
        (GH_GOOD, "t", "require", 0),
        (GH_REFUSES, "t", "auto", 2),
        (GH_REFUSES, "t", "off", 0),
        (GH_REFUSES, "", "auto", 0),
        (GH_OLD, "t", "auto", 0),
        (GH_OLD, "t", "require", 2),
    ]
    .into_iter()
    .enumerate()
    {
        let job = Job::new(&format!("attestation-{number}"));
        let release = Release::new(&job, PROGRAM);
        executable(&job.folder.join("bin/gh"), gh);
        let variables = [("GH_TOKEN", token), ("ATTESTATION", attestation)];
        let step = job.install(&release, &variables);
        assert_eq!(step.status, expected, "{number}: {}", step.printed);
        assert_eq!(step.path.is_some(), expected == 0, "{number}");
    }
}

#[test]
fn findings_are_counted_and_written_everywhere() {
    let job = Job::new("lint");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let repository = job.folder.join("repository");
    fs::create_dir_all(repository.join("two words")).unwrap();
    fs::copy(
        root.join("examples/bad/Dockerfile"),
        repository.join("two words/Dockerfile"),
    )
    .unwrap();
    fs::copy(
        root.join("examples/good/Dockerfile"),
        repository.join("good.Dockerfile"),
    )
    .unwrap();

    let bad = job.run("lint", &[("PATHS", "two words/Docker*\n*.Dockerfile\n")]);
    assert_eq!(
        bad.status, 0,
        "finish.sh fails, this does not: {}",
        bad.printed
    );
    assert_eq!(bad.outputs["exit-code"], "1");
    assert!(bad.outputs["findings"].parse::<u32>().unwrap() > 5);
    assert!(
        bad.printed
            .contains("::error file=two words/Dockerfile,line="),
        "{}",
        bad.printed
    );
    assert!(
        bad.summary.contains("| error | [KIMG104]"),
        "{}",
        bad.summary
    );
    for (file, key) in [("sarif-file", "runs"), ("json-file", "findings")] {
        let written = fs::read_to_string(&bad.outputs[file]).unwrap();
        let written: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert!(!written[key].as_array().unwrap().is_empty(), "{file}");
    }

    let variables = [
        ("PATHS", "*.Dockerfile"),
        ("FAIL_ON", "error"),
        ("SARIF", "a b.sarif"),
    ];
    let good = job.run("lint", &variables);
    assert_eq!(
        (&*good.outputs["exit-code"], &*good.outputs["findings"]),
        ("0", "0")
    );
    assert_eq!(good.outputs["sarif-file"], "a b.sarif");
    assert!(repository.join("a b.sarif").exists());

    let absent = job.run("lint", &[("PATHS", "no*.such")]);
    assert_eq!((absent.status, &*absent.outputs["exit-code"]), (0, "2"));
}

#[test]
fn an_input_is_one_argument_and_nothing_else() {
    let job = Job::new("inputs");
    let step = job.run(
        "lint",
        &[
            ("PATHS", "$(touch owned)\n; touch owned\n-h"),
            ("SELECT", "101 --fleet x"),
        ],
    );
    assert_eq!(step.outputs["exit-code"], "2");
    assert!(!job.folder.join("repository/owned").exists());
    let step = job.run("lint", &[("PATHS", "x"), ("SARIF", "a\nversion=9")]);
    assert!(!step.outputs.contains_key("version"), "{:?}", step.outputs);
}

#[test]
fn built_files_are_verified() {
    let job = Job::new("verify");
    let built = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/artifacts/out/lib_two.so"
    );
    for (fleet, expected) in [("A100", "0"), ("T4", "1")] {
        let step = job.run("verify", &[("PATHS", built), ("FLEET", fleet)]);
        assert_eq!(
            (step.status, &*step.outputs["exit-code"]),
            (0, expected),
            "{}",
            step.printed
        );
    }
}

#[test]
fn the_worst_step_decides() {
    for (statuses, counts, expected, findings) in [
        (" ", " ", 0, "0"),
        ("0  ", "0  ", 0, "0"),
        ("1  0", "3  2", 1, "5"),
        ("1 2 0", "3 0 0", 2, "3"),
    ] {
        let job = Job::new(&format!("finish-{expected}-{findings}"));
        let step = job.step(
            "finish.sh",
            &[],
            &[("STATUSES", statuses), ("COUNTS", counts)],
        );
        assert_eq!(step.status, expected, "{statuses}");
        assert_eq!(step.outputs["findings"], findings);
        assert_eq!(step.outputs["exit-code"], expected.to_string());
    }
}

#[test]
fn inputs_reach_the_steps_through_the_environment_alone() {
    let action = include_str!("../action.yml");
    let runs = action
        .lines()
        .filter(|line| line.trim_start().starts_with("run:"));
    assert!(runs.clone().count() > 3);
    for line in runs {
        assert!(!line.contains("${{"), "{line}");
    }
    for line in action.lines().filter(|line| line.contains("uses:")) {
        let (_, pin) = line.split_once('@').unwrap();
        let hash = pin.split_whitespace().next().unwrap();
        assert!(
            hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit()),
            "{line}"
        );
    }
}

/// A job on a runner: its folders.
struct Job {
    folder: PathBuf,
}

/// What a step did.
struct Step {
    status: i32,
    printed: String,
    outputs: HashMap<String, String>,
    path: Option<PathBuf>,
    summary: String,
}

impl Job {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("action")
            .join(name);
        let _ = fs::remove_dir_all(&folder);
        for inside in ["bin", "tools", "temp", "repository", "served"] {
            fs::create_dir_all(folder.join(inside)).unwrap();
        }
        // Whatever `gh` this machine has, it is not asked.
        executable(&folder.join("bin/gh"), GH_OLD);
        let program = Path::new(env!("CARGO_BIN_EXE_kimg-lint"));
        std::os::unix::fs::symlink(program, folder.join("bin/kimg-lint")).unwrap();
        Self { folder }
    }

    fn install(&self, release: &Release, variables: &[(&str, &str)]) -> Step {
        let sums = self.folder.join("SHA256SUMS");
        let mut all = vec![
            ("RELEASES", &*release.url),
            ("SUMS", sums.to_str().unwrap()),
            ("ATTESTATION", "auto"),
        ];
        all.extend(variables);
        self.step("install.sh", &[], &all)
    }

    fn run(&self, command: &str, variables: &[(&str, &str)]) -> Step {
        self.step("run.sh", &[command], variables)
    }

    /// Runs a script of the action as a runner does.
    fn step(&self, script: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Step {
        let at = |name: &str| self.folder.join(name);
        for file in ["output", "path", "summary"] {
            fs::write(at(file), "").unwrap();
        }
        let system = std::env::var("PATH").unwrap();
        let output = Command::new(
            concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/action").to_owned() + "/" + script,
        )
        .args(arguments)
        .current_dir(at("repository"))
        .env_clear()
        .env("PATH", format!("{}:{system}", at("bin").display()))
        .env("HOME", at("temp"))
        .envs([("RUNNER_OS", "Linux"), ("RUNNER_ARCH", "X64")])
        .env("RUNNER_TEMP", at("temp"))
        .env("RUNNER_TOOL_CACHE", at("tools"))
        .env("GITHUB_OUTPUT", at("output"))
        .env("GITHUB_PATH", at("path"))
        .env("GITHUB_STEP_SUMMARY", at("summary"))
        .envs(variables.iter().copied())
        .output()
        .unwrap();
        let read = |name: &str| fs::read_to_string(at(name)).unwrap();
        let pairs = read("output");
        let pairs = pairs.lines().map(|line| line.split_once('=').unwrap());
        Step {
            status: output.status.code().unwrap(),
            printed: printed(&output),
            outputs: pairs
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            path: read("path").lines().next().map(PathBuf::from),
            summary: read("summary"),
        }
    }
}

/// A release, its table beside the job, served until the test ends.
struct Release {
    url: String,
    archive: PathBuf,
    requests: Arc<AtomicUsize>,
}

impl Release {
    fn new(job: &Job, program: &str) -> Self {
        let served = job.folder.join("served");
        let archive_name = format!("kimg-lint-{VERSION}-{TARGET}.tar.gz");
        let path = served.join(format!("v{VERSION}")).join(&archive_name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, archive(program)).unwrap();
        let sum = Command::new("sha256sum").arg(&path).output().unwrap();
        let sum = text(&sum.stdout);
        let sum = sum.split(' ').next().unwrap();
        fs::write(
            job.folder.join("SHA256SUMS"),
            format!("{sum}  {archive_name}\n"),
        )
        .unwrap();

        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                answer(stream, &served);
            }
        });
        Self {
            url,
            archive: path,
            requests,
        }
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

/// Answers one request with a file.
fn answer(mut stream: TcpStream, served: &Path) {
    let mut lines = BufReader::new(stream.try_clone().unwrap())
        .lines()
        .map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = request
        .split(' ')
        .nth(1)
        .unwrap_or("/")
        .trim_start_matches('/');
    let (status, body) = match fs::read(served.join(path)) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(&[head.as_bytes(), &body].concat());
}

/// An archive as releases have them, with `program` in it.
fn archive(program: &str) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_size(program.len() as u64);
    header.set_mode(0o755);
    header.set_cksum();
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let name = format!("kimg-lint-{VERSION}-{TARGET}/kimg-lint");
    tar.append_data(&mut header, name, program.as_bytes())
        .unwrap();
    tar.into_inner().unwrap().finish().unwrap()
}

fn executable(path: &Path, script: &str) {
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn printed(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
