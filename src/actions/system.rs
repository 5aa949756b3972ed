//! System package managers: what they bring that builds depend on.
use super::args::{Arg, Argv};
use super::{Did, Effect, Installed, Tool};

/// Whether a program installs packages of the system.
pub(super) fn is_manager(program: &str) -> bool {
    matches!(
        program,
        "apt-get"
            | "apt"
            | "aptitude"
            | "dnf"
            | "yum"
            | "microdnf"
            | "zypper"
            | "apk"
            | "pacman"
            | "choco"
            | "winget"
            | "scoop"
    )
}

/// The packages that `apt-get install …`, `dnf install …`, `apk add …`, `pacman -S …` name.
fn packages(argv: &Argv<'_>) -> Vec<String> {
    let of_windows = matches!(argv.program(), Some("choco" | "winget" | "scoop"));
    let args = argv.tail(1).parse(|n| match n {
        "version" | "source" | "s" => of_windows,
        _ => matches!(n, "o" | "option" | "t" | "target-release" | "c"),
    });
    let installs = |arg: &Arg| match arg {
        Arg::Operand(word) => matches!(word.sketch().as_str(), "install" | "add" | "in"),
        Arg::Option(name, _) => argv.program() == Some("pacman") && name.starts_with('S'),
    };
    let mut from_there = args.iter().skip_while(|arg| !installs(arg));
    from_there.next();
    let operands = from_there.filter_map(|arg| match arg {
        Arg::Operand(value) => Some(value.sketch()),
        Arg::Option(..) => None,
    });
    operands.collect()
}

/// Whether packages are installed of which not even the beginning of the name is known: `apt-get install $PACKAGES`.
pub(super) fn installs_unnamed(argv: &Argv<'_>) -> bool {
    argv.program().is_some_and(is_manager)
        && packages(argv).iter().any(|name| name.starts_with('?'))
}

/// `apt-get install …`, `dnf install …`, `apk add …`.
pub(super) fn recognise(argv: &Argv<'_>) -> Vec<Did> {
    let program = argv.program().unwrap_or_default().to_owned();
    packages(argv)
        .into_iter()
        .filter_map(|package| {
            let (tool, version) = brought(&package)?;
            let by = format!("{program} install {package}");
            Some(Did::Effect(Effect::Installed(Installed {
                tool,
                version,
                variant: None,
                default_index: false,
                by,
            })))
        })
        .collect()
}

/// Which packages bring nvcc or CMake: `cuda-nvcc-12-4`, `cuda-toolkit-12-4`, `cuda-12-4`, `nvidia-cuda-toolkit`.
fn brought(package: &str) -> Option<(Tool, Option<String>)> {
    let name = package.split(['=', ':']).next().unwrap_or(package);
    if name == "cmake" {
        return Some((Tool::Cmake, None));
    }
    if name == "nvidia-cuda-toolkit" || name.eq_ignore_ascii_case("nvidia.cuda") {
        return Some((Tool::Nvcc, None));
    }
    let rest = [
        "cuda-nvcc",
        "cuda-toolkit",
        "cuda-minimal-build",
        "cuda-compiler",
        "cuda-devel",
        "cuda",
    ]
    .iter()
    .find_map(|p| name.strip_prefix(p))?;
    let digits = rest.trim_start_matches('-').replace(['-', '?'], ".");
    let version_like =
        digits.is_empty() || digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if !(rest.is_empty() || rest.starts_with('-')) || !version_like {
        return None;
    }
    let version = digits.split('.').take(2).collect::<Vec<_>>().join(".");
    let complete = version.split('.').count() == 2 && version.split('.').all(|p| !p.is_empty());
    Some((Tool::Nvcc, complete.then_some(version)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_bring_nvcc() {
        for (package, want) in [
            ("cuda-nvcc-12-4", Some(Some("12.4"))),
            ("cuda-toolkit-12-8=12.8.1-1", Some(Some("12.8"))),
            ("cuda-12-1", Some(Some("12.1"))),
            ("cuda-minimal-build-11-8", Some(Some("11.8"))),
            ("nvidia-cuda-toolkit", Some(None)),
            ("cuda-toolkit-12", Some(None)),
            ("cuda-nvcc-?", Some(None)),
            ("cuda-cudart-12-4", None),
            ("cuda-keyring", None),
            ("libcudnn8", None),
            ("cuda-libraries-dev-12-4", None),
        ] {
            let got = brought(package);
            assert_eq!(got.as_ref().map(|(_, v)| v.as_deref()), want, "{package}");
        }
    }
}
