//! What the name of a package promises: the CPU, and that there is device code at all.
use super::summary::{has_code, is_silent};
use crate::facts::{Artifact, ArtifactKind};
use std::collections::HashSet;
use std::path::Path;

/// Notes on the artifacts of one run what their packages promise and they do not keep. `expected`: the user expects device code.
pub fn compare(artifacts: &mut [Artifact], expected: bool) {
    let with_code = artifacts.iter().filter(|artifact| has_code(artifact));
    let with_code: HashSet<String> = with_code.map(|artifact| artifact.path.clone()).collect();
    for artifact in artifacts {
        let file = artifact.path.rsplit(['/', '\\']).next().unwrap_or_default();
        let promise = Promise::of(file);
        let host = promise.host.filter(|host| {
            // Only CPUs that packages are named after: others are firmware and the like.
            matches!(artifact.host.as_str(), "x86-64" | "aarch64") && artifact.host != *host
        });
        // An input as a whole, or an installed package that has nothing.
        let whole = artifact.member.is_empty() || artifact.kind == ArtifactKind::Package;
        let code = promise.device_code.or_else(|| {
            let package = artifact.package.as_ref()?;
            cuda_label(&package.version).map(label)
        });
        let expected = expected && !with_code.contains(&artifact.path);
        let code = code.or_else(|| expected.then(|| "architectures were expected".to_owned()));
        artifact.host_promised = host.unwrap_or_default().to_owned();
        artifact.device_code_promised = code
            .filter(|_| whole && is_silent(artifact))
            .unwrap_or_default();
    }
}

/// Whether the name of a file promises device code.
pub(super) fn has_label(path: &Path) -> bool {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    Promise::of(&file).device_code.is_some()
}

fn label(label: &str) -> String {
    format!("its version says +{label}")
}

/// What a file's name says.
#[derive(Debug, Default, PartialEq)]
struct Promise {
    host: Option<&'static str>,
    device_code: Option<String>,
}

impl Promise {
    fn of(file: &str) -> Self {
        if let Some(wheel) = file.strip_suffix(".whl") {
            let platform = wheel.rsplit('-').next().unwrap_or_default();
            let version = wheel.split('-').nth(1).unwrap_or_default();
            return Self {
                host: host(platform),
                device_code: cuda_label(version).map(label),
            };
        }
        let host = file.strip_suffix(".deb").and_then(host);
        Self {
            host,
            device_code: None,
        }
    }
}

fn host(platform: &str) -> Option<&'static str> {
    let ends = |names: [&str; 2]| names.iter().any(|name| platform.ends_with(name));
    if ends(["x86_64", "amd64"]) {
        Some("x86-64")
    } else if ends(["aarch64", "arm64"]) {
        Some("aarch64")
    } else {
        None
    }
}

/// `cu124` in `2.4.1+cu124` and in `1.0+cu124.torch24`.
pub(super) fn cuda_label(version: &str) -> Option<&str> {
    let (_, local) = version.split_once('+')?;
    let is_cuda = |part: &&str| {
        part.strip_prefix("cu")
            .map(|digits| digits.trim_start_matches("da"))
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    local.split(['.', '_']).find(is_cuda)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_promise() {
        for (file, host, code) in [
            (
                "a-1.0-cp311-cp311-manylinux_2_28_x86_64.whl",
                Some("x86-64"),
                None,
            ),
            (
                "a-1.0+cu124-cp311-cp311-linux_aarch64.whl",
                Some("aarch64"),
                Some("cu124"),
            ),
            ("a-1.0+cpu-cp311-cp311-win_amd64.whl", Some("x86-64"), None),
            ("a-1.0+cu124.torch2.4-py3-none-any.whl", None, Some("cu124")),
            ("a-1.0+custom-py3-none-any.whl", None, None),
            ("a_1.0_arm64.deb", Some("aarch64"), None),
            ("liba.so", None, None),
        ] {
            let promise = Promise::of(file);
            let says = code.map(|label| format!("its version says +{label}"));
            assert_eq!((promise.host, promise.device_code), (host, says), "{file}");
        }
    }
}
