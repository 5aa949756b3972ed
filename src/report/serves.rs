//! What built files serve, as labels of an image and as the affinity of a pod.
use crate::artifact::serves::Serves;
use crate::cuda::Capability;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes lines for a Dockerfile: labels that say which GPUs are served, and the requirement that NVIDIA's container runtime checks
/// when a container starts (its constraints: those between spaces are alternatives).
pub fn label(serves: &Serves, out: &mut dyn Write) -> io::Result<()> {
    not_served(serves, out)?;
    let key = "io.github.kimg-lint.compute-capabilities";
    writeln!(out, "LABEL {key}.native=\"{}\" \\", words(&serves.native))?;
    let newer = serves.newer.then(|| newest(serves)).flatten();
    let more = newer.map(|newest| format!(">{newest}"));
    let jit: Vec<String> = serves
        .jit
        .iter()
        .map(ToString::to_string)
        .chain(more)
        .collect();
    writeln!(out, "      {key}.jit=\"{}\"", jit.join(" "))?;
    let arch = |capability: &Capability| format!("arch={capability}");
    let more = newer.map(|newest| format!("arch>{newest}"));
    let constraints: Vec<String> = all(serves).iter().map(arch).chain(more).collect();
    writeln!(out, "ENV NVIDIA_REQUIRE_CUDA=\"{}\"", constraints.join(" "))?;
    writeln!(
        out,
        "# It replaces what the base image requires under that name; to keep both, call it NVIDIA_REQUIRE_ARCH."
    )
}

/// Writes the affinity of a pod, by the labels of NVIDIA's GPU feature discovery.
pub fn affinity(serves: &Serves, out: &mut dyn Write) -> io::Result<()> {
    not_served(serves, out)?;
    writeln!(out, "affinity:")?;
    writeln!(out, "  nodeAffinity:")?;
    writeln!(out, "    requiredDuringSchedulingIgnoredDuringExecution:")?;
    writeln!(out, "      nodeSelectorTerms:")?;
    let mut minors: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    for capability in all(serves) {
        let minor = format!("\"{}\"", capability.minor);
        minors.entry(capability.major).or_default().push(minor);
    }
    const MAJOR: &str = "nvidia.com/gpu.compute.major";
    const MINOR: &str = "nvidia.com/gpu.compute.minor";
    for (major, minors) in minors {
        let minors = minors.join(", ");
        writeln!(out, "      - matchExpressions:")?;
        writeln!(
            out,
            "        - {{key: {MAJOR}, operator: In, values: [\"{major}\"]}}"
        )?;
        writeln!(
            out,
            "        - {{key: {MINOR}, operator: In, values: [{minors}]}}"
        )?;
    }
    if let Some(newest) = newest(serves).filter(|_| serves.newer) {
        let major = newest.major;
        writeln!(out, "      - matchExpressions:")?;
        writeln!(
            out,
            "        - {{key: {MAJOR}, operator: Gt, values: [\"{major}\"]}}"
        )?;
    }
    Ok(())
}

fn not_served(serves: &Serves, out: &mut dyn Write) -> io::Result<()> {
    let mut by_file: Vec<(&str, Vec<Capability>)> = Vec::new();
    for (capability, file) in &serves.not {
        match by_file.iter_mut().find(|(known, _)| known == file) {
            Some((_, list)) => list.push(*capability),
            None => by_file.push((file, vec![*capability])),
        }
    }
    for (file, list) in by_file {
        writeln!(out, "# not {}: {file}", words(&list))?;
    }
    Ok(())
}

fn all(serves: &Serves) -> Vec<Capability> {
    let mut all: Vec<Capability> = serves.native.iter().chain(&serves.jit).copied().collect();
    all.sort_unstable();
    all
}

fn newest(serves: &Serves) -> Option<Capability> {
    all(serves).last().copied()
}

fn words(list: &[Capability]) -> String {
    let words: Vec<String> = list.iter().map(ToString::to_string).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&Serves, &mut dyn Write) -> io::Result<()>, newer: bool) -> String {
        let list = |text: &str| text.split(' ').map(|c| c.parse().unwrap()).collect();
        let serves = Serves {
            native: list("8.0 8.6 9.0"),
            jit: list("12.0"),
            newer,
            not: vec![(Capability::new(7, 5), "a.so".into())],
        };
        let mut out = Vec::new();
        write(&serves, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn labels() {
        insta::assert_snapshot!(written(label, true), @r#"
        # not 7.5: a.so
        LABEL io.github.kimg-lint.compute-capabilities.native="8.0 8.6 9.0" \
              io.github.kimg-lint.compute-capabilities.jit="12.0 >12.0"
        ENV NVIDIA_REQUIRE_CUDA="arch=8.0 arch=8.6 arch=9.0 arch=12.0 arch>12.0"
        # It replaces what the base image requires under that name; to keep both, call it NVIDIA_REQUIRE_ARCH.
        "#);
    }

    #[test]
    fn affinities() {
        insta::assert_snapshot!(written(affinity, false), @r#"
        # not 7.5: a.so
        affinity:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchExpressions:
                - {key: nvidia.com/gpu.compute.major, operator: In, values: ["8"]}
                - {key: nvidia.com/gpu.compute.minor, operator: In, values: ["0", "6"]}
              - matchExpressions:
                - {key: nvidia.com/gpu.compute.major, operator: In, values: ["9"]}
                - {key: nvidia.com/gpu.compute.minor, operator: In, values: ["0"]}
              - matchExpressions:
                - {key: nvidia.com/gpu.compute.major, operator: In, values: ["12"]}
                - {key: nvidia.com/gpu.compute.minor, operator: In, values: ["0"]}
        "#);
        assert!(written(affinity, true).contains("operator: Gt, values: [\"12\"]"));
    }
}
