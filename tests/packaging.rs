//! What is packed agrees with what is built: versions, and the documents that name files.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn the_hook_installs_this_version() {
    let setup = include_str!("../setup.py");
    assert!(setup.contains(&format!("VERSION = \"{VERSION}\"\n")));
}

#[test]
fn documents_name_this_version() {
    let ci = include_str!("../docs/ci.md");
    for named in [
        format!("rev: v{VERSION}"),
        format!("uses: kimg-lint/kimg-lint@v{VERSION}"),
        format!("kimg-lint=={VERSION}"),
    ] {
        let (what, _) = named.split_at(named.find(VERSION).unwrap());
        assert!(ci.contains(&named), "{named}");
        assert_eq!(
            ci.matches(what).count(),
            ci.matches(&named).count(),
            "another version after {what}"
        );
    }
}

#[test]
fn hooks_share_one_process_and_one_program() {
    let text = include_str!("../.pre-commit-hooks.yaml");
    let hooks: Vec<serde_json::Value> = serde_saphyr::from_str(text).unwrap();
    let ids: Vec<&str> = hooks
        .iter()
        .map(|hook| hook["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["kimg-lint", "kimg-lint-ci", "kimg-lint-src"]);
    for hook in &hooks {
        assert_eq!(
            (&hook["entry"], &hook["require_serial"]),
            (&"kimg-lint".into(), &true.into())
        );
    }
}

#[test]
fn shells_get_completions_and_readers_a_manual() {
    for (arguments, says) in [
        (&["completions", "bash"][..], "complete -F"),
        (&["completions", "zsh"], "#compdef kimg-lint"),
        (&["completions", "fish"], "complete -c kimg-lint"),
        (&["completions", "powershell"], "Register-ArgumentCompleter"),
        (&["man"], ".TH kimg-lint 1"),
    ] {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_kimg-lint"));
        let output = command
            .args(arguments)
            .assert()
            .success()
            .get_output()
            .stdout
            .clone();
        let text = String::from_utf8(output).unwrap();
        assert!(text.contains(says), "{arguments:?}");
    }
}
