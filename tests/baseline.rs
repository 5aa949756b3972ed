//! Findings that are known, and rules that nobody nearer may suppress.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const OLD: &str = "\
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
RUN nvcc -arch=sm_999 -o a a.cu
RUN nvcc -arch=sm_90 -arch=sm_998 -o b b.cu
";

/// A repository with these files.
fn repository(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Exit status, output and error.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("kimg-lint").unwrap();
    let output = command
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// `code:line` of each finding that counts.
fn counted(out: &str) -> Vec<String> {
    let places = out.lines().map(|line| {
        let mut parts = line.split(':');
        let line = parts.nth(1).unwrap();
        let code = parts.nth(1).unwrap().split_whitespace().next().unwrap();
        format!("{code}:{line}")
    });
    places.collect()
}

#[test]
fn what_is_known_stays_quiet_and_what_is_new_does_not() {
    let repository = repository(&[("docker/Dockerfile", OLD)]);
    let folder = repository.path();
    let lint = |arguments: &[&str]| {
        let all = [&["--format", "concise", "docker/Dockerfile"], arguments].concat();
        run(folder, &all)
    };
    let (status, out, _) = lint(&[]);
    let before = counted(&out);
    assert_eq!(status, Some(1));
    assert!(before.len() >= 2, "{before:?}");
    let (status, out, _) = lint(&["--write-baseline", "known.json"]);
    assert_eq!((status, counted(&out).len()), (Some(0), 0), "{out}");
    let (status, out, error) = lint(&["--baseline", "known.json"]);
    assert_eq!((status, out.as_str(), error.as_str()), (Some(0), "", ""));

    let path = folder.join("docker/Dockerfile");
    fs::write(&path, OLD.replace("RUN", "# a line\n\nRUN")).unwrap();
    let (status, out, _) = lint(&["--baseline", "known.json"]);
    assert_eq!(
        (status, out.as_str()),
        (Some(0), ""),
        "moved lines are known"
    );

    fs::write(&path, format!("{OLD}RUN nvcc -arch=sm_997 -o c c.cu\n")).unwrap();
    let (status, out, _) = lint(&["--baseline", "known.json"]);
    assert_eq!(status, Some(1));
    assert!(
        counted(&out).iter().all(|place| place.ends_with(":4")),
        "{out}"
    );

    // from another folder
    let arguments = [
        "--format",
        "concise",
        "--baseline",
        "../known.json",
        "Dockerfile",
    ];
    let (_, out, _) = run(&folder.join("docker"), &arguments);
    assert!(
        counted(&out).iter().all(|place| place.ends_with(":4")),
        "{out}"
    );

    let (_, out, _) = lint(&["--baseline", "known.json", "--format", "json"]);
    assert!(out.is_empty(), "a format is given once");
    let arguments = [
        "--format",
        "json",
        "--baseline",
        "known.json",
        "docker/Dockerfile",
    ];
    let (_, out, _) = run(folder, &arguments);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let suppressed = report["findings"][0]["suppressed"].to_string();
    assert_eq!(suppressed, r#"{"by":"baseline","reason":"known.json"}"#);
}

#[test]
fn entries_about_what_is_gone_are_told() {
    let repository = repository(&[
        ("Dockerfile", OLD),
        (".kimg-lint.yaml", "baseline: known.json\n"),
    ]);
    let folder = repository.path();
    let (status, _, error) = run(folder, &["Dockerfile"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("known.json: No such file"), "{error}");
    run(folder, &["Dockerfile", "--write-baseline", "known.json"]);
    let (status, _, error) = run(folder, &["Dockerfile"]);
    assert_eq!((status, error.as_str()), (Some(0), ""));
    fs::write(folder.join("Dockerfile"), "FROM a\n").unwrap();
    let (status, _, error) = run(folder, &["Dockerfile"]);
    assert_eq!(status, Some(0));
    assert!(error.contains("known.json: KIMG"), "{error}");
    assert!(
        error.contains("in Dockerfile is gone, so its entry can go, too"),
        "{error}"
    );
    let (_, _, error) = run(folder, &["Dockerfile", "--select", "KIMG101"]);
    assert_eq!(error, "", "what cannot speak is not gone");
    fs::write(folder.join("known.json"), "{}").unwrap();
    let (status, _, error) = run(folder, &["Dockerfile"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("known.json: it is no baseline"), "{error}");
}

#[test]
fn comments_can_be_taken_for_comments() {
    let text = OLD.replace("RUN", "# kimg-lint: ignore[KIMG1, KIMG3] later\nRUN");
    let repository = repository(&[("Dockerfile", &text)]);
    let (_, out, _) = run(
        repository.path(),
        &["--format", "concise", "--select", "KIMG1", "Dockerfile"],
    );
    assert_eq!(out, "");
    let arguments = ["--format", "concise", "--no-inline-ignores", "Dockerfile"];
    let (status, out, _) = run(repository.path(), &arguments);
    assert_eq!(status, Some(1));
    assert!(!out.is_empty() && !out.contains("KIMG003"), "{out}");
}

const LOCKED: &str = "rules: {KIMG105: {severity: error, locked: true}}\n";
const COMMENT: &str = "\
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
# kimg-lint: ignore[KIMG105] later
RUN nvcc -arch=sm_999 -o a a.cu
";

#[test]
fn a_locked_rule_is_its_owners() {
    let plain = COMMENT.replace("# kimg-lint: ignore[KIMG105] later", "# later");
    //  the root's configuration, the folder's, the Dockerfile, exit status, the codes that count or the error
    let table = [
        ("", "", COMMENT, 0, ""),
        (LOCKED, "", COMMENT, 1, "KIMG003:2 KIMG105:3"),
        (
            LOCKED,
            "ignore: [{rule: KIMG105}]\n",
            &*plain,
            1,
            "KIMG105:3 KIMG003:1",
        ),
        ("", "ignore: [{rule: KIMG105}]\n", &*plain, 0, ""),
        (
            LOCKED,
            "rules: {KIMG105: off}\n",
            &*plain,
            2,
            "KIMG105 is locked by .kimg-lint.yaml",
        ),
        (
            LOCKED,
            "rules: {1xx: warning}\n",
            &*plain,
            2,
            "KIMG105 is locked by .kimg-lint.yaml",
        ),
        (
            LOCKED,
            "root: true\nrules: {KIMG105: off}\n",
            &*plain,
            2,
            "KIMG105 is locked by .kimg-lint.yaml",
        ),
        (
            LOCKED,
            "rules: {KIMG105: {severity: error, locked: false}}\n",
            COMMENT,
            1,
            "KIMG003:2 KIMG105:3",
        ),
        (
            "rules: {KIMG105: {locked: true}}\n",
            "",
            COMMENT,
            1,
            "KIMG003:2 KIMG105:3",
        ),
        (
            "rules: {KIMG105: {locked: yes}}\n",
            "",
            COMMENT,
            2,
            ".kimg-lint.yaml:1:",
        ),
        (
            "rules: {KIMG105: errors}\n",
            "",
            COMMENT,
            2,
            "did you mean `error`",
        ),
        (
            "rules: {KIMG105: {lock: true}}\n",
            "",
            COMMENT,
            2,
            "unknown key `lock`",
        ),
    ];
    for (above, near, text, status, expected) in table {
        let mut files = vec![("team/Dockerfile", text)];
        files.extend((!above.is_empty()).then_some((".kimg-lint.yaml", above)));
        files.extend((!near.is_empty()).then_some(("team/.kimg-lint.yaml", near)));
        let repository = repository(&files);
        let arguments = [
            "--format",
            "concise",
            "--select",
            "KIMG105,KIMG003",
            "team/Dockerfile",
        ];
        let (got, out, error) = run(repository.path(), &arguments);
        assert_eq!(got, Some(status), "{above} {near}: {out}{error}");
        match status {
            2 => assert!(error.contains(expected), "{above} {near}: {error}"),
            _ => {
                let mut found = counted(&out);
                let mut expected: Vec<_> = expected.split_whitespace().map(str::to_owned).collect();
                found.sort();
                expected.sort();
                assert_eq!(found, expected, "{above} {near}: {out}");
            }
        }
    }
}

/// A baseline that a nearer file names says nothing of a locked rule; whoever runs the command may.
#[test]
fn a_locked_rule_and_the_baseline() {
    let plain = COMMENT.replace("# kimg-lint: ignore[KIMG105] later", "# later");
    let files = [("team/Dockerfile", &*plain), (".kimg-lint.yaml", LOCKED)];
    let repository = repository(&files);
    let folder = repository.path();
    let arguments = ["--select", "KIMG105", "team/Dockerfile"];
    let lint = |more: &[&str]| run(folder, &[&arguments, more].concat()).0;
    assert_eq!(lint(&["--write-baseline", "team/known.json"]), Some(0));
    assert_eq!(lint(&["--baseline", "team/known.json"]), Some(0));
    fs::write(
        folder.join("team/.kimg-lint.yaml"),
        "baseline: known.json\n",
    )
    .unwrap();
    assert_eq!(lint(&[]), Some(1));
    fs::remove_file(folder.join("team/.kimg-lint.yaml")).unwrap();
    fs::write(
        folder.join(".kimg-lint.yaml"),
        format!("{LOCKED}baseline: team/known.json\n"),
    )
    .unwrap();
    assert_eq!(lint(&[]), Some(0));
}
