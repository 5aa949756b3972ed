//! `--fix` and `--diff` on files of which several lead to the same caller.
use super::{GSPLAT, TORCH};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const COMPOSE: &str = "\
services:
  a: {build: {context: ., dockerfile: a.Dockerfile, args: {archs: '80'}}} # one
  b:
    build:
      context: .
      dockerfile: b.Dockerfile
";

const MENDED: &str = "\
services:
  a: {build: {context: ., dockerfile: a.Dockerfile, args: {archs: '8.0'}}} # one
  b:
    build:
      context: .
      dockerfile: b.Dockerfile
      args:
        archs: \"8.0+PTX\"
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("fix")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join(".git")).unwrap();
    let dockerfile =
        format!("{TORCH}ARG archs\nENV TORCH_CUDA_ARCH_LIST=${{archs}}\nRUN {GSPLAT}\n");
    for name in ["a.Dockerfile", "b.Dockerfile"] {
        fs::write(folder.join(name), &dockerfile).unwrap();
    }
    fs::write(folder.join("compose.yml"), COMPOSE).unwrap();
    folder
}

fn kimg_lint(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kimg-lint"))
        .current_dir(folder)
        .args(["--fleet", "A100", "a.Dockerfile", "b.Dockerfile"])
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn two_files_edit_the_same_caller() {
    let folder = folder("shared");
    let before = fs::read_to_string(folder.join("a.Dockerfile")).unwrap();
    let output = kimg_lint(&folder, &["--fix"]);
    // the report is of what is there now
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let said = text(&output.stderr);
    assert!(said.contains("mended a.Dockerfile:4: KIMG105"), "{said}");
    assert!(said.contains("mended b.Dockerfile:4: KIMG004"), "{said}");
    let now = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(now("compose.yml"), MENDED);
    assert_eq!([now("a.Dockerfile"), now("b.Dockerfile")], [&*before; 2]);
}

/// A Dockerfile's build argument and a list of the file's own stand in one `devcontainer.json`, and both are linted.
#[test]
fn a_caller_has_a_list_of_its_own() {
    let folder = folder("caller");
    let dev = |own: &str, given: &str| {
        format!(
            "{{\n\
             \"build\": {{\"dockerfile\": \"a.Dockerfile\", \"args\": {{\"archs\": \"{given}\"}}}},\n\
             \"containerEnv\": {{\"TORCH_CUDA_ARCH_LIST\": \"{own}\"}},\n\
             \"postCreateCommand\": \"{GSPLAT}\"\n\
             }}\n"
        )
    };
    fs::remove_file(folder.join("compose.yml")).unwrap();
    fs::write(folder.join(".devcontainer.json"), dev("80,90", "80")).unwrap();
    for order in [
        ["a.Dockerfile", ".devcontainer.json"],
        [".devcontainer.json", "a.Dockerfile"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_kimg-lint"))
            .current_dir(&folder)
            .args(["--fleet", "A100", "--diff"])
            .args(order)
            .output()
            .unwrap();
        let diff = text(&output.stdout);
        for (of, list) in [("archs", "8.0"), ("TORCH_CUDA_ARCH_LIST", "8.0;9.0")] {
            let written = format!("\"{of}\": \"{list}\"");
            let mut added = diff.lines().filter(|line| line.starts_with('+'));
            assert!(
                added.any(|line| line.contains(&written)),
                "{order:?}\n{diff}"
            );
        }
    }
}

#[test]
fn a_diff_has_each_file_once_and_changes_none() {
    let folder = folder("diff");
    let diff = text(&kimg_lint(&folder, &["--diff"]).stdout);
    assert_eq!(diff.matches("--- a/").count(), 1, "{diff}");
    assert!(
        diff.contains("--- a/compose.yml\n+++ b/compose.yml\n"),
        "{diff}"
    );
    let added = diff.lines().filter(|line| line.starts_with('+')).count();
    assert_eq!(added, 4, "{diff}");
    let now = fs::read_to_string(folder.join("compose.yml")).unwrap();
    assert_eq!(now, COMPOSE);
}

#[test]
fn reports_name_the_file_of_an_edit() {
    let folder = folder("report");
    let json = text(&kimg_lint(&folder, &["--format", "json"]).stdout);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let edits = findings
        .iter()
        .flat_map(|f| f["fix"]["edits"].as_array().into_iter().flatten());
    let paths: Vec<&str> = edits.map(|edit| edit["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["compose.yml"; 2]);
    let sarif = text(&kimg_lint(&folder, &["--format", "sarif"]).stdout);
    let report: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    let fixes = report["runs"][0]["results"].as_array().unwrap().iter();
    let mut fixes = fixes.filter_map(|result| result.get("fixes"));
    let change = &fixes.next().unwrap()[0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "compose.yml");
    assert_eq!(change["replacements"][0]["deletedRegion"]["startLine"], 2);
}
