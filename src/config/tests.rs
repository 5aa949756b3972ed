//! What a configuration text means, and what is wrong with one.
use super::*;
use crate::facts::{Covers, Severity};
use crate::rules::{Allowance, Level};
use std::path::PathBuf;

/// Layers with these texts, the nearest first; each lies in the folder of the one before.
fn layers(texts: &[&str]) -> Vec<&'static Layer> {
    let folder =
        |depth: usize| -> PathBuf { ["/repo", "docker", "edge"].iter().take(depth).collect() };
    let count = texts.len();
    let parsed = texts.iter().enumerate().map(|(index, text)| {
        let folder = folder(count - index);
        Layer::parse(&format!("{}.yaml", count - index), &folder, text).unwrap()
    });
    parsed.collect()
}

fn config(texts: &[&str]) -> Config {
    Config::new(&layers(texts)).unwrap_or_else(|error| panic!("{error}"))
}

/// Every key of the contract.
const ALL: &str = r#"
root: true
fleet:
  training: {gpus: [H100, "aws:p5.48xlarge"], driver: "550"}
  edge:     {gpus: ["Jetson AGX Orin"], paths: ["edge/**"]}
policy: {ptx: warn, forward-ptx: ignore, unexpected: allow, maybe: info}
rules: {KIMG204: off, arch-list-late: error}
ignore: [{rule: KIMG101, path: "old/**", reason: "…", until: 2027-03-01}]
exclude: ["third_party/**"]
images:
  "registry.example/base:*": {like: "nvidia/cuda:12.4.1-devel-ubuntu22.04", env: {TORCH_CUDA_ARCH_LIST: "8.0;9.0"}, torch: "2.6.0", nvcc: true}
runners:  {gpu-a100: A100}
fail-on: warning
"#;

#[test]
fn every_key_is_understood() {
    let config = config(&[ALL]);
    let names = |path: &str| {
        let fleet = config.fleet(Path::new(path));
        let devices = fleet
            .iter()
            .map(|device| format!("{} {:?}", device.name, device.driver));
        devices.collect::<Vec<_>>()
    };
    let h100 = "NVIDIA H100 80GB HBM3 Some(DriverBranch(550))";
    assert_eq!(names("/repo/Dockerfile"), [h100]);
    assert_eq!(names("/repo/edge/a/Dockerfile"), [h100, "Orin None"]);
    assert_eq!(config.settings.policy, rules::Policy::default());
    let level = |code: &str| config.settings.levels.get(code).copied();
    assert_eq!(level("KIMG204"), Some(Level::Off));
    assert_eq!(level("KIMG102"), Some(Level::Error));
    assert_eq!(config.settings.levels.len(), 2);
    assert!(config.excludes(Path::new("/repo/third_party/a/Dockerfile")));
    assert!(!config.excludes(Path::new("/repo/docker/third_party/Dockerfile")));
    assert_eq!(config.images.len(), 1);
    assert_eq!(config.runners[0].1.name, "NVIDIA A100-SXM4-40GB");
    assert_eq!(config.fail_on, Some(FailOn::Warning));
    let linted = [("old/D", "/repo/old/D"), ("D", "/repo/D")];
    let ignores = config.ignores(
        linted
            .iter()
            .map(|(path, absolute)| (*path, Path::new(*absolute))),
    );
    let [ignore] = ignores.as_slice() else {
        panic!("{ignores:?}");
    };
    assert_eq!(
        ignore.covers,
        Covers::Paths {
            paths: ["old/D".to_owned()].into(),
            and_others: true
        }
    );
    assert_eq!(ignore.until.unwrap().to_string(), "2027-03-01");
    let word = &ignore.rules[0];
    assert_eq!((&*word.0, word.1.line, word.1.column), ("KIMG101", 8, 17));
}

#[test]
fn nothing_means_the_defaults() {
    for text in [
        "",
        "# nothing\n",
        "{}",
        "fleet:\nrules:\nignore:\nexclude:\nimages:\nrunners:\npolicy:\n",
    ] {
        let config = config(&[text]);
        assert_eq!(config.settings.policy, rules::Policy::default(), "{text}");
        assert!(config.fleet(Path::new("/repo/Dockerfile")).is_empty());
        assert!(config.settings.levels.is_empty() && config.images.is_empty());
    }
}

#[test]
fn the_nearest_file_wins_key_by_key() {
    let config = config(&[
        "policy: {ptx: deny}\nrules: {KIMG101: off}\nexclude: [a]\nfleet: {ours: {gpus: [L4]}}",
        "policy: {ptx: allow, maybe: off}\nrules: {1xx: info, KIMG301: warning}\nexclude: [b]\n\
         fleet: {ours: {gpus: [A100]}, theirs: {gpus: [T4]}}\nfail-on: never",
    ]);
    assert_eq!(config.settings.policy.ptx, Allowance::Deny);
    assert_eq!(config.settings.policy.maybe, None);
    let level = |code: &str| config.settings.levels.get(code).copied();
    assert_eq!(level("KIMG101"), Some(Level::Off));
    assert_eq!(level("KIMG102"), Some(Level::Info));
    assert_eq!(level("KIMG301"), Some(Level::Warning));
    assert!(config.excludes(Path::new("/repo/docker/a")) && !config.excludes(Path::new("/repo/b")));
    let fleet = config.fleet(Path::new("/repo/docker/Dockerfile"));
    let names: Vec<_> = fleet.iter().map(|device| &*device.name).collect();
    assert_eq!(names, ["NVIDIA L4", "Tesla T4"]);
    assert_eq!(config.fail_on, Some(FailOn::Never));
}

