//! `build.toml` of Hugging Face's kernel-builder.
use crate::check;

const GENERAL: &str = "== build.toml\n[general]\nname = \"attn\"\n";

/// A Dockerfile that copies the project, and its kernels.
fn project(commands: &str, kernels: &str) -> String {
    format!("FROM ubuntu:24.04\nCOPY . /k\nWORKDIR /k\nRUN {commands}\n{GENERAL}{kernels}")
}

#[test]
fn capabilities_are_those_that_the_builder_knows() {
    const HOPPER: &str = "[kernel.a]\nbackend = \"cuda\"\ncuda-capabilities = [\"9.0a+PTX\"]\n";
    const DROPPED: &str = "[kernel.a]\nbackend = \"cuda\"\ncuda-capabilities = [\"8.0+PTX\", \"10.3a\"]\n[kernel.b]\nbackend = \"cuda\"\ncuda-capabilities = [\"12.0+PTX\"]\n";
    const ALL: &str = "kernel-builder sm_70+sm_72+sm_75+sm_80+sm_86+sm_87+sm_89+sm_90+compute_90+sm_100+sm_101+sm_120+compute_120+sm_110+sm_121+compute_121";
    let newest = "kernel-builder sm_75+sm_80+sm_86+sm_87+sm_89+sm_90+sm_100+sm_110+sm_120+sm_121+compute_121";
    let cases = [
        (
            project("kernel-builder build-and-copy -L", HOPPER),
            vec!["5 kernel-builder sm_90a+compute_90a".to_owned()],
        ),
        (
            project("nix run .#build-and-copy -L && nix build .#bundle", DROPPED),
            vec![
                "5 kernel-builder sm_80+compute_80+sm_120+compute_120".to_owned(),
                "5 kernel-builder sm_80+compute_80+sm_120+compute_120".to_owned(),
                "KIMG105:5".to_owned(),
                "KIMG105:5".to_owned(),
            ],
        ),
        // without a list it is the builder's own
        (
            project("kernel-builder build", "[kernel.a]\nbackend = \"cuda\"\n"),
            vec![format!("5 {ALL}"), "KIMG101:5".to_owned()],
        ),
        (
            project(
                "kernel-builder build",
                "[general.cuda]\nminver = \"13.0\"\n[kernel.a]\nbackend = \"cuda\"\n",
            ),
            vec![format!("5 {newest}"), "KIMG101:5".to_owned()],
        ),
        // no kernel is for CUDA; nothing is built
        (
            project("kernel-builder build", "[kernel.a]\nbackend = \"rocm\"\n"),
            vec![],
        ),
        (
            project("kernel-builder list-variants && nix run .#ci-test", HOPPER),
            vec![],
        ),
        // a folder without such a file
        (
            "FROM ubuntu:24.04\nCOPY . /k\nRUN cd /k && nix build\n== flake.nix\n{}\n".to_owned(),
            vec![],
        ),
    ];
    let expected: Vec<Vec<&str>> = cases
        .iter()
        .map(|(_, answer)| answer.iter().map(String::as_str).collect())
        .collect();
    let cases: Vec<(&str, &[&str])> = cases
        .iter()
        .zip(&expected)
        .map(|((text, _), answer)| (text.as_str(), answer.as_slice()))
        .collect();
    check("kernel-builder", &cases);
}