#[test]
fn a_word_for_one_rule_wins_over_a_word_for_many() {
    for text in [
        "rules: {KIMG101: error, 1xx: off}",
        "rules: {1xx: off, KIMG101: error}",
    ] {
        let config = config(&[text]);
        assert_eq!(config.settings.levels["KIMG101"], Level::Error);
        assert_eq!(config.settings.levels["KIMG102"], Level::Off);
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let mut problems = Vec::new();
    for (text, expected) in [
        (
            "flet: {}",
            "1.yaml:1:1: unknown key `flet`; did you mean `fleet`?",
        ),
        (
            "rule_files: []",
            "1.yaml:1:1: unknown key `rule_files`; did you mean `rule-files`?",
        ),
        ("colour: red", "1.yaml:1:1: unknown key `colour`"),
        ("root: yes", "1.yaml:1:7: true or false is expected"),
        (
            "root: true\nroot: false",
            "1.yaml:2:1: the key `root` is there twice",
        ),
        (
            "policy:\n  ptx: warning",
            "1.yaml:2:8: `warning` is none of allow, warn, deny",
        ),
        (
            "policy: {forward_ptx: require}",
            "1.yaml:1:10: unknown key `forward_ptx`; did you mean `forward-ptx`?",
        ),
        (
            "fail-on: errors",
            "1.yaml:1:10: `errors` is none of error, warning, info, never; did you mean `error`?",
        ),
        (
            "fleet:\n  ours:\n    gpus: [L4, H10O]",
            "1.yaml:3:16: `H10O` is not a known GPU; the nearest names: ",
        ),
        (
            "fleet: {ours: {gpus: [RTX 6000]}}",
            "1.yaml:1:23: `RTX 6000` fits several GPUs: Quadro RTX 6000, ",
        ),
        (
            "fleet: {ours: {gpus: [L4], driver: new}}",
            "1.yaml:1:36: `new` is not a driver version such as 550 or 550.54.14",
        ),
        (
            "fleet: {ours: {gpu: [L4]}}",
            "1.yaml:1:16: unknown key `gpu`; did you mean `gpus`?",
        ),
        (
            "fleet: {ours: {driver: 550}}",
            "1.yaml:1:16: the key `gpus` is missing",
        ),
        (
            "fleet: {ours: {gpus: [L4], paths: ['a[']}}",
            "1.yaml:1:36: unclosed character class; missing ']'",
        ),
        (
            "rules: {KIMG999: off}",
            "1.yaml:1:18: no rule is called `KIMG999`",
        ),
        (
            "rules: {arch-list-mising: off}",
            "1.yaml:1:27: no rule is called `arch-list-mising`; did you mean `arch-list-missing`?",
        ),
        (
            "rules: {KIMG101: fatal}",
            "1.yaml:1:18: `fatal` is none of off, info, warning, error",
        ),
        (
            "ignore: [{path: a}]",
            "1.yaml:1:11: the key `rule` is missing",
        ),
        (
            "ignore: [{rule: KIMG101, until: soon}]",
            "`soon` is not a day such as 2027-03-01",
        ),
        (
            "images: {'a:*': {like: 'nvidia/cudo:12'}}",
            "1.yaml:1:24: nothing is known of the image `nvidia/cudo:12`",
        ),
        (
            "runners: {gpu: Voodoo}",
            "1.yaml:1:16: `Voodoo` is not a known GPU; the nearest names: ",
        ),
        (
            "builders: ['no/*.yaml']",
            "1.yaml:1:12: no file fits `no/*.yaml`",
        ),
        ("fleet: [L4]", "1.yaml:1:8: "),
        ("- fleet", "1.yaml:1:1: "),
        ("fleet: {", "1.yaml:1:"),
        ("a: 1\n---\nb: 2", "1.yaml:"),
    ] {
        let read = Layer::parse("1.yaml", Path::new("/no/such/folder"), text);
        let error = read.and_then(|layer| Config::new(&[layer])).unwrap_err();
        let error = error.to_string();
        if !error.contains(expected) {
            problems.push(format!("{text}: {error}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The names that a fleet may have are unreadable without quotes in YAML only where YAML says so.
#[test]
fn numbers_are_texts() {
    let config = config(&["fleet: {ours: {gpus: [8.9, 90, 12.0], driver: 550.54}}"]);
    let fleet = config.fleet(Path::new("/repo/D"));
    let shown: Vec<_> = fleet
        .iter()
        .map(|device| device.capability.to_string())
        .collect();
    assert_eq!(shown, ["8.9", "9.0", "12.0"]);
}

#[test]
fn the_threshold_is_the_least_severity_that_counts() {
    use Severity::{Error, Info, Warning};
    //  threshold, whether an info, a warning, an error count
    for (fail_on, expected) in [
        (FailOn::Never, [false, false, false]),
        (FailOn::Error, [false, false, true]),
        (FailOn::Warning, [false, true, true]),
        (FailOn::Info, [true, true, true]),
    ] {
        let counts = [Info, Warning, Error].map(|severity| fail_on.includes(severity));
        assert_eq!(counts, expected);
    }
}
